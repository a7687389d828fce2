"""Which of several processes a session goes to: the same one for a room, the emptiest for others.

A room's process is found by rendezvous hashing (Thaler and Ravishankar, 1998): where one process
ends, no room moves but its own. Nothing is random, and time is handed in.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from voicepeer.core.resumption import token_digest

RoomKey: TypeAlias = tuple[str, str]
"""The id of the key that vouches for all who are in a room, and its name: keys do not hear each
other, whatever their rooms are called."""


class NoProcess(Exception):  # noqa: N818 - no defect: one is being started, or does not answer
    """There is none that a session could go to now."""


@dataclass(frozen=True, slots=True, eq=False)
class Seat:
    """A session's place in a process; ``room`` is the one that it shares with others, if any."""

    process: int
    room: RoomKey | None


@dataclass(slots=True)
class _Gathering:
    """A room in a process. It stays there while there are sessions in it, and a while longer."""

    process: int
    sessions: int = 0
    until_s: float = 0.0


@dataclass(slots=True)
class _Token:
    process: int
    until_s: float = math.inf


class Placement:
    """Sessions of all processes, which are numbers from 0 on.

    What is left of a session can be gone on with for ``keep_s``, in the process that it was in.
    """

    def __init__(self, keep_s: float) -> None:
        self._keep_s = keep_s
        self._seats: dict[int, set[Seat]] = {}
        """Of the processes that are there."""
        self._rooms: dict[RoomKey, _Gathering] = {}
        self._tokens: dict[bytes, _Token] = {}
        """Where those of sessions lead that are there or have ended lately, by their digests."""

    @property
    def processes(self) -> frozenset[int]:
        """Those that are there."""
        return frozenset(self._seats)

    def up(self, process: int) -> None:
        """A process is there."""
        self._seats.setdefault(process, set())

    def down(self, process: int) -> None:
        """A process is gone with all that was in it."""
        self._seats.pop(process, None)
        self._rooms = {room: one for room, one in self._rooms.items() if one.process != process}
        self._tokens = {token: one for token, one in self._tokens.items() if one.process != process}

    def take(
        self,
        room: RoomKey | None,
        resume_token: str | None,
        now: float,
        silent: Collection[int] = (),
    ) -> Seat:
        """A seat for one more session.

        Args:
            room: where it meets others, if it does.
            resume_token: of the session that it is to go on with.
            now: seconds of any clock that does not go back.
            silent: processes that do not answer. Only what is in one already has to go there.

        Raises:
            NoProcess: there is none, or the one that it has to be does not answer.
        """
        self._purge(now)
        able = [process for process in self._seats if process not in silent]
        if not able:
            raise NoProcess
        # Whoever comes back to a room goes where the others are, or would split it.
        process = self._of_token(resume_token) if room is None else self._of_room(room, able)
        if process in silent:
            raise NoProcess
        seat = Seat(self._emptiest(able) if process is None else process, room)
        self._seats[seat.process].add(seat)
        if room is not None:
            self._rooms.setdefault(room, _Gathering(seat.process)).sessions += 1
        return seat

    def remember(self, seat: Seat, resume_token: str) -> None:
        """The session that has this seat can be gone on with by a token."""
        if seat in self._seats.get(seat.process, ()):
            self._tokens[token_digest(resume_token)] = _Token(seat.process)

    def leave(self, seat: Seat, resume_token: str | None, now: float) -> None:
        """A session has ended; harmless when it went down with its process."""
        seats = self._seats.get(seat.process)
        if seats is None or seat not in seats:
            return
        seats.remove(seat)
        until_s = now + self._keep_s
        if seat.room is not None:
            gathering = self._rooms[seat.room]
            gathering.sessions -= 1
            gathering.until_s = until_s
        token = self._tokens.get(token_digest(resume_token or ""))
        if token is not None:
            token.until_s = until_s

    def home(self, room: RoomKey, processes: Iterable[int]) -> int:
        """The process, of these, that a room is opened in."""
        return max(processes, key=lambda process: _score(room, process))

    def sessions(self, process: int) -> int:
        """How many there are in a process."""
        return len(self._seats.get(process, ()))

    def _of_room(self, room: RoomKey, able: Collection[int]) -> int:
        gathering = self._rooms.get(room)
        if gathering is not None and not gathering.sessions and gathering.process not in able:
            del self._rooms[room]  # nobody is there whom this would part from others
            gathering = None
        return self.home(room, able) if gathering is None else gathering.process

    def _of_token(self, resume_token: str | None) -> int | None:
        token = self._tokens.get(token_digest(resume_token or ""))
        return None if token is None else token.process

    def _emptiest(self, able: Collection[int]) -> int:
        return min(able, key=lambda process: (len(self._seats[process]), process))

    def _purge(self, now: float) -> None:
        self._rooms = {
            room: one for room, one in self._rooms.items() if one.sessions or one.until_s > now
        }
        self._tokens = {token: one for token, one in self._tokens.items() if one.until_s > now}


def _score(room: RoomKey, process: int) -> bytes:
    named = "\0".join((*room, str(process)))
    return hashlib.blake2b(named.encode("utf-8", "surrogatepass"), digest_size=8).digest()
