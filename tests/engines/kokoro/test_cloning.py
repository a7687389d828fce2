"""From a reference to a voice: who is refused, and that voices follow the speaker."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import Pcm, Reference, ReferenceRejected, Voice
from engines.kokoro import cloning
from engines.kokoro.tone import LIMIT_DB
from engines.kokoro.voices import Style, stock_styles, style_basis, voice_style
from engines.pitch import RATIO_RANGE, semitones

pytestmark = pytest.mark.unit

RATE_HZ = 16_000


def _buzz(f0_hz: float, seconds: float = 3.0, rate_hz: int = RATE_HZ) -> Pcm:
    phase = 2.0 * np.pi * f0_hz * np.arange(int(seconds * rate_hz)) / rate_hz
    harmonics = [np.sin(k * phase) / k for k in range(1, int(3500.0 / f0_hz))]
    return np.asarray(0.1 * np.sum(harmonics, axis=0), dtype=np.float32)


def _unit(seed: int) -> Pcm:
    """A random direction with GE2E's signs: its last layer is a ReLU."""
    values = np.maximum(0.0, np.random.default_rng(seed).standard_normal(256))
    return np.asarray(values / np.linalg.norm(values), dtype=np.float32)


def _reference(f0_hz: float = 120.0, seed: int = 0) -> Reference:
    return Reference(_buzz(f0_hz), RATE_HZ, _unit(seed))


def _clone(reference: Reference) -> Voice:
    return cloning.clone(reference, cloning.pitch_of(reference))


def test_the_same_reference_gives_the_same_voice() -> None:
    first, second = _clone(_reference()), _clone(_reference())
    assert first.to_bytes() == second.to_bytes()


def test_different_speakers_get_different_voices() -> None:
    one, _ = voice_style(_clone(_reference(seed=1)))
    other, _ = voice_style(_clone(_reference(seed=2)))
    assert np.linalg.norm(one - other) > 0.5


@given(st.integers(0, 2**32 - 1), st.floats(60.0, 400.0))
@settings(max_examples=10, deadline=None)
def test_every_style_stays_where_speech_is_known_to_hold(seed: int, f0_hz: float) -> None:
    style = cloning.style_from_embedding(_unit(seed), f0_hz)
    assert np.isfinite(style).all()
    assert np.abs(style_basis().point(style)).max() <= cloning.TRUST_DEVIATIONS + 1e-2


@pytest.mark.parametrize("f0_hz", [90.0, 150.0, 230.0])
def test_voice_is_given_the_speakers_pitch(f0_hz: float) -> None:
    style, ratio = voice_style(_clone(_reference(f0_hz)))
    assert RATIO_RANGE[0] <= ratio <= RATIO_RANGE[1]
    if RATIO_RANGE[0] < ratio < RATIO_RANGE[1]:
        assert abs(semitones(cloning.predicted_f0_hz(style) * ratio, f0_hz)) < 0.2


def test_stock_voices_pitch_is_told_from_their_style() -> None:
    """Women of the packs speak higher than men, all within the range of people."""
    told: dict[str, list[float]] = {"f": [], "m": []}
    for name, style in stock_styles().items():
        told[name[1]].append(cloning.predicted_f0_hz(style))
    assert 80.0 < np.median(told["m"]) < 150.0 < np.median(told["f"]) < 270.0


def test_reference_at_another_rate_gives_the_same_voice() -> None:
    embedding = _unit(3)
    low = _clone(Reference(_buzz(140.0), RATE_HZ, embedding))
    high = _clone(Reference(_buzz(140.0, rate_hz=48_000), 48_000, embedding))
    for (_, a), (_, b) in zip(sorted(low.arrays.items()), sorted(high.arrays.items()), strict=True):
        np.testing.assert_allclose(a, b, atol=0.03)


def test_scale_of_the_embedding_does_not_matter() -> None:
    reference = _reference()
    assert reference.embedding is not None
    scaled = replace(reference, embedding=reference.embedding * np.float32(7.0))
    np.testing.assert_allclose(
        _clone(reference).arrays["style"], _clone(scaled).arrays["style"], atol=1e-4
    )


def test_whisper_has_no_pitch_to_match_but_still_gives_a_voice() -> None:
    noise = 0.05 * np.random.default_rng(4).standard_normal(3 * RATE_HZ)
    style, ratio = voice_style(_clone(Reference(noise.astype(np.float32), RATE_HZ, _unit(4))))
    assert ratio == 1.0
    assert np.isfinite(style).all()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda r: replace(r, pcm=r.pcm[: int(1.5 * RATE_HZ)]), r"1\.5 s .* at least 3 s"),
        (lambda r: replace(r, pcm=r.pcm[:0]), r"0\.0 s"),
        (lambda r: replace(r, pcm=np.zeros_like(r.pcm)), "microphone"),
        (lambda r: replace(r, pcm=r.pcm * np.float32(np.nan)), "not numbers"),
        (lambda r: replace(r, embedding=None), "no speaker embedding"),
        (lambda r: replace(r, embedding=np.zeros(256, np.float32)), "not one of ge2e"),
        (lambda r: replace(r, embedding=np.ones(192, np.float32)), "not one of ge2e"),
        (lambda r: replace(r, embedding=np.full(256, np.inf, np.float32)), "not one of ge2e"),
    ],
)
def test_useless_reference_is_refused_with_the_reason(spoil: object, message: str) -> None:
    assert callable(spoil)
    with pytest.raises(ReferenceRejected, match=message):
        _clone(spoil(_reference()))


