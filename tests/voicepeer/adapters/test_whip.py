"""Publishing by WHIP: to an endpoint of somebody else that tries our patience, and to our own."""

from __future__ import annotations

import asyncio
import textwrap
import time
from pathlib import Path

import pytest
from aioice import stun

from engines.fakes import FakeSpeechEngine, tone_hz
from signaling.config import AuthConfig, SignalingConfig
from tests.peers.clock import unhurried
from tests.peers.ears import FRAME_S, packets
from tests.peers.glitches import count, tone
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from tests.peers.service import LocalService, running
from tests.peers.whip_endpoint import SDP, Endpoint, Odd, refusing, whip_endpoint
from tests.signaling.tokens import TOKENS, token
from tests.test_documents import blocks
from voicepeer.adapters import RoomError, joined
from voicepeer.adapters.whip import MAX_REDIRECTS, WhipRoom
from voicepeer.core.whip import WhipFailed

pytestmark = pytest.mark.peer


async def speak(room: WhipRoom, seconds: float = 0.4) -> None:
    for packet in packets(tone(seconds)):
        room.push(packet)
        await asyncio.sleep(FRAME_S)


@unhurried
async def test_an_endpoint_hears_what_is_pushed_until_it_is_left() -> None:
    async with nothing_left_behind(), whip_endpoint() as endpoint:
        room = WhipRoom(endpoint.url, "a-token")
        async with joined(room, "Ada"):
            await speak(room)
            (ears,) = endpoint.ears.values()
            await until(lambda: count(ears.recorder.pcm()).tone_ms > 250, 20)
        (offer,), (ended,) = endpoint.of("POST"), endpoint.of("DELETE")
        assert (offer.path, offer.kind) == ("/whip/stage", SDP)
        assert "a=sendonly" in offer.body
        assert "a=candidate:" in offer.body
        assert ended.path == "/sessions/0"
        assert {one.token for one in endpoint.asked} == {"Bearer a-token"}
        await room.leave()
        assert len(endpoint.of("DELETE")) == 1


@unhurried
async def test_our_own_endpoint_takes_it_and_is_told_of_the_end() -> None:
    config = SignalingConfig(auth=AuthConfig(tokens=TOKENS))
    async with nothing_left_behind(), running(LocalService(config=config)) as service:
        room = WhipRoom(f"{service.url}/whip/hall", token(rights=["enrol"]))
        async with joined(room, "Ada"):
            (session,) = service.sessions
            await until(lambda: session.connected, 20)
            await speak(room, 0.1)
        assert ("session_closed", ("client_left",)) in service.observer.told


@unhurried
async def test_our_own_endpoint_is_understood_when_it_refuses() -> None:
    config = SignalingConfig(auth=AuthConfig(tokens=TOKENS))
    async with nothing_left_behind(), running(LocalService(config=config)) as service:
        for path, with_token, part in (
            ("/whip/hall", None, r"wants a token, or another one.*\(401: "),
            ("/whip/hall", token(rights=["listen"]), r"does not let this token publish \(403: "),
            ("/v1/whip", token(), r"no such endpoint.*\(404: "),
            ("/healthz", token(), r"nothing can be published at this URL.*\(405"),
        ):
            room = WhipRoom(service.url + path, with_token)
            with pytest.raises(RoomError, match=part):
                await room.join("Ada")


@unhurried
async def test_redirects_are_followed_with_the_offer_and_the_token() -> None:
    async with nothing_left_behind(), whip_endpoint() as endpoint:
        endpoint.location = "/sessions/{number}"
        endpoint.odd += [refusing(307, Location="/edge/1"), refusing(308, Location="2?a=b")]
        async with joined(WhipRoom(endpoint.url, "a-token"), "Ada"):
            pass
        posted = endpoint.of("POST")
        assert [one.path for one in posted] == ["/whip/stage", "/edge/1", "/edge/2?a=b"]
        assert len({one.body for one in posted}) == 1
        assert {one.token for one in posted} == {"Bearer a-token"}
        assert [one.path for one in endpoint.of("DELETE")] == ["/sessions/0"]


@unhurried
async def test_a_token_is_not_shown_in_the_clear_to_another_origin() -> None:
    async with whip_endpoint() as one, whip_endpoint() as other:
        one.odd.append(refusing(307, Location=other.url))
        async with joined(WhipRoom(one.url, "a-token"), "Ada"):
            pass
        assert {asked.token for asked in one.asked} == {"Bearer a-token"}
        assert {asked.token for asked in other.asked} == {None}
        one.odd.append(refusing(307, Location=other.url))
        other.odd.append(refusing(401))
        with pytest.raises(RoomError, match="redirected to without encryption"):
            await WhipRoom(one.url, "a-token").join("Ada")


