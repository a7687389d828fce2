from __future__ import annotations

import lzma
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import ModelFilesCorrupt
from engines.kokoro.english import letters, stress
from engines.kokoro.english.lexicon import Variety
from engines.kokoro.english.train_letters import (
    Aligner,
    continued,
    count_rows,
    discount_of,
    distance,
    error_rates,
    estimate,
    is_held_out,
    marked,
    packed,
    pairs,
    phonemes_of,
)
from engines.kokoro.vocabulary import TOKENS

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(("variety", "highest"), [("us", 0.10), ("gb", 0.10)])
def test_held_out_words_are_sounded_out(variety: Variety, highest: float) -> None:
    held_out = [pair for pair in pairs(variety) if is_held_out(pair[0])][::40]
    assert len(held_out) > 80
    _, without_stress, _ = error_rates(letters.load(variety), held_out)
    assert without_stress < highest  # docs/text.md has the figures for all of them


@pytest.mark.parametrize(
    ("word", "expected"),
    [("blick", "blˈɪk"), ("shreen", "ʃɹˈin"), ("zatch", "zˈæʧ"), ("frobe", "fɹˈOb")],
)
def test_invented_words_are_said_as_they_look(word: str, expected: str) -> None:
    assert letters.load("us").pronounce(word) == expected


@pytest.mark.parametrize("word", ["", "123", "éüß", "'", "您好"])
def test_what_has_no_letters_has_no_sound(word: str) -> None:
    assert letters.load("us").pronounce(word) == ""


@settings(max_examples=40, deadline=None)
@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz'é", max_size=20))
def test_any_letters_give_known_symbols_and_at_most_one_primary_stress(word: str) -> None:
    said = letters.load("us").pronounce(word)
    assert set(said) <= TOKENS.keys()
    assert said.count(stress.PRIMARY) == any(symbol in stress.VOWELS for symbol in said)


def test_a_word_takes_milliseconds_and_a_monster_stays_bounded() -> None:
    model = letters.load("us")
    started = time.perf_counter()
    said = model.pronounce("abcdefghij" * 100)
    assert time.perf_counter() - started < 20.0  # 1.5 s on an idle machine
    assert len(said) > 500


@pytest.mark.parametrize(
    "data", [b"", b"not a model", lzma.compress(b"neither"), lzma.compress(b"PK\x03\x04broken")]
)
def test_a_damaged_model_is_named(data: bytes) -> None:
    with pytest.raises(ModelFilesCorrupt, match="reinstall"):
        letters.from_bytes(data)


@pytest.mark.parametrize(
    ("said", "expected"),
    [("kæt", "kˈæt"), ("kˈætˈæ", "kˈætˌæ"), ("kˌæt", "kˈæt"), ("s", "s"), ("", "")],
)
def test_exactly_one_primary_stress(said: str, expected: str) -> None:
    assert letters.one_primary(said) == expected


def test_phonemes_keep_stress_and_length_with_their_vowel() -> None:
    assert phonemes_of("wˈɔːtə") == ("w", "ˈɔː", "t", "ə")


def test_alignment_is_learned_from_words() -> None:
    words = [(w, tuple(w.replace("x", "ks"))) for w in ("box", "fox", "ox", "boss", "sob", "kit")]
    aligner = Aligner()
    for _ in range(3):
        aligner.learn([aligner.align(pair) for pair in words])
    assert aligner.align(("fox", ("f", "o", "k", "s"))) == [("f", "f"), ("o", "o"), ("x", "ks")]


def test_a_model_of_a_toy_language_reads_it_back() -> None:
    graphones = [("", ""), ("a", "a"), ("b", "p"), ("b", "b")]
    # "b" is p at the end of a word and b before a vowel.
    rows = [[3, 1, 2], [3, 1, 3, 1, 2], [1, 2], [3, 1], [1, 3, 1]] * 5
    cost, backoff = estimate(continued(count_rows(rows)))
    model = letters.from_bytes(packed(graphones, cost, backoff))
    assert [model.pronounce(word) for word in ("bab", "baba", "abab")] == ["bˈap", "bˈaba", "ˈabap"]


def test_rows_tell_their_length() -> None:
    assert marked(0, 1) != marked(0, 2)
    assert marked(5 << letters.ID_BITS | 7, 1) == marked(7, 1)


def test_discount_is_a_share_of_one_count() -> None:
    counts = count_rows([[1, 2, 3], [1, 2], [1, 3], [3, 1]])
    assert all(0.0 < discount_of(table) <= 1.0 for table in counts)


@pytest.mark.parametrize(
    ("left", "right", "edits"), [("", "", 0), ("abc", "abc", 0), ("abc", "ac", 1), ("ab", "xy", 2)]
)
def test_edits_are_counted(left: str, right: str, edits: int) -> None:
    assert distance(tuple(left), tuple(right)) == edits
