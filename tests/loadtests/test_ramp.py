"""What a ramp makes of its steps: which limit broke first, and what nobody knows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engines.progress import no_progress
from loadtests import ramp
from loadtests.fleet import Fleet
from loadtests.limits import Limits
from loadtests.ramp import Ramp
from loadtests.report import WindowFigures, spread_of_ms, window_figures
from loadtests.stage import Setting, Stage
from loadtests.target import Target
from loadtests.watch import Watch
from tests.loadtests.samples import journal, samples

pytestmark = pytest.mark.unit

# Whatever memory this machine has left is not looked at.
LIMITS = Limits(free_memory=0.0)


def step(users: int, talk: float = 0.25, p95_ms: float = 150.0, texts: int = 20) -> WindowFigures:
    """A step in which all but perhaps the first sound was as it should be."""
    told = window_figures(journal(), samples(cores=0.3), users=users, talk=talk, seconds=60.0)
    heard = spread_of_ms([p95_ms] * texts)
    return replace(told, errors=0, frames_lost=0, first_audible_ms=heard, utterances=texts)


def course(*steps: WindowFigures) -> ramp._Course:
    made = ramp._Course()
    for one in steps:
        made.add(one, LIMITS)
    return made


def figures(*steps: WindowFigures) -> dict[str, Any]:
    """What is printed of these steps, of a service elsewhere."""
    target = Target("http://127.0.0.1:9", None, None)
    staged = Stage(target, Fleet([]), Watch(target), no_progress)
    wanted = Ramp([1, 2, 4], sorted({one.talk for one in steps}), 30.0, 5.0, LIMITS)
    return ramp._figures(staged, Setting(seed=4), wanted, course(*steps))


def test_while_limits_are_kept_nothing_is_broken() -> None:
    told = figures(step(1), step(2))
    assert told["breaks"] == []
    assert [one["exceeded"] for one in told["steps"]] == [[], []]
    assert told["notes"]["talk 0.25"].startswith("no limit was exceeded")
    assert told["tester_ok"]
    assert told["seed"] == 4


def test_what_breaks_is_told_with_the_most_users_before() -> None:
    told = figures(step(1), step(2), step(4, p95_ms=700.0))
    (broke,) = told["breaks"]
    assert (broke["users"], broke["last_good_users"]) == (4, 2)
    assert broke["first"] == broke["exceeded"][0] == "first audible p95 ms 700 (limit 600)"
    assert "talk 0.25" not in told["notes"]


def test_only_the_first_break_counts_where_it_goes_on() -> None:
    told = figures(step(1), step(2, p95_ms=700.0), step(4, p95_ms=900.0))
    (broke,) = told["breaks"]
    assert (broke["users"], broke["last_good_users"]) == (2, 1)
    assert len(told["steps"]) == 3


def test_where_the_fewest_are_too_many_none_are_good() -> None:
    (broke,) = figures(step(1, p95_ms=700.0))["breaks"]
    assert broke["last_good_users"] is None


def test_shares_of_talk_break_by_themselves() -> None:
    told = figures(step(1), step(1, 1.0, 700.0), step(2), step(2, 1.0, 800.0))
    assert [(one["talk"], one["users"]) for one in told["breaks"]] == [(1.0, 1)]
    assert "talk 0.25" in told["notes"]
    assert "talk 1" not in told["notes"]


def test_steps_in_which_nothing_was_heard_are_noted() -> None:
    assert "utterances" not in figures(step(1))["notes"]
    told = figures(step(1), step(2, texts=0))
    assert told["notes"]["utterances"].startswith("in 1 of 2 steps nothing was said")


def test_steps_that_may_show_the_testers_limits_are_noted() -> None:
    told = figures(step(1), replace(step(2), tester_ok=False))
    assert not told["tester_ok"]
    assert told["notes"]["tester_ok"].startswith("1 of 2 steps")


def test_memory_of_the_machine_is_a_limit() -> None:
    made = ramp._Course()
    made.add(step(1), Limits(free_memory=1.0))
    assert [one.partition(" ")[0] for one in made.steps[0]["exceeded"]] == ["memory"]


def test_a_report_has_the_steps_so_far(tmp_path: Path) -> None:
    target = Target("http://127.0.0.1:9", None, None)
    staged = Stage(target, Fleet([]), Watch(target), no_progress)
    told = figures(step(1), step(2, p95_ms=700.0))
    ramp._write(tmp_path, told, staged)
    assert json.loads((tmp_path / ramp.JSON_NAME).read_text()) == json.loads(json.dumps(told))
    assert "broke with 2 users" in (tmp_path / "index.html").read_text()
    ramp._write(None, told, staged)
