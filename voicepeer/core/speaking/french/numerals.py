"""French number words as in France, with the hyphens from before the reform of 1990."""

from __future__ import annotations

_BELOW_TWENTY = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze "
    "seize dix-sept dix-huit dix-neuf".split()
)
_TENS = "vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split()
_SCALES = ((10**9, "milliard"), (10**6, "million"))
_IRREGULAR_ORDINALS = {"cinq": "cinquième", "neuf": "neuvième"}
MAX_CARDINAL = 10**12


def _below_hundred(number: int, final: bool) -> str:
    if number < 20:
        return _BELOW_TWENTY[number]
    tens = _TENS[number // 10 - 2]
    rest = number % 20 if number >= 60 else number % 10
    if rest == 0:
        return tens + ("s" if number == 80 and final else "")
    if rest in (1, 11) and number < 80:
        return f"{tens} et {_BELOW_TWENTY[rest]}"
    return f"{tens}-{_BELOW_TWENTY[rest]}"


def _below_thousand(number: int, final: bool) -> str:
    hundreds, rest = divmod(number, 100)
    if hundreds == 0:
        return _below_hundred(rest, final)
    said = "cent" if hundreds == 1 else f"{_BELOW_TWENTY[hundreds]} cent"
    if rest:
        return f"{said} {_below_hundred(rest, final)}"
    return said + ("s" if hundreds > 1 and final else "")


def cardinal(number: int) -> str:
    """ "deux mille trois cent quatre-vingt-un", in the form that stands alone."""
    if number < 0:
        return f"moins {cardinal(-number)}"
    if number >= MAX_CARDINAL:
        return " ".join(_BELOW_TWENTY[int(digit)] for digit in str(number))
    parts: list[str] = []
    for scale, name in _SCALES:
        count, number = divmod(number, scale)
        if count:
            parts.append(f"{_below_thousand(count, True)} {name}{'s' if count > 1 else ''}")
    thousands, rest = divmod(number, 1000)
    if thousands:
        parts.append("mille" if thousands == 1 else f"{_below_thousand(thousands, False)} mille")
    if rest or not parts:
        parts.append(_below_thousand(rest, True))
    return " ".join(parts)


def before_noun(number: int, feminine: bool = False) -> str:
    """A cardinal in front of what it counts: "vingt et une"."""
    said = cardinal(number)
    one = said == "un" or said.endswith((" un", "-un"))
    return f"{said}e" if feminine and one else said


def ordinal(number: int, ending: str = "e") -> str | None:
    """ "premier", "première" (re), "deuxième", "vingt et unième"; in the plural with "s"."""
    if not 1 <= number < 10**6:
        return None
    if number == 1:
        said = "première" if ending.rstrip("s") in ("re", "ère", "ere") else "premier"
    elif number == 2 and ending.rstrip("s") in ("d", "nd", "de", "nde"):
        said = "second" if ending.rstrip("s") in ("d", "nd") else "seconde"
    else:
        said = _ordinal(cardinal(number))
    return said + ("s" if ending.endswith("s") else "")


def _ordinal(said: str) -> str:
    for word, irregular in _IRREGULAR_ORDINALS.items():
        if said.endswith(word):
            return said.removesuffix(word) + irregular
    return said.rstrip("es") + "ième" if not said.endswith("trois") else f"{said}ième"
