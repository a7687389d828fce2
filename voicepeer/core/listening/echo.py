"""Tells our own voice in the microphone from somebody else's, by what was sent a moment ago.

Band levels are correlated with those of what was sent, at every delay that an echo may have. A
high correlation is an echo, the best delay is the echo's. Its level in each band is learned, and
power that it cannot explain is somebody's who speaks over us. Nothing has to be known of the
loudspeaker, the room or the codecs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.listening.spectrogram import (
    BAND_BINS,
    BANDS,
    HOP_S,
    NOTHING_DB,
    Levels,
    Spectrogram,
)
from voicepeer.core.pcm import LISTEN_RATE_HZ, WIRE_RATE_HZ, Pcm, Pcm16, from_pcm16

RANGE_DB: Final = 40.0
"""What is so far below the loudest that was sent has no echo worth noticing."""

SILENT_DB: Final = -75.0
"""Of a band of what was sent, whatever else was sent."""

REVERB_COLUMNS: Final = 10
REVERB_DB: Final = 2.4
"""From column to column: a room may hold sound with an RT60 of 0.4 s."""

FLOOR_RISE_DB: Final = 3.0 * HOP_S
"""Noise that gets louder is taken for speech until the floor has followed at this pace."""

FLOOR_MARGIN_DB: Final = 9.0
ACTIVE_BANDS: Final = 4
EARLY_COLUMNS: Final = 8
"""How far the microphone may run ahead of the count, as both streams come unevenly."""

SLIP_COLUMNS: Final = 16
"""A stream that stalled for longer than this is lined up anew."""

NEAR_COLUMNS: Final = 2
STEADY_COLUMNS: Final = 8
LEARN: Final = 0.08
"""Share of the newest column in the learned level of the echo."""

LITTLE_DB2: Final = 20.0
"""Variation of all bands together that means nothing."""

_DECIMATION: Final = WIRE_RATE_HZ // LISTEN_RATE_HZ
_Columns: TypeAlias = NDArray[np.int64]
_LevelsAt: TypeAlias = Callable[[_Columns], Levels]


@dataclass(frozen=True, slots=True)
class EchoSettings:
    """How an echo is recognised; measured on real speakers, see ``docs/calls.md``."""

    max_delay_s: float = 1.2
    """From sending to hearing: network, both buffers, a wireless loudspeaker."""
    memory_s: float = 0.4
    """Time constant of the correlation."""
    evidence_s: float = 0.3
    """Of both sides being audible, before a missing echo means anything."""
    echo_correlation: float = 0.72
    """From here on the microphone hears us, and nobody else to speak of."""
    learn_correlation: float = 0.66
    """At the known delay: there is little else, so that the echo's level can be learned."""
    known_correlation: float = 0.7
    """At the known delay: this is our echo, even where its learned level does not explain it."""
    unknown_correlation: float = 0.4
    """While no delay is known: it may be an echo, so it is not taken for somebody's voice."""
    moved_correlation: float = 0.5
    """At another delay than the known one: it may have changed, so nothing is said for now."""
    excess_db: float = 9.0
    """What is so far over the learned echo is somebody else's."""
    foreign_share: float = 0.4
    """Of a window's power that has to be somebody else's."""


@dataclass(frozen=True, slots=True)
class EchoVerdict:
    """What one stretch of the microphone holds."""

    correlation: float
    """With what was sent, at the best delay; 0 where nothing was sent."""
    foreign_share: float
    """Of the power, what our echo does not explain, 0 to 1."""
    foreign: bool
    """Whatever is heard seems to be somebody else's."""
    certain: bool
    """Enough was heard to tell an echo from a voice."""
    likely: bool
    """Our own voice may be in it, so that nothing of it is to be learned."""
    delay_s: float | None
    """From sending to hearing, once an echo was found."""


NO_ECHO: Final = EchoVerdict(0.0, 1.0, foreign=True, certain=True, likely=False, delay_s=None)


