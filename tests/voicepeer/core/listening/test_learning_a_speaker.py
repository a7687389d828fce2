"""The whole way from a microphone to a voice's embedding, with the real models and speakers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from engines import ge2e, silero
from engines.api import SpeakerEncoder, VoiceActivityModel
from tests.clips import clip
from voicepeer.core.listening.enrolment import (
    Enrolment,
    EnrolmentEvent,
    Progress,
    Ready,
    Rejected,
    Usable,
)
from voicepeer.core.listening.gate import SpeechBegan, SpeechEnded, SpeechGate
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm

pytestmark = pytest.mark.engine

SECOND = LISTEN_RATE_HZ


@pytest.fixture(scope="module")
def vad() -> VoiceActivityModel:
    return silero.create({})


@pytest.fixture(scope="module")
def encoder() -> SpeakerEncoder:
    return ge2e.create({})


@dataclass
class Listened:
    enrolment: Enrolment
    events: list[EnrolmentEvent] = field(default_factory=list)
    edges: list[float] = field(default_factory=list)
    """When speech began and ended, alternately."""

    def milestones(self) -> list[type[EnrolmentEvent]]:
        return [type(event) for event in self.events if isinstance(event, Usable | Ready)]

    def likeness(self, encoder: SpeakerEncoder, speaker: str) -> float:
        embedding = self.enrolment.embedding()
        assert embedding is not None
        return float(embedding @ encoder.embed(clip(speaker)))


def listen(
    pcm: Pcm,
    vad: VoiceActivityModel,
    encoder: SpeakerEncoder,
    own_voice_until_s: float = 0.0,
) -> Listened:
    """Play ``pcm`` into a gate and an enrolment as a microphone would."""
    size, memory = vad.window_samples, vad.memory()
    gate = SpeechGate(window_samples=size)
    heard = Listened(Enrolment(started_at=0.0, window_samples=encoder.window_samples))
    for number in range(pcm.size // size):
        window, now = pcm[number * size : (number + 1) * size], (number + 1) * size / SECOND
        probability, memory = vad.score(window, memory)
        events = gate.push(window, probability, now, own_voice=now <= own_voice_until_s)
        heard.edges += [e.at for e in events if isinstance(e, SpeechBegan | SpeechEnded)]
        heard.events += heard.enrolment.push(events, now, gate.snr_db)
        while (partial := heard.enrolment.take_window()) is not None:
            embedding = encoder.embed_window(partial.pcm)
            heard.events += heard.enrolment.add(partial, embedding, now)
        heard.events += heard.enrolment.tick(now, gate.level_dbfs)
    return heard


def silence(duration_s: float) -> Pcm:
    return np.zeros(round(duration_s * SECOND), dtype=np.float32)


def noise(level_db: float, duration_s: float) -> Pcm:
    draw = np.random.default_rng(1).standard_normal(round(duration_s * SECOND))
    return np.asarray(draw * 10 ** (level_db / 20), dtype=np.float32)


@pytest.mark.parametrize("speaker", ["de_Sonja", "de_thorsten", "en_daniel"])
def test_a_voice_is_ready_after_five_seconds_of_speech(
    vad: VoiceActivityModel, encoder: SpeakerEncoder, speaker: str
) -> None:
    pcm = clip(speaker)[: 8 * SECOND]
    heard = listen(np.concatenate([silence(1), pcm]), vad, encoder)
    assert heard.milestones() == [Usable, Ready]
    (ready,) = [event for event in heard.events if isinstance(event, Ready)]
    assert 5_000 <= ready.elapsed_ms < 7_000
    assert ready.score > 0.9
    assert ready.quality.score > 0.9
    assert heard.likeness(encoder, speaker) > 0.9


@pytest.mark.parametrize("gain_db", [-25.0, -12.0, 3.0])
def test_the_level_of_the_microphone_does_not_change_the_voice(
    vad: VoiceActivityModel, encoder: SpeakerEncoder, gain_db: float
) -> None:
    gain = np.float32(10 ** (gain_db / 20))
    heard = listen(clip("de_thorsten")[: 4 * SECOND] * gain, vad, encoder)
    usual = listen(clip("de_thorsten")[: 4 * SECOND], vad, encoder)
    one, other = heard.enrolment.embedding(), usual.enrolment.embedding()
    assert one is not None
    assert other is not None
    assert one @ other > 0.94


def test_speech_is_found_between_silences(vad: VoiceActivityModel, encoder: SpeakerEncoder) -> None:
    pcm = np.concatenate([silence(2), clip("en_susan"), silence(2)])
    began, *_, ended = listen(pcm, vad, encoder).edges
    assert began == pytest.approx(2.0, abs=0.2)
    assert ended == pytest.approx(2.0 + clip("en_susan").size / SECOND, abs=0.3)


@pytest.mark.parametrize("level_db", [-70.0, -45.0, -20.0])
def test_noise_never_becomes_a_voice(
    vad: VoiceActivityModel, encoder: SpeakerEncoder, level_db: float
) -> None:
    heard = listen(noise(level_db, 35.0), vad, encoder)
    assert heard.milestones() == []
    assert heard.enrolment.heard_s < 1.0
    assert any(isinstance(event, Rejected) for event in heard.events)


def test_speech_in_loud_noise_is_not_learned_and_the_speaker_is_told(
    vad: VoiceActivityModel, encoder: SpeakerEncoder
) -> None:
    speech = np.concatenate([silence(2), clip("de_Sonja")[: 9 * SECOND]])
    heard = listen(speech + noise(-30.0, speech.size / SECOND), vad, encoder)
    assert heard.milestones() == []
    hints = [event.hint for event in heard.events if isinstance(event, Progress)]
    assert any(hint is not None and "background noise" in hint for hint in hints)


def test_our_own_voice_is_not_learned(vad: VoiceActivityModel, encoder: SpeakerEncoder) -> None:
    ours, theirs = clip("en_david")[: 3 * SECOND], clip("de_Sonja")[: 7 * SECOND]
    heard = listen(np.concatenate([ours, theirs]), vad, encoder, own_voice_until_s=3.0)
    assert heard.milestones() == [Usable, Ready]
    alone = listen(theirs, vad, encoder)
    one, other = heard.enrolment.embedding(), alone.enrolment.embedding()
    assert one is not None
    assert other is not None
    assert one @ other > 0.98
