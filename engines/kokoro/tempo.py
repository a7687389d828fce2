"""Speech made shorter in time without a change of pitch: WSOLA on a stream.

W. Verhelst and M. Roelands, "An overlap-add technique based on waveform similarity (WSOLA) for
high quality time-scale modification of speech", ICASSP 1993. Pure numpy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engines.api import Pcm
from engines.kokoro.source import SAMPLE_RATE_HZ

_WINDOW = SAMPLE_RATE_HZ * 25 // 1000
_HOP = _WINDOW // 2
_REACH = SAMPLE_RATE_HZ * 8 // 1000
"""How far a window may be moved to fit: a period of 62 Hz to both sides together."""

_SHAPE = np.hanning(_WINDOW + 1)[:-1]
_FIRST_SHAPE = np.where(np.arange(_WINDOW) < _HOP, 1.0, _SHAPE)


class Shortener:
    """Takes speech and gives it back ``speed`` times as fast."""

    def __init__(self, speed: float) -> None:
        """Keep all but ``1 / speed`` of the time; 1 passes everything through."""
        if speed < 1.0:
            raise ValueError(f"a shortener cannot make speech {speed:g} times as fast")
        self._step = speed * _HOP
        self._passes = speed == 1.0
        self._heard = np.zeros(_REACH, np.float64)
        self._forgotten = -_REACH
        """Place in the input of the first sample that is still kept."""
        self._received = 0
        self._given = 0
        self._windows = 0
        self._follows: int | None = None
        """Where in the input the last window would go on."""
        self._tail = np.zeros(_WINDOW, np.float64)

    def push(self, pcm: Pcm) -> Pcm:
        """Take samples; give those that are certain now."""
        if self._passes:
            return pcm
        self._heard = np.concatenate([self._heard, pcm])
        self._received += pcm.size
        return self._advance()

    def finish(self) -> Pcm:
        """The rest, so that all is as long as was asked for."""
        if self._passes:
            return np.zeros(0, np.float32)
        wanted = round(self._received * _HOP / self._step)
        missing = 2 * _WINDOW + 2 * _REACH
        self._heard = np.concatenate([self._heard, np.zeros(missing)])
        self._received += missing
        rest = np.concatenate([self._advance(), self._tail]).astype(np.float32)
        return rest[: max(0, wanted - self._given_before(rest))]

    def _given_before(self, rest: Pcm) -> int:
        return self._given - (rest.size - self._tail.size)

    def _advance(self) -> Pcm:
        out = [np.zeros(0, np.float32)]
        while (place := round(self._windows * self._step)) + _REACH + _WINDOW <= self._received:
            at = self._best(place)
            self._tail += self._cut(at) * (_SHAPE if self._windows else _FIRST_SHAPE)
            out.append(self._tail[:_HOP].astype(np.float32))
            self._tail = np.concatenate([self._tail[_HOP:], np.zeros(_HOP)])
            self._follows = at + _HOP
            self._windows += 1
            self._forget(min(self._follows, round(self._windows * self._step) - _REACH))
        done = np.concatenate(out)
        self._given += done.size
        return done

    def _best(self, place: int) -> int:
        """Where near ``place`` the input goes on most like the last window would have."""
        if self._follows is None:
            return place
        wanted = self._cut(self._follows)
        around = self._cut(place - _REACH, _WINDOW + 2 * _REACH)
        likeness = np.correlate(around, wanted, "valid")
        power = np.convolve(np.square(around), np.ones(_WINDOW), "valid")
        return place - _REACH + int(np.argmax(likeness / np.sqrt(power + 1e-9)))

    def _cut(self, at: int, size: int = _WINDOW) -> NDArray[np.float64]:
        begin = at - self._forgotten
        return self._heard[begin : begin + size]

    def _forget(self, before: int) -> None:
        spare = max(0, before - self._forgotten)
        self._heard = self._heard[spare:]
        self._forgotten += spare
