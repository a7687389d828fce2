"""Steps against an overload: when they are taken and given up, by table and by property."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.degradation.ladder import RUNGS, STEPS, Ladder, Pace, Rung

pytestmark = pytest.mark.unit

PACE = Pace(up_s=5.0, down_s=30.0, max_down_s=120.0, max_gap_s=10.0)
BAD, WORST = RUNGS[0].enter, 10.0


def climbed(to: int) -> tuple[Ladder, float]:
    """A ladder that has just taken so many steps, and the time."""
    ladder, now = Ladder(RUNGS, PACE), 0.0
    while ladder.level < to:
        ladder.push(WORST, now)
        now += 1.0
    return ladder, now


def levels(ladder: Ladder, severities: Iterable[float], start: float = 0.0) -> list[int]:
    """The level after each of the severities, one a second."""
    seen = []
    for second, severity in enumerate(severities):
        ladder.push(severity, start + second)
        seen.append(ladder.level)
    return seen


def changes(seen: list[int], before: int = 0) -> list[int]:
    """Seconds at which the level was another than before."""
    return [
        at for at, (old, new) in enumerate(zip([before, *seen], seen, strict=False)) if old != new
    ]


@pytest.mark.parametrize(
    ("severities", "steps"),
    [
        ([0.0] * 100, ()),
        ([BAD - 0.01] * 100, ()),
        ([BAD] * 5, ()),
        ([BAD] * 6, STEPS[:1]),
        ([BAD] * 100, STEPS[:1]),
        ([1.3] * 100, STEPS[:2]),
        ([2.5] * 100, STEPS[:2]),
        ([3.5] * 100, STEPS[:3]),
        ([WORST] * 100, STEPS),
        ([BAD] * 4 + [0.9] + [BAD] * 4, ()),
        ([BAD, 0.9] * 50, ()),
    ],
)
def test_steps_are_taken_for_what_lasts_and_by_how_bad_it_is(
    severities: list[float], steps: tuple[str, ...]
) -> None:
    ladder = Ladder(RUNGS, PACE)
    levels(ladder, severities)
    assert ladder.steps == steps


def test_each_step_has_to_last_before_the_next() -> None:
    assert changes(levels(Ladder(RUNGS, PACE), [WORST] * 40)) == [5, 11, 17, 23]


def test_it_says_what_it_has_done() -> None:
    ladder = Ladder(RUNGS, PACE)
    assert [ladder.push(WORST, float(second)) for second in range(7)] == [0, 0, 0, 0, 0, 1, 0]
    done = [ladder.push(0.0, 7.0 + second) for second in range(31)]
    assert done == [0] * 30 + [-1]


def test_steps_are_given_up_one_by_one() -> None:
    ladder, now = climbed(4)
    seen = levels(ladder, [0.0] * 200, now)
    assert changes(seen, 4) == [30, 61, 92, 123]
    assert seen[-1] == 0


def test_between_leaving_and_entering_everything_stays() -> None:
    for level in range(1, 4):
        ladder, now = climbed(level)
        between = (RUNGS[level - 1].leave + RUNGS[level - 1].enter) / 2
        assert set(levels(ladder, [between] * 500, now)) == {level}


def until(ladder: Ladder, level: int, severity: float, now: float) -> float:
    """When the ladder is at a level, pushing one severity all the time."""
    while ladder.level != level:
        ladder.push(severity, now)
        now += 1.0
    return now


def test_a_relapse_makes_it_wait_twice_as_long_up_to_a_bound() -> None:
    ladder, now, waits = Ladder(RUNGS[:1], PACE), 0.0, []
    for _ in range(5):
        began = now = until(ladder, 1, BAD, now)
        now = until(ladder, 0, 0.0, now)
        waits.append(now - began - 1.0)
    assert waits == [30.0, 60.0, 120.0, 120.0, 120.0]


def test_who_was_well_for_long_is_not_held_to_earlier_relapses() -> None:
    ladder = Ladder(RUNGS[:1], PACE)
    first = levels(ladder, [BAD] * 6 + [0.0] * 31 + [BAD] * 6)
    assert ladder.down_s == 60.0
    levels(ladder, [0.0] * 300, len(first))
    levels(ladder, [BAD] * 6, len(first) + 300)
    assert (ladder.level, ladder.down_s) == (1, 30.0)


def test_time_in_which_nobody_looked_counts_for_nothing() -> None:
    ladder = Ladder(RUNGS, PACE)
    ladder.push(WORST, 0.0)
    assert ladder.push(WORST, 100.0) == 0
    assert ladder.push(WORST, 104.0) == 0
    assert ladder.push(WORST, 105.0) == 1


def test_a_rung_without_hysteresis_is_refused() -> None:
    for leave in (1.0, 1.1, 0.0, -1.0):
        with pytest.raises(ValueError, match="short_first_piece"):
            Rung("short_first_piece", 1.0, leave)


def test_rungs_rise_and_are_all_steps_there_are() -> None:
    assert tuple(rung.step for rung in RUNGS) == STEPS
    assert [rung.enter for rung in RUNGS] == sorted(rung.enter for rung in RUNGS)
    assert [rung.leave for rung in RUNGS] == sorted(rung.leave for rung in RUNGS)


severity_rows = st.lists(st.floats(0.0, 10.0), max_size=400)
gaps = st.lists(st.floats(0.1, 20.0), min_size=400, max_size=400)


@given(severity_rows, gaps)
def test_the_level_stays_in_bounds_and_moves_by_one(
    severities: list[float], waits: list[float]
) -> None:
    ladder, now = Ladder(RUNGS, PACE), 0.0
    for severity, wait_s in zip(severities, waits, strict=False):
        before, now = ladder.level, now + wait_s
        moved = ladder.push(severity, now)
        assert ladder.level == before + moved
        assert moved in (-1, 0, 1)
        assert 0 <= ladder.level <= len(RUNGS)
        assert ladder.steps == STEPS[: ladder.level]
        assert PACE.down_s <= ladder.down_s <= PACE.max_down_s


@given(severity_rows)
def test_no_two_changes_are_nearer_than_the_dwell_times(severities: list[float]) -> None:
    ladder, last = Ladder(RUNGS, PACE), -1e9
    for second, severity in enumerate(severities):
        moved = ladder.push(severity, float(second))
        if moved:
            assert second - last >= (PACE.up_s if moved > 0 else PACE.down_s)
            last = second


@given(severity_rows, st.integers(0, 4))
def test_it_recovers_step_by_step_and_for_good_whatever_was(
    severities: list[float], level: int
) -> None:
    ladder, now = climbed(level)
    levels(ladder, severities, now)
    seen = levels(ladder, [0.0] * 500, now + len(severities))
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] == 0


@given(severity_rows)
def test_it_never_takes_a_step_that_was_not_asked_for(severities: list[float]) -> None:
    ladder = Ladder(RUNGS, PACE)
    levels(ladder, severities)
    wanted = sum(1 for rung in RUNGS if max(severities, default=0.0) >= rung.enter)
    assert ladder.level <= wanted


@given(st.integers(7, 60), st.integers(31, 200))
def test_an_overload_that_comes_and_goes_makes_fewer_and_fewer_changes(
    bad_s: int, good_s: int
) -> None:
    ladder, moves = Ladder(RUNGS[:1], PACE), []
    for second in range(6_000):
        bad = second % (bad_s + good_s) < bad_s
        if ladder.push(BAD if bad else 0.0, float(second)):
            moves.append(second)
    cycles = 6_000 // (bad_s + good_s) + 1
    assert len(moves) <= 2 * cycles
    if good_s < PACE.max_down_s:
        # Recoveries are too short for the waits that relapses lead to: in the end it stays.
        assert len(moves) <= 7
