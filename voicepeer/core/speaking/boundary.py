"""Where a text may be cut: how strong the boundary between two of its characters is."""

from __future__ import annotations

import enum
import unicodedata

from voicepeer.core.speaking import abbreviation
from voicepeer.core.speaking.abbreviation import OPENERS

NEWLINES = frozenset("\n\r\v\f\x85\u2028\u2029")
_UNBREAKABLE = frozenset("\u00a0\u2007\u202f")
CLOSERS = frozenset("\"'”’»›)]}*_`~」』）】》〉")
WIDE_SENTENCE_ENDS = frozenset("。！？｡．।॥۔؟።፧፨։။។៕།༎᠃᠉܀܁܂߹꓿꘎꘏꛳꛷꡶꡷꣎꣏꩝꩞꩟꫰꫱꯫‼⁇⁈⁉⸮")
"""Ends of sentences that need no blank after them: of CJK, Indic, Arabic, Ethiopic, Armenian,
Burmese, Khmer, Tibetan and other scripts (Unicode's Sentence_Terminal, UAX #44)."""

WIDE_CLAUSE_ENDS = frozenset("，、；：،؛､፣፤፥፦၊៖༔᠂᠈՝")
_SENTENCE_ENDS = frozenset("!?") | WIDE_SENTENCE_ENDS
_CLAUSE_ENDS = frozenset(",;:") | WIDE_CLAUSE_ENDS
_DASHES = frozenset("-–—")
_BULLETS = frozenset("-*•‣▪◦·#>")

_GLUING = frozenset(
    "a an the of to in on at by for with from and or as than de la el los las un una di il lo del "
    "my your his her its our their this that these those is are was were be no not".split()
)
_LINKING = frozenset(
    "and but or so because which that who when while if although though where since until "
    "unless however y pero que porque cuando e ma che perché quando".split()
)

_PARTICLES = frozenset("了吗呢吧")
_WIDE_LINKS = frozenset("但而因所如虽并且或和在把被让从对为就也都")
_BEFORE_WIDE_NUMBER = frozenset("第约約每近")


class Strength(enum.IntEnum):
    """How well a text can be cut at a place."""

    NONE = 0
    """Not here: what is left and right belongs together."""
    WORD = 1
    CLAUSE = 2
    SENTENCE = 3


def is_blank(char: str) -> bool:
    """Whether a character is a space that a line may be broken at."""
    return char.isspace() and char not in _UNBREAKABLE


def weight(char: str) -> int:
    """How long a character takes to say, in letters: a syllable of a wide script counts three."""
    return 3 if is_wide(char) else 1


def is_wide(char: str) -> bool:
    """Whether the script is written without blanks (CJK, kana, Hangul, Thai and the like)."""
    return "\u0e00" <= char <= "\u0eff" or "\u2e80" <= char <= "\ud7ff" or char >= "\U00020000"


def joins_previous(char: str) -> bool:
    """Whether a character modifies the one before: combining, joiner, selector, low surrogate."""
    return (
        unicodedata.combining(char) != 0
        or unicodedata.category(char) in ("Mn", "Me", "Mc")
        or char in "\u200d\ufe0e\ufe0f"
        or "\udc00" <= char <= "\udfff"
        or "\U0001f3fb" <= char <= "\U0001f3ff"
    )


def is_separable(before: str, after: str) -> bool:
    """Whether two characters are not parts of one visible character."""
    joined = before == "\u200d" or "\ud800" <= before <= "\udbff"
    return not joined and not joins_previous(after)


def is_address(token: str) -> bool:
    """Whether a token is a web address, which is read as one thing however long it is."""
    return "://" in token or token.lower().lstrip(OPENERS).startswith("www.")


def is_list_marker(token: str) -> bool:
    """Whether the first token of a line numbers it: "1.", "2)", "b."."""
    body = token[:-1].lstrip("(")
    return token[-1:] in (".", ")") and (
        (body.isdecimal() and len(body) <= 3) or (len(body) == 1 and body.isalpha())
    )


def before_blank(token: str, blank: str) -> Strength | None:
    """Strength of the gap after a token once a blank has come; None while the next matters."""
    if blank in NEWLINES:
        return None
    bare = token.rstrip("".join(CLOSERS))
    closed = bare != token
    if bare[-1:] in _SENTENCE_ENDS and not closed:
        return Strength.SENTENCE
    if bare.endswith(".") and not closed and abbreviation.is_plain_word(bare):
        return Strength.SENTENCE
    if bare[-1:] in _CLAUSE_ENDS and not bare[-2:-1].isdigit():
        return Strength.CLAUSE
    return None


