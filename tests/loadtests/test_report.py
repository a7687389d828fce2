"""Figures that are made of what testers told."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from loadtests.journal import Journal
from loadtests.report import (
    LATE_MAX_MS,
    TESTER_CORES_MAX,
    WindowFigures,
    run_json,
    service_figures,
    spread_of_ms,
    window_figures,
)
from loadtests.wire import Loaded, Second
from tests.loadtests.samples import journal, said, samples

pytestmark = pytest.mark.unit

DOCUMENTED = {
    "users", "talk", "first_audible_ms", "single_first_audible_ms", "underruns",
    "inter_departure_ms", "frames_lost", "errors", "cpu_cores", "rss_mb", "rss_slope_mb_per_min",
}  # fmt: skip
"""What others read of ``run --json``."""


def figures(of: Journal | None = None, users: int = 2) -> WindowFigures:
    return window_figures(of or journal(), samples(), users=users, talk=0.25, seconds=10.0)


def test_percentiles_come_with_their_number() -> None:
    found = spread_of_ms([float(value) for value in range(101)])
    assert (found.n, found.p50, found.p95, found.p99, found.max) == (101, 50.0, 95.0, 99.0, 100.0)
    assert spread_of_ms([]).p95 is None


def test_a_window_counts_what_is_in_it() -> None:
    found = figures()
    assert found.utterances == 20
    assert found.first_audible_ms.p50 == 104.5
    assert found.spoken_share == 2.0  # ten texts of two seconds in ten seconds, each
    assert found.frames_lost == 20
    assert found.errors == 1
    assert found.error_codes == {"timeout": 1}
    assert found.timed_ms["room_joined"].p50 == 80.0
    assert found.notes == {}


def test_the_least_even_stream_is_told_by_itself() -> None:
    found = figures()
    assert found.inter_departure_ms.n == 1000
    assert found.worst_user_p99_ms is not None
    assert found.inter_departure_ms.p99 is not None
    assert found.worst_user_p99_ms > found.inter_departure_ms.p99


def test_a_text_belongs_to_the_time_of_its_end() -> None:
    told = journal().between(2.5, 5.5)
    assert sorted({one.done_s for one in told.said}) == [3.0, 4.0, 5.0]
    assert [one.code for one in told.troubles] == ["timeout"]
    assert told.timed[0].what == "room_joined"
    assert journal().between(6.0, 9.0).troubles == []


def test_a_text_without_a_sound_has_no_first_one() -> None:
    told = Journal()
    told.take(0, said(1.0, None))
    found = figures(told)
    assert found.utterances == 1
    assert found.first_audible_ms.n == 0
    assert found.notes["first_audible_ms"] == "no text had a sound"
    assert figures(Journal()).notes["first_audible_ms"] == (
        "nothing was said to its end in this time"
    )


def test_users_who_never_came_are_noted() -> None:
    assert figures(users=3).notes["users"] == "only 2 of 3 ever had a call and a voice"


def test_what_a_service_uses_is_told_with_its_trend() -> None:
    found = service_figures(samples(mb_per_min=3.0, cores=0.75))
    assert found.cpu_cores == 0.75
    assert found.network_cores == 0.375
    assert found.rss_slope_mb_per_min == pytest.approx(3.0)
    assert (found.fds, found.threads) == (40, 12)


def test_of_a_service_elsewhere_nothing_is_known() -> None:
    found = window_figures(journal(), [], users=2, talk=0.25, seconds=10.0)
    assert found.service.cpu_cores is None
    assert found.service.rss_mb is None
    assert "cpu_cores" in found.notes


@pytest.mark.parametrize(
    ("told", "word"),
    [
        (journal(late_ms=LATE_MAX_MS + 5), "late"),
        (journal(cores=TESTER_CORES_MAX + 0.1), "core"),
    ],
    ids=["late", "busy"],
)
def test_a_tester_that_is_the_bottleneck_says_so(told: Journal, word: str) -> None:
    found = figures(told)
    assert not found.tester_ok
    assert word in found.notes["tester_ok"]


def test_testers_that_keep_up_are_no_bottleneck() -> None:
    found = figures(journal(late_ms=3.0))
    assert found.tester_ok
    assert [one.late_ms.p99 for one in found.testers] == [3.0, 3.0]
    assert found.testers[0].cpu_cores == pytest.approx(0.1)


def test_a_tester_that_tells_nothing_of_itself_is_one_too() -> None:
    told = journal()
    told.take(2, Loaded(102))
    found = figures(told)
    assert not found.tester_ok
    assert found.notes["tester_ok"] == "1 of 3 testers told nothing of themselves"
    moment = window_figures(told, samples(), users=2, talk=0.25, seconds=1.0)
    assert moment.tester_ok


def test_packets_without_times_are_noted() -> None:
    told = Journal()
    told.take(0, Second(1.0, 0.1, [1.0], {"user-0": []}, unstamped=50))
    assert "kernel" in figures(told).notes["inter_departure_ms"]


def test_the_figures_of_a_run_have_the_names_that_others_read() -> None:
    one = figures(users=1)
    told = run_json(figures(), one, seed=4, engine={"engine": "fake"})
    assert told.keys() >= DOCUMENTED
    assert told["first_audible_ms"].keys() >= {"p50", "p95"}
    assert told["inter_departure_ms"]["p99"] is not None
    assert told["tester_ok"] is True
    assert json.loads(json.dumps(told, allow_nan=False)) == json.loads(json.dumps(told))


def test_a_run_is_only_as_good_as_its_single_user() -> None:
    bad = replace(figures(), tester_ok=False, notes={"tester_ok": "a tester was late"})
    told = run_json(figures(), bad, seed=1, engine={})
    assert told["tester_ok"] is False
    assert told["notes"]["single"] == "alone: a tester was late"
