"""One segment on its way from phonemes to chunks: windows that grow, silence cut, words marked."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engines.api import Chunk, Controls, Pcm, PhoneMark, StopFlag, WordMark
from engines.kokoro import prosody
from engines.kokoro.edges import CHUNK_SAMPLES, Chunker, SilenceTrimmer
from engines.kokoro.ipa import PROLONGING, to_ipa
from engines.kokoro.leveling import Leveller, VoiceLevel, expected_level
from engines.kokoro.onsets import Onsets
from engines.kokoro.phonemes import PhonemeWord
from engines.kokoro.pieces import PAUSES, Piece
from engines.kokoro.source import HALF_FRAME_SAMPLES, SAMPLE_RATE_HZ
from engines.kokoro.synth import FRAME_SAMPLES, PAYLOADS, Acoustics, FrozenNorms, Synthesizer
from engines.kokoro.tempo import Shortener
from engines.kokoro.vocabulary import to_tokens
from engines.kokoro.voices import style_for_length

TAIL_MS = 30.0
"""Silence kept after the last sound of an utterance."""

_FIRST_CHUNKS = 2
"""What is given at first, of which one is played while the next window is decoded. The first window
has so much in it but for what is cut off before the sound (1 of 25 texts)."""

_GROWTH = (*PAYLOADS[:-1], PAYLOADS[-2], PAYLOADS[-1])
"""Windows in turn. The last kind is the cheapest for what it yields, but takes longer than what a
listener who has had two windows may have in hand while others begin."""

_EARLY_HALF_FRAMES = 2
"""Sound begins 10 ms after the energy that is planned for it (-3 to 33 ms)."""

_LATE_HALF_FRAMES = 2
"""Sound ends 37 ms before the energy that is planned for it (17 to 70 ms)."""

_CLOSING = 10
"""Half frames before the planned end within which silence may already be the last."""

_MARK_LEAD_MS = 62.5
"""Words are heard so long before their phonemes' planned time (38 to 90 ms)."""

_SILENT_BELOW = -1.0
"""The energy that the model plans is bimodal: silence lies under -5, sounds over 1."""

_WARPED_UP_TO = 1.3
"""Speed up to which sounds are planned shorter; beyond it the waveform is shortened, which keeps
words clearer than sounds of a single frame do (docs/performance.md)."""


@dataclass(frozen=True, slots=True)
class Manner:
    """Who speaks and how: style ``[256]``, the voice's factors on F0 and on its range, controls."""

    style: NDArray[np.float32]
    f0_ratio: float
    f0_range: float
    controls: Controls


@dataclass(frozen=True, slots=True)
class OtherPitch:
    """What a voice that speaks at another pitch is levelled by: its norms at its own."""

    level: VoiceLevel
    own_norms: FrozenNorms


@dataclass(frozen=True, slots=True)
class _Planned:
    """A word where the plan has it."""

    mark: WordMark
    sample: int
    follows_pause: bool


