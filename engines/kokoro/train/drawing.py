"""Draws voices that nobody has: mixtures and extrapolations of the stock voices, seeded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from engines.kokoro.network import Matrix
from engines.kokoro.voices import PROSODY, TIMBRE, Style, stock_styles

Random: TypeAlias = np.random.Generator

TIMBRE_GAIN = (0.8, 1.8)
PROSODY_GAIN = (0.8, 1.5)
"""How far a mixture is moved away from the mean voice; over 1 is an extrapolation."""

SPEED = (0.85, 1.15)
F0_HZ = (75.0, 270.0)
UNMOVED_SHARE = 0.25
"""Share of samples that keep the F0 which the front gives them."""

_ONE_SEX_SHARE = 0.35
_SAME_MIX_SHARE = 0.5
_SCATTERED_SHARE = 0.4
_SCATTER = 0.35


@dataclass(frozen=True, slots=True)
class Draw:
    """One sample before it is spoken; ``f0_hz`` is ``None`` where F0 is to stay as it comes."""

    style: Style
    sentence: int
    speed: float
    f0_hz: float | None
    crop: float
    """Where to cut, as a share of what is too long."""


class VoiceDrawer:
    """Draws from mixtures of the stock voices, men and women alike."""

    def __init__(self) -> None:
        names, styles = zip(*stock_styles().items(), strict=True)
        self._table: Matrix = np.stack(styles)
        self._male = np.array([name[1] == "m" for name in names])
        even = np.where(self._male, 0.5 / self._male.sum(), 0.5 / (~self._male).sum())
        self._weights = even
        self._mean: Style = np.asarray(even @ self._table, dtype=np.float32)

    def draw(self, random: Random, sentences: int) -> Draw:
        """The next sample; ``sentences`` is how many there are to choose from."""
        style = self.style(random)
        sentence = int(random.integers(sentences))
        speed = float(random.uniform(*SPEED))
        low, high = np.log(F0_HZ)
        f0_hz = float(np.exp(random.uniform(low, high)))
        moved = random.random() >= UNMOVED_SHARE
        return Draw(style, sentence, speed, f0_hz if moved else None, float(random.random()))

    def style(self, random: Random) -> Style:
        """A style ``[256]``; its halves come from one mixture or from two."""
        timbre_mix = self._mixture(random)
        prosody_mix = timbre_mix if random.random() < _SAME_MIX_SHARE else self._mixture(random)
        timbre = self._away(timbre_mix, TIMBRE, random.uniform(*TIMBRE_GAIN))
        prosody = self._away(prosody_mix, PROSODY, random.uniform(*PROSODY_GAIN))
        if random.random() < _SCATTERED_SHARE:
            timbre = timbre + self._scatter(random)
        return np.concatenate([timbre, prosody]).astype(np.float32)

    def _mixture(self, random: Random) -> Style:
        """A random weighted mean of one to four voices, often of one sex."""
        count = int(random.integers(1, 5))
        weights, side = self._weights, random.random()
        if side < 2.0 * _ONE_SEX_SHARE:
            weights = weights * (self._male if side < _ONE_SEX_SHARE else ~self._male)
        chosen = random.choice(len(weights), count, replace=False, p=weights / weights.sum())
        shares = random.dirichlet(np.ones(count))
        return np.asarray(shares @ self._table[chosen], dtype=np.float32)

    def _away(self, mixture: Style, half: slice, gain: float) -> Style:
        mean = self._mean[half]
        return np.asarray(mean + gain * (mixture[half] - mean), dtype=np.float32)

    def _scatter(self, random: Random) -> Style:
        """A step in a direction that mixtures of few voices hardly reach."""
        spread = (self._table - self._mean)[:, TIMBRE] * np.sqrt(self._weights)[:, None]
        step = _SCATTER * random.standard_normal(len(spread)) @ spread
        return np.asarray(step * random.uniform(0.5, 2.0), dtype=np.float32)


def f0_ratio(wanted_hz: float | None, own_hz: float, limits: tuple[float, float]) -> float:
    """What to multiply F0 with, kept within limits; 1 where it is to stay."""
    if wanted_hz is None or own_hz <= 0.0:
        return 1.0
    return float(np.clip(wanted_hz / own_hz, *limits))
