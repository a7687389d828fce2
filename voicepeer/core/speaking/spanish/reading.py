"""Spanish as data for the rules of Romance languages."""

from __future__ import annotations

from voicepeer.core.speaking.romance.locale import Currency, Locale, Noun, Scale
from voicepeer.core.speaking.romance.reading import rules_of
from voicepeer.core.speaking.spanish import numerals
from voicepeer.core.speaking.spoken import Draft

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
_EURO = Currency(Noun("euro", "euros"))
_DOLLAR = Currency(Noun("dólar", "dólares"))
_POUND = Currency(Noun("libra", "libras", feminine=True))
_YEN = Currency(Noun("yen", "yenes"))
_PESO = Currency(Noun("peso", "pesos"))
_CURRENCIES = {
    "₹": Currency(Noun("rupia", "rupias", feminine=True)),
    "₩": Currency(Noun("won", "wones")),
    "₽": Currency(Noun("rublo", "rublos")),
    "₿": Currency(Noun("bitcoin", "bitcoins")),
    "€": _EURO, "EUR": _EURO, "euros": _EURO, "$": _DOLLAR, "USD": _DOLLAR, "US$": _DOLLAR,
    "¢": Currency(Noun("centavo", "centavos")), "£": _POUND, "GBP": _POUND, "¥": _YEN, "JPY": _YEN,
    "MXN": _PESO, "ARS": _PESO, "COP": _PESO,
}  # fmt: skip
_THOUSAND, _MILLION = Scale("mil", "mil", False), Scale("millón", "millones", True)
_SCALES = {
    "mil": _THOUSAND, "millón": _MILLION, "millones": _MILLION,
    "billones": Scale("billón", "billones", True), "M": _MILLION, "k": _THOUSAND, "K": _THOUSAND,
}  # fmt: skip
_UNITS = {
    "km/h": Noun("kilómetro por hora", "kilómetros por hora"),
    "m/s": Noun("metro por segundo", "metros por segundo"),
    "Mbps": Noun("megabit por segundo", "megabits por segundo"),
    "MB/s": Noun("megabyte por segundo", "megabytes por segundo"),
    "km": Noun("kilómetro", "kilómetros"), "m": Noun("metro", "metros"),
    "cm": Noun("centímetro", "centímetros"), "mm": Noun("milímetro", "milímetros"),
    "m²": Noun("metro cuadrado", "metros cuadrados"),
    "m2": Noun("metro cuadrado", "metros cuadrados"),
    "km²": Noun("kilómetro cuadrado", "kilómetros cuadrados"),
    "m³": Noun("metro cúbico", "metros cúbicos"), "m3": Noun("metro cúbico", "metros cúbicos"),
    "ha": Noun("hectárea", "hectáreas", feminine=True), "kg": Noun("kilogramo", "kilogramos"),
    "g": Noun("gramo", "gramos"), "mg": Noun("miligramo", "miligramos"),
    "t": Noun("tonelada", "toneladas", feminine=True), "l": Noun("litro", "litros"),
    "L": Noun("litro", "litros"), "ml": Noun("mililitro", "mililitros"),
    "ms": Noun("milisegundo", "milisegundos"), "s": Noun("segundo", "segundos"),
    "min": Noun("minuto", "minutos"), "h": Noun("hora", "horas", feminine=True),
    "Hz": Noun("hercio", "hercios"), "kHz": Noun("kilohercio", "kilohercios"),
    "MHz": Noun("megahercio", "megahercios"), "GHz": Noun("gigahercio", "gigahercios"),
    "dB": Noun("decibelio", "decibelios"), "W": Noun("vatio", "vatios"),
    "kW": Noun("kilovatio", "kilovatios"), "kWh": Noun("kilovatio hora", "kilovatios hora"),
    "V": Noun("voltio", "voltios"), "kcal": Noun("kilocaloría", "kilocalorías", feminine=True),
    "KB": Noun("kilobyte", "kilobytes"), "MB": Noun("megabyte", "megabytes"),
    "GB": Noun("gigabyte", "gigabytes"), "TB": Noun("terabyte", "terabytes"),
    "px": Noun("píxel", "píxeles"), "°": Noun("grado", "grados"),
}  # fmt: skip
_PER = {
    "h": "por hora", "hora": "por hora", "día": "al día", "mes": "al mes", "año": "al año",
    "kg": "el kilo", "l": "el litro", "L": "el litro", "m²": "el metro cuadrado",
    "persona": "por persona", "noche": "por noche", "s": "por segundo", "min": "por minuto",
    "semana": "a la semana",
}  # fmt: skip
_SYMBOLS = {
    "¢": " centavos ", "₩": " wones ", "₽": " rublos ", "₿": " bitcoins ", "₹": " rupias ",
    "&": " y ", "@": " arroba ", "%": " por ciento ", "+": " más ", "=": " igual a ",
    "→": " a ", "←": " de ", "≈": " aproximadamente ", "±": " más menos ", "×": " por ",
    "÷": " entre ", "≤": " menor o igual que ", "≥": " mayor o igual que ",
    "≠": " distinto de ", "°": " grados ", "§": " sección ", "€": " euros ", "$": " dólares ",
    "£": " libras ", "¥": " yenes ", "©": "", "®": "", "™": "", "#": " ", "_": " ", "|": ", ",
    "\\": " ", "^": " ", "~": " ", "<": " menor que ", ">": " mayor que ", "{": "", "}": "",
    "*": " ", "`": "", "²": " al cuadrado ", "³": " al cubo ", "√": " raíz de ",
    "∞": " infinito ", "π": " pi ",
}  # fmt: skip
_FEMININE = frozenset(
    "mujer mujeres mano manos noche noches tarde tardes parte partes flor flores ley leyes luz "
    "luces voz voces clase clases llave llaves calle calles serie series madre madres cruz "
    "cruces fuente fuentes gente red redes torre torres imagen imágenes señal señales".split()
)
_NOT_FEMININE = frozenset(
    "día problema programa sistema mapa tema idioma clima planeta poema drama".split()
)


