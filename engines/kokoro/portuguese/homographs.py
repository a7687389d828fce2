"""Portuguese nouns with a closed vowel that are verbs with an open one: "o jogo", "eu jogo"."""

from __future__ import annotations

from collections.abc import Iterator

from engines.kokoro.respelling import Homograph, Homographs

_VERBS = """
almóço jógo coméço chóro govérno acórdo esfórço ólho apóio érro sélo péso gélo namóro tróco tóco
rólo fórro consérto apérto emprégo desprézo desespéro entérro tempéro refórço desgósto retórno
contórno socórro pósto gózo sópro encósto confórto abórto mólho zélo séco
"""
_ADVERBS = "não|já|nunca|sempre|também|só|quase|me|te|se|lhe"
_I = rf"eu(?: (?:{_ADVERBS}|o|a|os|as))*"
_NOT_OF_A_NOUN = r"(?!d[eoa]s?\b|é\b|foi\b|está\b|e\b|para\b|com\b|que\b|era\b|será\b)\S+"
"""What comes after a verb that begins a clause, as no noun does."""


def _plain(word: str) -> str:
    return word.replace("ó", "o").replace("é", "e")


def _verbs() -> Iterator[Homograph]:
    for verb in _VERBS.split():
        yield Homograph(_plain(verb), verb, before=rf"{_I}|{_ADVERBS}")
        yield Homograph(_plain(verb), verb, before="^", after=_NOT_OF_A_NOUN)


HOMOGRAPHS = Homographs(
    (
        *_verbs(),
        Homograph("gosto", "gósto", before=rf"{_I}|{_ADVERBS}"),
        Homograph("gosto", "gósto", before="^|e|mas|que",
                  after="d[eoa]s?|muito|mais|tanto|quando"),
        Homograph("sede", "séde", before="a|na|da|à|nova|sua|nossa|cuja",
                  after=r"d[oa]s?|em|fica|social|própria|foi|é"),
        Homograph("sedes", "sédes"),
        Homograph("colher", "colhér", before="a|uma|da|na|com|cada|meia"),
        Homograph("colher", "colhér", after=r"de (?:sopa|chá|café|pau|sobremesa|madeira|prata)"),
        Homograph("seca", "séca", before="ele|ela|que|se|sol|vento"),
        Homograph("corte", "côrte", before="a|da|na|à",
                  after=r"real|suprema|portuguesa|de (?:justiça|apelação)|inter\w+|eleitoral"),
    )
)  # fmt: skip
