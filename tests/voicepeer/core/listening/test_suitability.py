"""Verdicts on recordings: fine ones pass in silence, others are warned of or refused by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.clips import clip
from voicepeer import degrading
from voicepeer.core.listening.quality import HINT_BELOW, assess
from voicepeer.core.listening.suitability import REFUSED_BELOW, Suitability, suitability
from voicepeer.core.pcm import Pcm

pytestmark = pytest.mark.unit

RATE_HZ = 16_000
RANDOM = np.random.default_rng(1)
ONE: list[NDArray[np.float32]] = [np.eye(8, dtype=np.float32)[0]] * 8
TWO: list[NDArray[np.float32]] = ONE[:4] + [np.eye(8, dtype=np.float32)[1]] * 4


def judged(
    pcm: Pcm,
    windows: list[NDArray[np.float32]] | None = None,
    snr_db: float | None = 45.0,
) -> Suitability:
    seconds = pcm.size / RATE_HZ
    return suitability(
        pcm, assess(pcm, snr_db=snr_db), seconds, ONE if windows is None else windows
    )


def spoken(name: str = "de_Elli") -> Pcm:
    return clip(name)[: 8 * RATE_HZ]


@pytest.mark.parametrize("name", ["de_Elli", "de_Sonja", "de_Friedrich"])
def test_a_good_recording_passes_without_a_word(name: str) -> None:
    found = judged(spoken(name))
    assert (found.refusal, found.warnings) == (None, ())
    assert len({one.name for one in found.aspects}) == len(found.aspects) == 8


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda pcm: degrading.reverberate(pcm, 0.6, 0.0, np.random.default_rng(1)), "echoes"),
        (lambda pcm: degrading.under(pcm, degrading.music(8.0, RANDOM), 20.0), "music"),
        (lambda pcm: degrading.band_limited(pcm, 300.0, 3_400.0), "muffled"),
        (lambda pcm: pcm[: 3 * RATE_HZ], "short"),
        (lambda pcm: pcm * np.float32(0.01), "too quiet"),
    ],
)
def test_what_is_not_so_good_is_warned_of_and_taken(spoil: Callable[[Pcm], Pcm], word: str) -> None:
    found = judged(spoil(spoken()))
    assert found.refusal is None
    assert any(word in warning for warning in found.warnings)


@pytest.mark.parametrize(
    ("spoil", "word"),
    [
        (lambda pcm: degrading.reverberate(pcm, 1.5, -6.0, np.random.default_rng(1)), "echoes"),
        (lambda pcm: degrading.under(pcm, degrading.music(8.0, RANDOM), 3.0), "music"),
    ],
)
def test_what_nothing_good_can_come_of_is_refused(spoil: Callable[[Pcm], Pcm], word: str) -> None:
    assert word in (judged(spoil(spoken())).refusal or "")


def test_two_people_are_refused() -> None:
    found = judged(spoken(), TWO)
    assert "more than one person" in (found.refusal or "")
    assert found.aspects[0].name == "separation"


def test_what_cannot_be_measured_is_not_held_against_anybody() -> None:
    found = judged(spoken(), [], snr_db=None)
    unknown = {one.name: one.score for one in found.aspects if one.value is None}
    assert unknown == {"separation": 1.0, "snr_db": 1.0}


def test_the_worst_comes_first_and_noise_alone_is_not_refused_here() -> None:
    found = judged(spoken(), snr_db=5.0)
    assert found.aspects[0].name == "snr_db"
    assert found.aspects[0].score < REFUSED_BELOW < HINT_BELOW
    assert found.refusal is None
    assert "noise" in found.warnings[0]
