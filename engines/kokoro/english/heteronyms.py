"""Chooses among the readings of a word that the lexicon, or this file, has several of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
_OWNERS = frozenset(
    "my your his her its our their whose nine two three four five six seven eight ten many several "
    "all both these those the of saved some save".split()
)
_BOWING = frozenset("take takes took taking taken".split())


_METAL_CONTEXT = frozenset(
    "pipe pipes pencil pencils paint roof roofs fuel petrol gasoline unleaded toxic poisonous "
    "poison poisoning metal metals heavy melted molten lined coated contaminated contain contains "
    "contained traces levels battery batteries bullets solder".split()
)
_FISHING = frozenset(
    "caught catch catches catching fish fishing lake river sea pond trout salmon fillet fillets "
    "grilled fried striped largemouth smallmouth ate eat cook cooked fisherman hooked".split()
)
_EYES = frozenset("eye eyes cheek cheeks face".split())
_CLOTH = frozenset(
    "sleeve jacket shirt fabric paper muscle ligament page dress jeans curtain cloth tissue coat "
    "trousers pants sail tent bag seat".split()
)
_DIVING = frozenset("into off headfirst deep under to for down straight right from".split())
_BIRD = frozenset("a the white turtle mourning gray grey single dead this that my her his".split())
_DWELLING = frozenset(
    "in at on near with here there alone by under next abroad nearby upstairs across together "
    "far inside outside".split()
)
_LIVING = frozenset("well long life happily together your each every free simply near with".split())
_SATISFIED = frozenset(
    "am is are was were be been being isn't aren't wasn't i'm he's she's they're we're you're "
    "seem seems seemed feel feels felt look looks looked very quite perfectly not more so "
    "me him her them us remain remained".split()
)
_FRESH = frozenset("fresh organic local farm seasonal".split())
_ALONG = frozenset("through around along up down past between across over".split())


def _tag_of_meaning(word: str, words: Sequence[str], index: int) -> str | None:
    """Part of speech where the neighbours or what the clause is about tell it."""
    before = words[index - 1] if index > 0 else ""
    after = words[index + 1] if index + 1 < len(words) else ""
    about = frozenset(words)
    match word:
        case "tear" if before == "and" and index > 1 and words[index - 2] == "wear":
            return "VERB"
        case "tear" if before == "a" and after in ("in", "on") and not about & _EYES:
            return "VERB"
        case "tear" if after in ("in", "on") and about & _CLOTH:
            return "VERB"
        case "dove" if after in _DIVING and before not in _BIRD:
            return "VERB"
        case "winds" if after in _ALONG and index > 1 and words[index - 2] in ("the", "a", "this"):
            return "VERB"
        case "wind" | "winds" if after in _ALONG and before.endswith("s") and before != "this":
            return "VERB"
        case "lives" if after in _DWELLING and before not in _OWNERS and not before.isdecimal():
            return "VERB"
        case "live" if index == 0 and after in _LIVING:
            return "VERB"
        case "bass":
            return None if about & _FISHING else "ADJ"
        case "content":
            return None if before in _SATISFIED or after in ("with", "to") else "NOUN"
        case "produce" if before in _FRESH:
            return "NOUN"
        case "sow" if before in ("the", "a", "this", "that", "old", "big"):
            return "NOUN"
        case "bow" if after in ("of", "and") and about & {"ship", "boat", "vessel", "stern"}:
            return "VERB"
    return None


def _of_meaning(word: str, words: list[str], index: int, british: bool) -> str | None:
    """Readings that part of speech does not tell apart, from the neighbouring words."""
    after = words[index + 1] if index + 1 < len(words) else ""
    before = words[index - 1] if index > 0 else ""
    two_before = words[index - 2] if index > 1 else ""
    match word:
        case "lead" if after in _METAL or (before in _METALS and after not in ("singer", "time")):
            return "lˈɛd"
        case "lead" if before in ("of", "no", "with", "contain", "contains") and (
            _METAL_CONTEXT & frozenset(words) or (before == "with" and not after)
        ):
            return "lˈɛd"
        case "row" if before in ("a", "blazing") and after in ("about", "over", "with"):
            return "ɹˈW"
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
    meant = _tag_of_meaning(word, words, index)
    if meant is not None and meant in entry:
        return entry[meant]
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
