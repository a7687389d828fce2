"""The process that reads one recording of a stranger and may die of it: ``decoding_process``'s.

Takes a ``Request`` as a line of JSON and the file from standard input, gives an ``Answer`` as a
line of JSON and the samples to standard output, and ends. It can write no file, and gets neither
more memory nor more time than any recording of a voice needs.
"""

from __future__ import annotations

import contextlib
import io
import resource
import sys
import traceback
from typing import BinaryIO

import msgspec
import numpy as np

from voicepeer.audio import read_recording
from voicepeer.core.errors import AudioFault, AudioRejected
from voicepeer.core.pcm import Pcm

MEMORY_BYTES = 1 << 30
"""Of address space, of which a minute of eight channels at 48 kHz takes half."""

PROCESSOR_S = 20
"""A minute of eight channels of FLAC takes one second."""

OPEN_FILES = 16

_LIMITS = (
    (resource.RLIMIT_AS, MEMORY_BYTES),
    (resource.RLIMIT_CPU, PROCESSOR_S),
    (resource.RLIMIT_NOFILE, OPEN_FILES),
    (resource.RLIMIT_FSIZE, 0),
    (resource.RLIMIT_CORE, 0),
)


class Request(msgspec.Struct, frozen=True):
    """What is to be read: ``size`` bytes follow; ``name`` is what messages call them."""

    name: str
    size: int
    max_s: float


class Answer(msgspec.Struct, frozen=True):
    """A recording whose ``samples`` follow, or why there is none."""

    rate_hz: int = 0
    samples: int = 0
    """Little-endian float32."""
    notes: tuple[str, ...] = ()
    refused: str = ""
    """What is told to whoever sent it, with its ``fault``."""
    fault: AudioFault = "unreadable"
    broken: str = ""
    """For the log: where in our code an unexpected error came from, without what it says."""


def limit() -> None:
    """Give up, for good, what reading a recording does not need."""
    for kind, most in _LIMITS:
        # A system may know a limit and not keep it (macOS), or already have a lower one.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def answer(request: Request, data: bytes) -> tuple[Answer, Pcm]:
    """Read a recording."""
    nothing = np.zeros(0, np.float32)
    try:
        recording = read_recording(io.BytesIO(data), request.name, request.max_s)
    except AudioRejected as error:
        return Answer(refused=str(error), fault=error.fault), nothing
    except Exception as error:  # the edge of the process: of what it says nothing may be logged
        where = "".join(traceback.format_tb(error.__traceback__))
        return Answer(broken=f"{type(error).__name__}\n{where}"), nothing
    pcm = recording.pcm
    return Answer(recording.rate_hz, pcm.size, recording.notes), pcm


def serve(given: BinaryIO, taken: BinaryIO) -> None:
    """Answer the one request that comes; whoever sent it may have gone meanwhile."""
    request = msgspec.json.decode(given.readline(), type=Request)
    told, pcm = answer(request, given.read(request.size))
    with contextlib.suppress(BrokenPipeError):
        taken.write(msgspec.json.encode(told) + b"\n")
        taken.write(pcm.astype("<f4").tobytes())
        taken.flush()


if __name__ == "__main__":
    limit()
    serve(sys.stdin.buffer, sys.stdout.buffer)
