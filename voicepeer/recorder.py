"""What a client heard: the received track with the time at which each block was there."""

from __future__ import annotations

from collections import deque

import numpy as np

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm, from_pcm16, level_dbfs
from voicepeer.jitter import AudioReceiver, Block

AUDIBLE_DBFS = -50.0
"""Level of 5 ms from which a listener hears something."""

SOUND_DBFS = -70.0
"""Level of 5 ms above what Opus makes of digital silence."""

KEPT_BLOCKS = 30_000
"""Ten minutes; older ones are forgotten."""

_STEP = WIRE_RATE_HZ * 5 // 1000


class Recorder:
    """Keeps what comes through a receiver; ``run`` has to run beside it."""

    def __init__(self) -> None:
        self.receiver = AudioReceiver()
        self._blocks: deque[Block] = deque(maxlen=KEPT_BLOCKS)

    async def run(self) -> None:
        """Record until the receiver is closed."""
        async for block in self.receiver.blocks():
            self._blocks.append(block)

    @property
    def frames_lost(self) -> int:
        """Frames that were lost on the way so far, recovered ones included."""
        counters = self.receiver.counters
        return counters.recovered + counters.concealed

    def forget(self, before_s: float) -> None:
        """Keep nothing of what was received before a moment, for calls that go on for long."""
        while self._blocks and self._blocks[0].received_s < before_s:
            self._blocks.popleft()

    def blocks(self, since_s: float, until_s: float = float("inf")) -> list[Block]:
        """What was received in a stretch of ``time.monotonic()``."""
        return [block for block in self._blocks if since_s <= block.received_s < until_s]

    def pcm(self, since_s: float = 0.0, until_s: float = float("inf")) -> Pcm:
        """The sound of that stretch, 48 kHz mono."""
        blocks = self.blocks(since_s, until_s)
        if not blocks:
            return np.zeros(0, np.float32)
        return from_pcm16(np.concatenate([block.pcm for block in blocks]))

    def first_over(self, dbfs: float, since_s: float) -> float | None:
        """When the first 5 ms over a level were there to be played, in ``time.monotonic()``."""
        for block in self.blocks(since_s):
            pcm = from_pcm16(block.pcm)
            for start in range(0, pcm.size, _STEP):
                if level_dbfs(pcm[start : start + _STEP]) > dbfs:
                    return block.received_s + start / WIRE_RATE_HZ
        return None


def trim(pcm: Pcm) -> Pcm:
    """Without the inaudible ends."""
    usable = pcm[: pcm.size // _STEP * _STEP]
    levels = [level_dbfs(step) for step in usable.reshape(-1, _STEP)]
    audible = [index for index, level in enumerate(levels) if level > AUDIBLE_DBFS]
    return usable[audible[0] * _STEP : (audible[-1] + 1) * _STEP] if audible else usable[:0]
