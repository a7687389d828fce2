"""Scripted models for tests: deterministic tones, settable delays and faults, no weights.

The tone of an utterance follows from its voice and text, so a test can tell at any point of the
path who is saying what. The models keep every promise of the seam unless a fault is asked for.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from engines.api import (
    CHUNK_MS,
    Chunk,
    ControlRanges,
    Controls,
    Embedding,
    EngineError,
    EngineInfo,
    LanguageUnsupported,
    Pcm,
    PhoneMark,
    PhonemesUnsupported,
    Reference,
    ReferenceRejected,
    Segment,
    SpeakerEncoder,
    StopFlag,
    VadMemory,
    Voice,
    VoiceIncompatible,
    WordMark,
)
from engines.courtesy import give_way

SPEECH_RATE_HZ = 24_000
CHUNK_SAMPLES = SPEECH_RATE_HZ * CHUNK_MS // 1000
AMPLITUDE = 0.25
REFINED_BY_HZ = 7.0
CHAR_MS = 60.0
"""How long a character sounds at normal speed."""

HEARING_RATE_HZ = 16_000
ENCODER_WINDOW_SAMPLES = 25_600
EMBEDDING_SIZE = 32
VAD_WINDOW_SAMPLES = 512

Fault: TypeAlias = Literal[
    "none", "refuse", "bug", "nan", "inf", "short", "empty", "huge", "hang", "die"
]
"""What goes wrong: an ``EngineError``, another exception, samples that are no numbers, a chunk of
a wrong size in mid-speech, a step that never ends, or the end of the whole process."""

_PREFIX = "fake."
_HANG_S = 3600.0
_HUGE_CHUNKS = 100


@dataclass(frozen=True, slots=True)
class Script:
    """How a fake engine behaves; the defaults are a fast engine without faults.

    ``fault`` happens in place of the chunk number ``fault_after`` (counted from 0), and only in
    segments whose text contains ``fault_text``; those that contain ``slow_text`` begin ``slow_ms``
    later, where there is such a text. ``load_fault`` happens while the engine is made;
    those that are about chunks do nothing there.
    """

    load_delay_ms: float = 0.0
    first_chunk_delay_ms: float = 0.0
    chunk_delay_ms: float = 0.0
    enrol_delay_ms: float = 0.0
    refine_delay_ms: float = 0.0
    refinements: int = 0
    load_fault: Fault = "none"
    fault: Fault = "none"
    fault_after: int = 0
    fault_text: str = ""
    slow_ms: float = 0.0
    slow_text: str = ""

    @classmethod
    def from_options(cls, options: Mapping[str, str]) -> Script:
        """Read the options that start with ``fake.``, such as ``fake.chunk_delay_ms``.

        Raises:
            EngineError: an unknown name or value.
        """
        script = cls()
        for key, value in options.items():
            if key.startswith(_PREFIX):
                script = _with(script, key.removeprefix(_PREFIX), value)
        return script

    def to_options(self) -> dict[str, str]:
        """The options that ``from_options`` reads back as this script."""
        names = self.__dataclass_fields__
        return {f"{_PREFIX}{name}": str(getattr(self, name)) for name in names}


def _with(script: Script, name: str, value: str) -> Script:
    if name not in script.__dataclass_fields__:
        raise EngineError(f"the fake engine has no option {_PREFIX}{name}")
    if name in ("fault", "load_fault") and value not in get_args(Fault):
        raise EngineError(f"{_PREFIX}{name} is one of {', '.join(get_args(Fault))}")
    kind = type(getattr(script, name))
    try:
        return replace(script, **{name: kind(value)})
    except ValueError as error:
        raise EngineError(f"the option {_PREFIX}{name} needs a number") from error


class FakeSpeechEngine:
    """Says each segment as one tone, ``CHAR_MS`` a character.

    A tone has no melody, voicing or pauses, so the controls of those make no difference.
    """

    info = EngineInfo(
        name="fake",
        version="1",
        sample_rate_hz=SPEECH_RATE_HZ,
        languages=frozenset({"en-us", "de-de"}),
        min_reference_s=1.0,
        controls=ControlRanges(
            speed=(0.5, 2.0),
            pitch_semitones=(-12.0, 12.0),
            energy=(0.25, 2.0),
            pitch_range=(0.0, 3.0),
            pitch_slope_semitones=(-12.0, 12.0),
            whisper=(0.0, 1.0),
            pauses=(0.0, 5.0),
        ),
        streaming=True,
        word_times=True,
        licence="Apache-2.0",
        ipa=True,
        default_voices={"en-us": "low", "de-de": "high"},
        voice_aliases={"alloy": "mid", "nova": "high"},
    )

    def __init__(self, script: Script | None = None) -> None:
        self._script = script or Script()
        alone_ms = self._script.first_chunk_delay_ms + self._script.chunk_delay_ms
        self.info = replace(type(self).info, first_chunk_ms=alone_ms)
        _wait_ms(self._script.load_delay_ms)
        for _ in _go_wrong(self._script.load_fault, Chunk(np.zeros(0, dtype=np.float32))):
            pass

    def stock_voices(self) -> Mapping[str, Voice]:
        """Three voices that are an octave apart."""
        return {"low": _voice(110.0), "mid": _voice(220.0), "high": _voice(440.0)}

    def enrol(self, reference: Reference) -> Voice:
        """A voice whose tone follows from the reference's embedding, or else its spectrum.

        With ``match_channel`` it keeps the spectrum, too, in ``channel``.
        """
        seconds = reference.pcm.size / reference.sample_rate_hz
        if seconds < self.info.min_reference_s:
            raise ReferenceRejected(
                f"{seconds:.1f} s of speech is too short: give {self.info.min_reference_s:.0f} s"
            )
        give_way()
        _wait_ms(self._script.enrol_delay_ms)
        spectrum = band_levels_db(_audible(reference.pcm))
        marks = spectrum if reference.embedding is None else reference.embedding
        voice = _voice(100.0 + 12.0 * (int(np.argmax(marks)) % EMBEDDING_SIZE))
        if not reference.match_channel:
            return voice
        return replace(voice, arrays={**voice.arrays, "channel": spectrum})

    def refine(
        self, voice: Voice, reference: Reference, encoder: SpeakerEncoder
    ) -> Iterator[Voice | None]:
        """As many voices as scripted, each ``REFINED_BY_HZ`` higher than the one before."""
        encoder.embed(reference.pcm)
        for _ in range(self._script.refinements):
            yield None
            _wait_ms(self._script.refine_delay_ms)
            voice = _voice(float(voice.arrays["tone_hz"][0]) + REFINED_BY_HZ)
            yield voice

    def forget(self, voice: Voice) -> None:
        """Nothing is kept of voices; those of other engines are refused all the same."""
        self._check_voice(voice)

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, stop: StopFlag
    ) -> Iterator[Chunk]:
        """Yield a tone of ``tone_hz``, at a level of ``AMPLITUDE`` times the energy."""
        self._check(segment, voice)
        controls = _limited(controls, self.info.controls)
        chunks = _tone_chunks(segment, voice, controls)
        front_ms = self._script.first_chunk_delay_ms
        if self._script.slow_text and self._script.slow_text in segment.text:
            front_ms += self._script.slow_ms
        _wait_ms(front_ms)
        faulty = self._script.fault != "none" and self._script.fault_text in segment.text
        for index, chunk in enumerate(chunks):
            if stop.is_set():
                return
            _wait_ms(self._script.chunk_delay_ms)
            if faulty and index == self._script.fault_after:
                yield from _go_wrong(self._script.fault, chunk)
            else:
                yield chunk if index else replace(chunk, front_ms=front_ms)

    def _check(self, segment: Segment, voice: Voice) -> None:
        if segment.language not in self.info.languages:
            known = ", ".join(sorted(self.info.languages))
            raise LanguageUnsupported(f"no {segment.language} here: the fake engine has {known}")
        for told in segment.pronunciations:
            wrong = next((char for char in told.ipa if char.isdecimal()), None)
            if wrong is not None:
                raise PhonemesUnsupported(f"the fake engine cannot say {wrong!r}")
        self._check_voice(voice)

    def _check_voice(self, voice: Voice) -> None:
        if (voice.engine, voice.engine_version) != (self.info.name, self.info.version):
            raise VoiceIncompatible(
                f"this voice was made by {voice.engine} {voice.engine_version}: enrol it again"
            )


def tone_hz(text: str, voice: Voice, controls: Controls | None = None) -> float:
    """The tone in which a segment's text is said by a voice."""
    base_hz = float(voice.arrays["tone_hz"][0])
    semitones = (controls or Controls()).pitch_semitones
    return float((base_hz + 15.0 * (zlib.crc32(text.encode()) % 32)) * 2.0 ** (semitones / 12.0))


