"""Shards on disk: whole or not there, and read back in order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines.kokoro.train.samples import Samples, read_shards, write_shard

pytestmark = pytest.mark.unit


def _samples(count: int, first: float) -> Samples:
    rows = np.arange(first, first + count, dtype=np.float32)
    wide = np.repeat(rows[:, None], 256, axis=1)
    return Samples(wide, wide, 100.0 + rows, np.full(count, 2.0, np.float32), -rows)


def test_shards_come_back_in_the_order_of_their_names(tmp_path: Path) -> None:
    write_shard(_samples(3, 10.0), tmp_path / "1_00001.npz")
    write_shard(_samples(2, 0.0), tmp_path / "1_00000.npz")
    found = read_shards(tmp_path)
    assert found.f0_hz.tolist() == [100.0, 101.0, 110.0, 111.0, 112.0]
    assert found.styles.shape == (5, 256)
    assert len(found) == 5


def test_own_pitch_is_what_was_there_before_it_was_moved() -> None:
    assert _samples(2, 0.0).own_f0_hz.tolist() == [50.0, 50.5]


def test_rows_are_chosen_in_all_columns() -> None:
    some = _samples(4, 0.0).where(np.array([True, False, False, True]))
    assert some.f0_hz.tolist() == [100.0, 103.0]
    assert some.embeddings[:, 0].tolist() == [0.0, 3.0]
    assert some.level_db.tolist() == [0.0, -3.0]


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="generate"):
        read_shards(tmp_path)


def test_half_written_files_are_not_read(tmp_path: Path) -> None:
    """A process that was killed leaves a file without its final name."""
    write_shard(_samples(1, 0.0), tmp_path / "1_00000.npz")
    (tmp_path / ".1_00001.npz.x7").write_bytes(b"PK half")
    assert len(read_shards(tmp_path)) == 1
