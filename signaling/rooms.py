"""Who is in which room: bounded, and one place a client. Knows no sockets and no sessions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from signaling.principal import tenant_of
from signaling.sessions import SessionRefused

MAX_NAME_CHARS = 64
MIN_CLIENT_ID_CHARS = 16
"""A client id lets its holder take over a session, so it must not be guessable."""

_ROOM = re.compile(rf"[A-Za-z0-9._-]{{1,{MAX_NAME_CHARS}}}")
_CLIENT_ID = re.compile(rf"[A-Za-z0-9._-]{{{MIN_CLIENT_ID_CHARS},{MAX_NAME_CHARS}}}")


@dataclass(frozen=True, slots=True)
class Participant:
    """One place in a room. ``client_id`` is the client's own secret, or ``None``.

    Raises:
        SessionRefused: ``bad_name`` when a name could not be shown or looked up safely.
    """

    key: str
    room: str
    name: str = ""
    client_id: str | None = None
    owner: str = ""
    """Whom the place belongs to; nobody else can find it or take it over."""

    @property
    def place(self) -> tuple[str, str]:
        """The room as it is known inside: each key has rooms of its own."""
        return tenant_of(self.owner), self.room

    def __post_init__(self) -> None:
        if not _ROOM.fullmatch(self.room):
            raise SessionRefused(
                "bad_name",
                f"a room's name has 1 to {MAX_NAME_CHARS} letters, digits, dots, dashes or "
                "underscores",
            )
        if len(self.name) > MAX_NAME_CHARS or not self.name.isprintable():
            raise SessionRefused(
                "bad_name", f"a name has at most {MAX_NAME_CHARS} printable characters"
            )
        if self.client_id is not None and not _CLIENT_ID.fullmatch(self.client_id):
            raise SessionRefused(
                "bad_name",
                f"a client_id has {MIN_CLIENT_ID_CHARS} to {MAX_NAME_CHARS} random letters or "
                "digits",
            )


class Rooms:
    """All participants of one process, in order of arrival."""

    def __init__(self, max_participants: int, max_per_room: int) -> None:
        self._max_participants = max_participants
        self._max_per_room = max_per_room
        self._by_key: dict[str, Participant] = {}
        self._rooms: dict[tuple[str, str], dict[str, Participant]] = {}

    def __len__(self) -> int:
        return len(self._by_key)

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    @property
    def free(self) -> int:
        """Places that nobody has."""
        return self.places - len(self)

    @property
    def places(self) -> int:
        """All that there are."""
        return self._max_participants

    @property
    def tenants(self) -> frozenset[str]:
        """Keys that have a place."""
        return frozenset(tenant_of(one.owner) for one in self._by_key.values())

    def count(self, tenant: str) -> int:
        """Places that a key has, with all its subjects."""
        return sum(tenant_of(one.owner) == tenant for one in self._by_key.values())

    def members(self, room: str, owner: str = "") -> tuple[Participant, ...]:
        """Participants of a room, of the same key as ``owner``; empty when there is no such."""
        return tuple(self._rooms.get((tenant_of(owner), room), {}).values())

    def find(self, room: str, client_id: str | None, owner: str = "") -> Participant | None:
        """The participant that a client of this owner already has in a room."""
        if client_id is None:
            return None
        same = (
            one
            for one in self.members(room, owner)
            if one.client_id == client_id and one.owner == owner
        )
        return next(same, None)

    def enter(self, participant: Participant, beside: str | None = None) -> Participant | None:
        """Take a place; returns the same client's earlier one, which is thereby given up.

        ``beside`` is the key of one in the same room whose place this will be: until that has left,
        there is one more than there are places for.

        Raises:
            SessionRefused: ``at_capacity`` or ``room_full``; nothing has changed then.
        """
        earlier = self.find(participant.room, participant.client_id, participant.owner)
        freed = len({earlier.key if earlier else None, beside} & self._by_key.keys())
        if len(self) - freed >= self._max_participants:
            raise SessionRefused("at_capacity", "all places are taken: try again later")
        having = len(self._rooms.get(participant.place, {}))
        if having - freed >= self._max_per_room:
            raise SessionRefused("room_full", "this room is full: try again later")
        if earlier is not None:
            self.leave(earlier.key)
        self._by_key[participant.key] = participant
        self._rooms.setdefault(participant.place, {})[participant.key] = participant
        return earlier

    def leave(self, key: str) -> Participant | None:
        """Give a place up; ``None`` when it had been given up before."""
        participant = self._by_key.pop(key, None)
        if participant is not None:
            room = self._rooms[participant.place]
            del room[key]
            if not room:
                del self._rooms[participant.place]
        return participant
