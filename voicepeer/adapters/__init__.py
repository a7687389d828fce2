"""Rooms of somebody else, as places where a bot speaks: what a bot knows of them.

Each module here is one such service; only roots name them. An adapter gets Opus packets as our own
service has sent them, so that those who take Opus need not decode anything.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from voicepeer.core.errors import RoomError
from voicepeer.forwarding import MediaPacket

__all__ = ["RoomAdapter", "RoomError", "joined"]


class RoomAdapter(Protocol):
    """One bot's place in somebody else's room; all on one running loop.

    It does not come back by itself: whoever uses it waits for ``lost`` and calls ``join`` again.
    """

    async def join(self, name: str) -> str:
        """Enter the room, seen by the others as ``name``, with a track to speak on.

        Returns the own id there, once the track is connected. After a loss it frees what is left of
        the connection before, and makes a new one.

        Raises:
            RoomError: that is not possible.
        """
        ...

    def push(self, packet: MediaPacket) -> None:
        """Speak: 20 ms of Opus, as they are due. Without a connection they are dropped."""
        ...

    async def lost(self) -> str:
        """Wait until the connection is lost, and give the reason in words.

        Raises:
            RoomError: out for good: put out of the room, or the room has ended.
        """
        ...

    async def leave(self) -> None:
        """Leave the room and free everything; harmless when that has happened already."""
        ...


@asynccontextmanager
async def joined(room: RoomAdapter, name: str) -> AsyncIterator[str]:
    """Be in a room while the block lasts, with the own id there; raises ``RoomError``."""
    try:
        yield await room.join(name)
    finally:
        await room.leave()
