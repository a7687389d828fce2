"""The tables of docs/loadtests.md, from what the commands print."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from loadtests.figures_load import curve, soaked
from loadtests.figures_report import REPORTS, Report, read_report
from tests.loadtests.test_figures_report import report

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parent.parent.parent


def step(users: int, talk: float, **others: object) -> dict[str, Any]:
    """A step of a ramp, as far as it is shown."""
    return {
        "users": users,
        "talk": talk,
        "spoken_share": 0.23456,
        "utterances": 7,
        "first_audible_ms": {"p50": 150.4, "p95": 199.6},
        "inter_departure_ms": {"p99": 22.2},
        "underruns": 0,
        "frames_lost": 3,
        "errors": 1,
        "cpu_cores": 0.4567,
        "network_cores": 0.1,
        "degraded": ["light_listening", "short_first_piece"],
        **others,
    }


BREAK = {
    "talk": 0.25,
    "users": 16,
    "last_good_users": 10,
    "first": "underruns a minute of speech 20.1 (limit 0.2)",
    "exceeded": [
        "underruns a minute of speech 20.1 (limit 0.2)",
        "errors a text 0.143 (limit 0.01)",
        "first audible p95 ms 872 (limit 600)",
    ],
    "tester_ok": True,
}


def ramp(steps: list[dict[str, Any]], *breaks: dict[str, Any]) -> dict[str, Report]:
    """The report of record of a ramp."""
    return {"ramp": report("ramp", steps=steps, breaks=list(breaks), notes={})}


def test_a_step_is_a_row() -> None:
    written = curve(ramp([step(4, 0.25)]))
    row = "| 4 | 25 % | 23.5 % | 7 | 150 / 200 ms | 22 ms | 0 | 3 | 1 | 0.46 | 0.10 | 2 |"
    assert row in written.splitlines()


def test_rows_of_one_share_of_talk_stand_together_by_users() -> None:
    made = [step(1, 0.25), step(1, 1.0), step(16, 0.25), step(16, 1.0), step(4, 0.25)]
    rows = [line for line in curve(ramp(made)).splitlines() if line.startswith("|")][2:]
    assert [line.split(" | ")[:2] for line in rows] == [
        [f"| {users}", talk]
        for users, talk in ((1, "25 %"), (4, "25 %"), (16, "25 %"), (1, "100 %"), (16, "100 %"))
    ]


def test_what_could_not_be_measured_is_told_as_such() -> None:
    silent = {"p50": None, "p95": None}
    written = curve(ramp([step(1, 0.25, first_audible_ms=silent, cpu_cores=None)]))
    assert "not measured / not measured ms" in written
    assert "None" not in written


def test_where_it_breaks_is_told_with_what_breaks_first() -> None:
    written = curve(ramp([step(16, 0.25)], BREAK))
    assert "- At 25 %: 10 users are served well, 16 are not. First: underruns a min" in written
    assert written.count("underruns a minute of speech 20.1") == 1
    assert "also: errors a text 0.143 (limit 0.01); first audible p95 ms 872" in written


def test_one_limit_alone_has_nothing_beside_it() -> None:
    written = curve(ramp([step(16, 0.25)], {**BREAK, "exceeded": [BREAK["first"]]}))
    assert "also" not in written


def test_a_ramp_that_breaks_with_its_first_users_says_so() -> None:
    written = curve(ramp([step(1, 0.25)], {**BREAK, "users": 1, "last_good_users": 0}))
    assert "- At 25 %: 1 users are too many. First:" in written


def test_what_breaks_is_told_in_the_order_of_the_rows() -> None:
    written = curve(ramp([step(16, 0.25)], {**BREAK, "talk": 1.0}, BREAK))
    assert written.index("- At 25 %") < written.index("- At 100 %")


def test_doubts_and_notes_of_a_ramp_are_told() -> None:
    found = ramp([step(16, 0.125)], {**BREAK, "talk": 0.125, "tester_ok": False})
    notes = {"talk 1": "no limit was exceeded", "utterances": "nothing was said in 1 of 2 steps"}
    found["ramp"].figures["notes"] = notes
    written = curve(found)
    assert "- At 12.5 %: 10" in written
    assert "The testers may have been what was slow." in written
    assert "- talk 1: no limit was exceeded.\n- utterances: nothing was said" in written


@pytest.mark.parametrize(("block", "name"), [(curve, "ramp"), (soaked, "soak")])
def test_what_was_never_measured_says_how_to(block: Any, name: str) -> None:  # noqa: ANN401
    assert f"python -m loadtests record {name} -- python -m loadtests {name}" in block({})


def test_the_curve_of_record_is_shown_whole() -> None:
    found = read_report(ROOT / REPORTS / "ramp.json")
    written = curve({"ramp": found})
    assert written.count("\n| ") == len(found.figures["steps"])
    for broken in found.figures["breaks"]:
        assert broken["first"] in written


SOAK: dict[str, Any] = {
    "users": 3,
    "minutes": 60.02,
    "utterances": 450,
    "utterances_by_kind": {"burst": 50, "talk": 400},
    "errors": 0,
    "error_codes": {},
    "first_audible_ms": {"p50": 160.2, "p95": 300.9},
    "underruns": 2,
    "rss_mb": 1511.6,
    "slopes_per_hour": {
        "rss_mb": {"slope": 3.21, "low": -1.04, "high": 7.46},
        "fds": {"slope": 0.0, "low": 0.0, "high": 0.0},
        "threads": None,
        "sessions": {"slope": -0.1, "low": -0.3, "high": 0.1},
    },
    "leaks": [],
    "complete": True,
    "notes": {},
}


def soak(**others: object) -> dict[str, Report]:
    """The report of record of a soak."""
    return {"soak": report("soak", **{**copy.deepcopy(SOAK), **others})}


def test_a_soak_tells_what_was_said_and_what_grew() -> None:
    lines = soaked(soak()).splitlines()
    assert "| users, minutes | 3, 60 |" in lines
    assert "| texts heard to their end | 450 (50 burst, 400 talk) |" in lines
    assert "| errors | 0 |" in lines
    assert "| first audible p50 / p95 | 160 / 301 ms |" in lines
    assert "| MB an hour | +3.2 (-1.0 to +7.5) |" in lines
    assert "| threads an hour | not measured |" in lines
    assert "Nothing grows, but that is not known of: threads." in lines


def test_errors_of_a_soak_are_told_by_their_codes() -> None:
    written = soaked(soak(errors=3, error_codes={"not_ready": 2, "rate_limited": 1}))
    assert "| errors | 3 (2 not_ready, 1 rate_limited) |" in written


def test_what_may_be_a_leak_is_named() -> None:
    written = soaked(soak(leaks=["rss_mb", "fds"]))
    assert "Grows: rss_mb, fds" in written
    assert "Nothing grows" not in written


def test_a_soak_that_ended_early_says_so_and_why_figures_are_missing() -> None:
    nothing = dict.fromkeys(SOAK["slopes_per_hour"])
    written = soaked(
        soak(
            complete=False,
            minutes=0.1,
            utterances=0,
            utterances_by_kind={},
            slopes_per_hour=nothing,
            notes={"slopes_per_hour": "the time was too short"},
        )
    )
    assert "It was interrupted. Nothing grows, but that is not known of: rss_mb, fds" in written
    assert "slopes_per_hour: the time was too short." in written
    assert "| users, minutes | 3, 0.1 |" in written
    assert "| texts heard to their end | 0 |" in written


def test_what_does_not_grow_has_no_sign() -> None:
    still = {**SOAK["slopes_per_hour"], "rss_mb": {"slope": -0.01, "low": -0.04, "high": 0.0}}
    assert "| MB an hour | +0.0 (+0.0 to +0.0) |" in soaked(soak(slopes_per_hour=still))
