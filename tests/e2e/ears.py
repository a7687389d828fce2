"""What the user of a page under test hears, by the page's own clock.

The sound is taken out of the page by ``ears.js``, through an AudioWorklet; times are those at
which the browser plays it, in milliseconds since 1970 as the page sees them.
"""

from __future__ import annotations

import asyncio
import base64
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.recorder import AUDIBLE_DBFS

SCRIPT = Path(__file__).with_name("ears.js").read_text()
"""To be run in a page before its own scripts."""

_WORKLET = Path(__file__).with_name("ears-worklet.js").read_text()
RECORDER = f"ears.worklet = {json.dumps(_WORKLET)};"
"""To be run after it; the page has to allow worklets from ``blob:``."""

BINDING = "earsHeard"

STEP_MS = 5
_EDGE_MS = 2
_HOLE_MS = 10
_EDGES = 3
_HOLE_DBFS = -65.0
_LOUD_DBFS = -30.0
_PER_MS = WIRE_RATE_HZ // 1000


@dataclass(frozen=True, slots=True)
class Heard:
    """Sound without a gap, 48 kHz mono, from a time of the page on."""

    from_ms: float
    pcm: Pcm

    @property
    def until_ms(self) -> float:
        """When it ends."""
        return self.from_ms + self.pcm.size / _PER_MS

    def between(self, from_ms: float, until_ms: float = math.inf) -> Heard:
        """The part of it in a stretch of time."""
        start = round(max(from_ms - self.from_ms, 0.0) * _PER_MS)
        size = round((min(until_ms, self.until_ms) - self.from_ms) * _PER_MS)
        return Heard(self.from_ms + start / _PER_MS, self.pcm[start : max(size, start)])

    def levels_dbfs(self, step_ms: int = STEP_MS) -> NDArray[np.float64]:
        """Level of each whole step."""
        step = step_ms * _PER_MS
        usable = self.pcm[: self.pcm.size // step * step].reshape(-1, step)
        power = np.mean(np.square(usable, dtype=np.float64), axis=1)
        return np.asarray(10.0 * np.log10(power + 1e-12))

    def audible_ms(self) -> tuple[float, float] | None:
        """When the first audible 5 ms begin and the last ones end, or ``None`` for silence."""
        audible = np.flatnonzero(self.levels_dbfs() > AUDIBLE_DBFS)
        if audible.size == 0:
            return None
        first, last = int(audible[0]), int(audible[-1])
        return self.from_ms + first * STEP_MS, self.from_ms + (last + 1) * STEP_MS

    def holes(self) -> int:
        """Places where loud sound stops within 6 ms, for silence of 10 ms or more.

        Speech takes longer to fade, also after a codec: something was left out.
        """
        levels = self.levels_dbfs(_EDGE_MS)
        silent = np.concatenate([[0], levels < _HOLE_DBFS, [0]]).astype(int)
        begins, ends = np.flatnonzero(np.diff(silent) == 1), np.flatnonzero(np.diff(silent) == -1)
        inside = (ends < levels.size) & ((ends - begins) * _EDGE_MS >= _HOLE_MS)
        before = [levels[max(begin - _EDGES, 0) : begin] for begin in begins[inside]]
        return sum(bool(np.any(edge > _LOUD_DBFS)) for edge in before)


@dataclass(slots=True)
class _Take:
    """The chunks of one AudioContext; a page that is loaded anew begins another."""

    starts_ms: list[float] = field(default_factory=list)
    """When frame 0 was played, as each chunk has it."""
    first_frame: int = 0
    chunks: list[Pcm] = field(default_factory=list)
    frames: int = 0

    @property
    def next_frame(self) -> int:
        return self.first_frame + self.frames

    def heard(self) -> Heard:
        pcm = np.concatenate(self.chunks) if self.chunks else np.zeros(0, np.float32)
        # Each reading of the clocks is off by up to some milliseconds in either direction.
        start_ms = float(np.median(self.starts_ms))
        return Heard(start_ms + self.first_frame / _PER_MS, pcm)


class Ears:
    """Takes the chunks of one page."""

    def __init__(self) -> None:
        self._takes: list[_Take] = []
        self._changed = asyncio.Event()
        self.lost_frames = 0
        """That the recorder in the page itself has missed."""

    def hear(self, chunk: Mapping[str, Any]) -> None:
        """Take a chunk as ``ears.js`` sends it: ``frame``, ``atMs`` and ``pcm`` in base64."""
        pcm = np.frombuffer(base64.b64decode(chunk["pcm"]), "<f4")
        frame = int(chunk["frame"])
        if not self._takes or frame < self._takes[-1].next_frame:
            self._takes.append(_Take(first_frame=frame))
        take = self._takes[-1]
        if frame > take.next_frame:
            missed = frame - take.next_frame
            self.lost_frames += missed
            take.chunks.append(np.zeros(missed, np.float32))
            take.frames += missed
        take.starts_ms.append(float(chunk["atMs"]) - frame / _PER_MS)
        take.chunks.append(pcm)
        take.frames += pcm.size
        self._changed.set()

    def heard(self) -> Heard:
        """All since the page was loaded last.

        Raises:
            LookupError: nothing was played yet.
        """
        if not self._takes:
            raise LookupError("the page has not played anything")
        return self._takes[-1].heard()

    async def until_heard(self, at_ms: float, within_s: float = 30.0) -> Heard:
        """All that was heard, once there is sound or silence of a time.

        Raises:
            TimeoutError: it did not come.
        """
        async with asyncio.timeout(within_s):
            while not self._takes or self.heard().until_ms < at_ms:
                self._changed.clear()
                await self._changed.wait()
        return self.heard()

    async def until_silent(self, after_ms: float, quiet_ms: float, within_s: float) -> Heard:
        """All since ``after_ms``, once something was heard and then nothing for ``quiet_ms``.

        Raises:
            TimeoutError: nothing was heard, or it did not end.
        """
        async with asyncio.timeout(within_s):
            while True:
                self._changed.clear()
                await self._changed.wait()
                heard = self.heard().between(after_ms)
                audible = heard.audible_ms()
                if audible and heard.until_ms - audible[1] >= quiet_ms:
                    return heard
