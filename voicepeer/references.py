"""From a recording to what a voice is cloned from: its usable speech, and how good that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from engines.api import (
    Embedding,
    Reference,
    ReferenceRejected,
    SpeakerEncoder,
    VoiceActivityModel,
)
from voicepeer.audio import MIN_SPEECH_S
from voicepeer.core.errors import AudioFault, AudioRejected
from voicepeer.core.listening.gate import (
    GateSettings,
    SpeechBegan,
    SpeechGate,
    SpeechHeard,
    SpeechWithheld,
    WithheldReason,
)
from voicepeer.core.listening.partials import learning_gain
from voicepeer.core.listening.quality import Quality, assess
from voicepeer.core.listening.suitability import Suitability, suitability
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm

MAX_SPEECH_S = 20.0
ANALYSED_S = 20.0
"""Of a recording: more would not change what its room is like."""

_WINDOW_HOP_S = 0.5

_FAULTS: Mapping[str, AudioFault] = {
    "decay_s": "reverberant",
    "tones_db": "music",
    "separation": "several_speakers",
}
"""Of the aspects for which a recording is refused."""


@dataclass(frozen=True, slots=True)
class CloneSource:
    """Speech to clone from, and how good it is."""

    reference: Reference
    speech_s: float
    quality: Quality
    moments: tuple[tuple[float, float], ...] = ()
    """Seconds since speech began, and how much speech had been heard by then."""

    def heard_after_s(self, speech_s: float) -> float | None:
        """When so much speech had been heard, from its beginning; ``None`` if never."""
        return next((at for at, so_far in self.moments if so_far >= speech_s), None)


@dataclass(frozen=True, slots=True)
class _Heard:
    speech: Pcm
    withheld_s: Mapping[WithheldReason, float]
    snr_db: float | None
    moments: tuple[tuple[float, float], ...]


def clone_reference(
    pcm: Pcm,
    vad: VoiceActivityModel,
    encoder: SpeakerEncoder,
    settings: GateSettings | None = None,
    min_speech_s: float = MIN_SPEECH_S,
) -> CloneSource:
    """Speech and embedding of one recording, mono at 16 kHz, as a live microphone would give.

    Quiet recordings are turned up first, so that their speech is noticed; the reference is at
    a level that encoders work well at.

    Raises:
        AudioRejected: under ``min_speech_s`` of usable speech; says how much there was.
    """
    if {vad.sample_rate_hz, encoder.sample_rate_hz} != {LISTEN_RATE_HZ}:
        raise ValueError(f"the models must listen at {LISTEN_RATE_HZ} Hz")
    gain = max(np.float32(1.0), learning_gain(pcm))
    heard = _listen(np.asarray(pcm * gain, dtype=np.float32), vad, settings)
    speech_s = heard.speech.size / LISTEN_RATE_HZ
    if speech_s < min_speech_s:
        raise _too_little(speech_s, heard.withheld_s, min_speech_s)
    speech = heard.speech[: round(MAX_SPEECH_S * LISTEN_RATE_HZ)]
    quality = assess(np.asarray(speech / gain, dtype=np.float32), snr_db=heard.snr_db)
    speech = np.asarray(speech * learning_gain(speech), dtype=np.float32)
    try:
        embedding = encoder.embed(speech)
    except ReferenceRejected as error:
        raise AudioRejected(str(error)) from error
    reference = Reference(speech, LISTEN_RATE_HZ, embedding)
    return CloneSource(reference, speech_s, quality, heard.moments)


def _listen(pcm: Pcm, vad: VoiceActivityModel, settings: GateSettings | None) -> _Heard:
    """Usable speech, seconds of speech withheld by reason, and the ratio of speech to noise."""
    size = vad.window_samples
    gate = SpeechGate(settings, window_samples=size, rate_hz=LISTEN_RATE_HZ)
    padded = np.pad(pcm, (0, -pcm.size % size))
    heard = [np.zeros(0, dtype=np.float32)]
    withheld_s: dict[WithheldReason, float] = {"own_voice": 0.0, "clipped": 0.0, "noisy": 0.0}
    began_s: float | None = None
    speech_s, moments = 0.0, []
    scores = scored(padded, vad)
    for number, window in enumerate(padded.reshape(-1, size), start=1):
        probability = scores[number - 1]
        for event in gate.push(window, probability, number * size / LISTEN_RATE_HZ):
            match event:
                case SpeechBegan(at=at):
                    began_s = at if began_s is None else began_s
                case SpeechHeard(at=at, pcm=speech):
                    heard.append(speech)
                    speech_s += speech.size / LISTEN_RATE_HZ
                    moments.append((at - (began_s or 0.0), speech_s))
                case SpeechWithheld(reason=reason, duration_s=duration_s):
                    withheld_s[reason] += duration_s
                case _:
                    pass
    return _Heard(np.concatenate(heard), withheld_s, gate.snr_db, tuple(moments))


@runtime_checkable
class ScoresAll(Protocol):
    """A voice activity model that takes many windows at once, as one in another process does."""

    def score_all(self, windows: Pcm) -> list[float]:
        """Probability of speech in each window, from the beginning of a stream."""
        ...


def scored(windows: Pcm, vad: VoiceActivityModel) -> list[float]:
    """Probability of speech in each window of a whole recording."""
    if isinstance(vad, ScoresAll):
        return vad.score_all(windows)
    memory, scores = vad.memory(), []
    for window in windows.reshape(-1, vad.window_samples):
        probability, memory = vad.score(window, memory)
        scores.append(probability)
    return scores


def fitness(pcm: Pcm, source: CloneSource, encoder: SpeakerEncoder) -> Suitability:
    """Whether a recording, mono at 16 kHz, is fit to be cloned from; ``source`` is its speech.

    Raises:
        AudioRejected: it is not; says why and what to do.
    """
    part = pcm[: round(ANALYSED_S * LISTEN_RATE_HZ)]
    windows = embedded_windows(source.reference.pcm, encoder)
    found = suitability(part, source.quality, source.speech_s, windows)
    if found.refusal is not None:
        raise AudioRejected(
            f"nothing is cloned from this recording: {found.refusal}", _FAULTS[found.fault or ""]
        )
    return found


def embedded_windows(speech: Pcm, encoder: SpeakerEncoder) -> list[Embedding]:
    """Embeddings of stretches of speech, each one window of the encoder long."""
    size, hop = encoder.window_samples, round(_WINDOW_HOP_S * LISTEN_RATE_HZ)
    starts = range(0, speech.size - size + 1, hop)
    try:
        return [encoder.embed_window(speech[start : start + size]) for start in starts]
    except ReferenceRejected as error:
        raise AudioRejected(str(error)) from error


def _too_little(
    speech_s: float, withheld_s: Mapping[WithheldReason, float], needed_s: float
) -> AudioRejected:
    needed = f"{speech_s:.1f} s of usable speech heard, {needed_s:.0f} s are needed"
    if withheld_s["noisy"] > speech_s:
        return AudioRejected(
            f"{needed}: {withheld_s['noisy']:.1f} s more were too noisy; find a quieter place",
            "too_noisy",
        )
    if withheld_s["clipped"] > speech_s:
        return AudioRejected(
            f"{needed}: {withheld_s['clipped']:.1f} s more were clipped; turn the microphone down",
            "clipped",
        )
    return AudioRejected(f"{needed}: record more speech", "too_little_speech")
