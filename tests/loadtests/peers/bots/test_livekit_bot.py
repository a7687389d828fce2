"""The speech part of LiveKit Agents without it: what its model gives, and what becomes of that."""

from __future__ import annotations

import importlib
import sys
from collections.abc import AsyncIterator, Iterator
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import numpy as np
import pytest
from numpy.typing import NDArray

from loadtests.peers import bots
from loadtests.peers.bots.voice import LANGUAGE, VOICE

pytestmark = pytest.mark.unit

RATE_HZ = 24_000


class Kokoro:
    """Two chunks of a text."""

    async def create_stream(
        self, text: str, voice: str, lang: str
    ) -> AsyncIterator[tuple[NDArray[np.float32], int]]:
        """Of two levels."""
        assert (text, voice, lang) == ("Hello there.", VOICE, LANGUAGE)
        for level in (0.5, -2.0):
            yield np.full(3, level, np.float32), RATE_HZ


class Base:
    """What the framework's classes keep of how they were made."""

    def __init__(self, tts: object = None, input_text: str = "", **given: object) -> None:
        self._tts, self._input_text, self.given = tts, input_text, given


class Emitter:
    """Takes what a model gives."""

    def __init__(self) -> None:
        self.given: dict[str, object] = {}
        self.pushed: list[bytes] = []
        self.flushed = False

    def initialize(self, **given: object) -> None:
        """Learn what comes."""
        self.given = given

    def push(self, pcm16: bytes) -> None:
        """Some of it."""
        assert self.given
        assert not self.flushed
        self.pushed.append(pcm16)

    def flush(self) -> None:
        """That was all."""
        self.flushed = True


class Adapter:
    """Gives a frame for each word of a text, once the text has ended."""

    def __init__(self) -> None:
        self.text = ""
        self.ended = self.closed = False

    def stream(self) -> Self:
        """It is one itself."""
        return self

    def push_text(self, text: str) -> None:
        """Some of the text."""
        self.text += text

    def end_input(self) -> None:
        """That was all."""
        self.ended = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.closed = True

    async def __aiter__(self) -> AsyncIterator[object]:
        assert self.ended
        for place, _ in enumerate(self.text.split(), start=1):
            data = np.full(4, place, np.int16).tobytes()
            yield SimpleNamespace(frame=SimpleNamespace(data=data, sample_rate=RATE_HZ))


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of the bot, beside packages that are not installed here."""
    tts = SimpleNamespace(TTS=Base, ChunkedStream=Base, TTSCapabilities=SimpleNamespace)
    utils = SimpleNamespace(shortuuid=lambda: "id")
    given: dict[str, dict[str, object]] = {
        "kokoro_onnx": {"Kokoro": Kokoro},
        "livekit": {},
        "livekit.agents": {"APIConnectOptions": object, "tts": tts, "utils": utils},
        "livekit.agents.types": {"DEFAULT_API_CONNECT_OPTIONS": None},
    }
    for name, values in given.items():
        package = ModuleType(name)
        vars(package).update(values)
        monkeypatch.setitem(sys.modules, name, package)
    yield importlib.import_module(f"{bots.__name__}.livekit_bot")
    # Nobody else shall find what was made of packages that are not there.
    del sys.modules[f"{bots.__name__}.livekit_bot"], vars(bots)["livekit_bot"]


async def test_a_sentence_is_pushed_as_its_chunks_come(bot: Any) -> None:  # noqa: ANN401
    model = bot.KokoroTTS(Kokoro())
    assert model.given["sample_rate"] == RATE_HZ
    assert not model.given["capabilities"].streaming
    emitter = Emitter()
    await model.synthesize("Hello there.")._run(emitter)
    rate_and_channels = [emitter.given[name] for name in ("sample_rate", "num_channels")]
    assert rate_and_channels == [RATE_HZ, 1]
    chunks = [np.frombuffer(pcm16, np.int16).tolist() for pcm16 in emitter.pushed]
    assert chunks == [[16383] * 3, [-32767] * 3]
    assert emitter.flushed


async def test_a_text_is_pushed_as_a_whole_and_its_frames_are_given_on(bot: Any) -> None:  # noqa: ANN401
    adapter = Adapter()
    chunks = [chunk async for chunk in bot._speech(adapter, "one two three")]
    assert [(pcm.tolist(), rate_hz) for pcm, rate_hz in chunks] == [
        ([place] * 4, RATE_HZ) for place in (1, 2, 3)
    ]
    assert chunks[0][0].dtype == np.int16
    assert adapter.closed
