"""Values of attributes in SSML: how long, how fast, how high, how loud.

Every function raises ``BadValue``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from voicepeer.core.speaking.emotion import Recipe

MAX_BREAK_MS = 10_000.0
MAX_VOLUME = 4.0
SPEEDS, PITCH_RANGES, ENERGIES = (0.2, 5.0), (0.0, 4.0), (0.2, 4.0)
SEMITONES = (-24.0, 24.0)
"""What an element may ask for, and several together; the engine does what of it it can."""

_BREAK_MS = {
    "none": 0.0, "x-weak": 100.0, "weak": 200.0, "medium": 400.0, "strong": 700.0,
    "x-strong": 1200.0,
}  # fmt: skip
_EMPHASIS = {
    "strong": Recipe(speed=0.85, pitch_semitones=1.5, pitch_range=1.3, energy=1.2),
    "moderate": Recipe(speed=0.92, pitch_semitones=0.8, pitch_range=1.15, energy=1.1),
    "none": Recipe(),
    "reduced": Recipe(speed=1.08, pitch_semitones=-0.7, pitch_range=0.8, energy=0.85),
}
_RATES = {"x-slow": 0.6, "slow": 0.8, "medium": 1.0, "fast": 1.25, "x-fast": 1.6, "default": 1.0}
_PITCHES = {"x-low": -6.0, "low": -3.0, "medium": 0.0, "high": 3.0, "x-high": 6.0, "default": 0.0}
_VOLUMES = {
    "silent": 0.0, "x-soft": 0.4, "soft": 0.7, "medium": 1.0, "loud": 1.3, "x-loud": 1.5,
    "default": 1.0,
}  # fmt: skip
_RANGES = {"x-low": 0.4, "low": 0.7, "medium": 1.0, "high": 1.4, "x-high": 1.8, "default": 1.0}
_TIME = re.compile(r"\+?(\d+(?:\.\d+)?|\.\d+)(ms|s)")
_RELATIVE = re.compile(r"([+-]?(?:\d+(?:\.\d+)?|\.\d+))(%|st|dB)?")


class BadValue(ValueError):
    """A value that cannot be; the message says what could."""


def _one_of(
    attributes: Mapping[str, str], name: str, known: Mapping[str, object], usual: str
) -> str:
    value = attributes.get(name, usual)
    if value not in known:
        raise BadValue(f"{name} can be {', '.join(known)}, not {value[:32]!r}")
    return value


def held(recipe: Recipe) -> Recipe:
    """The nearest recipe that one element could ask for."""
    return replace(
        recipe,
        speed=_within(recipe.speed, SPEEDS),
        pitch_semitones=_within(recipe.pitch_semitones, SEMITONES),
        pitch_range=_within(recipe.pitch_range, PITCH_RANGES),
        energy=_within(recipe.energy, ENERGIES),
    )


def _within(value: float, limits: tuple[float, float]) -> float:
    return min(max(value, limits[0]), limits[1])


def break_ms(attributes: Mapping[str, str]) -> float:
    """How long a ``<break>`` lasts."""
    time = attributes.get("time")
    if time is None:
        return _BREAK_MS[_one_of(attributes, "strength", _BREAK_MS, "medium")]
    found = _TIME.fullmatch(time.strip())
    if not found:
        raise BadValue(f"a break's time is like 500ms or 1.5s, not {time[:32]!r}")
    ms = float(found.group(1)) * (1000.0 if found.group(2) == "s" else 1.0)
    if ms > MAX_BREAK_MS:
        raise BadValue(f"a break may last {MAX_BREAK_MS / 1000:g} s")
    return ms


def emphasis(attributes: Mapping[str, str]) -> Recipe:
    """What an ``<emphasis>`` does."""
    return _EMPHASIS[_one_of(attributes, "level", _EMPHASIS, "moderate")]


def volume(attributes: Mapping[str, str]) -> float:
    """The factor on the level that a ``<prosody>`` asks for."""
    return _factor(attributes, "volume", _VOLUMES, 0.0, MAX_VOLUME)


def prosody(attributes: Mapping[str, str]) -> Recipe:
    """What a ``<prosody>`` does, but for its volume."""
    unknown = set(attributes) - {"rate", "pitch", "volume", "range", "xml:lang"}
    if unknown:
        raise BadValue(f"<prosody> has no {sorted(unknown)[0][:32]!r} here")
    return Recipe(
        speed=_factor(attributes, "rate", _RATES, *SPEEDS),
        pitch_semitones=_semitones(attributes),
        pitch_range=_factor(attributes, "range", _RANGES, *PITCH_RANGES),
    )


def _factor(
    attributes: Mapping[str, str],
    name: str,
    words: Mapping[str, float],
    low: float,
    high: float,
) -> float:
    value = attributes.get(name, "default").strip()
    if value in words:
        return words[value]
    found = _RELATIVE.fullmatch(value)
    if not found or (found.group(2) == "dB") != (name == "volume" and value.endswith("dB")):
        raise BadValue(f"{name} cannot be {value[:32]!r}")
    number, unit = float(found.group(1)), found.group(2)
    factor: float
    signed = value[0] in "+-"
    if unit == "dB":
        factor = 10.0 ** (number / 20.0)
    elif unit == "%":
        factor = (1.0 if signed else 0.0) + number / 100.0
    elif unit is None and name != "volume":
        factor = number
    else:
        raise BadValue(f"{name} cannot be {value[:32]!r}")
    if not low <= factor <= high:
        raise BadValue(f"{name} {value[:32]!r} is out of range")
    return factor


def _semitones(attributes: Mapping[str, str]) -> float:
    value = attributes.get("pitch", "default").strip()
    if value in _PITCHES:
        return _PITCHES[value]
    found = _RELATIVE.fullmatch(value)
    if not found or found.group(2) not in ("st", "%"):
        raise BadValue(f"pitch is like +2st or -10%, not {value[:32]!r}")
    number = float(found.group(1))
    if found.group(2) == "st":
        semitones = number
    else:
        ratio = (1.0 if value[0] in "+-" else 0.0) + number / 100.0
        semitones = _semitones_of_ratio(ratio) if ratio > 0.0 else -100.0
    if not SEMITONES[0] <= semitones <= SEMITONES[1]:
        raise BadValue(f"pitch {value[:32]!r} is out of range")
    return semitones


def _semitones_of_ratio(ratio: float) -> float:
    return 12.0 * math.log2(ratio)