class EchoDetector:
    """Compares one microphone with what was sent to the same listener."""

    def __init__(self, settings: EchoSettings | None = None) -> None:
        self._settings = settings or EchoSettings()
        self._delays: _Columns = np.arange(
            -EARLY_COLUMNS, round(self._settings.max_delay_s / HOP_S), dtype=np.int64
        )
        self._sent = Spectrogram(self._delays.size + SLIP_COLUMNS + 2 * REVERB_COLUMNS)
        self._heard = Spectrogram(8)
        self._anchor = 0
        """Number of the column that was sent when column 0 of the microphone came in."""
        self._correlation = _Correlation(self._delays.size, self._settings.memory_s)
        self._floor_db: Levels = np.zeros(BANDS, np.float32)
        self._echo_db: Levels = np.zeros(BANDS, np.float32)
        self._learned = self._steady = self._candidate = 0
        self._delay: int | None = None
        self._loudest_db = NOTHING_DB
        self._last_loud = -self._delays.size
        """Number of the newest column of what was sent that is not silent by itself."""

    @property
    def delay_s(self) -> float | None:
        """From sending to hearing our voice, once an echo was found."""
        return None if self._delay is None else float(self._delay * HOP_S)

    def sent(self, frame: Pcm16) -> None:
        """Take what was just sent, 48 kHz; silence too, as it keeps the time."""
        usable = frame[: frame.size // _DECIMATION * _DECIMATION]
        # A plain mean is a poor filter, but speech has little power where it would alias from.
        coarse = from_pcm16(usable).reshape(-1, _DECIMATION).mean(axis=1)
        for column in self._sent.push(coarse):
            loudest = float(self._sent.band_levels(column).max())
            if loudest > SILENT_DB:
                self._last_loud = column
            self._loudest_db = max(loudest, self._loudest_db - HOP_S)

    def heard(self, pcm: Pcm) -> EchoVerdict:
        """Judge what the microphone just gave, 16 kHz."""
        self._align()
        shares = [self._judge(column) for column in self._heard.push(pcm)]
        if not shares or self._correlation.sent_nothing:
            return NO_ECHO
        share = float(np.mean(shares))
        best, correlation = self._correlation.best()
        foreign = share >= self._settings.foreign_share and correlation < self._limit(best)
        certain = self._delay is not None or self._correlated_enough
        likely = not foreign or correlation >= self._settings.unknown_correlation
        return EchoVerdict(correlation, share, foreign, certain, likely, self.delay_s)

    def _limit(self, best: int) -> float:
        """Correlation from which the microphone may hear us after all."""
        if self._delay is None:
            return self._settings.unknown_correlation
        if abs(int(self._delays[best]) - self._delay) > NEAR_COLUMNS:
            return self._settings.moved_correlation
        return self._settings.known_correlation

    @property
    def _correlated_enough(self) -> bool:
        return self._correlation.evidence_s >= self._settings.evidence_s

    def _align(self) -> None:
        ahead = self._sent.count - self._heard.count
        if abs(ahead - self._anchor) > SLIP_COLUMNS:
            self._anchor = ahead
            self._correlation.clear()
            self._delay = None

    def _judge(self, column: int) -> float:
        """Take one column of the microphone; the share of its power that is not our echo."""
        bands = self._heard.band_levels(column)
        self._floor_db = np.minimum(self._floor_db + FLOOR_RISE_DB, bands)
        if not self._may_be_heard(column):
            self._correlation.clear()
            return 1.0
        quiet = self._floor_db + FLOOR_MARGIN_DB
        sources = self._anchor + column - self._delays
        candidates = np.maximum(self._sent.bands_at(sources), self._inaudible_db)
        if not (candidates > self._inaudible_db).any():
            self._correlation.clear()
            return 1.0
        active = int(np.count_nonzero(bands > quiet)) >= ACTIVE_BANDS
        self._correlation.push(np.maximum(bands, quiet), active, candidates)
        self._find(bands, quiet, column)
        return self._foreign_share(column, quiet)

    def _may_be_heard(self, column: int) -> bool:
        """Whether anything but silence was sent in all the time of which echoes may come now.

        Most of a call there was not, and nothing else needs to be looked at then.
        """
        return self._last_loud >= self._anchor + column - int(self._delays[-1])

    @property
    def _inaudible_db(self) -> float:
        return max(self._loudest_db - RANGE_DB, SILENT_DB)

    def _find(self, bands: Levels, quiet: Levels, column: int) -> None:
        """Learn the delay and the level of an echo while there is little else to be heard."""
        best, correlation = self._correlation.best()
        delay = int(self._delays[best])
        known = self._delay is not None and abs(delay - self._delay) <= NEAR_COLUMNS
        if known and correlation >= self._settings.learn_correlation:
            self._learn(bands, quiet, column)
        sure = correlation >= self._settings.echo_correlation and self._correlated_enough
        steady = sure and abs(delay - self._candidate) <= NEAR_COLUMNS
        self._steady = self._steady + 1 if steady else 0
        self._candidate = delay
        if self._steady >= STEADY_COLUMNS:
            self._learned = self._learned if known else 0
            self._delay = delay

    def _learn(self, bands: Levels, quiet: Levels, column: int) -> None:
        """Follow the level of the echo in each band where it is heard."""
        expected = self._expected(column, self._sent.bands_at)
        known = (bands > quiet) & (expected > self._inaudible_db)
        self._learned += 1
        rate = max(LEARN, 1.0 / self._learned)
        change = rate * (bands - expected - self._echo_db)
        self._echo_db = np.where(known, self._echo_db + change, self._echo_db).astype(np.float32)

    def _expected(self, column: int, levels_at: _LevelsAt) -> Levels:
        """What the echo's source was at a column, with what a room still holds of it."""
        assert self._delay is not None
        newest = self._anchor + column - self._delay + 1
        levels = levels_at(np.arange(newest, newest - REVERB_COLUMNS, -1, dtype=np.int64))
        decay = REVERB_DB * np.maximum(np.arange(REVERB_COLUMNS) - 1, 0)
        return np.asarray((levels - decay[:, None]).max(axis=0), dtype=np.float32)

    def _foreign_share(self, column: int, quiet: Levels) -> float:
        bins = self._heard.bin_levels(column)
        # The power of noise spreads evenly over the bins of a band.
        limit = np.repeat(quiet - 10.0 * np.log10(BAND_BINS), BAND_BINS)
        power = np.where(bins > limit, 10.0 ** (bins.astype(np.float64) / 10.0), 0.0)
        if self._delay is not None:
            level = np.repeat(self._echo_db, BAND_BINS) + self._settings.excess_db
            limit = np.maximum(limit, _spread(self._expected(column, self._sent.bins_at)) + level)
        total = float(power.sum())
        return min(1.0, float(power[bins > limit].sum()) / total) if total else 0.0


class _Correlation:
    """Of the microphone's bands with those that were sent, at each delay; forgets in time.

    Each band's mean over the same time is taken away, and with it what a room or a loudspeaker
    does to the spectrum: what is left is how it changes.
    """

    def __init__(self, delays: int, memory_s: float) -> None:
        self._keep = float(np.exp(-HOP_S / memory_s))
        self._delays = delays
        self._begin()

    def clear(self) -> None:
        """Forget everything, for streams that do not line up any more."""
        if self.sent_nothing:
            return
        self._begin()

    def _begin(self) -> None:
        self.evidence_s = 0.0
        """How long both sides were audible together."""
        self.sent_nothing = True
        """Nothing was sent that could still come back."""
        self._weight = 0.0
        self._heard = np.zeros((1, BANDS))
        self._heard_square = np.zeros((1, BANDS))
        self._sent = np.zeros((self._delays, BANDS))
        self._sent_square = np.zeros((self._delays, BANDS))
        self._product = np.zeros((self._delays, BANDS))
        self._values = np.zeros(self._delays)

    def push(self, heard: NDArray[Any], active: bool, sent: NDArray[Any]) -> None:
        """Add one column.

        Args:
            heard: of the microphone, shape ``[bands]``, and whether there is anything in it.
            sent: by delay, shape ``[delays, bands]``.
        """
        self.sent_nothing = False
        if active:
            self.evidence_s += HOP_S
        # Variances are small differences of large sums.
        heard, sent = heard.astype(np.float64), sent.astype(np.float64)
        for total, value in (
            (self._heard, heard),
            (self._heard_square, heard * heard),
            (self._sent, sent),
            (self._sent_square, sent * sent),
            (self._product, sent * heard),
        ):
            total *= self._keep
            total += value
        self._weight = self._keep * self._weight + 1.0
        self._values = self._compare()

    def _compare(self) -> NDArray[np.float64]:
        weight = self._weight
        shared = (self._product - self._sent * self._heard / weight).sum(axis=1)
        sent = (self._sent_square - np.square(self._sent) / weight).sum(axis=1)
        heard = (self._heard_square - np.square(self._heard) / weight).sum(axis=1)
        spread = np.sqrt(np.maximum(sent * heard, 0.0)) + LITTLE_DB2
        values: NDArray[np.float64] = np.clip(shared / spread, -1.0, 1.0)
        return values

    def best(self) -> tuple[int, float]:
        """The delay that fits best, as its index, and the correlation there."""
        best = int(np.argmax(self._values))
        return best, float(self._values[best])


def _spread(bins: Levels) -> Levels:
    """Each bin's level or its louder neighbour's: windows and codecs smear."""
    edge = np.pad(bins, 1, constant_values=NOTHING_DB)
    return np.asarray(np.maximum(np.maximum(edge[:-2], edge[2:]), bins), dtype=np.float32)
