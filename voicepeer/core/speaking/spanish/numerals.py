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
_ORDINALS = (
    "primero segundo tercero cuarto quinto sexto séptimo octavo noveno décimo undécimo duodécimo "
    "decimotercero decimocuarto decimoquinto decimosexto decimoséptimo decimoctavo decimonoveno "
    "vigésimo".split()
)
MAX_CARDINAL = 10**12
MAX_ORDINAL = len(_ORDINALS)


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
        said = said.replace("cientos", "cientas").replace("quinientos", "quinientas")
    if said.endswith("veintiuno"):
        return said[:-9] + ("veintiuna" if feminine else "veintiún")
    if said.endswith("uno"):
        return said[:-3] + ("una" if feminine else "un")
    return said


def ordinal(number: int, ending: str = "o") -> str | None:
    """ "primero", "primera" (a), "primer" (er), "primeros" (os); None beyond the twentieth."""
    ending = {"º": "o", "°": "o", "ª": "a"}.get(ending, ending)
    if not 1 <= number <= MAX_ORDINAL:
        return None
    stem = _ORDINALS[number - 1][:-1]
    if ending == "er":
        return stem if number in (1, 3) else stem + "o"
    return stem + ending
