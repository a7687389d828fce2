"""An engine's chunks at the rate of the wire, without a seam between them."""

from __future__ import annotations

import numpy as np
import soxr

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm

_QUALITY = "MQ"
"""Flat to 0.91 of the band; holds back 8 ms until more comes, where ``HQ`` holds back 20."""


class SegmentResampler:
    """Converts one segment from ``rate_hz`` to 48 kHz, chunk by chunk."""

    def __init__(self, rate_hz: int) -> None:
        self._stream = (
            None
            if rate_hz == WIRE_RATE_HZ
            else soxr.ResampleStream(rate_hz, WIRE_RATE_HZ, 1, dtype="float32", quality=_QUALITY)
        )

    def push(self, pcm: Pcm) -> Pcm:
        """Convert more; the last 8 ms of the result come with the next call."""
        if self._stream is None:
            return pcm
        # One NaN would stay in the filter's memory and silence all that follows.
        return self._convert(np.nan_to_num(pcm, nan=0.0, posinf=1.0, neginf=-1.0), last=False)

    def finish(self) -> Pcm:
        """What is held back; nothing may be pushed after it."""
        return self._convert(np.zeros(0, np.float32), last=True)

    def _convert(self, pcm: Pcm, last: bool) -> Pcm:
        if self._stream is None:
            return pcm
        converted: Pcm = self._stream.resample_chunk(np.ascontiguousarray(pcm), last=last)
        return converted
