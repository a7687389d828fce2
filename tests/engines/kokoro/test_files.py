"""Engine files: made once, published whole, and never half."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from engines.api import ModelFilesCorrupt
from engines.build import manifest
from engines.build.lock import exclusive
from engines.kokoro import files as engine_files
from engines.kokoro.files import (
    EngineFiles,
    Recipe,
    folder_for,
    is_ready,
    publish,
    ready_files,
    recipe_for,
    record,
    stage,
    staged_files,
)
from engines.progress import Progress
from tests.engines.kokoro.opened import files as real_files
from tests.engines.kokoro.opened import scratch_weights

pytestmark = pytest.mark.unit

RECIPE = Recipe()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Makes small files in place of graphs; lists which folders were filled."""
    filled: list[Path] = []

    def make(_weights: Path, files: EngineFiles, _recipe: Recipe, _progress: Progress) -> None:
        files.folder.mkdir(parents=True, exist_ok=True)
        for path in files.all():
            if not path.exists():
                path.write_bytes(path.name.encode())
                filled.append(path)

    monkeypatch.setattr(engine_files, "make_files", make)
    return filled


def test_made_once(quick: list[Path], tmp_path: Path) -> None:
    files = ready_files(RECIPE, tmp_path, lambda: tmp_path)
    assert is_ready(files)
    assert manifest.read(files.folder).recipe == "fused"
    ready_files(RECIPE, tmp_path, lambda: tmp_path)
    assert len(quick) == len(files.all())


def test_weights_are_not_looked_for_when_files_are_ready(quick: list[Path], tmp_path: Path) -> None:
    ready_files(RECIPE, tmp_path, lambda: tmp_path)

    def fail() -> Path:
        raise AssertionError

    ready_files(RECIPE, tmp_path, fail)


def test_several_at_once_make_them_once(quick: list[Path], tmp_path: Path) -> None:
    threads = [
        threading.Thread(target=ready_files, args=(RECIPE, tmp_path, lambda: tmp_path))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(quick) == 5


def test_an_interrupted_build_is_resumed(quick: list[Path], tmp_path: Path) -> None:
    target = folder_for(RECIPE, tmp_path)
    staged = stage(RECIPE, target, tmp_path)
    staged.generator.unlink()
    assert not is_ready(target)
    quick.clear()
    ready_files(RECIPE, tmp_path, lambda: tmp_path)
    assert [path.name for path in quick] == ["generator.onnx"]


def test_publishing_replaces_older_files_whole(quick: list[Path], tmp_path: Path) -> None:
    target = ready_files(RECIPE, tmp_path, lambda: tmp_path)
    (target.folder / "stale").touch()
    staged = stage(RECIPE, target, tmp_path)
    publish(staged, target, record(RECIPE, staged, {"dnsmos": 3.0}))
    assert manifest.read(target.folder).figures == {"dnsmos": 3.0}
    assert not (target.folder / "stale").exists()
    assert not any(path.name.endswith((".partial", ".older")) for path in tmp_path.iterdir())


def test_what_killed_builds_left_is_not_published(quick: list[Path], tmp_path: Path) -> None:
    staged = staged_files(folder_for(RECIPE, tmp_path)).folder
    staged.mkdir()
    (staged / ".front.onnx.abc123").write_bytes(b"half of a file")
    (staged / "float").mkdir()
    files = ready_files(RECIPE, tmp_path, lambda: tmp_path)
    names = {path.name for path in files.folder.iterdir()}
    assert names == {path.name for path in files.all()} | {manifest.NAME}


@pytest.mark.parametrize("suffix", ["", ".partial", ".older"])
def test_a_file_in_place_of_a_folder_gives_way(
    quick: list[Path], tmp_path: Path, suffix: str
) -> None:
    files = folder_for(RECIPE, tmp_path)
    files.folder.with_name(files.folder.name + suffix).write_bytes(b"in the way")
    assert is_ready(ready_files(RECIPE, tmp_path, lambda: tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [files.folder.name, f".{files.folder.name}.lock"]
    )


def test_whoever_waits_for_another_builder_is_told(quick: list[Path], tmp_path: Path) -> None:
    target, told, held = folder_for(RECIPE, tmp_path), list[str](), threading.Event()

    def told_of(what: str, _share: float) -> None:
        told.append(what)
        held.set()

    with exclusive(target.folder):
        waiting = threading.Thread(
            target=ready_files, args=(RECIPE, tmp_path, lambda: tmp_path, told_of)
        )
        waiting.start()
        assert held.wait(10.0)
    waiting.join(30.0)
    assert is_ready(target)
    assert "another process" in told[0]


def test_a_folder_without_its_record_is_not_ready(quick: list[Path], tmp_path: Path) -> None:
    target = ready_files(RECIPE, tmp_path, lambda: tmp_path)
    (target.folder / manifest.NAME).unlink()
    assert not is_ready(target)
    ready_files(RECIPE, tmp_path, lambda: tmp_path)
    assert is_ready(target)


@pytest.mark.parametrize(
    ("provider", "precision", "label"),
    [
        ("openvino", "bf16", "fused"),
        ("openvino", "fp32", "fused"),
        ("cpu", "fp32", "plain"),
        ("cuda", "fp16", "plain-fp16"),
        ("tensorrt", "fp16", "plain-fp16"),
        ("cuda", "fp32", "plain"),
    ],
)
def test_each_provider_has_its_recipe(provider: str, precision: str, label: str) -> None:
    assert recipe_for(provider, precision).label == label


def test_recipes_do_not_share_a_folder(tmp_path: Path) -> None:
    recipes = [Recipe(sine, half) for sine in (True, False) for half in (True, False)]
    assert len({folder_for(recipe, tmp_path).folder for recipe in recipes}) == 4


def test_weights_that_are_no_model_leave_nothing_published(tmp_path: Path) -> None:
    bad = scratch_weights(tmp_path)
    with pytest.raises(ModelFilesCorrupt):
        ready_files(RECIPE, tmp_path / "c", lambda: bad)
    assert not is_ready(folder_for(RECIPE, tmp_path / "c"))


@pytest.mark.engine
def test_the_real_files_are_what_their_record_says() -> None:
    files = real_files()
    manifest.check_files(files.folder, manifest.read(files.folder))
