"""The markup of one utterance as it comes in, and what it says of each piece of its text.

Places count in the text without its markup.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking import ssml
from voicepeer.core.speaking.reading import Note
from voicepeer.core.speaking.segment import Piece
from voicepeer.core.speaking.ssml import Item, Marked, Style


class Markup:
    """Reads markup and remembers the notes that it makes."""

    def __init__(self, max_chars: int) -> None:
        self.received = 0
        """Characters of markup and text so far."""
        self._max_chars = max_chars
        self._reader = ssml.Reader()
        self._notes: list[Note] = []
        self._manner = Style()

    def push(self, text: str) -> list[Item]:
        """Items that are complete with this text.

        Raises:
            TextRejected: bad markup (the message says where), or more than its limit.
        """
        if self.received + len(text) > self._max_chars:
            raise TextRejected(
                f"an utterance may have {self._max_chars} characters with its markup: "
                "send the rest of the text as another utterance"
            )
        self.received += len(text)
        return self._reader.feed(text)

    def finish(self) -> list[Item]:
        """The last items; raises TextRejected if an element is still open."""
        return self._reader.finish()

    def changes_manner(self, style: Style) -> bool:
        """Whether text of this style is spoken in another manner than the text before it."""
        before, self._manner = self._manner, style
        return (before.recipe, before.volume) != (style.recipe, style.volume)

    def note(self, at: int, item: Marked) -> None:
        """Remember the style of text that begins at ``at``."""
        if item.style == Style():
            return
        last = self._notes[-1] if self._notes else None
        if last and last.end == at and last.style == item.style:
            self._notes[-1] = Note(last.start, at + len(item.text), item.style)
        else:
            self._notes.append(Note(at, at + len(item.text), item.style))

    def notes_of(self, piece: Piece) -> Sequence[Note]:
        """The notes on a piece."""
        low = bisect.bisect_right(self._notes, piece.start, key=lambda note: note.end)
        high = bisect.bisect_left(
            self._notes, piece.start + len(piece.text), key=lambda note: note.start
        )
        return self._notes[low:high]

    def style_of(self, piece: Piece) -> Style:
        """The manner of a piece, which is the same in all of it."""
        return next((note.style for note in self.notes_of(piece)), Style())
