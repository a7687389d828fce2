"""Voice packs to the style file, on packs made up here."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines.kokoro.train import packs
from engines.kokoro.voices import PROSODY, TYPICAL_TOKENS

pytestmark = pytest.mark.unit


def _write(folder: Path, voices: int = 3) -> packs.Packs:
    """Packs that differ by voice and share one smooth curve over length in the prosody half."""
    random = np.random.default_rng(1)
    table = np.repeat(random.standard_normal((voices, 1, 256)), packs.PACK_LENGTHS, axis=1)
    curve = np.exp(-np.arange(packs.PACK_LENGTHS) / 30.0)[:, None] * random.standard_normal(128)
    table[:, :, PROSODY] += curve - curve[TYPICAL_TOKENS]
    table = table.astype("<f4")
    for index, pack in enumerate(table):
        pack.tofile(folder / f"a{'fm'[index % 2]}_{index}.bin")
    return np.asarray(table, dtype=np.float32)


def test_packs_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    table = _write(tmp_path)
    names, found = packs.read_packs(tmp_path)
    assert names == sorted(names)
    assert found.shape == table.shape


def test_shared_curve_is_found_and_the_file_rebuilds_the_packs(tmp_path: Path) -> None:
    _write(tmp_path)
    errors = packs.write_styles(tmp_path, tmp_path / "styles.npz")
    assert errors.timbre_mean < 0.01
    assert errors.prosody_mean < 0.2 * errors.prosody_mean_without_curve
    assert errors.mean <= errors.worst


def test_the_same_packs_give_the_same_bytes(tmp_path: Path) -> None:
    _write(tmp_path)
    for name in ("one.npz", "two.npz"):
        packs.write_styles(tmp_path, tmp_path / name)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_no_packs_and_wrong_packs_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="kokoro-js"):
        packs.read_packs(tmp_path)
    (tmp_path / "af_x.bin").write_bytes(b"\0" * 400)
    with pytest.raises(ValueError, match="af_x.bin is no voice pack"):
        packs.read_packs(tmp_path)
