"""FastRTC: a handler that streams what its own Kokoro model makes of each text.

Only where the model's files come from is not as in its documentation: from the folder that all
peers share, instead of a hub.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastrtc import AsyncStreamHandler, KokoroTTSOptions, Stream, get_tts_model
from fastrtc.text_to_speech import tts

from loadtests.peers.bots import harness, web
from loadtests.peers.bots.voice import LANGUAGE, VOICE, model_files
from loadtests.peers.protocol import BadLine, Cancel, Say, decode_command

PATH = "/webrtc/offer"
RATE_HZ = 24_000
_OPTIONS = KokoroTTSOptions(voice=VOICE, lang=LANGUAGE)


class Speaker(AsyncStreamHandler):  # type: ignore[misc] # not installed where this is checked
    """Says the texts of its data channel, one after the other."""

    def __init__(self, model: Any, teller: harness.Teller) -> None:  # noqa: ANN401
        super().__init__(output_sample_rate=RATE_HZ)
        self._model = model
        self._teller = teller
        self._texts: asyncio.Queue[str] = asyncio.Queue()
        self._chunks: asyncio.Queue[harness.Chunk] = asyncio.Queue()
        self._speaking: asyncio.Task[None] | None = None

    def copy(self) -> Speaker:
        """A handler of another call."""
        return Speaker(self._model, self._teller)

    async def start_up(self) -> None:
        """Called when the data channel is there; speaks until the call ends."""
        self.channel.on("message", self._on_message)
        while True:
            text = await self._texts.get()
            self._speaking = asyncio.create_task(self._speak(text))
            await asyncio.wait([self._speaking])

    async def receive(self, frame: object) -> None:
        """What the microphone hears, which is for nobody."""

    async def emit(self) -> tuple[int, Any]:
        """The next samples."""
        pcm, rate_hz = await self._chunks.get()
        return rate_hz, pcm

    async def shutdown(self) -> None:
        """Called when the call ends."""
        self._silence()

    async def _speak(self, text: str) -> None:
        watch = harness.Stopwatch()
        async for chunk in watch.timed(self._synthesis(text), harness.chunk_s):
            await self._chunks.put(chunk)
        self._teller.tell(watch.spoken())

    async def _synthesis(self, text: str) -> AsyncIterator[harness.Chunk]:
        async for rate_hz, pcm in self._model.stream_tts(text, _OPTIONS):
            yield pcm, rate_hz

    def _on_message(self, message: str) -> None:
        with contextlib.suppress(BadLine):
            match decode_command(message):
                case Say(text):
                    self._texts.put_nowait(text)
                case Cancel():
                    self._silence()

    def _silence(self) -> None:
        if self._speaking is not None:
            self._speaking.cancel()
        for queue in (self._texts, self._chunks):
            while not queue.empty():
                queue.get_nowait()
        self.clear_queue()


def main() -> None:
    """Take calls until standard input ends; the only argument is the folder with the model."""
    teller = harness.Teller()
    model, voices = model_files(Path(sys.argv[1]))
    files = {"kokoro-v1.0.onnx": model, "voices-v1.0.bin": voices}
    tts.hf_hub_download = lambda _repository, name: files[name]
    handler = Speaker(get_tts_model("kokoro"), teller)
    stream = Stream(handler, modality="audio", mode="send-receive", concurrency_limit=8)
    app = FastAPI()
    stream.mount(app)
    versions = harness.versions_of(["fastrtc", "kokoro-onnx", "onnxruntime", "aiortc"])
    asyncio.run(web.serve(app, PATH, teller, versions))


if __name__ == "__main__":
    main()
