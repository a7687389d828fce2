"""Microphones that hear us: real speakers through Opus, a small loudspeaker, a room and noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from voicepeer.core.pcm import (
    FRAME_SAMPLES,
    LISTEN_RATE_HZ,
    WIRE_RATE_HZ,
    Pcm,
    Pcm16,
    from_pcm16,
    to_pcm16,
)
from voicepeer.opus import OpusDecoder, OpusEncoder

SPEECH_DBFS: Final = -20.0


@dataclass(frozen=True, slots=True)
class EchoPath:
    """From a loudspeaker back into the microphone beside it."""

    delay_ms: float
    gain_db: float
    """Of the direct sound, to what was sent."""
    rt60_s: float
    """Reverberation time; 0 is an open field."""
    seed: int = 0

    def play(self, pcm: Pcm) -> Pcm:
        """What comes back, 48 kHz: band-limited, softly clipped, reverberant and late."""
        hz = np.fft.rfftfreq(pcm.size, 1 / WIRE_RATE_HZ)
        high = 1.0 / np.sqrt(1.0 + (300.0 / np.maximum(hz, 1.0)) ** 4)
        low = 1.0 / np.sqrt(1.0 + (hz / 7_000.0) ** 6)
        played = np.tanh(3.0 * np.fft.irfft(np.fft.rfft(pcm) * high * low, pcm.size)) / 3.0
        room = self._room()
        size = pcm.size + room.size
        heard = np.fft.irfft(np.fft.rfft(played, size) * np.fft.rfft(room, size), size)
        late = np.zeros(int(self.delay_ms * WIRE_RATE_HZ / 1000))
        gain = 10.0 ** (self.gain_db / 20.0)
        return np.asarray(np.concatenate([late, heard * gain]), np.float32)

    def _room(self) -> Pcm:
        """An impulse response: noise that decays, after the direct sound."""
        samples = max(1, int(self.rt60_s * WIRE_RATE_HZ))
        decay = 10.0 ** (-3.0 * np.arange(samples) / samples)
        room = 0.03 * np.random.default_rng(self.seed).standard_normal(samples) * decay
        room[0] = 1.0
        return room.astype(np.float32)


def at_speech_level(pcm: Pcm) -> Pcm:
    """The same speech at ``SPEECH_DBFS``, its pauses not counted."""
    loud = pcm[np.abs(pcm) > 0.02 * np.abs(pcm).max()]
    level = 10.0 ** (SPEECH_DBFS / 20.0) / float(np.sqrt(np.mean(np.square(loud))))
    return np.asarray(pcm * level, dtype=np.float32)


def microphone(
    seconds: float,
    parts: Sequence[tuple[float, Pcm]],
    noise_dbfs: float = -62.0,
    seed: int = 1,
) -> Pcm:
    """Sounds by the time at which they begin, in white noise; 48 kHz."""
    samples = int(seconds * WIRE_RATE_HZ)
    mixed = np.random.default_rng(seed).standard_normal(samples) * 10.0 ** (noise_dbfs / 20.0)
    for at_s, pcm in parts:
        place = mixed[int(at_s * WIRE_RATE_HZ) :][: pcm.size]
        place += pcm[: place.size]
    return np.asarray(mixed, dtype=np.float32)


def over_the_wire(pcm: Pcm, rate_hz: int = LISTEN_RATE_HZ) -> Pcm:
    """Speech as it comes out of the other side's Opus decoder; whole frames only."""
    encoder, decoder = OpusEncoder(), OpusDecoder(rate_hz)
    whole = to_pcm16(pcm[: pcm.size // FRAME_SAMPLES * FRAME_SAMPLES])
    frames = [decoder.decode(encoder.encode(frame)) for frame in whole.reshape(-1, FRAME_SAMPLES)]
    decoded: Pcm16 = np.concatenate(frames)
    return from_pcm16(decoded)
