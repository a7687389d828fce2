"""kokoro-onnx as its documentation has it: ``create_stream``, without a network."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from kokoro_onnx import Kokoro

from loadtests.peers.bots import harness
from loadtests.peers.bots.voice import LANGUAGE, VOICE, model_files


def main() -> None:
    """Speak until standard input ends; the only argument is the folder with the model."""
    teller = harness.Teller()
    kokoro = Kokoro(*model_files(Path(sys.argv[1])))

    def synthesis(text: str) -> AsyncIterator[harness.Chunk]:
        stream: AsyncIterator[harness.Chunk] = kokoro.create_stream(
            text, voice=VOICE, lang=LANGUAGE
        )
        return stream

    versions = harness.versions_of(["kokoro-onnx", "onnxruntime"])
    asyncio.run(harness.speak_locally(teller, synthesis, versions))


if __name__ == "__main__":
    main()
