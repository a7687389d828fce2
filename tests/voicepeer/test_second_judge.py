"""A judge that looks at the spectrum only: hears who, not what or how loud."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.clips import clip
from voicepeer.core.pcm import Pcm
from voicepeer.second_judge import MIN_SPEAKERS, CepstralJudge, voice_print

pytestmark = pytest.mark.unit

NAMES = ("en_susan", "en_james", "de_Elli", "de_Sonja", "de_Matze", "de_Ralf", "de_marham63")


def _halves(name: str) -> tuple[Pcm, Pcm]:
    pcm = clip(name)
    return pcm[: pcm.size // 2], pcm[pcm.size // 2 :]


def test_halves_of_a_speaker_are_more_alike_than_two_speakers() -> None:
    prints = {name: [voice_print(half) for half in _halves(name)] for name in NAMES}
    judge = CepstralJudge([second for _, second in prints.values()])
    same = [judge.likeness(first, second) for first, second in prints.values()]
    other = [
        judge.likeness(prints[one][0], prints[two][1])
        for one, two in itertools.permutations(NAMES, 2)
    ]
    assert np.mean(same) > np.mean(other) + 0.5


def test_a_voice_is_most_like_itself() -> None:
    prints = [voice_print(_halves(name)[0]) for name in NAMES]
    judge = CepstralJudge(prints)
    assert judge.likeness(prints[0], prints[0]) == pytest.approx(1.0)
    assert all(judge.likeness(prints[0], other) < 0.99 for other in prints[1:])


def test_level_and_pauses_do_not_matter() -> None:
    pcm = clip("en_susan")
    paused = np.concatenate([np.zeros(8000, np.float32), pcm * np.float32(0.5), np.zeros(8000)])
    np.testing.assert_allclose(voice_print(paused.astype(np.float32)), voice_print(pcm), atol=1.5)


def test_print_is_forty_numbers() -> None:
    assert voice_print(clip("en_james")).shape == (40,)


def test_too_few_speakers_are_refused() -> None:
    prints = [voice_print(clip("en_james"))] * (MIN_SPEAKERS - 1)
    with pytest.raises(ValueError, match="speakers"):
        CepstralJudge(prints)
