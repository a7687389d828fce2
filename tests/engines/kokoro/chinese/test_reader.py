from __future__ import annotations

import importlib

import pytest

from engines.api import ModelFilesMissing
from engines.kokoro.chinese import reader
from engines.kokoro.phonemes import phonemize

pytestmark = pytest.mark.unit


def words(text: str) -> list[str]:
    return [text[word.char_start : word.char_end] for word in phonemize(text, "zh").words]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("我爱北京天安门。", "我 爱 北京 天安门"),
        ("请打开WiFi，好吗？", "请 打开 WiFi 好 吗"),
        ("今天是二零二六年。", "今天 是 二零二六 年"),
        ("「你好」他说。", "你好 他 说"),
        ("约翰·史密斯", "约翰 史密斯"),
        ("𠮷野家很好吃", "野家 很 好吃"),
    ],
)
def test_words_point_at_their_characters(text: str, cut: str) -> None:
    assert words(text) == cut.split()


def test_marks_have_blanks_beside_them_as_in_english() -> None:
    assert phonemize("你，我。他！（她）", "zh").symbols == "ni↓, wo↓. tʰa→! (tʰa→)"


def test_a_word_is_read_as_in_its_clause_and_not_as_in_the_next() -> None:
    assert phonemize("我很好", "zh").symbols == "wo↓ xə↗n xau↓"
    assert phonemize("我很，好", "zh").symbols == "wo↗ xə↓n, xau↓"


def test_digits_and_symbols_that_are_left_are_read_one_by_one() -> None:
    assert phonemize("3", "zh").symbols == phonemize("三", "zh").symbols
    assert phonemize("50%", "zh").symbols == "u↓li↗ŋ pai↓fə→nxau↘"


def test_characters_without_a_reading_are_passed_over() -> None:
    assert phonemize("\U0003134a", "zh").symbols == ""
    assert words("好\U0003134a好") == ["好", "好"]


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("謝謝，再見", "谢谢，再见"),
        ("銀行行長說這樣行得通，重慶很長。", "银行行长说这样行得通，重庆很长。"),
        ("請還給我，他覺得很好。", "请还给我，他觉得很好。"),
        ("乾隆皇帝乾杯", "乾隆皇帝干杯"),
    ],
)
def test_traditional_characters_are_read_like_simplified_ones(
    traditional: str, simplified: str
) -> None:
    assert phonemize(traditional, "zh") == phonemize(simplified, "zh")
    assert words("頭髮很長") == ["頭髮", "很長"]


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, package: str | None = None) -> object:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    reader._libraries.cache_clear()
    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(ModelFilesMissing, match=r"rjieba.*voicepeer\[zh\]"):
        phonemize("你好", "zh")
    assert phonemize("hello", "en-us").symbols
