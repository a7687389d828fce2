"""Cutting a sample out of a sentence, and going on where a run was stopped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kokoro.synth import Acoustics
from engines.kokoro.train.drawing import Draw
from engines.kokoro.train.generation import SHARD_SAMPLES, Row, Speaker, cut, generate, shard_path
from engines.kokoro.train.samples import read_shards
from engines.kokoro.train.sentences import SENTENCES
from engines.kokoro.vocabulary import to_tokens

pytestmark = pytest.mark.unit


def _acoustics(frames: int, lead: int = 5, tail: int = 3) -> Acoustics:
    count = np.arange(frames, dtype=np.float32)
    durations = np.array([lead, frames - lead - tail, tail], dtype=np.int64)
    return Acoustics(count[None, None], np.repeat(count, 2), np.repeat(count, 2), durations)


@given(st.integers(12, 300), st.floats(0.0, 1.0))
def test_cut_has_the_wanted_length_and_stays_aligned(frames: int, share: float) -> None:
    part = cut(_acoustics(frames), 96, share)
    assert part.text.shape == (1, 1, 96)
    assert part.f0_hz.shape == part.energy.shape == (192,)
    np.testing.assert_array_equal(np.repeat(part.text[0, 0], 2), part.f0_hz)
    assert 0 < part.durations.sum() <= 96


def test_cut_of_a_long_sentence_lies_within_what_is_spoken() -> None:
    first, last = cut(_acoustics(200), 96, 0.0), cut(_acoustics(200), 96, 1.0)
    assert first.text[0, 0, 0] == 5.0
    assert last.text[0, 0, -1] == 196.0


def test_short_sentence_is_filled_by_its_end() -> None:
    part = cut(_acoustics(40), 96, 0.5)
    assert np.all(part.text[0, 0, 40:] == 39.0)


def test_every_sentence_can_be_spoken_by_the_model() -> None:
    assert all(len(to_tokens(sentence)) > 25 for sentence in SENTENCES)
    assert len(set(SENTENCES)) == len(SENTENCES) == 32


class _Counting(Speaker):
    """Says nothing; tells how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def row(self, draw: Draw) -> Row | None:
        self.asked += 1
        unit = np.full(256, 1.0 / 16.0, np.float32)
        return None if self.asked % 10 == 0 else (draw.style, unit, 120.0, 1.0, -20.0)


def _told(_what: str, _share: float) -> None:
    pass


def test_stopped_run_goes_on_and_makes_nothing_twice(tmp_path: Path) -> None:
    first = _Counting()
    assert generate(first, tmp_path, 7, range(0, 2), _told) == 2
    assert first.asked == 2 * SHARD_SAMPLES
    shard_path(tmp_path, 7, 0).unlink()
    again = _Counting()
    assert generate(again, tmp_path, 7, range(0, 3), _told) == 2
    assert again.asked == 2 * SHARD_SAMPLES


def test_broken_voices_are_left_out(tmp_path: Path) -> None:
    generate(_Counting(), tmp_path, 7, range(0, 1), _told)
    assert len(read_shards(tmp_path)) == SHARD_SAMPLES - SHARD_SAMPLES // 10


def test_shards_differ_but_each_is_always_the_same(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        generate(_Counting(), tmp_path / name, 7, range(0, 2), _told)
    one, same = (read_shards(tmp_path / name).styles for name in ("a", "b"))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one[:40], one[45:85])
