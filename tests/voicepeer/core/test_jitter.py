"""The receive buffer under loss, reordering, jitter, drift, pauses and hostile packets."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.jitter import (
    CAPACITY,
    EAGER_TARGET_MIN_S,
    Conceal,
    Decode,
    JitterBuffer,
    Packet,
    Recover,
    Skip,
    Step,
    packet_samples,
)
from voicepeer.core.pcm import FRAME_SAMPLES

pytestmark = pytest.mark.unit

CELT_20_MS = bytes([31 << 3])
"""Table-of-contents byte of one fullband CELT frame of 20 ms (RFC 6716 table 2)."""

START = 0xFFFF_F000
"""Timestamps wrap a few packets into every test."""

Arrival = tuple[float, int]


def packet(index: int, ssrc: int = 1) -> Packet:
    timestamp = (START + index * FRAME_SAMPLES) & 0xFFFFFFFF
    return Packet(timestamp, ssrc, CELT_20_MS + index.to_bytes(4, "big"), index & 0xFFFF)


def index_of(step: Step) -> int:
    return (step.at_sample - START) // FRAME_SAMPLES


def run(
    buffer: JitterBuffer, arrivals: Iterable[Arrival], until: float
) -> list[tuple[float, Step]]:
    """Feed packets as (time, index) and take steps exactly when they become due."""
    pending = sorted(arrivals)
    steps: list[tuple[float, Step]] = []
    now = 0.0
    while True:
        due = buffer.next_deadline()
        arrival = pending[0][0] if pending else float("inf")
        if min(arrival, float("inf") if due is None else due) > until:
            return steps
        if due is None or arrival < due:
            now = arrival
            buffer.push(packet(pending.pop(0)[1]), now)
        else:
            now = max(now, due)
            step = buffer.take(now)
            assert step is not None
            steps.append((now, step))


def steady(count: int, skip: Iterable[int] = ()) -> list[Arrival]:
    skipped = set(skip)
    return [(index * 0.02, index) for index in range(count) if index not in skipped]


def delays_ms(steps: list[tuple[float, Step]]) -> list[float]:
    return [(now - index_of(step) * 0.02) * 1000 for now, step in steps]


def decoded(steps: list[tuple[float, Step]]) -> list[int]:
    return [index_of(step) for _, step in steps if isinstance(step, Decode)]


def test_a_clean_stream_comes_out_whole_50_ms_late() -> None:
    steps = run(JitterBuffer(), steady(100), until=2.04)
    assert decoded(steps) == list(range(100))
    assert delays_ms(steps) == pytest.approx([50.0] * 100, abs=1.0)


def test_an_eager_buffer_holds_back_only_the_first_packet() -> None:
    steps = run(JitterBuffer(eager=True), steady(100), until=2.04)
    assert decoded(steps) == list(range(100))
    assert delays_ms(steps)[0] == pytest.approx(50.0)
    assert max(delays_ms(steps)[5:]) < 1.0


@pytest.mark.parametrize("eager", [False, True])
def test_one_lost_packet_costs_one_recovered_frame_and_no_delay(eager: bool) -> None:
    buffer = JitterBuffer(eager=eager)
    steps = run(buffer, steady(60, skip=[20]), until=1.22)
    assert [type(step) for _, step in steps].count(Recover) == 1
    lost = steps[20][1]
    assert isinstance(lost, Recover)
    assert lost.payload == packet(21).payload
    assert (lost.samples, index_of(lost)) == (FRAME_SAMPLES, 20)
    assert delays_ms(steps)[-10:] == pytest.approx([0.0 if eager else 50.0] * 10, abs=1.0)


def test_a_burst_loss_is_concealed_and_its_last_frame_recovered() -> None:
    steps = run(JitterBuffer(), steady(60, skip=[20, 21, 22]), until=1.2)
    kinds = [type(step) for _, step in steps[20:23]]
    assert kinds == [Conceal, Conceal, Recover]


@pytest.mark.parametrize("buffer", [JitterBuffer(), JitterBuffer(True, EAGER_TARGET_MIN_S)])
def test_loss_jitter_and_reordering_lose_nothing_more_than_was_lost(buffer: JitterBuffer) -> None:
    chance = random.Random(3)
    lost = {index for index in range(3000) if index and chance.random() < 0.05}
    arrivals = [
        (at + chance.random() * 0.03 + (0.019 if chance.random() < 0.02 else 0.0), index)
        for at, index in steady(3000, skip=lost)
    ]
    steps = run(buffer, arrivals, until=60.09)
    assert set(range(3000)) - set(decoded(steps)) - lost == set()
    assert buffer.counters.late == 0
    assert sorted(delays_ms(steps))[1500] <= 55.0


def test_jitter_of_30_ms_stays_within_55_ms_of_delay() -> None:
    chance = random.Random(5)
    arrivals = [(at + chance.random() * 0.03, index) for at, index in steady(1000)]
    steps = run(JitterBuffer(), arrivals, until=20.1)
    assert decoded(steps) == list(range(1000))
    assert sorted(delays_ms(steps))[500] <= 55.0


def test_delay_is_back_to_normal_two_seconds_after_a_burst() -> None:
    stalled = [(max(at, 2.15) if at > 2.0 else at, index) for at, index in steady(400)]
    steps = run(JitterBuffer(), stalled, until=8.0)
    after = [ms for (now, _), ms in zip(steps, delays_ms(steps), strict=True) if now > 4.2]
    assert max(after) == pytest.approx(50.0, abs=1.5)


def test_the_target_grows_with_the_jitter_up_to_its_limit() -> None:
    buffer = JitterBuffer()
    for index in range(20):
        buffer.push(packet(index), index * 0.02 + (0.09 if index % 2 else 0.0))
    assert buffer.target_s == pytest.approx(0.105, abs=0.002)
    for index in range(20, 40):
        buffer.push(packet(index), index * 0.02 + (0.5 if index % 2 else 0.0))
    assert buffer.target_s == 0.2


@pytest.mark.parametrize("drift", [-200e-6, 200e-6])
def test_clock_drift_neither_loses_packets_nor_adds_delay(drift: float) -> None:
    arrivals = [(at * (1 + drift), index) for at, index in steady(15_000)]
    buffer = JitterBuffer()
    steps = run(buffer, arrivals, until=310.0)
    assert decoded(steps) == list(range(15_000))
    lateness_ms = [(now - arrivals[index_of(step)][0]) * 1000 for now, step in steps[14_500:15_000]]
    assert max(lateness_ms) < 56.0
    assert min(lateness_ms) > 44.0


def test_a_pause_of_the_sender_is_skipped_and_stands_still_meanwhile() -> None:
    buffer = JitterBuffer()
    steps = run(buffer, steady(20), until=1.0)
    assert [type(step) for _, step in steps[20:]] == [Conceal] * 5
    assert buffer.next_deadline() is None, "no work while nothing comes"
    later = run(buffer, [(30.0 + index * 0.02, 1500 + index) for index in range(5)], until=31.0)
    assert isinstance(later[0][1], Skip)
    assert later[0][1].samples == (1500 - 25) * FRAME_SAMPLES
    assert decoded(later) == [1500, 1501, 1502, 1503, 1504]


def test_a_pause_is_told_from_a_loss_by_the_sequence_numbers() -> None:
    pause = [
        (1.0 + at, Packet(START + (50 + n) * 960 & 0xFFFFFFFF, 1, CELT_20_MS, 20 + n))
        for n, at in enumerate((0.0, 0.02))
    ]
    loss = [(2.0, Packet(START + 100 * 960 & 0xFFFFFFFF, 1, CELT_20_MS, 30))]
    buffer = JitterBuffer()
    run(buffer, steady(20), until=0.9)
    assert (buffer.counters.concealed, buffer.counters.paused) == (5, 0), "not known yet"
    for at, late in pause:
        buffer.push(late, at)
    run(buffer, [], until=1.9)
    assert (buffer.counters.concealed, buffer.counters.paused) == (5, 5)
    buffer.push(loss[0][1], loss[0][0])
    run(buffer, [], until=2.04)
    run(buffer, [], until=2.2)
    assert buffer.counters.paused == 5
    assert buffer.counters.concealed >= 5


def test_a_pause_that_is_known_is_silence_at_once() -> None:
    buffer = JitterBuffer()
    for index in range(5):
        buffer.push(packet(index), index * 0.02)
    later = Packet((START + 9 * 960) & 0xFFFFFFFF, 1, CELT_20_MS, 5)
    buffer.push(later, 0.1)
    steps = run(buffer, [], until=0.24)
    assert [type(step) for _, step in steps][:7] == [Decode] * 5 + [Skip, Decode]
    assert buffer.counters.recovered == 0


def test_a_reordered_start_loses_nothing() -> None:
    steps = run(JitterBuffer(eager=True), [(0.0, 1), (0.005, 0), (0.04, 2)], until=0.2)
    assert decoded(steps)[:3] == [0, 1, 2]


def test_duplicates_are_played_once() -> None:
    buffer = JitterBuffer()
    steps = run(buffer, steady(20) + [(at + 0.003, index) for at, index in steady(20)], until=0.45)
    assert decoded(steps) == list(range(20))
    assert buffer.counters.duplicate == 20


def test_another_stream_or_a_timestamp_jump_starts_anew() -> None:
    buffer = JitterBuffer()
    run(buffer, steady(10), until=0.4)
    buffer.push(packet(0, ssrc=2), 1.0)
    assert buffer.counters.restarts == 1
    buffer.push(packet(100_000, ssrc=2), 1.02)
    assert buffer.counters.restarts == 2
    step = buffer.take(2.0)
    assert isinstance(step, Decode)
    assert step.payload == packet(100_000).payload


def test_memory_is_bounded_when_nobody_takes() -> None:
    buffer = JitterBuffer()
    for index in range(5000):
        buffer.push(packet(index), index * 0.02)
    assert buffer.counters.overflowed == 5000 - CAPACITY
    first = buffer.take(101.0)
    assert isinstance(first, Decode)
    assert index_of(first) == 5000 - CAPACITY


def test_invalid_payloads_are_counted_and_ignored() -> None:
    buffer = JitterBuffer()
    buffer.push(Packet(0, 1, b""), 0.0)
    buffer.push(Packet(960, 1, b"\xff"), 0.0)
    assert buffer.counters.invalid == 2
    assert buffer.next_deadline() is None


@pytest.mark.parametrize(
    ("payload", "samples"),
    [
        (bytes([0 << 3]), 480),
        (bytes([3 << 3]), 2880),
        (bytes([13 << 3]), 960),
        (bytes([16 << 3]), 120),
        (bytes([31 << 3]), 960),
        (bytes([31 << 3 | 1]), 1920),
        (bytes([31 << 3 | 3, 6]), 5760),
    ],
)
def test_packet_durations_follow_the_table_of_rfc_6716(payload: bytes, samples: int) -> None:
    assert packet_samples(payload) == samples


@given(st.binary(max_size=40))
def test_any_payload_has_a_duration_within_120_ms_or_is_refused(payload: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert 120 <= packet_samples(payload) <= 5760


@given(
    st.lists(
        st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2), st.floats(0, 0.5)), max_size=80
    )
)
def test_hostile_timestamps_never_break_the_buffer(packets: list[tuple[int, int, float]]) -> None:
    buffer, now = JitterBuffer(), 0.0
    for timestamp, ssrc, pause_s in packets:
        now += pause_s
        buffer.push(Packet(timestamp, ssrc, CELT_20_MS), now)
        for _ in range(200):
            if buffer.take(now) is None:
                break
        else:
            pytest.fail("the buffer never comes to rest")
