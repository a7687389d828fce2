"""Some seconds of each target, and the fuzzer itself: it must find what is planted."""

from __future__ import annotations

import json
import random

import pytest

from tests.fuzz.mutation import MAX_BYTES, mutate
from tests.fuzz.run import fuzz, load
from tests.fuzz.target import Target, parser

pytestmark = pytest.mark.peer

SECONDS = 0.7
TARGETS = load()


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_only_documented_errors_escape(name: str) -> None:
    result = fuzz(TARGETS[name], SECONDS, seed=random.randrange(2**32))
    assert result.inputs > len(TARGETS[name].seeds)
    assert not result.findings, "\n\n".join(map(str, result.findings.values()))


def _planted(data: bytes) -> None:
    tree = json.loads(data)
    if isinstance(tree, dict) and tree.get("a") is None:
        raise KeyError("planted")


def planted() -> Target:
    """A parser with a defect."""
    return parser("planted", _planted, ValueError, (b'{"a": 1, "b": [1, 2]}',))


def test_a_planted_defect_is_found_and_told_with_its_input() -> None:
    result = fuzz(planted(), 30.0, seed=1, max_inputs=3_000)
    (finding,) = result.findings.values()
    assert "planted" in str(finding)
    with pytest.raises(KeyError):
        _planted(finding.data)


def test_an_input_that_takes_long_is_found() -> None:
    slow = parser("slow", lambda data: sum(range(2_000_000)), ValueError, (b"x",))
    hasty = Target(slow.name, slow.seeds, slow.open, slow_s=0.001)
    assert set(fuzz(hasty, 0.0, seed=1).findings) == {"slow"}


def test_an_error_without_a_word_is_found() -> None:
    def mute(data: bytes) -> None:
        raise ValueError

    assert fuzz(parser("mute", mute, ValueError, (b"x",)), 0.0, seed=1).findings


def test_the_same_seed_makes_the_same_inputs() -> None:
    seeds = (b'{"a": [1, "two", null]}', b"v=0\r\na=b\r\n", b"")
    made = [
        [mutate(seeds[at % 3], seeds, (b"word",), dice) for at in range(500)]
        for dice in (random.Random(7), random.Random(7))
    ]
    assert made[0] == made[1]
    assert len(set(made[0])) > 300
    assert max(map(len, made[0])) <= MAX_BYTES
