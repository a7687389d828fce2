from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.chinese import numerals as chinese
from voicepeer.core.speaking.japanese import numerals as japanese

pytestmark = pytest.mark.unit

_VALUES = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_PLACES = {"十": 10, "百": 100, "千": 1000}


def value(said: str, ten_thousands: str) -> int:
    """What a number in characters is worth; written apart from what is tested."""
    total = group = digit = 0
    for char in said:
        if char in _VALUES:
            digit = _VALUES[char]
        elif char in _PLACES:
            group += (digit or 1) * _PLACES[char]
            digit = 0
        else:
            power = 4 * (ten_thousands.index(char) + 1)
            total += (group + digit) * 10**power
            group = digit = 0
    return total + group + digit


@given(st.integers(1, 10**12 - 1))
def test_a_number_in_chinese_is_worth_what_it_was(number: int) -> None:
    assert value(chinese.cardinal(number), "万亿") == number


@given(st.integers(1, 10**16 - 1))
def test_a_number_in_japanese_is_worth_what_it_was(number: int) -> None:
    assert value(japanese.cardinal(number), "万億兆") == number


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "零"),
        (2, "二"),
        (10, "十"),
        (12, "十二"),
        (101, "一百零一"),
        (110, "一百一十"),
        (200, "二百"),
        (1001, "一千零一"),
        (1010, "一千零一十"),
        (2000, "两千"),
        (2222, "两千二百二十二"),
        (10_001, "一万零一"),
        (20_000, "两万"),
        (100_000, "十万"),
        (120_000, "十二万"),
        (1_000_000, "一百万"),
        (1_000_010, "一百万零一十"),
        (100_000_000, "一亿"),
        (200_000_000, "两亿"),
        (1_002_000_000, "十亿零二百万"),
    ],
)
def test_chinese(number: int, said: str) -> None:
    assert chinese.cardinal(number) == said


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "ゼロ"),
        (1, "一"),
        (10, "十"),
        (100, "百"),
        (1_000, "千"),
        (1_111, "千百十一"),
        (10_000, "一万"),
        (10_000_000, "一千万"),
        (11_000_000, "一千百万"),
        (100_000_001, "一億一"),
    ],
)
def test_japanese(number: int, said: str) -> None:
    assert japanese.cardinal(number) == said


def test_digits_one_by_one() -> None:
    assert chinese.digits("2013") == "二零一三"
    assert chinese.phone_digits("110") == "幺幺零"
    assert japanese.digits("090") == "ゼロ キュー ゼロ"
    assert japanese.decimals("105") == "一零五"
    assert chinese.digits("") == japanese.digits("") == ""
