"""Words that a user wants said in their own way: by another spelling, or in IPA."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from voicepeer.core.errors import TextRejected

MAX_ENTRIES = 1_000
MAX_WORD_CHARS = 64
MAX_SAID_CHARS = 256

_IPA = re.compile(r"/(.+)/", re.DOTALL)


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
    entries come before shorter ones, and an entry may have several words.
    """

    def __init__(self, entries: Mapping[str, Entry] | None = None) -> None:
        self.entries: Mapping[str, Entry] = dict(entries or {})
        self._pattern = _pattern(self.entries)

    @classmethod
    def read(cls, words: Mapping[str, str]) -> Lexicon:
        """A lexicon from words and what is said for them: ``/ˈeɪdə/`` is IPA, else a spelling.

        Raises:
            TextRejected: names the entry that is empty or too long, or there are too many.
        """
        if len(words) > MAX_ENTRIES:
            raise TextRejected(f"a lexicon may have {MAX_ENTRIES} entries, this has {len(words)}")
        return cls({" ".join(word.split()): _entry(word, said) for word, said in words.items()})

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
            word = " ".join(match.group().split())
            entry = self.entries.get(word) or self.entries.get(word.lower())
            if entry is not None:
                yield Found(match.start(), match.end(), entry)


def _entry(word: str, said: str) -> Entry:
    if not word.strip() or len(word) > MAX_WORD_CHARS:
        raise TextRejected(
            f"a word of a lexicon has 1 to {MAX_WORD_CHARS} characters: {word[:MAX_WORD_CHARS]!r}"
        )
    ipa = _IPA.fullmatch(said.strip())
    body = (ipa.group(1) if ipa else said).strip()
    if not body or len(body) > MAX_SAID_CHARS:
        raise TextRejected(f"what is said for {word!r} must have 1 to {MAX_SAID_CHARS} characters")
    return Entry(ipa=body) if ipa else Entry(spelling=body)


def _pattern(entries: Mapping[str, Entry]) -> re.Pattern[str] | None:
    if not entries:
        return None
    longest_first = sorted(entries, key=lambda word: (-len(word), word))
    alternatives = "|".join(_alternative(word) for word in longest_first)
    return re.compile(alternatives)


def _alternative(word: str) -> str:
    body = r"\s+".join(re.escape(part) for part in word.split())
    if word == word.lower():
        body = f"(?i:{body})"
    before = r"(?<!\w)" if word[0].isalnum() else ""
    after = r"(?!\w)" if word[-1].isalnum() else ""
    return before + body + after
