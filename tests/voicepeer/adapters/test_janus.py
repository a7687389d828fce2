"""Bots in rooms of a real Janus: what others hear there, and what ends their stay or does not."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from aiohttp import web

from engines.fakes import FakeSpeechEngine, tone_hz
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from tests.peers.service import LocalService, running
from tests.voicepeer.adapters import janus_room
from tests.voicepeer.adapters.janus_room import (
    API_SECRET,
    BRIDGE,
    ONE_PLACE,
    PIN,
    PLUGINS,
    ROOMS,
    SECRET,
    VIDEO,
    ears,
    room,
    token,
    visitor,
)
from tests.voicepeer.bots import PATIENCE_S, Stage, sounds, stage
from voicepeer.adapters import RoomError, joined
from voicepeer.adapters.janus import JanusRoom
from voicepeer.benches import janus_server
from voicepeer.benches.janus_client import JanusClient
from voicepeer.benches.janus_server import JanusServer
from voicepeer.bot import Back, BotFailed, Joined, Lost, Place, Said
from voicepeer.core.janus.plugins import PluginName
from voicepeer.recorder import AUDIBLE_DBFS

pytestmark = [pytest.mark.peer, pytest.mark.needs("janus")]

both = pytest.mark.parametrize("plugin", PLUGINS)


@pytest.fixture(scope="module")
def janus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JanusServer]:
    """The one server of these tests."""
    with janus_server.running(janus_room.server(tmp_path_factory.mktemp("janus"))) as server:
        yield server


def place(service: LocalService, janus: JanusServer, plugin: PluginName) -> Place:
    """Where a bot goes whose speech is made by ``service``."""
    return Place(service.url, "default", elsewhere=lambda: room(janus, plugin))


@both
async def test_another_participant_hears_the_bot_until_it_leaves(
    janus: JanusServer, plugin: PluginName
) -> None:
    text = "All of this is heard"
    async with (
        nothing_left_behind(),
        running() as service,
        visitor(janus) as ada,
        stage(place(service, janus, plugin), ("Bob", "mid")) as bots,
    ):
        (bob,) = await bots.told(Joined)
        async with ears(ada, plugin, bob.participant) as recorder:
            assert (await there(ada, plugin))[bob.participant] == "Bob"
            await until(lambda: recorder.receiver.last_packet_s is not None, PATIENCE_S)
            bots.lines.give(text)
            await bots.told(Said)
            await until(lambda: sounds(recorder.pcm(), tone_of(text)) > 30, PATIENCE_S)
            assert await bots.end() == 0
            assert bob.participant not in await there(ada, plugin)


def tone_of(text: str) -> float:
    """What the fake engine says for a text, in the voice of these tests."""
    return tone_hz(text, FakeSpeechEngine().stock_voices()["mid"])


async def there(client: JanusClient, plugin: PluginName) -> dict[str, str]:
    """Who is in the room: names by id."""
    found = await client.participants(plugin, ROOMS[plugin])
    return {str(one["id"]): one.get("display", "") for one in found}


@both
async def test_a_server_killed_in_mid_speech_and_started_again_is_come_back_to(
    janus: JanusServer, plugin: PluginName
) -> None:
    async with nothing_left_behind(), running() as service:
        async with stage(place(service, janus, plugin)) as bots:
            await bots.told(Joined)
            # Longer than any machine takes for what follows; nobody waits for its end.
            bots.lines.give("This goes on and on and on. " * 60)
            await hear_something(janus, plugin, bots)
            await asyncio.to_thread(janus.kill)
            await bots.told(Lost)
            await asyncio.to_thread(janus.start)
            await bots.told(Joined, 2)
            await hear_something(janus, plugin, bots)
        assert [type(one) for one in bots.news] == [Joined, Lost, Joined, Back]
        assert service.sessions[-1].resumed, "it goes on, and does not begin again"


async def hear_something(janus: JanusServer, plugin: PluginName, bots: Stage) -> None:
    """Wait until somebody else in the room hears the bot, where it has joined last."""
    feed = (await bots.told(Joined))[-1].participant
    async with visitor(janus) as client, ears(client, plugin, feed) as recorder:
        await until(lambda: recorder.first_over(AUDIBLE_DBFS, 0.0) is not None, PATIENCE_S)


@both
async def test_the_room_sees_that_the_bot_talks_and_who_manages_it_can_put_it_out(
    janus: JanusServer, plugin: PluginName
) -> None:
    async with (
        nothing_left_behind(),
        running() as service,
        visitor(janus) as manager,
        stage(place(service, janus, plugin)) as bots,
    ):
        (bot,) = await bots.told(Joined)
        assert not await talking(manager, plugin)
        bots.lines.give("This goes on and on and on. " * 60)
        async with asyncio.timeout(PATIENCE_S):
            while not await talking(manager, plugin):  # noqa: ASYNC110 - it has to be asked
                await asyncio.sleep(0.02)
        handle = await manager.attach(plugin)
        who = {"room": ROOMS[plugin], "secret": SECRET, "id": int(bot.participant)}
        await manager.request(handle, {"request": "kick", **who})
        with pytest.raises(BotFailed, match="bot: somebody who manages the room"):
            async with asyncio.timeout(PATIENCE_S):
                await bots.performing


async def talking(client: JanusClient, plugin: PluginName) -> bool:
    """Whether anybody in the room is heard to talk, by what their packets say."""
    return any(one["talking"] for one in await client.participants(plugin, ROOMS[plugin]))


@both
async def test_a_room_that_is_closed_is_not_come_back_to(
    janus: JanusServer, plugin: PluginName
) -> None:
    async with nothing_left_behind(), visitor(janus) as manager:
        handle = await manager.attach(plugin)
        made = {"room": 99, "secret": SECRET}
        await manager.request(handle, {"request": "create", "pin": PIN, **made})
        async with joined(room(janus, plugin, 99), "bot"):
            pass
        place = room(janus, plugin, 99)
        async with joined(place, "bot"):
            await manager.request(handle, {"request": "destroy", **made})
            with pytest.raises(RoomError, match="closed") as raised:
                async with asyncio.timeout(PATIENCE_S):
                    await place.lost()
            assert (raised.value.code, raised.value.retryable) == ("room_ended", False)


@pytest.mark.parametrize(
    ("plugin", "number", "shown", "code"),
    [
        ("audiobridge", 4321, {"pin": PIN}, "no_such_room"),
        ("videoroom", "lobby", {"pin": PIN}, "no_such_room"),
        ("audiobridge", BRIDGE, {}, "wrong_pin"),
        ("videoroom", VIDEO, {}, "wrong_pin"),
        ("audiobridge", BRIDGE, {"pin": "wrong"}, "wrong_pin"),
        ("videoroom", VIDEO, {"pin": "wrong"}, "wrong_pin"),
        ("videoroom", VIDEO, {"pin": PIN, "api_secret": "wrong"}, "unauthorized"),
        ("videoroom", VIDEO, {"pin": PIN, "api_secret": None, "token": "wrong"}, "unauthorized"),
    ],
)
async def test_why_a_room_cannot_be_entered_is_told(
    janus: JanusServer,
    plugin: PluginName,
    number: int | str,
    shown: dict[str, str | None],
    code: str,
) -> None:
    async with nothing_left_behind():
        place = JanusRoom(janus.url, plugin, number, **{"api_secret": API_SECRET, **shown})
        with pytest.raises(RoomError) as raised:
            await place.join("bot")
        assert raised.value.code == code, raised.value


async def test_a_token_is_as_good_as_the_secret_for_the_plugins_that_it_names(
    janus: JanusServer,
) -> None:
    allowed = token("audiobridge")
    async with joined(JanusRoom(janus.url, "audiobridge", BRIDGE, pin=PIN, token=allowed), "bot"):
        pass
    with pytest.raises(RoomError, match="does not allow this plugin"):
        await JanusRoom(janus.url, "videoroom", VIDEO, pin=PIN, token=allowed).join("bot")


async def test_a_room_has_so_many_places_and_no_more(janus: JanusServer) -> None:
    async with nothing_left_behind(), joined(room(janus, "videoroom", ONE_PLACE), "first"):
        second = room(janus, "videoroom", ONE_PLACE)
        with pytest.raises(RoomError) as raised:
            await second.join("second")
        assert (raised.value.code, raised.value.retryable) == ("room_full", True)


async def test_a_plugin_that_is_not_there_is_told(tmp_path: Path) -> None:
    server = janus_room.server(tmp_path, "videoroom")
    await asyncio.to_thread(server.start)
    try:
        with pytest.raises(RoomError, match="does not have this plugin"):
            await room(server, "audiobridge").join("bot")
    finally:
        server.kill()


async def test_what_is_no_janus_is_told(janus: JanusServer) -> None:
    async def greet(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.receive()
        return socket

    app = web.Application()
    app.router.add_get("/ws", greet)
    runner = web.AppRunner(app, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        here = f"127.0.0.1:{runner.addresses[0][1]}"
        for url, code in (
            (f"ws://{here}/ws", "not_janus"),
            (f"ws://{here}/other", "unreachable"),
            ("ws://127.0.0.1:1", "unreachable"),
        ):
            with pytest.raises(RoomError) as raised:
                await JanusRoom(url, "videoroom", VIDEO).join("bot")
            assert raised.value.code == code
    finally:
        await runner.cleanup()


async def test_who_is_stopped_while_entering_leaves_nothing_behind(janus: JanusServer) -> None:
    async with visitor(janus) as client:
        for step_s in (0.0, 0.005, 0.01, 0.02, 0.04):
            async with nothing_left_behind():
                place = room(janus, "videoroom")
                entering = asyncio.create_task(place.join("hasty"))
                await asyncio.sleep(step_s)
                entering.cancel()
                await asyncio.gather(entering, return_exceptions=True)
                await place.leave()
        await until_nobody(client)


async def until_nobody(client: JanusClient) -> None:
    """Wait until the room is empty."""
    async with asyncio.timeout(PATIENCE_S):
        while await there(client, "videoroom"):  # noqa: ASYNC110 - it has to be asked
            await asyncio.sleep(0.02)


async def test_leaving_twice_or_without_having_been_there_does_no_harm(janus: JanusServer) -> None:
    place = room(janus, "videoroom")
    await place.leave()
    assert "not in the room" in await place.lost()
    await place.join("bot")
    await place.leave()
    await place.leave()