def mix_voices(parts: Sequence[tuple[Voice, float]]) -> Voice:
    """A voice whose tone is the weighted mean of its parts'.

    Raises:
        VoiceIncompatible: a voice of another engine.
    """
    name = FakeSpeechEngine.info.name
    if any(voice.engine != name for voice, _ in parts):
        raise VoiceIncompatible(f"only voices of the {name} engine can be mixed")
    total = sum(weight for _, weight in parts)
    tones = [float(voice.arrays["tone_hz"][0]) * weight for voice, weight in parts]
    return _voice(sum(tones) / total)


def _voice(hz: float) -> Voice:
    info = FakeSpeechEngine.info
    return Voice(info.name, info.version, {"tone_hz": np.array([hz], dtype=np.float32)})


def _limited(controls: Controls, ranges: ControlRanges) -> Controls:
    limited = {}
    for field in fields(controls):
        low, high = getattr(ranges, field.name) or (field.default, field.default)
        limited[field.name] = min(max(getattr(controls, field.name), low), high)
    return Controls(**limited)


def _tone_chunks(segment: Segment, voice: Voice, controls: Controls) -> Iterator[Chunk]:
    """Chunks are made one by one, so that a long text costs no memory."""
    if not any(char.isalnum() for char in segment.text):
        return
    char_ms = CHAR_MS / controls.speed
    marks = _word_marks(segment.text, char_ms)
    total = round(len(segment.text) * char_ms * SPEECH_RATE_HZ / 1000)
    step = 2.0 * np.pi * tone_hz(segment.text, voice, controls) / SPEECH_RATE_HZ
    for start in range(0, total, CHUNK_SAMPLES):
        phase = step * np.arange(start, min(start + CHUNK_SAMPLES, total))
        pcm = (AMPLITUDE * controls.energy * np.sin(phase)).astype(np.float32)
        from_ms = start / SPEECH_RATE_HZ * 1000
        inside = [mark for mark in marks if from_ms <= mark.start_ms < from_ms + CHUNK_MS]
        yield Chunk(pcm, tuple(inside), tuple(_phone(mark) for mark in inside))


