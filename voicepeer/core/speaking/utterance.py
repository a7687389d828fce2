"""What is being said: an utterance from its text to its last sample.

Pure: the session feeds in messages, what the engine made and what the pacer played, always with
the time; it gets pieces to synthesize and the events for the client. An utterance reaches
exactly one of done, cancelled and failed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from voicepeer.core.errors import TextRejected, VoicePeerError, told
from voicepeer.core.messages import Accepted, Cancelled, Done, Failed, Started, Word
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.language import AUTO, detect, supported_tag
from voicepeer.core.speaking.marked import Markup
from voicepeer.core.speaking.order import DEFAULT_LANGUAGE, Abilities, Order
from voicepeer.core.speaking.phase import Input, Phase, following, is_over
from voicepeer.core.speaking.reading import Reader, Reading
from voicepeer.core.speaking.segment import FIRST_MAX_WORDS, Piece, Segmenter
from voicepeer.core.speaking.ssml import Item, Pause, Style

IDLE_S = 0.4
"""Without more text for so long, what is held is spoken: nothing may come for a while."""

_PATIENCE = 3.0
"""What might be half a number or address waits so many times longer."""

Event: TypeAlias = Accepted | Started | Word | Done | Cancelled | Failed


@dataclass(slots=True)
class _Clock:
    """Times of an utterance, in seconds."""

    opened_s: float
    speakable_s: float | None = None
    """When the text that its first piece needed had arrived."""
    audible_s: float | None = None


@dataclass(slots=True)
class _Synthesis:
    """What the engine did for an utterance."""

    taken: int = 0
    finished: int = 0
    audio_ms: float = 0.0
    busy_ms: float = 0.0


@dataclass(slots=True)
class _Idleness:
    """How long no text has come, and what was done about it."""

    idle_s: float
    touched_s: float
    steps: int = 0

    def touch(self, now: float) -> None:
        self.touched_s, self.steps = now, 0

    @property
    def deadline_s(self) -> float | None:
        waits = (self.idle_s, self.idle_s * _PATIENCE)
        return self.touched_s + waits[self.steps] if self.steps < len(waits) else None


class Utterance:
    """One utterance; use it through ``UtteranceQueue``."""

    def __init__(
        self,
        utterance_id: str,
        order: Order,
        now: float,
        max_chars: int,
        idle_s: float = IDLE_S,
        abilities: Abilities = Abilities(),  # noqa: B008 - frozen
        first_words: int = FIRST_MAX_WORDS,
    ) -> None:
        self.utterance_id = utterance_id
        self.order = order
        self.priority = order.priority
        self.delivery = order.delivery
        self.phase = Phase.OPEN
        self._abilities = abilities
        asked = order.language.lower()
        self._detects = asked == AUTO
        self._recognized = False
        """Whether a piece was told to be in a language that the engine has."""
        self._reader = Reader(
            DEFAULT_LANGUAGE if self._detects else asked, order.lexicon, abilities.languages
        )
        self._markup = Markup(max_chars) if order.ssml else None
        self._segmenter = Segmenter(max_chars, first_words)
        self._pieces: deque[Piece | Pause] = deque()
        self._unheard: list[Piece | Pause] = []
        """Pieces that were taken while nothing was heard yet."""
        self._next: tuple[Piece | Pause, Reading] | None = None
        self._clock = _Clock(opened_s=now)
        self._idleness = _Idleness(idle_s, now)
        self._synthesis = _Synthesis()

    @property
    def is_over(self) -> bool:
        """Whether it is done, cancelled or failed."""
        return is_over(self.phase)

    @property
    def chars(self) -> int:
        """Characters of text it was given, those of markup too."""
        return self._markup.received if self._markup else self._segmenter.received

    @property
    def held(self) -> int:
        """Characters that wait for their clause to be complete; see ``UtteranceQueue.flush``."""
        return self._segmenter.held

    @property
    def all_taken(self) -> bool:
        """Whether the text has ended and every piece was taken by the engine."""
        return self.phase is not Phase.OPEN and self._next is None

    @property
    def all_synthesized(self) -> bool:
        """Whether all of its speech has been made: the pacer can be told that it ends."""
        return self.all_taken and self._synthesis.finished == self._synthesis.taken

    def _step(self, happened: Input) -> bool:
        phase = following(self.phase, happened)
        if phase is not None:
            self.phase = phase
        return phase is not None

    def append(self, text: str, now: float) -> None:
        """Add text.

        Raises:
            TextRejected: the utterance has ended, or would get too long; nothing was added.
        """
        if not self._step(Input.TEXT):
            raise TextRejected(
                f"utterance {self.utterance_id!r} has ended: open another one for this text"
            )
        self._idleness.touch(now)
        self._queue(self._cut(text), now)

    def _cut(self, text: str) -> list[Piece | Pause]:
        if self._markup is None:
            return [*self._segmenter.push(text)]
        return self._mark(self._markup.push(text))

    def _mark(self, items: Iterable[Item]) -> list[Piece | Pause]:
        """Pieces and pauses of markup; where the manner changes a piece ends."""
        assert self._markup is not None
        out: list[Piece | Pause] = []
        for item in items:
            if isinstance(item, Pause):
                out += self._segmenter.flush()
                out += [item] if item.ms > 0.0 else []
                continue
            if item.style.ipa is not None and not self._abilities.ipa:
                raise TextRejected("this engine takes no phonemes: leave <phoneme> out")
            if self._markup.changes_manner(item.style):
                out += self._segmenter.flush()
            self._markup.note(self._segmenter.received, item)
            out += self._segmenter.push(item.text)
        return out

    @property
    def idle_deadline_s(self) -> float | None:
        """When ``release`` is due; None while nothing is held."""
        if self.phase is not Phase.OPEN or not self.held:
            return None
        return self._idleness.deadline_s

    def release(self, now: float) -> None:
        """Speak what is held if no text has come for too long.

        What may end in half a number, an address or an abbreviation is given more time.
        """
        deadline_s = self.idle_deadline_s
        if deadline_s is None or now < deadline_s:
            return
        patient = self._idleness.steps == 0
        self._idleness.steps += 1
        self._queue(self._segmenter.release() if patient else self._segmenter.flush(), now)

    def flush(self, now: float) -> None:
        """Release what is held although its clause is not complete."""
        self._queue(self._segmenter.flush(), now)

    def end(self, now: float) -> None:
        """No more text will come."""
        if not self._step(Input.END):
            return
        try:
            if self._markup is not None:
                self._queue(self._mark(self._markup.finish()), now)
        finally:
            self._queue(self._segmenter.end(), now)

    def _queue(self, pieces: Sequence[Piece | Pause], now: float) -> None:
        self._pieces.extend(pieces)
        if self._next is None:
            self._advance()
        if self._next is not None and self._clock.speakable_s is None:
            self._clock.speakable_s = now

    def _advance(self) -> None:
        """Make the next piece that is not silent ready; a long text is not normalised at once."""
        self._next = None
        while self._pieces and self._next is None:
            piece = self._pieces.popleft()
            reading = Reading() if isinstance(piece, Pause) else self._read(piece)
            if isinstance(piece, Pause) or not reading.spoken.is_silent:
                self._next = (piece, reading)

    def _read(self, piece: Piece) -> Reading:
        if self._detects:
            self._reader = replace(self._reader, language=self._language_of(piece.text))
        notes = self._markup.notes_of(piece) if self._markup else ()
        return self._reader.read(piece.text, piece.start, notes)

    def _language_of(self, text: str) -> str:
        """The language of a piece; one that the engine lacks only where no piece had another."""
        supported = self._abilities.languages
        found = detect(text, supported)
        tag = supported_tag(found, supported) if found else None
        if tag is None and (found is None or self._recognized):
            return self._reader.language
        self._recognized = tag is not None
        return tag or found or self._reader.language

    def take(self) -> Job | None:
        """The next piece for the engine, if there is one."""
        if self.is_over or self._next is None:
            return None
        piece, reading = self._next
        language = self._reader.language
        self._advance()
        index = self._synthesis.taken
        self._synthesis.taken += 1
        if self._clock.audible_s is None:
            self._unheard.append(piece)
        if isinstance(piece, Pause):
            silent = Piece("", 0)
            return Job(self, index, silent, reading, False, False, language, pause_ms=piece.ms)
        style = self._markup.style_of(piece) if self._markup else Style()
        return Job(
            self,
            index,
            piece,
            reading,
            first=index == 0,
            last=self.all_taken,
            language=language,
            controls=self.delivery.controls(self._abilities.ranges, style.recipe),
            gain=style.volume,
        )

    @property
    def is_heard(self) -> bool:
        """Whether some of it was heard."""
        return self._clock.audible_s is not None

    @property
    def speakable_s(self) -> float | None:
        """When the text that its first piece needed had arrived."""
        return self._clock.speakable_s

    @property
    def is_begun(self) -> bool:
        """Whether the engine took some of it."""
        return self._synthesis.taken > 0

    def rewind(self) -> None:
        """Be as if nothing had been taken yet; only while nothing was heard."""
        if self.is_heard or self.is_over:
            return
        if self._next is not None:
            self._pieces.appendleft(self._next[0])
        self._pieces.extendleft(reversed(self._unheard))
        self._unheard.clear()
        self._synthesis = _Synthesis()
        self._advance()

    def synthesized(self, audio_ms: float, busy_ms: float) -> None:
        """The engine has finished a job: how much speech it made and how long it worked."""
        self._synthesis.finished += 1
        self._synthesis.audio_ms += audio_ms
        self._synthesis.busy_ms += busy_ms

    def heard(self, now: float) -> list[Event]:
        """The first audible frame was sent."""
        if self.is_over or self._clock.audible_s is not None:
            return []
        self._clock.audible_s = now
        self._unheard.clear()
        return [Started(utterance_id=self.utterance_id, latency_ms=self._latency_ms() or 0.0)]

    def played_out(self, audio_ms: float, underruns: int) -> list[Event]:
        """The last sample was sent."""
        if not self._step(Input.PLAYED_OUT):
            return []
        work = self._synthesis
        return [
            Done(
                utterance_id=self.utterance_id,
                audio_ms=audio_ms,
                first_audible_ms=self._latency_ms(),
                rtf=work.busy_ms / work.audio_ms if work.audio_ms else None,
                underruns=underruns,
            )
        ]

    def cancel(self, played_ms: float) -> list[Event]:
        """Someone has asked for silence."""
        if not self._step(Input.CANCEL):
            return []
        self._forget()
        return [Cancelled(utterance_id=self.utterance_id, played_ms=played_ms)]

    def fail(self, error: VoicePeerError, played_ms: float, retryable: bool) -> list[Event]:
        """It cannot be spoken to its end."""
        if not self._step(Input.FAIL):
            return []
        self._forget()
        return [
            Failed(
                utterance_id=self.utterance_id,
                code=error.code,
                message=told(error),
                played_ms=played_ms,
                retryable=retryable,
            )
        ]

    def _forget(self) -> None:
        self._pieces.clear()
        self._unheard.clear()
        self._next = None

    def _latency_ms(self) -> float | None:
        clock = self._clock
        if clock.audible_s is None:
            return None
        since = clock.speakable_s if clock.speakable_s is not None else clock.opened_s
        return (clock.audible_s - since) * 1000.0
