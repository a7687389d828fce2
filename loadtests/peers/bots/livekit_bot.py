"""The speech part of LiveKit Agents on kokoro-onnx, without the room that only its server has.

A model of one's own is a ``tts.TTS`` there, and ``StreamAdapter`` splits texts into sentences for
those that take whole ones, as an ``AgentSession`` has it done.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
from kokoro_onnx import Kokoro
from livekit.agents import APIConnectOptions, tts, utils
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS

from loadtests.peers.bots import harness
from loadtests.peers.bots.voice import LANGUAGE, VOICE, model_files

RATE_HZ = 24_000


class KokoroTTS(tts.TTS):  # type: ignore[misc] # not installed where this is checked
    """kokoro-onnx as a model of LiveKit Agents."""

    def __init__(self, kokoro: Kokoro) -> None:
        super().__init__(
            capabilities=tts.TTSCapabilities(streaming=False), sample_rate=RATE_HZ, num_channels=1
        )
        self.kokoro = kokoro

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        """The speech of one sentence."""
        return KokoroStream(tts=self, input_text=text, conn_options=conn_options)


class KokoroStream(tts.ChunkedStream):  # type: ignore[misc] # not installed where this is checked
    """One sentence; the base class runs it."""

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id=utils.shortuuid(),
            sample_rate=RATE_HZ,
            num_channels=1,
            mime_type="audio/pcm",
        )
        kokoro = self._tts.kokoro
        async for pcm, _ in kokoro.create_stream(self._input_text, voice=VOICE, lang=LANGUAGE):
            output_emitter.push(harness.to_pcm16(pcm))
        output_emitter.flush()


async def _speech(adapter: tts.StreamAdapter, text: str) -> AsyncIterator[harness.Chunk]:
    async with adapter.stream() as stream:
        stream.push_text(text)
        stream.end_input()
        async for audio in stream:
            frame: Any = audio.frame
            yield np.frombuffer(frame.data, np.int16), frame.sample_rate


async def _speak(folder: Path, teller: harness.Teller) -> None:
    adapter = tts.StreamAdapter(tts=KokoroTTS(Kokoro(*model_files(folder))))
    versions = harness.versions_of(["livekit-agents", "kokoro-onnx", "onnxruntime"])
    await harness.speak_locally(teller, lambda text: _speech(adapter, text), versions)


def main() -> None:
    """Speak until standard input ends; the only argument is the folder with the model."""
    asyncio.run(_speak(Path(sys.argv[1]), harness.Teller()))


if __name__ == "__main__":
    main()
