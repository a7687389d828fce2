"""Spanish number words, after the Real Academia's "Diccionario panhispánico de dudas"."""

from __future__ import annotations

_BELOW_THIRTY = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro "
    "veinticinco veintiséis veintisiete veintiocho veintinueve".split()
)
_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
_HUNDREDS = (
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos "
    "novecientos".split()
)
_ORDINAL_UNITS = "primero segundo tercero cuarto quinto sexto séptimo octavo noveno".split()
_ORDINAL_TEENS = (
    "décimo undécimo duodécimo decimotercero decimocuarto decimoquinto decimosexto decimoséptimo "
    "decimoctavo decimonoveno".split()
)
_ORDINAL_TENS = (
    "vigésimo trigésimo cuadragésimo quincuagésimo sexagésimo septuagésimo octogésimo "
    "nonagésimo".split()
)
_ORDINAL_HUNDREDS = (
    "centésimo ducentésimo tricentésimo cuadringentésimo quingentésimo sexcentésimo "
    "septingentésimo octingentésimo noningentésimo".split()
)
MAX_CARDINAL = 10**12
MAX_ORDINAL = 1000


def _below_hundred(number: int) -> str:
    if number < 30:
        return _BELOW_THIRTY[number]
    tens, units = divmod(number, 10)
    return _TENS[tens - 3] + (f" y {_BELOW_THIRTY[units]}" if units else "")


def _below_thousand(number: int) -> str:
    if number == 100:
        return "cien"
    hundreds, rest = divmod(number, 100)
    parts = [_HUNDREDS[hundreds - 1]] if hundreds else []
    return " ".join([*parts, _below_hundred(rest)] if rest or not parts else parts)


def cardinal(number: int) -> str:
    """ "mil doscientos treinta y cuatro", in the form that stands alone ("uno")."""
    if number < 0:
        return f"menos {cardinal(-number)}"
    if number >= MAX_CARDINAL:
        return " ".join(_BELOW_THIRTY[int(digit)] for digit in str(number))
    if number < 1000:
        return _below_thousand(number)
    millions, rest = divmod(number, 10**6)
    thousands, units = divmod(rest, 1000)
    parts: list[str] = []
    if millions:
        parts.append("un millón" if millions == 1 else f"{before_noun(millions)} millones")
    if thousands:
        parts.append("mil" if thousands == 1 else f"{before_noun(thousands)} mil")
    if units:
        parts.append(_below_thousand(units))
    return " ".join(parts)


def before_noun(number: int, feminine: bool = False) -> str:
    """A cardinal in front of what it counts: "un", "veintiún", "doscientas"."""
    said = cardinal(number)
    if feminine:
        millions, link, rest = said.rpartition("llones ")
        rest = rest.replace("cientos", "cientas").replace("quinientos", "quinientas")
        said = millions + link + rest
    if said.endswith("veintiuno"):
        return said[:-9] + ("veintiuna" if feminine else "veintiún")
    if said.endswith("uno"):
        return said[:-3] + ("una" if feminine else "un")
    return said


def _ordinal_words(number: int) -> list[str]:
    if number == MAX_ORDINAL:
        return ["milésimo"]
    hundreds, rest = divmod(number, 100)
    words = [_ORDINAL_HUNDREDS[hundreds - 1]] if hundreds else []
    if 10 <= rest < 20:
        return [*words, _ORDINAL_TEENS[rest - 10]]
    tens, units = divmod(rest, 10)
    words += [_ORDINAL_TENS[tens - 2]] if tens else []
    return words + ([_ORDINAL_UNITS[units - 1]] if units else [])


def ordinal(number: int, ending: str = "o") -> str | None:
    """ "primero", "vigésima quinta" (a), "primer" (er), "primeros" (os); None beyond a thousand.

    What else is written behind digits ("1ra", "7mo") tells the gender by its last vowel.
    """
    if not 1 <= number <= MAX_ORDINAL:
        return None
    words = _ordinal_words(number)
    if ending == "er" and number % 10 in (1, 3) and number % 100 not in (11,):
        return " ".join([*words[:-1], words[-1][:-1]])
    bare = ending.replace("º", "o").replace("°", "o").replace("ª", "a")
    plural = "s" if bare.endswith("s") else ""
    vowel = "a" if bare.removesuffix("s").endswith("a") else "o"
    return " ".join(f"{word[:-1]}{vowel}{plural}" for word in words)


def part(number: int) -> str:
    """One of so many equal parts, from three on: "tercio", "quinto", "doceavo", "centésimo"."""
    if number in (3, 100):
        return "tercio" if number == 3 else "centésimo"
    if number <= 10:
        return ordinal(number) or ""
    plain = cardinal(number).replace(" y ", "i").translate(str.maketrans("áéíóú", "aeiou"))
    return plain.removesuffix("a") + "avo"
