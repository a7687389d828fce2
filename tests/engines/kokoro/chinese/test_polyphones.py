"""Characters of several readings in sentences: the tables are in ``polyphones*.txt``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pypinyin import Style, lazy_pinyin

from engines.kokoro.chinese import reader
from engines.kokoro.chinese.polyphones import readings

pytestmark = pytest.mark.unit

TABLES = sorted(Path(__file__).parent.glob("polyphones*.txt"))
_MARKED = re.compile(r"(.)(?:\[([a-z]+[1-5])\])?")


def sentences() -> list[tuple[str, dict[int, str]]]:
    """Texts, and by offset the readings of some of their characters."""
    found: list[tuple[str, dict[int, str]]] = []
    for table in TABLES:
        for line in table.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                marked = _MARKED.findall(line)
                text = "".join(char for char, _ in marked)
                found.append((text, {at: said for at, (_, said) in enumerate(marked) if said}))
    return found


@pytest.mark.parametrize(("text", "expected"), sentences())
def test_is_read(text: str, expected: dict[int, str]) -> None:
    said: dict[int, str] = {}
    for clause in re.finditer(r"[\u4e00-\u9fff]+", text):
        words = [token.text for token in reader.split(clause.group())]
        for at, pinyin in enumerate(reader.pinyin_of(words)):
            said[clause.start() + at] = pinyin
    assert {at: said[at] for at in expected} == expected


def test_there_are_enough_sentences() -> None:
    assert len(sentences()) >= 120
    assert sum(len(expected) for _, expected in sentences()) >= 200


def test_a_rule_sees_both_sides() -> None:
    assert dict(readings("他长大了"))[1].pinyin == "zhang3"
    assert dict(readings("路很长"))[2].pinyin == "chang2"
    assert dict(readings("一行人")) == {}
    assert dict(readings("")) == {}


def test_a_firm_rule_corrects_a_word_of_the_list() -> None:
    assert dict(readings("掉色了"))[1].firm
    assert not dict(readings("路很长"))[2].firm


@pytest.mark.parametrize(
    "word", "增长 成长 若干 干净 音调 弹药 得力 分子 当天 心切 种种 直截了当 颠三倒四".split()
)
def test_a_rule_never_changes_a_word_that_is_known_as_a_whole(word: str) -> None:
    expected = lazy_pinyin(word, style=Style.TONE3, neutral_tone_with_five=True)
    assert reader.pinyin_of([word]) == expected
