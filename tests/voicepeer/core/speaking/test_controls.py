"""Controls are held to what the engine can do."""

from __future__ import annotations

import math

import pytest

from engines.api import ControlRanges, Controls
from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking.controls import checked

pytestmark = pytest.mark.unit

RANGES = ControlRanges((0.5, 2.0), (-12.0, 12.0), (0.5, 1.5))


@pytest.mark.parametrize(
    "controls", [Controls(), Controls(0.5, -12.0, 0.5), Controls(2.0, 12.0, 1.5)]
)
def test_what_lies_within_passes_unchanged(controls: Controls) -> None:
    assert checked(controls, RANGES) is controls


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        (Controls(speed=0.49), "speed can be 0.5 to 2, not 0.49"),
        (Controls(pitch_semitones=12.5), "pitch_semitones can be -12 to 12, not 12.5"),
        (Controls(energy=1.6), "energy can be 0.5 to 1.5, not 1.6"),
        (Controls(speed=math.nan), "speed can be 0.5 to 2, not nan"),
        (Controls(speed=math.inf), "speed can be 0.5 to 2, not inf"),
    ],
)
def test_what_lies_outside_is_named(controls: Controls, message: str) -> None:
    with pytest.raises(TextRejected, match=message):
        checked(controls, RANGES)


def test_a_control_that_the_engine_lacks_may_only_have_its_default() -> None:
    assert checked(Controls(), ControlRanges()) == Controls()
    with pytest.raises(TextRejected, match="speed can be 1 to 1, not 1.1"):
        checked(Controls(speed=1.1), ControlRanges())
