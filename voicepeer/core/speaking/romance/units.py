"""What tables of units have in common."""

from __future__ import annotations

from collections.abc import Mapping

from voicepeer.core.speaking.romance.locale import Noun


def with_powers(
    units: Mapping[str, Noun], square: tuple[str, str], cube: tuple[str, str]
) -> dict[str, Noun]:
    """Units with those of areas and volumes, for the words "square" and "cubic" behind them."""
    powers = {
        f"{name}{mark}": Noun(f"{units[name].one} {words[0]}", f"{units[name].many} {words[1]}")
        for name in ("m", "km", "cm", "mm", "dm")
        for words, marks in ((square, "²2"), (cube, "³3"))
        for mark in marks
    }
    return {**powers, **units}
