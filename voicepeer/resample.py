"""An engine's chunks at the rate of the wire, without a seam between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import soxr

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm

_QUALITY = "MQ"
"""Flat to 0.91 of the band; holds back 8 ms until more comes, where ``HQ`` holds back 20."""


class SegmentResampler:
    """Converts one segment from ``rate_hz`` to 48 kHz, chunk by chunk.

    Samples that are not finite or out of range are repaired, and ``on_repair`` is told of each
    chunk that has any.

    Raises:
        ValueError: no signal has such a rate.
    """

    def __init__(self, rate_hz: int, on_repair: Callable[[], None] | None = None) -> None:
        if rate_hz <= 0:
            raise ValueError(f"a rate is a positive number of Hz, not {rate_hz}")
        self._on_repair = on_repair
        self._stream = (
            None
            if rate_hz == WIRE_RATE_HZ
            else soxr.ResampleStream(rate_hz, WIRE_RATE_HZ, 1, dtype="float32", quality=_QUALITY)
        )

    def push(self, pcm: Pcm) -> Pcm:
        """Convert more, shape ``[n]``; the last 8 ms of the result come with the next call.

        Raises:
            ValueError: not mono, or not samples at all.
        """
        if pcm.ndim != 1 or not np.issubdtype(pcm.dtype, np.floating):
            raise ValueError(f"speech is mono float, not {pcm.dtype} of shape {list(pcm.shape)}")
        return self._convert(self._repaired(pcm), last=False)

    def _repaired(self, pcm: Pcm) -> Pcm:
        # The negated comparison also catches NaN.
        if pcm.size == 0 or float(np.max(np.abs(pcm))) <= 1.0:
            return pcm
        if self._on_repair is not None:
            self._on_repair()
        # Before the filter: one NaN would stay in its memory and silence all that follows, and
        # one huge value would ring on for milliseconds.
        return np.clip(np.nan_to_num(pcm, nan=0.0, posinf=1.0, neginf=-1.0), -1.0, 1.0)

    def finish(self) -> Pcm:
        """What is held back; nothing may be pushed after it."""
        return self._convert(np.zeros(0, np.float32), last=True)

    def _convert(self, pcm: Pcm, last: bool) -> Pcm:
        if self._stream is None:
            return pcm
        converted: Pcm = self._stream.resample_chunk(np.ascontiguousarray(pcm), last=last)
        return converted
