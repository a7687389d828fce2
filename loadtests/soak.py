"""``soak``: a mix of all for long, and whether anything of the service grows."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engines.progress import Progress
from loadtests import page
from loadtests.files import write_text
from loadtests.stage import Setting, Stage, plans, stage
from loadtests.trend import Slope, slope
from loadtests.watch import Sample

WARM_UP_SHARE: Final = 0.2
"""Of the time, at most: memory grows while everything is done for the first times."""

WARM_UP_MAX_S: Final = 300.0
WRITE_EVERY_S: Final = 30.0
WRITE_SHARE: Final = 0.01
"""Of the time so far: as much of it may be missing in a report."""

JSON_NAME: Final = "soak.json"

LIMITS_PER_HOUR: Final[Mapping[str, float]] = {
    "rss_mb": 60.0,
    "fds": 6.0,
    "threads": 6.0,
    "sessions": 1.0,
}
"""What may be a leak grows by more than this, by the lower end of its interval. Each hour has some
thousands of texts and hundreds of connections, so a leak of 20 kB in each is more."""

_READ: Final[Mapping[str, Callable[[Sample], float]]] = {
    "rss_mb": lambda sample: sample.rss_mb,
    "fds": lambda sample: float(sample.fds),
    "threads": lambda sample: float(sample.threads),
}


@dataclass(frozen=True, slots=True)
class Soak:
    """How many users, and for how long."""

    users: int
    talk: float
    seconds: float
    report: Path | None


async def measure(setting: Setting, wanted: Soak, progress: Progress) -> dict[str, Any]:
    """The figures that ``soak --json`` prints; interrupted, those until then.

    Raises: as ``stage``, and ``CannotWrite``.
    """
    async with stage(setting, wanted.users, progress) as running:
        await running.fleet.talk(wanted.talk)
        await running.add(plans(wanted.users, setting, ("mix",)))
        began_s = time.monotonic()
        # Ctrl-C cancels this task, once: what there is by then is the result.
        with suppress(asyncio.CancelledError):
            await _pass_time(running, setting, wanted, began_s)
        return _write(running, setting, wanted, began_s)


async def _pass_time(running: Stage, setting: Setting, wanted: Soak, began_s: float) -> None:
    end_s = began_s + wanted.seconds
    while (left_s := end_s - time.monotonic()) > 0:
        done = 1 - left_s / wanted.seconds
        running.progress("soaking", done)
        # The longer it was, the longer figures take to be made, beside the service.
        every_s = max(WRITE_EVERY_S, WRITE_SHARE * (wanted.seconds - left_s))
        await running.fleet.wait(min(every_s, left_s))
        running.check()
        _write(running, setting, wanted, began_s)
    running.progress("soaking", 1.0)


def _write(running: Stage, setting: Setting, wanted: Soak, began_s: float) -> dict[str, Any]:
    """The figures so far; also into the folder of the report, if there is one."""
    figures = _figures(running, setting, wanted, began_s)
    if wanted.report is not None:
        write_text(wanted.report / JSON_NAME, json.dumps(figures) + "\n")
        write_text(wanted.report / page.NAME, page.soak(figures, running.watch.samples))
    return figures


def _figures(running: Stage, setting: Setting, wanted: Soak, began_s: float) -> dict[str, Any]:
    now = time.monotonic()
    warm_s = began_s + min(WARM_UP_MAX_S, WARM_UP_SHARE * (now - began_s))
    window = running.figures(began_s, now, wanted.talk)
    samples = running.watch.between(warm_s, now)
    sessions = [
        (one.at_s, float(one.sessions))
        for one in running.watch.said
        if warm_s <= one.at_s <= now and one.sessions is not None
    ]
    slopes = slopes_of(samples, sessions)
    figures = window.to_json()
    by_kind = {
        kind: sum(one.kind == kind for one in running.fleet.journal.said)
        for kind in sorted({one.kind for one in running.fleet.journal.said})
    }
    return {
        "engine": running.target.engine,
        **figures,
        "notes": {**figures["notes"], **_unknown(slopes)},
        "minutes": round((now - began_s) / 60, 2),
        "complete": now - began_s >= wanted.seconds - 1.0,
        "utterances_by_kind": by_kind,
        "slopes_per_hour": {name: _per_hour(found) for name, found in slopes.items()},
        "leaks": leaks(slopes),
        "seed": setting.seed,
    }


def slopes_of(
    samples: Sequence[Sample], sessions: Sequence[tuple[float, float]]
) -> dict[str, Slope | None]:
    """Trends of all that could leak; ``None`` where there is too little to tell."""
    at_s = [one.at_s for one in samples]
    found = {name: slope(at_s, [read(one) for one in samples]) for name, read in _READ.items()}
    return found | {"sessions": slope(*zip(*sessions, strict=True)) if sessions else None}


def _unknown(slopes: Mapping[str, Slope | None]) -> dict[str, str]:
    """Why there is no trend, where there is none: nobody may take that for no growth."""
    names = [name for name, found in slopes.items() if found is None]
    reason = "the time was too short, or the service's processes are not this command's"
    return {"slopes_per_hour": f"no trend of {', '.join(names)}: {reason}"} if names else {}


def _per_hour(found: Slope | None) -> dict[str, float] | None:
    if found is None:
        return None
    return {
        "slope": round(60 * found.per_min, 3),
        "low": round(60 * found.low, 3),
        "high": round(60 * found.high, 3),
    }


def leaks(slopes: Mapping[str, Slope | None]) -> list[str]:
    """What grows faster than chance and habit explain."""
    return [
        name
        for name, found in slopes.items()
        if found is not None and 60 * found.low > LIMITS_PER_HOUR[name]
    ]
