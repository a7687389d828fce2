"""``voicepeer bot`` where others run the room, and where programs give it its text."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import signal
import time
from pathlib import Path

import jwt
import pytest
from aiohttp import ClientSession

from engines.fakes import FakeSpeechEngine, tone_hz
from tests.peers.glitches import count
from tests.peers.livekit_server import KEY, SECRET, livekit_server
from tests.peers.room import until
from tests.peers.service import running
from tests.peers.whip_endpoint import whip_endpoint
from tests.voicepeer.bot_process import bot, event, rest
from tests.voicepeer.commandline import FAKE, voicepeer
from voicepeer import config
from voicepeer.commands import elsewhere
from voicepeer.core.errors import ConfigInvalid
from voicepeer.core.livekit import claims_of
from voicepeer.recorder import Recorder

pytestmark = pytest.mark.peer

TEXT = "Everybody hears this"


def tone_ms(recorder: Recorder, voice: str, text: str = TEXT) -> float:
    """How long a text was heard in a voice."""
    stock = FakeSpeechEngine().stock_voices()[voice]
    return count(recorder.pcm(), tone_hz(text, stock)).tone_ms


async def test_what_a_program_gives_is_published_by_whip_until_the_bot_is_stopped() -> None:
    async with running() as service, whip_endpoint() as endpoint, ClientSession() as http:
        where = ("--url", service.url, "--whip", endpoint.url, "--listen-ws", "127.0.0.1:0")
        async with bot("--voice", "low", *where, **{config.ENV_WHIP_TOKEN: "a-token"}) as process:
            assert (await event(process))["event"] == "joined"
            listening = await event(process)
            assert listening["event"] == "listening"
            async with http.ws_connect(listening["url"]) as socket:
                await socket.send_str(TEXT)
                while (told := json.loads(await socket.receive_str()))["t"] != "utterance.done":
                    assert told["utterance_id"] == "1"
                (ears,) = endpoint.ears.values()
                await until(lambda: tone_ms(ears.recorder, "low") > 300, 20)
                process.send_signal(signal.SIGTERM)
                async with asyncio.timeout(20):
                    await socket.receive()
            told, err = await rest(process)
        assert process.returncode == 0, err
        assert told == [{"event": "left", "room": endpoint.url, "reason": "stopped"}]
        assert TEXT not in err
        assert {one.token for one in endpoint.asked} == {"Bearer a-token"}
        assert [one.method for one in endpoint.asked] == ["OPTIONS", "POST", "DELETE"]


async def test_bots_in_a_room_of_livekit_share_one_service_with_one_engine(tmp_path: Path) -> None:
    keys = {config.ENV_LIVEKIT_KEY: KEY, config.ENV_LIVEKIT_SECRET: SECRET}
    cast = ("--voice", "high", "--name", "Ada", "--voice", "low", "--name", "Bob")
    database = str(tmp_path / "v.sqlite")
    async with livekit_server() as server:
        where = ("--livekit", server.url, "--room", "hall", *FAKE, "--database", database)
        async with bot(*where, *cast, "--stdin", **keys) as process:
            joined: set[str] = set()
            while len(joined) < 2:
                news = await event(process)
                if news["event"] == "joined":
                    joined.add(news["bot"])
            assert sum(map(_is_service, _children(process.pid))) == 1
            process.send_signal(signal.SIGTERM)
            told, err = await rest(process)
        assert process.returncode == 0, err
        assert told[-1] == {"event": "left", "room": "hall", "reason": "stopped"}
        publishers = server.publishers
        await until(lambda: {one.name for one in publishers if one.left} == {"Ada", "Bob"}, 10)


async def test_a_bot_comes_back_to_a_room_of_livekit_with_its_sdk() -> None:
    token = livekit_token(time.time())
    async with running() as service, livekit_server() as server:
        where = ("--url", service.url, "--livekit", server.url, "--voice", "low", "--stdin")
        async with bot(*where, **{config.ENV_LIVEKIT_TOKEN: token}) as process:
            assert (await event(process))["event"] == "joined"
            await server.publishers[0].close()
            while (await event(process))["event"] != "back":
                pass
            assert process.stdin is not None
            process.stdin.write(f"{TEXT}\n".encode())
            process.stdin.write_eof()
            told, err = await rest(process)
        assert process.returncode == 0, err
        assert "said" in [one["event"] for one in told]
        assert sum(tone_ms(one.recorder, "low") for one in server.publishers[1:]) > 200
        assert {one.identity for one in server.publishers} == {"ada"}


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(one) for one in text.split()]


def _is_service(pid: int) -> bool:
    return "serve" in Path(f"/proc/{pid}/cmdline").read_text().split("\0")


def livekit_token(now_s: float = 4e9, room: str = "hall") -> str:
    claims = dict(claims_of(KEY, room, "ada", "Ada", now_s))
    return jwt.encode(claims, SECRET, "HS256")


WHIP = ("--whip", "http://localhost:1/w")
LIVEKIT = ("--livekit", "ws://localhost:1")
TWO = ("--voice", "a", "--name", "a", "--voice", "b", "--name", "b")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--whip", "rtmp://h/live"), "http:// or https:// URL"),
        ((*WHIP, "--room", "hall"), "--whip takes no --room"),
        ((*WHIP, *LIVEKIT), "--livekit and --whip are two rooms"),
        (("--whip-token", "t"), "--whip-token is for --whip"),
        ((*WHIP, *TWO), "a place for one bot"),
        ((*LIVEKIT, "--room", "hall"), "takes a token in $VOICEPEER_LIVEKIT_TOKEN"),
        (("--livekit", "rtc://h", "--livekit-token", "t"), "begins with wss://"),
        ((*LIVEKIT, "--livekit-token", "t"), "no JWT"),
        ((*LIVEKIT, "--livekit-token", livekit_token(), "--room", "foyer"), "another room"),
        ((*LIVEKIT, "--livekit-token", livekit_token(1e9)), "has expired"),
        ((*LIVEKIT, "--livekit-token", livekit_token(), *TWO), "a place for one bot"),
        (("--listen-token", "t"), "are for --listen-ws"),
    ],
)
def test_what_cannot_be_is_said_in_words(arguments: tuple[str, ...], part: str) -> None:
    ran = voicepeer("bot", "--text", "a", *arguments)
    assert ran.code == 2
    assert part in ran.complaint


def test_another_package_of_livekits_is_not_its_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "livekit.rtc" else find(name)
    )
    parser = argparse.ArgumentParser()
    elsewhere.add_options(parser)
    parser.add_argument("--room")
    with pytest.raises(ConfigInvalid, match=r"pip install 'voicepeer\[livekit\]'"):
        elsewhere.chosen(parser.parse_args([*LIVEKIT, "--room", "hall"]))


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--listen-ws", "0.0.0.0:8765"), "can be reached from outside"),
        (("--listen-ws", "8765"), "is no address"),
        (("--listen-ws", "--listen-token", "short"), "16 characters at least"),
        (("--listen-ws", "--listen-origin", "here"), "an origin is like"),
    ],
)
def test_where_nobody_may_listen_is_said_in_words(arguments: tuple[str, ...], part: str) -> None:
    ran = voicepeer("bot", *arguments)
    assert ran.code == 2
    assert part in ran.complaint


def test_livekit_without_its_sdk_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    ran = voicepeer("bot", "--text", "a", *LIVEKIT)
    assert ran.code == 2
    assert "pip install 'voicepeer[livekit]'" in ran.complaint
