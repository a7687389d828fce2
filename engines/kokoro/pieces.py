"""Cuts phonemes into pieces that the model can take, where a speaker would pause.

Pure: no model. The first piece is short, because nothing is heard before the model has read all
of it; the later ones are as long as the model speaks well.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.kokoro.phonemes import Phonemes, PhonemeWord

LONGEST = 400
"""Most symbols of a piece; the model can take 510, but hurries through the longest texts."""

WHOLE = 110
"""A text up to this long is never cut: reading it takes 100 ms and its melody stays whole."""

FIRST_WISHED = 60
FIRST_LONGEST = 130
"""A longer text is cut at its last pause before the first of these, or its first one before the
second; without a pause it is not torn apart."""

FIRST_SHORTEST = 12
"""A first piece shorter than this would be over before the next one is ready."""

_SENTENCE_ENDS = ".!?…"
_CLOSING = ' ”)"'
PAUSES = ",;:—" + _SENTENCE_ENDS


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of symbols and the words whose phonemes begin in it, offsets into this run."""

    symbols: str
    words: tuple[PhonemeWord, ...]

    @property
    def pause_ms(self) -> float:
        """Silence that belongs after it."""
        last = self.symbols.rstrip('”") ')[-1:]
        return 200.0 if last and last in _SENTENCE_ENDS else 90.0


def cut(phonemes: Phonemes) -> list[Piece]:
    """All pieces in order; none if there is nothing to say."""
    pieces: list[Piece] = []
    start, total = 0, len(phonemes.symbols)
    while start < total:
        end = _end(phonemes.symbols, start)
        pieces.append(_piece(phonemes, start, end))
        start = end
    return [piece for piece in pieces if piece.symbols.strip()]


def _end(symbols: str, start: int) -> int:
    """Where the piece that begins at ``start`` ends."""
    rest = len(symbols) - start
    if start == 0 and rest > WHOLE:
        pause = _last_pause(symbols, FIRST_SHORTEST, FIRST_WISHED, PAUSES) or _first_pause(
            symbols, FIRST_WISHED, min(FIRST_LONGEST, rest), PAUSES
        )
        if pause:
            return pause
    if rest <= LONGEST:
        return len(symbols)
    low, high = start + LONGEST // 4, start + LONGEST
    return (
        _last_pause(symbols, low, high, _SENTENCE_ENDS)
        or _last_pause(symbols, low, high, PAUSES)
        or _last_pause(symbols, low, high, " ")
        or high
    )


def _last_pause(symbols: str, low: int, high: int, marks: str) -> int:
    """End of the last mark, and the spaces after it, between two offsets; 0 if there is none."""
    found = (at for at in range(high - 1, low - 1, -1) if symbols[at] in marks)
    return _after(symbols, next(found, -1))


def _first_pause(symbols: str, low: int, high: int, marks: str) -> int:
    """Like ``_last_pause``, for the first mark."""
    found = (at for at in range(low, high) if symbols[at] in marks)
    return _after(symbols, next(found, -1))


def _after(symbols: str, mark: int) -> int:
    """The offset behind a mark and what clings to it; 0 if there is no mark."""
    if mark < 0:
        return 0
    end = mark + 1
    while end < len(symbols) and symbols[end] in _CLOSING:
        end += 1
    return end


def _piece(phonemes: Phonemes, start: int, end: int) -> Piece:
    words = tuple(
        PhonemeWord(
            word.char_start, word.char_end, word.phoneme_start - start,
            min(word.phoneme_end, end) - start,
        )
        for word in phonemes.words
        if start <= word.phoneme_start < end
    )  # fmt: skip
    return Piece(phonemes.symbols[start:end], words)
