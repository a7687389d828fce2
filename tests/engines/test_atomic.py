"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from engines import atomic

pytestmark = pytest.mark.unit


def test_a_file_gets_its_name_only_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with atomic.writing(target) as file:
        file.write(b"half")
        assert not target.exists()
        file.write(b" and half")
    assert target.read_bytes() == b"half and half"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("mode", [atomic.PRIVATE, atomic.READABLE])
def test_mode_is_what_was_asked_for(tmp_path: Path, mode: int) -> None:
    with atomic.writing(tmp_path / "file", mode):
        pass
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode


def test_a_failed_block_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def give_up() -> None:
        with atomic.writing(target) as file:
            file.write(b"new")
            raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        give_up()
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_at_the_last_moment_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"), atomic.writing(tmp_path / "file"):
        pass
    assert list(tmp_path.iterdir()) == []


def test_two_writers_at_once_do_not_mix(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with atomic.writing(target) as one, atomic.writing(target) as other:
        one.write(b"one")
        other.write(b"other")
    assert target.read_bytes() == b"one"


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic.writing(tmp_path / "no" / "file"):
        pass
