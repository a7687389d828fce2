"""The timeline under sleeps that are late, early and much too late."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.pcm import FRAME_SAMPLES
from voicepeer.core.timeline import FRAME_S, STALL_S, Timeline

pytestmark = pytest.mark.unit


def test_the_first_frame_is_due_at_once() -> None:
    assert Timeline().next_deadline() is None


def test_a_late_tick_catches_up_without_a_jump_of_the_timestamp() -> None:
    timeline = Timeline()
    assert [timeline.advance(now).pts for now in (0.0, 0.051, 0.052)] == [0, 960, 1920]
    assert timeline.next_deadline() == pytest.approx(0.06)


def test_a_stall_is_skipped_instead_of_sent_in_a_burst() -> None:
    timeline = Timeline()
    timeline.advance(10.0)
    tick = timeline.advance(10.62)
    assert tick.skipped == 30
    assert tick.pts == 31 * FRAME_SAMPLES
    assert timeline.next_deadline() == pytest.approx(10.64)


def test_a_lateness_of_just_under_the_stall_limit_is_made_up_for() -> None:
    timeline = Timeline()
    timeline.advance(0.0)
    assert timeline.advance(FRAME_S + STALL_S - 0.001).skipped == 0


def test_an_hour_of_jittered_ticks_does_not_drift() -> None:
    timeline, jitter = Timeline(), random.Random(7)
    now = 5.0
    for _ in range(180_000):
        timeline.advance(now)
        deadline = timeline.next_deadline()
        assert deadline is not None
        now = deadline + jitter.random() * 0.015
    assert timeline.next_deadline() == pytest.approx(5.0 + 3600.0)


@given(st.lists(st.floats(min_value=0.0, max_value=3.0), min_size=1, max_size=60))
def test_timestamps_only_go_forward_in_whole_frames(pauses_s: list[float]) -> None:
    timeline, now, last = Timeline(), 0.0, 0
    timeline.advance(now)
    for pause_s in pauses_s:
        now += pause_s
        tick = timeline.advance(now)
        assert tick.pts == last + (tick.skipped + 1) * FRAME_SAMPLES
        # However long the pause was, the timestamp is at most a stall behind the clock.
        assert now - tick.pts / 48_000 <= STALL_S + 1e-6
        last = tick.pts


@given(st.lists(st.floats(min_value=0.0, max_value=1e6), min_size=2, max_size=5))
def test_timelines_that_begin_at_any_time_are_due_together(begun: list[float]) -> None:
    for now in begun:
        timeline = Timeline()
        assert timeline.advance(now).pts == 0
        deadline = timeline.next_deadline()
        assert deadline is not None
        assert now < deadline + 1e-4
        assert deadline - now <= FRAME_S + 1e-4
        steps = deadline / FRAME_S
        assert abs(steps - round(steps)) < 1e-3


@pytest.mark.parametrize("phase_s", [0.0, 0.005, 0.01, 0.015])
@pytest.mark.parametrize("now", [0.0, 0.004, 0.019, 123.4567])
def test_a_phase_moves_the_grid_but_not_the_first_frame(phase_s: float, now: float) -> None:
    timeline = Timeline(phase_s=phase_s)
    assert timeline.advance(now).pts == 0
    due = timeline.next_deadline()
    assert due is not None
    assert now < due <= now + FRAME_S + 1e-9
    assert math.isclose((due - phase_s) / FRAME_S, round((due - phase_s) / FRAME_S), abs_tol=1e-6)
