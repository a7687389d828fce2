"""What a verification lets pass, and that a spoilt build does not."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api import ModelFilesCorrupt
from engines.build import manifest
from engines.kokoro import building, verification
from engines.kokoro import files as engine_files
from engines.kokoro.files import EngineFiles, folder_for, recipe_for, record
from engines.kokoro.verification import BuildRejected, Figures
from engines.kokoro.weights import weights_file
from engines.runtime import fallback_counts
from tests.engines.kokoro.opened import engine, exact, files

pytestmark = pytest.mark.unit

GOOD = Figures(
    log_mel_error=0.002, cosine_error=0.001, dnsmos=3.4, dnsmos_drop=0.01, published_error=0.006
)


def test_good_figures_pass() -> None:
    GOOD.check()


@pytest.mark.parametrize(
    "change",
    [
        {"log_mel_error": 0.06},
        {"cosine_error": 0.06},
        {"dnsmos_drop": 0.11},
        {"published_error": 0.06},
        {"log_mel_error": float("nan")},
    ],
)
def test_a_figure_out_of_bounds_is_named(change: dict[str, float]) -> None:
    with pytest.raises(BuildRejected, match=next(iter(change))):
        replace(GOOD, **change).check()


@pytest.mark.engine
def test_the_engine_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verification, "VOICES", verification.VOICES[:1])
    monkeypatch.setattr(verification, "SENTENCES", verification.SENTENCES[:1])
    figures = verification.compare(engine().synth, exact(), weights_file())
    figures.check()
    assert 2.5 < figures.dnsmos < 5.0
    assert figures.log_mel_error < 0.01


@pytest.fixture
def linked(tmp_path: Path) -> EngineFiles:
    """The real engine files in a cache of their own, published there."""
    recipe = recipe_for("openvino", "bf16")
    target = folder_for(recipe, tmp_path)
    target.folder.mkdir(parents=True)
    for path in files().all():
        os.link(path, target.folder / path.name)
    made = record(recipe, target, {})
    (target.folder / manifest.NAME).write_text(made.to_json())
    return target


@pytest.mark.engine
def test_a_build_that_sounds_wrong_is_refused_and_the_old_one_stays(
    linked: EngineFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = manifest.read(linked.folder)

    def stage(*_: object) -> EngineFiles:
        staged = EngineFiles(linked.folder.with_name("staged"))
        staged.folder.mkdir()
        for path in linked.all():
            os.link(path, staged.folder / path.name)
        return staged

    monkeypatch.setattr(engine_files, "stage", stage)
    monkeypatch.setattr(building, "_figures", lambda *_: (replace(GOOD, dnsmos_drop=0.5), ""))
    with pytest.raises(BuildRejected, match="left alone"):
        building.build(
            provider="openvino", precision="bf16", cache=linked.folder.parent,
            weights=weights_file(),
        )  # fmt: skip
    assert manifest.read(linked.folder) == before
    assert not linked.folder.with_name("staged").exists()


@pytest.mark.engine
def test_a_build_for_a_gpu_that_is_not_here_says_what_verified_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["CPUExecutionProvider"])
    monkeypatch.setattr(verification, "compare", lambda *_: GOOD)
    before = fallback_counts().get("cuda", 0)
    made = building.build(provider="cuda", precision="fp16", cache=tmp_path, weights=weights_file())
    assert made.verified_with == "cpu fp32"
    assert made.recipe == "plain-fp16"
    assert fallback_counts()["cuda"] > before
    assert manifest.read(folder_for(recipe_for("cuda", "fp16"), tmp_path).folder) == made


@pytest.mark.engine
@pytest.mark.parametrize("name", ["features.onnx", "constants.npz"])
def test_what_a_killed_build_left_damaged_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(verification, "compare", lambda *_: GOOD)
    target = folder_for(recipe_for("openvino", "bf16"), tmp_path)
    staged = engine_files.staged_files(target)
    staged.folder.mkdir(parents=True)
    for path in files().all():
        os.link(path, staged.folder / path.name)
    (staged.folder / name).unlink()
    (staged.folder / name).write_bytes(b"the beginning of a file")
    told: list[str] = []
    made = building.build(
        provider="openvino", precision="bf16", cache=tmp_path, weights=weights_file(),
        progress=lambda what, _share: told.append(what),
    )  # fmt: skip
    assert any("starting over" in what for what in told)
    manifest.check_files(target.folder, made)


@pytest.mark.engine
def test_verifying_finds_a_changed_file(linked: EngineFiles) -> None:
    constants = linked.constants.read_bytes()
    linked.constants.unlink()
    linked.constants.write_bytes(constants[:99] + b"?" + constants[100:])
    with pytest.raises(ModelFilesCorrupt, match="constants"):
        building.verify(provider="openvino", precision="bf16", cache=linked.folder.parent)


@pytest.mark.engine
def test_damaged_speech_is_judged_as_such() -> None:
    silent = np.full(48_000, np.nan, np.float32)
    row = verification._row(
        silent, np.zeros(48_000, np.float32), np.zeros(48_000, np.float32),
        np.zeros(48_000, np.float32),
    )  # fmt: skip
    with pytest.raises(BuildRejected):
        row.check()
