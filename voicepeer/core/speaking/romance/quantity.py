"""How a number is read: grouping, decimals, leading zeros."""

from __future__ import annotations

import re
from dataclasses import dataclass

from voicepeer.core.speaking.romance.locale import Locale, Noun

NUMBER = (
    r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}(?!\d)"
    r"|\d{1,3}(?:[. ]\d{3})+(?!\d)(?:,\d+)?|\d+(?:[.,]\d+)?"
)
"""Periods or blanks group thousands, a comma begins the fraction; a point elsewhere does too.

What can only be the other way round, such as "1,250.50", is read so.
"""

_ENGLISH = re.compile(r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}")

LONGEST_SPOKEN = 9
"""More digits than these without grouping are read one by one."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A written number; ``whole`` is None where digits are to be read one by one."""

    written: str
    whole: int | None
    mark: str
    """ "," or "." before a fraction, else empty."""
    fraction: str

    @property
    def is_one(self) -> bool:
        """Whether exactly one of something is meant."""
        return self.whole == 1 and not self.mark

    @property
    def is_below_two(self) -> bool:
        """Whether it is less than two."""
        return self.whole in (0, 1)


def parse(written: str) -> Quantity:
    """Read a text that ``NUMBER`` matches."""
    if _ENGLISH.fullmatch(written):
        whole, point, fraction = written.replace(",", "").partition(".")
        return Quantity(written, int(whole), point, fraction)
    compact = written.replace(" ", "")
    whole, comma, fraction = compact.partition(",")
    groups = whole.split(".")
    grouped = len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    if len(groups) > 1 and not grouped:
        return Quantity(written, int(groups[0]), ".", "".join(groups[1:]))
    joined = "".join(groups)
    coded = (len(joined) > 1 and joined.startswith("0")) or (
        len(joined) > LONGEST_SPOKEN and joined == written
    )
    return Quantity(written, None if coded else int(joined), comma, fraction)


class Reader:
    """Says quantities in one language."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale

    def digits(self, text: str) -> str:
        """Digits one by one; other characters are passed over."""
        return " ".join(self._locale.cardinal(int(char)) for char in text if char in "0123456789")

    def plain(self, written: str, feminine: bool | None = None) -> str:
        """A number as written; in front of a noun if its gender is given."""
        found = parse(written)
        if found.whole is None:
            tail = f" {self._locale.comma} {self.digits(found.fraction)}" if found.mark else ""
            return self.digits(written.partition(",")[0]) + tail
        if not found.mark:
            if feminine is None:
                return self._locale.cardinal(found.whole)
            return self._locale.before_noun(found.whole, feminine)
        mark = self._locale.comma if found.mark == "," else self._locale.point
        return f"{self._locale.cardinal(found.whole)} {mark} {self._fraction(found.fraction)}"

    def _fraction(self, fraction: str) -> str:
        if fraction.startswith("0") or len(fraction) > 2:
            return self.digits(fraction)
        return self._locale.cardinal(int(fraction))

    def is_single(self, written: str) -> bool:
        """Whether the noun that follows is in the singular."""
        found = parse(written)
        return found.is_below_two if self._locale.singular_below_two else found.is_one

    def counted(self, written: str, noun: Noun) -> str:
        """A number and what it counts."""
        name = noun.one if self.is_single(written) else noun.many
        link = self._locale.of(name) if self.needs_of(written) else name
        return f"{self.plain(written, noun.feminine)} {link}"

    def needs_of(self, written: str) -> bool:
        """Whether "of" is between a number and its noun: after whole millions."""
        found = parse(written)
        return bool(found.whole) and not found.mark and (found.whole or 1) % 10**6 == 0

    def mixed(self, text: str) -> str:
        """Letters and numbers apart: "MP 3"."""
        return " ".join(
            self.plain(part) if part.isdecimal() else part
            for part in re.findall(r"\d+|[^\W\d_]+", text)
        )
