"""Words with several readings in sentences: the tables are in ``readings*.txt``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engines.kokoro.japanese import reader
from engines.kokoro.japanese.homographs import reading

pytestmark = pytest.mark.unit

TABLES = sorted(Path(__file__).parent.glob("readings*.txt"))
_MARKED = re.compile(r"\{([^|{}]+)\|([^{}]+)\}")


def sentences() -> list[tuple[str, list[tuple[int, int, str]]]]:
    """Texts, and where in them words are whose kana are known."""
    found: list[tuple[str, list[tuple[int, int, str]]]] = []
    for table in TABLES:
        for line in table.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                found.append(_parsed(line))
    return found


def _parsed(line: str) -> tuple[str, list[tuple[int, int, str]]]:
    text, done, words = "", 0, []
    for match in _MARKED.finditer(line):
        text += line[done : match.start()]
        words.append((len(text), len(text) + len(match[1]), match[2]))
        text += match[1]
        done = match.end()
    return text + line[done:], words


@pytest.mark.parametrize(("text", "expected"), sentences())
def test_is_read(text: str, expected: list[tuple[int, int, str]]) -> None:
    tokens = reader.split(text)
    for start, end, kana in expected:
        said = "".join(token.text for token in tokens if token.start < end and token.end > start)
        assert kana in said


def test_there_are_enough_sentences() -> None:
    assert len(sentences()) >= 140


def test_a_rule_sees_both_sides() -> None:
    assert reading("鹿の角は", 2, 3) == "ツノ"
    assert reading("次の角は", 2, 3) is None
    assert reading("猫", 0, 1) is None