def test_trust_region_leaves_ordinary_points_alone() -> None:
    point = np.linspace(-2.0, 2.0, style_basis().size).astype(np.float32)
    np.testing.assert_array_equal(cloning.within_trust(point), point)


def test_a_timbre_that_is_far_out_is_brought_to_the_edge() -> None:
    far = np.full(style_basis().size, 9.0, np.float32)
    assert np.all(cloning.within_trust(far) == cloning.TRUST_DEVIATIONS)


def test_guess_of_pitch_is_near_what_the_stock_voices_have() -> None:
    """Without F0 the style is about what it is with a plausible one."""

    def away(a: Style, b: Style) -> float:
        return float(np.linalg.norm(a - b))

    embedding = _unit(5)
    plausible = [cloning.style_from_embedding(embedding, f0) for f0 in (100.0, 130.0, 170.0, 220.0)]
    guessed = cloning.style_from_embedding(embedding)
    assert min(away(guessed, style) for style in plausible) < 1.5


def _foretold(point: Pcm, embedding: Pcm, f0_hz: float) -> float:
    features = cloning.voice_features(point[None], [f0_hz])
    networks = [one(features) for one in cloning.forward_networks()]
    missing = [cloning.missing_cosine(one, embedding[None])[0] for one in networks]
    by_kernel, _ = cloning.missing_cosine(cloning.forward_kernel()(features), embedding[None])
    return 1.0 - (float(np.mean(missing)) + by_kernel) / 2.0


def _heard_as(point: Pcm, f0_hz: float) -> Pcm:
    """The embedding that the forward models foretell for a point."""
    mean = cloning.foretold(point, f0_hz)
    return np.asarray(mean / np.linalg.norm(mean), dtype=np.float32)


@pytest.mark.parametrize("name", ["am_adam", "af_sky", "zf_xiaoxiao", "bm_lewis"])
def test_search_comes_nearer_to_the_speaker(name: str) -> None:
    point = cloning.within_trust(style_basis().point(stock_styles()[name]))
    f0_hz = cloning.predicted_f0_hz(stock_styles()[name])
    wanted, start = _heard_as(point, f0_hz), np.zeros_like(point)
    found = cloning.nearer(start, wanted, f0_hz)
    before, after = _foretold(start, wanted, f0_hz), _foretold(found, wanted, f0_hz)
    assert 1.0 - after < 0.3 * (1.0 - before)
    assert np.abs(found).max() <= cloning.TRUST_DEVIATIONS


def test_search_keeps_a_point_that_is_right_already() -> None:
    style = stock_styles()["af_heart"]
    point = cloning.within_trust(style_basis().point(style))
    f0_hz = cloning.predicted_f0_hz(style_basis().style(point))
    found = cloning.nearer(point, _heard_as(point, f0_hz), f0_hz)
    assert np.sqrt(np.mean(np.square(found - point))) < 0.15


def test_search_aims_beyond_the_speaker_seen_from_the_middle() -> None:
    speaker, middle = _unit(8), cloning.forward_kernel().mean
    aim = cloning.beyond(speaker)
    assert np.linalg.norm(aim) == pytest.approx(1.0, abs=1e-5)
    along = (speaker - middle) / np.linalg.norm(speaker - middle)
    assert (aim - middle) @ along > (speaker - middle) @ along
    assert aim @ middle < speaker @ middle


def test_loud_and_soft_styles_are_brought_to_one_level() -> None:
    gains = [cloning.levelled_tone(style, 1.0) for style in stock_styles().values()]
    added = np.array([np.median(gain - cloning.TONE_DB) for gain in gains])
    assert np.ptp(gains[0] - cloning.TONE_DB) < 1e-4, "the same at every frequency"
    assert np.abs(added).max() <= LIMIT_DB
    assert added.std() > 0.5, "they differ by themselves"


@pytest.mark.parametrize("f0_hz", [100.0, 210.0])
def test_search_prefers_styles_that_speak_near_the_speakers_pitch(f0_hz: float) -> None:
    start = np.zeros(style_basis().size, np.float32)
    found = cloning.nearer(start, _unit(7), f0_hz)

    def away(point: Pcm) -> float:
        return abs(semitones(cloning.predicted_f0_hz(style_basis().style(point)), f0_hz))

    assert away(found) < 1.0 < away(start)
