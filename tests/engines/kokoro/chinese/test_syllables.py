from __future__ import annotations

import pytest
from pypinyin import Style, lazy_pinyin
from pypinyin.constants import PINYIN_DICT

from engines.kokoro.chinese.syllables import sounds
from engines.kokoro.vocabulary import TOKENS

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("pinyin", "expected"),
    [
        ("ma1", "ma→"), ("ma2", "ma↗"), ("ma3", "ma↓"), ("ma4", "ma↘"), ("ma5", "ma"),
        ("zhi1", "ꭧɨ→"), ("zi3", "ʦɨ↓"), ("ri4", "ɻɨ↘"), ("ji1", "ʨi→"), ("er4", "ɚ↘"),
        ("yi1", "i→"), ("ya1", "ja→"), ("you3", "jou↓"), ("yu2", "y↗"), ("yue4", "ɥe↘"),
        ("yuan2", "ɥɛ↗n"), ("yun2", "y↗n"), ("ying1", "i→ŋ"), ("yong4", "jʊ↘ŋ"), ("yan2", "jɛ↗n"),
        ("wu3", "u↓"), ("wo3", "wo↓"), ("wei4", "wei↘"), ("wen2", "wə↗n"), ("weng1", "wə→ŋ"),
        ("ju1", "ʨy→"), ("quan2", "ʨʰɥɛ↗n"), ("xun4", "ɕy↘n"), ("lv4", "ly↘"), ("lve4", "lɥe↘"),
        ("nue4", "nɥe↘"), ("liu2", "ljou↗"), ("gui4", "kwei↘"), ("lun2", "lwə↗n"), ("bo1", "pwo→"),
        ("o2", "ɔ↗"), ("yo1", "jɔ→"), ("n2", "n↗"), ("hng5", "hŋ"), ("zhuang1", "ꭧwa→ŋ"),
    ],
)  # fmt: skip
def test_sounds(pinyin: str, expected: str) -> None:
    assert sounds(pinyin) == expected


@pytest.mark.parametrize("wrong", ["", "1", "ma", "ma6", "xyz1", "bla2", "你3", "a"])
def test_what_is_no_syllable_has_no_sounds(wrong: str) -> None:
    assert sounds(wrong) == ""


def test_the_model_knows_every_syllable_that_characters_have() -> None:
    syllables = {
        syllable
        for code in PINYIN_DICT
        for syllable in lazy_pinyin(chr(code), style=Style.TONE3, neutral_tone_with_five=True)
        if syllable[-1:] in "12345"
    }
    assert len(syllables) > 1_300
    silent = {syllable for syllable in syllables if not sounds(syllable)}
    assert silent <= {"wong4"}  # one Cantonese character
    assert {symbol for syllable in syllables for symbol in sounds(syllable)} <= TOKENS.keys()
