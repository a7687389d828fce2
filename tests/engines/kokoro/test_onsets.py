from __future__ import annotations

import numpy as np
import pytest

from engines.api import Pcm
from engines.kokoro.onsets import BLOCK_SAMPLES, Onsets

pytestmark = pytest.mark.unit


def blocks(pattern: str) -> Pcm:
    """A block of 5 ms for each character: silence for a dot, sound for anything else."""
    levels = np.array([0.0 if char == "." else 0.1 for char in pattern], dtype=np.float32)
    return np.repeat(levels, BLOCK_SAMPLES)


def heard(pattern: str, complete: bool = True) -> Onsets:
    onsets = Onsets()
    onsets.push(blocks(pattern))
    if complete:
        onsets.finish()
    return onsets


def near(pattern: str, planned: int, complete: bool = True) -> int | None:
    at = heard(pattern, complete).near(planned * BLOCK_SAMPLES)
    return None if at is None else at // BLOCK_SAMPLES


@pytest.mark.parametrize("planned", [18, 20, 25, 33])
def test_a_sound_after_silence_is_found_from_both_sides(planned: int) -> None:
    assert near("#####" + "." * 20 + "#" * 30, planned) == 25


def test_too_far_off_is_another_sound() -> None:
    assert near("#####" + "." * 40 + "#" * 30, 20) == 20


def test_a_short_stop_is_no_pause() -> None:
    assert near("#" * 20 + "..." + "#" * 30, 24) == 24


def test_the_nearer_of_two_counts() -> None:
    assert near("." * 10 + "##" + "." * 10 + "#" * 9, 20) == 22


def test_while_it_is_quiet_the_sound_may_still_come() -> None:
    assert near("#" * 20 + "." * 10, 27, complete=False) is None
    assert near("#" * 20 + "." * 10, 27, complete=True) == 27
    assert near("#" * 30, 27, complete=False) == 27


def test_the_beginning_counts_as_after_silence() -> None:
    assert near("###...", 1) == 0


def test_pushes_of_any_size_are_the_same() -> None:
    pcm = blocks("." * 9 + "#" * 20)
    onsets = Onsets()
    for part in np.array_split(pcm, 37):
        onsets.push(part)
    assert onsets.near(11 * BLOCK_SAMPLES) == 9 * BLOCK_SAMPLES
