"""Participants of one room, each with both of their connections, over loopback."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from signaling.principal import ALL_RIGHTS, Principal, Right
from signaling.sessions import SessionRequest
from tests.peers import caller
from tests.peers.caller import Connected
from voicepeer.conference import Conferences
from voicepeer.core.messages import ClientMessage
from voicepeer.core.pcm import Pcm
from voicepeer.core.room_messages import (
    RoomGone,
    RoomJoin,
    RoomJoined,
    RoomParticipant,
    RoomRoster,
    RoomSlots,
)
from voicepeer.core.rooms.room import Publishing
from voicepeer.room_ears import RoomEars


def request_of(
    name: str, *rights: Right, subject: str = "", expires_at_s: float | None = None
) -> SessionRequest:
    """Of somebody in the room ``hall``, with all rights if none are named."""
    principal = Principal(
        "key", frozenset(rights) or ALL_RIGHTS, subject=subject, expires_at_s=expires_at_s
    )
    return SessionRequest("hall", name, principal=principal)


@dataclass
class Attendee:
    """One participant, seen from their client."""

    both: Connected
    ears: RoomEars
    participant: str = ""
    since_s: float = field(default_factory=lambda: time.monotonic())
    """By the clock of the test, which may be a scripted one."""

    def send(self, *messages: ClientMessage) -> None:
        self.both.send(*messages)

    async def join(self, publish: Publishing = "mic") -> str:
        """Join the room; the own id there."""
        before = len(self.both.got(RoomJoined))
        self.send(RoomJoin(publish=publish))
        joined = await self.both.wait_for(RoomJoined, before + 1)
        self.participant = joined.participant
        return joined.participant

    async def connect_ears(self) -> None:
        """Make the second connection."""
        answer = await self.both.session.answer(await self.ears.offer(), "room")
        await self.ears.accept(answer)

    @property
    def roster(self) -> dict[str, RoomParticipant]:
        """Who is in the room, by what this client was told."""
        known: dict[str, RoomParticipant] = {}
        for message in self.both.messages:
            match message:
                case RoomJoined():
                    known = {}
                case RoomRoster(participants=participants):
                    known |= {one.participant: one for one in participants}
                case RoomGone(participant=gone):
                    known.pop(gone, None)
                case _:
                    pass
        return known

    @property
    def slots(self) -> dict[str, str | None]:
        """Whom each section brings, by what this client was told last."""
        told = self.both.got(RoomSlots)
        return {slot.mid: slot.participant for slot in told[-1].slots} if told else {}

    def mid_of(self, participant: str) -> str:
        """The section that brings somebody."""
        return next(mid for mid, one in self.slots.items() if one == participant)

    def heard(self, mid: str, since_s: float | None = None) -> Pcm:
        """What has come in a section."""
        return self.ears.recorders[mid].pcm(self.since_s if since_s is None else since_s)


async def until(condition: Callable[[], bool], within_s: float = 30.0) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come to that in time"
        await asyncio.sleep(0.01)


@asynccontextmanager
async def attendee(
    conferences: Conferences,
    name: str = "",
    publish: Publishing | None = "mic",
    voices: int = 3,
    request: SessionRequest | None = None,
) -> AsyncIterator[Attendee]:
    """Somebody who has joined, unless ``publish`` is ``None``, and hears ``voices`` others."""
    async with AsyncExitStack() as stack:
        request = request or request_of(name)
        both = await stack.enter_async_context(
            caller.connected(request=request, conferences=conferences)
        )
        ears = RoomEars(voices)
        stack.push_async_callback(ears.close)
        one = Attendee(both, ears)
        if voices:
            await one.connect_ears()
        if publish is not None:
            await one.join(publish)
        yield one
