"""A voice in a room of LiveKit: its official SDK at a server that speaks the same protocol.

Where the SDK comes back by itself is tested in a process of its own (``test_bot_elsewhere``), for
native code that fails would take all other tests along.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import jwt
import pytest
from livekit.protocol import models

from tests.peers.ears import FRAME_S, packets
from tests.peers.glitches import count, tone
from tests.peers.livekit_server import KEY, SECRET, LiveKitServer, livekit_server
from tests.peers.room import until
from voicepeer.adapters import RoomError, joined
from voicepeer.adapters.livekit import LiveKitKey, LiveKitRoom
from voicepeer.core.livekit import TokenUnusable, claims_of

pytestmark = pytest.mark.peer

OURS = LiveKitKey(KEY, SECRET, "hall")


@pytest.fixture(scope="module")
def sdk_started() -> None:
    """What the SDK opens once for the process is there before anybody counts."""

    async def once() -> None:
        async with livekit_server() as server, in_room(server):
            pass

    asyncio.run(once())


@pytest.fixture
async def clean(sdk_started: None, clean: None) -> None:
    """The same as everywhere else, but later."""


@asynccontextmanager
async def in_room(server: LiveKitServer) -> AsyncIterator[LiveKitRoom]:
    room = LiveKitRoom(server.url, OURS)
    async with joined(room, "Ada"):
        yield room


async def speak(room: LiveKitRoom) -> None:
    for packet in packets(tone(0.5)):
        room.push(packet)
        await asyncio.sleep(FRAME_S)


async def heard(server: LiveKitServer) -> None:
    """Wait until the last one to join was heard."""
    publisher = server.publishers[-1]
    await until(lambda: count(publisher.recorder.pcm()).tone_ms > 250, 20)


async def test_the_room_hears_what_is_pushed_from_its_first_moment() -> None:
    async with livekit_server() as server:
        async with in_room(server) as room:
            await speak(room)
            await heard(server)
        (publisher,) = server.publishers
        assert (publisher.name, publisher.room) == ("Ada", "hall")
        assert publisher.identity.startswith("Ada-")
        await until(lambda: publisher.left, 20)
        (track,) = publisher.tracks
        assert (track.source, track.disable_dtx) == (models.TrackSource.MICROPHONE, True)
        await room.leave()


@pytest.mark.parametrize(
    ("reason", "part"),
    [
        (models.DisconnectReason.PARTICIPANT_REMOVED, "has put it out"),
        (models.DisconnectReason.ROOM_DELETED, "room was deleted"),
        (models.DisconnectReason.DUPLICATE_IDENTITY, "the same identity has taken its place"),
    ],
)
async def test_whoever_is_put_out_stays_out(reason: models.DisconnectReason, part: str) -> None:
    async with livekit_server() as server, in_room(server) as room:
        await server.publishers[0].put_out(reason)
        with pytest.raises(RoomError, match=part):
            async with asyncio.timeout(30):
                await room.lost()
        with pytest.raises(RoomError, match=part):
            await room.join("Ada")
        assert len(server.publishers) == 1


async def test_a_server_that_stops_is_a_loss() -> None:
    async with livekit_server() as server, in_room(server) as room:
        await server.publishers[0].put_out(models.DisconnectReason.SERVER_SHUTDOWN)
        async with asyncio.timeout(30):
            assert "was lost" in await room.lost()
            await room.join("Ada")
        await speak(room)
        await heard(server)
        assert len({one.identity for one in server.publishers}) == 1


async def test_reasons_why_one_is_not_let_in() -> None:
    async with livekit_server() as server:
        for credentials, refuse, code, retryable in (
            (LiveKitKey(KEY, "another-secret-that-is-wrong-32-bytes", "hall"), None, "401", False),
            (OURS, 404, "404", False),
            (OURS, 503, "503", True),
        ):
            server.refuse = refuse
            with pytest.raises(RoomError, match=code) as refused:
                async with joined(LiveKitRoom(server.url, credentials), "Ada"):
                    pass
            assert refused.value.retryable is retryable
    with pytest.raises(RoomError, match="cannot be reached"):
        await LiveKitRoom("ws://localhost:1", OURS).join("Ada")


async def test_a_token_of_the_user_is_taken_as_it_is() -> None:
    claims = dict(claims_of(KEY, "foyer", "eve", "Eve", time.time()))
    token = jwt.encode(claims, SECRET, "HS256")
    with pytest.raises(TokenUnusable, match="another room"):
        LiveKitRoom("ws://localhost:1", token, "hall")
    async with livekit_server() as server:
        async with joined(LiveKitRoom(server.url, token, "foyer"), "Ada"):
            pass
        (publisher,) = server.publishers
        assert (publisher.identity, publisher.room) == ("eve", "foyer")
