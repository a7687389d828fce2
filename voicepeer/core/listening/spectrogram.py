"""The last columns of a stream's spectrogram, in dB, in bins and in bands of bins."""

from __future__ import annotations

from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm

COLUMN_SAMPLES: Final = 512
HOP_SAMPLES: Final = 256
HOP_S: Final = HOP_SAMPLES / LISTEN_RATE_HZ

FIRST_BIN: Final = 6
BAND_BINS: Final = 6
BANDS: Final = 19
"""From 190 to 3750 Hz, where speech has its power and small loudspeakers still have theirs."""

BINS: Final = BAND_BINS * BANDS
NOTHING_DB: Final = -100.0

SILENCE: Final = 2 / 32_768
"""Of full scale: what a codec makes of silence stays within two steps of 16 bits, and has no
spectrum worth the time."""

Levels: TypeAlias = NDArray[np.float32]
"""dB of full scale, shape ``[bands]``, ``[bins]``, or with columns before that."""


class Spectrogram:
    """Spectra of 32 ms (Hann) every 16 ms of a 16 kHz stream; columns are numbered from 0."""

    def __init__(self, keep: int) -> None:
        self.count = 0
        """Columns so far; the last ``keep`` of them are there."""
        self._keep = keep
        self._rest = np.zeros(0, np.float32)
        self._window = np.hanning(COLUMN_SAMPLES).astype(np.float32)
        self._unit = float(np.square(self._window).sum()) * COLUMN_SAMPLES / 2
        self._bins: Levels = np.full((keep, BINS), NOTHING_DB, np.float32)
        self._bands: Levels = np.full((keep, BANDS), NOTHING_DB, np.float32)

    def push(self, pcm: Pcm) -> range:
        """Add samples; the numbers of the columns that are new, at most ``keep`` are kept."""
        pending = np.concatenate([self._rest, pcm])
        new = max(0, (pending.size - COLUMN_SAMPLES) // HOP_SAMPLES + 1)
        for start in range(0, new * HOP_SAMPLES, HOP_SAMPLES):
            self._add(pending[start : start + COLUMN_SAMPLES])
        self._rest = pending[new * HOP_SAMPLES :]
        return range(self.count - new, self.count)

    def _add(self, pcm: Pcm) -> None:
        place = self.count % self._keep
        self.count += 1
        # Nothing was sent, or a microphone is off: so it is most of the time.
        if pcm.min() >= -SILENCE and pcm.max() <= SILENCE:
            self._bins[place] = self._bands[place] = NOTHING_DB
            return
        spectrum = np.fft.rfft(pcm * self._window)[FIRST_BIN : FIRST_BIN + BINS]
        power = (np.square(spectrum.real) + np.square(spectrum.imag)) / self._unit
        self._bins[place] = _db(power)
        self._bands[place] = _db(power.reshape(BANDS, BAND_BINS).sum(axis=1))

    def bin_levels(self, column: int) -> Levels:
        """One kept column in bins."""
        return np.asarray(self._bins[column % self._keep])

    def band_levels(self, column: int) -> Levels:
        """One kept column in bands."""
        return np.asarray(self._bands[column % self._keep])

    def bins_at(self, columns: NDArray[np.int64]) -> Levels:
        """Columns by number in bins; silence where they are not there (yet, or any more)."""
        return self._at(self._bins, columns)

    def bands_at(self, columns: NDArray[np.int64]) -> Levels:
        """Columns by number in bands; silence where they are not there (yet, or any more)."""
        return self._at(self._bands, columns)

    def _at(self, levels: Levels, columns: NDArray[np.int64]) -> Levels:
        there = (columns < self.count) & (columns >= max(0, self.count - self._keep))
        found: Levels = np.where(
            there[:, None], levels[columns % self._keep], np.float32(NOTHING_DB)
        )
        return found


def _db(power: NDArray[np.floating]) -> Levels:
    levels: Levels = (10.0 * np.log10(power + 10.0 ** (NOTHING_DB / 10.0))).astype(np.float32)
    return levels
