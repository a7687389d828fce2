"""Text as it is spoken, and where in the written text each of its characters comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Reader: TypeAlias = Callable[[re.Match[str]], str | None]
"""Spoken form of what a pattern found; None leaves it as it is."""

_Change: TypeAlias = tuple[int, int, str]
"""Start and end in the text so far, and what comes there."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A spoken form with its origin.

    Character ``i`` of ``text`` was written as ``source[origin[i]:until[i]]``. All characters of
    a word that replaces something share the whole of what they replace.
    """

    text: str
    origin: tuple[int, ...]
    until: tuple[int, ...]

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Where ``text[start:end]`` was written, as offsets into the source, end exclusive."""
        if not 0 <= start < end <= len(self.text):
            raise ValueError(f"no characters between {start} and {end} of {len(self.text)}")
        return self.origin[start], max(self.until[start:end])

    @property
    def is_silent(self) -> bool:
        """Whether there is no letter or digit, so nothing to say."""
        return not any(char.isalnum() for char in self.text)


EMPTY = Spoken("", (), ())


def replaced(said: str, source_chars: int) -> Spoken:
    """A spoken form that stands for all of a source of so many characters."""
    count = len(said)
    return Spoken(said, (0,) * count, (source_chars,) * count)


def joined(parts: Sequence[tuple[int, Spoken]], gaps: Sequence[bool]) -> Spoken:
    """Spoken forms of the parts of one source as one.

    Args:
        parts: where in the source each begins, and its spoken form.
        gaps: for each part whether a blank comes before it.
    """
    text: list[str] = []
    origin: list[int] = []
    until: list[int] = []
    for (start, spoken), gap in zip(parts, gaps, strict=True):
        if not spoken.text:
            continue
        if gap and text:
            text.append(" ")
            origin.append(start + spoken.origin[0])
            until.append(start + spoken.origin[0])
        text.append(spoken.text)
        origin += [start + at for at in spoken.origin]
        until += [start + at for at in spoken.until]
    return Spoken("".join(text), tuple(origin), tuple(until))


class Draft:
    """Text on its way from written to spoken; every change keeps track of the origin."""

    def __init__(self, source: str) -> None:
        self.text = source
        self._origin = list(range(len(source)))
        self._until = list(range(1, len(source) + 1))

    def rewrite(self, pattern: re.Pattern[str], reader: Reader | str) -> None:
        """Put what ``reader`` makes of each match in its place."""
        changes: list[_Change] = []
        for match in pattern.finditer(self.text):
            said = reader if isinstance(reader, str) else reader(match)
            start, end = match.span()
            if said is not None and start < end and said != match.group():
                changes.append((start, end, said))
        self._apply(changes)

    def unwrap(self, pattern: re.Pattern[str], group: int) -> None:
        """Leave of each match only one group, whose characters keep their own origin."""
        changes: list[_Change] = []
        for match in pattern.finditer(self.text):
            inner_start, inner_end = match.span(group)
            changes.append((match.start(), inner_start, ""))
            changes.append((inner_end, match.end(), ""))
        self._apply([change for change in changes if change[0] < change[1]])

    def _apply(self, changes: list[_Change]) -> None:
        """Make changes that are in order and do not overlap."""
        if not changes:
            return
        parts: list[str] = []
        origin: list[int] = []
        until: list[int] = []
        done = 0
        for start, end, said in changes:
            parts += (self.text[done:start], said)
            origin += self._origin[done:start]
            until += self._until[done:start]
            origin += [self._origin[start]] * len(said)
            until += [max(self._until[start:end])] * len(said)
            done = end
        self.text = "".join(parts) + self.text[done:]
        self._origin = origin + self._origin[done:]
        self._until = until + self._until[done:]

    def spoken(self) -> Spoken:
        """The text as it is now, without blanks at the ends."""
        start = len(self.text) - len(self.text.lstrip())
        end = len(self.text.rstrip())
        end = max(start, end)
        return Spoken(
            self.text[start:end], tuple(self._origin[start:end]), tuple(self._until[start:end])
        )
