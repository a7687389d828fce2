"""Italian as data for the rules of Romance languages."""

from __future__ import annotations

import re

from voicepeer.core.speaking.italian import numerals
from voicepeer.core.speaking.romance.locale import Currency, Locale, Noun, Scale
from voicepeer.core.speaking.romance.reading import rules_of
from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spoken import Draft

_MONTHS = (
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
    "dicembre".split()
)
_ABBREVIATIONS = {
    "Sig": "signor", "sig": "signor", "Sigg": "signori", "Dott": "dottor", "dott": "dottor",
    "Prof": "professor", "prof": "professor", "Ing": "ingegner", "Avv": "avvocato",
    "Arch": "architetto", "Geom": "geometra", "On": "onorevole", "ecc": "eccetera",
    "es": "esempio", "p. es": "per esempio", "pag": "pagina", "pagg": "pagine", "tel": "telefono",
    "Tel": "telefono", "cap": "capitolo", "cell": "cellulare", "art": "articolo", "vol": "volume",
    "ca": "circa", "a.C": "avanti Cristo", "d.C": "dopo Cristo", "a. C": "avanti Cristo",
    "d. C": "dopo Cristo", "S": "San", "max": "massimo", "min": "minimo", "fig": "figura",
    "cfr": "confronta", "S.p.A": "S P A", "S.r.l": "S R L",
}  # fmt: skip
_EURO = Currency(Noun("euro", "euro"))
_DOLLAR = Currency(Noun("dollaro", "dollari"))
_POUND = Currency(Noun("sterlina", "sterline", feminine=True))
_YEN = Currency(Noun("yen", "yen"))
_CURRENCIES = {
    "₹": Currency(Noun("rupia", "rupie", feminine=True)),
    "₩": Currency(Noun("won", "won")),
    "₽": Currency(Noun("rublo", "rubli")),
    "₿": Currency(Noun("bitcoin", "bitcoin")),
    "¢": Currency(Noun("centesimo", "centesimi")),
    "€": _EURO, "EUR": _EURO, "euro": _EURO, "$": _DOLLAR, "USD": _DOLLAR, "US$": _DOLLAR,
    "£": _POUND, "GBP": _POUND, "¥": _YEN, "JPY": _YEN,
    "CHF": Currency(Noun("franco svizzero", "franchi svizzeri")),
}  # fmt: skip
_MILLION, _BILLION = Scale("milione", "milioni", True), Scale("miliardo", "miliardi", True)
_SCALES = {
    "mila": Scale("mila", "mila", False), "milione": _MILLION, "milioni": _MILLION,
    "miliardo": _BILLION, "miliardi": _BILLION, "mln": _MILLION, "mld": _BILLION, "M": _MILLION,
    "k": Scale("mila", "mila", False), "K": Scale("mila", "mila", False),
}  # fmt: skip
_UNITS = {
    "km/h": Noun("chilometro orario", "chilometri orari"),
    "m/s": Noun("metro al secondo", "metri al secondo"),
    "Mbit/s": Noun("megabit al secondo", "megabit al secondo"),
    "MB/s": Noun("megabyte al secondo", "megabyte al secondo"),
    "km": Noun("chilometro", "chilometri"), "m": Noun("metro", "metri"),
    "cm": Noun("centimetro", "centimetri"), "mm": Noun("millimetro", "millimetri"),
    "m²": Noun("metro quadrato", "metri quadrati"), "m2": Noun("metro quadrato", "metri quadrati"),
    "mq": Noun("metro quadrato", "metri quadrati"),
    "km²": Noun("chilometro quadrato", "chilometri quadrati"),
    "m³": Noun("metro cubo", "metri cubi"), "m3": Noun("metro cubo", "metri cubi"),
    "ha": Noun("ettaro", "ettari"), "kg": Noun("chilogrammo", "chilogrammi"),
    "g": Noun("grammo", "grammi"), "mg": Noun("milligrammo", "milligrammi"),
    "t": Noun("tonnellata", "tonnellate", feminine=True), "l": Noun("litro", "litri"),
    "L": Noun("litro", "litri"), "ml": Noun("millilitro", "millilitri"),
    "cl": Noun("centilitro", "centilitri"), "ms": Noun("millisecondo", "millisecondi"),
    "s": Noun("secondo", "secondi"), "sec": Noun("secondo", "secondi"),
    "min": Noun("minuto", "minuti"), "h": Noun("ora", "ore", feminine=True),
    "Hz": Noun("hertz", "hertz"), "kHz": Noun("chilohertz", "chilohertz"),
    "MHz": Noun("megahertz", "megahertz"), "GHz": Noun("gigahertz", "gigahertz"),
    "dB": Noun("decibel", "decibel"), "W": Noun("watt", "watt"),
    "kW": Noun("chilowatt", "chilowatt"), "kWh": Noun("chilowattora", "chilowattora"),
    "V": Noun("volt", "volt"), "kcal": Noun("chilocaloria", "chilocalorie", feminine=True),
    "KB": Noun("kilobyte", "kilobyte"), "MB": Noun("megabyte", "megabyte"),
    "GB": Noun("gigabyte", "gigabyte"), "TB": Noun("terabyte", "terabyte"),
    "px": Noun("pixel", "pixel"), "°": Noun("grado", "gradi"),
}  # fmt: skip
_PER = {
    "h": "all'ora", "ora": "all'ora", "giorno": "al giorno", "g": "al giorno",
    "mese": "al mese", "anno": "all'anno", "kg": "al chilo", "l": "al litro", "L": "al litro",
    "m²": "al metro quadrato", "mq": "al metro quadrato", "persona": "a persona",
    "notte": "a notte", "s": "al secondo", "min": "al minuto", "settimana": "alla settimana",
}  # fmt: skip
_SYMBOLS = {
    "¢": " centesimi ", "₩": " won ", "₽": " rubli ", "₿": " bitcoin ", "₹": " rupie ",
    "&": " e ", "@": " chiocciola ", "%": " per cento ", "+": " più ", "=": " uguale ",
    "→": " verso ", "←": " da ", "≈": " circa ", "±": " più o meno ", "×": " per ",
    "÷": " diviso ", "≤": " minore o uguale a ", "≥": " maggiore o uguale a ",
    "≠": " diverso da ", "°": " gradi ", "§": " paragrafo ", "€": " euro ", "$": " dollari ",
    "£": " sterline ", "¥": " yen ", "©": "", "®": "", "™": "", "#": " ", "_": " ", "|": ", ",
    "\\": " ", "^": " ", "~": " circa ", "<": " minore di ", ">": " maggiore di ", "{": "",
    "}": "", "*": " ", "`": "", "²": " al quadrato ", "³": " al cubo ", "√": " radice di ",
    "∞": " infinito ", "π": " pi greco ",
}  # fmt: skip
_FEMININE = frozenset(
    "mano notte parte chiave gente luce voce legge classe rete moglie madre morte fede fine "
    "carne canzone arte base fronte mente neve pace salute serie specie torre valle veste auto "
    "foto moto radio".split()
)
_NOT_FEMININE = frozenset(
    "problema sistema tema programma clima diploma dramma poeta pianeta cinema panda gorilla "
    "giornalista artista turista".split()
)