def _is_feminine(word: str) -> bool:
    single = word.lower().removesuffix("s")
    return (
        word.lower() in _FEMININE
        or single not in _NOT_FEMININE
        and single.endswith(
            ("a", "ción", "sión", "gión", "cione", "sione", "gione", "dad", "dade", "vece", "vez")
        )
    )


def _date(day: int, month: int, year: int | None) -> str:
    said = f"{'primero' if day == 1 else numerals.cardinal(day)} de {_MONTHS[month - 1]}"
    return f"{said} de {numerals.cardinal(year)}" if year is not None else said


def _time(hours: int, minutes: int) -> str:
    said = numerals.before_noun(hours, feminine=True)
    if minutes == 0:
        return f"{said} en punto"
    return f"{said} {'cero ' if minutes < 10 else ''}{numerals.cardinal(minutes)}"


def _fraction(top: int, bottom: int) -> str | None:
    """ "medio", "dos tercios"; None where there is no short name."""
    if (top, bottom) == (1, 2):
        return "medio"
    name = {2: "medio", 3: "tercio"}.get(bottom)
    if name is None and 4 <= bottom <= 10:
        name = numerals.ordinal(bottom)
    if name is None or top < 1:
        return None
    return f"{numerals.before_noun(top)} {name}{'s' if top > 1 else ''}"


def _regnal(number: int, name: str) -> str:
    if number > 10:
        return numerals.cardinal(number)
    return numerals.ordinal(number, "a" if name.endswith("a") or name == "Isabel" else "o") or ""


LOCALE = Locale(
    cardinal=numerals.cardinal,
    before_noun=numerals.before_noun,
    ordinal=numerals.ordinal,
    ordinal_endings=r"º|ª|(?<=\b\d)°(?!\s?[CFK])|(?<=\b1\d)°(?!\s?[CFK])|er|os|as",
    is_feminine=_is_feminine,
    comma="coma",
    point="punto",
    minus="menos",
    times="veces",
    upto="a",
    percent="por ciento",
    degree=Noun("grado", "grados"),
    number="número",
    version="versión",
    hashtag="hashtag",
    at="arroba",
    spelled={".": "punto", "-": "guion", "_": "guion bajo", "+": "más", "/": "barra"},
    date=_date,
    months="|".join(_MONTHS),
    time=_time,
    hour_marks=r"(?!)",
    after_time=r"\s?(?:h|horas)\b",
    currencies=_CURRENCIES,
    sign=r"US\$|[€$£¥₹₩₽₿]",
    code=r"€|₹|₩|₽|₿|¢|US\$|\$|£|¥|EUR|USD|GBP|JPY|MXN|ARS|COP|euros",
    cents_link=" con ",
    scales=_SCALES,
    of=lambda noun: f"de {noun}",
    units=_UNITS,
    per=_PER,
    fraction=_fraction,
    link=" y ",
    roman_before=r"[Ss]iglo|[Cc]apítulo|[Tt]omo|[Vv]olumen|[Aa]nexo|[Ff]ase|[Nn]ivel|[Pp]arte",
    roman_ordinal_after=r"\s(?:Congreso|Encuentro|Semana|Edición|Guerra)",
    regnal=_regnal,
    regnal_names=(
        r"Carlos|Felipe|Alfonso|Fernando|Isabel|Luis|Enrique|Juan Pablo|Juan|Pío|Benedicto|Papa|"
        r"Napoleón|Pedro|Jaime|Sancho|María|León"
    ),
    abbreviations=_ABBREVIATIONS,
    before_numbers={"p": "página", "pp": "páginas", "s": "siglo", "pág": "página"},
    ending_abbreviations=frozenset({"etc", "EE. UU", "EE.UU", "a. C", "d. C"}),
    symbols=_SYMBOLS,
    phone=(
        r"(?<![\w.+-])[6-9]\d{2}[ -]\d{3}[ -]\d{3}(?![\w-])"
        r"|(?<![\w.+-])[6-9]\d{2}(?: \d\d){3}(?![\w-])"
        r"|(?<![\w.+-])9\d(?: \d{3})(?: \d\d){2}(?![\w-])"
    ),
)
_RULES = rules_of(LOCALE)


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
