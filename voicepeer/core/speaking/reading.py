"""A piece of text to what is said for it, with everything that may say how: markup, a lexicon, the
languages that are mixed in it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from engines.api import LanguageSpan, Pronunciation
from voicepeer.core.speaking import language as languages
from voicepeer.core.speaking.lexicon import Lexicon, is_wide
from voicepeer.core.speaking.normalize import normalize
from voicepeer.core.speaking.say_as import say_as
from voicepeer.core.speaking.spoken import EMPTY, Spoken, joined, replaced
from voicepeer.core.speaking.ssml import Style

_NAMELESS = "x"
"""Stands for a pronunciation of something that has no letters to be spoken."""


@dataclass(frozen=True, slots=True)
class Note:
    """What markup says of ``text[start:end]`` of an utterance."""

    start: int
    end: int
    style: Style


@dataclass(frozen=True, slots=True)
class Reading:
    """The spoken form of a piece, and what of it is in other languages or given by its sounds."""

    spoken: Spoken = EMPTY
    languages: tuple[LanguageSpan, ...] = ()
    pronunciations: tuple[Pronunciation, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """How the pieces of one utterance are read.

    ``supported`` are the languages of the engine; without them nothing is taken for another
    language than the utterance's.
    """

    language: str
    lexicon: Lexicon = field(default_factory=Lexicon)
    supported: Collection[str] = ()

    def read(self, text: str, start: int = 0, notes: Sequence[Note] = ()) -> Reading:
        """Read a piece that begins at ``start`` of its utterance, which ``notes`` count in.

        No string is refused. Notes are in order and do not overlap.
        """
        return _assembled(text, list(self._parts(text, start, notes)), self.language)

    def _parts(self, text: str, start: int, notes: Sequence[Note]) -> Iterator[_Part]:
        done = 0
        for note in notes:
            low, high = max(done, note.start - start), min(len(text), note.end - start)
            if low >= high:
                continue
            yield from self._plain(text, done, low, self.language)
            language = note.style.language or self.language
            if note.style.says:
                begins = note.start >= start
                yield self._told(text[low:high], low, note.style, language, begins)
            else:
                yield from self._plain(text, low, high, language)
            done = high
        yield from self._plain(text, done, len(text), self.language)

    def _told(self, text: str, at: int, style: Style, language: str, begins: bool) -> _Part:
        """A part that markup tells how to say; what was cut off its end says nothing more."""
        if not begins:
            return _Part(at, at + len(text), language, EMPTY)
        if style.ipa is not None:
            return _sounding(text, at, language, style.ipa)
        written = style.said or ""
        if style.interpretation is not None:
            kind, _, how = style.interpretation.partition(":")
            written = say_as(text, kind, how, language)
        said = normalize(written, language).text
        return _Part(at, at + len(text), language, replaced(said, len(text)))

    def _plain(self, text: str, low: int, high: int, language: str) -> Iterator[_Part]:
        done = low
        for found in self.lexicon.find(text[low:high]):
            start, end = low + found.start, low + found.end
            yield from self._by_language(text[done:start], done, language)
            done = end
            if found.entry.ipa is not None:
                yield _sounding(text[start:end], start, language, found.entry.ipa)
            else:
                said = normalize(found.entry.spelling or "", language).text
                yield _Part(start, end, language, replaced(said, end - start))
        yield from self._by_language(text[done:high], done, language)

    def _by_language(self, text: str, at: int, language: str) -> Iterator[_Part]:
        if not self.supported:
            if text:
                yield _Part(at, at + len(text), language, normalize(text, language))
            return
        for run in languages.runs(text, language, self.supported):
            spoken = normalize(text[run.start : run.end], run.language)
            yield _Part(at + run.start, at + run.end, run.language, spoken)


@dataclass(frozen=True, slots=True)
class _Part:
    start: int
    end: int
    language: str
    spoken: Spoken
    ipa: str | None = None


def _sounding(text: str, at: int, language: str, ipa: str) -> _Part:
    word = "".join(char for char in text if char.isalnum() or char in " '-") or _NAMELESS
    if not any(char.isalpha() for char in word):
        word = _NAMELESS
    return _Part(at, at + len(text), language, replaced(" ".join(word.split()), len(text)), ipa)


def _assembled(text: str, parts: list[_Part], language: str) -> Reading:
    gaps = list(_gaps(text, parts))
    spoken = joined([(part.start, part.spoken) for part in parts], gaps)
    spans: list[LanguageSpan] = []
    told: list[Pronunciation] = []
    at = 0
    for part, gap in zip(parts, gaps, strict=True):
        if not part.spoken.text:
            continue
        begin = at + (gap and at > 0)
        at = begin + len(part.spoken.text)
        if part.language != language and not part.spoken.is_silent:
            spans.append(LanguageSpan(begin, at, part.language))
        if part.ipa is not None:
            told.append(Pronunciation(begin, at, part.ipa))
    return Reading(spoken, tuple(_merged(spans)), tuple(told))


def _gaps(text: str, parts: Sequence[_Part]) -> Iterator[bool]:
    """For each part whether a blank comes before it in what is said."""
    said: _Part | None = None
    for part in parts:
        yield said is not None and bool(part.spoken.text) and _is_apart(text, said, part)
        if part.spoken.text:
            said = part


def _is_apart(text: str, before: _Part, part: _Part) -> bool:
    """Whether two parts are apart: as written, or because what was between them is not heard.

    Between "#" and "sql", "$" and "5" no blank is written, but one is between the words that are
    said for them. Letters side by side are one word ("SQLs"), however many parts it has.
    """
    last, first = before.start + before.spoken.until[-1], part.start + part.spoken.origin[0]
    if last < first and any(map(str.isspace, text[last:first])):
        return True
    outside = text[part.start - 1 : part.start + 1]
    if outside[:1].isspace() or outside[1:].isspace():
        return True
    touching = before.spoken.text[-1], part.spoken.text[0]
    return all(map(_needs_blanks, touching)) and not all(map(str.isalpha, outside))


def _needs_blanks(char: str) -> bool:
    """Whether a character belongs to words that have blanks between them."""
    return (char.isalnum() or unicodedata.category(char)[0] == "M") and not is_wide(char)


def _merged(spans: list[LanguageSpan]) -> Iterator[LanguageSpan]:
    """Neighbours of one language as one span."""
    waiting: LanguageSpan | None = None
    for span in spans:
        if waiting and waiting.language == span.language and span.char_start - waiting.char_end < 2:
            waiting = LanguageSpan(waiting.char_start, span.char_end, span.language)
            continue
        if waiting:
            yield waiting
        waiting = span
    if waiting:
        yield waiting
