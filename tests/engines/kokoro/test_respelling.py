"""Homographs that are told apart by the words of their clause."""

from __future__ import annotations

import pytest

from engines.kokoro.french import homographs as french
from engines.kokoro.italian.homographs import HOMOGRAPHS as ITALIAN
from engines.kokoro.portuguese.homographs import HOMOGRAPHS as PORTUGUESE
from engines.kokoro.respelling import Homograph, Homographs, clause_after, clause_before
from engines.kokoro.tokens import tokenize

pytestmark = pytest.mark.unit

SAW = Homographs(
    (
        Homograph("saw", "SEEN", before="i|we", unless="what we"),
        Homograph("saw", "TOOL", after="blade|is"),
    )
)


def respelled(homographs: Homographs, text: str) -> str:
    return "".join(token.text for token in homographs.respell(tokenize(text)))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I saw it", "I SEEN it"),
        ("the saw blade", "the TOOL blade"),
        ("the saw", "the saw"),
        ("what we saw", "what we saw"),
        ("if I, saw", "if I, saw"),
        ("ski saw", "ski saw"),
        ("saw blades", "saw blades"),
        ("I  Saw  it", "I  SEEN  it"),
    ],
)
def test_neighbours_decide(text: str, said: str) -> None:
    assert respelled(SAW, text) == said


def test_the_first_rule_that_fits_is_applied() -> None:
    assert respelled(SAW, "we saw is") == "we SEEN is"


def test_only_the_part_behind_an_apostrophe_changes() -> None:
    assert respelled(ITALIAN, "l'ancora, dell'ancora") == "l'àncora, dell'àncora"


def test_places_stay() -> None:
    tokens = tokenize("Eu não jogo bola.")
    changed = PORTUGUESE.respell(tokens)
    assert [(token.start, token.end) for token in changed] == [(t.start, t.end) for t in tokens]
    assert changed[4].text == "jógo"


def test_a_clause_ends_at_a_mark() -> None:
    tokens = tokenize("one, two three four. five")
    lower = [token.text for token in tokens]
    assert clause_before(tokens, lower, lower.index("four")) == "two three"
    assert clause_after(tokens, lower, lower.index("two")) == "three four"


def test_the_words_before_are_the_nearest() -> None:
    tokens = tokenize("a b c d e f g h")
    lower = [token.text for token in tokens]
    assert clause_before(tokens, lower, len(tokens) - 1) == "b c d e f g"
    assert clause_after(tokens, lower, 0) == "b c d e"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("les hommes content", "les hommes conte"),
        ("un homme content", "un homme content"),
        ("les poules du couvent couvent", "les poules du couvent couve"),
        ("les gens parlent souvent", "les gens parle souvent"),
        ("les amis de Vincent", "les amis de Vincent"),
        ("deux cents, trois cent", "deux cents, trois cent"),
        ("très content", "très content"),
        ("nous portions des portions", "nous portyons des portions"),
        ("entre nous portions", "entre nous portions"),
        ("je n'en veux plus", "je n'en veux plus"),
        ("j'en veux plus", "j'en veux plusse"),
    ],
)
def test_french_verbs_by_their_subject(text: str, said: str) -> None:
    assert "".join(token.text for token in french.respell(tokenize(text))) == said
