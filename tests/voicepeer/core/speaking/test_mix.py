"""Several speakers as one: added up, in step, and nobody late for ever."""

from __future__ import annotations

import numpy as np
import pytest

from voicepeer.core.pcm import FRAME_SAMPLES, Pcm16
from voicepeer.core.speaking.mix import KEPT_FRAMES, LEAD_FRAMES, Mix
from voicepeer.core.timeline import FRAME_S

pytestmark = pytest.mark.unit


def frame(value: int) -> Pcm16:
    return np.full(FRAME_SAMPLES, value, np.int16)


def levels(mix: Mix, count: int) -> list[int]:
    """First sample of each of the next frames."""
    start = mix.next_deadline() or 0.0
    return [int(mix.take(start + at * FRAME_S).pcm[0]) for at in range(count)]


def test_nobody_is_silence() -> None:
    taken = Mix().take(0.0)
    assert (taken.speech, taken.pts, int(np.abs(taken.pcm).max())) == (False, 0, 0)


def test_a_speaker_is_heard_once_there_is_some_in_hand() -> None:
    mix = Mix()
    mix.push("a", frame(1))
    assert levels(mix, 1) == [0]
    mix.push("a", frame(2))
    assert levels(mix, 3) == [1, 2, 0]


def test_after_a_gap_it_gathers_again() -> None:
    mix = Mix()
    for value in (1, 2):
        mix.push("a", frame(value))
    assert levels(mix, 3) == [1, 2, 0]
    mix.push("a", frame(3))
    assert levels(mix, 1) == [0]
    mix.push("a", frame(4))
    assert levels(mix, 2) == [3, 4]


def test_speakers_are_added_up_and_limited() -> None:
    mix = Mix()
    for _ in range(LEAD_FRAMES):
        mix.push("a", frame(1_000))
        mix.push("b", frame(-300))
    assert levels(mix, 2) == [700, 700]
    for value in (30_000, -30_000):
        mix.push("a", frame(value))
        mix.push("b", frame(value))
    assert levels(mix, 2) == [32_767, -32_768]


def test_silent_speakers_do_not_count_as_speech() -> None:
    mix = Mix()
    for _ in range(3):
        mix.push("a", frame(0))
    assert not mix.take(0.0).speech


def test_a_late_listener_loses_the_oldest_and_is_in_step_again() -> None:
    mix = Mix()
    for value in range(1, 20):
        mix.push("a", frame(value))
    assert levels(mix, 2) == [20 - KEPT_FRAMES, 21 - KEPT_FRAMES]


def test_whoever_leaves_is_heard_no_more() -> None:
    mix = Mix()
    for value in (1, 2, 3):
        mix.push("a", frame(value))
    assert levels(mix, 1) == [1]
    mix.drop("a")
    mix.drop("a")
    assert levels(mix, 1) == [0]


def test_frames_are_due_every_20_ms_on_the_grid_it_was_given() -> None:
    mix = Mix()
    mix.shift(0.005)
    assert mix.next_deadline() is None
    pts = [mix.take(10.0 + at * FRAME_S).pts for at in range(3)]
    assert pts == [0, FRAME_SAMPLES, 2 * FRAME_SAMPLES]
    due = mix.next_deadline()
    assert due is not None
    assert (due - 0.005) / FRAME_S == pytest.approx(round((due - 0.005) / FRAME_S))
