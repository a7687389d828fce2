"""Words that a user wants said in their own way: by another spelling, or in IPA."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking.ipa import stranger

MAX_ENTRIES = 1_000
MAX_WORD_CHARS = 64
MAX_SAID_CHARS = 256

_WIDE = "\u0e00-\u0eff\u2e80-\ud7ff\uff66-\uff9f\U00020000-\U0003ffff"
"""Of scripts that have no blanks between words, or glue endings to them (Hangul)."""

_MARKS = (
    "\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u200d"
)
"""Signs that belong to the letter before: what they follow or begin is inside a word."""

_HAN_DIGITS = "〇零一二三四五六七八九十百千万萬亿億两兩"

_IPA = re.compile(r"/(.*)/", re.DOTALL)
_WIDE_CHAR = re.compile(f"[{_WIDE}]")


_PLURAL = re.compile(r"(?<=[A-Z])s\b")
_SIBILANT = re.compile("[szʃʒʧʤ]$")
_VOICELESS = re.compile("[ptkfθ]$")


@dataclass(frozen=True, slots=True)
class Entry:
    """How a word is said: ``spelling`` is read like other text, ``ipa`` is sound by sound."""

    spelling: str | None = None
    ipa: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """``text[start:end]`` is a word of the lexicon."""

    start: int
    end: int
    entry: Entry


class Lexicon:
    """Words and how they are said.

    A word in small letters is found in any case, one with capitals only as it stands. Longer
    entries come before shorter ones, and an entry may have several words. Words are found whole:
    not inside another word, a number or an address, but before the "s" of "SQLs"; where a script
    has no blanks between words, anywhere.
    """

    def __init__(self, entries: Mapping[str, Entry] | None = None) -> None:
        self.entries: Mapping[str, Entry] = dict(entries or {})
        self._pattern = _pattern(self.entries)

    @classmethod
    def read(cls, words: Mapping[str, str]) -> Lexicon:
        """A lexicon from words and what is said for them: ``/ˈeɪdə/`` is IPA, else a spelling.

        Raises:
            TextRejected: names the entry that is empty, too long or not IPA between slashes, or
                there are too many.
        """
        if len(words) > MAX_ENTRIES:
            raise TextRejected(f"a lexicon may have {MAX_ENTRIES} entries, this has {len(words)}")
        return cls({_key(word): _entry(word, said) for word, said in words.items()})

    def over(self, other: Lexicon) -> Lexicon:
        """Both together; where both have a word, this one counts."""
        if not other.entries or not self.entries:
            return self if self.entries else other
        return Lexicon({**other.entries, **self.entries})

    def find(self, text: str) -> Iterator[Found]:
        """The words of the lexicon in a text, in order."""
        if self._pattern is None:
            return
        for match in self._pattern.finditer(text):
            word = _key(match.group())
            entry = self.entries.get(word) or self.entries.get(word.lower())
            if entry is not None:
                yield _found(match, entry)


def _found(match: re.Match[str], entry: Entry) -> Found:
    """A word of the lexicon; sounds take the "s" of a plural in, letters have it beside them."""
    start, end = match.span()
    if entry.ipa is None or not _PLURAL.match(match.string, end):
        return Found(start, end, entry)
    ending = "ɪz" if _SIBILANT.search(entry.ipa) else "s" if _VOICELESS.search(entry.ipa) else "z"
    return Found(start, end + 1, Entry(ipa=entry.ipa + ending))


def is_wide(char: str) -> bool:
    """Whether a character is of a script without blanks between words."""
    return _WIDE_CHAR.match(char) is not None


def _key(word: str) -> str:
    """One spelling of words that differ in blanks, apostrophes or composed letters only."""
    return unicodedata.normalize("NFC", " ".join(word.split()).replace("’", "'"))


def _entry(word: str, said: str) -> Entry:
    if not word.strip() or len(word) > MAX_WORD_CHARS:
        raise TextRejected(
            f"a word of a lexicon has 1 to {MAX_WORD_CHARS} characters: {word[:MAX_WORD_CHARS]!r}"
        )
    ipa = _IPA.fullmatch(said.strip())
    body = (ipa.group(1) if ipa else said).strip()
    if not body or len(body) > MAX_SAID_CHARS:
        raise TextRejected(f"what is said for {word!r} must have 1 to {MAX_SAID_CHARS} characters")
    if ipa and (wrong := stranger(body)):
        raise TextRejected(
            f"what is said for {word!r} has {wrong!r}, which is no symbol of the IPA: without the "
            "slashes it is a spelling"
        )
    return Entry(ipa=body) if ipa else Entry(spelling=body)


def _pattern(entries: Mapping[str, Entry]) -> re.Pattern[str] | None:
    if not entries:
        return None
    longest_first = sorted(entries, key=lambda word: (-len(word), word))
    alternatives = "|".join(_alternative(word) for word in longest_first)
    return re.compile(alternatives)


def _alternative(word: str) -> str:
    forms = {unicodedata.normalize(form, word) for form in ("NFC", "NFD")}
    bodies = (r"\s+".join(re.escape(part) for part in form.split()) for form in sorted(forms))
    body = "|".join(bodies).replace("'", "['’]")
    body = f"(?i:{body})" if word == word.lower() else f"(?:{body})"
    return _not_after(word[0]) + body + _not_before(word[-1])


def _not_after(first: str) -> str:
    """What an entry that begins with a character may not stand behind."""
    if first in _HAN_DIGITS:
        return f"(?<![{_HAN_DIGITS}])"
    if not first.isalnum() or is_wide(first):
        return ""
    inside = r"(?<!\d[.,:/])" if first.isdecimal() else r"(?<!\w[.@_])"
    return rf"(?<![^\W{_WIDE}])(?<![{_MARKS}]){inside}"


def _not_before(last: str) -> str:
    """What an entry that ends with a character may not stand before."""
    if last in _HAN_DIGITS:
        return f"(?![{_HAN_DIGITS}])"
    if is_wide(last):
        return f"(?![{_MARKS}])"
    if not last.isalnum() and not re.match(f"[{_MARKS}]", last):
        return ""
    inside = r"(?![.,:/]\d)" if last.isdecimal() else r"(?![.@_]\w)"
    plural = f"(?={_PLURAL.pattern})|" if last.isalpha() else ""
    return rf"(?:{plural}(?![^\W{_WIDE}])(?![{_MARKS}])){inside}"
