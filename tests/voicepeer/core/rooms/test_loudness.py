"""Levels of packets as speech or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.rooms.loudness import SILENT_DBOV, Loudness, LoudnessSettings

pytestmark = pytest.mark.unit

PACKET_S = 0.02
LOUD, QUIET, BETWEEN = -30.0, -70.0, -48.0


def heard(*levels: float) -> list[bool]:
    """Whether somebody speaks after each of these packets, 20 ms apart."""
    loudness = Loudness()
    states = []
    for index, level in enumerate(levels):
        loudness.push(level, PACKET_S, index * PACKET_S)
        states.append(loudness.speaking)
    return states


@pytest.mark.parametrize(
    ("levels", "speaks"),
    [
        ([LOUD] * 2, [False, False]),
        ([LOUD] * 3, [False, False, True]),
        ([LOUD, QUIET, LOUD, QUIET, LOUD], [False] * 5),
        ([LOUD, LOUD, QUIET, LOUD, LOUD], [False, False, False, False, True]),
        ([BETWEEN] * 6, [False] * 6),
        ([LOUD] * 3 + [QUIET] * 29, [False, False] + [True] * 30),
        ([LOUD] * 3 + [QUIET] * 31, [False, False] + [True] * 30 + [False, False]),
        ([LOUD] * 3 + [BETWEEN] * 100, [False, False] + [True] * 101),
        ([SILENT_DBOV] * 3, [False] * 3),
        ([0.0] * 3, [False, False, True]),
    ],
)
def test_speech_begins_and_ends(levels: list[float], speaks: list[bool]) -> None:
    assert heard(*levels) == speaks


def test_each_change_is_told_once() -> None:
    loudness = Loudness()
    levels = [LOUD] * 5 + [QUIET] * 40 + [LOUD] * 5
    changes = [
        index for index, level in enumerate(levels) if loudness.push(level, 0.02, index / 50)
    ]
    assert changes == [2, 34, 47]


def test_speech_ends_where_no_packets_come() -> None:
    loudness = Loudness()
    assert loudness.next_deadline() is None
    for index in range(3):
        loudness.push(LOUD, PACKET_S, index * PACKET_S)
    ends_at = loudness.next_deadline()
    assert ends_at is not None
    assert ends_at == pytest.approx(0.04 + LoudnessSettings().hold_s)
    assert not loudness.tick(ends_at - 0.001)
    assert loudness.tick(ends_at)
    assert not loudness.tick(ends_at + 1)
    assert (loudness.speaking, loudness.spoke_at) == (False, 0.04)


def test_one_who_is_muted_begins_anew() -> None:
    loudness = Loudness()
    for index in range(3):
        loudness.push(LOUD, PACKET_S, index * PACKET_S)
    assert loudness.stop()
    assert not loudness.stop()
    assert not loudness.push(LOUD, PACKET_S, 0.06)


@given(st.lists(st.tuples(st.floats(-127, 0), st.floats(0.0, 2.0)), max_size=60))
def test_whoever_speaks_was_loud_within_the_hold(packets: list[tuple[float, float]]) -> None:
    settings = LoudnessSettings()
    loudness, now, loud_at = Loudness(settings), 0.0, float("-inf")
    for level, pause_s in packets:
        now += pause_s
        if level >= settings.go_on_dbov:
            loud_at = now
        loudness.push(level, PACKET_S, now)
        if loudness.speaking:
            assert now - loud_at < settings.hold_s
