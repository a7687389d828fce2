"""When somebody counts as speaking: hysteresis, minimum duration, and no echo."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.listening.echo import NO_ECHO, EchoVerdict
from voicepeer.core.listening.interruption import (
    Interruption,
    InterruptionEvent,
    InterruptionSettings,
    UserBegan,
    UserEnded,
)

pytestmark = pytest.mark.unit

WINDOW_MS = 32.0
OURS = replace(NO_ECHO, foreign=False, likely=True)
UNSURE = replace(NO_ECHO, certain=False)


def follow(
    windows: list[tuple[float, EchoVerdict]], settings: InterruptionSettings | None = None
) -> list[tuple[int, type[InterruptionEvent]]]:
    """Events with the number of the window that brought them."""
    interruption = Interruption(settings)
    found: list[tuple[int, type[InterruptionEvent]]] = []
    for number, (probability, verdict) in enumerate(windows):
        events = interruption.push(probability, verdict, WINDOW_MS, number * WINDOW_MS / 1000)
        found += [(number, type(event)) for event in events]
    return found


def speech(windows: int, verdict: EchoVerdict = NO_ECHO) -> list[tuple[float, EchoVerdict]]:
    return [(0.9, verdict)] * windows


def silence(windows: int) -> list[tuple[float, EchoVerdict]]:
    return [(0.01, NO_ECHO)] * windows


def test_speech_counts_after_its_minimum_duration() -> None:
    assert follow(silence(5) + speech(20)) == [(14, UserBegan)]


@pytest.mark.parametrize("windows", range(1, 10))
def test_a_cough_is_no_speech(windows: int) -> None:
    assert follow(speech(windows) + silence(30)) == []


def test_coughs_do_not_add_up() -> None:
    assert follow((speech(5) + silence(12)) * 6) == []


def test_a_gap_within_a_word_only_delays() -> None:
    assert follow(speech(6) + silence(2) + speech(20)) == [(12, UserBegan)]


def test_speech_begins_over_one_threshold_and_goes_on_over_a_lower_one() -> None:
    assert follow([(0.5, NO_ECHO)] * 30) == []
    assert follow([(0.7, NO_ECHO), *[(0.5, NO_ECHO)] * 30]) == [(9, UserBegan)]


def test_speech_ends_after_enough_silence_and_begins_again() -> None:
    found = follow(speech(12) + silence(10) + speech(4) + silence(25) + speech(12))
    assert [kind for _, kind in found] == [UserBegan, UserEnded, UserBegan]
    assert found[1][0] == 12 + 10 + 4 + 18


def test_our_own_echo_is_nobody() -> None:
    assert follow(speech(200, OURS)) == []


def test_what_may_be_an_echo_is_waited_for_and_then_counts_from_its_beginning() -> None:
    assert follow(speech(20, UNSURE) + speech(5)) == [(20, UserBegan)]
    assert follow(speech(20, UNSURE) + speech(5, OURS)) == []


def test_a_longer_minimum_is_kept() -> None:
    patient = InterruptionSettings(min_speech_ms=1_000)
    assert follow(speech(40), patient) == [(31, UserBegan)]


@given(st.lists(st.tuples(st.floats(0, 1), st.sampled_from([NO_ECHO, OURS, UNSURE])), max_size=200))
def test_beginnings_and_ends_alternate(windows: list[tuple[float, EchoVerdict]]) -> None:
    kinds = [kind for _, kind in follow(windows)]
    assert kinds == [UserBegan if n % 2 == 0 else UserEnded for n in range(len(kinds))]
