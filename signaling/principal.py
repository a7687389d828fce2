"""Who asks, and what they may do: the one record that travels from the door to each session."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

Right: TypeAlias = Literal["speak", "listen", "enrol", "clone", "manage"]
"""``speak``: have text said. ``listen``: hear a session or a room. ``enrol``: have the own
microphone learned. ``clone``: make, export or delete voices from recordings. ``manage``: see and
end sessions, and mint client secrets."""

ALL_RIGHTS: frozenset[Right] = frozenset(get_args(Right))

DEFAULT_ROOM = "default"

ANONYMOUS_KEY = "anonymous"


def tenant_of_key(key_id: str) -> str:
    """A key without its version: ``acme.2`` takes the place of ``acme.1``, and has what that one
    had."""
    return key_id.partition(".")[0]


def tenant_of(owner: str) -> str:
    """The key, without its version, of whoever owns something."""
    return owner.partition("/")[0]


class AccessRefused(Exception):
    """Somebody may not do what they ask for; ``status`` is the HTTP one, ``code`` for programs.

    The message is for whoever asked, and quotes no secret.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@dataclass(frozen=True, slots=True)
class Principal:
    """Whoever was let in.

    ``key_id`` names the key that vouches for them: it is no secret, and stands in logs and the
    audit log. ``subject`` tells users of one key apart, ``room`` is the only one that they may
    enter. ``expires_at_s`` is Unix time.
    """

    key_id: str
    rights: frozenset[Right] = ALL_RIGHTS
    room: str | None = None
    subject: str = ""
    expires_at_s: float | None = None
    voice: str | None = None
    """What their sessions begin to speak with."""
    mark: str = field(default="", compare=False, repr=False)
    """Stands for the very key that let them in, of several with one name; no secret."""

    @property
    def owner(self) -> str:
        """What the voices, consents and sessions that they make belong to."""
        return f"{self.tenant}/{self.subject}" if self.subject else self.tenant

    @property
    def tenant(self) -> str:
        """The key without its version."""
        return tenant_of_key(self.key_id)

    def owns(self, owner: str) -> bool:
        """Whether what belongs to ``owner`` is theirs: a key has what its subjects have, too."""
        return owner == self.owner or (not self.subject and owner.startswith(f"{self.tenant}/"))

    def sees(self, owner: str, room: str) -> bool:
        """Whether a session of ``owner`` in ``room`` is theirs to see and to end.

        Those of the key's subjects are only with the right to manage, and none is in another room
        than the one that they are bound to.
        """
        ours = owner == self.owner or ("manage" in self.rights and self.owns(owner))
        return ours and self.room in (None, room)

    def may_use(self, owner: str) -> bool:
        """Whether they may speak with a voice of ``owner``: also with one of their key itself."""
        return self.owns(owner) or owner == self.tenant

    def need(self, right: Right) -> None:
        """Go on only with this right.

        Raises:
            AccessRefused: 403 ``forbidden``.
        """
        self.need_any(frozenset({right}))

    def need_any(self, rights: frozenset[Right]) -> None:
        """Go on only with one of these rights; raises as ``need`` does."""
        if not rights & self.rights:
            raise AccessRefused(
                403,
                "forbidden",
                f"this key or token has no right to {' or '.join(sorted(rights))}: ask whoever "
                "gave it to you for one that has",
            )

    def need_everything(self) -> None:
        """Go on only if bound to no room: what is asked for tells of all rooms.

        Raises:
            AccessRefused: 403 ``forbidden``.
        """
        if self.room is not None:
            raise AccessRefused(
                403,
                "forbidden",
                "this token is for one room, and this is about all of them: ask for one that is "
                "bound to none",
            )

    def room_for(self, asked: str | None) -> str:
        """The room to enter: the one asked for, or else their own.

        Raises:
            AccessRefused: 403 ``forbidden``: they are bound to another room.
        """
        if asked in (None, "", DEFAULT_ROOM):
            return self.room or DEFAULT_ROOM
        if self.room not in (None, asked):
            raise AccessRefused(
                403, "forbidden", "this token is for another room: ask for one for this room"
            )
        return str(asked)


ANONYMOUS = Principal(ANONYMOUS_KEY)
"""Everybody, where no keys are configured; such a service listens on loopback only."""
