"""A table of word endings: the longest one that fits a word decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping


class Endings:
    """Endings and what they tell; one that begins with "#" is a whole word."""

    def __init__(self, told: Mapping[str, Iterable[str] | str]) -> None:
        """Take for each answer its endings, as a list or with blanks between them."""
        self._answers = {
            ending: answer
            for answer, endings in told.items()
            for ending in (endings.split() if isinstance(endings, str) else endings)
        }
        self._longest = max(map(len, self._answers), default=0)

    def find(self, word: str) -> str | None:
        """The answer of the longest ending of a word, None where none fits."""
        whole = f"#{word}"
        for start in range(max(0, len(whole) - self._longest), len(whole)):
            answer = self._answers.get(whole[start:])
            if answer is not None:
                return answer
        return None
