"""A judge that knows people through other microphones, and hears who, not what or how loud."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.clips import clip
from voicepeer.core.pcm import Pcm
from voicepeer.degrading import another_channel
from voicepeer.second_judge import PRINT_SIZE, trained_judge, voice_print

pytestmark = pytest.mark.unit

NAMES = ("en_susan", "en_james", "de_Elli", "de_Sonja", "de_Matze", "de_Gaby", "de_marham63")


def _halves(name: str) -> tuple[Pcm, Pcm]:
    pcm = clip(name)
    return pcm[: pcm.size // 2], pcm[pcm.size // 2 :]


@pytest.mark.parametrize("moved", [False, True])
def test_halves_of_a_speaker_are_more_alike_than_two_speakers(moved: bool) -> None:
    """Also where the second half comes from another room and microphone."""
    judge, random = trained_judge(), np.random.default_rng(1)
    prints = {}
    for name in NAMES:
        first, second = _halves(name)
        prints[name] = [
            voice_print(first),
            voice_print(another_channel(second, random) if moved else second),
        ]
    same = [judge.likeness(first, second) for first, second in prints.values()]
    other = [
        judge.likeness(prints[one][0], prints[two][1])
        for one, two in itertools.permutations(NAMES, 2)
    ]
    assert np.mean(same) > np.mean(other) + 0.25


def test_a_voice_is_most_like_itself() -> None:
    judge = trained_judge()
    prints = [voice_print(_halves(name)[0]) for name in NAMES]
    assert judge.likeness(prints[0], prints[0]) == pytest.approx(1.0)
    assert all(judge.likeness(prints[0], other) < 0.95 for other in prints[1:])
    assert judge.likeness(prints[0], prints[1]) == judge.likeness(prints[1], prints[0])


def test_level_and_pauses_do_not_matter() -> None:
    pcm = clip("en_susan")
    paused = np.concatenate([np.zeros(8000, np.float32), pcm * np.float32(0.5), np.zeros(8000)])
    judge = trained_judge()
    assert judge.likeness(voice_print(paused.astype(np.float32)), voice_print(pcm)) > 0.97


@pytest.mark.parametrize("samples", [400, 3_200, 64_000])
def test_print_has_its_size_and_is_finite_for_speech_of_any_length(samples: int) -> None:
    found = voice_print(clip("en_james")[16_000 : 16_000 + samples])
    assert found.shape == (PRINT_SIZE,)
    assert np.isfinite(found).all()
