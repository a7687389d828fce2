"""The rules of Spanish in the order they are applied in."""

from __future__ import annotations

import re

from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spanish import numerals
from voicepeer.core.speaking.spoken import Draft

_NUMBER = r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:[.,]\d+)?"
_MONTHS = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre".split()
)
_ABBREVIATIONS = {
    "Sr": "señor", "Sra": "señora", "Srta": "señorita", "Sres": "señores", "Dr": "doctor",
    "Dra": "doctora", "D": "don", "Dña": "doña", "Ud": "usted", "Uds": "ustedes", "Vd": "usted",
    "etc": "etcétera", "p. ej": "por ejemplo", "pág": "página", "págs": "páginas",
    "núm": "número", "tel": "teléfono", "Tel": "teléfono", "avda": "avenida", "Avda": "avenida",
    "Av": "avenida", "Prof": "profesor", "Profa": "profesora", "aprox": "aproximadamente",
    "EE. UU": "Estados Unidos", "EE.UU": "Estados Unidos", "a. C": "antes de Cristo",
    "d. C": "después de Cristo", "Cía": "compañía", "Ing": "ingeniero", "Lic": "licenciado",
    "vol": "volumen", "cap": "capítulo", "art": "artículo", "máx": "máximo", "mín": "mínimo",
}  # fmt: skip
_UNITS = {
    "km/h": ("kilómetro por hora", "kilómetros por hora"), "m/s": ("metro por segundo",
    "metros por segundo"), "km": ("kilómetro", "kilómetros"), "m": ("metro", "metros"),
    "cm": ("centímetro", "centímetros"), "mm": ("milímetro", "milímetros"),
    "m²": ("metro cuadrado", "metros cuadrados"), "m³": ("metro cúbico", "metros cúbicos"),
    "km²": ("kilómetro cuadrado", "kilómetros cuadrados"), "kg": ("kilogramo", "kilogramos"),
    "g": ("gramo", "gramos"), "mg": ("miligramo", "miligramos"), "l": ("litro", "litros"),
    "L": ("litro", "litros"), "ml": ("mililitro", "mililitros"), "ms": ("milisegundo",
    "milisegundos"), "s": ("segundo", "segundos"), "min": ("minuto", "minutos"),
    "Hz": ("hercio", "hercios"), "kHz": ("kilohercio", "kilohercios"), "dB": ("decibelio",
    "decibelios"), "W": ("vatio", "vatios"), "kW": ("kilovatio", "kilovatios"),
    "KB": ("kilobyte", "kilobytes"), "MB": ("megabyte", "megabytes"),
    "GB": ("gigabyte", "gigabytes"), "TB": ("terabyte", "terabytes"),
}  # fmt: skip
_MONEY = {
    "€": ("euro", "euros"), "$": ("dólar", "dólares"), "EUR": ("euro", "euros"),
    "USD": ("dólar", "dólares"), "US$": ("dólar", "dólares"), "MXN": ("peso", "pesos"),
    "¥": ("yen", "yenes"), "£": ("libra", "libras"),
}  # fmt: skip
_FEMININE_MONEY = frozenset("£")
_SYMBOLS = {
    "&": " y ", "@": " arroba ", "%": " por ciento ", "+": " más ", "=": " igual a ",
    "→": " a ", "≈": " aproximadamente ", "±": " más menos ", "×": " por ", "÷": " entre ",
    "≤": " menor o igual que ", "≥": " mayor o igual que ", "°": " grados ", "§": " sección ",
    "€": " euros ", "$": " dólares ", "£": " libras ", "©": "", "®": "", "™": "", "#": " ",
    "_": " ", "|": ", ", "\\": " ", "^": " ", "~": " ", "<": " ", ">": " ", "{": "", "}": "",
    "*": " ", "`": "", "²": " al cuadrado ", "³": " al cubo ",
}  # fmt: skip
_SPELLED_WITH = {".": "punto", "-": "guion", "_": "guion bajo", "+": "más", "/": "barra"}
_PARTS = re.compile(r"[^\W\d_]+|\d+|[.\-_+/]")
_FEMININE_NOUN = re.compile(r"\s[a-záéíóúñ]+(?:as?|ión|iones|dad|dades)\b")
_SIGN = r"(?P<sign>US\$|[€$£¥])"
_CODE = r"(?P<code>€|£|\$|EUR\b|USD\b|MXN\b)"
_SCALE = r"(?:\s(?P<scale>mil|millones|millón)\b)?"


