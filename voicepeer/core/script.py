"""Lines of text with who is to say each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

COMMENT = "#"


@dataclass(frozen=True, slots=True)
class Cue:
    """A text for one of several speakers, by their place among the names of the script."""

    line: int
    """Its number; the first is 1."""
    speaker: int
    text: str


class Script:
    """Reads lines in their order.

    Where there is more than one name, ``Ada: Hello.`` is for Ada, and so are the lines after it
    that name nobody; before any name it is the first's turn. Empty lines and those that begin with
    ``#`` are for nobody.

    Raises:
        ValueError: no name, or two that differ in capitals at most.
    """

    def __init__(self, names: Sequence[str]) -> None:
        if not names or len({name.casefold() for name in names}) < len(names):
            raise ValueError("a script needs names, and each of them once")
        # The longest first: of "Ada" and "Ada: the second", the second is meant where it fits.
        by_length = sorted(enumerate(names), key=lambda one: -len(one[1]))
        self._names = by_length if len(names) > 1 else []
        self._line = 0
        self._speaker = 0

    def read(self, line: str) -> Cue | None:
        """What the next line gives somebody to say, if it does."""
        self._line += 1
        text = line.strip()
        if text.startswith(COMMENT):
            return None
        for speaker, name in self._names:
            if text[: len(name)].casefold() == name.casefold() and text[len(name) :][:1] == ":":
                self._speaker = speaker
                text = text[len(name) + 1 :].strip()
                break
        return Cue(self._line, self._speaker, text) if text else None
