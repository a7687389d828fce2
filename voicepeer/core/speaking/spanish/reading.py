"""Spanish as data for the rules of Romance languages."""

from __future__ import annotations

import re

from voicepeer.core.speaking.romance.locale import Locale, Noun
from voicepeer.core.speaking.romance.reading import rules_of
from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spanish import numerals, vocabulary
from voicepeer.core.speaking.spoken import Draft


def _is_feminine(word: str) -> bool:
    lower = word.lower()
    singles = {lower, lower.removesuffix("s"), lower.removesuffix("es")}
    singles |= {f"{lower.removesuffix('ces')}z"} if lower.endswith("ces") else set()
    if singles & vocabulary.NOT_FEMININE:
        return False
    return bool(singles & vocabulary.FEMININE) or lower.removesuffix("s").endswith(
        vocabulary.FEMININE_ENDINGS
    )


def _date(day: int, month: int, year: int | None) -> str:
    said = f"{'primero' if day == 1 else numerals.cardinal(day)} de {vocabulary.MONTHS[month - 1]}"
    return f"{said} de {numerals.cardinal(year)}" if year is not None else said


def _time(hours: int, minutes: int) -> str:
    said = numerals.before_noun(hours, feminine=True)
    if minutes == 0:
        return said
    return f"{said} {'cero ' if minutes < 10 else ''}{numerals.cardinal(minutes)}"


def _fraction(top: int, bottom: int) -> str | None:
    """ "medio", "dos tercios", "cinco doceavos"; None where there is no name."""
    if not 1 < bottom <= 100 or top < 1:
        return None
    if bottom == 2:
        return "medio" if top == 1 else f"{numerals.before_noun(top)} medios"
    name = "cuarto" if bottom == 4 else numerals.part(bottom)
    return f"{numerals.before_noun(top)} {name}{'s' if top > 1 else ''}"


def _half_of(noun: str, feminine: bool, determined: bool) -> str:
    return f"{_HALF[feminine]} {noun}"


def _regnal(number: int, queen: bool) -> str:
    if number > 10:
        return numerals.cardinal(number)
    return numerals.ordinal(number, "a" if queen else "o") or ""


def _parts(match: re.Match[str]) -> str | None:
    """ "tres cuartas partes"."""
    top, bottom = int(match[1]), int(match[2])
    part = numerals.ordinal(bottom, "as" if top > 1 else "a")
    return part and f"{numerals.before_noun(top, feminine=True)} {part}"


def _hour(match: re.Match[str]) -> str:
    return f"{match[1]} {numerals.before_noun(int(match[2]), feminine=True)}"


def _week(match: re.Match[str]) -> str:
    """ "L-V" of opening hours."""
    return f"lunes a {({'V': 'viernes', 'S': 'sábado', 'D': 'domingo'})[match[1]]}"


_HALF = ("medio", "media")
_WEEKDAYS = "lunes|martes|miércoles|jueves|viernes|sábado|domingo"
_EXTRA = (
    Rule(
        re.compile(
            r"\b([Ll]as?)\s(1|21)(?=\s(?:y|de la|en punto|menos|pasadas|horas?|hasta|a)\b"
            r"|[,;.!?]?$|[,;]\s)"
        ),
        _hour,
    ),
    Rule(re.compile(r"\b[Cc]/\s?(?=\d)"), "cada "),
    Rule(re.compile(r"\b[Cc]/\s?(?=[A-ZÁÉÍÓÚ][a-zñáéíóú])"), "calle "),
    Rule(re.compile(r"\bs/n\b"), "sin número"),
    Rule(re.compile(r"(?<![\w./,])(\d)/(\d{1,2})(?=\spartes?\b)"), _parts),
    Rule(re.compile(r"\by/o\b"), "y o"),
    Rule(re.compile(r"(?<=[a-zà-ÿ.])\s?/\s?(?=\d{1,2}\s?h\b)"), " cada "),
    Rule(re.compile(r"\bL\s?[-–]\s?([VSD])\b"), _week),
    # Days that are remembered by their date: "el 8M".
    Rule(
        re.compile(r"\b([Ee]l|[Dd]el|[Aa]l)\s(\d{1,2})-?([MFSOJNDAE])(?!\w|\sde\s[a-z]{3})"),
        lambda match: f"{match[1]} {numerals.cardinal(int(match[2]))} {match[3]}",
    ),
)


