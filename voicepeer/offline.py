"""Cloning from files and speaking to files, in this process and without WebRTC."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from engines.api import (
    ControlRanges,
    SpeakerEncoder,
    SpeechEngine,
    StopFlag,
    Voice,
    VoiceActivityModel,
)
from voicepeer import voice_file
from voicepeer.audio import Recording, clone_reference, read_reference
from voicepeer.core.errors import AudioRejected, VoiceNotFound
from voicepeer.core.listening.quality import Quality
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.utterance import DEFAULT_LANGUAGE, Job, Order, UtteranceQueue
from voicepeer.voice_store import ConsentRecord, VoiceRecord, VoiceStore, new_voice_id


@dataclass(frozen=True, slots=True)
class Ears:
    """The models that a recording is heard with."""

    encoder: SpeakerEncoder
    vad: VoiceActivityModel


@dataclass(frozen=True, slots=True)
class Cloned:
    """A voice made from a recording, and how good the recording was."""

    record: VoiceRecord
    quality: Quality
    speech_s: float
    enrol_ms: float
    notes: tuple[str, ...]
    """What was done to the recording that its owner may not expect."""


@dataclass(frozen=True, slots=True)
class SpokenText:
    """A text as speech, mono at ``rate_hz``, and what making it cost."""

    pcm: Pcm
    rate_hz: int
    first_chunk_ms: float | None
    """From the start to the first chunk; ``None`` where there was nothing to say."""
    busy_ms: float

    @property
    def audio_ms(self) -> float:
        """Length of the speech."""
        return self.pcm.size * 1000 / self.rate_hz

    @property
    def rtf(self) -> float | None:
        """Time to make the speech by its length."""
        return self.busy_ms / self.audio_ms if self.pcm.size else None


def clone(
    path: Path, name: str, consent: ConsentRecord, engine: SpeechEngine, ears: Ears
) -> Cloned:
    """Make a voice from a recording; it is not saved yet.

    Raises:
        AudioRejected: nothing can be cloned from this file, or no consent was given.
        EngineError: the engine refuses the speech.
    """
    if not consent.statement.strip():
        raise AudioRejected("cloning a voice needs its speaker's consent: say who agrees to what")
    recording: Recording = read_reference(path)
    source = clone_reference(recording.at(LISTEN_RATE_HZ), ears.vad, ears.encoder)
    started_s = time.perf_counter()
    voice = engine.enrol(source.reference)
    enrol_ms = (time.perf_counter() - started_s) * 1000
    record = VoiceRecord(
        voice_id=new_voice_id(),
        name=name,
        voice=voice,
        consent=consent,
        created=consent.when,
        embedding=source.reference.embedding,
        quality=source.quality.score,
        source=f"file {path.name}",
    )
    return Cloned(record, source.quality, source.speech_s, enrol_ms, recording.notes)


def find_voice(key: str, engine: SpeechEngine, store: VoiceStore, now: float) -> Voice:
    """The voice that a person means: a voice file, a saved id or name, or a stock voice.

    Raises:
        VoiceNotFound: none of these; the message lists what there is.
        VoiceAmbiguous: several saved voices have this name.
        VoiceFileInvalid: there is such a file, but it holds no voice.
    """
    path = Path(key)
    if path.suffix == voice_file.SUFFIX or path.is_file():
        return voice_file.read(path).voice
    stock = engine.stock_voices()
    try:
        return store.find(key, now).voice
    except VoiceNotFound:
        if key in stock:
            return stock[key]
    known = ", ".join(sorted(stock)) or "none"
    raise VoiceNotFound(
        f"there is no voice {key[:64]!r}: 'voicepeer voices list' shows the saved ones, "
        f"stock voices are {known}"
    )


def speak(
    text: str,
    voice: Voice,
    engine: SpeechEngine,
    language: str | None = None,
    delivery: Delivery | None = None,
    stop: StopFlag | None = None,
) -> SpokenText:
    """Say a whole text, through the same segmentation and normalisation as a call.

    Raises:
        TextRejected: too long, or a control is out of the engine's range.
        EngineError: the engine cannot say it.
    """
    ranges = engine.info.controls
    delivery = (delivery or Delivery()).checked(ranges)
    stop = stop or threading.Event()
    started_s = time.perf_counter()
    first_chunk_ms: float | None = None
    chunks = [np.zeros(0, dtype=np.float32)]
    for job in _jobs(text, Order(language or DEFAULT_LANGUAGE, delivery), ranges):
        for chunk in engine.speak(job.segment, voice, job.controls, stop):
            if first_chunk_ms is None:
                first_chunk_ms = (time.perf_counter() - started_s) * 1000
            chunks.append(np.clip(chunk.pcm * np.float32(delivery.gain), -1.0, 1.0))
    busy_ms = (time.perf_counter() - started_s) * 1000
    return SpokenText(np.concatenate(chunks), engine.info.sample_rate_hz, first_chunk_ms, busy_ms)


def _jobs(text: str, order: Order, ranges: ControlRanges) -> Iterator[Job]:
    queue = UtteranceQueue(ranges=ranges)
    queue.speak("offline", text, 0.0, order)
    while (job := queue.take()) is not None:
        yield job
