"""``run``: one user alone, then so many for some minutes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engines.progress import Progress
from loadtests import page
from loadtests.files import write_text
from loadtests.report import WindowFigures, run_json
from loadtests.stage import Setting, Stage, plans, stage

JSON_NAME: Final = "run.json"

SINGLE_TALK: Final = 0.8
"""One user alone is spoken to more often, so that there are enough texts in little time."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """How many users, how much they are spoken to, and for how long."""

    users: int
    talk: float
    seconds: float
    single_s: float
    warm_up_s: float
    report: Path | None = None


async def measure(setting: Setting, wanted: Conversation, progress: Progress) -> dict[str, Any]:
    """The figures that ``run --json`` prints.

    Raises: as ``stage``, and ``CannotWrite``.
    """
    async with stage(setting, wanted.users, progress) as running:
        single = await _alone(running, setting, wanted)
        progress(f"{wanted.users} users call", 0.0)
        await running.fleet.talk(wanted.talk)
        await running.add(plans(wanted.users - 1, setting, first=1))
        await running.wait("warming up", wanted.warm_up_s)
        window = await running.wait(f"{wanted.users} users", wanted.seconds)
        figures = running.figures(*window, wanted.talk)
        samples = running.watch.between(*window)
    told = run_json(figures, single, seed=setting.seed, engine=engine_json(running))
    if wanted.report is not None:
        write_text(wanted.report / JSON_NAME, json.dumps(told) + "\n")
        title = f"{wanted.users} users, {wanted.talk:.0%} of the time"
        write_text(wanted.report / page.NAME, page.window(title, told, samples))
    return told


async def _alone(running: Stage, setting: Setting, wanted: Conversation) -> WindowFigures:
    running.progress("one user calls", 0.0)
    await running.fleet.talk(SINGLE_TALK)
    await running.add(plans(1, setting))
    window = await running.wait("one user alone", wanted.single_s)
    return running.figures(*window, SINGLE_TALK)


def engine_json(running: Stage) -> dict[str, str]:
    """What speaks, where that is known."""
    target = running.target
    return {
        "engine": target.engine,
        "provider": target.provider,
        "precision": target.precision,
    }
