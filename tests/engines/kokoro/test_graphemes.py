from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kokoro.endings import Endings
from engines.kokoro.graphemes import Graphemes, Rule

pytestmark = pytest.mark.unit

RULES = Graphemes((Rule("ch", "S"), Rule("c(?=e)", "s"), Rule("s", "z", "a|e"), ("[a-z]", "x")))


def read(word: str) -> str:
    return "".join(sound.text for sound in RULES.read(word))


@pytest.mark.parametrize(
    ("word", "sounds"),
    [("ch", "S"), ("ce", "sx"), ("ca", "xx"), ("as", "xz"), ("os", "xx"), ("é", ""), ("", "")],
)
def test_the_first_rule_that_fits_is_applied(word: str, sounds: str) -> None:
    assert read(word) == sounds


def test_sounds_know_their_place() -> None:
    assert [sound.place for sound in RULES.read("chéas")] == [0, 3, 4]


@given(st.text(max_size=20))
def test_any_word_is_read_to_its_end(word: str) -> None:
    places = [sound.place for sound in RULES.read(word)]
    assert places == sorted(set(places))
    assert all(0 <= place < len(word) for place in places)


@pytest.mark.parametrize(
    ("word", "answer"),
    [("nation", "long"), ("passion", "short"), ("ion", "whole"), ("", None), ("xyz", None)],
)
def test_the_longest_ending_decides(word: str, answer: str | None) -> None:
    endings = Endings({"short": "ion n", "long": ["tion"], "whole": "#ion"})
    assert endings.find(word) == answer
