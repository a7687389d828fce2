"""Hearing words: the order they are counted in, and that nonsense is not taken for text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.words import common_in_order, keyword_check, recognise, words_of

WORDS = st.lists(st.sampled_from("abc"), max_size=7)


def _longest(wanted: Sequence[str], heard: Sequence[str]) -> int:
    """The definition, tried out in full."""
    if not wanted or not heard:
        return 0
    if wanted[0] == heard[0]:
        return 1 + _longest(wanted[1:], heard[1:])
    return max(_longest(wanted[1:], heard), _longest(wanted, heard[1:]))


pytestmark = pytest.mark.engine


@given(WORDS, WORDS)
def test_count_is_the_longest_common_subsequence(wanted: list[str], heard: list[str]) -> None:
    assert common_in_order(wanted, heard) == _longest(wanted, heard)


def test_marks_and_case_are_no_part_of_words() -> None:
    assert words_of("Don't stop – IT'S fine.") == ["don't", "stop", "it's", "fine"]


def test_typographic_apostrophes_are_apostrophes() -> None:
    assert words_of("don’t") == ["don't"]


def test_silence_holds_no_words() -> None:
    assert recognise(np.zeros(16_000, np.float32)) == ""
    assert keyword_check(np.zeros(16_000, np.float32), "hello there") == 0.0


def test_noise_is_not_taken_for_a_sentence() -> None:
    noise = 0.1 * np.random.default_rng(1).standard_normal(32_000).astype(np.float32)
    assert keyword_check(noise, "the old house stood near a quiet river") < 0.3


def test_text_without_words_cannot_be_listened_for() -> None:
    with pytest.raises(ValueError, match="no words"):
        keyword_check(np.zeros(16_000, np.float32), "… 42 !")