def across(token: str, gap: str, following: str, starts_line: bool) -> Strength | None:
    """Strength of the gap between a token and the next one, of which ``following`` is known.

    None while more of the next word is needed: "the U.S. Navy", but "in the U.S. He left."
    """
    lines = sum(char in NEWLINES for char in gap.replace("\r\n", "\n"))
    if starts_line and (is_list_marker(token) or token in _BULLETS):
        return Strength.NONE
    if lines > 1:
        return Strength.SENTENCE
    if lines == 1 and not following[0].islower():
        return Strength.SENTENCE
    return _inside_line(token, following)


def _inside_line(token: str, following: str) -> Strength | None:
    bare = token.rstrip("".join(CLOSERS))
    last = bare[-1:]
    if last in _SENTENCE_ENDS and bare == token:
        return Strength.SENTENCE
    if last in _SENTENCE_ENDS or last == "…" or bare.endswith(".."):
        return Strength.CLAUSE if following[0].islower() else Strength.SENTENCE
    if last == ".":
        return _after_period(bare, following)
    if last in _CLAUSE_ENDS:
        both = bare[-2:-1].isdigit() and following[0].isdigit()
        return Strength.NONE if both else Strength.CLAUSE
    if token in _DASHES:
        return Strength.CLAUSE
    if last.isdigit() or following[0].isdigit() or last in "$€£¥₹#№+":
        return Strength.NONE
    return Strength.WORD


def _after_period(written: str, following: str) -> Strength | None:
    ends = abbreviation.ends_sentence(written, following)
    if ends is None:
        return None
    if ends:
        return Strength.SENTENCE
    joined = abbreviation.goes_on(written) or not following[0].islower()
    return Strength.NONE if joined else Strength.WORD


def without_blank(before: str, following: str) -> Strength:
    """Strength between a token so far and a character that follows it without a blank."""
    if before[-1] in CLOSERS and is_wide(following):
        before = before.rstrip("".join(CLOSERS)) or before
    mark = before[-1]
    if following in CLOSERS or following in _SENTENCE_ENDS or following in _CLAUSE_ENDS:
        return Strength.NONE
    if mark in WIDE_SENTENCE_ENDS or (mark in "!?" and is_wide(following)):
        return Strength.SENTENCE
    if mark in WIDE_CLAUSE_ENDS or (mark == "…" and is_wide(following)):
        return Strength.CLAUSE
    return Strength.NONE


def is_complete(token: str, gap: bool) -> bool:
    """Whether a token that nothing followed for a while can be taken for finished.

    A number, an address or an abbreviation may go on, even across the blank of a ``gap``.
    """
    bare = token.rstrip("".join(CLOSERS))
    if bare[-1:] in WIDE_SENTENCE_ENDS or bare[-1:] in "!?":
        return True
    body = bare.rstrip(".,;:")
    if gap:
        return not (_may_go_on(bare) or body[-1:].isdigit() or body[-1:] in "$€£¥₹#№+")
    inner = any(char.isdigit() for char in body) or any(char in "@/.\\" for char in body)
    return not (inner or _may_go_on(bare) or body[-1:] in "$€£¥₹#№+-")


def _may_go_on(token: str) -> bool:
    return token.endswith(".") and abbreviation.may_go_on(token)


def joint_quality(before: str, after: str) -> int:
    """How well a script without blanks can be cut between two characters; 0 is not at all.

    Best behind a particle; well where Japanese goes over from endings to the next stem, or before a
    Chinese link; else between two characters, but in no number, Latin word or run of kana.
    """
    if not is_wide(before) or not after.isalnum() or not before.isalpha() or joins_previous(after):
        return 0
    if after.isdecimal() or before in _BEFORE_WIDE_NUMBER:
        return 0
    if before in _PARTICLES:
        return 3
    if _is_kana(before):
        return 2 if "\u3041" <= before <= "\u309f" and not _is_kana(after) else 0
    if _is_kana(after):
        return 0
    return 2 if after in _WIDE_LINKS else 1


def _is_kana(char: str) -> bool:
    return "\u3041" <= char <= "\u30ff"


def word_quality(before: str, after: str) -> int:
    """How well speech can pause between two words: 2 before a link, 0 after an article."""
    if before.lower().lstrip(OPENERS) in _GLUING:
        return 0
    return 2 if after.lower() in _LINKING else 1
