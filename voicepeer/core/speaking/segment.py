"""Cuts a stream of text into pieces to be spoken, the first one as early as is safe.

The text is taken in character by character, so where a caller cuts it makes no difference.
Strengths of boundaries come from ``boundary``; here is only when to use which.
"""

from __future__ import annotations

from dataclasses import dataclass

from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking import boundary
from voicepeer.core.speaking.boundary import Strength

MAX_CHARS = 50_000
"""Longest text of one utterance."""

FIRST_MAX_WORDS = 9
"""A first piece has fewer than ten words, so that speech starts early."""

SHORT_FIRST_WORDS = 5
"""The same where it has to start earlier still, as there is too much to do; it sounds less even."""

FIRST_MIN_WORDS = 3
"""A shorter clause is over before the next piece is ready, unless its sentence ends there."""

FIRST_MIN_WEIGHT = 15
FIRST_MAX_WEIGHT = 90
"""Where a script without blanks is cut for the first time, see ``boundary.weight``."""

CLAUSE_MIN_WEIGHT = 120
"""From here on a later piece also ends at a comma."""

PIECE_MAX_WEIGHT = 300
TOKEN_MAX_WEIGHT = 2_000
"""A web address longer than this is cut, wherever it is: memory is bounded."""

MAX_CLUSTER_CHARS = 32
"""Marks on one letter that are kept together (UAX #15 section 13 allows 30)."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Text to be spoken in one go: ``source[start:start + len(text)]``, no blanks around it."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class _Break:
    """A place in the held text where it may be cut, and what of it is before."""

    at: int
    strength: Strength
    words: int
    weight: int


@dataclass(frozen=True, slots=True)
class _Unsure:
    """A gap whose strength the word after it tells, which begins at ``word_at``."""

    gap_at: int
    word_at: int
    token: str
    begins_line: bool


class Segmenter:
    """Text of one utterance in, pieces out; every visible character is in exactly one piece.

    The first piece has ``first_words`` at most where there is any place to cut it.
    """

    def __init__(self, max_chars: int = MAX_CHARS, first_words: int = FIRST_MAX_WORDS) -> None:
        self._max_chars = max_chars
        self._first_words = first_words
        self._first_max_weight = FIRST_MAX_WEIGHT * first_words / FIRST_MAX_WORDS
        self._received = 0
        self._first = True
        self._start = 0
        self._line_begins = True
        self._pieces: list[Piece] = []
        self._clear()

    def _clear(self) -> None:
        self._held = ""
        self._words = 0
        self._weight = 0
        self._token_at = 0
        self._token_begins_line = self._line_begins
        self._gap_at: int | None = None
        self._breaks: list[_Break] = []
        self._unsure: _Unsure | None = None

    @property
    def received(self) -> int:
        """Characters pushed so far."""
        return self._received

    @property
    def held(self) -> int:
        """Characters pushed that are not yet in a piece."""
        return len(self._held)

    def push(self, delta: str) -> list[Piece]:
        """Add text; the pieces that are complete with it, in order.

        Raises:
            TextRejected: the utterance would become longer than its limit; nothing was added.
        """
        if self._received + len(delta) > self._max_chars:
            raise TextRejected(
                f"an utterance may have {self._max_chars} characters: "
                "send the rest of the text as another utterance"
            )
        self._received += len(delta)
        for char in delta:
            self._take_in(char)
        return self._given()

    def flush(self) -> list[Piece]:
        """Give what is held, wherever it ends; later text begins a new piece."""
        if self._unsure is not None:
            self._make_sure(self._unsure, " ")
        self._cut(len(self._held))
        return self._given()

    def release(self) -> list[Piece]:
        """Give what is held unless it ends in what may be half a number, address or abbreviation.

        For when no text has come for a while.
        """
        gap = self._gap_at is not None
        token = self._held[self._token_at : self._gap_at]
        return self.flush() if boundary.is_complete(token, gap) else []

    def end(self) -> list[Piece]:
        """Give what is held: no more text will come."""
        return self.flush()

    def _given(self) -> list[Piece]:
        pieces, self._pieces = self._pieces, []
        return pieces

    def _take_in(self, char: str) -> None:
        if self._unsure is not None:
            self._make_sure(self._unsure, char)
        if not self._held and char.isspace():
            self._start += 1
            self._line_begins = self._line_begins or char in boundary.NEWLINES
            self._token_begins_line = self._line_begins
        elif boundary.is_blank(char):
            self._take_blank(char)
        else:
            self._take_visible(char)

    def _take_blank(self, char: str) -> None:
        opens = self._gap_at is None
        self._held += char
        if not opens:
            return
        self._gap_at = len(self._held) - 1
        token = self._held[self._token_at : self._gap_at]
        self._words += any(c.isalnum() for c in token)
        strength = boundary.before_blank(token, char)
        if strength is not None:
            self._offer(self._gap_at, strength)

    def _take_visible(self, char: str) -> None:
        if self._gap_at is not None:
            self._close_gap(self._gap_at, char)
        elif self._held:
            strength = boundary.without_blank(
                self._held[max(self._token_at, len(self._held) - 8) :], char
            )
            if strength is not Strength.NONE:
                self._offer(len(self._held), strength)
        self._held += char
        self._weight += boundary.weight(char)
        self._keep_short()

    def _close_gap(self, gap_at: int, following: str) -> None:
        token, gap = self._held[self._token_at : gap_at], self._held[gap_at:]
        strength = boundary.across(token, gap, following, self._token_begins_line)
        if strength is None:
            self._unsure = _Unsure(gap_at, len(self._held), token, self._token_begins_line)
            strength = Strength.NONE
        self._gap_at = None
        self._token_at = len(self._held)
        self._token_begins_line = any(char in boundary.NEWLINES for char in gap)
        self._offer(gap_at, strength)
        if self._first and self._words >= self._first_words:
            self._cut_first()

    def _make_sure(self, unsure: _Unsure, char: str) -> None:
        """Decide about a gap with one more character of the word after it."""
        gap = self._held[unsure.gap_at : unsure.word_at]
        following = self._held[unsure.word_at :] + char
        strength = boundary.across(unsure.token, gap, following, unsure.begins_line)
        if strength is not None:
            self._unsure = None
        if strength is Strength.SENTENCE:
            self._cut(unsure.gap_at)

    def _offer(self, at: int, strength: Strength) -> None:
        """Cut at a place if it is strong enough for where we are, else remember it."""
        if strength is Strength.SENTENCE or (strength is Strength.CLAUSE and self._long_enough()):
            self._cut(at)
            return
        if self._breaks and self._breaks[-1].at == at:
            self._breaks.pop()
        self._breaks.append(_Break(at, strength, self._words, self._weight))

    def _long_enough(self) -> bool:
        if self._first:
            return self._words >= FIRST_MIN_WORDS or self._weight >= FIRST_MIN_WEIGHT
        return self._weight >= CLAUSE_MIN_WEIGHT

    def _cut_first(self) -> None:
        """Cut a first piece that has all the words it may have at its best place, if any."""
        places = [place for place in self._breaks if place.strength is not Strength.NONE]
        places = [place for place in places if place.words >= FIRST_MIN_WORDS] or places
        if places:
            wanted = max(FIRST_MIN_WORDS, self._first_words - 3)
            best = max(places, key=lambda p: (*self._rank(p), -abs(p.words - wanted)))
            self._cut(best.at)

    def _rank(self, place: _Break) -> tuple[int, int]:
        before = self._held[: place.at].split()[-1]
        after = (self._held[place.at :].split(maxsplit=1) or [""])[0]
        return place.strength, boundary.word_quality(before, after)

    def _keep_short(self) -> None:
        """Cut a piece that has become too long at its best place, or where it is."""
        wide_first = self._first and boundary.is_wide(self._held[-1])
        if self._weight <= (self._first_max_weight if wide_first else PIECE_MAX_WEIGHT):
            return
        late = [place for place in self._breaks if place.weight * 3 >= self._weight]
        places = late or self._breaks
        if places:
            best = max(places, key=lambda place: (*self._rank(place), place.weight))
            self._cut(best.at)
        elif self._weight > TOKEN_MAX_WEIGHT or not boundary.is_address(self._held[:64]):
            self._cut_anywhere()

    def _cut_anywhere(self) -> None:
        last = len(self._held) - 1
        joints = range(last, last // 2, -1)
        joint = max(joints, key=lambda at: self._joint(at), default=last)
        if self._joint(joint):
            self._cut(joint)
            return
        for at in range(last, max(0, last - MAX_CLUSTER_CHARS), -1):
            if boundary.is_separable(self._held[at - 1], self._held[at]):
                self._cut(at)
                return
        self._cut(last)

    def _joint(self, at: int) -> int:
        return boundary.joint_quality(self._held[at - 1], self._held[at])

    def _cut(self, at: int) -> None:
        """Make a piece of the held text up to ``at`` and go through the rest again."""
        text, rest = self._held[:at].rstrip(), self._held[at:]
        if text:
            self._pieces.append(Piece(text, self._start))
            self._first = False
        self._start += at
        self._line_begins = False
        self._clear()
        for char in rest:
            self._take_in(char)