def _word_marks(text: str, char_ms: float) -> list[WordMark]:
    marks, at = [], 0
    for word in text.split():
        begin = text.index(word, at)
        at = begin + len(word)
        marks.append(WordMark(word, begin * char_ms, at * char_ms, begin, at))
    return marks


def _phone(mark: WordMark) -> PhoneMark:
    """A word sounds like its first letter all the time."""
    return PhoneMark(mark.text[0].lower(), mark.start_ms, mark.end_ms)


def _go_wrong(fault: Fault, chunk: Chunk) -> Iterator[Chunk]:
    """Whatever stands in place of ``chunk``."""
    match fault:
        case "refuse":
            raise EngineError("the fake engine was told to fail")
        case "bug":
            raise ZeroDivisionError("the fake engine was told to have a bug")
        case "hang":
            _wait_ms(_HANG_S * 1000)
        case "die":
            os._exit(7)
        case "nan" | "inf":
            yield replace(chunk, pcm=np.full_like(chunk.pcm, float(fault)))
        case "short":
            yield replace(chunk, pcm=chunk.pcm[:-1])
        case "empty":
            yield replace(chunk, pcm=chunk.pcm[:0])
        case "huge":
            yield replace(chunk, pcm=np.tile(chunk.pcm, _HUGE_CHUNKS))
        case "none":
            yield chunk