class Speech:
    """Speaks one segment."""

    def __init__(
        self,
        synth: Synthesizer,
        norms: FrozenNorms,
        manner: Manner,
        stop: StopFlag,
        other_pitch: OtherPitch | None = None,
        began_s: float | None = None,
    ) -> None:
        """``began_s`` is when work on the segment began, by ``time.perf_counter``."""
        self._synth, self._norms, self._manner, self._stop = synth, norms, manner, stop
        self._other_pitch = other_pitch
        self._began_s = time.perf_counter() if began_s is None else began_s
        self._front_ms = 0.0
        self._chunker = Chunker()
        self._held: list[Pcm] = []
        self._sent_chunks = 0
        self._pushed_samples = 0
        self._onsets = Onsets()
        self._marks: list[_Planned] = []
        self._phones: list[PhoneMark] = []

    def chunks(self, text: str, pieces: Sequence[Piece], *, last: bool) -> Iterator[Chunk]:
        """All chunks of a segment; ends early once the stop flag is set."""
        for index, piece in enumerate(pieces):
            if self._stop.is_set():
                return
            at_end = last and index == len(pieces) - 1
            tail_ms = TAIL_MS if at_end else self._pause_ms(piece)
            for pcm in self._piece(text, piece, first=index == 0, tail_ms=tail_ms):
                for chunk in self._from_first_on(self._chunker.push(pcm)):
                    if self._stop.is_set():
                        return
                    yield self._marked(chunk)
        yield from self._finish()

    def _from_first_on(self, chunks: Iterator[Pcm]) -> Iterator[Pcm]:
        """Chunks as they come, but the first ones together."""
        self._held += chunks
        if self._has_first:
            yield from self._held
            self._held = []

    @property
    def _has_first(self) -> bool:
        return self._pushed_samples >= _FIRST_CHUNKS * CHUNK_SAMPLES

    def _pause_ms(self, piece: Piece) -> float:
        controls = self._manner.controls
        return piece.pause_ms * controls.pauses / controls.speed

    def _piece(self, text: str, piece: Piece, *, first: bool, tail_ms: float) -> Iterator[Pcm]:
        """The sound of one piece, trimmed at both ends."""
        planned = self._planned(piece)
        if first:
            self._front_ms = (time.perf_counter() - self._began_s) * 1000.0
        acoustics = self._steered(planned, self._manner.controls)
        rendering = self._synth.render(acoustics, self._manner.style, self._norms)
        trimmer, shortener = SilenceTrimmer(tail_ms), Shortener(self._shortening)
        start, end = _audible_span(acoustics)
        energy = np.float32(self._manner.controls.energy)
        leveller = self._leveller(planned)
        for low, high in _windows(start, end, grows=first, may_grow=lambda: self._has_first):
            if self._stop.is_set():
                return
            begun = trimmer.heard
            level = leveller.apply(self._synth.window(rendering, low, high), low, high)
            short = shortener.push(np.clip(level * energy, -1.0, 1.0))
            sound = trimmer.push(short, more=high < end - _CLOSING)
            if trimmer.heard and not begun:
                skipped = start * HALF_FRAME_SAMPLES / self._shortening + trimmer.dropped_samples
                self._mark(text, piece, acoustics, self._pushed_samples - round(skipped))
            yield self._counted(sound)
        yield self._counted(trimmer.push(shortener.finish()))
        yield self._counted(trimmer.finish())

    @property
    def _shortening(self) -> float:
        return max(1.0, self._manner.controls.speed / _WARPED_UP_TO)

    def _planned(self, piece: Piece) -> Acoustics:
        """A piece at the tempo that was asked for, in the melody that the model planned."""
        style = style_for_length(self._manner.style, len(piece.symbols))
        acoustics = self._synth.front(to_tokens(piece.symbols), style)
        speed = self._manner.controls.speed / self._shortening
        return prosody.at_speed(acoustics, speed, piece.symbols)

    def _steered(self, planned: Acoustics, controls: Controls) -> Acoustics:
        own = replace(controls, pitch_range=controls.pitch_range * self._manner.f0_range)
        acoustics = prosody.with_melody(planned, self._manner.f0_ratio, own)
        return prosody.breathed(acoustics, controls.whisper)

    def _leveller(self, planned: Acoustics) -> Leveller:
        other, controls = self._other_pitch, self._manner.controls
        if other is None:
            return Leveller(self._synth, expected_level(controls.pitch_semitones))
        own = self._steered(planned, replace(controls, pitch_semitones=0.0))
        rendering = self._synth.render(own, self._manner.style, other.own_norms)
        return Leveller(self._synth, other.level, rendering)

    def _counted(self, pcm: Pcm) -> Pcm:
        self._pushed_samples += pcm.size
        self._onsets.push(pcm)
        return pcm

    def _mark(self, text: str, piece: Piece, acoustics: Acoustics, offset_samples: int) -> None:
        """Note when each word and sound of a piece is heard, from the planned durations."""
        # The first token is the pad before the text.
        lead_samples = round(_MARK_LEAD_MS * SAMPLE_RATE_HZ / 1000.0)
        planned = np.cumsum(acoustics.durations) * FRAME_SAMPLES - lead_samples
        ends = planned / self._shortening + offset_samples
        floor = self._pushed_samples
        # Sound ends as much before its planned energy as words come before their phonemes.
        last = _audible_span(acoustics)[1] * HALF_FRAME_SAMPLES - lead_samples
        ceiling = round(last / self._shortening) + offset_samples
        for word in piece.words:
            begin = max(floor, int(ends[word.phoneme_start]))
            finish = max(begin + 1, min(ceiling, int(ends[word.phoneme_end])))
            mark = WordMark(
                text[word.char_start : word.char_end], _ms(begin), _ms(finish),
                word.char_start, word.char_end,
            )  # fmt: skip
            self._marks.append(_Planned(mark, begin, _follows_pause(piece.symbols, word)))
        self._phones += _phones(piece.symbols, np.clip(ends, floor, ceiling))

    def _marked(self, pcm: Pcm) -> Chunk:
        """A chunk with the words and sounds that begin in it."""
        self._sent_chunks += 1
        until_ms = _ms(self._sent_chunks * CHUNK_SAMPLES)
        count = sum(1 for phone in self._phones if phone.start_ms < until_ms)
        sounds, self._phones = self._phones[:count], self._phones[count:]
        front_ms, self._front_ms = self._front_ms, 0.0
        return Chunk(pcm, tuple(self._words(until_ms)), tuple(sounds), front_ms)

    def _words(self, until_ms: float) -> Iterator[WordMark]:
        """The words that begin before a time, after a pause where their sound really does."""
        while self._marks:
            planned = self._marks[0]
            at = self._onsets.near(planned.sample) if planned.follows_pause else planned.sample
            if at is None or _ms(at) >= until_ms:
                return
            del self._marks[0]
            end_ms = max(planned.mark.end_ms, _ms(at + 1))
            yield replace(planned.mark, start_ms=_ms(at), end_ms=end_ms)

    def _finish(self) -> Iterator[Chunk]:
        self._onsets.finish()
        for pcm in (*self._held, *self._chunker.finish()):
            if not self._stop.is_set():
                yield self._marked(pcm)


