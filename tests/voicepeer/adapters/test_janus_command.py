"""``voicepeer bot --janus`` with the service that it starts itself, and the words of the engine."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from engines.resampling import resample
from tests.peers.room import until
from tests.peers.service import running
from tests.voicepeer.adapters import janus_room
from tests.voicepeer.adapters.janus_room import (
    API_SECRET,
    BRIDGE,
    PIN,
    PLUGINS,
    ROOMS,
    ears,
    room,
    visitor,
)
from tests.voicepeer.bots import PATIENCE_S, stage
from tests.voicepeer.commandline import FAKE, voicepeer
from voicepeer import config
from voicepeer.benches import janus_server
from voicepeer.benches.janus_server import JanusServer
from voicepeer.bot import Joined, Place, Said
from voicepeer.child_service import running_service
from voicepeer.core.janus.plugins import PluginName
from voicepeer.core.pcm import LISTEN_RATE_HZ, WIRE_RATE_HZ
from voicepeer.recorder import AUDIBLE_DBFS, trim
from voicepeer.words import keyword_check

pytestmark = [pytest.mark.engine, pytest.mark.needs("janus")]

SENTENCE = "We left the house before the sun was up."
LIMIT_S = 60.0


@pytest.fixture(scope="module")
def janus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JanusServer]:
    """The one server of these tests."""
    with janus_server.running(janus_room.server(tmp_path_factory.mktemp("janus"))) as server:
        yield server


@asynccontextmanager
async def bot(
    janus: JanusServer, plugin: PluginName, database: Path, *more: str, pin: str = PIN
) -> AsyncIterator[asyncio.subprocess.Process]:
    """The command in a room, with the JSON that it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voicepeer", "bot", "--json", "--janus", janus.url),
        *("--plugin", plugin, "--room", str(ROOMS[plugin]), "--database", str(database), *more),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {config.ENV_JANUS_PIN: pin, config.ENV_JANUS_SECRET: API_SECRET},
    )
    try:
        async with asyncio.timeout(LIMIT_S):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def event(process: asyncio.subprocess.Process) -> Any:  # noqa: ANN401 - JSON
    assert process.stdout is not None
    line = await process.stdout.readline()
    assert line, (await process.communicate())[1].decode()
    return json.loads(line)


async def rest(process: asyncio.subprocess.Process) -> tuple[list[Any], str]:
    """What else it prints, and what it complains of, once it has ended."""
    out, err = await process.communicate()
    return [json.loads(line) for line in out.splitlines()], err.decode()


async def test_the_words_of_the_engine_are_heard_by_other_participants(
    janus: JanusServer, tmp_path: Path
) -> None:
    # One service for both kinds of rooms: most of the time goes into loading its models.
    async with running_service(["--database", str(tmp_path / "v.sqlite")]) as service:
        for plugin in PLUGINS:
            elsewhere = functools.partial(room, janus, plugin)
            place = Place(service.ready.url, "default", elsewhere=elsewhere)
            async with stage(place, ("Bob", "af_heart")) as bots, visitor(janus) as ada:
                (bob,) = await bots.told(Joined)
                async with ears(ada, plugin, bob.participant) as recorder:
                    await until(lambda: recorder.receiver.last_packet_s is not None, PATIENCE_S)
                    bots.lines.give(SENTENCE)
                    await bots.told(Said)
                    assert await bots.end() == 0
                    heard = trim(recorder.pcm())
            assert keyword_check(resample(heard, WIRE_RATE_HZ, LISTEN_RATE_HZ), SENTENCE) > 0.6


async def test_a_signal_ends_it_in_the_middle_of_a_word(janus: JanusServer, tmp_path: Path) -> None:
    fake = *FAKE, "--voice", "mid", "--text", "This is a rather long text. " * 60
    async with (
        visitor(janus) as ada,
        bot(janus, "audiobridge", tmp_path / "v.sqlite", *fake) as process,
    ):
        joined = await event(process)
        async with ears(ada, "audiobridge", joined["participant"]) as recorder:
            await until(lambda: recorder.first_over(AUDIBLE_DBFS, 0.0) is not None, PATIENCE_S)
            process.send_signal(signal.SIGTERM)
            told, err = await rest(process)
            left = await ada.participants("audiobridge", BRIDGE)
    assert process.returncode == 0, err
    assert told == [{"event": "left", "room": str(BRIDGE), "reason": "stopped"}]
    assert joined["participant"] not in [str(one["id"]) for one in left]


async def test_a_wrong_pin_is_said_in_words(janus: JanusServer, tmp_path: Path) -> None:
    async with running() as service:
        says = "--url", service.url, "--voice", "mid", "--text", "Hello."
        async with bot(janus, "videoroom", tmp_path / "v.sqlite", *says, pin="wrong") as process:
            told, err = await rest(process)
    assert (process.returncode, told) == (1, [])
    assert err.strip().splitlines()[-1].endswith("bot: the PIN is not that of the room")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--janus", "http://localhost:8088", "--plugin", "videoroom", "--room", "1"], "ws://"),
        (["--janus", "ws://localhost:8188", "--room", "1"], "--plugin audiobridge or videoroom"),
        (["--janus", "ws://localhost:8188", "--plugin", "videoroom"], "--room 1234"),
        (["--janus", "ws://localhost:8188", "--plugin", "sip", "--room", "1"], "invalid choice"),
        (["--pin", "sesame"], "--pin is for --janus"),
        (["--janus-secret", "x"], "--janus-secret is for --janus"),
    ],
)
def test_what_cannot_be_is_said_in_words(arguments: list[str], part: str) -> None:
    ran = voicepeer("bot", "--text", "Hello.", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert part in ran.complaint
