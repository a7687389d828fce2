"""Italian number words, written together up to a million as the Accademia della Crusca advises."""

from __future__ import annotations

_BELOW_TWENTY = (
    "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici "
    "quindici sedici diciassette diciotto diciannove".split()
)
_TENS = "venti trenta quaranta cinquanta sessanta settanta ottanta novanta".split()
_SCALES = ((10**9, "miliardo", "miliardi"), (10**6, "milione", "milioni"))
_ORDINALS = "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo".split()
MAX_CARDINAL = 10**12


def _joined(tens: str, units: int) -> str:
    """ "ventuno", "ventotto": the last vowel goes before another one."""
    if units == 0:
        return tens
    return (tens[:-1] if units in (1, 8) else tens) + _BELOW_TWENTY[units]


def _below_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    said = "" if hundreds == 0 else ("" if hundreds == 1 else _BELOW_TWENTY[hundreds]) + "cento"
    if rest == 8 or 80 <= rest < 90:
        said = said.removesuffix("o")
    if rest < 20:
        return said + (_BELOW_TWENTY[rest] if rest else "")
    return said + _joined(_TENS[rest // 10 - 2], rest % 10)


def _below_million(number: int) -> str:
    thousands, rest = divmod(number, 1000)
    head = {0: "", 1: "mille"}.get(thousands) or (
        f"{_below_thousand(thousands)}mila" if thousands else ""
    )
    return head + _below_thousand(rest)


def _accented(said: str) -> str:
    """ "ventitré": a compound of "tre" bears an accent."""
    return f"{said[:-1]}é" if said.endswith("tre") and said != "tre" else said


def cardinal(number: int) -> str:
    """ "duemilatrecentoquarantuno", in the form that stands alone."""
    if number < 0:
        return f"meno {cardinal(-number)}"
    if number >= MAX_CARDINAL:
        return " ".join(_BELOW_TWENTY[int(digit)] for digit in str(number))
    if number == 0:
        return "zero"
    parts: list[str] = []
    for scale, one, many in _SCALES:
        count, number = divmod(number, scale)
        if count:
            parts.append(
                f"un {one}" if count == 1 else f"{_accented(_below_thousand(count))} {many}"
            )
    if number:
        parts.append(_accented(_below_million(number)))
    return " ".join(parts)


def before_noun(number: int, feminine: bool = False) -> str:
    """A cardinal in front of what it counts: "un", "una"; all others do not change."""
    if number == 1:
        return "una" if feminine else "un"
    return cardinal(number)


def ordinal(number: int, ending: str = "o") -> str | None:
    """ "primo", "seconda" (a), "ventitreesimo"; None beyond a million."""
    if not 1 <= number < 10**6:
        return None
    ending = {"º": "o", "°": "o", "ª": "a", "^": "a"}.get(ending, ending)
    if number <= 10:
        return _ORDINALS[number - 1][:-1] + ending
    said = cardinal(number)
    if said.endswith("tré"):
        return f"{said[:-1]}eesim{ending}"
    if said.endswith("mila"):
        return f"{said[:-2]}llesim{ending}"
    return (said if said.endswith("sei") else said[:-1]) + f"esim{ending}"
