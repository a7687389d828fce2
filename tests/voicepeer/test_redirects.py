"""Clients of several services find the one that has their room."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from signaling.messages import Join
from signaling.sessions import RoomElsewhere, SessionHandle, SessionRequest
from tests.deploy.coturn import free_port
from tests.peers.service import LocalService, running
from tests.redis_server import redis_server
from tests.voicepeer.commandline import FAKE
from tests.voicepeer.test_service import announced, fetch, serving, told
from tests.voicepeer.test_voice_api import Caller
from voicepeer.client import SessionLost, SignalingFailed, VoicePeerClient
from voicepeer.core.room_messages import RoomRoster
from voicepeer.signaling_client import SignalingClient, _redirected


@dataclass
class Sending(LocalService):
    """A service whose rooms are all at another one."""

    to: str = ""
    asked: int = 0

    async def open(self, request: SessionRequest) -> SessionHandle:
        self.asked += 1
        if self.to:
            raise RoomElsewhere(self.to)
        return await super().open(request)


@pytest.mark.peer
async def test_a_client_goes_where_its_room_is_each_time_it_connects() -> None:
    async with running() as there, running(Sending(to=there.url)) as here:
        assert isinstance(here, Sending)
        async with VoicePeerClient(here.url, room="hall") as client:
            await client.use_voice("low")
            assert (await client.say("Hello.")).audio_ms > 0
            await client.reconnect()
            assert (await client.say("Hello again.")).audio_ms > 0
        assert [one.session_id for one in there.sessions][-1] == client.session_id
        assert (len(here.sessions), here.asked, len(there.sessions)) == (0, 2, 2)


@pytest.mark.peer
@pytest.mark.parametrize(
    "url",
    [
        "ws://a..example",
        f"ws://{'a' * 64}.example",
        "ws://\u2488com",
        "ws://[::1",
        "ws://127.0.0.1:99999",
        "ws://\ud800",
        "ws://x y",
        "ws://",
    ],
)
async def test_a_client_says_so_where_it_is_sent_to_what_is_no_url(url: str) -> None:
    client = SignalingClient(url, lambda reason: None)
    try:
        with pytest.raises(SignalingFailed):
            await client.join(Join())
    finally:
        await client.close()


@pytest.mark.peer
async def test_a_client_is_not_sent_round_and_round() -> None:
    async with running(Sending()) as first, running(Sending(to=first.url)) as second:
        assert isinstance(first, Sending)
        assert isinstance(second, Sending)
        first.to = second.url
        with pytest.raises(SignalingFailed) as failed:
            async with VoicePeerClient(first.url, room="hall"):
                pass
        assert failed.value.code == "room_elsewhere"
        assert first.asked + second.asked == 4


@pytest.mark.peer
async def test_where_nobody_is_a_client_says_so() -> None:
    nowhere = f"http://127.0.0.1:{free_port(socket.SOCK_STREAM)}"
    async with running(Sending(to=nowhere)) as here:
        with pytest.raises(SignalingFailed, match="no service") as failed:
            async with VoicePeerClient(here.url, room="hall"):
                pass
        assert failed.value.code == "unreachable"


@pytest.mark.unit
@pytest.mark.parametrize(
    ("at", "to", "wanted"),
    [
        ("wss://a/ws", "https://b.example", "wss://b.example/ws"),
        ("ws://a/ws", "http://b.example/vp/", "ws://b.example/vp/ws"),
        ("ws://a/ws", "https://b.example", "wss://b.example/ws"),
        ("wss://a/ws", "http://b.example", None),
        ("wss://a/ws", "ftp://b.example", None),
        ("ws://a/ws", "b.example", None),
        ("ws://a/ws", "javascript:alert(1)", None),
    ],
)
def test_a_client_goes_to_services_only_and_never_out_of_encryption(
    at: str, to: str, wanted: str | None
) -> None:
    if wanted is not None:
        assert _redirected(at, to) == wanted
        return
    with pytest.raises(SignalingFailed) as failed:
        _redirected(at, to)
    assert failed.value.code == "bad_message"


# --- two real services ------------------------------------------------------------------------


@asynccontextmanager
async def replicas(redis: str, *more: list[str]) -> AsyncIterator[list[tuple[str, int]]]:
    """Services with one directory of rooms and one place of voices: their URLs and process ids."""
    ports = [free_port(socket.SOCK_STREAM) for _ in more]
    urls = [f"http://127.0.0.1:{port}" for port in ports]
    common = [*FAKE]
    settings = {
        "voices.store": redis,
        "rooms.redis_url": redis,
        "rooms.replicas": ",".join(urls),
        "rooms.claim_ttl_s": "3",
    }
    common += [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    pids = []
    async with AsyncExitStack() as stack:
        for port, url, extra in zip(ports, urls, more, strict=True):
            own = ["--port", str(port), "--set", f"rooms.public_url={url}", *common, *extra]
            process = await stack.enter_async_context(serving(*own))
            for _ in ("listening", "ready"):
                await announced(process)
            pids.append(process.pid)
        yield list(zip(urls, pids, strict=True))


@pytest.mark.e2e
@pytest.mark.needs("redis-server")
async def test_a_room_is_never_split_and_lives_on_when_its_service_has_died(tmp_path: Path) -> None:
    with redis_server(tmp_path) as redis:
        two: tuple[list[str], list[str]] = ([], ["--media-processes", "2"])
        async with replicas(redis.url, *two) as started, AsyncExitStack() as stack:
            (first, pid), (second, _) = started
            ada = await stack.enter_async_context(VoicePeerClient(first, room="hall", name="Ada"))
            bob = await stack.enter_async_context(VoicePeerClient(second, room="hall", name="Bob"))
            await ada.join_room("nothing")
            with bob.call.listening() as messages:
                await bob.join_room("nothing")
                roster = await told(messages, RoomRoster)
            assert [one.name for one in roster.participants] == ["Ada"]
            _, figures = await fetch(f"{second}/metrics")
            assert 'voicepeer_room_redirects_total{process="entry"} 1.0' in figures
            # Calls without a room stay where they are.
            async with VoicePeerClient(second) as alone:
                _, sessions = await fetch(f"{second}/v1/admin/sessions")
                assert alone.session_id in sessions
            saved = await saved_voice(first)
            os.kill(pid, signal.SIGKILL)
            async with asyncio.timeout(60):
                while not await came_back(bob):  # noqa: ASYNC110 - it is elsewhere that it ends
                    await asyncio.sleep(0.2)
            _, sessions = await fetch(f"{second}/v1/admin/sessions")
            assert bob.session_id in sessions
            # What was saved at the one that died, the other one has.
            assert (await bob.use_voice(saved)).name == "Ada"
            assert (await bob.say("As if nothing had happened.")).audio_ms > 0


async def saved_voice(url: str) -> str:
    """The id of a voice that a service has said is kept."""
    async with aiohttp.ClientSession(url) as http:
        caller = Caller(http)
        status, voice = await caller.clone(await caller.consent(), name="Ada")
        assert status == 200, voice
        return str(voice["id"])


async def came_back(client: VoicePeerClient) -> bool:
    """Whether somebody who was lost has a session again, although not the one that it was."""
    try:
        await client.reconnect()
    except SessionLost:
        return True
    except SignalingFailed:
        # The claim of the service that died is good for some seconds more.
        return False
    return True
