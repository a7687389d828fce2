"""The handler of FastRTC without FastRTC: what it does with texts, chunks and silence."""

from __future__ import annotations

import asyncio
import importlib
import io
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from loadtests.peers import bots
from loadtests.peers.bots.harness import Chunk, Teller
from loadtests.peers.bots.voice import LANGUAGE, VOICE
from loadtests.peers.protocol import Cancel, Command, Event, Say, Spoken, decode_event, encode

pytestmark = pytest.mark.unit

RATE_HZ = 24_000
WORD = RATE_HZ // 10


class Handler:
    """What the base class of the framework is, as far as the bot knows it."""

    def __init__(self, output_sample_rate: int) -> None:
        self.output_sample_rate = output_sample_rate
        self.channel = Channel()
        self.cleared = 0

    def clear_queue(self) -> None:
        """Forget what the framework itself has in hand."""
        self.cleared += 1


class Channel:
    """A data channel."""

    def __init__(self) -> None:
        self.listeners: dict[str, Callable[[str], None]] = {}

    def on(self, event: str, listener: Callable[[str], None]) -> None:
        """Call it from then on."""
        self.listeners[event] = listener

    def bring(self, message: str) -> None:
        """Something has come."""
        self.listeners["message"](message)


class Model:
    """A chunk for each word, its place as level; those after the first wait for ``go_on``."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def stream_tts(self, text: str, options: Any) -> AsyncIterator[tuple[int, Any]]:  # noqa: ANN401
        """Chunks with their rate, as the framework's model gives them."""
        assert options == {"voice": VOICE, "lang": LANGUAGE}
        for place, _ in enumerate(text.split(), start=1):
            if place > 1:
                await self.go_on.wait()
            yield RATE_HZ, np.full(WORD, place / 10.0, np.float32)


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of the bot, beside packages that are not installed here."""
    names = ("fastapi", "uvicorn", "fastrtc", "fastrtc.text_to_speech")
    packages = {name: ModuleType(name) for name in names}
    for name, package in packages.items():
        monkeypatch.setitem(sys.modules, name, package)
    given = {"AsyncStreamHandler": Handler, "KokoroTTSOptions": dict, "get_tts_model": None}
    for name, value in {**given, "Stream": None}.items():
        setattr(packages["fastrtc"], name, value)
    setattr(packages["fastapi"], "FastAPI", None)  # noqa: B010 - a module has no such name
    setattr(packages["fastrtc.text_to_speech"], "tts", None)  # noqa: B010
    yield importlib.import_module(f"{bots.__name__}.fastrtc_bot")
    # Nobody else shall find what was made of packages that are not there.
    for name in ("fastrtc_bot", "web"):
        del sys.modules[f"{bots.__name__}.{name}"], vars(bots)[name]


class Call:
    """One call to the handler."""

    def __init__(self, bot: Any) -> None:  # noqa: ANN401
        self.model = Model()
        self.out = io.StringIO()
        self.handler = bot.Speaker(self.model, Teller(self.out)).copy()
        self.task = asyncio.create_task(self.handler.start_up())

    def send(self, command: Command) -> None:
        """Over the data channel."""
        self.handler.channel.bring(encode(command))

    async def heard(self, chunks: int) -> list[float]:
        """Levels of the next chunks."""
        async with asyncio.timeout(30.0):
            emitted: list[Chunk] = []
            for _ in range(chunks):
                rate_hz, pcm = await self.handler.emit()
                emitted.append((pcm, rate_hz))
        assert all(rate_hz == RATE_HZ and pcm.size == WORD for pcm, rate_hz in emitted)
        return [round(float(pcm[0]), 1) for pcm, _ in emitted]

    async def told(self, count: int) -> list[Event]:
        """What it told so far, once there is as much."""
        async with asyncio.timeout(30.0):
            while len(lines := self.out.getvalue().splitlines()) < count:  # noqa: ASYNC110
                await asyncio.sleep(0)
        return [decode_event(line) for line in lines]


@pytest.fixture
async def call(bot: Any) -> AsyncIterator[Call]:  # noqa: ANN401
    """A call that is up until the test is over."""
    call = Call(bot)
    await asyncio.sleep(0)
    yield call
    await call.handler.shutdown()
    call.task.cancel()
    await asyncio.gather(call.task, return_exceptions=True)


async def test_texts_are_said_one_after_the_other(call: Call) -> None:
    call.send(Say("one two"))
    call.send(Say("three"))
    assert await call.heard(3) == [0.1, 0.2, 0.1]
    lengths_s = [one.audio_s for one in await call.told(2) if isinstance(one, Spoken)]
    assert lengths_s == [pytest.approx(0.2), pytest.approx(0.1)]


async def test_a_cancel_silences_what_is_said_and_what_was_to_be_said(call: Call) -> None:
    call.model.go_on.clear()
    call.send(Say("one two three"))
    call.send(Say("four five"))
    assert await call.heard(1) == [0.1]
    call.send(Cancel())
    assert call.handler.cleared == 1
    call.model.go_on.set()
    call.send(Say("six seven"))
    assert await call.heard(2) == [0.1, 0.2]
    (spoken,) = await call.told(1)
    assert isinstance(spoken, Spoken)
    assert spoken.audio_s == pytest.approx(0.2)


async def test_what_is_no_command_is_ignored(call: Call) -> None:
    for message in ("hello", '{"type": "webrtc"}', "[]"):
        call.handler.channel.bring(message)
    call.send(Say("one"))
    assert await call.heard(1) == [0.1]


async def test_a_call_that_ends_leaves_nothing_to_be_said(call: Call) -> None:
    call.model.go_on.clear()
    call.send(Say("one two"))
    await call.heard(1)
    await call.handler.shutdown()
    call.model.go_on.set()
    await asyncio.sleep(0.01)
    assert call.out.getvalue() == ""
    assert call.handler.cleared == 1


async def test_calls_do_not_hear_each_other(bot: Any) -> None:  # noqa: ANN401
    first = Call(bot)
    second = Call(bot)
    await asyncio.sleep(0)
    second.send(Say("one"))
    assert await second.heard(1) == [0.1]
    first.send(Say("one two"))
    assert await first.heard(2) == [0.1, 0.2]
    for one in (first, second):
        one.task.cancel()
        await asyncio.gather(one.task, return_exceptions=True)
