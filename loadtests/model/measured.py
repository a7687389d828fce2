"""What was measured of a running service and of an engine, as their commands print it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from loadtests.figures_report import read_figures
from voicepeer.core.errors import ConfigInvalid


class Spread(msgspec.Struct, frozen=True):
    """Percentiles of one figure."""

    p50: float | None
    p95: float | None
    n: int = 0
    """Of how many values."""


class ClientUse(msgspec.Struct, frozen=True):
    """A process of users, on the same machine as the service."""

    cpu_cores: float | None


class Point(msgspec.Struct, frozen=True):
    """What ``python -m loadtests run --json`` prints, as far as it matters here.

    Steps of a ramp are the same, without a user alone; its step of one user is that.
    """

    users: Annotated[int, Meta(ge=1)]
    talk: Annotated[float, Meta(gt=0.0, le=1.0)]
    seconds: Annotated[float, Meta(gt=0.0)]
    first_audible_ms: Spread
    underruns: int
    single_first_audible_ms: Spread = Spread(None, None)
    cpu_cores: float | None = None
    testers: tuple[ClientUse, ...] = ()
    tester_ok: bool = True

    @property
    def tester_cores(self) -> float:
        """What the users' own side took of the machine."""
        return sum(one.cpu_cores or 0.0 for one in self.testers)


class _Ramp(msgspec.Struct, frozen=True):
    steps: tuple[Point, ...]

    def points(self) -> list[Point]:
        """Its steps, with one user alone as it was measured among them."""
        alone = [step for step in self.steps if step.users == 1]
        quietest = min(alone, key=lambda step: step.talk, default=None)
        single = Spread(None, None) if quietest is None else quietest.first_audible_ms
        return [
            msgspec.structs.replace(step, single_first_audible_ms=single) for step in self.steps
        ]


class Streams(msgspec.Struct, frozen=True):
    """So many streams of an engine that began in one instant, from `voicepeer bench engine`."""

    n: Annotated[int, Meta(ge=1)]
    first_audible_ms: Spread
    underruns: int


class _Bench(msgspec.Struct, frozen=True):
    streams: tuple[Streams, ...]


def read_curve(paths: Iterable[Path]) -> list[Point]:
    """Points from runs and ramps, or from folders of these, by talk and users.

    Raises:
        ConfigInvalid: a file cannot be read, or there is no point in any.
    """
    files = [file for path in paths for file in _files(path)]
    points = [point for file in files for point in _points(file)]
    if not points:
        raise ConfigInvalid("there is no point of a curve: see `python -m loadtests run --help`")
    return sorted(points, key=lambda point: (point.talk, point.users))


def read_streams(path: Path) -> Sequence[Streams]:
    """The rows of streams that the bench of an engine has measured.

    Raises:
        ConfigInvalid: the file cannot be read, or is of something else.
    """
    return read_figures(path, _Bench).streams


def _files(path: Path) -> list[Path]:
    return sorted(path.glob("*.json")) if path.is_dir() else [path]


def _points(file: Path) -> Sequence[Point]:
    try:
        return read_figures(file, _Ramp).points()
    except ConfigInvalid:
        return [read_figures(file, Point)]
