"""Spoils good recordings on purpose, in known measure: rooms, lines, noise, music, other people.

For choosing thresholds and for training what must not mind. Mono at 16 kHz in and out; the same
seed gives the same samples.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm

Random: TypeAlias = np.random.Generator

_DIRECT_SAMPLES = 40
_CHORDS_HZ = ((220.0, 277.2, 329.6), (174.6, 220.0, 261.6), (196.0, 246.9, 293.7))
_CHORD_S = 1.0
_BEAT_S = 0.5


def reverberate(pcm: Pcm, t60_s: float, direct_db: float, random: Random) -> Pcm:
    """Put into a room whose sound falls by 60 dB in ``t60_s``.

    The impulse response is noise under an exponential decay (J. D. Polack 1988) after the direct
    sound, which carries ``direct_db`` more energy than all of the rest. The level is kept.
    """
    samples = round(1.2 * t60_s * LISTEN_RATE_HZ)
    decay = 10.0 ** (-3.0 * np.arange(samples) / (t60_s * LISTEN_RATE_HZ))
    tail = random.standard_normal(samples) * decay
    tail[:_DIRECT_SAMPLES] = 0.0
    tail *= 10.0 ** (-direct_db / 20.0) / np.sqrt(np.sum(np.square(tail)))
    response = tail
    response[0] = 1.0
    size = pcm.size + samples
    wet = np.fft.irfft(np.fft.rfft(pcm, size) * np.fft.rfft(response, size), size)[: pcm.size]
    return _as_loud(wet, pcm)


def band_limited(pcm: Pcm, low_hz: float, high_hz: float) -> Pcm:
    """Nothing outside of a band; a telephone line is 300 to 3400 Hz."""
    spectrum = np.fft.rfft(pcm)
    at_hz = np.fft.rfftfreq(pcm.size, 1.0 / LISTEN_RATE_HZ)
    rise = 1.0 / (1.0 + np.power(low_hz / np.maximum(at_hz, 1e-3), 8))
    fall = 1.0 / (1.0 + np.power(at_hz / high_hz, 24))
    return _as_loud(np.fft.irfft(spectrum * rise * fall, pcm.size), pcm)


def coloured(pcm: Pcm, deviation_db: float, random: Random) -> Pcm:
    """Another microphone: a smooth random frequency response, a knot an octave."""
    at_hz = np.fft.rfftfreq(pcm.size, 1.0 / LISTEN_RATE_HZ)
    knots_hz = 62.5 * 2.0 ** np.arange(8)
    gains_db = deviation_db * random.standard_normal(knots_hz.size)
    curve_db = np.interp(np.log(np.maximum(at_hz, 1.0)), np.log(knots_hz), gains_db)
    spectrum = np.fft.rfft(pcm) * 10.0 ** (curve_db / 20.0)
    return _as_loud(np.fft.irfft(spectrum, pcm.size), pcm)


def noisy(pcm: Pcm, snr_db: float, random: Random) -> Pcm:
    """Steady noise, as much softer than the recording; darker than white, as rooms are."""
    spectrum = np.fft.rfft(random.standard_normal(pcm.size))
    spectrum /= np.sqrt(np.maximum(np.arange(spectrum.size), 1.0))
    return under(pcm, np.asarray(np.fft.irfft(spectrum, pcm.size), np.float32), snr_db)


def under(pcm: Pcm, other: Pcm, ratio_db: float) -> Pcm:
    """Add another sound, ``ratio_db`` softer; it is repeated if it is shorter."""
    repeated = np.resize(other, pcm.size)
    gain = rms(pcm) / max(rms(repeated), 1e-9) * 10.0 ** (-ratio_db / 20.0)
    return np.asarray(pcm + gain * repeated, dtype=np.float32)


def music(duration_s: float, random: Random) -> Pcm:
    """Chords of plucked strings with harmonics, and a drum on each beat."""
    t = np.arange(round(duration_s * LISTEN_RATE_HZ)) / LISTEN_RATE_HZ
    transposed = 2.0 ** (random.uniform(-6.0, 6.0) / 12.0)
    chord = (t // _CHORD_S).astype(int) % len(_CHORDS_HZ)
    sound = np.zeros(t.size)
    for voice in range(3):
        notes_hz = np.array([notes[voice] for notes in _CHORDS_HZ]) * transposed
        phase = 2.0 * np.pi * np.cumsum(notes_hz[chord]) / LISTEN_RATE_HZ
        for harmonic in range(1, 7):
            sound += np.sin(harmonic * phase) / harmonic
    sound *= np.exp(-1.5 * (t % _CHORD_S))
    drum = random.standard_normal(t.size) * np.exp(-30.0 * (t % _BEAT_S))
    return np.asarray(0.1 * (sound + drum), dtype=np.float32)


def another_channel(pcm: Pcm, random: Random) -> Pcm:
    """What a random microphone in a random room over a random line would give."""
    heard = coloured(pcm, random.uniform(1.0, 5.0), random)
    if random.random() < 0.6:
        heard = reverberate(heard, random.uniform(0.1, 0.6), random.uniform(0.0, 15.0), random)
    if random.random() < 0.4:
        heard = band_limited(heard, random.uniform(50.0, 200.0), random.uniform(4_000.0, 7_800.0))
    return noisy(heard, random.uniform(20.0, 50.0), random)


def rms(pcm: NDArray[np.floating]) -> float:
    """Root mean square."""
    return float(np.sqrt(np.mean(np.square(pcm, dtype=np.float64))))


def _as_loud(pcm: NDArray[np.float64], wanted: Pcm) -> Pcm:
    return np.asarray(pcm * (rms(wanted) / max(rms(pcm), 1e-9)), dtype=np.float32)
