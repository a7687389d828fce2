"""GPUs by NVML. None is at hand, so a package stands in that has the functions of nvidia-ml-py."""

from __future__ import annotations

from pathlib import Path

import pytest

from voicepeer.gpu import MAX_GPUS, GpuFigures, Gpus, free_share

pytestmark = pytest.mark.unit

PACKAGE = """
from types import SimpleNamespace

COUNT, DEAF, DRIVER = {count}, {deaf}, {driver}

class NVMLError(Exception):
    pass

def nvmlInit():
    if not DRIVER:
        raise NVMLError("Driver Not Loaded")

def nvmlDeviceGetCount():
    return COUNT

def nvmlDeviceGetHandleByIndex(index):
    if index == DEAF:
        raise NVMLError("GPU is lost")
    return index

def nvmlDeviceGetMemoryInfo(handle):
    return SimpleNamespace(total=1000 * (handle + 1), used=100, free=900)

def nvmlDeviceGetUtilizationRates(handle):
    return SimpleNamespace(gpu=25, memory=10)
"""


@pytest.fixture
def gpus(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gpus:
    """Of a machine as the test's parameter has it."""
    facts = {"count": 0, "deaf": -1, "driver": True, **request.param}
    name = f"nvml_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(PACKAGE.format(**facts))
    monkeypatch.syspath_prepend(tmp_path)
    return Gpus(name)


@pytest.mark.parametrize("gpus", [{"count": 2}], indirect=True)
def test_each_gpu_is_read(gpus: Gpus) -> None:
    assert [*gpus.read()] == [GpuFigures(0, 0.25, 100, 1000), GpuFigures(1, 0.25, 100, 2000)]


@pytest.mark.parametrize("gpus", [{"count": 3, "deaf": 1}], indirect=True)
def test_one_that_does_not_answer_is_left_out(gpus: Gpus) -> None:
    assert [gpu.index for gpu in gpus.read()] == [0, 2]


@pytest.mark.parametrize("gpus", [{"count": 100}], indirect=True)
def test_labels_are_bounded(gpus: Gpus) -> None:
    assert len(gpus.read()) == MAX_GPUS


@pytest.mark.parametrize("gpus", [{"count": 1, "driver": False}], indirect=True)
def test_without_a_driver_there_is_none(gpus: Gpus) -> None:
    assert gpus.read() == ()


def test_what_is_free_is_that_of_the_fullest() -> None:
    figures = [GpuFigures(0, 0.0, 1_000, 4_000), GpuFigures(1, 0.9, 3_600, 4_000)]
    assert free_share(figures) == pytest.approx(0.1)
    assert free_share(figures[:1]) == pytest.approx(0.75)
    assert free_share([]) is None
    assert free_share([GpuFigures(0, 0.0, 0, 0)]) is None


def test_without_the_package_there_is_none() -> None:
    assert Gpus("a_package_that_nobody_has").read() == ()
