"""What is said in Chinese and Japanese, and where it was written."""

from __future__ import annotations

import pytest

from voicepeer.core.speaking.normalize import normalize
from voicepeer.core.speaking.reading import Reader

pytestmark = pytest.mark.unit

SUPPORTED = frozenset({"en-us", "ja", "zh"})


def written(text: str, language: str, said: str) -> str:
    spoken = normalize(text, language)
    at = spoken.text.index(said)
    start, end = spoken.source_span(at, at + len(said))
    return text[start:end]


@pytest.mark.parametrize(
    ("text", "language", "said", "place"),
    [
        ("他付了$3.5M给我", "zh", "三百五十万美元", "$3.5M"),
        ("他付了$3.5M给我", "zh", "给我", "给我"),
        ("😊今天**50%**打折", "zh", "百分之五十", "50%"),
        ("１２３元", "zh", "一百二十三", "１２３"),
        ("今日は3月3日です", "ja", "三月", "3月"),
        ("今日は3月3日です", "ja", "です", "です"),
        ("ｶﾞｯｺｳへ", "ja", "ガッコウ", "ｶﾞｯｺｳ"),
        ("90kmを走る", "ja", "走る", "走る"),
    ],
)
def test_words_point_at_what_was_written(text: str, language: str, said: str, place: str) -> None:
    assert written(text, language, said) == place


@pytest.mark.parametrize(
    ("text", "language", "said"),
    [
        ("你好，世界！", "zh", "你好，世界！"),
        ("他说：“走吧……”——好。", "zh", "他说：“走吧……”——好。"),
        ("「はい」『いいえ』（笑）", "ja", "「はい」『いいえ』(笑)"),
    ],
)
def test_pauses_are_kept(text: str, language: str, said: str) -> None:
    assert normalize(text, language).text == said


def test_units_and_addresses_are_of_the_sentence_and_english_sentences_are_not() -> None:
    reading = Reader("zh", supported=SUPPORTED).read(
        "跑5km，看example.com，说Hello, my dear friend。"
    )
    assert reading.spoken.text == "跑五公里，看 example 点 com，说Hello, my dear friend。"
    (span,) = reading.languages
    assert reading.spoken.text[span.char_start : span.char_end].startswith("Hello")


@pytest.mark.parametrize("language", ["zh", "ja"])
@pytest.mark.parametrize("text", ["", " ", "...", "—", "😊👍", "\u200b", "\ud800", "。", "「」"])
def test_nothing_to_say_is_silent(text: str, language: str) -> None:
    assert normalize(text, language).is_silent
