"""The bot of Pipecat without Pipecat: what it tells of each synthesis."""

from __future__ import annotations

import asyncio
import importlib
import io
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from loadtests.peers import bots
from loadtests.peers.bots.harness import Teller
from loadtests.peers.bots.voice import VOICE, model_files
from loadtests.peers.protocol import Spoken, decode_event

pytestmark = pytest.mark.unit

RATE_HZ = 24_000
WAIT_S = 0.02

NAMES = {
    "pipecat.frames.frames": (
        *("Frame", "InterruptionFrame", "LLMFullResponseEndFrame", "LLMFullResponseStartFrame"),
        "LLMTextFrame",
    ),
    "pipecat.pipeline.pipeline": ("Pipeline",),
    "pipecat.pipeline.worker": ("PipelineWorker",),
    "pipecat.transports.base_transport": ("TransportParams",),
    "pipecat.transports.smallwebrtc.connection": ("SmallWebRTCConnection",),
    "pipecat.transports.smallwebrtc.request_handler": (
        *("SmallWebRTCRequest", "SmallWebRTCRequestHandler"),
    ),
    "pipecat.transports.smallwebrtc.transport": ("SmallWebRTCTransport",),
    "pipecat.workers.runner": ("WorkerRunner",),
    "fastapi": ("FastAPI",),
    "uvicorn": (),
}


class Speech:
    """A frame with samples."""

    def __init__(self, duration_s: float, channels: int = 1) -> None:
        self.sample_rate, self.num_channels = RATE_HZ, channels
        self.audio = bytes(2 * channels * round(duration_s * RATE_HZ))


class Service:
    """Two frames of speech between two of another kind."""

    Settings = SimpleNamespace

    def __init__(self, model_path: str, voices_path: str, settings: SimpleNamespace) -> None:
        self.files, self.settings = (model_path, voices_path), settings

    async def run_tts(self, text: str, context_id: str) -> AsyncIterator[object]:
        """Each after a while."""
        for frame in ("started", Speech(0.1 * len(text.split())), Speech(0.05, 2), "stopped"):
            await asyncio.sleep(WAIT_S)
            yield frame


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of the bot, beside packages that are not installed here."""
    given: dict[str, dict[str, object]] = {
        name: dict.fromkeys(values) for name, values in NAMES.items()
    }
    given["pipecat.frames.frames"]["TTSAudioRawFrame"] = Speech
    given["pipecat.services.kokoro.tts"] = {"KokoroTTSService": Service}
    for name, values in given.items():
        package = ModuleType(name)
        vars(package).update(values)
        parents = name.split(".")
        for count in range(1, len(parents)):
            parent = ".".join(parents[:count])
            if parent not in sys.modules:
                monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
        monkeypatch.setitem(sys.modules, name, package)
    yield importlib.import_module(f"{bots.__name__}.pipecat_bot")
    # Nobody else shall find what was made of packages that are not there.
    for name in ("pipecat_bot", "web"):
        del sys.modules[f"{bots.__name__}.{name}"], vars(bots)[name]


async def test_a_sentence_is_timed_and_its_frames_go_on(bot: Any, tmp_path: Path) -> None:  # noqa: ANN401
    out = io.StringIO()
    speech = bot.TimedKokoro(tmp_path, Teller(out))
    assert speech.files == model_files(tmp_path)
    assert speech.settings.voice == VOICE
    began_s = time.monotonic()
    for words in (2, 3):
        frames = []
        async for frame in speech.run_tts("word " * words, "id"):
            frames.append(frame)
            # What is done with it meanwhile is no synthesis.
            await asyncio.sleep(10 * WAIT_S)
        assert [isinstance(frame, Speech) for frame in frames] == [False, True, True, False]
    took_s = time.monotonic() - began_s
    events = [decode_event(line) for line in out.getvalue().splitlines()]
    told = [event for event in events if isinstance(event, Spoken)]
    assert [one.audio_s for one in told] == [pytest.approx(0.25), pytest.approx(0.35)]
    synthesis_s = sum(one.synthesis_s for one in told)
    # Clocks of loops are a little early at times.
    assert 0.9 * 8 * WAIT_S <= synthesis_s <= took_s - 0.9 * 80 * WAIT_S


async def test_a_sentence_that_is_cut_off_is_not_told(bot: Any, tmp_path: Path) -> None:  # noqa: ANN401
    out = io.StringIO()
    frames = bot.TimedKokoro(tmp_path, Teller(out)).run_tts("one two", "id")
    await anext(frames)
    await frames.aclose()
    assert out.getvalue() == ""


def test_only_speech_has_a_length(bot: Any) -> None:  # noqa: ANN401
    assert bot._length_s("started") == 0.0
    assert bot._length_s(Speech(0.25, 2)) == pytest.approx(0.25)
