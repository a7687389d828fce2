"""Which language a text is in: by its script, and for the Latin one by its words.

Small on purpose: it tells apart the languages that speech engines here have, in sentences that
people send. One or two words of a Latin language are often nobody's in particular; then it says so.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from voicepeer.core.speaking.function_words import ENDINGS, LETTERS, WORDS
from voicepeer.core.speaking.romanize import SCRIPTS as ROMANIZED

AUTO = "auto"
"""Asks for the language to be found out."""

_WORD_POINTS, _LETTER_POINTS, _SHARED_LETTER_POINTS, _ENDING_POINTS = 3.0, 3.0, 1.0, 1.0
_SURE = 1.0
"""Points that the best language must have more than the next."""

_FEW_WORDS = 3
"""In so few a word says little that any other language has as well ("Das Boot"), and in fewer a
greeting is no reason to refuse ("Guten Morgen!")."""

_MIN_FOREIGN_WORDS, _MIN_FOREIGN_SHARE, _MAX_OWN_SHARE = 2, 0.15, 1 / 3
"""Words that only a language has which is not spoken, their share of all, and how many words of a
spoken language may be among them, before a text is taken for it: an accent is better than refusal.
"""

_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")

_SCRIPTS = (
    ("CJK", "han"),
    ("HIRAGANA", "kana"),
    ("KATAKANA", "kana"),
    ("HANGUL", "hangul"),
    ("LATIN", "latin"),
    ("DEVANAGARI", "devanagari"),
    ("ARABIC", "arabic"),
    ("CYRILLIC", "cyrillic"),
    ("GREEK", "greek"),
    ("HEBREW", "hebrew"),
    ("THAI", "thai"),
)
_OF_SCRIPT = MappingProxyType(
    {
        "han": "zh",
        "kana": "ja",
        "hangul": "ko",
        "latin": "en",
        "devanagari": "hi",
        "arabic": "ar",
        "cyrillic": "ru",
        "greek": "el",
        "hebrew": "he",
        "thai": "th",
    }
)
"""The language that a script is taken for when nothing else is known."""

_OWN_SCRIPTS = {
    "zh": ("han",),
    "ja": ("han", "kana"),
    "ko": ("hangul", "han"),
    "hi": ("devanagari",),
    "ar": ("arabic",),
    "ur": ("arabic",),
    "fa": ("arabic",),
    "ru": ("cyrillic",),
    "uk": ("cyrillic",),
    "el": ("greek",),
    "he": ("hebrew",),
    "th": ("thai",),
}
_SHORT_RUN = 2
"""So few letters of a script that nobody speaks stay in the sentence: they are symbols."""

_NAMES_LATIN = frozenset(("zh", "ja"))
"""Languages in whose sentences single Latin words, units and addresses are read as their own."""

_LATIN_RUN = re.compile(r"[A-Za-z\u00c0-\u024f][\x20-\x7e\u00a0-\u024f‘’“”–—…]*")
_PROSE = re.compile(r"(?<![^\s(\"“‘])[A-Za-z\u00c0-\u024f'’]+(?=[\s,.;:!?…)\"”’]|$)")
_MIN_PROSE_WORDS = 3

_QUOTED = re.compile(r"[\"“«„‘]([^\"“”«»„‘’]{6,200})[\"”»“’]")
_MIN_QUOTED_WORDS = 2


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch ``text[start:end]`` of one language (a BCP 47 tag, lower case)."""

    start: int
    end: int
    language: str


def script_of(char: str) -> str | None:
    """Name of a letter's script, ``None`` for what all scripts share."""
    if char.isascii():
        return "latin" if char.isalpha() else None
    if not char.isalpha() and unicodedata.category(char) not in ("Mn", "Mc", "Lm"):
        return None
    name = unicodedata.name(char, "")
    return next((script for start, script in _SCRIPTS if name.startswith(start)), None)


