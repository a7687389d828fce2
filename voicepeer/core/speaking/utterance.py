"""What is being said: utterances from their text to their last sample, and the queue of them.

Pure: the session feeds in messages, what the engine made and what the pacer played, always with
the time; it gets pieces to synthesize and the events for the client. An utterance reaches
exactly one of done, cancelled and failed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from engines.api import ControlRanges, Controls, EngineInfo, PhoneMark, Segment, WordMark
from voicepeer.core.errors import AtCapacity, TextRejected, VoicePeerError
from voicepeer.core.messages import (
    Accepted,
    Cancelled,
    Caption,
    Done,
    Failed,
    Started,
    Viseme,
    Word,
)
from voicepeer.core.speaking.caption import blocks
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.language import AUTO, detect, supported_tag
from voicepeer.core.speaking.lexicon import Lexicon
from voicepeer.core.speaking.marked import Markup
from voicepeer.core.speaking.phase import Input, Phase, following, is_over
from voicepeer.core.speaking.reading import Reader, Reading
from voicepeer.core.speaking.segment import MAX_CHARS, Piece, Segmenter
from voicepeer.core.speaking.spoken import Spoken
from voicepeer.core.speaking.ssml import Item, Pause, Style
from voicepeer.core.speaking.viseme import viseme_of

MAX_UTTERANCES = 32
MAX_PRIORITY = 9
MAX_QUEUED_CHARS = 200_000
REMEMBERED_IDS = 256
"""How many finished ids are kept, so that late text for them is refused and not spoken anew."""

DEFAULT_LANGUAGE = "en-us"

IDLE_S = 0.4
"""Without more text for so long, what is held is spoken: nothing may come for a while."""

_PATIENCE = 3.0
"""What might be half a number or address waits so many times longer."""

Event: TypeAlias = Accepted | Started | Word | Done | Cancelled | Failed


@dataclass(frozen=True, slots=True)
class Order:
    """How an utterance is to be spoken, settled when it is opened."""

    language: str = DEFAULT_LANGUAGE
    """A tag, or ``language.AUTO``."""
    delivery: Delivery = Delivery()
    priority: int = 0
    """The more urgent are spoken first; ``MAX_PRIORITY`` at most."""
    lexicon: Lexicon = field(default_factory=Lexicon)
    ssml: bool = False
    """Whether its text is markup."""
    visemes: bool = False
    captions: bool = False
    """Whether these events are wanted."""


@dataclass(frozen=True, slots=True)
class Abilities:
    """What the engine can do, as far as it is known."""

    ranges: ControlRanges | None = None
    """Controls are held to them."""
    languages: frozenset[str] = frozenset()
    """What may be mixed in a sentence; nothing is if it is empty."""
    ipa: bool = True

    @classmethod
    def of(cls, info: EngineInfo) -> Abilities:
        """Those of an engine."""
        return cls(info.controls, info.languages, info.ipa)


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of an utterance, ready for the engine."""

    utterance: Utterance
    index: int
    piece: Piece
    reading: Reading
    first: bool
    last: bool
    """Known only if the text had ended when the job was taken."""
    language: str = DEFAULT_LANGUAGE
    controls: Controls = Controls()
    gain: float = 1.0
    """Factor on the samples that markup asks for."""
    pause_ms: float = 0.0
    """Silence in place of speech: then there is nothing for the engine to do."""

    @property
    def spoken(self) -> Spoken:
        """What is said."""
        return self.reading.spoken

    @property
    def segment(self) -> Segment:
        """What the engine is given."""
        reading = self.reading
        return Segment(
            reading.spoken.text,
            self.language,
            self.first,
            self.last,
            reading.languages,
            reading.pronunciations,
        )

    def word(self, mark: WordMark, segment_start_ms: float) -> Word:
        """The client's event for a word that the engine marked.

        Args:
            mark: times from the first sample of this job's speech, offsets into its spoken text.
            segment_start_ms: where in the utterance's speech this job's begins.
        """
        start, end = self.spoken.source_span(mark.char_start, mark.char_end)
        return Word(
            utterance_id=self.utterance.utterance_id,
            text=mark.text,
            start_ms=segment_start_ms + mark.start_ms,
            end_ms=segment_start_ms + mark.end_ms,
            char_start=self.piece.start + start,
            char_end=self.piece.start + end,
        )

    def viseme(self, phone: PhoneMark, segment_start_ms: float) -> Viseme:
        """The client's event for a sound that the engine marked."""
        return Viseme(
            utterance_id=self.utterance.utterance_id,
            viseme=viseme_of(phone.ipa),
            ipa=phone.ipa,
            start_ms=segment_start_ms + phone.start_ms,
            end_ms=segment_start_ms + phone.end_ms,
        )

    def captions(self) -> list[Caption]:
        """The captions of this piece; when each begins is known with its first word."""
        text, offset = self.piece.text, self.piece.start
        return [
            Caption(
                utterance_id=self.utterance.utterance_id,
                text=" ".join(text[start:end].split()),
                start_ms=0.0,
                char_start=offset + start,
                char_end=offset + start + len(text[start:end].rstrip()),
            )
            for start, end in blocks(text)
        ]


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
    ) -> None:
        self.utterance_id = utterance_id
        self.order = order
        self.priority = order.priority
        self.delivery = order.delivery
        self.phase = Phase.OPEN
        self._abilities = abilities
        asked = order.language.lower()
        self._detects = asked == AUTO
        self._reader = Reader(
            DEFAULT_LANGUAGE if self._detects else asked, order.lexicon, abilities.languages
        )
        self._markup = Markup(max_chars) if order.ssml else None
        self._segmenter = Segmenter(max_chars)
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
        supported = self._abilities.languages
        if self._detects:
            found = detect(piece.text, supported)
            tag = supported_tag(found, supported) or found if found else self._reader.language
            self._reader = replace(self._reader, language=tag)
        notes = self._markup.notes_of(piece) if self._markup else ()
        return self._reader.read(piece.text, piece.start, notes)

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
                message=str(error),
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


