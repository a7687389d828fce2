"""``ramp``: more and more users until a limit is exceeded, in one run of one service."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from engines.progress import Progress
from loadtests import page
from loadtests.conversation import engine_json
from loadtests.files import write_text
from loadtests.limits import Limits, exceeded
from loadtests.report import WindowFigures
from loadtests.stage import Setting, Stage, plans, stage
from voicepeer.machine import free_memory_share

JSON_NAME: Final = "ramp.json"


@dataclass(frozen=True, slots=True)
class Ramp:
    """How many users in each step, and for each of them how much they are spoken to."""

    users: Sequence[int]
    talk: Sequence[float]
    step_s: float
    settle_s: float
    limits: Limits
    through: bool = False
    """Go on when limits were exceeded, for a whole curve."""
    report: Path | None = None


@dataclass
class _Course:
    """What has come out so far."""

    steps: list[dict[str, Any]] = field(default_factory=list)
    broken: dict[float, dict[str, Any]] = field(default_factory=dict)
    """By share of talk: the first step that exceeded a limit."""

    def add(self, figures: WindowFigures, limits: Limits) -> None:
        """Take a step's figures."""
        excess = exceeded(figures, limits, free_memory_share())
        told = [str(one) for one in excess]
        self.steps.append({**figures.to_json(), "exceeded": told})
        if told and figures.talk not in self.broken:
            self.broken[figures.talk] = {
                "talk": figures.talk,
                "users": figures.users,
                "last_good_users": self._last_good(figures.talk),
                "first": told[0],
                "exceeded": told,
                "tester_ok": figures.tester_ok,
            }

    def _last_good(self, talk: float) -> int | None:
        good = [one["users"] for one in self.steps if one["talk"] == talk and not one["exceeded"]]
        return max(good, default=None)


async def measure(setting: Setting, wanted: Ramp, progress: Progress) -> dict[str, Any]:
    """The figures that ``ramp --json`` prints.

    Raises: as ``stage``, and ``CannotWrite``.
    """
    course = _Course()
    async with stage(setting, max(wanted.users), progress) as running:
        for users in sorted(wanted.users):
            talk = [one for one in wanted.talk if wanted.through or one not in course.broken]
            if not talk:
                break
            progress(f"{users} users call", 0.0)
            await running.fleet.talk(talk[0])
            await running.add(plans(users - running.users, setting, first=running.users))
            for share in talk:
                course.add(await _step(running, wanted, share), wanted.limits)
                figures = _figures(running, setting, wanted, course)
                _write(wanted.report, figures, running)
    return figures


async def _step(running: Stage, wanted: Ramp, talk: float) -> WindowFigures:
    await running.fleet.talk(talk)
    what = f"{running.users} users, {talk:.0%}"
    await running.wait(f"{what}: settling", wanted.settle_s)
    window = await running.wait(what, wanted.step_s)
    return running.figures(*window, talk)


def _figures(running: Stage, setting: Setting, wanted: Ramp, course: _Course) -> dict[str, Any]:
    kept = [one for one in wanted.talk if one not in course.broken]
    notes = {
        f"talk {one:g}": "no limit was exceeded with as many users as were asked for"
        for one in kept
    }
    doubted = [one for one in course.steps if not one["tester_ok"]]
    if doubted:
        notes["tester_ok"] = (
            f"{len(doubted)} of {len(course.steps)} steps may show limits of the testers, which "
            "share the machine with the service"
        )
    unheard = [one for one in course.steps if not one["utterances"]]
    if unheard:
        # Nothing that could be late and nothing that was refused is within all limits, too.
        notes["utterances"] = (
            f"in {len(unheard)} of {len(course.steps)} steps nothing was said to its end: nobody "
            "knows whether limits would have been kept"
        )
    return {
        **engine_json(running),
        "step_s": wanted.step_s,
        "limits": asdict(wanted.limits),
        "steps": course.steps,
        "breaks": [*course.broken.values()],
        "tester_ok": not doubted,
        "seed": setting.seed,
        "notes": notes,
    }


def _write(folder: Path | None, figures: dict[str, Any], running: Stage) -> None:
    if folder is not None:
        write_text(folder / JSON_NAME, json.dumps(figures) + "\n")
        write_text(folder / page.NAME, page.ramp(figures, running.watch.samples))
