from __future__ import annotations

import pytest

from engines.api import ModelFilesMissing
from engines.kokoro.english import lexicon
from engines.kokoro.english.inflection import add_ed, add_ing, add_s, stems
from engines.kokoro.english.pronounce import Pronouncer, default_of, plain

pytestmark = pytest.mark.unit


@pytest.fixture(scope="module")
def american() -> Pronouncer:
    return Pronouncer(lexicon.load("us"))


@pytest.fixture(scope="module")
def british() -> Pronouncer:
    return Pronouncer(lexicon.load("gb"))


@pytest.mark.parametrize(
    ("stem", "expected"), [("kˈæt", "kˈæts"), ("dˈɔɡ", "dˈɔɡz"), ("bˈɑks", "bˈɑksᵻz")]
)
def test_s_sounds_as_what_is_before_it(stem: str, expected: str) -> None:
    assert add_s(stem, british=False) == expected


@pytest.mark.parametrize(
    ("stem", "american_past", "british_past"),
    [
        ("wˈɔk", "wˈɔkt", "wˈɔkt"),
        ("plˈA", "plˈAd", "plˈAd"),
        ("nˈid", "nˈidᵻd", "nˈidɪd"),
        ("wˈAt", "wˈAɾᵻd", "wˈAtɪd"),
        ("lˈɪft", "lˈɪftᵻd", "lˈɪftɪd"),
    ],
)
def test_ed_sounds_as_what_is_before_it(stem: str, american_past: str, british_past: str) -> None:
    assert add_ed(stem, british=False) == american_past
    assert add_ed(stem, british=True) == british_past


def test_ing_flaps_in_american_and_links_r_in_british() -> None:
    assert add_ing("wˈAt", british=False) == "wˈAɾɪŋ"
    assert add_ing("wˈAt", british=True) == "wˈAtɪŋ"
    assert add_ing("stˈɑː", british=True) == "stˈɑːɹɪŋ"


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("cats", "cat"),
        ("cities", "city"),
        ("boxes", "box"),
        ("boss's", "boss"),
        ("tried", "try"),
        ("stopped", "stop"),
        ("used", "use"),
        ("making", "make"),
        ("running", "run"),
        ("mimicking", "mimic"),
    ],
)
def test_stems_are_found(word: str, stem: str) -> None:
    assert stem in [found.word for found in stems(word)]


@pytest.mark.parametrize("word", ["s", "is", "ed", "ing", "ring", "", "'s", "glass", "cat"])
def test_words_without_an_ending_have_no_stems(word: str) -> None:
    assert list(stems(word)) == []


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("googled", "ɡˈuɡᵊld"),
        ("vlogs", "vlˈɑɡz"),
        ("tweeting", "twˈiɾɪŋ"),
        ("APIs", "ˌApˌiˈIz"),
        ("URL's", "jˌuˌɑɹˈɛlz"),
        ("GitHub", "ɡˈɪthˌʌb"),
        ("Github", "ɡˈɪthˌʌb"),
        ("YOUTUBE", "jˈutˌub"),
        ("LLM", "ˌɛlˌɛlˈɛm"),
        ("llms", "ˌɛlˌɛlˈɛmz"),
        ("xkcd", "ˌɛkskˌAsˌidˈi"),
        ("ChatGPT", "ʧˈæt ʤˌipˌitˈi"),
        ("ReadMe", "ɹˈidmi"),
        ("unsubscribable", None),
        ("hyperloop", "hˈIpəllˌup"),
        ("catlike", "kˈætlˌIk"),
        ("treehouse", "tɹˈihˌWs"),
        ("naïve", "nɑˈiv"),
        ("Müller", "mˈʌləɹ"),
    ],
)
def test_words_that_are_in_no_lexicon(
    american: Pronouncer, word: str, expected: str | None
) -> None:
    said = american.known_or_unknown(word)
    assert said == expected if expected is not None else len(said) > 8


def test_every_letter_has_a_name(american: Pronouncer, british: Pronouncer) -> None:
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    assert all(american.spell(letter) and british.spell(letter) for letter in letters)
    assert american.spell("Z") == "zˈi"
    assert british.spell("Z") == "zˈɛd"


def test_a_reading_that_is_spelled_has_no_default_sound() -> None:
    assert default_of({"DEFAULT": None}) == ""


def test_accents_come_off_for_the_lexicon() -> None:
    assert plain("résumé naïve") == "resume naive"


@pytest.mark.parametrize("word", ["résumé", "Résumé", "résumés"])
def test_an_accent_may_make_another_word(
    word: str, american: Pronouncer, british: Pronouncer
) -> None:
    for variety in (american, british):
        assert variety.known_or_unknown(word).startswith("ɹˈɛz")
        assert variety.known_or_unknown(plain(word)) != variety.known_or_unknown(word)


def test_a_lexicon_that_is_not_installed_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    lexicon.load.cache_clear()
    try:
        with pytest.raises(ModelFilesMissing, match=r"voicepeer\[kokoro\]"):
            lexicon.load("us")
    finally:
        lexicon.load.cache_clear()
