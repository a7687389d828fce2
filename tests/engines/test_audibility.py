"""What counts as sound, at literal levels."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Pcm
from engines.audibility import audible

pytestmark = pytest.mark.unit

RATE_HZ = 24_000


def loud(ms: float, level: float = 0.1) -> Pcm:
    return np.full(int(ms * RATE_HZ / 1000), level, np.float32)


@pytest.mark.parametrize(
    ("pcm", "heard"),
    [
        (np.zeros(1920, np.float32), False),
        (np.zeros(0, np.float32), False),
        (loud(1), True),
        (loud(80, 0.0039), False),
        (loud(80, 0.0041), True),
        (np.concatenate([np.zeros(1800, np.float32), loud(5)]), True),
    ],
)
def test_audible(pcm: Pcm, *, heard: bool) -> None:
    assert audible(pcm, RATE_HZ) is heard
