"""Written text to its spoken form: what is silent goes, what is short is said in full."""

from __future__ import annotations

import re
from collections.abc import Callable

from voicepeer.core.speaking import characters, markup
from voicepeer.core.speaking.chinese import reading as chinese
from voicepeer.core.speaking.english import reading as english
from voicepeer.core.speaking.french import reading as french
from voicepeer.core.speaking.han import faces
from voicepeer.core.speaking.han import numerals as han
from voicepeer.core.speaking.hindi import reading as hindi
from voicepeer.core.speaking.italian import reading as italian
from voicepeer.core.speaking.japanese import reading as japanese
from voicepeer.core.speaking.portuguese import reading as portuguese
from voicepeer.core.speaking.romanize import romanize
from voicepeer.core.speaking.spanish import reading as spanish
from voicepeer.core.speaking.spoken import Draft, Spoken

_READERS: dict[str, Callable[[Draft], None]] = {
    "es": spanish.read,
    "fr": french.read,
    "hi": hindi.read,
    "it": italian.read,
    "ja": japanese.read,
    "pt": portuguese.read,
    "zh": chinese.read,
}
"""By primary language; English is apart because its regions differ."""

_WITH_OTHER_LETTERS = frozenset("be bg el kk ko ky mk mn ru sr tg uk".split())
"""Languages that are written in letters which others can only name."""

_PERCENT_OF_A_RANGE = re.compile(r"(?<=\d)\s?%(?=\s?[-–—]\s?\d[\d.,]*\s?%)")
"""What is said once: "10%-20%"."""

_CODE_DIGITS = 25
"""So many are read one by one, in every language."""

_ENDLESS = re.compile(r"\d{1,3}(?:(?:[.,'，]\d{2,3}){8,}|(?: \d{3}){20,})(?=\D|$)")
"""No amount: digits in more groups than any language has names of thousands."""

_LINE_ENDS = re.compile(r"(?<=[.!?…,;:。！？；：，、।])\n")
_LINES = re.compile(r"\n")
_BLANKS = re.compile(r"\s{2,}")
_BLANK_BEFORE_MARK = re.compile(r"\s+(?=[,.;:!?…)\]](?:\s|$))")
_REPEATED_MARKS = re.compile(r",(?:\s*,)+")


def _ungrouped(match: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", match.group())
    # Below this it is an amount after all, or a list of a few numbers.
    return digits if len(digits) >= _CODE_DIGITS else match.group()


def normalize(text: str, language: str) -> Spoken:
    """Spoken form of a text in a language (BCP 47 tag, such as "en-us").

    Any string is legal and nothing is raised; an empty result means that there is nothing to
    say. Languages without rules of their own get what is common to all: invisible characters,
    emoji and markup are silent.
    """
    draft = Draft(text)
    draft.rewrite(_ENDLESS, _ungrouped)
    primary, _, region = language.lower().partition("-")
    if primary in ("ja", "zh"):
        faces.strip(draft)
        han.read(draft)
    characters.clean(draft)
    markup.strip(draft)
    if primary not in ("ja", "zh"):
        draft.rewrite(_PERCENT_OF_A_RANGE, "")
    if primary == "en":
        english.read(draft, british=region == "gb")
    elif primary in _READERS:
        _READERS[primary](draft)
    if primary not in _WITH_OTHER_LETTERS:
        romanize(draft)
    draft.rewrite(_LINE_ENDS, " ")
    draft.rewrite(_LINES, ", ")
    draft.rewrite(_BLANKS, " ")
    draft.rewrite(_BLANK_BEFORE_MARK, "")
    draft.rewrite(_REPEATED_MARKS, ",")
    return draft.spoken()
