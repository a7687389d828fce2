"""Use and memory of NVIDIA GPUs by NVML, where its Python package and a driver are there."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

logger = logging.getLogger(__name__)

MAX_GPUS = 16


@dataclass(frozen=True, slots=True)
class GpuFigures:
    """One GPU at one moment."""

    index: int
    busy_share: float
    """Of the time of the last sample, in which anything ran on it."""
    memory_used_bytes: int
    memory_total_bytes: int


def free_share(gpus: Sequence[GpuFigures]) -> float | None:
    """Of the memory of the fullest one, what is free; ``None`` where there is none."""
    used = (
        one.memory_used_bytes / one.memory_total_bytes for one in gpus if one.memory_total_bytes
    )
    fullest = max(used, default=None)
    return None if fullest is None else max(0.0, 1.0 - fullest)


class Gpus:
    """The GPUs of this machine; none where they cannot be asked."""

    def __init__(self, library: str = "pynvml") -> None:
        self._nvml: Any = None
        try:
            nvml = importlib.import_module(library)
            nvml.nvmlInit()
        except ImportError:
            return
        except Exception as error:  # NVML's own, which cannot be named without it
            logger.debug("NVML cannot be used: %s", error)
            return
        self._nvml = nvml

    def read(self) -> Sequence[GpuFigures]:
        """Ask each of them; one that does not answer is left out."""
        if self._nvml is None:
            return ()
        try:
            count = min(int(self._nvml.nvmlDeviceGetCount()), MAX_GPUS)
        except self._nvml.NVMLError:
            return ()
        found = (self._one(index) for index in range(count))
        return [gpu for gpu in found if gpu is not None]

    def _one(self, index: int) -> GpuFigures | None:
        nvml = self._nvml
        try:
            handle = nvml.nvmlDeviceGetHandleByIndex(index)
            memory = nvml.nvmlDeviceGetMemoryInfo(handle)
            busy = nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100.0
        except nvml.NVMLError:
            return None
        return GpuFigures(index, busy, int(memory.used), int(memory.total))
