"""What signaling needs of a session; the root hands in the function that opens one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from signaling.limits import Spend, spend_freely
from signaling.messages import Connection
from signaling.principal import ANONYMOUS, Principal, Right

IceServer: TypeAlias = dict[str, str | list[str]]
"""An entry of RTCConfiguration.iceServers (W3C WebRTC 1.0 section 4.2.2)."""


Purpose: TypeAlias = Literal["call", "publish", "listen"]
"""``call`` is two-way with a data channel; ``publish`` has a microphone only (WHIP), ``listen``
hears a room only (WHEP)."""

RIGHTS: Mapping[Purpose, frozenset[Right]] = {
    "call": frozenset({"speak", "listen", "enrol"}),
    "publish": frozenset({"enrol"}),
    "listen": frozenset({"listen"}),
}
"""One of these is needed to open a session, and to change or end it afterwards: a token of the same
subject that could not have opened it has nothing to do in it."""


class SessionRefused(Exception):
    """A session cannot be opened or an offer cannot be answered; the message is for the client."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class RoomElsewhere(SessionRefused):
    """The room is open at another service; ``url`` is where that is reached by clients."""

    def __init__(self, url: str) -> None:
        super().__init__("room_elsewhere", "this room is open at another service: join it there")
        self.url = url


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """Who wants a session, and through which ICE servers it may connect."""

    room: str
    name: str
    ice_servers: Sequence[IceServer] = ()
    resume_token: str | None = None
    """Of an earlier session that this one is to continue."""
    principal: Principal = ANONYMOUS
    """Who it belongs to, and what they may do in it."""
    spend: Spend = spend_freely
    """What they ask for in it counts against their limits."""
    meets_others: bool = True
    """Whether whoever else is in the room is, for this session, in reach."""
    purpose: Purpose = "call"
    voice: str | None = None
    """Id or name of the voice to speak with, also where this goes on from another session."""
    first_voice: str | None = None
    """Of the voice to begin with where it goes on from none; there has to be one in any case."""
    speed: float | None = None
    stands_in: bool = False
    """Whether a voice of the engine speaks until there is another."""
    consent: str | None = None
    """With it the microphone is learned from the beginning, where no message can ask for that."""
    consent_id: str | None = None
    """The same by a consent that is on record."""


class SessionHandle(Protocol):
    """One peer connection, seen from signaling."""

    @property
    def session_id(self) -> str:
        """Random 128-bit id."""
        ...

    @property
    def resume_token(self) -> str:
        """What a client shows to go on in another session; random, 128 bits."""
        ...

    @property
    def resumed(self) -> bool:
        """Whether this session has taken over from the one whose token was in the request."""
        ...

    @property
    def connected(self) -> bool:
        """Whether its connection stands."""
        ...

    @property
    def voice_id(self) -> str | None:
        """The voice that it speaks with, if it has one."""
        ...

    async def answer(self, offer_sdp: str, connection: Connection = "call") -> str:
        """Answer an offer; a later one of the same connection renegotiates.

        Raises:
            SessionRefused: the offer is malformed or has nothing that can be answered.
        """
        ...

    async def take_over(self) -> None:
        """Go on where the session of the request's ``resume_token`` has ended, if that is known.

        To be called once, when nothing can be refused any more of what the request asks for, and
        before its client can say anything.
        """
        ...

    def renew(self, expires_at_s: float | None) -> None:
        """Its client has shown another token, which expires at this Unix time, or never."""
        ...

    async def add_candidate(
        self,
        candidate: str | None,
        sdp_mid: str | None,
        sdp_mline_index: int | None,
        connection: Connection = "call",
    ) -> None:
        """Add a trickled candidate; ``None`` ends them. Malformed ones raise SessionRefused."""
        ...

    def on_closed(self, callback: Callable[[str], None]) -> None:
        """Call back once, with the reason, when the session has ended for whatever cause."""
        ...

    async def drain(self, within_s: float) -> None:
        """Tell the client that the end is near and let what it asked for end, up to a limit."""
        ...

    async def close(self, reason: str) -> None:
        """End the session and free everything; harmless when it has ended already.

        ``reason`` is one of a few fixed words: it is a label of metrics and goes on the wire.
        """
        ...


Admit: TypeAlias = Callable[[SessionRequest], Awaitable[None]]
"""Lets somebody into the room that they ask for, or raises ``SessionRefused``, for instance
``RoomElsewhere``. Comes before there is a place for them."""


async def admit_all(request: SessionRequest) -> None:
    """An ``Admit`` for a service whose rooms are nowhere else."""


OpenSession: TypeAlias = Callable[[SessionRequest], Awaitable[SessionHandle]]