def detect(text: str, candidates: Collection[str] = ()) -> str | None:
    """Primary tag of a text's language, such as "fr"; ``None`` where it cannot be told.

    ``candidates`` are the languages to be preferred (if none are given, those with ``ENDINGS``): a
    text is only taken for another one where most of it says so.
    """
    counts: dict[str, int] = {}
    for char in text:
        script = script_of(char)
        if script is not None:
            counts[script] = counts.get(script, 0) + (3 if script in ("han", "kana") else 1)
    if not counts:
        return None
    if counts.get("kana", 0) * 10 > sum(counts.values()):
        return "ja"
    script = max(counts, key=counts.__getitem__)
    if script == "latin":
        return _detect_latin(text, candidates)
    language = _OF_SCRIPT[script]
    certain = _is_among(language, candidates) or sum(counts.values()) > _SHORT_RUN
    return language if certain else None


def _is_among(language: str, candidates: Collection[str]) -> bool:
    return not candidates or language in {tag.partition("-")[0] for tag in candidates}


def _detect_latin(text: str, candidates: Collection[str]) -> str | None:
    words = [word.lower().replace("’", "'") for word in _WORDS.findall(text)]
    own = [name for name in ENDINGS if _is_among(name, candidates)]
    among = WORDS if len(words) <= _FEW_WORDS else own
    points = {language: _points(words, text.lower(), language, among) for language in own}
    ranked = sorted(points, key=points.__getitem__, reverse=True)
    foreign, evidence = _most_foreign(words, own)
    if foreign is not None and evidence.is_certain:
        return foreign
    if not ranked or evidence.theirs > sum(word in WORDS[ranked[0]] for word in words):
        return None
    lead = points[ranked[0]] - (points[ranked[1]] if len(ranked) > 1 else 0.0)
    return ranked[0] if lead >= _SURE else None


def _points(words: list[str], lowered: str, language: str, among: Collection[str]) -> float:
    """How much speaks for a language; words that several have say less."""
    points = 0.0
    for word in words:
        if word in WORDS[language]:
            points += _WORD_POINTS / sum(word in WORDS[other] for other in among)
        elif len(word) > 4 and word.endswith(ENDINGS[language]):
            points += _ENDING_POINTS
    only, shared = LETTERS[language]
    points += _LETTER_POINTS * any(letter in lowered for letter in only)
    common = len(set(shared) & set(lowered)) if points or len(words) > 1 else 0
    return points + _SHARED_LETTER_POINTS * common


class _Evidence(NamedTuple):
    """How many words of a text speak for a language, how many for others, of how many."""

    theirs: int = 0
    ours: int = 0
    words: int = 0

    @property
    def is_certain(self) -> bool:
        if self.words < _FEW_WORDS:
            return False
        enough = max(_MIN_FOREIGN_WORDS, _MIN_FOREIGN_SHARE * self.words)
        return self.theirs >= enough and self.ours <= _MAX_OWN_SHARE * self.theirs


def _most_foreign(words: list[str], own: Collection[str]) -> tuple[str | None, _Evidence]:
    """The language that is not among one's own and that most words speak for."""
    spoken = set().union(*(WORDS[one] for one in own))
    letters = set().union(*(LETTERS[one][0] + LETTERS[one][1] for one in own))
    several = {word for word in words if len(word) > 1}
    best = (0, 0)
    found: tuple[str | None, _Evidence] = (None, _Evidence())
    for language in sorted(WORDS.keys() - set(own)):
        known, special = WORDS[language], set("".join(LETTERS[language])) - letters
        familiar = {word for word in several if word in known and word not in spoken}
        theirs = familiar | {word for word in several if not special.isdisjoint(word)}
        if (len(theirs), len(familiar)) > best:
            best = (len(theirs), len(familiar))
            ours = sum(word in spoken and word not in known for word in words)
            found = (language, _Evidence(len(theirs), ours, len(words)))
    return found


def supported_tag(language: str, supported: Collection[str]) -> str | None:
    """The tag among ``supported`` that fits a language: itself, or one of another region."""
    if language in supported:
        return language
    primary = language.partition("-")[0]
    same = sorted(tag for tag in supported if tag.partition("-")[0] == primary)
    return same[-1] if same else None


