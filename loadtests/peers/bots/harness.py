"""The end of a bot that talks to whoever measures it, for bots with and without a network."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, TextIO, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from loadtests.peers.protocol import Audio, Cancel, Command, Event, Ready, Say, Spoken, encode
from loadtests.peers.protocol import decode_command as decode

Samples: TypeAlias = "NDArray[np.floating[Any]] | NDArray[np.int16]"
Chunk: TypeAlias = tuple[Samples, int]
"""Samples and their rate."""

Synthesis: TypeAlias = Callable[[str], AsyncIterator[Chunk]]
ItemT = TypeVar("ItemT")


class Teller:
    """Tells events on what was standard output, which now goes where errors go.

    Frameworks print to standard output as they like, which would break the lines.
    """

    def __init__(self, out: TextIO | None = None) -> None:
        if out is None:
            out = os.fdopen(os.dup(1), "w", buffering=1)
            os.dup2(2, 1)
        self._out = out

    def tell(self, event: Event) -> None:
        """Write one line."""
        self._out.write(f"{encode(event)}\n")
        self._out.flush()


class Stopwatch:
    """Measures how long somebody waits for a synthesis, and how much comes of it."""

    def __init__(self) -> None:
        self._synthesis_s = 0.0
        self._audio_s = 0.0

    async def timed(
        self, items: AsyncIterator[ItemT], length_s: Callable[[ItemT], float]
    ) -> AsyncIterator[ItemT]:
        """The same items, each of some length; what their receiver takes does not count."""
        while True:
            began_s = time.monotonic()
            try:
                item = await anext(items)
            except StopAsyncIteration:
                return
            finally:
                self._synthesis_s += time.monotonic() - began_s
            self._audio_s += length_s(item)
            yield item

    def spoken(self) -> Spoken:
        """What was measured since the last call."""
        made = Spoken(self._synthesis_s, self._audio_s)
        self._synthesis_s = self._audio_s = 0.0
        return made


def versions_of(packages: Iterable[str]) -> dict[str, str]:
    """Versions of installed distributions."""
    return {name: importlib.metadata.version(name) for name in packages}


def chunk_s(chunk: Chunk) -> float:
    """Length of a chunk in seconds."""
    pcm, rate_hz = chunk
    return float(pcm.shape[-1] / rate_hz)


def to_pcm16(pcm: Samples) -> bytes:
    """Mono samples, -1 to 1 or 16 bit, as raw 16-bit ones."""
    if pcm.dtype != np.int16:
        pcm = (np.clip(pcm, -1.0, 1.0) * 32767).astype(np.int16)
    return pcm.tobytes()


async def commands() -> AsyncIterator[Command]:
    """What standard input brings, until it ends."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield decode(line)


async def speak_locally(teller: Teller, synthesis: Synthesis, versions: dict[str, str]) -> None:
    """Be a bot without a network: say what comes and tell the samples."""
    watch = Stopwatch()
    teller.tell(Ready(None, versions))
    async for command in commands():
        match command:
            case Say(text):
                async for pcm, rate_hz in watch.timed(synthesis(text), chunk_s):
                    teller.tell(Audio.of(time.monotonic(), rate_hz, to_pcm16(pcm)))
                teller.tell(watch.spoken())
            case Cancel():
                # Nothing is played here that could be silenced.
                pass