LOCALE = Locale(
    cardinal=numerals.cardinal,
    before_noun=numerals.before_noun,
    ordinal=numerals.ordinal,
    ordinal_endings=(
        r"[ºª]s?|(?<=\b\d)°(?!\s?[CFK])|(?<=\b1\d)°(?!\s?[CFK])|er|os|as"
        r"|°(?=\s(?:aniversario|minuto|lugar|puesto|piso|cumpleaños|congreso|grado\s))"
        r"|e?r[oa]s?|d[oa]s?|t[oa]s?|m[oa]s?|v[oa]s?|n[oa]s?"
    ),
    singular=lambda word: word[:-1] if word.endswith(("os", "as")) else word,
    is_feminine=_is_feminine,
    comma="coma",
    point="punto",
    minus="menos",
    times=Noun("vez", "veces", feminine=True),
    by="por",
    upto="a",
    between="entre",
    out_of="sobre",
    score_words="nota|puntuación|calificación|puntaje|sacó|saqué|saca|obtuvo",
    power="elevado a",
    percent="por ciento",
    degree=Noun("grado", "grados"),
    number="número",
    version="versión",
    hashtag="hashtag",
    at="arroba",
    spelled={".": "punto", "-": "guion", "_": "guion bajo", "+": "más", "/": "barra"},
    date=_date,
    months="|".join(vocabulary.MONTHS),
    month_abbreviations={
        **{month[:3]: month for month in vocabulary.MONTHS},
        "sept": "septiembre",
        "agto": "agosto",
    },
    before_date=rf"el|día|fecha|{_WEEKDAYS}|mañana|hoy|ayer",
    before_improper="del?|al?|desde|hasta|para|antes",
    weekdays={
        **{day[:3]: day for day in _WEEKDAYS.split("|")},
        "mie": "miércoles",
        "sab": "sábado",
    },
    pressure=r"presión|tensión",
    day_parts=("de la mañana", "de la tarde", "de la noche"),
    time_before="[Ll]as?|[Dd]esde las|[Hh]oras?",
    laws=r"[Ll]ey(?: [Oo]rgánica)?|[Dd]ecreto(?:[ -][Ll]ey)?|[Rr]esolución|[Dd]irectiva|"
    r"R\.\s?D\.|[Oo]rden",
    law_link=" de ",
    time=_time,
    hour_marks=r"(?!)",
    after_time=r"\s?(?:h|horas)\b",
    currencies=vocabulary.CURRENCIES,
    sign=r"US\$|MX\$|S/(?=\s?\d)|[€$£¥₹₩₽₿]|\b(?:EUR|USD|MXN|ARS|COP|CLP|PEN)(?=\s?\d)",
    code=r"€|₹|₩|₽|₿|¢|US\$|\$|£|¥|EUR|USD|GBP|JPY|MXN|ARS|COP|CLP|UYU|PEN|CHF|euros|MX\$|S/",
    cents_link=" con ",
    scales=vocabulary.SCALES,
    of=lambda noun: f"de {noun}",
    units=vocabulary.UNITS,
    per=vocabulary.PER,
    per_unit=lambda unit: f"por {unit.one}",
    centimetres_link=" ",
    half=_HALF,
    half_of=_half_of,
    fraction=_fraction,
    link=" y ",
    ordinal_before_noun="er",
    short_ordinal_endings=r"[ao]s?",
    roman_before=(
        r"[Ss]iglos?|[Cc]apítulos?|[Tt]omos?|[Vv]olumen|[Aa]nexos?|[Ff]ases?|[Nn]ivel|[Pp]artes?|"
        r"[Tt]ítulos?|[Ll]ibros?|[Tt]ipos?|[Ss]almos?|[Gg]rupos?|[Ss]ección|[Aa]cto|[Ee]scena|[Cc]lase|"
        r"[Dd]istrito|[Zz]ona|[Ff]igura|[Tt]abla|[Cc]uadro|[Pp]lan|[Dd]ivisión|[Cc]anto|Super Bowl|"
        r"[Aa]partado|[Ll]ección|[Ee]tapa|Rocky|Windows|Fórmula"
    ),
    roman_ordinal_after=(
        r"\s(?:[Cc]ongreso|[Ee]ncuentro|[Ss]emana|[Ee]dición|[Gg]uerra|[Jj]ornadas?|[Cc]umbre|"
        r"[Rr]epública|[Ff]estival|[Cc]oncurso|[Ff]eria|[Cc]entenario|[Aa]niversario|[Rr]eich|"
        r"[Ll]egislatura|[Cc]ertamen|[Ff]oro|[Pp]remio)"
    ),
    regnal=_regnal,
    regnal_names=(
        r"Carlos|Felipe|Alfonso|Fernando|Isabel|Luis|Enrique|Juan Pablo|Juan|Pío|Benedicto|Papa|"
        r"Napoleón|Pedro|Jaime|Sancho|María|León|Pablo|Jorge|Guillermo|Nicolás|Alejandro|"
        r"Catalina|Francisco|Ramiro|Juana|Luis Felipe|Gregorio|Inocencio|Clemente|Sixto|Urbano|"
        r"Enrique|Eduardo|Ricardo|Federico|Gustavo|Balduino|Alberto|Leopoldo|Iván"
    ),
    abbreviations=vocabulary.ABBREVIATIONS,
    before_numbers={
        "p": "página",
        "pp": "páginas",
        "s": "siglo",
        "ss": "siglos",
        "pág": "página",
        "t": "tomo",
        "c": "capítulo",
        "ap": "apartado",
        "tab": "tabla",
    },
    ending_abbreviations=frozenset(
        {
            "etc",
            "EE. UU",
            "EE.UU",
            "a. C",
            "d. C",
            "a.C",
            "d.C",
            "RR. HH",
            "FF. AA",
            "JJ. OO",
            "CC. AA",
            "hab",
            "atte",
            "dcha",
            "izq",
        }
    ),
    symbols=vocabulary.SYMBOLS,
    extra=_EXTRA,
    phone=(
        r"(?<![\w.+-])[6-9]\d{2}[ -]\d{3}[ -]\d{3}(?![\w-])"
        r"|(?<![\w.+-])[6-9]\d{2}(?: \d\d){3}(?![\w-])"
        r"|(?<![\w.+-])9\d(?: \d{3})(?: \d\d){2}(?![\w-])"
        r"|(?<![\w.+-])[89]00[ -]\d{2,3}[ -]\d{2,3}(?:[ -]\d{2,3})?(?![\w-])"
    ),
)
_RULES = rules_of(LOCALE)


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
