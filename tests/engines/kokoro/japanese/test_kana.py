from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kokoro.japanese.kana import sounds
from engines.kokoro.vocabulary import TOKENS

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("kana", "expected"),
    [
        ("アイウエオ", "aiɯeo"),
        ("カキクケコ", "kakʲikɯkeko"),
        ("サシスセソ", "saɕisɨseso"),
        ("タチツテト", "taʨiʦɨteto"),
        ("ハヒフヘホ", "haçiɸɯheho"),
        ("ザジズゼゾ", "ʣaʥizɨʣeʣo"),
        ("キャキュキョ", "kʲakʲɨkʲo"),
        ("シャシュショ", "ɕaɕɨɕo"),
        ("ニャニュニョ", "ɲaɲɨɲo"),
        ("ファフィフェフォ", "ɸaɸʲiɸeɸo"),
        ("ティディトゥドゥ", "tʲidʲitɯdɯ"),
        ("シェジェチェ", "ɕeʥeʨe"),
        ("ウィウェウォ", "βiβeβo"),
        ("ヴァヴィヴ", "vavʲivɯ"),
        ("クァ", "kᵝa"),
        ("ツァ", "ʦa"),
        ("デュエット", "dʲɨeʔto"),
        ("トーキョー", "toːkʲoː"),
        ("ガッコー", "ɡaʔkoː"),
        ("ァ", "a"),
        ("アァ", "aa"),
        ("", ""),
        ("漢x", ""),
    ],
)
def test_sounds(kana: str, expected: str) -> None:
    assert sounds(kana) == expected


@pytest.mark.parametrize(
    ("kana", "expected"),
    [
        ("サンマ", "samma"),
        ("サンポ", "sampo"),
        ("サンカ", "saŋka"),
        ("サンチ", "saɲʨi"),
        ("サンニ", "saɲɲi"),
        ("サンタ", "santa"),
        ("サンラ", "sanɾa"),
        ("サンサ", "saɴsa"),
        ("サンア", "saɴa"),
        ("サン", "saɴ"),
        ("ンー", "ɴː"),
    ],
)
def test_the_nasal_takes_the_place_of_what_follows(kana: str, expected: str) -> None:
    assert sounds(kana) == expected


@given(st.text(alphabet=st.characters(min_codepoint=0x30A0, max_codepoint=0x30FF), max_size=12))
def test_the_model_knows_every_symbol(kana: str) -> None:
    assert set(sounds(kana)) <= TOKENS.keys()


def test_every_kana_has_a_sound() -> None:
    letters = [chr(code) for code in range(0x30A1, 0x30FB)]
    assert [letter for letter in letters if not sounds(letter)] == []
