"""Which stream speaks next: pure, knows neither clocks nor threads.

A stream is due by what its listener still has in hand if they play in real time, however fast
they really take the chunks. So nobody who hoards chunks can starve somebody who plays them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class _Turn:
    credit: int
    added: int
    started: bool = False
    in_hand_s: float = 0.0
    """Speech that the listener has not yet heard, as of ``since``."""
    since: float = 0.0
    served: int = 0

    def left_s(self, now: float) -> float:
        # An underrun stops the listener's clock: nobody has less than nothing in hand.
        return max(0.0, self.in_hand_s - (now - self.since))


class Schedule:
    """Turns of the streams that speak at once.

    A stream that has said nothing yet goes first, in order of arrival; then the one whose
    listener runs out first; between equals the one that has waited longest.
    """

    def __init__(self) -> None:
        self._turns: dict[int, _Turn] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._turns)

    def add(self, stream: int, credit: int) -> None:
        """Let a new stream take part, with ``credit`` chunks before it has to wait."""
        self._count += 1
        self._turns[stream] = _Turn(credit, self._count)

    def grant(self, stream: int, chunks: int) -> None:
        """Allow more chunks to a stream; one that has ended is ignored."""
        if stream in self._turns:
            self._turns[stream].credit += chunks

    def remove(self, stream: int) -> None:
        """Forget a stream, if it is there."""
        self._turns.pop(stream, None)

    def next(self, now: float) -> int | None:
        """The stream whose turn it is at ``now`` (s), or ``None`` if none may speak."""
        due = [stream for stream, turn in self._turns.items() if turn.credit > 0]
        return min(due, key=lambda stream: self._rank(stream, now), default=None)

    def said(self, stream: int, duration_s: float, now: float) -> None:
        """Note that a stream has had its turn and gave ``duration_s`` of speech."""
        turn = self._turns[stream]
        self._count += 1
        turn.in_hand_s, turn.since = turn.left_s(now) + duration_s, now
        turn.started, turn.served = True, self._count
        turn.credit -= 1

    def _rank(self, stream: int, now: float) -> tuple[bool, float, int]:
        turn = self._turns[stream]
        if not turn.started:
            return False, 0.0, turn.added
        return True, turn.left_s(now), turn.served
