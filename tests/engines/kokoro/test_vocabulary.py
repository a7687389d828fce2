"""Phoneme symbols and token numbers."""

from __future__ import annotations

import pytest

from engines.kokoro.vocabulary import MAX_TOKENS, PAD, TOKENS, to_tokens

pytestmark = pytest.mark.unit


def test_has_as_many_symbols_as_the_published_vocabulary() -> None:
    assert len(TOKENS) == 114
    assert set(";:,.!?—…“” ˈˌː") < set(TOKENS)


def test_numbers_are_distinct_and_in_the_embedding() -> None:
    assert len(set(TOKENS.values())) == len(TOKENS)
    assert all(0 < number < 178 for number in TOKENS.values())


@pytest.mark.parametrize(("symbol", "number"), [(";", 1), (" ", 16), ("ə", 83), ("ˈ", 156)])
def test_some_numbers_of_the_published_vocabulary(symbol: str, number: int) -> None:
    assert TOKENS[symbol] == number


def test_pads_at_both_ends() -> None:
    assert to_tokens("ab") == [PAD, TOKENS["a"], TOKENS["b"], PAD]
    assert len(to_tokens("a" * MAX_TOKENS)) == 512


def test_an_unknown_symbol_is_named() -> None:
    with pytest.raises(KeyError, match="☃"):
        to_tokens("a☃")
