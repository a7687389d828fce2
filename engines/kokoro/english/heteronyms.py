"""Chooses among the readings of a word that the lexicon, or this file, has several of."""

from __future__ import annotations

from collections.abc import Mapping

from engines.kokoro.english.grammar import Clause

_FAMILY = {"VBD": ("VBD", "VERB"), "VBN": ("VBN", "ADJ"), "ADJ": ("ADJ",)}
"""Which entries serve for a tag, best first; after "be" a word is a participle or an adjective."""

_ATTRIBUTIVE = frozenset(
    "use content import increase produce permit refuse abuse digest discharge transplant upgrade "
    "transform reprint rerun retake".split()
)
"""Nouns that stand before other nouns with their own stress: "the import tax"."""

_METAL = frozenset(
    "pipe pipes paint poisoning acid battery batteries weight weights bullet bullets crystal "
    "glass shot sheet solder ore mine mines pencil".split()
)
_METALS = frozenset("iron zinc copper tin silver gold mercury steel of".split())
_BOWING = frozenset("take takes took taking taken".split())


def _of_meaning(word: str, words: list[str], index: int, british: bool) -> str | None:
    """Readings that part of speech does not tell apart, from the neighbouring words."""
    after = words[index + 1] if index + 1 < len(words) else ""
    before = words[index - 1] if index > 0 else ""
    two_before = words[index - 2] if index > 1 else ""
    match word:
        case "lead" if after in _METAL or (before in _METALS and after not in ("singer", "time")):
            return "lˈɛd"
        case "lead" if index == 0 and after in ("is", "was", "has", "melts", "contains"):
            return "lˈɛd"
        case "bowed":
            return "bˈWd"
        case "bowing":
            return "bˈWɪŋ"
        case "bow" if before == "a" and two_before in _BOWING:
            return "bˈW"
        case "minute" if after in ("hand", "hands", "mark", "walk", "drive", "ride", "break"):
            return "mˈɪnɪt" if british else "mˈɪnət"
        case "polish" if index == 0 and after in ("the", "a", "your", "my", "it", "this", "that"):
            return "pˈɒlɪʃ" if british else "pˈɑlɪʃ"
        case "tears" if before in ("in", "into", "of", "with", "her", "his", "my"):
            return "tˈɪəz" if british else "tˈɪɹz"
        case "bass" if after in ("guitar", "player", "line", "drum", "clef", "voice", "solo"):
            return "bˈAs"
        case "number" if before in ("feel", "felt", "feels", "got", "even"):
            return "nˈʌmə" if british else "nˈʌməɹ"
        case "sewer" if before in ("skilled", "careful", "expert"):
            return "sˈQə" if british else "sˈOəɹ"
    return None


def choose(
    word: str, entry: Mapping[str, str | None], words: list[str], index: int, final: bool
) -> str | None:
    """Pick the phonemes of an entry for its place in the clause; None means: spell it."""
    if final and "None" in entry:
        return entry["None"]
    clause = Clause(words)
    if word == "that":
        return entry["DT"] if clause.is_demonstrative(index) else entry["DEFAULT"]
    if word == "used":
        follows = words[index + 1] if index + 1 < len(words) else ""
        return entry["VBD"] if follows == "to" else entry["DEFAULT"]
    tag = clause.tag(index)
    for name in _FAMILY.get(tag, (tag,)):
        if name in entry:
            return entry[name]
    if tag == "VBN" and "VERB" in entry and "NOUN" not in entry and word.endswith("ed"):
        return entry["VERB"]
    if tag == "ADJ" and "NOUN" in entry and word in _ATTRIBUTIVE and index + 1 < len(words):
        return entry["NOUN"]
    return entry["DEFAULT"]


def by_meaning(word: str, words: list[str], index: int, british: bool) -> str | None:
    """Phonemes where the neighbours decide, such as "lead pipe"; None where they do not."""
    return _of_meaning(word, words, index, british)
