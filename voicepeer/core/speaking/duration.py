"""About how long a text lasts when it is said, known before anything of it is made.

Measured with Kokoro's voices at their usual pace, in seconds a character: prose in English,
Spanish, French, Italian and Portuguese 0.057, in Hindi 0.083, in Chinese 0.23, in Japanese 0.18,
in kana alone 0.13; words of numbers in English, Spanish and French 0.058 to 0.063. Letters that are
spelled take 0.15 to 0.2, a W 0.44 to 0.55, and each sentence of one word 0.4 besides its letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from voicepeer.core.errors import TextTooLong
from voicepeer.core.speaking.job import Job

_LETTER_S = 0.054
_PIECE_S = 0.35
_SPELLED_S = 0.2
_SPELLED_W_S = 0.45
_CAPITAL_S = 0.12
"""Of a short word in capitals: some of these are spelled, and some read."""
_MAX_INITIALS = 4
_PHONE_S = 0.065
_SCRIPTS_S = (
    (0x0900, 0x0D7F, 0.083),  # those of India, whose vowels are characters of their own
    (0x3040, 0x30FF, 0.13),  # kana
    (0x3400, 0x9FFF, 0.23),  # Chinese characters
    (0xAC00, 0xD7AF, 0.18),  # Korean syllables
    (0xF900, 0xFAFF, 0.23),
    (0x20000, 0x3FFFF, 0.23),
)

MAX_AUDIO_S = 400.0
"""Half as long again as the longest text over HTTP, 4,096 characters of prose, usually lasts."""

HONEST = 1.2
"""A text may last so many times as long as its letters take, whatever the bound is."""


_WORD = re.compile(r"[^\W\d_]+")
_LATIN_END = 0x250
_VOWELS = frozenset("aeiouy")


def spoken_s(text: str) -> float:
    """How long a piece lasts as it is said, with numbers and signs in words."""
    plain_s = sum(_char_s(char) for char in text)
    return plain_s + sum(_spelling_s(match[0]) for match in _WORD.finditer(text))


def _spelling_s(word: str) -> float:
    """How much longer than its letters a word takes that is probably spelled."""
    if ord(word[0]) >= _LATIN_END:
        return 0.0
    if len(word) == 1 or not _VOWELS & {*unicodedata.normalize("NFD", word.lower())}:
        letter_s = _SPELLED_S
    elif word.isupper() and len(word) <= _MAX_INITIALS:
        letter_s = _CAPITAL_S
    else:
        return 0.0
    spelled = (_SPELLED_W_S if letter in "wW" else letter_s for letter in word)
    return sum(spelled) - len(word) * _LETTER_S


def letters_s(text: str) -> float:
    """How long the letters of a text last as it is written; of digits and signs nothing is known.

    A blank or a stop right behind a letter is counted as one: in prose they come one by one.
    """
    total, after_letter = 0.0, False
    for char in text:
        is_letter = char.isalpha() or unicodedata.category(char).startswith("M")
        if is_letter or (after_letter and not char.isalnum()):
            total += _char_s(char)
        after_letter = is_letter
    return total


def _char_s(char: str) -> float:
    code = ord(char)
    if code < _SCRIPTS_S[0][0]:
        return _LETTER_S
    found = (seconds for low, high, seconds in _SCRIPTS_S if low <= code <= high)
    return next(found, _LETTER_S)


@dataclass(slots=True)
class Length:
    """How long the pieces of one text last together, against a bound.

    ``max_s`` bounds what numbers, signs, pauses and spelled sounds make of a text. One that is as
    long by its own letters, as a page of Chinese is, may last as long as those take.
    """

    max_s: float = MAX_AUDIO_S
    said_s: float = 0.0
    written_s: float = 0.0

    def add(self, job: Job) -> None:
        """Count one more piece.

        Raises:
            TextTooLong: with this piece the text would last too long.
        """
        spelled = sum(len(one.ipa) for one in job.reading.pronunciations)
        self.said_s += spelled * _PHONE_S + job.pause_ms / 1000
        if job.spoken.text:
            self.said_s += spoken_s(job.spoken.text) + _PIECE_S
        self.written_s += letters_s(job.piece.text)
        if self.said_s > max(self.max_s, HONEST * self.written_s):
            raise TextTooLong(
                "with its numbers, signs, spelled letters and pauses this text would last more "
                f"than {self.max_s:g} s (speaking.max_audio_s): send it in several parts"
            )


def extra_chars(jobs: Iterable[Job]) -> int:
    """How many characters more are said than are written, piece by piece."""
    return sum(max(0, len(job.spoken.text) - len(job.piece.text)) for job in jobs)
