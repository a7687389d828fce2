from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.kokoro.tokens import is_spoken_mark, tokenize
from engines.kokoro.vocabulary import TOKENS

pytestmark = pytest.mark.unit


def cut(text: str) -> list[str]:
    return [token.text for token in tokenize(text) if token.kind != "space"]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("one two", ["one", "two"]),
        ("don't", ["don't"]),
        ("don’t", ["don't"]),
        ("'em", ["'em"]),
        ("well-known", ["well-known"]),
        ("non‑breaking", ["non-breaking"]),
        ("a1b", ["a", "1", "b"]),
        ("snake_case", ["snake", "_", "case"]),
        ("one—two", ["one", "—", "two"]),
        ("one -- two", ["one", "—", "two"]),
        ("one - two", ["one", "—", "two"]),
        ("wait...", ["wait", "…"]),
        ('"a"', ["“", "a", "”"]),
        ("cafe\u0301", ["café"]),
        ("你好。", ["你好", "."]),
    ],
)
def test_words_and_marks(text: str, tokens: list[str]) -> None:
    assert cut(text) == tokens


@pytest.mark.parametrize("text", ["a 😊 b", "x ¿ y", "\u200b", "\ud800"])
def test_what_has_no_reading_is_no_spoken_mark(text: str) -> None:
    odd = [token for token in tokenize(text) if token.kind == "mark"]
    assert odd
    assert not any(is_spoken_mark(token) for token in odd)


@given(st.text(max_size=40))
def test_tokens_cover_the_text_in_order(text: str) -> None:
    tokens = tokenize(text)
    assert "".join(text[token.start : token.end] for token in tokens) == text
    assert all(token.text in TOKENS for token in tokens if is_spoken_mark(token))
