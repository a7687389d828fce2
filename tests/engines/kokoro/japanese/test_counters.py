"""How numbers sound before what they count: the table is in ``counters.txt``."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.kokoro.japanese import reader

pytestmark = pytest.mark.unit

ROWS = [
    line.split()
    for line in Path(__file__).with_name("counters.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def kana(text: str) -> str:
    return "".join(token.text for token in reader.split(text))


@pytest.mark.parametrize("row", ROWS, ids=[ascii(row[0]) for row in ROWS])
@pytest.mark.parametrize("frame", ["{}", "彼は{}を見た"])
def test_a_number_takes_the_sound_of_its_counter(row: list[str], frame: str) -> None:
    counter, *expected = row
    assert len(expected) == 10
    said = [kana(frame.format(number + counter)) for number in "一二三四五六七八九十"]
    wrong = [
        (found, wanted)
        for found, wanted in zip(said, expected, strict=True)
        if wanted != "-" and not any(one in found for one in wanted.split("|"))
    ]
    assert wrong == []


def test_larger_numbers_end_as_small_ones() -> None:
    assert kana("百匹") == "ヒャッピキ"
    assert kana("十四日") == "ジューヨッカ"
    assert kana("二十一人") == "ニジューイチニン"
    assert kana("三百本") == "サンビャッポン"
