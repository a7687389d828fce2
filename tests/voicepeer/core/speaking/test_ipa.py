"""Which characters a pronunciation may have."""

from __future__ import annotations

import pytest

from voicepeer.core.speaking.ipa import stranger

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "ipa",
    [
        "ˈeɪdə", "/təˈmɑːtoʊ/", "[ʒɔ̃]", "ʈʂʰɑ̂ŋ˥˩", "ɲu.ɾi", "t͡ʃa", "ˈɡɪt, ˈhʌb".replace(",", ""),
        "'eid@".replace("@", "ə"), "ɕiŋ²".replace("²", "˧˥"), "ǃkuŋ", "mᵻn ç ø æ œ β θ χ",
    ],
)  # fmt: skip
def test_symbols_of_the_alphabet_are_known(ipa: str) -> None:
    assert stranger(ipa) is None


@pytest.mark.parametrize(
    ("ipa", "char"),
    [("K9", "K"), ("eɪ4", "4"), ("你好", "你"), ("aé{", "{"), ("☃", "☃"), ("a@b", "@"), ("Ɛ", "Ɛ")],
)
def test_the_first_other_character_is_told(ipa: str, char: str) -> None:
    assert stranger(ipa) == char