def _is_feminine(word: str) -> bool:
    bare = word.lower()
    return (
        bare in _FEMININE
        or bare not in _NOT_FEMININE
        and bare.endswith(("a", "zione", "sione", "gione", "tà", "tù", "trice", "ice", "udine"))
    )


def _date(day: int, month: int, year: int | None) -> str:
    said = f"{'primo' if day == 1 else numerals.cardinal(day)} {_MONTHS[month - 1]}"
    return f"{said} {numerals.cardinal(year)}" if year is not None else said


def _time(hours: int, minutes: int) -> str:
    said = "una" if hours == 1 else numerals.cardinal(hours)
    return f"{said} e {numerals.cardinal(minutes)}" if minutes else said


def _fraction(top: int, bottom: int) -> str | None:
    """ "un mezzo", "due terzi"; None where there is none."""
    if not 1 < bottom <= 100 or top < 1:
        return None
    if bottom == 2:
        return "mezzo" if top == 1 else f"{numerals.cardinal(top)} mezzi"
    name = numerals.ordinal(bottom, "o" if top == 1 else "i")
    return f"{numerals.before_noun(top)} {name}"


def _regnal(number: int, name: str) -> str:
    feminine = name.endswith("a") and name not in ("Papa", "Andrea", "Luca")
    return numerals.ordinal(number, "a" if feminine else "o") or ""


def _spoken_hour(match: re.Match[str]) -> str | None:
    """Times with a period are told from decimals by the article before them ("alle 14.30")."""
    hours, minutes = int(match[2]), int(match[3])
    if hours > 24 or minutes > 59:
        return None
    return f"{match[1]} {_time(hours, minutes)}"


