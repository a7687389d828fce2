"""Reads recordings of strangers in processes of their own: what kills a decoder kills no call.

One process a recording, so that none sees another's; it costs 0.15 s of a core and 56 MB.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process

import msgspec
import numpy as np

from voicepeer.audio import MAX_REFERENCE_S, Recording
from voicepeer.core.errors import AudioRejected
from voicepeer.core.pcm import Pcm
from voicepeer.decoding import MAX_RATE_HZ
from voicepeer.decoding_child import Answer, Request

logger = logging.getLogger(__name__)

CHILD = "voicepeer.decoding_child"

TIMEOUT_S = 60.0
"""Of a machine that is busy with other things; the child's own limit is of processor time."""

_ENDING_S = 1.0
_LINE_BYTES = 64 * 1024
_UNREAD = (TimeoutError, EOFError, asyncio.LimitOverrunError)
"""It has hung, ended too early, or goes on where a line should end."""

_SAMPLE_BYTES = 4


async def read_apart(
    data: bytes, name: str, max_s: float = MAX_REFERENCE_S, timeout_s: float = TIMEOUT_S
) -> Recording:
    """Read a recording like ``audio.read_recording``; the process ends with this call.

    Raises:
        AudioRejected: for the same reasons, or because reading it took the process down.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", CHILD),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,  # FFmpeg repeats there what files say of themselves
        limit=_LINE_BYTES,
        env=_environment(),
    )
    sending = asyncio.create_task(_send(process, data, name, max_s), name="recording")
    try:
        async with asyncio.timeout(timeout_s):
            return await _received(process, max_s)
    except asyncio.CancelledError:
        _kill(process)
        raise
    except (*_UNREAD, ValueError, msgspec.MsgspecError) as error:
        raise AudioRejected(
            f"{name} could not be read, it may be damaged: save it again, as 16-bit WAV if you can",
            "unreadable",
        ) from error
    finally:
        sending.cancel()
        await _end(process)


async def _send(process: Process, data: bytes, name: str, max_s: float) -> None:
    assert process.stdin is not None
    # It may have refused, or have died, before it has taken all.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        process.stdin.write(msgspec.json.encode(Request(name, len(data), max_s)) + b"\n")
        process.stdin.write(data)
        await process.stdin.drain()
    process.stdin.close()


async def _received(process: Process, max_s: float) -> Recording:
    assert process.stdout is not None
    told = msgspec.json.decode(await process.stdout.readuntil(b"\n"), type=Answer)
    if told.broken:
        logger.error("a recording could not be read: %s", told.broken)
        raise ValueError("the child has failed")
    if told.refused:
        raise AudioRejected(told.refused, told.fault)
    return Recording(await _samples(process.stdout, told, max_s), told.rate_hz, told.notes)


async def _samples(stream: asyncio.StreamReader, told: Answer, max_s: float) -> Pcm:
    """What was read; a child that a recording has taken over may claim anything."""
    if not (0 < told.rate_hz <= MAX_RATE_HZ and 0 < told.samples <= max_s * told.rate_hz + 1):
        raise ValueError("the child tells of a recording that cannot be")
    pcm = np.frombuffer(await stream.readexactly(told.samples * _SAMPLE_BYTES), "<f4")
    if not np.isfinite(pcm).all():
        raise ValueError("the child gives samples that are not numbers")
    return np.asarray(pcm, dtype=np.float32)


async def _end(process: Process) -> None:
    """See it gone; one that does not end by itself now is killed."""
    try:
        async with asyncio.timeout(_ENDING_S):
            await _gone(process)
    except TimeoutError:
        _kill(process)
        await _gone(process)
    if process.returncode not in (0, -signal.SIGKILL):
        logger.warning("the process that read a recording has ended with %s", process.returncode)


async def _gone(process: Process) -> None:
    assert process.stdout is not None
    while await process.stdout.read(_LINE_BYTES):
        pass  # of a process whose output nobody takes no end is noticed
    await process.wait()


def _kill(process: Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        process.kill()


def _environment() -> dict[str, str]:
    """What it needs to find our modules; none of the service's secrets, and one thread."""
    paths = os.pathsep.join(path for path in sys.path if path)
    return {"PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
