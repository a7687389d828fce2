"""Tracks without holes, out of packets that come as they like."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepeer.core.jitter import packet_samples
from voicepeer.core.recording.assembling import HOLD_SAMPLES, MAX_WAITING, Assembler
from voicepeer.core.recording.placing import MAX_LAG_SAMPLES

pytestmark = pytest.mark.unit

FRAME = 960
FAR = 100 * 48_000


def packet(number: int) -> bytes:
    """20 ms that can be told from others."""
    return bytes((0x78, *number.to_bytes(3, "big")))


def numbers(packets: list[bytes]) -> list[int | None]:
    """Of packets, and ``None`` for each that fills a gap."""
    return [int.from_bytes(one[1:], "big") if one[0] == 0x78 else None for one in packets]


def test_nothing_comes_of_nothing() -> None:
    assembler = Assembler()
    assert assembler.take(FAR) == []
    assert assembler.rest() == []
    assert assembler.begin is None


def test_packets_come_in_order_once_none_can_overtake_them() -> None:
    assembler = Assembler()
    for number in (1, 3, 2, 2):
        assembler.push(number * FRAME, packet(number))
    assert assembler.take(FRAME + HOLD_SAMPLES) == []
    assert numbers(assembler.take(4 * FRAME + HOLD_SAMPLES)) == [1, 2, 3]
    assert (assembler.begin, assembler.end) == (FRAME, 4 * FRAME)


def test_what_is_missing_is_filled_by_what_lasts_as_long() -> None:
    assembler = Assembler()
    for number in (0, 1, 4):
        assembler.push(number * FRAME, packet(number))
    taken = assembler.rest()
    assert numbers(taken) == [0, 1, None, 4]
    assert packet_samples(taken[2]) == 2 * FRAME


def test_what_comes_too_late_is_left_out() -> None:
    assembler = Assembler()
    assembler.push(0, packet(0))
    assembler.push(FRAME * 2, packet(2))
    assembler.take(FAR // 2)
    assembler.push(FRAME, packet(1))
    assembler.push(0, packet(0))
    assert numbers(assembler.rest()) == []


def test_where_nothing_comes_there_is_silence_up_to_now() -> None:
    assembler = Assembler()
    assembler.push(0, packet(0))
    assembler.take(HOLD_SAMPLES + 1)
    for now in range(48_000, FAR, 48_000):
        taken = assembler.take(now)
        assert sum(map(packet_samples, taken)) <= 48_000
        assert assembler.end >= now - MAX_LAG_SAMPLES - 120
    assembler.push(FAR, packet(1))
    assert numbers(assembler.rest())[-1] == 1
    assert assembler.end == FAR + FRAME


def test_gaps_that_no_frames_fill_do_not_add_up() -> None:
    assembler = Assembler()
    for number in range(100):
        assembler.push(number * (FRAME + 50), packet(number))
    assembler.rest()
    assert 0 <= 99 * (FRAME + 50) + FRAME - assembler.end < 120


def test_a_flood_is_bounded() -> None:
    assembler = Assembler()
    for number in range(3 * MAX_WAITING):
        assembler.push(number, packet(number))
    assert len(assembler.rest()) <= MAX_WAITING


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.integers(0, 60_000), st.booleans()), max_size=40),
    st.integers(0, 20_000),
)
def test_the_track_is_whole_and_on_time_whatever_comes(
    pushes: list[tuple[int, bool]], begin: int
) -> None:
    assembler, taken = Assembler(), []
    for number, (position, look) in enumerate(pushes):
        assembler.push(begin + position, packet(number))
        if look:
            taken += assembler.take(begin + position + HOLD_SAMPLES)
    taken += assembler.rest()
    lengths = list(map(packet_samples, taken))
    if not taken:
        assert not pushes
        return
    assert assembler.begin is not None
    assert assembler.begin + sum(lengths) == assembler.end
    where = [position for position, _ in pushes]
    starts = itertools.accumulate(lengths[:-1], initial=assembler.begin)
    for start, found in zip(starts, numbers(taken), strict=True):
        if found is not None:
            assert abs(start - begin - where[found]) < 120
