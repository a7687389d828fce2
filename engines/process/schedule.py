"""Which stream speaks next: pure, knows neither clocks nor threads.

A stream is due by what its listener still has in hand if they play in real time, however fast
they really take the chunks. So nobody who hoards chunks can starve somebody who plays them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

LONGEST_RESERVE_S = 0.4
"""However long beginnings take, nobody is made to hoard more than this for them."""

PATIENCE_S = 0.4
"""A newcomer who has been the next for so long begins, whoever starves: there is too much to do."""

EXPECTED_S = 0.02
"""How long a piece is waited for that goes on with what somebody hears to the end soon: it comes a
moment after the one before has ended, and would else wait for a whole window of somebody else."""

EASE_S = 0.5
"""Who has so much in hand does not notice what else is done meanwhile."""

_FORGETTING = 0.25
"""How fast one quick step makes up for a slow one before it."""

_WORK_SHARE = 0.2
"""A step that takes less of a beginning only hands on what was made before."""


@dataclass(slots=True)
class _Turn:
    credit: int
    added: int
    since: float
    """When it was added; once it has started, when ``in_hand_s`` was true."""
    in_hand_s: float = 0.0
    """Speech that the listener has not yet heard."""
    is_new: bool = True
    """Whether its listener has heard nothing yet, rather than another piece of the same."""
    started: bool = False
    served: int = 0

    @property
    def goes_on(self) -> bool:
        """Whether its listener hears something already."""
        return self.started or not self.is_new

    def left_s(self, now: float) -> float:
        # An underrun stops the listener's clock: nobody has less than nothing in hand.
        return max(0.0, self.in_hand_s - (now - self.since))


class Schedule:
    """Turns of the streams that speak at once.

    A stream that has said nothing yet goes first, in order of arrival; then the one whose
    listener runs out first; between equals the one that has waited longest. But to begin takes
    longer than to go on, so a newcomer waits until all others can still be served in time after
    it, one after the other. What goes on with an utterance is no newcomer: its listener still
    hears the piece before.
    """

    def __init__(self) -> None:
        self._turns: dict[int, _Turn] = {}
        self._count = 0
        self._chosen_at = 0.0
        self._beginning_s = self._step_s = 0.0
        self._began_at = -math.inf
        self._dry_at = self._expected_until = -math.inf

    def __len__(self) -> int:
        return len(self._turns)

    def add(self, stream: int, credit: int, now: float, in_hand_s: float | None = None) -> None:
        """Let a new stream take part, with ``credit`` chunks before it has to wait.

        With ``in_hand_s`` it goes on with what its listener hears, and has so much of.
        """
        self._count += 1
        is_new = in_hand_s is None
        self._turns[stream] = _Turn(credit, self._count, now, in_hand_s or 0.0, is_new)
        if not is_new:
            self._expected_until = now

    def grant(self, stream: int, chunks: int) -> None:
        """Allow more chunks to a stream; one that has ended is ignored."""
        if stream in self._turns:
            self._turns[stream].credit += chunks

    def remove(self, stream: int) -> None:
        """Forget a stream, if it is there."""
        self._turns.pop(stream, None)

    def expect(self, stream: int, now: float) -> None:
        """Note that the stream has ended, but not its utterance; before it is removed."""
        turn = self._turns[stream]
        self._dry_at = now + turn.left_s(now)
        self._expected_until = now + EXPECTED_S

    def pause_s(self, now: float) -> float:
        """How long to wait for the next piece of an utterance before anybody's turn.

        Not at all if others have less in hand than its listener, or that one has enough.
        """
        left_s = self._dry_at - now
        if now >= self._expected_until or left_s >= LONGEST_RESERVE_S:
            return 0.0
        if any(turn.left_s(now) < left_s + EXPECTED_S for turn in self._due()):
            return 0.0
        return self._expected_until - now

    def next(self, now: float) -> int | None:
        """The stream whose turn it is at ``now`` (s), or ``None`` if none may speak."""
        self._chosen_at = now
        due = [stream for stream, turn in self._turns.items() if turn.credit > 0]
        starves = self._anybody_starves(now)
        return min(due, key=lambda stream: self._rank(stream, now, starves), default=None)

    def at_ease(self, now: float) -> bool:
        """Whether nobody who may speak would be late if something else came first."""
        return all(turn.left_s(now) >= EASE_S for turn in self._due())

    def said(self, stream: int, duration_s: float, now: float) -> None:
        """Note that the stream of this turn gave ``duration_s`` of speech, ready at ``now``."""
        turn = self._turns[stream]
        took_s = now - self._chosen_at
        if not turn.started:
            self._beginning_s = _learned(self._beginning_s, took_s)
            self._began_at = now
        elif took_s > _WORK_SHARE * self._beginning_s:
            self._step_s = _learned(self._step_s, took_s)
        self._count += 1
        turn.in_hand_s = turn.left_s(now) + duration_s
        turn.started, turn.since, turn.served = True, now, self._count
        turn.credit -= 1

    def _due(self) -> list[_Turn]:
        """Of those who may speak."""
        return [turn for turn in self._turns.values() if turn.credit > 0]

    def _anybody_starves(self, now: float) -> bool:
        """Whether somebody would run out if a newcomer began and got its next chunks, too."""
        lefts_s = sorted(self._left_s(turn, now) for turn in self._due() if turn.goes_on)
        step_s = self._step_s or self._beginning_s
        wait_s = self._beginning_s + step_s
        for left_s in lefts_s:
            wait_s += step_s
            if left_s < min(wait_s, LONGEST_RESERVE_S):
                return True
        return False

    def _left_s(self, turn: _Turn, now: float) -> float:
        """What its listener has in hand; less where it takes longer to have more."""
        return turn.left_s(now) - (0.0 if turn.started else self._beginning_s)

    def _rank(self, stream: int, now: float, starves: bool) -> tuple[int, float, int]:
        turn = self._turns[stream]
        if turn.goes_on:
            return (1 if starves else 3), self._left_s(turn, now), turn.served
        waited_s = now - max(turn.since, self._began_at)
        return (0 if waited_s > PATIENCE_S else 2), 0.0, turn.added


def _learned(known_s: float, took_s: float) -> float:
    """The longest of late, which quicker ones wear down."""
    return max(took_s, known_s + _FORGETTING * (took_s - known_s))
