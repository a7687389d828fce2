"""What was said by text in a recording: words as they are heard, and captions afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby

import msgspec

from voicepeer.core.messages import Caption as Piece
from voicepeer.core.messages import Word
from voicepeer.core.speaking.caption import Caption, captions

MAX_PIECES = 64
"""Of texts that were not heard yet; speech is made only seconds ahead."""


class Said(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One word that was heard; times are milliseconds from the start of the recording."""

    utterance: int
    """Counts the utterances of a track: what clients call them is theirs."""
    written: str
    """As it was written, with what stands between it and the word before."""
    start_ms: float
    end_ms: float


@dataclass(slots=True)
class _Piece:
    utterance_id: str
    text: str
    start: int
    told: int = 0
    """Characters of it that were heard."""


class Transcript:
    """Makes ``Said`` of what a session tells of its words; nothing is in it that was not heard."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._utterance_id = ""
        self._utterances = 0
        self._end = 0
        """Of the last piece that a word came of, in its utterance."""

    def piece(self, piece: Piece) -> None:
        """A piece of a text that will be said next."""
        self._pieces.append(_Piece(piece.utterance_id, piece.text, piece.char_start))
        del self._pieces[:-MAX_PIECES]

    def word(self, word: Word, at_ms: float) -> Said:
        """A word that begins to be heard at this moment of the recording."""
        if word.utterance_id != self._utterance_id:
            self._utterance_id = word.utterance_id
            self._utterances += 1
            self._end = 0
        return Said(
            utterance=self._utterances,
            written=self._written(word),
            start_ms=round(at_ms, 1),
            end_ms=round(at_ms + max(0.0, word.end_ms - word.start_ms), 1),
        )

    def _written(self, word: Word) -> str:
        piece = self._piece_of(word)
        if piece is None:
            return f"{word.text} "
        text, start, end = piece.text, word.char_start - piece.start, word.char_end - piece.start
        while end < len(text) and not text[end].isspace() and not text[end].isalnum():
            end += 1
        while end < len(text) and text[end].isspace():
            end += 1
        # What was passed over, as the speaker was muted then, was not heard.
        skipped = any(char.isalnum() for char in text[piece.told : start])
        begin, piece.told = start if skipped else piece.told, max(piece.told, end)
        # Pieces are without the space between them.
        between = " " if 0 < self._end < piece.start else ""
        self._end = piece.start + len(text)
        return between + text[begin:end]

    def _piece_of(self, word: Word) -> _Piece | None:
        for index, piece in enumerate(self._pieces):
            inside = piece.start <= word.char_start < piece.start + len(piece.text)
            if piece.utterance_id == word.utterance_id and inside:
                del self._pieces[:index]
                return piece
        return None


def captions_of(said: Iterable[Said], speaker: str) -> list[Caption]:
    """All captions of a track, each with the name of who says it."""
    found: list[Caption] = []
    for _, words in groupby(said, key=lambda one: one.utterance):
        group = list(words)
        source = "".join(one.written for one in group)
        found += [replace(one, speaker=speaker) for one in captions(source, list(_words(group)))]
    return found


def _words(group: Iterable[Said]) -> Iterator[Word]:
    """The words with their places in all that was written; several may be said for one."""
    at, start, end = 0, 0, 0
    for one in group:
        text = one.written.strip()
        if text:
            start = at + one.written.index(text)
            end = start + len(text)
        at += len(one.written)
        if end > start:
            yield Word(
                utterance_id="",
                text=text,
                start_ms=one.start_ms,
                end_ms=one.end_ms,
                char_start=start,
                char_end=end,
            )
