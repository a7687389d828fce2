"""The space of voices: what ships, how it is spanned, and how voices are stored and mixed."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import Voice, VoiceIncompatible
from engines.kokoro import voices
from engines.kokoro.phonemes import LANGUAGES

pytestmark = pytest.mark.unit


def test_all_published_voices_ship_in_nine_languages() -> None:
    styles = voices.stock_styles()
    assert len(styles) == 54
    assert {name[0] for name in styles} == set("abefhijpz")
    assert {name[1] for name in styles} == {"f", "m"}
    assert all(style.shape == (256,) and np.isfinite(style).all() for style in styles.values())


def test_every_language_has_a_published_voice_of_its_own() -> None:
    letters = {"en-us": "a", "en-gb": "b", "es": "e", "pt-br": "p"}
    assert voices.DEFAULT_VOICES.keys() >= LANGUAGES
    for language, name in voices.DEFAULT_VOICES.items():
        assert name in voices.stock_styles()
        assert name[0] == letters.get(language, language[0])


def test_shipped_file_is_small() -> None:
    assert voices.STYLES_FILE.stat().st_size < 6_000_000


def test_stock_voices_are_kokoro_voices_that_survive_saving() -> None:
    for name, voice in voices.stock_voices().items():
        style, ratio = voices.voice_style(Voice.from_bytes(voice.to_bytes()))
        np.testing.assert_array_equal(style, voices.stock_styles()[name])
        assert ratio == 1.0


def test_stock_voices_bring_their_norms() -> None:
    for voice in voices.stock_voices().values():
        mean, variance = voice.arrays[voices.NORMS]
        assert mean.shape == variance.shape == (9216,)
        assert np.isfinite(mean).all()
        assert (variance > 0.0).all()


def test_norms_survive_packing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    mean = rng.normal(0.0, 3.0, (2, 40)).astype(np.float32)
    variance = np.exp(rng.normal(-2.0, 4.0, (2, 40))).astype(np.float32)
    packed = voices.pack_norms(
        {name: np.stack([mean[i], variance[i]]) for i, name in enumerate("ab")}
    )
    path = tmp_path / "norms.npz"
    path.write_bytes(packed)
    monkeypatch.setattr(voices, "NORMS_FILE", path)
    monkeypatch.setattr(voices, "NORMS_SHA256", hashlib.sha256(packed).hexdigest())
    for index, (name, array) in enumerate(voices._stock_norms().items()):
        assert name == "ab"[index]
        np.testing.assert_allclose(array[0], mean[index], rtol=2e-3, atol=1e-3)
        np.testing.assert_allclose(np.sqrt(array[1]), np.sqrt(variance[index]), rtol=5e-3)


def test_basis_rebuilds_stock_voices_far_better_than_their_mean() -> None:
    basis = voices.style_basis()
    styles = np.stack(list(voices.stock_styles().values()))
    left = np.linalg.norm(basis.style(basis.point(styles)) - styles, axis=1)
    spread = np.linalg.norm(styles - basis.mean, axis=1)
    assert left.mean() < 0.2 * spread.mean()


def test_more_components_lose_less() -> None:
    styles = np.stack(list(voices.stock_styles().values()))

    def loss(timbre: int, prosody: int) -> float:
        basis = voices.style_basis(timbre, prosody)
        return float(np.linalg.norm(basis.style(basis.point(styles)) - styles))

    assert loss(5, 5) > loss(20, 10) > loss(40, 24) > loss(53, 53)
    assert loss(53, 53) < 1e-3


def test_basis_coordinates_have_unit_variance_with_both_sexes_weighing_the_same() -> None:
    basis = voices.style_basis()
    names = list(voices.stock_styles())
    points = basis.point(np.stack([voices.stock_styles()[name] for name in names]))
    male = np.array([name[1] == "m" for name in names])
    variance = 0.5 * np.square(points[male]).mean(0) + 0.5 * np.square(points[~male]).mean(0)
    np.testing.assert_allclose(variance, 1.0, rtol=1e-3)


@given(st.integers(0, 2**32 - 1))
def test_point_and_style_are_inverse_within_the_basis(seed: int) -> None:
    basis = voices.style_basis()
    point = np.random.default_rng(seed).standard_normal(basis.size).astype(np.float32)
    np.testing.assert_allclose(basis.point(basis.style(point)), point, atol=1e-3)


def test_length_moves_prosody_only_and_not_at_the_typical_length() -> None:
    style = voices.stock_styles()["af_sky"]
    short = voices.style_for_length(style, 4)
    np.testing.assert_array_equal(short[voices.TIMBRE], style[voices.TIMBRE])
    assert np.linalg.norm(short - style) > 1.0
    typical = voices.style_for_length(style, voices.TYPICAL_TOKENS)
    np.testing.assert_allclose(typical, style, atol=1e-3)


def test_length_beyond_the_longest_is_the_longest() -> None:
    style = voices.stock_styles()["bm_lewis"]
    longest = voices.style_for_length(style, voices.MAX_TOKENS)
    np.testing.assert_array_equal(voices.style_for_length(style, 10_000), longest)


def test_length_does_not_change_the_style_it_was_given() -> None:
    style = voices.stock_styles()["af_bella"].copy()
    before = style.copy()
    voices.style_for_length(style, 3)
    np.testing.assert_array_equal(style, before)


def test_mix_lies_between_its_parts_and_ignores_the_scale_of_weights() -> None:
    styles = voices.stock_styles()
    mixed = voices.mix_styles({"af_sky": 3.0, "am_adam": 1.0})
    np.testing.assert_allclose(
        mixed, 0.75 * styles["af_sky"] + 0.25 * styles["am_adam"], rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(mixed, voices.mix_styles({"af_sky": 0.6, "am_adam": 0.2}), atol=1e-6)


@pytest.mark.parametrize("weights", [{}, {"af_sky": 0.0}, {"af_sky": 2.0, "am_adam": -1.0}])
def test_mix_refuses_weights_that_mean_nothing(weights: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="weights"):
        voices.mix_styles(weights)


def test_mix_refuses_an_unknown_voice() -> None:
    with pytest.raises(KeyError):
        voices.mix_styles({"nobody": 1.0})


def test_voice_of_another_engine_or_version_is_refused_with_advice() -> None:
    made = voices.make_voice(voices.stock_styles()["af_sky"])
    for voice in (Voice("fake", "1", made.arrays), Voice("kokoro", "0", made.arrays)):
        with pytest.raises(VoiceIncompatible, match="clone it again"):
            voices.voice_style(voice)


def test_a_voice_from_before_there_were_tones_has_none() -> None:
    style = voices.stock_styles()["af_sky"]
    assert voices.voice_tone(Voice("kokoro", "1", voices.make_voice(style).arrays)) is None
    gains = np.linspace(-4, 4, 10).astype(np.float32)
    kept = voices.voice_tone(Voice.from_bytes(voices.make_voice(style, 1.0, gains).to_bytes()))
    assert kept is not None
    assert np.array_equal(kept, gains)


@pytest.mark.parametrize("gains", [np.zeros(9), np.zeros((2, 5)), np.full(10, 40.0)])
def test_a_tone_that_cannot_be_one_is_refused(gains: np.ndarray) -> None:
    made = voices.make_voice(voices.stock_styles()["af_sky"])
    damaged = Voice("kokoro", "1", {**made.arrays, voices.TONE: gains.astype(np.float32)})
    with pytest.raises(VoiceIncompatible, match="damaged"):
        voices.voice_tone(damaged)


def test_a_voice_from_before_there_were_ranges_keeps_its_melody() -> None:
    made = voices.make_voice(voices.stock_styles()["af_sky"])
    assert voices.F0_RANGE not in made.arrays
    assert voices.voice_range(made) == 1.0
    narrow = Voice("kokoro", "1", {**made.arrays, voices.F0_RANGE: np.array([0.75], np.float32)})
    assert voices.voice_range(Voice.from_bytes(narrow.to_bytes())) == 0.75


@pytest.mark.parametrize("factor", [[0.0], [-1.0], [5.0], [1.0, 1.0], []])
def test_a_range_that_cannot_be_one_is_refused(factor: list[float]) -> None:
    made = voices.make_voice(voices.stock_styles()["af_sky"])
    damaged = Voice("kokoro", "1", {**made.arrays, voices.F0_RANGE: np.array(factor, np.float32)})
    with pytest.raises(VoiceIncompatible, match="damaged"):
        voices.voice_range(damaged)


@pytest.mark.parametrize("levels", [np.zeros(18), np.zeros((19, 1)), np.full(19, 90.0)])
def test_a_channel_that_cannot_be_one_is_refused(levels: np.ndarray) -> None:
    made = voices.make_voice(voices.stock_styles()["af_sky"])
    damaged = Voice("kokoro", "1", {**made.arrays, voices.CHANNEL: levels.astype(np.float32)})
    with pytest.raises(VoiceIncompatible, match="damaged"):
        voices.voice_filter(damaged)


def test_a_voice_goes_through_its_tone_and_its_channel() -> None:
    style = voices.stock_styles()["af_sky"]
    gains = np.linspace(-4, 4, 10).astype(np.float32)
    plain, toned = voices.make_voice(style), voices.make_voice(style, 1.0, gains)
    assert voices.voice_filter(plain) is None
    flat = Voice("kokoro", "1", {**toned.arrays, voices.CHANNEL: np.zeros(19, np.float32)})
    alone, both = voices.voice_filter(toned), voices.voice_filter(flat)
    assert alone is not None
    assert both is not None
    np.testing.assert_allclose(both[: alone.size], alone, atol=1e-6)


def test_another_style_keeps_what_is_the_speakers() -> None:
    style = voices.stock_styles()
    voice = voices.stock_voices()["af_sky"]
    voice = replace(voice, arrays={**voice.arrays, voices.F0_RANGE: np.array([0.75], np.float32)})
    other = voices.restyled(voice, style["am_adam"], 1.2)
    np.testing.assert_array_equal(voices.voice_style(other)[0], style["am_adam"])
    assert voices.voice_style(other)[1] == pytest.approx(1.2)
    assert voices.voice_range(other) == 0.75
    assert voices.NORMS not in other.arrays


def test_damaged_voice_is_refused() -> None:
    short = {"style": np.zeros(255, np.float32), "f0_ratio": np.ones(1, np.float32)}
    for arrays in ({}, short, {"style": np.zeros(256, np.float32)}):
        with pytest.raises(VoiceIncompatible, match="damaged"):
            voices.voice_style(Voice(voices.ENGINE_NAME, voices.VOICE_VERSION, arrays))


def test_style_of_the_wrong_size_makes_no_voice() -> None:
    with pytest.raises(ValueError, match="256"):
        voices.make_voice(np.zeros(128, np.float32))
