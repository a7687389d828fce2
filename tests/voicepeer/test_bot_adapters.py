"""``voicepeer bot`` where others run the room, and where programs give it its text."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import jwt
import pytest
from aiohttp import ClientSession

from engines.fakes import FakeSpeechEngine, tone_hz
from tests.peers.ears import Ears
from tests.peers.glitches import count
from tests.peers.livekit_server import KEY, SECRET, livekit_server
from tests.peers.room import until
from tests.peers.service import running
from tests.peers.whip_endpoint import refusing, whip_endpoint
from tests.voicepeer.bot_process import bot, event, rest
from tests.voicepeer.commandline import FAKE, voicepeer
from voicepeer import config
from voicepeer.core.livekit import claims_of
from voicepeer.recorder import Recorder

pytestmark = pytest.mark.peer

TEXT = "Everybody hears this"


def tone_ms(recorder: Recorder, voice: str, text: str = TEXT) -> float:
    """How long a text was heard in a voice."""
    stock = FakeSpeechEngine().stock_voices()[voice]
    return count(recorder.pcm(), tone_hz(text, stock)).tone_ms


async def test_a_bot_publishes_by_whip_what_it_is_given() -> None:
    async with running() as service, whip_endpoint() as endpoint:
        arguments = ("--url", service.url, "--voice", "low", "--whip", endpoint.url, "--stdin")
        async with bot(*arguments, **{config.ENV_WHIP_TOKEN: "a-token"}) as process:
            assert (await event(process))["event"] == "joined"
            assert process.stdin is not None
            process.stdin.write(f"{TEXT}\n".encode())
            assert (await event(process))["event"] == "said"
            first: Ears = endpoint.ears["/sessions/0"]
            await until(lambda: tone_ms(first.recorder, "low") > 600)
            # An endpoint that has forgotten us is published to again.
            await first.close()
            process.stdin.write(f"{TEXT}\n".encode())
            process.stdin.write_eof()
            told, err = await rest(process)
        assert process.returncode == 0, err
        assert [one["event"] for one in told][:2] == ["lost", "joined"]
        assert told[-1] == {"event": "left", "room": endpoint.url, "reason": "done"}
        assert {one.token for one in endpoint.asked} == {"Bearer a-token"}
        assert endpoint.of("DELETE")[-1].path == "/sessions/1"


async def test_an_endpoint_that_refuses_is_quoted() -> None:
    async with running() as service, whip_endpoint() as endpoint:
        endpoint.odd.append(refusing(403, "the stage is closed"))
        async with bot("--url", service.url, "--whip", endpoint.url, "--text", "a") as process:
            told, err = await rest(process)
    assert (process.returncode, told) == (1, [])
    assert "bot: this token may not publish there (403: the stage is closed)" in err
    assert "Traceback" not in err


async def test_bots_in_a_room_of_livekit_share_one_service_with_one_engine(tmp_path: Path) -> None:
    keys = {config.ENV_LIVEKIT_KEY: KEY, config.ENV_LIVEKIT_SECRET: SECRET}
    cast = ("--voice", "high", "--name", "Ada", "--voice", "low", "--name", "Bob")
    database = str(tmp_path / "v.sqlite")
    async with livekit_server() as server:
        where = ("--livekit", server.url, "--room", "hall", *FAKE, "--database", database)
        async with bot(*where, *cast, "--stdin", **keys) as process:
            for _ in cast[::4]:
                assert (await event(process))["event"] == "joined"
            services = _children(process.pid)
            assert [_command(one).count("serve") for one in services] == [1]
            speaking = [one for one in _children(services[0]) if "speech" in _all(one)]
            assert len(speaking) <= 1
            assert process.stdin is not None
            process.stdin.write(f"Ada: {TEXT}\nBob: {TEXT}\n".encode())
            process.stdin.write_eof()
            told, err = await rest(process)
        assert process.returncode == 0, err
        assert [one["event"] for one in told] == ["said", "said", "left"]
        ada, bob = server.publishers
        assert (ada.name, bob.name, ada.room) == ("Ada", "Bob", "hall")
        assert tone_ms(ada.recorder, "high") > 600
        assert tone_ms(bob.recorder, "low") > 600
        assert (ada.left, bob.left) == (True, True)


def _children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(one) for one in text.split()]


def _command(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_text().split("\0")


def _all(pid: int) -> str:
    return " ".join(_command(pid))


async def test_a_program_gives_text_until_the_bot_is_stopped() -> None:
    async with running() as service, ClientSession() as http:
        arguments = ("--url", service.url, "--voice", "low", "--listen-ws", "127.0.0.1:0")
        async with bot(*arguments) as process:
            assert (await event(process))["event"] == "joined"
            listening = await event(process)
            assert listening["event"] == "listening"
            async with http.ws_connect(listening["url"]) as socket:
                await socket.send_str(TEXT)
                while (told := json.loads(await socket.receive_str()))["t"] != "utterance.done":
                    assert told["utterance_id"] == "1"
                process.send_signal(signal.SIGTERM)
                async with asyncio.timeout(10):
                    await socket.receive()
            told, err = await rest(process)
        assert process.returncode == 0, err
        assert told == [{"event": "left", "room": "default", "reason": "stopped"}]
        assert TEXT not in err


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
