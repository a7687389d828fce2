"""Who is who, by embeddings of unit length."""

from __future__ import annotations

import numpy as np
import pytest

from voicepeer.core.listening.identity import SAME_SPEAKER_COSINE, same_speaker

pytestmark = pytest.mark.unit


def at_cosine(cosine: float) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.array([cosine, np.sqrt(1 - cosine**2)], dtype=np.float32)


@pytest.mark.parametrize(
    ("cosine", "same"),
    [
        (1.0, True),
        (SAME_SPEAKER_COSINE + 0.001, True),
        (SAME_SPEAKER_COSINE - 0.001, False),
        (0.0, False),
    ],
)
def test_the_cosine_decides(cosine: float, same: bool) -> None:
    assert same_speaker(at_cosine(1.0), at_cosine(cosine)) == same


def test_embeddings_of_different_encoders_are_of_nobody() -> None:
    assert not same_speaker(np.ones(4, np.float32), np.ones(8, np.float32))
