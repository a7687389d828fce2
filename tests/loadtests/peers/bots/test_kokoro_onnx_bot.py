from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import pytest

from loadtests.peers.bots.voice import MODEL_FILE, VOICES_FILE
from loadtests.peers.catalogue import PEERS
from loadtests.peers.install import PeerUnavailable, environment
from loadtests.peers.process import BotProcess, running_bot
from loadtests.peers.protocol import Audio, Event, Say, Spoken

pytestmark = pytest.mark.peer

TIMEOUT_S = 30.0
MODULE = next(peer.module for peer in PEERS if peer.name == "kokoro-onnx")
STANDINS = Path(__file__).parents[1] / "standins"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the bot takes for the shared model, and for the versions of packages."""
    for name in (MODEL_FILE, VOICES_FILE):
        (tmp_path / name).write_bytes(b"model")
    for package, version in (("kokoro_onnx", "0.6.1"), ("onnxruntime", "1.32.0")):
        metadata = tmp_path / "packages" / f"{package}-{version}.dist-info" / "METADATA"
        metadata.parent.mkdir(parents=True)
        metadata.write_text(f"Name: {package}\nVersion: {version}\n")
    return tmp_path


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[BotProcess]:
    """The bot as it is, beside a package that stands in for its own."""
    settings = environment()
    paths = (str(folder / "packages"), str(STANDINS), settings["PYTHONPATH"])
    command = (sys.executable, "-m", MODULE, str(folder))
    async with running_bot(
        "kokoro-onnx", command, {**settings, "PYTHONPATH": os.pathsep.join(paths)}
    ) as bot:
        yield bot


async def until_spoken(bot: BotProcess) -> list[Event]:
    """Everything that it tells of one text."""
    told = [await bot.next_event(TIMEOUT_S)]
    while not isinstance(told[-1], Spoken):
        told.append(await bot.next_event(TIMEOUT_S))
    return told


async def test_it_gives_each_chunk_when_it_is_there(folder: Path) -> None:
    async with running(folder) as bot:
        assert bot.ready.versions == {"kokoro-onnx": "0.6.1", "onnxruntime": "1.32.0"}
        assert bot.ready.offer_url is None
        bot.send(Say("one two three"))
        *chunks, spoken = await until_spoken(bot)
        bot.send(Say("four"))
        (single, _) = await until_spoken(bot)
    assert isinstance(spoken, Spoken)
    assert spoken.audio_s == pytest.approx(0.3)
    assert len(chunks) == 3
    moments = []
    for place, chunk in enumerate(chunks, start=1):
        assert isinstance(chunk, Audio)
        moments.append(chunk.at_s)
        pcm = np.frombuffer(chunk.samples(), np.int16)
        pitch_hz = np.argmax(np.abs(np.fft.rfft(pcm))) * chunk.rate_hz / pcm.size
        assert pitch_hz == pytest.approx(200 * place)
    assert moments == sorted(moments)
    assert isinstance(single, Audio)


async def test_without_its_model_it_says_so(folder: Path) -> None:
    (folder / MODEL_FILE).unlink()
    with pytest.raises(PeerUnavailable, match=MODEL_FILE):
        async with running(folder):
            pass
