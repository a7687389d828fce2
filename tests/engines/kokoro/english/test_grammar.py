from __future__ import annotations

import pytest

from engines.kokoro.english import lexicon
from engines.kokoro.english.grammar import Clause
from engines.kokoro.english.heteronyms import by_meaning, choose
from engines.kokoro.vocabulary import TOKENS

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("clause", "tag"),
    [
        ("to *record* it", "VERB"),
        ("we will *record* it", "VERB"),
        ("we will not ever *record* it", "VERB"),
        ("did you *record* it", "VERB"),
        ("*record* the song", "VERB"),
        ("please *record* this", "VERB"),
        ("and *record* it", "VERB"),
        ("we have *read* it", "VBN"),
        ("we have already *read* it", "VBN"),
        ("it was *read*", "VBN"),
        ("it is very *close*", "ADJ"),
        ("they are too *close*", "ADJ"),
        ("she *read* it", "VBD"),
        ("we *read* it yesterday", "VBD"),
        ("we *read* it daily", "VERB"),
        ("the *record*", "NOUN"),
        ("my new *record*", "NOUN"),
        ("two *records* of it", "NOUN"),
        ("a *minute* detail", "ADJ"),
        ("in *use*", "NOUN"),
        ("dogs *desert* the house", "VERB"),
        ("*use* of force", "NOUN"),
        ("*records*", ""),
    ],
)
def test_tags(clause: str, tag: str) -> None:
    words = [word.strip("*") for word in clause.split()]
    index = next(i for i, word in enumerate(clause.split()) if word.startswith("*"))
    assert Clause(words).tag(index) == tag


@pytest.mark.parametrize(
    ("clause", "index", "points"),
    [("that is it", 0, True), ("know that", 1, True), ("of that dog", 1, True),
     ("said that he came", 1, False), ("so that the dog", 1, False)],
)  # fmt: skip
def test_that_points_or_joins(clause: str, index: int, points: bool) -> None:
    assert Clause(clause.split()).is_demonstrative(index) is points


def test_a_final_word_stands_in_full_form() -> None:
    entry = {"DEFAULT": "kæn", "None": "kˈæn"}
    assert choose("can", entry, ["i", "can"], 1, final=True) == "kˈæn"
    assert choose("can", entry, ["can", "i"], 0, final=False) == "kæn"


def test_meaning_decides_only_where_it_is_known() -> None:
    assert by_meaning("lead", ["lead", "pipe"], 0, british=False) == "lˈɛd"
    assert by_meaning("lead", ["lead", "us"], 0, british=False) is None


@pytest.mark.parametrize("variety", ["us", "gb"])
def test_every_reading_of_every_heteronym_can_be_chosen(variety: lexicon.Variety) -> None:
    places = [
        "it is * .",
        "to *",
        "the * of it",
        "he * it",
        "they have * it",
        "very *",
        "a * thing",
    ]
    for word, entry in lexicon.load(variety).gold.items():
        if not isinstance(entry, dict):
            continue
        for place in places:
            words = place.replace("*", word.lower()).split()
            said = choose(word.lower(), entry, words, words.index(word.lower()), final=False)
            assert said is None or set(said) <= TOKENS.keys()


@pytest.mark.parametrize("variety", ["us", "gb"])
def test_the_lexicon_finds_words_whatever_their_capitals(variety: lexicon.Variety) -> None:
    words = lexicon.load(variety)
    assert words.find("HELLO") == words.find("hello") == words.find("Hello") is not None
    assert words.find("youtube") == words.find("YouTube") is not None
    assert words.find("qwrtzp") is None
