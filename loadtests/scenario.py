"""``scenario``: users of one kind for a while, and what they got."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engines.progress import Progress
from loadtests import page
from loadtests.conversation import engine_json
from loadtests.files import write_text
from loadtests.stage import Setting, plans, stage
from loadtests.wire import Kind

JSON_NAME: Final = "scenario.json"


@dataclass(frozen=True, slots=True)
class Scenario:
    """Which users, how many, how much they are spoken to, and for how long."""

    kind: Kind
    users: int
    talk: float
    seconds: float
    report: Path | None = None


async def measure(setting: Setting, wanted: Scenario, progress: Progress) -> dict[str, Any]:
    """The figures that ``scenario --json`` prints.

    Raises: as ``stage``, and ``CannotWrite``.
    """
    async with stage(setting, wanted.users, progress) as running:
        progress(f"{wanted.users} users call", 0.0)
        await running.fleet.talk(wanted.talk)
        await running.add(plans(wanted.users, setting, (wanted.kind,)))
        window = await running.wait(wanted.kind, wanted.seconds)
        figures = {
            **engine_json(running),
            "kind": wanted.kind,
            **running.figures(*window, wanted.talk).to_json(),
            "seed": setting.seed,
        }
        samples = running.watch.between(*window)
    if wanted.report is not None:
        write_text(wanted.report / JSON_NAME, json.dumps(figures) + "\n")
        title = f"{wanted.users} users: {wanted.kind}"
        write_text(wanted.report / page.NAME, page.window(title, figures, samples))
    return figures