@dataclass(slots=True)
class UtteranceQueue:
    """Utterances in the order they are spoken in; bounded in number and in text."""

    max_utterances: int = MAX_UTTERANCES
    max_chars: int = MAX_QUEUED_CHARS
    max_utterance_chars: int = MAX_CHARS
    idle_s: float = IDLE_S
    abilities: Abilities = Abilities()
    _live: dict[str, Utterance] = field(default_factory=dict)
    _over: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED_IDS))

    def __len__(self) -> int:
        return len(self._live)

    def __iter__(self) -> Iterator[Utterance]:
        return iter(list(self._live.values()))

    @property
    def current(self) -> Utterance | None:
        """The utterance that is being spoken, or would be next."""
        return next(iter(self._live.values()), None)

    @property
    def chars(self) -> int:
        """Characters of text of all utterances that are not over."""
        return sum(utterance.chars for utterance in self._live.values())

    def get(self, utterance_id: str) -> Utterance | None:
        """An utterance that is not over."""
        return self._live.get(utterance_id)

    def open(self, utterance_id: str, now: float, order: Order | None = None) -> list[Event]:
        """Queue a new utterance without text, behind all that are as urgent.

        Raises:
            TextRejected: the id was used before, or the priority is out of range.
            AtCapacity: too many utterances are queued.
        """
        order = order or Order()
        if utterance_id in self._live or utterance_id in self._over:
            raise TextRejected(
                f"utterance id {utterance_id!r} was used before: give every utterance its own"
            )
        if not 0 <= order.priority <= MAX_PRIORITY:
            raise TextRejected(f"priority can be 0 to {MAX_PRIORITY}, not {order.priority}")
        if len(self._live) >= self.max_utterances:
            raise AtCapacity(
                f"{self.max_utterances} utterances are queued: "
                "wait until one is done, or cancel some"
            )
        utterance = Utterance(
            utterance_id, order, now, self.max_utterance_chars, self.idle_s, self.abilities
        )
        place = self._insert(utterance)
        return [Accepted(utterance_id=utterance_id, queued=place)]

    def _insert(self, utterance: Utterance) -> int:
        """Put an utterance where its priority places it; how many are before it.

        The one that is being spoken is never put off.
        """
        queued = list(self._live.values())
        place = len(queued)
        while place and queued[place - 1].priority < utterance.priority:
            if queued[place - 1].is_heard or (place == 1 and queued[0].is_begun):
                break
            place -= 1
        queued.insert(place, utterance)
        self._live = {one.utterance_id: one for one in queued}
        return place

    def append(
        self, utterance_id: str, text: str, now: float, order: Order | None = None
    ) -> list[Event]:
        """Add text to an utterance and open it if it is new.

        Raises:
            TextRejected: its id belongs to one that has ended, or the text is too long.
            AtCapacity: too much text or too many utterances are queued.
        """
        self._check_room(text)
        utterance = self._live.get(utterance_id)
        if utterance is not None:
            utterance.append(text, now)
            return []
        self._check_length(text)
        events = self.open(utterance_id, now, order)
        with self._refusing(utterance_id) as opened:
            opened.append(text, now)
        return events

    def speak(
        self, utterance_id: str, text: str, now: float, order: Order | None = None
    ) -> list[Event]:
        """Queue a whole text as one utterance; raises like ``append``."""
        self._check_room(text)
        self._check_length(text)
        events = self.open(utterance_id, now, order)
        with self._refusing(utterance_id) as opened:
            opened.append(text, now)
            opened.end(now)
        return events

    @contextmanager
    def _refusing(self, utterance_id: str) -> Iterator[Utterance]:
        """A new utterance; if its text is refused, it is as if it had never been there."""
        try:
            yield self._live[utterance_id]
        except TextRejected:
            del self._live[utterance_id]
            raise

    def _check_room(self, text: str) -> None:
        if self.chars + len(text) > self.max_chars:
            raise AtCapacity(
                f"{self.max_chars} characters are queued: wait until some of them are spoken"
            )

    def _check_length(self, text: str) -> None:
        if len(text) > self.max_utterance_chars:
            raise TextRejected(
                f"an utterance may have {self.max_utterance_chars} characters, this one has "
                f"{len(text)}: send it as several utterances"
            )

    def flush(self, utterance_id: str, now: float) -> None:
        """Release the text that an utterance holds; raises TextRejected if there is none."""
        self._known(utterance_id).flush(now)

    def end(self, utterance_id: str, now: float) -> None:
        """Mark an utterance's text as complete; raises TextRejected if there is none."""
        self._known(utterance_id).end(now)

    def next_deadline_s(self) -> float | None:
        """When ``release`` is to be called next, or None."""
        deadlines = (utterance.idle_deadline_s for utterance in self._live.values())
        return min((at for at in deadlines if at is not None), default=None)

    def release(self, now: float) -> None:
        """Speak what utterances hold that have had no text for a while."""
        for utterance in self._live.values():
            utterance.release(now)

    def _known(self, utterance_id: str) -> Utterance:
        utterance = self._live.get(utterance_id)
        if utterance is None:
            raise TextRejected(f"there is no utterance {utterance_id!r}, or it is over")
        return utterance

    def take(self) -> Job | None:
        """The next piece to synthesize, of the first utterance that has one.

        Later utterances come ahead of time, but never before all of an earlier one is taken.
        """
        for utterance in self._live.values():
            job = utterance.take()
            if job is not None:
                return job
            if not utterance.all_taken:
                return None
        return None

    def interrupt(self, played_ms: Mapping[str, float]) -> list[Event]:
        """Cancel and forget all utterances; how much of each was played is given by its id."""
        events: list[Event] = []
        for utterance in self:
            events += utterance.cancel(played_ms.get(utterance.utterance_id, 0.0))
            self.remove(utterance)
        return events

    def remove(self, utterance: Utterance) -> None:
        """Forget an utterance that is over; its id stays refused for a while."""
        if self._live.pop(utterance.utterance_id, None) is not None:
            self._over.append(utterance.utterance_id)