def _follows_pause(symbols: str, word: PhonemeWord) -> bool:
    """Whether a word is the first one, or the first one after a mark."""
    before = symbols[: word.phoneme_start].rstrip(" “(")
    return not before or before[-1] in PAUSES


def _phones(symbols: str, ends: NDArray[np.float64]) -> Iterator[PhoneMark]:
    """The sounds of a piece; ``ends`` are samples, of the pad before it first.

    A mark of length or nasality prolongs the sound before it.
    """
    waiting: PhoneMark | None = None
    for index, symbol in enumerate(symbols):
        start_ms, end_ms = _ms(int(ends[index])), _ms(int(ends[index + 1]))
        if symbol in PROLONGING and waiting:
            waiting = replace(waiting, ipa=waiting.ipa + symbol, end_ms=end_ms)
            continue
        if waiting:
            yield waiting
        sound = to_ipa(symbol)
        waiting = PhoneMark(sound, start_ms, end_ms) if sound and end_ms > start_ms else None
    if waiting:
        yield waiting


def _audible_span(acoustics: Acoustics) -> tuple[int, int]:
    """The half frames outside of which a segment is certainly silent."""
    loud = np.flatnonzero(acoustics.energy >= _SILENT_BELOW)
    if loud.size == 0:
        return 0, acoustics.energy.size
    start, end = int(loud[0]) - _EARLY_HALF_FRAMES, int(loud[-1]) + 1 + _LATE_HALF_FRAMES
    return max(0, start), min(acoustics.energy.size, end)


def _windows(
    start: int, end: int, *, grows: bool, may_grow: Callable[[], bool]
) -> Iterator[tuple[int, int]]:
    """Spans to decode in turn: short ones first, so that the first sound comes early.

    They are short until they ``may_grow``, and longer each time from then on.
    """
    sizes = iter(_GROWTH if grows else _GROWTH[-1:])
    size = next(sizes)
    while start < end:
        yield start, min(start + size, end)
        start += size
        size = next(sizes, size) if may_grow() else size


def _ms(samples: int) -> float:
    return samples * 1000.0 / SAMPLE_RATE_HZ
