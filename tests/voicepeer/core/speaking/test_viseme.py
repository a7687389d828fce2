from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import PhoneMark
from engines.kokoro.ipa import to_ipa
from engines.kokoro.vocabulary import TOKENS
from voicepeer.core.speaking.viseme import SILENCE, VISEMES, shifted, viseme_of

pytestmark = pytest.mark.unit

NOT_SOUNDS = set("ꭧ")


@pytest.mark.parametrize(
    ("ipa", "viseme"),
    [("p", "PP"), ("m", "PP"), ("f", "FF"), ("ð", "TH"), ("t", "DD"), ("ŋ", "kk"), ("tʃ", "CH"),
     ("z", "SS"), ("n", "nn"), ("ɹ", "RR"), ("ɑː", "aa"), ("ɛ̃", "E"), ("eɪ", "E"), ("i", "ih"),
     ("oʊ", "oh"), ("uː", "ou"), ("w", "ou"), ("ˈa", "aa"), ("", "sil"), ("5", "sil")],
)  # fmt: skip
def test_mouth_shapes(ipa: str, viseme: str) -> None:
    assert viseme_of(ipa) == viseme


def test_there_are_fifteen() -> None:
    assert len(VISEMES) == len(set(VISEMES)) == 15


@pytest.mark.parametrize("symbol", sorted(set(TOKENS) - NOT_SOUNDS))
def test_every_sound_of_the_engine_has_a_shape(symbol: str) -> None:
    sound = to_ipa(symbol)
    assert (viseme_of(sound) == SILENCE) == (sound == "")


@given(st.text(max_size=6))
def test_any_string_has_a_shape(text: str) -> None:
    assert viseme_of(text) in VISEMES


def test_a_sound_can_be_moved_in_time() -> None:
    assert shifted(PhoneMark("a", 10.0, 30.0), 100.0) == PhoneMark("a", 110.0, 130.0)