def runs(text: str, base: str, supported: Collection[str]) -> list[Run]:
    """A text of language ``base`` cut where another language is written in it.

    Another script is another language; so is a quotation whose words tell. Blanks, digits and
    marks go with what is before them. A language that is not ``supported`` keeps its own tag, so
    that whoever speaks can refuse it; but words of a script that ``romanize`` knows are named in
    the sentence they stand in.
    """
    tags = _tags_by_script(text, base, supported)
    for match in _QUOTED.finditer(text):
        _tag_quotation(tags, match, base, supported)
    return list(_joined(tags, base))


def _tags_by_script(text: str, base: str, supported: Collection[str]) -> list[str | None]:
    own = _OWN_SCRIPTS.get(base.partition("-")[0], ("latin",))
    scripts = [script_of(char) for char in text]
    japanese = _near_kana(scripts)
    tags: list[str | None] = []
    for at, script in enumerate(scripts):
        if script is None or script in own:
            tags.append(None if script is None else base)
            continue
        language = "ja" if script == "han" and at in japanese else _OF_SCRIPT[script]
        tags.append(supported_tag(language, supported) or language)
    _keep_symbols(tags, base, supported)
    _keep_named(tags, scripts, base, supported)
    if base.partition("-")[0] in _NAMES_LATIN:
        _keep_names(tags, text, base)
    return tags


def _keep_names(tags: list[str | None], text: str, base: str) -> None:
    """Give Latin words back to the sentence they stand in, unless they are one themselves."""
    for match in _LATIN_RUN.finditer(text):
        if len(_PROSE.findall(match.group())) < _MIN_PROSE_WORDS:
            start, end = match.span()
            tags[start:end] = [tag and base for tag in tags[start:end]]


def _near_kana(scripts: Sequence[str | None]) -> set[int]:
    """Places of ideographs that stand together with kana, with no other letters between."""
    found: set[int] = set()
    stretch: list[int] = []
    for at, script in enumerate([*scripts, "latin"]):
        if script in ("han", "kana"):
            stretch.append(at)
        elif script is not None:
            if any(scripts[place] == "kana" for place in stretch):
                found.update(stretch)
            stretch = []
    return found


def _keep_symbols(tags: list[str | None], base: str, supported: Collection[str]) -> None:
    """Give short runs of what nobody speaks back to the sentence they stand in."""
    start = 0
    for at in range(1, len(tags) + 1):
        if at < len(tags) and tags[at] == tags[start]:
            continue
        tag = tags[start]
        if tag not in (None, base) and tag not in supported and at - start <= _SHORT_RUN:
            tags[start:at] = [base] * (at - start)
        start = at


def _keep_named(
    tags: list[str | None], scripts: Sequence[str | None], base: str, supported: Collection[str]
) -> None:
    """Give words that can be romanized back to a sentence a third of whose letters are its own."""
    foreign = [
        at
        for at, tag in enumerate(tags)
        if tag not in (None, base) and tag not in supported and scripts[at] in ROMANIZED
    ]
    if len(foreign) <= 2 * sum(tag == base for tag in tags):
        for at in foreign:
            tags[at] = base


def _tag_quotation(
    tags: list[str | None], match: re.Match[str], base: str, supported: Collection[str]
) -> None:
    start, end = match.span(1)
    if {tag for tag in tags[start:end] if tag is not None} != {base}:
        return
    names = base.partition("-")[0] in _NAMES_LATIN
    least = _MIN_QUOTED_WORDS + (_MIN_PROSE_WORDS - 1 if names else 0)
    if len(_WORDS.findall(match.group(1))) < least:
        return
    language = detect(match.group(1), supported)
    tag = supported_tag(language, supported) if language else None
    if tag is not None and language != base.partition("-")[0]:
        tags[start:end] = [tag] * (end - start)
        tags[end] = base


def _joined(tags: list[str | None], base: str) -> Iterable[Run]:
    filled: list[str] = []
    first = next((tag for tag in tags if tag is not None), base)
    for tag in tags:
        filled.append(tag or (filled[-1] if filled else first))
    start = 0
    for at in range(1, len(filled) + 1):
        if at == len(filled) or filled[at] != filled[start]:
            yield Run(start, at, filled[start])
            start = at
