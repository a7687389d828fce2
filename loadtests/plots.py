"""Line plots as SVG, to be put into a page; pure, and the same for the same numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

WIDTH: Final = 720
HEIGHT: Final = 300
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 34, 46

COLOURS: Final = ("#4477aa", "#cc3311", "#117733", "#aa4499", "#997700", "#332288")
"""Told apart also by those who see red and green alike (Tol, "Colour schemes", 2021)."""

MAX_POINTS: Final = 600
"""More than a plot has pixels for."""

TICKS: Final = 5
_LEAST: Final = 1e-300
"""A difference that is smaller is none: a fifth of it may be 0."""

NAME_PX: Final = 130


@dataclass(frozen=True, slots=True)
class Series:
    """A line; points without a value are holes in it."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where numbers are on one axis."""

    low: float
    high: float
    begin_px: float
    end_px: float

    def px(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.begin_px + share * (self.end_px - self.begin_px), 1)


def lines(
    title: str,
    x_label: str,
    series: Sequence[Series],
    limit: float | None = None,
    *,
    dots: bool = False,
) -> str:
    """A plot of some lines, from 0 upwards, with a dashed line at a limit if there is one."""
    points = [one for line in series for one in _points(line)]
    if not points:
        return f"<p>{escape(title)}: there is nothing to be shown.</p>"
    x = _axis([at for at, _ in points], LEFT, WIDTH - RIGHT)
    values = [value for _, value in points] + ([] if limit is None else [limit])
    y = _axis([0.0, *values], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        f'<text x="{LEFT}" y="16" class="title">{escape(title)}</text>',
        *_grid(x, y, x_label),
        *(_line(line, x, y, COLOURS[nth % len(COLOURS)], dots) for nth, line in enumerate(series)),
        *([] if limit is None else [_limit(y, limit)]),
        *_legend(series),
        "</svg>",
    ]
    return "".join(parts)


def _points(line: Series) -> list[tuple[float, float]]:
    both = zip(line.x, line.y, strict=True)
    return [(at, value) for at, value in both if value is not None and math.isfinite(value)]


def _axis(values: Sequence[float], begin_px: float, end_px: float) -> _Axis:
    low, high = min(values), max(values)
    step = tick_step(high - low)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    return _Axis(low, high if high > low else low + step, begin_px, end_px)


def tick_step(span: float) -> float:
    """A round distance between ticks: 1, 2 or 5 times a power of ten."""
    if span < _LEAST:
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / TICKS))
    return next(power * one for one in (1, 2, 5, 10) if power * one * TICKS >= span)


def _ticks(axis: _Axis) -> list[float]:
    step = tick_step(axis.high - axis.low)
    count = math.floor((axis.high - axis.low) / step + 0.5)
    return [axis.low + index * step for index in range(count + 1)]


def _grid(x: _Axis, y: _Axis, x_label: str) -> list[str]:
    bottom = HEIGHT - BOTTOM
    across = [
        f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y.px(tick)}" y2="{y.px(tick)}" class="grid"/>'
        f'<text x="{LEFT - 6}" y="{y.px(tick) + 4}" class="end">{tick:g}</text>'
        for tick in _ticks(y)
    ]
    down = [
        f'<line x1="{x.px(tick)}" x2="{x.px(tick)}" y1="{bottom}" y2="{bottom + 4}" class="grid"/>'
        f'<text x="{x.px(tick)}" y="{bottom + 17}" class="mid">{tick:g}</text>'
        for tick in _ticks(x)
    ]
    middle = (LEFT + WIDTH - RIGHT) / 2
    return [
        *across,
        *down,
        f'<text x="{middle}" y="{HEIGHT - 8}" class="mid">{escape(x_label)}</text>',
    ]


def _line(line: Series, x: _Axis, y: _Axis, colour: str, dots: bool) -> str:
    points = _thinned(_points(line))
    path = " ".join(f"{x.px(at)},{y.px(value)}" for at, value in points)
    drawn = f'<polyline points="{path}" stroke="{colour}"/>'
    if dots:
        drawn += "".join(
            f'<circle cx="{x.px(at)}" cy="{y.px(value)}" r="3" fill="{colour}"/>'
            for at, value in points
        )
    return drawn


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """The largest of each few neighbours, so that no peak is lost."""
    if len(points) <= MAX_POINTS:
        return list(points)
    few = math.ceil(len(points) / MAX_POINTS)
    parts = (points[start : start + few] for start in range(0, len(points), few))
    return [max(part, key=lambda one: one[1]) for part in parts]


def _limit(y: _Axis, limit: float) -> str:
    at = y.px(limit)
    return f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}" class="limit"/>'


def _legend(series: Sequence[Series]) -> list[str]:
    begin_px = WIDTH - RIGHT - NAME_PX * len(series)
    return [
        f'<rect x="{at}" y="8" width="10" height="10" fill="{COLOURS[nth % len(COLOURS)]}"/>'
        f'<text x="{at + 14}" y="17">{escape(one.name)}</text>'
        for nth, one in enumerate(series)
        for at in (begin_px + NAME_PX * nth,)
    ]
