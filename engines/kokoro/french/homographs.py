"""French words of one spelling and several sounds, told apart by what stands beside them."""

from __future__ import annotations

import re
from dataclasses import replace

from engines.kokoro.respelling import Homograph, Homographs, clause_before
from engines.kokoro.tokens import Token

_PLURAL = "les|des|ces|mes|tes|ses|nos|vos|leurs|plusieurs|quelques|ceux|celles|certain(?:e?s)"
_NUMBERS = (
    "zéro|un|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|"
    "vingt|trente|quarante|cinquante|soixante|cent|mille"
)
_NEGATED = r"(?:ne|n'\S+|non|ni|jamais|pas)(?: \S+)*"
_SUBJECTS = "il|elle|on|ce|qui|ne|tu|je|que|nous|vous"
_TABLE = Homographs(
    (
        Homograph("plus", "plusse", before=_NUMBERS, after=_NUMBERS),
        Homograph("plus", "plusse", after="$", unless=_NEGATED),
        Homograph("est", "este", before="l'", unless=rf"(?:{_SUBJECTS}) l'"),
        Homograph("est", "este", before="d'", after="en ouest"),
        Homograph("as", "asse", before=rf"un|l'|d'|cet|{_PLURAL}|deux|trois|quatre"),
        Homograph("fils", "fil", after="(?:électrique|métallique|barbelé|conducteur|dentaire)s?"),
        Homograph("fils", "fil", after="à coudre|de (?:fer|soie|laine|coton|cuivre|nylon|pêche)"),
        Homograph("vis", "visse", before=rf"{_PLURAL}|une|la|de|cette|deux|trois|quatre"),
        Homograph("os", "ôs", before=rf"{_PLURAL}|d'|deux|en"),
        Homograph("ferment", "fermant", before="le|un|du|au|ce|de", unless="(?:ils|elles|qui) le"),
        Homograph("neuf", "neuve", after="heures|ans|hommes|autres"),
        Homograph("fier", "fié", before="se|me|te|nous|vous|s'y"),
        Homograph("sens", "sent", before="je|tu|me|te|ne"),
    )
)
_NO_VERB = frozenset("souvent comment cent pourcent vent argent lent urgent récent absent".split())
_SINGULAR_BEFORE = re.compile(
    r"(?:très|plus|moins|pas|dans|sans|sous|vers|chez|jamais|toujours|alors|puis|depuis|près|après|"
    r"mais|fois|suis|hors|deux|trois|dix|six)$"
)
_SUBJECT = re.compile(
    rf"(?:^|\s)(?:{_PLURAL}|deux|trois|quatre|dix)(?: \S+)*? "
    r"(?:\S+[sxz]|(?:du|de la|de|au|en|d'un|d'une) [^\W\d_]+|qui|se|ne|leur|lui|me|te|y)$"
)
_WE = re.compile(r"(?:^|et |que |si |quand |où |mais )nous(?: ne)?$")


def respell(tokens: list[Token]) -> list[Token]:
    """The tokens, with homographs spelled as what they sound like."""
    lower = [token.text.lower() for token in tokens]
    verbs = [
        replace(token, text=_as_verb(tokens, lower, index) or token.text)
        if token.kind == "word" and lower[index].endswith(("ent", "tions"))
        else token
        for index, token in enumerate(tokens)
    ]
    return _TABLE.respell(verbs)


def _as_verb(tokens: list[Token], lower: list[str], index: int) -> str | None:
    """Spelling of a word that is the verb of a plural, such as "content" of "les enfants"."""
    word = lower[index]
    if not tokens[index].text.isalpha() or tokens[index].text[0].isupper():
        return None
    before = clause_before(tokens, lower, index)
    if word.endswith("tions"):  # "nous portions" has the t that "les portions" has not
        return f"{word[:-5]}tyons" if _WE.search(before) else None
    if word in _NO_VERB or word.endswith(("ment", "ient")) or _SINGULAR_BEFORE.search(before):
        return None
    return f"{word[:-3]}e" if _SUBJECT.search(before) else None
