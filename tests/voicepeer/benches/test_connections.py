"""Clients that leave or are killed in every phase leave nothing behind in the service."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.voicepeer.commandline import voicepeer
from voicepeer.benches import connections
from voicepeer.benches.connections import KILLED, LEAVING, Sample
from voicepeer.benches.visitor import PHASES


@pytest.mark.e2e
async def test_forty_connections_come_and_go_without_a_trace() -> None:
    """The short form of ``voicepeer bench connections``; the long one is in docs/calls.md."""
    before = Sample.now(0)
    steps: list[float] = []
    figures = await connections.measure(40, lambda what, share: steps.append(share))
    assert figures["killed"] == dict.fromkeys(PHASES, 3)
    first, last = figures["after_warm_up"], figures["after_all"]
    assert (first["connections"], last["connections"]) == (LEAVING, 40)
    for name in ("fds", "threads", "tasks"):
        assert first[name] == last[name], name
    assert last["rss_mb"] - first["rss_mb"] < 30
    assert figures["killed_freed_s"]["max"] < 10, "5 s, and time for a busy machine"
    assert steps == sorted(steps)
    after = Sample.now(40)
    assert after.fds <= before.fds
    assert after.tasks <= before.tasks, "what tests before left behind may have ended meanwhile"


@pytest.mark.unit
async def test_a_database_may_be_open_twice_but_files_that_stay_open_are_noticed(
    tmp_path: Path,
) -> None:
    database, other = tmp_path / "voices.sqlite", tmp_path / "voices.log"
    for path in (database, other):
        path.touch()
    with ExitStack() as opened:
        opened.enter_context(database.open())
        before = Sample.now(0).fds
        opened.enter_context(database.open())
        assert Sample.now(0).fds == before
        opened.enter_context(database.open())
        assert Sample.now(0).fds == before + 1
        opened.enter_context(other.open())
        opened.enter_context(other.open())
        assert Sample.now(0).fds == before + 3


@pytest.mark.unit
@pytest.mark.parametrize("count", [1, LEAVING, LEAVING + 1, 40, 1_000])
def test_batches_hold_as_many_as_were_asked_for_and_every_phase_alike(count: int) -> None:
    batches = list(connections._batches(count))
    assert sum(len(batch.phases) for batch in batches) == count
    assert all(len(batch.phases) <= KILLED for batch in batches)
    whole = [batch for batch in batches if batch.killed and len(batch.phases) == KILLED]
    assert all(sorted(batch.phases) == sorted(PHASES * 2) for batch in whole)


@pytest.mark.unit
def test_growth_is_told_only_where_there_is_enough_to_tell_it_from() -> None:
    steady = [Sample(100 + 24 * n, 120.0 + 0.1 * (n % 2), 16, 2, 6) for n in range(30)]
    leaky = [Sample(s.connections, 100 + 0.05 * s.connections, 16, 2, 6) for s in steady]
    quiet = {True: [4.0], False: [0.3]}
    figures = connections._figures(steady, quiet, Counter())
    assert figures["flat"]
    assert abs(figures["rss_kb_per_connection"]) < 1
    figures = connections._figures(leaky, quiet, Counter())
    assert not figures["flat"]
    assert figures["rss_kb_per_connection"] == pytest.approx(50, abs=0.5)
    figures = connections._figures(steady[:1], quiet, Counter())
    assert figures["rss_kb_per_connection"] is None
    assert "rss_kb_per_connection" in figures["notes"]


@pytest.mark.unit
@pytest.mark.parametrize("name", ["fds", "threads", "tasks"])
def test_one_more_of_anything_is_not_flat(name: str) -> None:
    first = Sample(100, 120.0, 16, 2, 6)
    grown = {"fds": 16, "threads": 2, "tasks": 6}
    grown[name] += 1
    samples = [first, first, Sample(300, 120.0, **grown)]
    figures = connections._figures(samples, {True: [], False: []}, Counter())
    assert not figures["flat"]
    assert figures["killed_freed_s"] == {"p50": None, "max": None}


@pytest.mark.unit
def test_a_count_that_makes_no_sense_is_refused() -> None:
    ran = voicepeer("bench", "connections", "--count", "0")
    assert ran.code == 2
    assert "--count" in ran.complaint
