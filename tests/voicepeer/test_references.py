"""A recording to clone from, through the real models: what is used of it, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import soxr

from engines import ge2e, silero
from engines.api import SpeakerEncoder, VoiceActivityModel
from tests.clips import clip
from voicepeer import degrading
from voicepeer.core.errors import AudioRejected
from voicepeer.core.pcm import Pcm
from voicepeer.references import CloneSource, clone_reference, fitness

pytestmark = pytest.mark.engine

SECOND = 16_000


@pytest.fixture(scope="module")
def vad() -> VoiceActivityModel:
    return silero.create({})


@pytest.fixture(scope="module")
def encoder() -> SpeakerEncoder:
    return ge2e.create({})


def noise(level_db: float, samples: int, seed: int = 1) -> Pcm:
    draw = np.random.default_rng(seed).standard_normal(samples)
    return np.asarray(draw * 10 ** (level_db / 20), dtype=np.float32)


def silence(duration_s: float) -> Pcm:
    return np.zeros(round(duration_s * SECOND), dtype=np.float32)


def likeness(source: CloneSource, encoder: SpeakerEncoder, speaker: str) -> float:
    assert source.reference.embedding is not None
    return float(source.reference.embedding @ encoder.embed(clip(speaker)))


def test_takes_the_speech_and_leaves_the_silence(
    vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    speech = clip("en_susan")
    source = clone_reference(np.concatenate([silence(3), speech, silence(5)]), vad, encoder)
    assert source.speech_s == pytest.approx(speech.size / SECOND, abs=0.5)
    assert source.reference.pcm.size == pytest.approx(source.speech_s * SECOND, abs=1)
    assert source.reference.sample_rate_hz == SECOND
    assert likeness(source, encoder, "en_susan") > 0.98
    assert source.quality.score > 0.95
    assert source.quality.hint is None


def test_pauses_do_not_count_as_speech(vad: VoiceActivityModel, encoder: SpeakerEncoder) -> None:
    part = clip("en_susan")[: 2 * SECOND]
    with pytest.raises(AudioRejected, match=r"(1\.\d|2\.\d) s of usable speech heard, 3 s"):
        clone_reference(np.concatenate([part, silence(10)]), vad, encoder)


@pytest.mark.parametrize("gain_db", [-10.0, -20.0, -30.0])
def test_hears_quiet_speech_and_says_so(
    vad: VoiceActivityModel, encoder: SpeakerEncoder, gain_db: float
) -> None:
    quiet = np.asarray(clip("en_susan") * 10 ** (gain_db / 20), dtype=np.float32)
    source = clone_reference(quiet, vad, encoder)
    assert likeness(source, encoder, "en_susan") > 0.95
    assert (source.quality.hint is not None) == (gain_db < -25.0)


@pytest.mark.parametrize("rate_hz", [8_000, 11_025, 44_100, 48_000])
def test_the_rate_of_the_recording_hardly_changes_the_voice(
    vad: VoiceActivityModel, encoder: SpeakerEncoder, rate_hz: int
) -> None:
    recorded = soxr.resample(clip("en_susan"), 16_000, rate_hz)
    heard = np.asarray(soxr.resample(recorded, rate_hz, 16_000), dtype=np.float32)
    assert likeness(clone_reference(heard, vad, encoder), encoder, "en_susan") > 0.9


@pytest.mark.parametrize(
    "pcm",
    [
        silence(6),
        noise(-20.0, 6 * SECOND),
        noise(-55.0, 6 * SECOND),
        np.asarray(0.3 * np.sin(2 * np.pi * 220 * np.arange(6 * SECOND) / SECOND), np.float32),
    ],
    ids=["silence", "loud noise", "quiet noise", "tone"],
)
def test_nothing_is_cloned_from_what_is_not_speech(
    vad: VoiceActivityModel, encoder: SpeakerEncoder, pcm: Pcm
) -> None:
    with pytest.raises(AudioRejected, match=r"0\.\d s of usable speech heard, 3 s are needed"):
        clone_reference(pcm, vad, encoder)


def test_noisy_speech_is_refused_with_the_reason(
    vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    speech = np.concatenate([silence(1.5), clip("de_Sonja")[: 8 * SECOND]])
    noisy = speech + noise(-28.0, speech.size)
    with pytest.raises(AudioRejected, match="too noisy; find a quieter place"):
        clone_reference(noisy, vad, encoder)


def test_clipped_speech_is_refused_with_the_reason(
    vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    clipped = np.asarray(np.clip(clip("de_Sonja")[: 6 * SECOND] * 30, -1.0, 1.0), np.float32)
    with pytest.raises(AudioRejected, match="clipped; turn the microphone down"):
        clone_reference(clipped, vad, encoder)


def test_a_little_clipping_is_left_out_and_mentioned(
    vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    peak = np.max(np.abs(clip("de_Sonja")))
    hot = np.asarray(np.clip(clip("de_Sonja") * (2.5 / peak), -1.0, 1.0), np.float32)
    source = clone_reference(hot, vad, encoder)
    assert source.speech_s < clip("de_Sonja").size / SECOND - 0.3
    assert likeness(source, encoder, "de_Sonja") > 0.8


def test_more_speech_than_helps_is_not_kept(
    vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    long = np.tile(clip("de_Sonja"), 2)
    source = clone_reference(long, vad, encoder)
    assert source.speech_s > 20.0
    assert source.reference.pcm.size == 20 * SECOND


def test_too_short_for_a_single_window_is_too_short(
    vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    for samples in (0, 1, 511, 513):
        with pytest.raises(AudioRejected, match="0.0 s of usable speech"):
            clone_reference(np.full(samples, 0.1, dtype=np.float32), vad, encoder)


def test_moments_tell_when_enough_was_heard(
    vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    pcm = np.concatenate([silence(2), clip("de_Elli")[: 8 * SECOND]])
    source = clone_reference(pcm, vad, encoder)
    assert source.heard_after_s(3.0) == pytest.approx(3.0, abs=0.3)
    assert source.heard_after_s(5.0) == pytest.approx(5.0, abs=0.5)
    assert source.heard_after_s(60.0) is None


def test_a_good_recording_is_fit(vad: VoiceActivityModel, encoder: SpeakerEncoder) -> None:
    pcm = clip("de_Elli")
    assert fitness(pcm, clone_reference(pcm, vad, encoder), encoder).warnings == ()


@pytest.mark.parametrize(("one", "other"), [("de_Elli", "de_Matze"), ("en_james", "de_Sonja")])
def test_two_people_in_turn_are_noticed(
    one: str, other: str, vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    pcm = np.concatenate([clip(one)[: 5 * SECOND], clip(other)[: 5 * SECOND]])
    try:
        remarks: tuple[str, ...] = fitness(
            pcm, clone_reference(pcm, vad, encoder), encoder
        ).warnings
    except AudioRejected as error:
        remarks = (str(error),)
    assert any("more than one person seems to speak" in remark for remark in remarks)


def test_a_church_is_refused_and_a_kitchen_is_warned_of(
    vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    dry, random = clip("de_Elli"), np.random.default_rng(1)
    kitchen = degrading.reverberate(dry, 0.5, 0.0, random)
    found = fitness(kitchen, clone_reference(kitchen, vad, encoder), encoder)
    assert any("room echoes" in warning for warning in found.warnings)
    church = degrading.reverberate(dry, 1.8, -6.0, random)
    with pytest.raises(AudioRejected, match=r"room echoes|too noisy"):
        fitness(church, clone_reference(church, vad, encoder), encoder)
