"""Packets on the timeline of a recording, whatever network and clocks do."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.recording.placing import (
    MAX_LAG_SAMPLES,
    MAX_LEAD_SAMPLES,
    STRAYS,
    TOLERANCE_SAMPLES,
    WINDOW,
    Placing,
)

pytestmark = pytest.mark.unit

FRAME = 960
MS = 48


@dataclass
class Source:
    """Sends a packet every 20 ms of its own clock; positions are of the clock that is right."""

    ssrc: int = 1
    sequence: int = 65_500
    timestamp: int = (1 << 32) - 5 * FRAME
    """Both wrap soon."""
    speed: float = 1.0
    """Of its clock."""
    sent: int = 0
    placing: Placing = field(default_factory=Placing)

    def send(self, delay: int = 0, quiet: bool = False, start: int = 0) -> tuple[int | None, int]:
        """Where the next packet is put, and where it was recorded."""
        recorded = start + round(self.sent * FRAME / self.speed)
        placed = self.placing.place(
            self.ssrc,
            (self.sequence + self.sent) % (1 << 16),
            (self.timestamp + self.sent * FRAME) % (1 << 32),
            FRAME,
            quiet,
            recorded + delay,
        )
        self.sent += 1
        return placed, recorded


def test_the_own_timestamps_say_when_whenever_packets_come() -> None:
    chance = random.Random(1)
    source = Source()
    placed = [source.send(chance.randrange(100 * MS))[0] for _ in range(200)]
    assert placed[0] is not None
    assert placed == [placed[0] + n * FRAME for n in range(200)]


def test_a_packet_that_comes_twice_or_late_has_one_place() -> None:
    placing = Placing()
    places = [placing.place(1, n, n * FRAME, FRAME, False, n * FRAME) for n in (0, 1, 3, 2, 3, 4)]
    assert places == [0, FRAME, 3 * FRAME, 2 * FRAME, 3 * FRAME, 4 * FRAME]


def test_after_a_pause_it_goes_on_when_it_is() -> None:
    placing = Placing()
    placing.place(1, 0, 0, FRAME, False, 0)
    placing.cut()
    assert placing.place(1, 1, FRAME, FRAME, False, 480_000) == 480_000
    placing.cut()
    assert placing.place(2, 9, 77, FRAME, False, 480_100) == 480_960, "not before what was before"


def test_another_source_or_another_count_begins_anew() -> None:
    placing = Placing()
    assert placing.place(1, 0, 0, FRAME, False, 1_000) == 1_000
    assert placing.place(2, 0, 999_999, FRAME, False, 50_000) == 50_000
    assert placing.place(2, 30_000, 5, FRAME, False, 90_000) == 90_000


def test_what_comes_far_from_its_time_is_left_out_until_there_is_a_second_of_it() -> None:
    for jump in (MAX_LEAD_SAMPLES + FRAME, -MAX_LAG_SAMPLES - FRAME):
        placing = Placing()
        placing.place(1, 0, 0, FRAME, False, 0)
        places = [
            placing.place(1, n, jump + n * FRAME, FRAME, False, n * FRAME)
            for n in range(1, STRAYS + 2)
        ]
        assert places[:STRAYS] == [None] * STRAYS
        assert places[STRAYS] == (STRAYS + 1) * FRAME


def test_one_stray_packet_does_no_harm() -> None:
    placing = Placing()
    placing.place(1, 0, 0, FRAME, False, 0)
    assert placing.place(1, 1, 1 << 31, FRAME, False, FRAME) is None
    assert placing.place(1, 2, 2 * FRAME, FRAME, False, 2 * FRAME) == 2 * FRAME


@pytest.mark.parametrize("speed", [0.9998, 1.0002])
def test_clocks_that_differ_drift_apart_only_as_far_as_can_be_heard(speed: float) -> None:
    """An hour of the worst crystals; without correction it would be 0.7 s."""
    source, chance, apart = Source(speed=speed), random.Random(2), []
    for n in range(3600 * 50):
        placed, recorded = source.send(chance.randrange(20 * MS), quiet=n % 250 > 200)
        assert placed is not None
        apart.append(placed - recorded)
    slack = 20 * MS + round(2 * WINDOW * FRAME * abs(1 - speed)) + FRAME // 50
    assert -TOLERANCE_SAMPLES - slack <= min(apart)
    assert max(apart) <= TOLERANCE_SAMPLES + slack


def test_while_somebody_speaks_nothing_is_moved() -> None:
    source = Source(speed=0.999)
    places = [source.send()[0] for _ in range(2_000)]
    assert places == [n * FRAME for n in range(2_000)]


def test_a_first_packet_that_was_held_up_is_set_right_in_the_next_silence() -> None:
    source = Source()
    first, _ = source.send(delay=150 * MS)
    assert first == 150 * MS
    for _ in range(WINDOW):
        source.send()
    placed, recorded = source.send(quiet=True)
    assert placed == recorded


@given(
    st.lists(
        st.tuples(
            st.sampled_from([1, 1, 1, 2]),
            st.integers(0, (1 << 16) - 1),
            st.integers(0, (1 << 32) - 1),
            st.booleans(),
            st.integers(0, 5_000),
        ),
        max_size=60,
    )
)
def test_whatever_comes_is_put_near_to_now(
    packets: list[tuple[int, int, int, bool, int]],
) -> None:
    placing, now = Placing(), 0
    for ssrc, sequence, timestamp, quiet, later in packets:
        now += later
        placed = placing.place(ssrc, sequence, timestamp, FRAME, quiet, now)
        if placed is not None:
            assert -MAX_LAG_SAMPLES <= placed - now <= MAX_LEAD_SAMPLES + MAX_LAG_SAMPLES