def _article(match: re.Match[str]) -> str | None:
    """ "uno studente", "un'ora": what one is before some beginnings."""
    word = match[1]
    if _is_feminine(word):
        return "un'" if word[0] in "aeiouàèéìòù" else None
    return "uno " if re.match(r"s[^aeiou]|z|gn|ps|x", word) else None


def _joined(match: re.Match[str]) -> str:
    return _JOINED[match.group().rstrip(".")]


_JOINED = {
    "Sig.ra": "signora", "sig.ra": "signora", "Dott.ssa": "dottoressa",
    "dott.ssa": "dottoressa", "Prof.ssa": "professoressa", "prof.ssa": "professoressa",
    "p.zza": "piazza", "P.zza": "piazza", "v.le": "viale", "V.le": "viale", "c.so": "corso",
    "C.so": "corso",
}  # fmt: skip
_EXTRA = (
    Rule(
        re.compile(
            r"\b((?:[Dd]?[Aa]ll|[Dd]ell|[Ss]ull)e|[Oo]re|[Oo]rario)\s(\d{1,2})[.,](\d\d)(?!\d|[.,]\d)"
        ),
        _spoken_hour,
    ),
    Rule(re.compile(r"(?<![\w.,/-])1\s(?=([a-zàèéìòù]{2,})\b)"), _article),
    Rule(
        re.compile(r"\b(?:[Ss]ig\.ra|[Dd]ott\.ssa|[Pp]rof\.ssa|[Pp]\.zza|[Vv]\.le|[Cc]\.so)\b"),
        _joined,
    ),
    Rule(re.compile(r"(?<!\w)['’]([4-9]0)\b"), lambda match: numerals.cardinal(int(match[1]))),
)

LOCALE = Locale(
    cardinal=numerals.cardinal,
    before_noun=numerals.before_noun,
    ordinal=numerals.ordinal,
    ordinal_endings=r"º|ª|(?<=\b\d)°(?!\s?[CFK])|(?<=\b1\d)°(?!\s?[CFK])",
    is_feminine=_is_feminine,
    comma="virgola",
    point="punto",
    minus="meno",
    times="volte",
    upto="a",
    percent="per cento",
    degree=Noun("grado", "gradi"),
    number="numero",
    version="versione",
    hashtag="hashtag",
    at="chiocciola",
    spelled={".": "punto", "-": "trattino", "_": "trattino basso", "+": "più", "/": "barra"},
    date=_date,
    months="|".join(_MONTHS),
    time=_time,
    hour_marks=r"(?!)",
    after_time=r"\s?h\b",
    currencies=_CURRENCIES,
    sign=r"US\$|[€$£¥₹₩₽₿]",
    code=r"€|₹|₩|₽|₿|¢|\$|£|¥|EUR|USD|GBP|JPY|CHF|euro",
    cents_link=" e ",
    scales=_SCALES,
    of=lambda noun: f"di {noun}",
    units=_UNITS,
    per=_PER,
    fraction=_fraction,
    link=" e ",
    roman_before=r"[Cc]apitolo|[Tt]omo|[Vv]olume|[Aa]llegato|[Ff]ase|[Ll]ivello|[Pp]arte",
    roman_ordinal_after=(
        r"\s(?:secolo|guerra|edizione|legislatura|giornata|congresso|canto|atto|capitolo|"
        r"Olimpiade)"
    ),
    regnal=_regnal,
    regnal_names=(
        r"Carlo|Luigi|Enrico|Francesco|Napoleone|Vittorio Emanuele|Umberto|Elisabetta|Federico|"
        r"Papa|Giovanni Paolo|Giovanni|Pio|Paolo|Benedetto|Leone|Guglielmo|Filippo|secolo|Secolo"
    ),
    abbreviations=_ABBREVIATIONS,
    before_numbers={"p": "pagina", "pp": "pagine", "sec": "secolo", "s": "secolo"},
    ending_abbreviations=frozenset(
        {"ecc", "a.C", "d.C", "a. C", "d. C", "min", "max", "S.p.A", "S.r.l"}
    ),
    symbols=_SYMBOLS,
    phone=(
        r"(?<![\w.+])0\d{1,3}[ /-]\d{5,8}(?![\w-])|"
        r"(?<![\w.+])3\d\d[ .-]\d{3}[ .-]?\d{3,4}(?![\w-])"
    ),
    extra=_EXTRA,
)
_RULES = (*rules_of(LOCALE), Rule(re.compile(r"\b([Uu]n)a (?=ora\b)"), r"un'"))


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
