"""Ranges, results and years in general; single ones are in ``readings``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.chinese.numerals import cardinal, digits
from voicepeer.core.speaking.normalize import normalize

pytestmark = pytest.mark.unit

DASHES = st.sampled_from("-–—~～〜")
ZH_UNITS = ["万", "亿", "元", "岁", "天", "人", "页", "个", "分钟", "公里", "%", "℃", "km", "kg"]
JA_UNITS = ["万", "億", "円", "歳", "日", "人", "ページ", "個", "分", "時間", "%", "℃", "km", "kg"]
NUMBERS = st.integers(1, 99)


def said(text: str, language: str) -> str:
    return normalize(text, language).text


@given(NUMBERS, NUMBERS, DASHES, st.sampled_from(ZH_UNITS), st.booleans())
def test_a_counted_range_is_no_difference_in_chinese(
    first: int, last: int, dash: str, unit: str, both: bool
) -> None:
    text = said(f"有{first}{unit if both else ''}{dash}{first + last}{unit}。", "zh")
    assert "到" in text
    assert "负" not in text
    assert "零下" not in text
    assert not set(text) & set("-–—~～〜")


@given(NUMBERS, NUMBERS, DASHES, st.sampled_from(JA_UNITS), st.booleans())
def test_a_counted_range_is_no_difference_in_japanese(
    first: int, last: int, dash: str, unit: str, both: bool
) -> None:
    text = said(f"これは{first}{unit if both else ''}{dash}{first + last}{unit}です。", "ja")
    assert "から" in text
    assert "マイナス" not in text
    assert not set(text) & set("-–—~～〜")


@given(st.integers(1001, 2099).filter(lambda year: year % 100 > 0))
def test_years_of_a_calendar_are_read_digit_by_digit(year: int) -> None:
    assert said(f"在{year}年出生", "zh") == f"在{digits(str(year))}年出生"


@given(st.integers(1, 999))
def test_years_before_our_era_are_numbers(year: int) -> None:
    assert said(f"公元前{year}年", "zh") == f"公元前{cardinal(year)}年"


@given(st.integers(0, 199), st.integers(0, 199), st.sampled_from("-–"))
def test_a_result_is_told_by_the_word_behind_it(first: int, last: int, dash: str) -> None:
    assert "比" in said(f"主队{first}{dash}{last}战胜客队", "zh")
    assert "対" in said(f"{first}{dash}{last}で勝った", "ja")
