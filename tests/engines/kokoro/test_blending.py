"""Mixed voices lie between their parts, in style and in pitch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines import registry
from engines.api import Voice, VoiceIncompatible
from engines.kokoro.blending import mix_voices
from engines.kokoro.cloning import predicted_f0_hz
from engines.kokoro.tone import TONE_HZ
from engines.kokoro.voices import (
    NORMS,
    make_voice,
    stock_styles,
    stock_voices,
    voice_channel,
    voice_range,
    voice_style,
    voice_tone,
)
from engines.spectrum import BANDS_HZ

pytestmark = pytest.mark.unit


def f0_hz(voice: Voice) -> float:
    style, ratio = voice_style(voice)
    return predicted_f0_hz(style) * ratio


def test_a_mix_is_the_weighted_mean_of_styles() -> None:
    parts = [(stock_voices()["af_sky"], 3.0), (stock_voices()["af_bella"], 1.0)]
    style, _ = voice_style(mix_voices(parts))
    wanted = 0.75 * stock_styles()["af_sky"] + 0.25 * stock_styles()["af_bella"]
    np.testing.assert_allclose(style, wanted, atol=1e-5)


def test_the_tone_is_mixed_and_whoever_has_none_is_flat() -> None:
    style, gains = stock_styles()["af_sky"], np.linspace(-4, 4, TONE_HZ.size).astype(np.float32)
    toned, plain = make_voice(style, 1.0, gains), make_voice(style)
    mixed = voice_tone(mix_voices([(toned, 3.0), (plain, 1.0)]))
    assert mixed is not None
    np.testing.assert_allclose(mixed, 0.75 * gains, atol=1e-6)
    assert voice_tone(mix_voices([(plain, 3.0), (plain, 1.0)])) is None


def with_arrays(voice: Voice, **arrays: list[float]) -> Voice:
    named = {name: np.array(array, np.float32) for name, array in arrays.items()}
    return replace(voice, arrays={**voice.arrays, **named})


def test_the_range_lies_between_and_is_1_where_none_is_known() -> None:
    voice = make_voice(stock_styles()["af_sky"])
    narrow, wide = with_arrays(voice, f0_range=[0.7]), with_arrays(voice, f0_range=[1.4])
    assert voice_range(mix_voices([(narrow, 1.0), (wide, 1.0)])) == pytest.approx(0.99, abs=0.01)
    assert voice_range(mix_voices([(narrow, 1.0), (voice, 1.0)])) == pytest.approx(np.sqrt(0.7))


def test_a_channel_is_mixed_in_by_its_share() -> None:
    voice = make_voice(stock_styles()["af_sky"])
    telephone = with_arrays(voice, channel=np.linspace(-20.0, 5.0, BANDS_HZ.size).tolist())
    mixed = voice_channel(mix_voices([(telephone, 1.0), (voice, 3.0)]))
    assert mixed is not None
    np.testing.assert_allclose(mixed, 0.25 * telephone.arrays["channel"], atol=1e-5)
    assert voice_channel(mix_voices([(voice, 1.0), (voice, 3.0)])) is None


@given(st.floats(0.02, 0.98))
def test_pitch_lies_between_a_man_and_a_woman(share: float) -> None:
    man, woman = stock_voices()["am_adam"], stock_voices()["af_bella"]
    mixed = f0_hz(mix_voices([(man, share), (woman, 1.0 - share)]))
    between = np.exp(share * np.log(f0_hz(man)) + (1.0 - share) * np.log(f0_hz(woman)))
    assert mixed == pytest.approx(float(between), rel=0.01)


def test_the_pitch_that_a_clone_was_given_counts() -> None:
    style = stock_styles()["af_sky"]
    low, high = make_voice(style, 0.7), make_voice(style, 1.0)
    _, ratio = voice_style(mix_voices([(low, 1.0), (high, 1.0)]))
    assert ratio == pytest.approx(np.sqrt(0.7), rel=0.01)


def test_a_mix_brings_no_norms_of_its_parts() -> None:
    parts = [(voice, 1.0) for voice in list(stock_voices().values())[:3]]
    assert all(NORMS in voice.arrays for voice, _ in parts)
    assert NORMS not in mix_voices(parts).arrays


def test_the_registry_mixes_without_loading_a_model() -> None:
    voice = stock_voices()["af_sky"]
    mixed = registry.mix_voices("kokoro", [(voice, 1.0), (voice, 2.0)])
    np.testing.assert_allclose(voice_style(mixed)[0], voice_style(voice)[0], atol=1e-5)


@pytest.mark.parametrize("weights", [(), (1.0, 0.0), (1.0, -0.5), (1.0, float("nan"))])
def test_weights_that_mean_nothing_are_refused(weights: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="over 0"):
        mix_voices([(stock_voices()["af_sky"], weight) for weight in weights])


def test_another_engines_voice_is_refused() -> None:
    other = Voice("fake", "1", {"tone_hz": np.array([200.0], np.float32)})
    with pytest.raises(VoiceIncompatible, match="made for fake"):
        mix_voices([(stock_voices()["af_sky"], 1.0), (other, 1.0)])
