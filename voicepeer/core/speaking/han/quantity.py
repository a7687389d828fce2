"""How a number is read: grouping, decimals, leading zeros."""

from __future__ import annotations

from voicepeer.core.speaking.han.locale import Locale

NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,9}(?![\d,])(?:\.\d+)?|\d+(?:\.\d+)?)"
LONGEST_SPOKEN = 9
"""More digits than these without grouping are read one by one."""


class Reader:
    """Says quantities in one language."""

    def __init__(self, locale: Locale) -> None:
        self._locale = locale

    def plain(self, written: str) -> str:
        """A text that ``NUMBER`` matches."""
        compact = written.replace(",", "")
        whole, point, fraction = compact.partition(".")
        coded = len(whole) > 1 and whole.startswith("0")
        if coded or (len(whole) > LONGEST_SPOKEN and "," not in written):
            said = self._locale.digits(whole)
        else:
            said = self._locale.cardinal(int(whole))
        if not point:
            return said
        return f"{said}{self._locale.point}{self._locale.decimals(fraction)}"

    def before(self, written: str, following: str) -> str:
        """A number before what it counts."""
        return self._locale.before(written, following) or self.plain(written)

    def scaled(self, written: str, thousands: int) -> str | None:
        """A number times 1000 to a power, if that is a whole number."""
        whole, _, fraction = written.replace(",", "").partition(".")
        zeros = 3 * thousands - len(fraction)
        if zeros < 0 or len(whole) > LONGEST_SPOKEN:
            return None
        return self._locale.cardinal(int(whole + fraction + "0" * zeros))
