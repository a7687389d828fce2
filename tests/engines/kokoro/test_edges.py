"""Silence cut off, ends faded, chunks of one size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import Pcm
from engines.kokoro.edges import (
    CHUNK_SAMPLES,
    LEAD_MS,
    Chunker,
    SilenceTrimmer,
    audible_blocks,
    fade_in,
    fade_out,
)
from engines.kokoro.source import SAMPLE_RATE_HZ

pytestmark = pytest.mark.unit


def silence(ms: float) -> Pcm:
    return np.zeros(int(ms * SAMPLE_RATE_HZ / 1000), np.float32)


def tone(ms: float) -> Pcm:
    at = np.arange(int(ms * SAMPLE_RATE_HZ / 1000))
    return (0.3 * np.sin(2 * np.pi * 220.0 * at / SAMPLE_RATE_HZ)).astype(np.float32)


def trimmed(pcm: Pcm, step: int, tail_ms: float = 30.0) -> tuple[Pcm, SilenceTrimmer]:
    trimmer = SilenceTrimmer(tail_ms)
    parts = [trimmer.push(pcm[at : at + step]) for at in range(0, pcm.size, step)]
    return np.concatenate([*parts, trimmer.finish()]), trimmer


def ms(samples: int) -> float:
    return samples * 1000 / SAMPLE_RATE_HZ


@pytest.mark.parametrize("step", [100, 1920, 7777, 100_000])
def test_silence_is_cut_at_both_ends(step: int) -> None:
    heard, trimmer = trimmed(np.concatenate([silence(300), tone(500), silence(400)]), step)
    assert ms(heard.size) == pytest.approx(LEAD_MS + 500 + 30, abs=6)
    assert ms(trimmer.dropped_samples) == pytest.approx(300 - LEAD_MS, abs=6)


@pytest.mark.parametrize("step", [100, 1920, 100_000])
def test_silence_in_between_stays(step: int) -> None:
    heard, _ = trimmed(np.concatenate([tone(200), silence(250), tone(200)]), step)
    assert ms(heard.size) == pytest.approx(650 + 30, abs=6)
    assert np.abs(heard[SAMPLE_RATE_HZ // 4 : SAMPLE_RATE_HZ * 4 // 10]).max() == 0.0


def test_silence_alone_gives_nothing() -> None:
    heard, trimmer = trimmed(silence(500), 1920)
    assert heard.size == 0
    assert not trimmer.heard


def test_a_sound_at_once_keeps_its_start() -> None:
    heard, trimmer = trimmed(tone(200), 1920)
    assert trimmer.dropped_samples == 0
    assert ms(heard.size) == pytest.approx(200 + 30, abs=6)


def test_a_long_tail_is_kept_when_asked_for() -> None:
    pcm = np.concatenate([tone(200), silence(500)])
    heard, _ = trimmed(pcm, 1920, tail_ms=200.0)
    assert ms(heard.size) == pytest.approx(400, abs=6)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(1, 120)), min_size=1, max_size=8),
    st.integers(50, 5000),
)
def test_any_cut_of_the_stream_gives_the_same(parts: list[tuple[bool, int]], step: int) -> None:
    """Blocks of whole 5 ms, so that their borders do not depend on the cut."""
    pcm = np.concatenate([tone(5 * n) if loud else silence(5 * n) for loud, n in parts])
    step -= step % 120
    once, _ = trimmed(pcm, pcm.size)
    cut, _ = trimmed(pcm, max(120, step))
    np.testing.assert_array_equal(once, cut)


def test_silence_is_not_held_back_when_sound_follows() -> None:
    trimmer = SilenceTrimmer(30.0)
    trimmer.push(tone(100), more=True)
    assert trimmer.push(silence(50)).size == 0
    assert trimmer.push(silence(50), more=True).size == silence(100).size


def test_silence_before_the_first_sound_is_cut_even_if_more_follows() -> None:
    trimmer = SilenceTrimmer(30.0)
    assert trimmer.push(silence(200), more=True).size == 0
    assert ms(trimmer.push(tone(50), more=True).size) == pytest.approx(50 + LEAD_MS, abs=6)


def test_nothing_audible_is_lost() -> None:
    pcm = np.concatenate([silence(100), tone(300), silence(50), tone(100), silence(100)])
    heard, _ = trimmed(pcm, 1000)
    loud = np.flatnonzero(np.abs(pcm) > 0.05)
    kept = np.flatnonzero(np.abs(heard) > 0.05)
    assert abs(loud.size - kept.size) < SAMPLE_RATE_HZ // 200


def test_fades_begin_and_end_at_nothing() -> None:
    ones = np.ones(1000, np.float32)
    assert fade_in(ones)[0] == 0.0
    assert fade_out(ones)[-1] == 0.0
    assert fade_in(ones)[500] == fade_out(ones)[500] == 1.0
    assert ones.min() == 1.0
    assert fade_in(np.ones(3, np.float32)).tolist() == [0.0, 0.5, 1.0]


def test_a_block_is_audible_above_the_threshold() -> None:
    quiet, loud = np.full(120, 0.003, np.float32), np.full(120, 0.005, np.float32)
    assert audible_blocks(np.concatenate([quiet, loud])).tolist() == [False, True]


@given(st.lists(st.integers(0, 5000), max_size=20))
def test_chunks_have_one_size_and_lose_nothing(sizes: list[int]) -> None:
    chunker = Chunker()
    total = sum(sizes)
    pcm = np.arange(total, dtype=np.float32)
    chunks: list[Pcm] = []
    at = 0
    for size in sizes:
        chunks += chunker.push(pcm[at : at + size])
        at += size
    assert all(chunk.size == CHUNK_SAMPLES for chunk in chunks)
    chunks += chunker.finish()
    assert sum(chunk.size for chunk in chunks) == total
    assert all(0 < chunk.size <= CHUNK_SAMPLES for chunk in chunks)
    if chunks:
        np.testing.assert_array_equal(np.concatenate(chunks), pcm)


def test_a_finished_chunker_is_empty() -> None:
    chunker = Chunker()
    list(chunker.push(tone(10)))
    assert len(list(chunker.finish())) == 1
    assert list(chunker.finish()) == []
