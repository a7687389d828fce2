"""Keeps the sum of several voices within full scale, by turning it down around its peaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm

CEILING = 10 ** (-1.0 / 20)
"""-1 dBFS: a player that resamples may go a little over the samples."""

STEP_SAMPLES = WIRE_RATE_HZ // 200
"""5 ms, within which the gain goes in a straight line."""

RELEASE_PER_STEP = 0.01
"""From a half to full in 0.25 s."""


class Limiter:
    """Looks 5 ms ahead; what comes out is as much later.

    Only while there is a peak over the ceiling is the gain anything but 1, and the result never is
    over it.
    """

    def __init__(self) -> None:
        self._held = np.zeros(0, np.float32)
        self._gain: float | None = None
        """At the start of what is held, once there was anything."""

    def push(self, pcm: Pcm) -> Pcm:
        """Take samples of any level, shape ``[n]``; give those that are ready."""
        return self._limit(np.concatenate((self._held, pcm)), last=False)

    def finish(self) -> Pcm:
        """What is left."""
        return self._limit(self._held, last=True)

    def _limit(self, pcm: Pcm, *, last: bool) -> Pcm:
        steps = -(-pcm.size // STEP_SAMPLES) if last else pcm.size // STEP_SAMPLES
        whole = np.zeros(steps * STEP_SAMPLES, np.float32)
        whole[: min(pcm.size, whole.size)] = pcm[: whole.size]
        wanted = self._wanted(whole.reshape(steps, STEP_SAMPLES))
        done = steps if last else max(0, steps - 1)
        out = whole[: done * STEP_SAMPLES] * self._gains(wanted, done)
        self._held = pcm[done * STEP_SAMPLES :]
        return np.asarray(out[: pcm.size], dtype=np.float32)

    @staticmethod
    def _wanted(steps: NDArray[np.float32]) -> list[float]:
        """The most that each step may be multiplied with."""
        peaks = np.max(np.abs(steps), axis=1, initial=0.0)
        return [float(gain) for gain in CEILING / np.maximum(peaks, CEILING)]

    def _gains(self, wanted: list[float], done: int) -> NDArray[np.float32]:
        """Lines between the steps' ends, each of which suits the steps on either side."""
        gains = np.empty((done, STEP_SAMPLES), np.float32)
        gain = min([1.0, *wanted[:1]]) if self._gain is None else self._gain
        for step in range(done):
            following = wanted[step + 1] if step + 1 < len(wanted) else 1.0
            end = min(wanted[step], following, gain + RELEASE_PER_STEP)
            gains[step] = np.linspace(gain, end, STEP_SAMPLES, endpoint=False)
            gain = self._gain = end
        return gains.ravel()