def _spelled(text: str) -> str:
    said = (
        _SPELLED_WITH.get(part) or (numerals.decimal(part) if part.isdecimal() else part)
        for part in _PARTS.findall(text)
    )
    return " ".join(said)


def _url(match: re.Match[str]) -> str:
    return _spelled(match["host"].lower().removeprefix("www.").rstrip(".")) + match["tail"]


def _mail(match: re.Match[str]) -> str:
    return f"{_spelled(match[1])} arroba {_spelled(match[2])}"


def _date(day: int, month: int, year: str | None) -> str | None:
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    first = "primero" if day == 1 else numerals.cardinal(day)
    said = f"{first} de {_MONTHS[month - 1]}"
    return f"{said} de {numerals.cardinal(int(year))}" if year else said


def _iso(match: re.Match[str]) -> str | None:
    return _date(int(match[3]), int(match[2]), match[1])


def _day_first(match: re.Match[str]) -> str | None:
    return _date(int(match[1]), int(match[2]), match[3])


def _time(match: re.Match[str]) -> str | None:
    hours, minutes = int(match[1]), int(match[2])
    if hours > 24 or minutes > 59:
        return None
    said = numerals.before_noun(hours, feminine=True)
    if minutes == 0:
        return f"{said} en punto"
    return f"{said} {'cero ' if minutes < 10 else ''}{numerals.cardinal(minutes)}"


def _ordinal(match: re.Match[str]) -> str | None:
    ending = {"º": "o", "°": "o", "ª": "a"}.get(match[2], match[2])
    return numerals.ordinal(int(match[1]), ending)


def _money(match: re.Match[str]) -> str:
    found = match.groupdict()
    sign = found.get("sign") or found["code"]
    one, many = _MONEY[sign]
    feminine = sign in _FEMININE_MONEY
    whole, mark, fraction = numerals.parse(match["number"])
    if found["scale"]:
        de = "" if found["scale"] == "mil" else "de "
        amount = numerals.decimal(match["number"], feminine=False)
        return f"{amount} {found['scale']} {de}{many}"
    if mark and len(fraction) == 2 and whole is not None:
        said = f"{numerals.before_noun(whole, feminine)} {one if whole == 1 else many}"
        return said if int(fraction) == 0 else f"{said} con {numerals.cardinal(int(fraction))}"
    return (
        f"{numerals.decimal(match['number'], feminine)} {one if whole == 1 and not mark else many}"
    )


def _amount(match: re.Match[str]) -> str:
    minus = "menos " if match["minus"] else ""
    if not match["upto"]:
        return minus + numerals.decimal(match["number"])
    return f"{minus}{numerals.decimal(match['number'])} a {numerals.decimal(match['upto'])}"


def _percent(match: re.Match[str]) -> str:
    return f"{_amount(match)} por ciento"


def _degrees(match: re.Match[str]) -> str:
    scale = {"C": " Celsius", "F": " Fahrenheit", None: ""}[match["scale"]]
    return f"{_amount(match)} {'grado' if match['number'] == '1' else 'grados'}{scale}"


def _measure(match: re.Match[str]) -> str:
    one, many = _UNITS[match["unit"]]
    minus = "menos " if match["minus"] else ""
    if match["number"] == "1":
        return f"{minus}un {one}"
    return f"{minus}{numerals.decimal(match['number'], feminine=False)} {many}"


def _range(match: re.Match[str]) -> str:
    return f"{numerals.decimal(match[1])} a {numerals.decimal(match[2])}"


def _abbreviation(match: re.Match[str]) -> str:
    rest = match.string[match.end() :]
    ends = match[1] in ("etc", "EE. UU", "EE.UU", "a. C", "d. C") and (
        not rest.strip() or re.match(r"\s+[A-ZÁÉÍÓÚ¿¡]", rest)
    )
    return _ABBREVIATIONS[match[1]] + ("." if ends else "")


