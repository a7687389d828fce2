"""One stream out of several sources, number by number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.rooms.splice import (
    CLOCK_HZ,
    FRAME_TICKS,
    JUMP_PACKETS,
    SEQUENCES,
    TICKS,
    Place,
    Splice,
)

pytestmark = pytest.mark.unit

A, B = 1, 2


def test_the_first_packet_has_the_numbers_that_were_asked_for() -> None:
    assert Splice(100, 5_000).place(A, 7, 77, 0.0) == Place(100, 5_000, True)


def test_a_source_is_moved_as_a_whole() -> None:
    splice = Splice(100, 0)
    placed = [splice.place(A, 7 + n, 77 + 960 * n, n / 50) for n in range(3)]
    assert placed == [Place(100, 0, True), Place(101, 960, False), Place(102, 1920, False)]


def test_what_is_lost_and_out_of_order_stays_so() -> None:
    splice = Splice(100, 0)
    numbers = [10, 11, 14, 13, 15]
    placed = [splice.place(A, n, 960 * n, 0.0) for n in numbers]
    assert [place.sequence for place in placed if place] == [100, 101, 104, 103, 105]
    assert [place.timestamp // 960 for place in placed if place] == [0, 1, 4, 3, 5]


def test_another_source_goes_on_with_the_next_number_and_the_time_that_has_passed() -> None:
    splice = Splice(0, 0)
    splice.place(A, 10, 0, 0.0)
    splice.place(A, 11, 960, 0.02)
    assert splice.place(B, 900, 123_456, 0.04) == Place(2, 1920, True)
    assert splice.place(B, 901, 124_416, 0.06) == Place(3, 2880, False)
    assert splice.place(A, 5, 9, 1.06) == Place(4, 2880 + CLOCK_HZ, True)


def test_sources_that_overlap_in_time_do_not_overlap_in_the_stream() -> None:
    splice = Splice(0, 0)
    splice.place(A, 10, 0, 0.0)
    assert splice.place(B, 1, 0, 0.001) == Place(1, FRAME_TICKS, True)


def test_after_a_cut_the_same_source_goes_on_without_a_hole() -> None:
    splice = Splice(0, 0)
    splice.place(A, 10, 0, 0.0)
    splice.cut()
    assert splice.place(A, 510, 480_000, 10.0) == Place(1, 480_000, True)


def test_what_comes_late_from_before_a_cut_is_left_out() -> None:
    splice = Splice(0, 0)
    splice.cut()
    assert splice.place(A, 10, 9600, 0.0) == Place(0, 0, True)
    assert splice.place(A, 9, 8640, 0.001) is None
    assert splice.place(A, 11, 10_560, 0.02) == Place(1, 960, False)


def test_a_source_that_was_held_up_does_not_make_the_next_one_late() -> None:
    """The last packets of A come 100 ms late and all at once; B comes when it should."""
    splice = Splice(0, 0)
    for n in range(10):
        splice.place(A, n, 960 * n, n / 50)
    for n in range(10, 15):
        splice.place(A, n, 960 * n, 0.38)
    place = splice.place(B, 1, 0, 0.4)
    assert place is not None
    assert place.timestamp == pytest.approx(0.4 * CLOCK_HZ, abs=10)


def test_many_changes_do_not_run_ahead_of_time() -> None:
    """Each comes 1 ms after a packet of the one before, so that it goes out 19 ms too soon; then
    there is a pause."""
    splice, now = Splice(0, 0), 0.0
    ticks = dict.fromkeys((A, B), 0)
    for change in range(50):
        source = (A, B)[change % 2]
        for n in range(5):
            ticks[source] += 960
            place = splice.place(source, 100 * change + n, ticks[source], now)
            now += 0.02 if n < 4 else 0.001
        now += 0.1 if change % 5 == 4 else 0.0
    assert place is not None
    assert place.timestamp / CLOCK_HZ - now < 0.11


def test_a_clock_that_is_slow_is_followed() -> None:
    """Within an hour it falls 0.36 s behind; what comes next goes out by then, and not later."""
    splice = Splice(0, 0)
    step_s = 0.02 * 1.0001
    for n in range(180_000):
        splice.place(A, n % SEQUENCES, 960 * n % TICKS, n * step_s)
    place = splice.place(B, 1, 0, 180_000 * step_s)
    assert place is not None
    assert place.timestamp - 960 * 180_000 == pytest.approx(0, abs=0.005 * CLOCK_HZ)


@pytest.mark.parametrize("jump", [JUMP_PACKETS + 1, -JUMP_PACKETS - 1, SEQUENCES // 2])
def test_a_source_that_begins_anew_leaves_no_hole(jump: int) -> None:
    splice = Splice(0, 0)
    splice.place(A, 20_000, 0, 0.0)
    place = splice.place(A, (20_000 + jump) % SEQUENCES, 7, 0.02)
    assert place == Place(1, 960, True)


def test_a_source_can_go_on_for_hours() -> None:
    splice = Splice(65_000, TICKS - 1_000)
    for n in range(70_000):
        place = splice.place(A, (40_000 + n) % SEQUENCES, (9 + 960 * n) % TICKS, n / 50)
        assert place is not None
        assert place.sequence == (65_000 + n) % SEQUENCES
        assert place.timestamp == (TICKS - 1_000 + 960 * n) % TICKS


@given(
    st.integers(0, SEQUENCES - 1),
    st.integers(0, TICKS - 1),
    st.lists(
        st.tuples(st.sampled_from([A, B]), st.integers(1, 30), st.booleans(), st.floats(0.0, 30.0)),
        min_size=1,
        max_size=60,
    ),
)
def test_whatever_is_spliced_goes_forward_and_has_no_holes_of_ours(
    sequence: int, timestamp: int, steps: list[tuple[int, int, bool, float]]
) -> None:
    """Sources that send in order, with losses: every hole in the stream is a loss of a source."""
    splice = Splice(sequence, timestamp)
    sent = {A: (65_530, 1 << 31), B: (30, TICKS - 960)}
    last, last_source, lost, now = None, None, 0, 0.0
    for source, step, cut, pause_s in steps:
        number, ticks = sent[source]
        sent[source] = (number + step) % SEQUENCES, (ticks + step * 960) % TICKS
        now += pause_s
        if cut:
            splice.cut()
        place = splice.place(source, *sent[source], now)
        assert place is not None
        assert place.first is (cut or source != last_source)
        if last is not None:
            lost = 1 if place.first else step
            assert (place.sequence - last.sequence) % SEQUENCES == lost
            assert FRAME_TICKS <= (place.timestamp - last.timestamp) % TICKS < TICKS // 2
        last, last_source = place, source
