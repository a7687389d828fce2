from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from loadtests.peers import calls
from loadtests.peers.calls import Conversation, bot_call, our_call, sounds
from loadtests.peers.heard import Steps
from loadtests.peers.install import PeerUnavailable
from loadtests.peers.process import BotProcess
from loadtests.peers.protocol import Spoken
from tests.loadtests.peers.fakes import fake_bot
from voicepeer import rtc
from voicepeer.child_service import running_service
from voicepeer.client import RequestFailed

pytestmark = pytest.mark.peer

TIMEOUT_S = 60.0
SERVICE = ("--engine", "fake", "--set", "degradation.enabled=false")


async def said_to_the_end(call: Conversation) -> list[Spoken]:
    """What it tells when a text has been made."""
    async with asyncio.timeout(TIMEOUT_S):
        while not (spoken := call.spoken()):  # noqa: ASYNC110 - told beside the call
            await asyncio.sleep(0.02)
    return spoken


async def heard(call: Conversation) -> None:
    """Until something is."""
    async with asyncio.timeout(TIMEOUT_S):
        while not Steps.of(sounds(call.recorder, 0.0)).audible.size:  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_bot_is_called_and_heard() -> None:
    async with fake_bot("--calls") as bot, bot_call(bot) as call:
        assert call.recorder.frames_lost == 0
        call.say("one two three four")
        await heard(call)
        (spoken,) = await said_to_the_end(call)
        assert spoken.audio_s == pytest.approx(0.4)
        assert call.spoken() == []
        call.cancel()
        assert call.peer.connectionState == "connected"
    assert call.peer.connectionState == "closed"


async def test_sounds_have_their_places_in_the_stream() -> None:
    async with fake_bot("--calls") as bot, bot_call(bot) as call:
        call.say("one two three four")
        await heard(call)
        received = sounds(call.recorder, 0.0)
    places = [sound.place_s for sound in received if sound.place_s is not None]
    assert len(places) == len(received)
    assert places == sorted(places)
    middle_s = received[len(received) // 2].at_s
    assert len(sounds(call.recorder, middle_s)) < len(received)
    assert sounds(call.recorder, 0.0, received[0].at_s) == []


async def test_a_service_of_ours_is_called_and_heard(tmp_path: Path) -> None:
    flags = (*SERVICE, "--database", str(tmp_path / "voices.sqlite"))
    async with running_service(flags) as service:
        async with our_call(service.ready.url, "mid") as call:
            call.say("Hello there.")
            await heard(call)
            (spoken,) = await said_to_the_end(call)
            assert spoken.audio_s > 0
            call.say("And this is what will never be said to its end. " * 5)
            call.cancel()
            assert call.peer.connectionState == "connected"
        with pytest.raises(RequestFailed):
            async with our_call(service.ready.url, "nobody"):
                pass


@asynccontextmanager
async def answering(status: int, body: Any) -> AsyncIterator[str]:  # noqa: ANN401 - any JSON
    """Where every offer gets the same answer."""

    async def answer(_request: web.Request) -> web.Response:
        if isinstance(body, str):
            return web.Response(text=body, status=status)
        return web.json_response(body, status=status)

    app = web.Application()
    app.router.add_post("/offer", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("/offer"))


REFUSALS = (
    (200, {"status": "failed", "meta": {"error": "concurrency_limit_reached"}}),
    (400, {"sdp": "v=0", "type": "answer"}),
    (500, "it broke"),
    (200, ["sdp"]),
)


async def test_who_refuses_an_offer_is_unavailable() -> None:
    async with fake_bot() as bot:
        for status, body in REFUSALS:
            async with answering(status, body) as url:
                bot.ready = replace(bot.ready, offer_url=url)
                with pytest.raises(PeerUnavailable, match="offer"):
                    async with bot_call(bot):
                        pass


async def test_who_cannot_be_reached_is_unavailable() -> None:
    async with fake_bot() as bot:
        bot.ready = replace(bot.ready, offer_url="http://127.0.0.1:9/offer")
        with pytest.raises(PeerUnavailable, match="does not answer"):
            async with bot_call(bot):
                pass


async def test_a_connection_that_never_comes_is_not_waited_for_forever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(calls, "CONNECT_TIMEOUT_S", 3.0)
    async with fake_bot("--calls") as bot:
        answer = await calls._post(bot, await _offer())

        async def wrong(_bot: BotProcess, _offer: str) -> str:
            return answer

        monkeypatch.setattr(calls, "_post", wrong)
        with pytest.raises(PeerUnavailable, match="no connection"):
            async with bot_call(bot):
                pass


async def _offer() -> str:
    """Of somebody else."""
    peer = rtc.new_peer()
    peer.createDataChannel("texts")
    peer.addTransceiver("audio")
    try:
        return await rtc.make_offer(peer)
    finally:
        await rtc.close_peer(peer)
