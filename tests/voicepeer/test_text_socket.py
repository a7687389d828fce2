"""Programs that give bots text over WebSockets, and those that may not."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import logging
import textwrap
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import (
    ClientSession,
    ClientWebSocketResponse,
    WSCloseCode,
    WSMsgType,
    WSServerHandshakeError,
)

from signaling.auth import MIN_KEY_CHARS
from tests.peers.clock import unhurried
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from tests.peers.service import LocalService, running
from tests.test_documents import blocks
from voicepeer import text_socket
from voicepeer.bot import BotFailed, BotNews, Listening, Lost, Place
from voicepeer.core.errors import ConfigInvalid
from voicepeer.core.messages import Accepted, Cancelled, Done, Failed, Started
from voicepeer.core.text_feed import Refusal, Told, decode
from voicepeer.stage import on_stage
from voicepeer.text_socket import MAX_CLIENTS, TextAddress, take_text

pytestmark = pytest.mark.peer

TOKEN = "a-token-of-these-tests-only"
ANYWHERE = TextAddress(port=0)


@dataclass
class Stage:
    """Bots that take text, and what they told."""

    service: LocalService
    http: ClientSession
    news: list[BotNews]
    performing: asyncio.Task[int]
    stack: AsyncExitStack

    @property
    def url(self) -> str:
        return next(one.url for one in self.news if isinstance(one, Listening))

    async def connect(
        self, query: str = "", protocols: Sequence[str] = (), **headers: str
    ) -> Giver:
        """Somebody who gives text."""
        url = self.url + query
        socket = await self.http.ws_connect(url, headers=headers, protocols=protocols)
        self.stack.push_async_callback(socket.close)
        return Giver(socket)

    async def refused(self, query: str = "", protocols: Sequence[str] = (), **headers: str) -> int:
        """The status that somebody is turned away with."""
        with pytest.raises(WSServerHandshakeError) as refused:
            await self.connect(query, protocols, **headers)
        return refused.value.status


@dataclass
class Giver:
    """Their end of a socket."""

    socket: ClientWebSocketResponse
    told: list[Told] = field(default_factory=list)

    async def give(self, text: str) -> None:
        await self.socket.send_str(text)

    async def ask(self, kind: str, utterance_id: str, **fields: object) -> None:
        message = {"t": f"utterance.{kind}", "utterance_id": utterance_id} | fields
        await self.give(json.dumps(message))

    async def hears(self, kind: type[Told], about: str | None) -> Told:
        """Wait for an event."""
        async with asyncio.timeout(40):
            while True:
                told = decode(await self.socket.receive_str())
                self.told.append(told)
                if isinstance(told, kind) and told.utterance_id == about:
                    return told

    async def closed(self) -> int | None:
        """Wait for the end; its code."""
        async with asyncio.timeout(40):
            while (await self.socket.receive()).type is WSMsgType.TEXT:
                pass
        return self.socket.close_code


@asynccontextmanager
async def stage(
    address: TextAddress = ANYWHERE, *names: str, service: LocalService | None = None
) -> AsyncIterator[Stage]:
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(nothing_left_behind())
        local = await stack.enter_async_context(running(service))
        http = await stack.enter_async_context(ClientSession())
        news: list[BotNews] = []
        place, cast = Place(local.url, "hall"), [(name, "mid") for name in names or ("Ada",)]
        performing = asyncio.create_task(
            on_stage(place, cast, news.append, lambda bots: take_text(bots, address, news.append))
        )
        try:
            await until(_told_or_done(news, performing), 40)
            yield Stage(local, http, news, performing, stack)
        finally:
            performing.cancel()
            await asyncio.gather(performing, return_exceptions=True)


def _told_or_done(news: list[BotNews], performing: asyncio.Task[int]) -> Callable[[], bool]:
    return lambda: performing.done() or any(isinstance(one, Listening) for one in news)


@unhurried
async def test_plain_text_is_said_and_its_giver_told() -> None:
    async with stage() as bots:
        giver = await bots.connect()
        await giver.give("Hello there.")
        done = await giver.hears(Done, "1")
        assert isinstance(done, Done)
        assert done.audio_ms > 300
        kinds = [type(one) for one in giver.told]
        assert kinds[0] is Accepted
        assert Started in kinds
        assert {one.utterance_id for one in giver.told} == {"1"}


@unhurried
async def test_the_example_of_the_documentation_works() -> None:
    page = (Path(__file__).parents[2] / "docs/bots.md").read_text(encoding="utf-8")
    (example,) = blocks(page, how="listen_client")
    async with stage() as bots:
        code = example.replace("ws://127.0.0.1:8765/", bots.url)
        names: dict[str, object] = {}
        source = f"async def example():\n{textwrap.indent(code, '    ')}"
        exec(compile(source, "docs/bots.md", "exec"), names)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            async with asyncio.timeout(40):
                await names["example"]()  # type: ignore[operator]
    told = printed.getvalue().split()
    assert told[:2] == ["utterance.accepted", "utterance.started"]
    assert "utterance.word" in told


@unhurried
async def test_text_that_grows_is_said_as_it_comes_until_it_is_cancelled() -> None:
    async with stage() as bots:
        giver, other = await bots.connect(), await bots.connect()
        await giver.ask("append", "a", text="one two three four five six seven eight, ")
        await giver.ask("flush", "a")
        await giver.hears(Started, "a")
        await other.ask("cancel", "*")
        await other.ask("cancel", "a")
        refused = await other.hears(Refusal, "a")
        assert isinstance(refused, Refusal)
        assert refused.code == "text_rejected"
        await giver.ask("cancel", "*")
        await giver.hears(Cancelled, "a")
        await giver.ask("append", "a", text="The id is free again.")
        await giver.ask("end", "a")
        await giver.hears(Done, "a")


@unhurried
async def test_what_was_begun_is_said_when_its_giver_leaves() -> None:
    async with stage() as bots:
        giver = await bots.connect()
        await giver.ask("append", "a", text="Nobody has ended this")
        await giver.hears(Accepted, "a")
        await giver.socket.close()
        (session,) = bots.service.sessions
        await until(lambda: session.track.last_speech_s is not None, 30)


@unhurried
async def test_a_bot_is_chosen_by_its_name_and_the_first_one_else() -> None:
    async with stage(ANYWHERE, "Ada", "Bob") as bots:
        ada, bob = bots.service.sessions
        giver = await bots.connect("?bot=bob")
        await giver.give("Hello.")
        await giver.hears(Done, "1")
        assert (ada.track.last_speech_s, bob.track.last_speech_s is None) == (None, False)
        giver = await bots.connect()
        await giver.give("Hello.")
        await giver.hears(Done, "1")
        assert ada.track.last_speech_s is not None
        assert await bots.refused("?bot=Eve") == 404


@unhurried
async def test_a_lost_connection_keeps_what_was_given_before_and_meanwhile() -> None:
    async with stage() as bots:
        giver = await bots.connect()
        await giver.give("one two three four five.")
        await giver.hears(Started, "1")
        await bots.service.sessions[0].close("connection_lost")
        await until(lambda: any(isinstance(one, Lost) for one in bots.news), 30)
        await giver.give("And this was given meanwhile.")
        await giver.hears(Done, "1")
        await giver.hears(Done, "2")
        assert bots.service.sessions[-1].resumed


@unhurried
async def test_what_a_new_session_does_not_know_has_failed() -> None:
    async with stage() as bots:
        giver = await bots.connect()
        await giver.give("one two three four five.")
        await giver.hears(Started, "1")
        await bots.service.sessions[0].close("shutting_down")
        failed = await giver.hears(Failed, "1")
        assert isinstance(failed, Failed)
        assert (failed.code, failed.retryable) == ("connection_lost", False)
        await giver.give("Once more.")
        await giver.hears(Done, "2")


@unhurried
async def test_with_a_token_only_those_come_in_who_show_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(text_socket, "WRONG_TOKENS", 4)
    async with stage(TextAddress(port=0, token=TOKEN)) as bots:
        await bots.connect(Authorization=f"Bearer {TOKEN}")
        page = await bots.connect(protocols=("voicepeer", f"bearer.{TOKEN}"))
        assert page.socket.protocol == "voicepeer"
        for wrong in ({}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": TOKEN}):
            assert await bots.refused(**wrong) == 401
        assert await bots.refused(protocols=("voicepeer", "bearer.x")) == 401
        assert await bots.refused() == 429
        await bots.connect(Authorization=f"Bearer {TOKEN}")


@unhurried
async def test_what_is_no_handshake_is_answered_as_all_else_and_no_token_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with stage(TextAddress(port=0, token=TOKEN)) as bots:
        url, shown = bots.url.replace("ws:", "http:", 1), {"Authorization": f"Bearer {TOKEN}"}
        for method, path, status, code in (
            ("GET", "", 400, "bad_request"),
            ("POST", "", 405, "method_not_allowed"),
            ("GET", "favicon.ico", 404, "not_found"),
            ("DELETE", "a/b/c", 404, "not_found"),
        ):
            async with bots.http.request(method, url + path, headers=shown) as answer:
                assert answer.status == status
                assert (await answer.json())["error"]["code"] == code
        assert await bots.refused(protocols=(f"bearer.{TOKEN}",)) == 400
        other = await bots.connect(protocols=("another", f"bearer.{TOKEN}"))
        assert other.socket.protocol is None
    assert TOKEN not in caplog.text


@unhurried
async def test_pages_come_in_only_from_where_they_are_allowed() -> None:
    address = TextAddress(port=0, origins=frozenset({"https://app.example"}))
    async with stage(address) as bots:
        await bots.connect(Origin="https://app.example")
        assert await bots.refused(Origin="https://evil.example") == 403
        assert await bots.refused(Origin="null") == 403
        # A page whose name leads to this machine has an origin that agrees with its host.
        assert await bots.refused(Host="evil.example", Origin="http://evil.example") == 421
        assert await bots.refused(Host="evil.example") == 421
        answer = await bots.http.get(bots.url.replace("ws:", "http:", 1))
        assert answer.status == 400


@unhurried
async def test_there_is_room_for_so_many_at_once() -> None:
    async with stage() as bots:
        givers = [await bots.connect() for _ in range(MAX_CLIENTS)]
        assert await bots.refused() == 503
        await givers[0].socket.close()
        async with asyncio.timeout(30):
            while True:
                try:
                    await bots.connect()
                    break
                except WSServerHandshakeError:
                    await asyncio.sleep(0.02)


@unhurried
async def test_messages_are_bounded_in_form_size_and_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(text_socket, "BURST", 5)
    monkeypatch.setattr(text_socket, "PER_S", 0.001)
    async with stage() as bots:
        giver = await bots.connect()
        await giver.socket.send_bytes(b"Hello.")
        refused = await giver.hears(Refusal, None)
        assert isinstance(refused, Refusal)
        assert "not binary" in refused.message
        await giver.give("x" * 16_000)
        await giver.hears(Refusal, "1")
        for _ in range(5):
            await giver.give(" ")
        assert await giver.hears(Refusal, None) == Refusal(
            code="rate_limited", message="closing: too many messages"
        )
        assert await giver.closed() == WSCloseCode.POLICY_VIOLATION
        giver = await bots.connect()
        await giver.give("x" * 40_000)
        assert await giver.closed() == WSCloseCode.MESSAGE_TOO_BIG


@unhurried
async def test_whoever_does_not_read_is_put_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_socket, "MAX_UNREAD", 1)
    async with stage() as bots:
        giver = await bots.connect()
        for _ in range(300):
            await giver.give("{")
        assert await giver.closed() == WSCloseCode.ABNORMAL_CLOSURE


@unhurried
async def test_those_who_are_connected_are_told_of_the_end() -> None:
    async with stage() as bots:
        giver = await bots.connect()
        await bots.service.sessions[0].close("ended_by_operator")
        assert await giver.closed() == WSCloseCode.GOING_AWAY
        with pytest.raises(BotFailed, match="ended_by_operator"):
            await bots.performing


@pytest.mark.parametrize(
    ("address", "token", "origins", "part"),
    [
        ("0.0.0.0:80", None, (), "can be reached from outside"),
        ("example.org:80", None, (), "can be reached from outside"),
        ("0.0.0.0:80", "short", (), f"{MIN_KEY_CHARS} characters at least"),
        ("localhost:80", None, ("app.example",), "an origin is like"),
        ("8765", None, (), "is no address"),
        (":8765", None, (), "is no address"),
        ("localhost:", None, (), "is no address"),
        ("localhost:99999", None, (), "is no address"),
        ("localhost:٣", None, (), "is no address"),
    ],
)
def test_where_nobody_may_listen(
    address: str, token: str | None, origins: tuple[str, ...], part: str
) -> None:
    with pytest.raises(ConfigInvalid, match=part):
        TextAddress.at(address, token, origins)


def test_where_one_may() -> None:
    assert TextAddress.at("[::1]:80", None, ()).host == "::1"
    outside = TextAddress.at("0.0.0.0:8765", TOKEN, ("https://app.example",))
    assert (outside.host, outside.port) == ("0.0.0.0", 8765)
    assert TOKEN not in repr(outside)


@unhurried
async def test_an_address_that_is_taken_is_said_so() -> None:
    async with stage() as bots:
        port = int(bots.url.rpartition(":")[2].rstrip("/"))
        with pytest.raises(ConfigInvalid, match=f"cannot listen on 127.0.0.1:{port}"):
            await take_text([], TextAddress(port=port), bots.news.append)
