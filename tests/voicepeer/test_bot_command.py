"""``voicepeer bot`` as a process of its own, in a room of a service that is another."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from signaling.config import AuthConfig, SignalingConfig
from tests.peers.service import LocalService, running
from tests.signaling.tokens import TOKENS, token
from tests.voicepeer.bot_process import bot, event, rest
from tests.voicepeer.commandline import voicepeer
from voicepeer import config

pytestmark = pytest.mark.peer


async def test_a_script_is_said_by_those_it_names(tmp_path: Path) -> None:
    script = tmp_path / "scene.txt"
    script.write_text("# A scene.\nAda: Who is there?\n\nBob: It is me.\nLet me in.\n")
    cast = ("--voice", "high", "--name", "Ada", "--voice", "low", "--name", "Bob")
    async with (
        running() as service,
        bot("--url", service.url, *cast, "--script", str(script)) as process,
    ):
        told, err = await rest(process)
    assert process.returncode == 0, err
    assert [(one["event"], one.get("bot"), one.get("line")) for one in told] == [
        ("joined", "Ada", None),
        ("joined", "Bob", None),
        ("said", "Ada", 2),
        ("said", "Bob", 4),
        ("said", "Bob", 5),
        ("left", None, None),
    ]
    assert all(one["audio_ms"] > 100 for one in told if one["event"] == "said")


async def test_standard_input_is_said_as_it_comes_until_it_ends() -> None:
    rules = SignalingConfig(auth=AuthConfig(tokens=TOKENS))
    async with (
        running(LocalService(config=rules)) as service,
        bot(
            *("--url", service.url, "--voice", "low", "--room", "hall", "--stdin"),
            **{config.ENV_TOKEN: token(rights=["speak"])},
        ) as process,
    ):
        assert (await event(process))["event"] == "joined"
        assert process.stdin is not None
        for line in (1, 2):
            process.stdin.write("Wie schön.\n".encode())
            said = await event(process)
            assert (said["event"], said["line"]) == ("said", line)
        process.stdin.write(b"x" * 20_000 + b"\nNo end of line")
        process.stdin.write_eof()
        told, err = await rest(process)
    assert [one["event"] for one in told] == ["refused", "said", "left"]
    assert process.returncode == 1, err
    assert "schön" not in err


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)], ids=["SIGINT", "SIGTERM"]
)
async def test_a_signal_ends_it_in_the_middle_of_a_word(number: signal.Signals, code: int) -> None:
    async with (
        running() as service,
        bot("--url", service.url, "--voice", "low", "--stdin") as process,
    ):
        assert (await event(process))["event"] == "joined"
        assert process.stdin is not None
        process.stdin.write(b"This is a rather long text that nobody has the time for. " * 9)
        process.stdin.write(b"\n")
        # More than it takes at once.
        process.stdin.write(b"And then this.\n" * 99)
        (session,) = service.sessions
        while session.track.last_speech_s is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        closed: list[str] = []
        session.on_closed(closed.append)
        process.send_signal(number)
        told, err = await rest(process)
        assert process.returncode == code, err
        assert told == [{"event": "left", "room": "default", "reason": "stopped"}]
        assert "Traceback" not in err
        assert "Exception" not in err
        assert closed == ["client_left"]
        assert len(service.conferences) == 0


@pytest.mark.parametrize(
    ("arguments", "code", "part"),
    [
        (["--text", "a", "--url", "ftp://here"], 2, "http://"),
        (["--text", "a", "--voice", "low", "--voice", "high"], 2, "give each --voice a --name"),
        (["--text", "a", "--name", "a", "--name", "b"], 2, "give each --voice a --name"),
        (["--text", "a", *"--voice a --name x --voice b --name X".split()], 2, "the same --name"),
        (["--script", "nowhere.txt"], 2, "nowhere.txt cannot be read: no such file"),
        (["--script", sys.executable], 2, "is no text: write it in UTF-8"),
        (["--text", "a", "--stdin"], 2, "not allowed with"),
        (["--voice", "low"], 2, "--text --script --stdin"),
        (["--text", "a", "--url", "http://localhost:1"], 1, "bot: no service at"),
    ],
)
def test_what_cannot_be_is_said_in_words(arguments: list[str], code: int, part: str) -> None:
    ran = voicepeer("bot", *arguments)
    assert ran.code == code
    assert part in ran.complaint
    assert ran.out == ""