@pytest.mark.parametrize(
    ("odd", "part", "retryable"),
    [
        (refusing(302, Location="/whip/other"), "redirects in a way that would lose", False),
        (refusing(307), "more than 5 times", False),
        (refusing(307, Location="ftp://h/"), "Location that is no http URL", False),
        (
            refusing(403, "not for you"),
            r"does not let this token publish \(403: not for you\)",
            False,
        ),
        (refusing(404), "check the URL", False),
        (refusing(406), "one section of Opus audio", False),
        (refusing(422), "cannot take it", False),
        (refusing(503, Retry_After="7"), "asked again in 7 s", True),
        (refusing(500, "<html>"), r"has failed \(500\)", True),
        (refusing(200, "<html>hello"), "did not answer with SDP", False),
        (refusing(201, "v=0\r\n" + "a" * 300_000), "more than any description", False),
        (refusing(201, "v=0\r\nm=audio 0 X 0\r\n"), "takes no audio", False),
        (refusing(201, "v=0\r\nm=audio 9 X 0\r\n"), "malformed", True),
    ],
)
@unhurried
async def test_what_is_no_session_is_said_in_words(odd: Odd, part: str, retryable: bool) -> None:
    async with nothing_left_behind(), whip_endpoint() as endpoint:
        endpoint.odd += [odd] * (MAX_REDIRECTS + 1)
        room = WhipRoom(endpoint.url)
        with pytest.raises(RoomError, match=part) as refused:
            await room.join("Ada")
        assert refused.value.retryable is retryable


@unhurried
async def test_whoever_cannot_be_reached_is_named() -> None:
    with pytest.raises(RoomError, match="cannot be reached: .*localhost:1 ") as refused:
        await WhipRoom("http://localhost:1/whip").join("Ada")
    assert refused.value.retryable
    with pytest.raises(WhipFailed, match="http:// or https:// URL"):
        WhipRoom("rtmp://localhost/live")


@unhurried
async def test_a_session_whose_answer_is_of_no_use_is_ended_again() -> None:
    def edit(sdp: str) -> str:
        return sdp.replace("a=recvonly", "a=inactive")

    async with nothing_left_behind(), whip_endpoint(Endpoint(edit=edit)) as endpoint:
        with pytest.raises(RoomError, match="does not want to receive"):
            await WhipRoom(endpoint.url).join("Ada")
        assert [one.path for one in endpoint.of("DELETE")] == ["/sessions/0"]


@unhurried
async def test_it_can_be_joined_again_when_it_was_lost() -> None:
    async with nothing_left_behind(), whip_endpoint() as endpoint:
        room = WhipRoom(endpoint.url)
        async with joined(room, "Ada"):
            losing = asyncio.create_task(room.lost())
            await endpoint.ears["/sessions/0"].close()
            async with asyncio.timeout(30):
                assert "was lost" in await losing
            await room.join("Ada")
            await speak(room)
            ears = endpoint.ears["/sessions/1"]
            await until(lambda: count(ears.recorder.pcm()).tone_ms > 250, 20)
        # What was lost is ended first, lest the endpoint takes us for a second publisher.
        assert [one.path for one in endpoint.of("DELETE")] == ["/sessions/0", "/sessions/1"]


@unhurried
async def test_an_endpoint_that_asks_for_time_gets_it() -> None:
    async with whip_endpoint() as endpoint:
        room = WhipRoom(endpoint.url)
        endpoint.odd.append(refusing(503, Retry_After="1"))
        with pytest.raises(RoomError, match="asked again in 1 s"):
            await room.join("Ada")
        refused_s = time.monotonic()
        async with joined(room, "Ada"):
            assert time.monotonic() - refused_s > 0.9


@pytest.mark.parametrize("early", [True, False], ids=["before", "with the answer"])
@unhurried
async def test_servers_that_an_endpoint_names_are_used(early: bool) -> None:
    asked = 0

    async def turn_away(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal asked
        asked += 1
        request = stun.parse_message(await reader.read(1_000))
        method, transaction = request.message_method, request.transaction_id
        refusal = stun.Message(method, stun.Class.ERROR, transaction)
        refusal.attributes["ERROR-CODE"] = (403, "Forbidden")
        writer.write(bytes(refusal))
        await reader.read()
        writer.close()

    relay = await asyncio.start_server(turn_away, "127.0.0.1", 0)
    at = f"turn:127.0.0.1:{relay.sockets[0].getsockname()[1]}?transport=tcp"
    link = f'<{at}>; rel="ice-server"; username="u"; credential="c"'
    async with relay, whip_endpoint(Endpoint(links=(link,), links_early=early)) as endpoint:
        room = WhipRoom(endpoint.url)
        for connections in (1, 2) if early else (0, 1):
            async with joined(room, "Ada"):
                assert asked == connections


@unhurried
async def test_an_endpoint_without_a_session_url_cannot_be_told_of_the_end() -> None:
    async with nothing_left_behind(), whip_endpoint(Endpoint(location=None)) as endpoint:
        async with joined(WhipRoom(endpoint.url), "Ada"):
            pass
        assert endpoint.of("DELETE") == []


@unhurried
async def test_the_example_of_the_documentation_works() -> None:
    page = (Path(__file__).parents[3] / "docs/bots.md").read_text(encoding="utf-8")
    (example,) = blocks(page, how="whip_client")
    async with nothing_left_behind(), running() as service, whip_endpoint() as endpoint:
        for shown, meant in (
            ("https://media.example/whip/stage", endpoint.url),
            ("http://localhost:8080", service.url),
            ('voice("Ada")', 'voice("low")'),
        ):
            assert example.count(shown) == 1
            example = example.replace(shown, meant)
        names: dict[str, object] = {}
        source = f"async def example():\n{textwrap.indent(example, '    ')}"
        exec(compile(source, "docs/bots.md", "exec"), names)
        async with asyncio.timeout(20):
            await names["example"]()  # type: ignore[operator]
        (ears,) = endpoint.ears.values()
        said_hz = tone_hz("Hello, everybody.", FakeSpeechEngine().stock_voices()["low"])
        assert count(ears.recorder.pcm(), said_hz).tone_ms > 500
