"""Roman numerals that are short enough to be told from words."""

from __future__ import annotations

SHORT_ROMAN = r"(?:X{1,3}(?:IX|IV|V?I{0,3})|IX|IV|VI{0,3}|I{1,3})"
"""Pattern from I to XXXIX: longer ones are words ("LI", "CD", "MI") too often."""

_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}


def roman(numeral: str) -> int:
    """Value of a Roman numeral, which has to be one."""
    values = [_DIGITS[letter] for letter in numeral]
    following = [*values[1:], 0]
    return sum(
        -value if value < after else value for value, after in zip(values, following, strict=True)
    )
