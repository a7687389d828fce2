"""The pacer under uneven chunks, underruns, cancellation, stalls and broken samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ, Pcm, Pcm16
from voicepeer.core.speaking.pacer import (
    FADE_SAMPLES,
    LEAD_MAX_MS,
    LEAD_MIN_MS,
    Cue,
    CueHeard,
    Frame,
    Pacer,
    UtteranceHeard,
    UtterancePlayed,
)

pytestmark = pytest.mark.unit

CHUNK = WIRE_RATE_HZ * 80 // 1000


def constant(samples: int, value: float = 0.5) -> Pcm:
    return np.full(samples, value, np.float32)


def ticks(start: float = 0.0) -> Iterator[float]:
    count = 0
    while True:
        yield start + count * 0.02
        count += 1


@pytest.fixture
def pacer() -> Pacer:
    return Pacer()


@pytest.fixture
def take(pacer: Pacer) -> Callable[[int], list[Frame]]:
    clock = ticks()
    return lambda count: [pacer.take(next(clock)) for _ in range(count)]


Take = Callable[[int], list[Frame]]


def joined(frames: list[Frame]) -> Pcm16:
    return np.concatenate([frame.pcm for frame in frames])


def events(frames: list[Frame]) -> list[object]:
    return [event for frame in frames for event in frame.events]


def test_silence_flows_when_nothing_is_said(take: Take) -> None:
    frames = take(3)
    assert [frame.pts for frame in frames] == [0, 960, 1920]
    assert not any(frame.speech or frame.pcm.any() for frame in frames)
    assert {frame.pcm.shape for frame in frames} == {(FRAME_SAMPLES,)}


def test_speech_waits_for_the_lead_then_flows_whole(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(int(0.04 * WIRE_RATE_HZ)))
    assert not take(1)[0].speech
    pacer.push(generation, constant(int(0.04 * WIRE_RATE_HZ)))
    pacer.end(generation)
    frames = take(5)
    assert [frame.speech for frame in frames] == [True] * 4 + [False]
    assert np.count_nonzero(joined(frames)) == CHUNK


def test_a_short_utterance_does_not_wait_for_a_lead_it_cannot_reach(
    pacer: Pacer, take: Take
) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(100))
    pacer.end(generation)
    assert events(take(1)) == [
        UtteranceHeard(generation, 0),
        UtterancePlayed(generation, 100, 0, 0),
    ]


def test_drained_speech_is_played_out_and_counts_no_underrun(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(1000))
    pacer.drain(generation)
    assert np.count_nonzero(joined(take(4))) == 1000
    assert pacer.counters.underruns == 0
    pacer.push(generation, constant(CHUNK))
    pacer.end(generation)
    assert events(take(5)) == [UtterancePlayed(generation, 1000 + CHUNK, 0, 0)]


def test_an_underrun_is_silence_and_is_counted_once(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(CHUNK))
    frames = take(10)
    assert np.count_nonzero(joined(frames)) == CHUNK
    assert pacer.counters.underruns == 1
    assert pacer.lead_ms > LEAD_MIN_MS
    pacer.push(generation, constant(CHUNK))
    assert not any(frame.speech for frame in take(2)), "the grown lead is not in hand yet"
    pacer.push(generation, constant(CHUNK))
    pacer.end(generation)
    assert events(take(9)) == [UtterancePlayed(generation, 3 * CHUNK, 1, 0)]


def test_the_lead_grows_to_its_limit_and_comes_back(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    for _ in range(12):
        pacer.push(generation, constant(int(0.4 * WIRE_RATE_HZ)))
        take(22)
    assert LEAD_MAX_MS - 10 <= pacer.lead_ms <= LEAD_MAX_MS
    pacer.push(generation, constant(40 * WIRE_RATE_HZ))
    take(40 * 50)
    assert pacer.lead_ms == pytest.approx(LEAD_MIN_MS)


def test_the_first_audible_frame_is_reported_not_leading_silence(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, np.concatenate([constant(3 * FRAME_SAMPLES, 0.0001), constant(960)]))
    pacer.end(generation)
    frames = take(4)
    assert [len(frame.events) for frame in frames] == [0, 0, 0, 2]
    assert frames[3].events[0] == UtteranceHeard(generation, 3 * FRAME_SAMPLES)


def test_inaudible_speech_ends_without_having_been_heard(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(960, 0.0))
    pacer.end(generation)
    assert events(take(2)) == [UtterancePlayed(generation, 960, 0, None)]


def test_an_utterance_with_nothing_to_say_ends_at_once(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.end(generation)
    assert events(take(1)) == [UtterancePlayed(generation, 0, 0, None)]


def test_cues_fire_in_the_frame_where_their_sample_is_heard(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(CHUNK), [Cue(0, "a"), Cue(1919, "b"), Cue(1920, "c")])
    pacer.end(generation)
    heard = [[e.label for e in f.events if isinstance(e, CueHeard)] for f in take(4)]
    assert heard == [["a"], ["b"], ["c"], []]


def test_cues_beyond_the_end_are_heard_with_the_last_sample(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(480), [Cue(5000, "late")])
    pacer.end(generation)
    assert CueHeard(generation, "late") in events(take(1))


def test_cues_are_held_back_by_an_underrun(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(CHUNK), [Cue(CHUNK + 10, "after")])
    assert not [e for e in events(take(10)) if isinstance(e, CueHeard)]
    pacer.push(generation, constant(2 * CHUNK))
    assert CueHeard(generation, "after") in take(1)[0].events


def test_cancel_fades_within_ten_milliseconds_and_tells_what_was_heard(
    pacer: Pacer, take: Take
) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(WIRE_RATE_HZ))
    take(5)
    played = pacer.cancel(generation)
    assert played == 5 * FRAME_SAMPLES + FADE_SAMPLES
    fade, after = take(2)
    assert np.all(np.diff(fade.pcm[:FADE_SAMPLES].astype(int)) <= 0)
    assert fade.pcm[FADE_SAMPLES - 1] == 0
    assert not fade.pcm[FADE_SAMPLES:].any()
    assert not after.pcm.any()
    assert not fade.events


def test_chunks_of_a_cancelled_utterance_are_dropped_and_counted(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(CHUNK))
    pacer.cancel(generation)
    assert not pacer.push(generation, constant(CHUNK))
    assert pacer.counters.stale_chunks == 1
    pacer.end(generation)
    assert not joined(take(5)).any()


def test_the_next_utterance_is_heard_whole_after_a_cancel(pacer: Pacer, take: Take) -> None:
    first, second = pacer.open(), pacer.open()
    pacer.push(first, constant(WIRE_RATE_HZ, 0.25))
    take(3)
    pacer.push(second, constant(CHUNK, -0.5))
    pacer.end(second)
    pacer.cancel(first)
    samples = joined(take(6))
    assert np.count_nonzero(samples < 0) == CHUNK
    assert np.flatnonzero(samples < 0)[0] == FADE_SAMPLES, "it follows the fade directly"


def test_cancelling_a_waiting_utterance_leaves_the_running_one_alone(
    pacer: Pacer, take: Take
) -> None:
    first, second = pacer.open(), pacer.open()
    pacer.push(first, constant(CHUNK))
    pacer.end(first)
    pacer.push(second, constant(CHUNK, -0.5))
    take(1)
    assert pacer.cancel(second) == 0
    samples = joined(take(8))
    assert np.count_nonzero(samples > 0) == CHUNK - FRAME_SAMPLES
    assert not (samples < 0).any()


def test_cancelling_twice_or_after_the_end_is_harmless(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(CHUNK))
    pacer.end(generation)
    take(5)
    assert pacer.cancel(generation) == 0
    assert pacer.cancel(generation) == 0
    assert pacer.cancel(99) == 0


def test_utterances_follow_each_other_without_a_gap(pacer: Pacer, take: Take) -> None:
    first, second = pacer.open(), pacer.open()
    for generation, value in ((first, 0.25), (second, -0.25)):
        pacer.push(generation, constant(1000, value))
        pacer.end(generation)
    samples = joined(take(3))
    assert np.flatnonzero(samples < 0)[0] == 1000
    assert np.count_nonzero(samples) == 2000


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 7.0, -1e30])
def test_broken_samples_are_repaired_and_counted(pacer: Pacer, take: Take, bad: float) -> None:
    generation = pacer.open()
    pcm = constant(CHUNK, 0.1)
    pcm[10] = bad
    pacer.push(generation, pcm)
    assert pacer.counters.repaired_chunks == 1
    samples = joined(take(4))
    assert abs(int(samples[10])) in (0, 32767)
    assert samples[11] == samples[9] == round(0.1 * 32767)


def test_speech_that_is_not_mono_is_refused(pacer: Pacer) -> None:
    with pytest.raises(ValueError, match="mono"):
        pacer.push(pacer.open(), np.zeros((2, 960), np.float32))


def test_an_empty_and_a_huge_chunk_are_taken(pacer: Pacer, take: Take) -> None:
    generation = pacer.open()
    assert pacer.push(generation, constant(0))
    assert pacer.push(generation, constant(60 * WIRE_RATE_HZ))
    assert pacer.buffered_ms(generation) == 60_000
    assert take(1)[0].pcm.all()


def test_a_stall_of_the_caller_loses_no_speech(pacer: Pacer) -> None:
    generation = pacer.open()
    pacer.push(generation, constant(4 * CHUNK))
    pacer.end(generation)
    frames = [pacer.take(now) for now in (0.0, 0.02, 0.7, 0.72)]
    assert [frame.pts // FRAME_SAMPLES for frame in frames] == [0, 1, 35, 36]
    assert joined(frames).all()
    assert pacer.counters.skipped_frames == 33


@given(
    chunks=st.lists(st.integers(0, 9000), min_size=1, max_size=20),
    takes=st.lists(st.integers(0, 8), min_size=1, max_size=20),
)
def test_every_pushed_sample_is_played_exactly_once(chunks: list[int], takes: list[int]) -> None:
    pacer, clock = Pacer(), ticks()
    generation = pacer.open()
    pushed = np.zeros(0, np.int16)
    frames: list[Frame] = []
    for index, size in enumerate(chunks):
        first = pushed.size
        pcm = ((np.arange(first, first + size) % 30_000) + 1) / 32767
        pushed = np.concatenate([pushed, np.rint(pcm * 32767).astype(np.int16)])
        pacer.push(generation, pcm.astype(np.float32))
        frames += [pacer.take(next(clock)) for _ in range(takes[index % len(takes)])]
    pacer.end(generation)
    while pacer.buffered_ms(generation):
        frames.append(pacer.take(next(clock)))
    frames.append(pacer.take(next(clock)))
    samples = joined(frames)
    np.testing.assert_array_equal(samples[samples != 0], pushed)
    played = [e for e in events(frames) if isinstance(e, UtterancePlayed)]
    assert [event.played_samples for event in played] == [pushed.size]


def test_volume_is_reached_within_a_frame_and_without_a_step() -> None:
    pacer = Pacer()
    generation = pacer.open()
    pacer.push(generation, np.full(FRAME_SAMPLES * 20, 0.4, np.float32))
    before = pacer.take(0.0).pcm
    pacer.set_gain(generation, 0.5)
    ramp, after = pacer.take(0.02).pcm, pacer.take(0.04).pcm
    assert np.abs(np.diff(np.concatenate([before, ramp, after]).astype(int))).max() <= 8
    assert after[0] == pytest.approx(before[0] / 2, abs=1)


def test_too_much_volume_is_clipped_and_does_not_wrap() -> None:
    pacer = Pacer()
    generation = pacer.open()
    pacer.set_gain(generation, 2.0, at_once=True)
    pacer.push(generation, np.full(FRAME_SAMPLES * 10, -0.9, np.float32))
    assert (pacer.take(0.0).pcm == -32767).all()


def test_an_utterance_can_be_opened_before_another() -> None:
    pacer = Pacer()
    late = pacer.open()
    urgent = pacer.open(before=late)
    for generation, level in ((late, 0.1), (urgent, 0.3)):
        pacer.push(generation, np.full(FRAME_SAMPLES, level, np.float32))
        pacer.end(generation)
    first, second = pacer.take(0.0), pacer.take(0.02)
    assert first.pcm[0] > 2 * second.pcm[0] > 0


def test_rewinding_leaves_nothing_of_what_was_pushed() -> None:
    pacer = Pacer()
    generation = pacer.open()
    pacer.push(generation, np.full(FRAME_SAMPLES * 5, 0.3, np.float32), [Cue(0, "gone")])
    pacer.rewind(generation)
    assert (pacer.buffered_ms(generation), pacer.pushed_samples(generation)) == (0.0, 0)
    pacer.push(generation, np.full(FRAME_SAMPLES, 0.1, np.float32), [Cue(0, "kept")])
    pacer.end(generation)
    frame = pacer.take(0.0)
    assert frame.pcm[0] == pytest.approx(0.1 * 32767, abs=1)
    assert [event.label for event in frame.events if isinstance(event, CueHeard)] == ["kept"]


def test_what_was_heard_cannot_be_rewound() -> None:
    pacer = Pacer()
    generation = pacer.open()
    pacer.push(generation, np.full(FRAME_SAMPLES * 5, 0.3, np.float32))
    pacer.take(0.0)
    with pytest.raises(ValueError, match="taken back"):
        pacer.rewind(generation)
