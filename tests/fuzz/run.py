"""Runs one target for a while and tells of what it found; the same seed makes the same inputs."""

from __future__ import annotations

import importlib
import pkgutil
import random
import time
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.fuzz import targets
from tests.fuzz.mutation import mutate
from tests.fuzz.target import Fuzzed, Target

MAX_CORPUS = 400
"""Inputs to go on from. Without knowing coverage, more of them would only lead astray."""

_SHOWN_BYTES = 500
_SHOWN_CHARS = 200
"""Of a line: errors quote what they were given."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An input that was too much for the target, and what happened."""

    data: bytes
    what: str

    def __str__(self) -> str:
        what = "\n".join(line[:_SHOWN_CHARS] for line in self.what.rstrip().splitlines())
        return f"{what}\ninput ({len(self.data)} bytes): {self.data[:_SHOWN_BYTES]!r}"


@dataclass(slots=True)
class Result:
    """How many inputs were tried, and findings, one of each kind."""

    inputs: int = 0
    findings: dict[str, Finding] = field(default_factory=dict)


def load() -> Mapping[str, Target]:
    """All targets by name: every module in ``tests.fuzz.targets`` has some in ``TARGETS``."""
    found: dict[str, Target] = {}
    for module in pkgutil.iter_modules(targets.__path__):
        loaded = importlib.import_module(f"{targets.__name__}.{module.name}")
        for target in loaded.TARGETS:
            assert target.name not in found, f"two targets are called {target.name}"
            found[target.name] = target
    return found


def fuzz(target: Target, seconds: float, seed: int, max_inputs: int | None = None) -> Result:
    """Try the seeds themselves, then changed ones, until the time is over."""
    dice, result = random.Random(seed), Result()
    corpus = list(target.seeds)
    with target.open() as fuzzed, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # libraries warn of what is malformed, which all of it is
        for data in target.seeds:
            _try(target, fuzzed, data, result)
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s and result.inputs != max_inputs:
            data = mutate(dice.choice(corpus), target.seeds, target.words, dice)
            _try(target, fuzzed, data, result)
            if dice.random() < 0.02:
                corpus.append(data)
                del corpus[len(target.seeds) : max(len(target.seeds), len(corpus) - MAX_CORPUS)]
    return result


def _try(target: Target, fuzzed: Fuzzed, data: bytes, result: Result) -> None:
    result.inputs += 1
    before_s = time.thread_time()
    try:
        fuzzed(data)
    except Exception as error:  # the edge of a target: whatever escapes is a finding
        kind = f"{type(error).__name__} at {_place(error)}"
        result.findings.setdefault(kind, Finding(data, traceback.format_exc()))
    spent_s = time.thread_time() - before_s
    if spent_s > target.slow_s:
        result.findings.setdefault("slow", Finding(data, f"{spent_s:.1f} s of processor time"))


def _place(error: BaseException) -> str:
    """Where it came from, so that a thousand inputs of one defect are one finding."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else "nowhere"
