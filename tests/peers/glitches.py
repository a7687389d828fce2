"""Counts what an ear would notice in a received tone: jumps of its phase and holes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm

BLOCK_S = 0.01
PHASE_JUMP_RAD = 0.35
HOLE_SHARE = 0.3
"""A block this far below the usual level is a hole."""


@dataclass(frozen=True, slots=True)
class Glitches:
    """What was found between the first and the last block with the tone."""

    phase_jumps: int
    longest_hole_ms: float
    tone_ms: float
    holes: int = 0


def tone(
    duration_s: float, frequency_hz: float = 440.0, level: float = 0.3, rate_hz: int = WIRE_RATE_HZ
) -> Pcm:
    """A sine of constant phase, with 5 ms ramps at both ends."""
    at = np.arange(int(duration_s * rate_hz)) / rate_hz
    pcm = (level * np.sin(2 * np.pi * frequency_hz * at)).astype(np.float32)
    ramp = np.linspace(0, 1, int(0.005 * rate_hz), dtype=np.float32)
    pcm[: ramp.size] *= ramp
    pcm[pcm.size - ramp.size :] *= ramp[::-1]
    return pcm


def tone_level(
    pcm: Pcm, frequency_hz: float, rate_hz: int = WIRE_RATE_HZ
) -> NDArray[np.complex128]:
    """Complex amplitude of the tone in each 10 ms block."""
    block = int(BLOCK_S * rate_hz)
    usable = pcm[: pcm.size // block * block].astype(np.float64)
    at = np.arange(usable.size) / rate_hz
    mixed = usable * np.exp(-2j * np.pi * frequency_hz * at)
    levels: NDArray[np.complex128] = 2 * mixed.reshape(-1, block).mean(axis=1)
    return levels


def count(pcm: Pcm, frequency_hz: float = 440.0, rate_hz: int = WIRE_RATE_HZ) -> Glitches:
    """Glitches of a received tone; silence before and after it is no glitch."""
    levels = tone_level(pcm, frequency_hz, rate_hz)
    strong = np.abs(levels)
    if strong.size == 0 or strong.max() < 0.01:
        return Glitches(0, 0.0, 0.0)
    present = strong > HOLE_SHARE * np.median(strong[strong > 0.3 * strong.max()])
    first, last = np.flatnonzero(present)[[0, -1]]
    inside = present[first : last + 1]
    phases = np.angle(levels[first : last + 1][inside])
    # The outermost blocks hold the ramps and only a part of the tone.
    steps = np.abs(np.angle(np.exp(1j * np.diff(phases[1:-1]))))
    return Glitches(
        phase_jumps=int(np.count_nonzero(steps > PHASE_JUMP_RAD)),
        longest_hole_ms=_longest_run(~inside) * BLOCK_S * 1000,
        tone_ms=float(inside.sum()) * BLOCK_S * 1000,
        holes=int(np.count_nonzero(np.diff(inside.astype(int)) == -1)),
    )


def _longest_run(flags: NDArray[np.bool_]) -> int:
    longest = current = 0
    for flag in flags:
        current = current + 1 if flag else 0
        longest = max(longest, current)
    return longest
