"""The RTVI channel as clients that are not ours see it: raw texts over a real connection."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.peers.caller import Connected, connected
from tests.peers.clock import unhurried
from tests.peers.sounds import vowel
from voicepeer import __version__
from voicepeer.core.envelope import MAX_MESSAGE_BYTES, RTVI_LABEL, RTVI_VERSION
from voicepeer.core.messages import Accepted, Done
from voicepeer.session_state import SessionSettings

pytestmark = pytest.mark.peer

ABOUT = {"library": "@pipecat-ai/client-js", "library_version": "1.13.1"}


@dataclass
class RtviClient:
    """What any RTVI client can do: send JSON, and see what comes."""

    both: Connected
    heard: list[dict[str, Any]] = field(default_factory=list)
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    def send(self, kind: str, data: object, request_id: object = "") -> None:
        message = {"label": RTVI_LABEL, "type": kind, "id": request_id, "data": data}
        self.both.call.channel.send(json.dumps(message))

    def ask(self, name: str, request_id: str, **fields: object) -> None:
        self.send("client-message", {"t": name, "d": fields}, request_id)

    def take(self, data: str | bytes) -> None:
        self.heard.append(json.loads(data))

    def kinds(self) -> list[str]:
        """Names of what came, without our own events."""
        return [one["type"] for one in self.heard if one["type"] != "server-message"]

    async def until(
        self, true: Callable[[dict[str, Any]], bool], within_s: float = 40.0
    ) -> dict[str, Any]:
        """The first message of which something is true."""
        async with asyncio.timeout(within_s):
            while True:
                for one in self.heard:
                    if true(one):
                        return one
                await asyncio.sleep(0.02)

    async def of(self, kind: str) -> dict[str, Any]:
        return await self.until(lambda one: one["type"] == kind)

    async def answer(self, request_id: str) -> dict[str, Any]:
        return await self.until(lambda one: one.get("id") == request_id)

    async def introduce(self, version: str = RTVI_VERSION) -> dict[str, Any]:
        self.send("client-ready", {"version": version, "about": ABOUT}, "ready1")
        return await self.answer("ready1")


@asynccontextmanager
async def rtvi(settings: SessionSettings | None = None) -> AsyncIterator[RtviClient]:
    """A client that has not introduced itself yet."""
    async with connected(settings=settings) as both:
        client = RtviClient(both)
        both.call.channel.on("message", client.take)
        yield client


@unhurried
async def test_the_handshake_tells_both_versions_under_the_same_id() -> None:
    async with rtvi() as client:
        ready = await client.introduce()
        assert ready["type"] == "bot-ready"
        assert ready["data"]["version"] == RTVI_VERSION
        assert ready["data"]["about"] == {"library": "voicepeer", "library_version": __version__}


@pytest.mark.parametrize("version", ["3.0.0", "0.9.1", "x"])
@unhurried
async def test_an_incompatible_version_is_a_fatal_error(version: str) -> None:
    async with rtvi() as client:
        refused = await client.introduce(version)
        assert refused["type"] == "error"
        assert refused["data"]["fatal"] is True
        assert refused["data"]["code"] == "protocol_unsupported"
        assert RTVI_VERSION in refused["data"]["error"]
        assert refused["data"]["message"] == refused["data"]["error"]


@unhurried
async def test_a_text_is_told_as_rtvi_tells_it() -> None:
    async with rtvi() as client:
        await client.introduce()
        await client.both.use_stock_voice()
        client.send("send-text", {"content": "Hello there, my friend. It is me again."}, "t1")
        await client.of("bot-stopped-speaking")
        kinds = [kind for kind in client.kinds() if kind not in ("bot-ready", "server-response")]
        assert kinds[0] == "bot-tts-started"
        assert kinds[1:3] == ["bot-started-speaking", "metrics"]
        assert kinds[-3:] == ["metrics", "bot-tts-stopped", "bot-stopped-speaking"]
        words = [one["data"]["text"] for one in client.heard if one["type"] == "bot-tts-text"]
        assert " ".join(words) == "Hello there, my friend. It is me again."
        outputs = [one["data"] for one in client.heard if one["type"] == "bot-output"]
        finished = [one["text"] for one in outputs if one["spoken_status"] == "completed"]
        assert finished == ["Hello there, my friend.", "It is me again."]
        assert all(one["will_be_spoken"] for one in outputs)
        ttfb = next(one for one in client.heard if "ttfb" in (one["data"] or {}))["data"]["ttfb"]
        assert ttfb[0]["processor"] == "fake"
        assert 0 < ttfb[0]["value"] < 5


@unhurried
async def test_a_text_interrupts_unless_it_is_told_to_wait() -> None:
    async with rtvi() as client:
        await client.introduce()
        await client.both.use_stock_voice()
        client.send("send-text", {"content": "A long text that is never said to its end."})
        await client.of("bot-started-speaking")
        client.send("send-text", {"content": "This."})
        client.send(
            "send-text",
            {"content": "And this.", "options": {"run_immediately": False}},
        )
        await client.both.wait_for(Done, 2)
        assert client.kinds().count("bot-interrupted") == 1
        assert len(client.both.got(Accepted)) == 3


@unhurried
async def test_without_audio_a_text_only_comes_back() -> None:
    async with rtvi() as client:
        await client.introduce()
        client.send("send-text", {"content": "Quiet.", "options": {"audio_response": False}})
        output = (await client.of("bot-output"))["data"]
        assert output == {"text": "Quiet.", "aggregated_by": "sentence", "will_be_spoken": False}


@unhurried
async def test_every_request_with_an_id_is_answered_once_under_it() -> None:
    async with rtvi() as client:
        await client.introduce()
        client.ask("voice.use", "r1", voice_id="mid")
        client.ask("stats.get", "r2")
        client.ask("ping", "r3", sent_ms=7.5)
        client.ask("utterance.speak", "r4", utterance_id="u", text="Hi.")
        client.ask("session.configure", "r5", barge_in=True)
        client.ask("voice.use", "e1", voice_id="nobody")
        client.ask("no.such", "e2")
        client.ask("utterance.flush", "e3", utterance_id="gone")
        client.send("client-message", {"t": 7}, "e4")
        await client.answer("e3")
        await client.both.wait_for(Done)
        answers = {one["id"]: one for one in client.heard if one["id"]}
        assert answers["r1"]["data"] == {"t": "voice.use", "d": {"voice_id": "mid", "name": "mid"}}
        assert answers["r2"]["data"]["d"]["utterances"] == 0
        assert answers["r3"]["data"] == {"t": "ping", "d": {"sent_ms": 7.5}}
        assert answers["r4"]["data"] == {"t": "utterance.speak", "d": {}}
        assert answers["r5"]["data"]["d"]["barge_in"] is True
        for name, code in (
            ("e1", "voice_not_found"),
            ("e2", "bad_message"),
            ("e3", "text_rejected"),
        ):
            assert answers[name]["type"] == "error-response"
            assert answers[name]["data"]["code"] == code
        assert answers["e3"]["data"]["utterance_id"] == "gone"
        for name in answers:
            assert sum(one["id"] == name for one in client.heard) == 1


@pytest.mark.parametrize("kind", ["dtmf", "ui-event", "append-to-context", "server-message"])
@unhurried
async def test_what_nobody_here_could_do_is_refused_under_its_id(kind: str) -> None:
    async with rtvi() as client:
        await client.introduce()
        client.send(kind, {"buttons": ["1"]}, "x1")
        refused = await client.answer("x1")
        assert (refused["type"], refused["data"]["fatal"]) == ("error", False)


@unhurried
async def test_what_is_too_large_or_no_json_is_answered_and_the_session_goes_on() -> None:
    async with rtvi() as client:
        await client.introduce()
        channel = client.both.call.channel
        channel.send("x" * (MAX_MESSAGE_BYTES + 1))
        channel.send("{")
        channel.send(b"\xff\x00")
        await client.until(lambda one: "15001" in str(one["data"].get("error")))
        client.ask("ping", "after")
        await client.answer("after")
        assert client.kinds().count("error") == 3


@unhurried
async def test_texts_of_the_transport_keep_the_session_alive_and_are_not_answered() -> None:
    patience = SessionSettings(silence_timeout_s=1.5)
    async with rtvi(patience) as client:
        await client.introduce()
        channel = client.both.call.channel
        status = {"type": "trackStatus", "receiver_index": 0, "enabled": False}
        channel.send(json.dumps({"type": "signalling", "message": status}))
        heard = len(client.heard)
        for _ in range(3):
            channel.send(f"ping: {round(time.time() * 1000)}")
            await asyncio.sleep(0.2)
        assert len(client.heard) == heard
        assert client.both.closed_for == []


@unhurried
async def test_disconnect_bot_ends_the_session_and_says_so_first() -> None:
    async with rtvi() as client:
        await client.introduce()
        channel = client.both.call.channel
        channel.send('{"type":"signalling","message":{"type":"trackStatus"}}')
        client.send("disconnect-bot", {})
        left = await client.until(lambda one: one.get("type") == "signalling")
        assert left["message"] == {"type": "peerLeft"}
        async with asyncio.timeout(5):
            while not client.both.closed_for:  # noqa: ASYNC110 - a list of the test's own
                await asyncio.sleep(0.02)
        assert client.both.closed_for == ["client_left"]


@unhurried
async def test_levels_of_both_sides_are_told_where_they_are_asked_for() -> None:
    async with rtvi() as client:
        await client.introduce()
        await client.both.use_stock_voice()
        client.ask("session.configure", "on", audio_levels=True)
        assert (await client.answer("on"))["data"]["d"]["audio_levels"] is True
        client.send("send-text", {"content": "Hello there."})
        client.both.call.speak_into_microphone(vowel(1.0))
        for kind in ("bot-audio-level", "user-audio-level"):
            loud = await client.until(
                lambda one, kind=kind: one["type"] == kind and one["data"]["value"] > 0.5  # type: ignore[misc]
            )
            assert loud["data"]["value"] <= 1
        client.ask("session.configure", "off", audio_levels=False)
        await client.answer("off")
        told = len(client.kinds())
        await asyncio.sleep(0.5)
        late = client.kinds()[told:]
        assert sum("level" in kind for kind in late) <= 2, "one pair may have been on its way"


@unhurried
async def test_our_own_clients_are_spared_what_they_know_already() -> None:
    async with rtvi() as client:
        await client.both.use_stock_voice()
        client.both.call.channel.send("ping: 1")
        client.ask("utterance.speak", "", utterance_id="u", text="Hello.")
        await client.both.wait_for(Done)
        assert set(client.kinds()) <= {"bot-ready"}