def _plain(match: re.Match[str]) -> str:
    rest = match.string[match.end() :]
    text = match.group()
    if len(text) > 9 and text.isdecimal():
        return numerals.digits(text)
    if re.match(r"\s[a-záéíóúñ]{3,}", rest):
        return numerals.decimal(text, feminine=_FEMININE_NOUN.match(rest) is not None)
    return numerals.decimal(text)


def _mixed(match: re.Match[str]) -> str:
    return " ".join(
        numerals.decimal(part) if part.isdecimal() else part
        for part in re.findall(r"\d+|[^\W\d_]+", match.group())
    )


_MINUS = r"(?P<minus>(?<![\w.)])[-−])?"
_UPTO = rf"(?:\s?[-–]\s?(?P<upto>{_NUMBER}))?"
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_SHORT = "|".join(re.escape(name) for name in sorted(_ABBREVIATIONS, key=len, reverse=True))

RULES = (
    Rule(re.compile(r"\d{25,}"), lambda match: numerals.digits(match.group())),
    Rule(
        re.compile(
            r"(?<![\w@])(?:(?:https?|ftp|wss?)://|(?=www\.))(?P<host>[^\s/:?#<>\"']+)(?::\d+)?"
            r"(?:[/?#]\S*?)?(?P<tail>[.,;:!?)\]}\"'”’»]*)(?=\s|$)"
        ),
        _url,
    ),
    Rule(re.compile(r"(?<![\w.])([\w.+-]*\w)@([\w-]+(?:\.[\w-]+)+)"), _mail),
    Rule(
        re.compile(r"(?<![\w@/.])(?P<host>(?:[\w-]+\.)+(?:com|org|net|es|mx|ar|io))\b(?P<tail>)"),
        _url,
    ),
    Rule(re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d|-\d)"), _iso),
    Rule(re.compile(r"(?<![\d/.\w])(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?![\d/])"), _day_first),
    Rule(re.compile(r"(?<![\d:.])(\d{1,2}):(\d\d)(?![\d:])(?:\s?h\b)?"), _time),
    Rule(re.compile(r"(?<![\w.])(\d{1,2})\.?(º|ª|°(?!\s?[CF])|er|os|as)(?!\w)"), _ordinal),
    Rule(re.compile(r"\b[Nn]\.?[º°]\s?(?=\d)"), "número "),
    Rule(re.compile(rf"(?<![\w.])({_SHORT})\."), _abbreviation),
    Rule(re.compile(rf"{_SIGN}\s?(?P<number>{_NUMBER}){_SCALE}"), _money),
    Rule(re.compile(rf"(?<![\w.,])(?P<number>{_NUMBER}){_SCALE}\s?{_CODE}"), _money),
    Rule(re.compile(rf"{_MINUS}(?<![\w.,])(?P<number>{_NUMBER}){_UPTO}\s?%"), _percent),
    Rule(
        re.compile(
            rf"{_MINUS}(?<![\w.,])(?P<number>{_NUMBER}){_UPTO}\s?°\s?(?P<scale>[CF])?(?!\w)"
        ),
        _degrees,
    ),
    Rule(
        re.compile(rf"{_MINUS}(?<![\w.,])(?P<number>{_NUMBER})\s?(?P<unit>{_UNIT})(?![\w²³/])"),
        _measure,
    ),
    Rule(re.compile(r"(?m)^([ ]*)(\d{1,3})[.)][ ]+(?=\S)"),
         lambda match: f"{match[1]}{numerals.cardinal(int(match[2]))}, "),
    Rule(re.compile(rf"(?<![\w.,-])({_NUMBER})\s?[-–]\s?({_NUMBER})(?![\w-]|[.,]\d)"), _range),
    Rule(re.compile(rf"(?<![\w.)\]-])[-−](?={_NUMBER})"), "menos "),
    Rule(re.compile(r"\b(?=\w*\d)(?=\w*[^\W\d_])[^\W_]+\b"), _mixed),
    Rule(re.compile(r"(?<=[^\W\d_])-(?=\d)"), " "),
    Rule(re.compile(_NUMBER), _plain),
    Rule(re.compile(f"[{re.escape(''.join(_SYMBOLS))}]"), lambda match: _SYMBOLS[match.group()]),
    Rule(re.compile(r"/"), " "),
)  # fmt: skip


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in RULES:
        draft.rewrite(rule.pattern, rule.reader)
