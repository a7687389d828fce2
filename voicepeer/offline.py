"""Cloning from files and speaking to files, in this process and without WebRTC."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from engines.api import (
    PhoneMark,
    Reference,
    RefinesVoices,
    SpeakerEncoder,
    SpeechEngine,
    StopFlag,
    Voice,
    VoiceActivityModel,
)
from voicepeer import voice_file
from voicepeer.audio import Recording, read_reference
from voicepeer.core.errors import AudioRejected, VoiceNotFound
from voicepeer.core.listening.quality import Quality
from voicepeer.core.listening.suitability import Suitability
from voicepeer.core.messages import Word
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.language import AUTO, detect
from voicepeer.core.speaking.order import DEFAULT_LANGUAGE, Abilities, Order
from voicepeer.core.speaking.queue import jobs_of
from voicepeer.core.speaking.viseme import shifted
from voicepeer.references import CloneSource, clone_reference, fitness
from voicepeer.stores import Voices
from voicepeer.voice_store import ConsentRecord, VoiceRecord, new_voice_id

_REFINING_CORES = 2


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
    suitability: Suitability
    speech_s: float
    enrol_ms: float
    notes: tuple[str, ...]
    """What was done to the recording that its owner may not expect."""
    reference: Reference
    """The speech it was made from."""


@dataclass(frozen=True, slots=True)
class SpokenText:
    """A text as speech, mono at ``rate_hz``, and what making it cost."""

    pcm: Pcm
    rate_hz: int
    first_chunk_ms: float | None
    """From the start to the first chunk; ``None`` where there was nothing to say."""
    busy_ms: float
    words: tuple[Word, ...] = ()
    """When each word is heard, from the first sample."""
    phones: tuple[PhoneMark, ...] = ()

    @property
    def audio_ms(self) -> float:
        """Length of the speech."""
        return self.pcm.size * 1000 / self.rate_hz

    @property
    def rtf(self) -> float | None:
        """Time to make the speech by its length."""
        return self.busy_ms / self.audio_ms if self.pcm.size else None


def clone(
    path: Path,
    name: str,
    consent: ConsentRecord,
    engine: SpeechEngine,
    ears: Ears,
    refine_s: float = 0.0,
    match_channel: bool = False,
) -> Cloned:
    """Make a voice from a recording, and make it better for ``refine_s``; it is not saved yet.

    With ``match_channel`` it sounds like the recording, its microphone and line included.

    Raises:
        AudioRejected: nothing can be cloned from this file, or no consent was given.
        EngineError: the engine refuses the speech.
    """
    if not consent.statement.strip():
        raise AudioRejected("cloning a voice needs its speaker's consent: say who agrees to what")
    recording = read_reference(path)
    source, suitable = hear(recording, ears)
    started_s = time.perf_counter()
    reference = replace(source.reference, match_channel=match_channel)
    voice = engine.enrol(reference)
    voice = refined(voice, reference, engine, ears.encoder, refine_s)
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
    quality, speech_s = source.quality, source.speech_s
    return Cloned(record, quality, suitable, speech_s, enrol_ms, recording.notes, reference)


def hear(recording: Recording, ears: Ears) -> tuple[CloneSource, Suitability]:
    """What can be cloned of a recording, and how fit it is for that.

    Raises:
        AudioRejected: nothing, or it is not fit.
    """
    pcm = recording.at(LISTEN_RATE_HZ)
    source = clone_reference(pcm, ears.vad, ears.encoder)
    return source, fitness(pcm, source, ears.encoder)


def refined(
    voice: Voice,
    reference: Reference,
    engine: SpeechEngine,
    encoder: SpeakerEncoder,
    budget_s: float,
) -> Voice:
    """The best voice that is found in so many seconds of two cores, or the same one.

    What others take of the cores meanwhile does not count.

    Raises:
        EngineError: the engine refuses the speech or the voice.
    """
    if budget_s <= 0.0 or not isinstance(engine, RefinesVoices):
        return voice
    parts = engine.refine(voice, reference, encoder)
    until_s = time.process_time() + budget_s * _REFINING_CORES
    while time.process_time() < until_s:
        try:
            voice = next(parts) or voice
        except StopIteration:
            break
    return voice


def find_voice(key: str, engine: SpeechEngine, store: Voices, now: float) -> Voice:
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


def default_voice(text: str, language: str, engine: SpeechEngine) -> str:
    """Name of the stock voice that a text is said in unless another one is asked for."""
    if language == AUTO:
        language = detect(text, engine.info.languages) or DEFAULT_LANGUAGE
    known = engine.info.default_voice(language)
    return known or next(iter(engine.stock_voices()), "")


def speak(
    text: str,
    voice: Voice,
    engine: SpeechEngine,
    order: Order | None = None,
    stop: StopFlag | None = None,
) -> SpokenText:
    """Say a whole text, through the same segmentation and normalisation as a call.

    Raises:
        TextRejected: too long, bad markup, or a control is out of the engine's range.
        EngineError: the engine cannot say it.
    """
    order, stop = order or Order(), stop or threading.Event()
    order.delivery.checked(engine.info.controls)
    take = _Take(engine, voice, order.delivery.gain)
    for job in jobs_of(text, order, Abilities.of(engine.info)):
        take.say(job, stop)
    return take.spoken()


class _Take:
    """A recording that grows by one job after the other."""

    def __init__(self, engine: SpeechEngine, voice: Voice, gain: float) -> None:
        self._engine, self._voice, self._gain = engine, voice, gain
        self._started_s = time.perf_counter()
        self._first_chunk_ms: float | None = None
        self._chunks = [np.zeros(0, dtype=np.float32)]
        self._samples = 0
        self._words: list[Word] = []
        self._phones: list[PhoneMark] = []

    def say(self, job: Job, stop: StopFlag) -> None:
        """Add what is said for a job."""
        start_ms = self._samples * 1000 / self._engine.info.sample_rate_hz
        if job.pause_ms:
            rate_hz = self._engine.info.sample_rate_hz
            self._add(np.zeros(round(job.pause_ms * rate_hz / 1000), dtype=np.float32))
            return
        gain = np.float32(self._gain * job.gain)
        for chunk in self._engine.speak(job.segment, self._voice, job.controls, stop):
            if self._first_chunk_ms is None:
                self._first_chunk_ms = (time.perf_counter() - self._started_s) * 1000
            self._add(np.clip(chunk.pcm * gain, -1.0, 1.0))
            self._words += [job.word(mark, start_ms) for mark in chunk.marks]
            self._phones += [shifted(phone, start_ms) for phone in chunk.phones]

    def _add(self, pcm: Pcm) -> None:
        self._chunks.append(pcm)
        self._samples += pcm.size

    def spoken(self) -> SpokenText:
        """All of it."""
        busy_ms = (time.perf_counter() - self._started_s) * 1000
        return SpokenText(
            np.concatenate(self._chunks),
            self._engine.info.sample_rate_hz,
            self._first_chunk_ms,
            busy_ms,
            tuple(self._words),
            tuple(self._phones),
        )