def _wait_ms(ms: float) -> None:
    if ms > 0.0:
        time.sleep(ms / 1000.0)


class FakeSpeakerEncoder:
    """Embeds speech as the shape of its long-term spectrum, which differs between voices."""

    name = "fake"
    sample_rate_hz = HEARING_RATE_HZ
    window_samples = ENCODER_WINDOW_SAMPLES

    def embed(self, pcm: Pcm) -> Embedding:
        """Mean of the windows' embeddings; a shorter rest counts only when it is all there is.

        Raises:
            ReferenceRejected: silent, or holding samples that are not numbers.
        """
        starts = range(0, max(pcm.size - self.window_samples, 0) + 1, self.window_samples)
        windows = [self._shape(pcm[start : start + self.window_samples]) for start in starts]
        return _unit(np.mean(windows, axis=0))

    def embed_window(self, pcm: Pcm) -> Embedding:
        """Embedding of exactly one window.

        Raises:
            ReferenceRejected: silent, or holding samples that are not numbers.
        """
        if pcm.shape != (self.window_samples,):
            raise ValueError(f"a window has {self.window_samples} samples, not {pcm.shape}")
        return self._shape(pcm)

    def _shape(self, pcm: Pcm) -> Embedding:
        levels = band_levels_db(_audible(pcm))
        return _unit(levels - levels.mean())


class FakeVad:
    """Hears speech wherever the level, smoothed over two windows, is above -40 dBFS."""

    sample_rate_hz = HEARING_RATE_HZ
    window_samples = VAD_WINDOW_SAMPLES

    def memory(self) -> VadMemory:
        """The mean square of the window before, shape ``[1]``."""
        return np.zeros(1, dtype=np.float32)

    def score(self, window: Pcm, memory: VadMemory) -> tuple[float, VadMemory]:
        """A logistic curve of the level: 0.5 at -40 dBFS, 0.95 at -34 dBFS."""
        if window.shape != (self.window_samples,):
            raise ValueError(f"a window has {self.window_samples} samples, not {window.shape}")
        power = float(np.mean(np.square(window, dtype=np.float64)))
        level_db = 10.0 * np.log10((power + float(memory[0])) / 2.0 + 1e-12)
        probability = 1.0 / (1.0 + np.exp(-(level_db + 40.0) / 2.0))
        return float(probability), np.array([power], dtype=np.float32)


def band_levels_db(pcm: Pcm) -> NDArray[np.float32]:
    """Level in each of ``EMBEDDING_SIZE`` equal bands of the spectrum, whatever the rate."""
    spectrum = np.abs(np.fft.rfft(pcm, n=max(pcm.size, 2 * EMBEDDING_SIZE))) ** 2
    bands = np.array_split(spectrum, EMBEDDING_SIZE)
    means = np.array([band.mean() for band in bands]) + 1e-9
    return np.asarray(10.0 * np.log10(means), dtype=np.float32)


def _audible(pcm: Pcm) -> Pcm:
    if not np.isfinite(pcm).all():
        raise ReferenceRejected("the recording holds samples that are not numbers")
    if pcm.size == 0 or np.abs(pcm).max() < 1e-4:
        raise ReferenceRejected("the recording is silent: check the microphone")
    return pcm


def _unit(vector: NDArray[np.float32]) -> Embedding:
    length = max(float(np.linalg.norm(vector)), 1e-9)
    return np.asarray(vector / length, dtype=np.float32)


def create_speech(options: Mapping[str, str]) -> FakeSpeechEngine:
    """A speech engine that follows the script in the options; see ``Script.from_options``."""
    return FakeSpeechEngine(Script.from_options(options))


def create_encoder(options: Mapping[str, str]) -> FakeSpeakerEncoder:
    """A speaker encoder; it has no options."""
    return FakeSpeakerEncoder()


def create_vad(options: Mapping[str, str]) -> FakeVad:
    """A voice activity model; it has no options."""
    return FakeVad()
