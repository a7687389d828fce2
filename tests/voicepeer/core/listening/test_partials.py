"""Which windows of the speech are embedded, and how much each counts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.listening.partials import (
    PartialWindow,
    SpeechBuffer,
    learning_gain,
    mean_embedding,
)
from voicepeer.core.pcm import Pcm, level_dbfs

pytestmark = pytest.mark.unit

RATE_HZ = 1_000
WINDOW = 1_600


def buffer(max_s: float = 20.0) -> SpeechBuffer:
    return SpeechBuffer(
        RATE_HZ,
        WINDOW,
        max_s=max_s,
        first_hop_s=0.4,
        hop_s=0.8,
        milestones_s=(3.0, 5.0),
    )


def ramp(samples: int, start: int = 0) -> Pcm:
    return np.arange(start, start + samples, dtype=np.float32)


def windows(speech: SpeechBuffer) -> list[PartialWindow]:
    found = []
    while (window := speech.take()) is not None:
        found.append(window)
    return found


def test_windows_end_at_each_hop_and_at_the_milestones() -> None:
    speech = buffer()
    speech.push(ramp(8_000))
    found = windows(speech)
    assert [w.end_s for w in found] == [1.6, 2.0, 2.4, 2.8, 3.0, 3.8, 4.6, 5.0, 5.8, 6.6, 7.4]
    weights = [0.8, 0.4, 0.4, 0.4, 0.2, 0.8, 0.8, 0.4, 0.8, 0.8, 0.8]
    assert [round(w.weight_s, 3) for w in found] == weights


def test_a_window_holds_the_speech_before_its_end() -> None:
    speech = buffer()
    speech.push(ramp(2_100))
    for window in windows(speech):
        end = round(window.end_s * RATE_HZ)
        gain = learning_gain(ramp(end))
        np.testing.assert_allclose(window.pcm, ramp(WINDOW, end - WINDOW) * gain, rtol=1e-6)


@pytest.mark.parametrize(("samples", "count"), [(0, 0), (1_599, 0), (1_600, 1), (2_000, 2)])
def test_a_window_is_there_once_its_last_sample_is(samples: int, count: int) -> None:
    speech = buffer()
    speech.push(ramp(samples))
    assert len(windows(speech)) == count


def test_speech_beyond_the_limit_is_dropped() -> None:
    speech = buffer(max_s=2.0)
    assert speech.push(ramp(1_500)).size == 1_500
    assert not speech.full
    assert speech.push(ramp(1_500)).size == 500
    assert speech.full
    assert speech.push(ramp(10)).size == 0
    assert speech.heard_s == 2.0
    assert speech.pcm().size == 2_000


def test_what_is_given_out_is_not_changed_later() -> None:
    speech = buffer()
    speech.push(ramp(1_600))
    levelled = ramp(1_600) * learning_gain(ramp(1_600))
    before = speech.pcm()
    before[:] = -1.0
    (window,) = windows(speech)
    window.pcm[:] = -1.0
    np.testing.assert_array_equal(speech.pcm(), levelled)


@pytest.mark.parametrize(
    ("level_db", "learned_db"),
    [(-60.0, -22.0), (-23.0, -22.0), (-21.0, -21.0), (-17.0, -17.0), (-12.0, -16.0)],
)
def test_speech_is_learned_at_a_usual_level(level_db: float, learned_db: float) -> None:
    speech, draw = buffer(), np.random.default_rng(4)
    noise = draw.uniform(-1.0, 1.0, 6_000) * math.sqrt(3) * 10 ** (level_db / 20)
    speech.push(np.asarray(noise, dtype=np.float32))
    assert level_dbfs(speech.pcm()) == pytest.approx(learned_db, abs=0.1)
    for window in windows(speech):
        assert level_dbfs(window.pcm) == pytest.approx(learned_db, abs=0.3)


def test_the_gain_does_not_follow_a_quiet_phrase() -> None:
    speech, draw = buffer(), np.random.default_rng(4)
    loud = np.asarray(draw.standard_normal(5_000) * 0.01, dtype=np.float32)
    speech.push(np.concatenate([loud, loud[:2_000] * np.float32(0.1)]))
    last = windows(speech)[-1]
    assert level_dbfs(last.pcm) < -30.0


def test_the_gain_never_clips() -> None:
    spiky = np.zeros(2_000, dtype=np.float32)
    spiky[::500] = 0.01
    assert np.abs(spiky * learning_gain(spiky)).max() == pytest.approx(0.95)


def test_silence_is_left_alone() -> None:
    assert learning_gain(np.zeros(10, dtype=np.float32)) == 1.0
    assert learning_gain(np.zeros(0, dtype=np.float32)) == 1.0


@given(st.lists(st.integers(0, 1_700), max_size=20))
def test_windows_do_not_depend_on_how_speech_is_cut(sizes: list[int]) -> None:
    pieces, whole = buffer(), buffer()
    found, total = [], sum(sizes)
    speech, at = ramp(total), 0
    for size in sizes:
        pieces.push(speech[at : at + size])
        found += windows(pieces)
        at += size
    whole.push(speech)
    expected = windows(whole)
    assert [w.end_s for w in found] == [w.end_s for w in expected]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.pcm, other.pcm)


def test_a_window_counts_for_what_it_adds() -> None:
    x, y = np.array([1.0, 0.0], np.float32), np.array([0.0, 1.0], np.float32)
    silent = np.zeros(0, np.float32)
    mean = mean_embedding([(PartialWindow(silent, 1, 0.8), x), (PartialWindow(silent, 2, 0.6), y)])
    np.testing.assert_allclose(mean, [0.8, 0.6], atol=1e-6)


def test_opposite_embeddings_have_no_direction_but_do_no_harm() -> None:
    x, silent = np.array([1.0, 0.0], np.float32), np.zeros(0, np.float32)
    mean = mean_embedding([(PartialWindow(silent, 1, 1.0), x), (PartialWindow(silent, 2, 1.0), -x)])
    np.testing.assert_array_equal(mean, [0.0, 0.0])


def test_a_sparing_buffer_asks_for_half_as_many_windows_and_leaves_nothing_out() -> None:
    counts = []
    for sparing in (False, True):
        speech = buffer()
        speech.sparing = sparing
        speech.push(ramp(12_000))
        found = windows(speech)
        counts.append(len(found))
    usual, fewer = counts
    assert fewer <= 0.6 * usual
    ends = [window.end_s for window in found]
    assert {3.0, 5.0} <= {*ends}
    assert all(
        later - earlier <= 1.6 + 1e-9 for earlier, later in zip(ends, ends[1:], strict=False)
    )
