"""The utterances of a session in the order in which they are spoken, bounded in number and text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from voicepeer.core.errors import AtCapacity, TextRejected
from voicepeer.core.messages import Accepted
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.order import MAX_PRIORITY, Abilities, Order
from voicepeer.core.speaking.segment import FIRST_MAX_WORDS, MAX_CHARS
from voicepeer.core.speaking.utterance import IDLE_S, Event, Utterance

MAX_UTTERANCES = 32
MAX_QUEUED_CHARS = 200_000
REMEMBERED_IDS = 256
"""How many finished ids are kept, so that late text for them is refused and not spoken anew."""


@dataclass(slots=True)
class UtteranceQueue:
    """Utterances in the order they are spoken in; bounded in number and in text."""

    max_utterances: int = MAX_UTTERANCES
    max_chars: int = MAX_QUEUED_CHARS
    max_utterance_chars: int = MAX_CHARS
    idle_s: float = IDLE_S
    abilities: Abilities = Abilities()
    first_words: int = FIRST_MAX_WORDS
    """How many the first piece of utterances to come has at most."""
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
            utterance_id,
            order,
            now,
            self.max_utterance_chars,
            self.idle_s,
            self.abilities,
            self.first_words,
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


def jobs_of(text: str, order: Order, abilities: Abilities) -> Iterator[Job]:
    """The pieces of a whole text that is said by itself, outside of any session.

    Raises:
        TextRejected: too long, or bad markup.
    """
    queue = UtteranceQueue(abilities=abilities)
    queue.speak("whole", text, 0.0, order)
    while (job := queue.take()) is not None:
        yield job
