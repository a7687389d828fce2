"""The voice activity model on speech, noise and silence, window by window."""

from __future__ import annotations

import numpy as np
import pytest

from engines import silero
from engines.api import Pcm, VoiceActivityModel
from engines.silero.detector import MEMORY_VALUES
from tests.clips import clip

pytestmark = pytest.mark.engine

SECOND = 16_000


@pytest.fixture(scope="module")
def vad() -> VoiceActivityModel:
    return silero.create({})


def scores(vad: VoiceActivityModel, pcm: Pcm) -> list[float]:
    memory, probabilities = vad.memory(), []
    for at in range(0, pcm.size - vad.window_samples + 1, vad.window_samples):
        probability, memory = vad.score(pcm[at : at + vad.window_samples], memory)
        probabilities.append(probability)
    return probabilities


@pytest.mark.parametrize("speaker", ["en_susan", "en_david", "de_Sonja"])
def test_hears_speech(vad: VoiceActivityModel, speaker: str) -> None:
    assert np.median(scores(vad, clip(speaker))) > 0.9


def test_matches_the_models_own_wrapper(vad: VoiceActivityModel) -> None:
    # silero-vad 6.2.3's OnnxWrapper with silero_vad.onnx on the same windows.
    published = [0.012, 0.616, 0.671, 0.997, 0.996, 1.0, 1.0, 0.999, 0.998, 1.0]
    np.testing.assert_allclose(scores(vad, clip("en_david"))[:10], published, atol=0.02)


def test_does_not_hear_silence(vad: VoiceActivityModel) -> None:
    assert max(scores(vad, np.zeros(2 * SECOND, dtype=np.float32))) < 0.2


@pytest.mark.parametrize("level", [0.001, 0.03, 0.3])
def test_does_not_hear_noise(vad: VoiceActivityModel, level: float) -> None:
    noise = np.random.default_rng(7).standard_normal(3 * SECOND) * level
    assert np.mean(np.array(scores(vad, noise.astype(np.float32))) > 0.5) < 0.05


def test_hum_is_not_speech(vad: VoiceActivityModel) -> None:
    t = np.arange(3 * SECOND) / SECOND
    hum = 0.2 * np.sin(2 * np.pi * 100 * t) + 0.1 * np.sin(2 * np.pi * 200 * t)
    assert np.mean(np.array(scores(vad, hum.astype(np.float32))) > 0.5) < 0.1


def test_notices_the_end_of_speech(vad: VoiceActivityModel) -> None:
    speech = clip("en_david")[: 2 * SECOND]
    heard = scores(vad, np.concatenate([speech, np.zeros(SECOND, dtype=np.float32)]))
    assert heard[-1] < 0.1


def test_streams_share_nothing(vad: VoiceActivityModel) -> None:
    one, two = clip("en_susan")[:SECOND], clip("de_Sonja")[:SECOND]
    alone = scores(vad, one)
    memory_one, memory_two, mixed = vad.memory(), vad.memory(), []
    for at in range(0, SECOND - vad.window_samples + 1, vad.window_samples):
        probability, memory_one = vad.score(one[at : at + vad.window_samples], memory_one)
        _, memory_two = vad.score(two[at : at + vad.window_samples], memory_two)
        mixed.append(probability)
    assert mixed == alone


def test_leaves_the_callers_memory_alone(vad: VoiceActivityModel) -> None:
    memory = vad.memory()
    vad.score(clip("en_susan")[: vad.window_samples], memory)
    np.testing.assert_array_equal(memory, np.zeros(MEMORY_VALUES, dtype=np.float32))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e30])
def test_a_bad_window_does_not_spoil_the_stream(vad: VoiceActivityModel, bad: float) -> None:
    window = np.full(vad.window_samples, bad, dtype=np.float32)
    probability, memory = vad.score(window, vad.memory())
    assert 0.0 <= probability <= 1.0
    assert np.isfinite(memory).all()


def test_a_window_of_the_wrong_length_is_a_mistake_of_the_caller(vad: VoiceActivityModel) -> None:
    with pytest.raises(ValueError, match="512"):
        vad.score(np.zeros(320, dtype=np.float32), vad.memory())
