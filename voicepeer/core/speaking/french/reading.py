"""French as data for the rules of Romance languages."""

from __future__ import annotations

import re

from voicepeer.core.speaking.french import numerals, vocabulary
from voicepeer.core.speaking.romance.locale import Locale, Noun
from voicepeer.core.speaking.romance.reading import rules_of
from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spoken import Draft


def _is_feminine(word: str) -> bool:
    bare = word.lower()
    return (
        bare.removesuffix("s") not in vocabulary.MASCULINE
        and vocabulary.FEMININE.fullmatch(bare) is not None
    )


def _date(day: int, month: int, year: int | None) -> str:
    said = f"{'premier' if day == 1 else numerals.cardinal(day)} {vocabulary.MONTHS[month - 1]}"
    return f"{said} {numerals.cardinal(year)}" if year is not None else said


def _time(hours: int, minutes: int) -> str:
    said = f"{numerals.before_noun(hours, feminine=True)} {'heure' if hours < 2 else 'heures'}"
    return f"{said} {numerals.cardinal(minutes)}" if minutes else said


def _fraction(top: int, bottom: int) -> str | None:
    """ "un demi", "deux tiers", "trois quarts"; from elevenths on "cinq sur douze"."""
    if not 1 < bottom <= 10 or top < 1:
        return f"{numerals.cardinal(top)} sur {numerals.cardinal(bottom)}"
    name = {2: "demi", 3: "tiers", 4: "quart"}.get(bottom) or numerals.ordinal(bottom) or ""
    many = "s" if top > 1 and not name.endswith("s") else ""
    return f"{numerals.cardinal(top)} {name}{many}"


def _half_of(noun: str, feminine: bool, determined: bool) -> str:
    """ "une demi-heure", or only the half behind "une" or "la"."""
    if determined:
        return f"demi-{noun}"
    return f"{'une' if feminine else 'un'} demi-{noun}"


def _of(noun: str) -> str:
    return f"d'{noun}" if noun[0] in "aeiouéh" else f"de {noun}"


def _regnal(number: int, queen: bool) -> str:
    if number == 1:
        return "première" if queen else "premier"
    return numerals.cardinal(number)


def _days(match: re.Match[str]) -> str:
    days = numerals.cardinal(int(match[1]))
    return f"{days} jours sur sept"


_WITHOUT_PERIOD = (
    "Mme",
    "Mmes",
    "Mlle",
    "Mlles",
    "Dr",
    "Pr",
    "Me",
    "St",
    "Ste",
    "Bd",
    "Av",
    "bd",
    "av",
    "Mgr",
    "Cie",
    "Sté",
    "Vve",
    "Gal",
    "Cdt",
    "Prof",
)
_EXTRA = (
    Rule(re.compile(r"(?<=[a-zà-ÿ.])(?<!\dh)\s?/\s?(?=\d{1,2}\s?h\b)(?!\s?24)"), " toutes les "),
    Rule(re.compile(r"\bc\. ?à ?s(?:oupe\b|\.)"), "cuillère à soupe"),
    Rule(re.compile(r"\bc\. ?à ?c(?:afé\b|\.)"), "cuillère à café"),
    Rule(re.compile(r"\b([XVI]+e)\s[sS]\.(?!\w)"), lambda match: f"{match[1]} siècle"),
    Rule(re.compile(r"\b[Tt][ée]l(?=\s?:)"), "téléphone"),
    Rule(re.compile(r"\b[Nn]os\s(?=\d)"), "numéros "),
    Rule(re.compile(r"\b[Nn]o\s(?=\d)"), "numéro "),
    Rule(re.compile(r"(?<!\d)(?<!\d )\b[Mm]in\.(?=\s\d)"), "minimum"),
    Rule(re.compile(r"\b24\s?h\s?/\s?24\b"), "vingt-quatre heures sur vingt-quatre"),
    Rule(re.compile(r"\b([1-7])\s?j(?:ours)?\s?/\s?7\b"), _days),
    Rule(re.compile(r"\b4\s?[x×]\s?4\b(?!\s?=)"), "quatre-quatre"),
    Rule(
        re.compile(r"\b([LRD])\.\s?(\d+)-(\d+)\b"),
        lambda match: f"{match[1]} {match[2]} tiret {match[3]}",
    ),
    Rule(
        re.compile(rf"\b({'|'.join(_WITHOUT_PERIOD)})(?=[\s-][A-ZÀ-Þ])"),
        lambda match: (
            vocabulary.ABBREVIATIONS.get(match[1]) or vocabulary.ABBREVIATIONS[match[1].lower()]
        ),
    ),
)

LOCALE = Locale(
    cardinal=numerals.cardinal,
    before_noun=numerals.before_noun,
    ordinal=numerals.ordinal,
    ordinal_endings=r"ers?|ères?|eres?|res?|èmes?|emes?|ièmes?|nde?s?|(?<=\b2)de?s?|es?|ᵉʳ?",
    roman_endings=r"(?<=I)(?<!II)(?:ers?|res?|ère)|(?<!\bI)(?:èmes?|emes?|ièmes?|es?|ᵉ)",
    singular=lambda word: word.removesuffix("s"),
    is_feminine=_is_feminine,
    comma="virgule",
    point="point",
    minus="moins",
    times=Noun("fois", "fois", feminine=True),
    by="par",
    upto="à",
    between="entre",
    out_of="sur",
    score_words="note|noté|score|moyenne|eu|obtenu|obtient",
    power="puissance",
    percent="pour cent",
    degree=Noun("degré", "degrés"),
    number="numéro",
    version="version",
    hashtag="hashtag",
    at="arobase",
    spelled={".": "point", "-": "tiret", "_": "tiret bas", "+": "plus", "/": "barre"},
    date=_date,
    months="|".join(vocabulary.MONTHS),
    month_abbreviations={
        "janv": "janvier",
        "jan": "janvier",
        "févr": "février",
        "fév": "février",
        "avr": "avril",
        "juil": "juillet",
        "sept": "septembre",
        "sep": "septembre",
        "oct": "octobre",
        "nov": "novembre",
        "déc": "décembre",
        "dec": "décembre",
    },
    before_date="le|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|date|demain|hier",
    before_improper="du|au|de|dès|depuis|avant|après|jusqu'au|pour le",
    weekdays={
        "lun": "lundi",
        "mar": "mardi",
        "mer": "mercredi",
        "jeu": "jeudi",
        "ven": "vendredi",
        "sam": "samedi",
        "dim": "dimanche",
    },
    pressure="tension|pression",
    day_parts=("du matin", "de l'après-midi", "du soir"),
    laws="[Ll]oi|[Dd]écret|[Dd]irective|[Rr]èglement",
    law_link=" de ",
    time=_time,
    hour_marks=r"\s?[hH]\s?",
    after_time=r"\s?(?:h|heures|min|mn)\b",
    currencies=vocabulary.CURRENCIES,
    sign=r"US\$|CA\$|[€$£¥₹₩₽₿]|\b(?:EUR|USD|GBP|CHF|CAD)(?=\s?\d)",
    code=r"€|₹|₩|₽|₿|¢|\$ ?CA|\$ US|US\$|CA\$|FCFA|\$|£|¥|EUR|USD|GBP|JPY|CHF|CAD|euros",
    cents_link=" ",
    scales=vocabulary.SCALES,
    of=_of,
    units=vocabulary.UNITS,
    per=vocabulary.PER,
    per_unit=lambda unit: f"par {unit.one}",
    centimetres_link=" ",
    half=("demi", "demie"),
    half_of=_half_of,
    determiners=r"(?:d'|l')?une?|l[ae]|cette|ce|chaque|en|par|sa|son|ma|mon|ta|ton|demi",
    fraction=_fraction,
    link=" et ",
    roman_before=(
        r"[Cc]hapitres?|[Tt]omes?|[Vv]olumes?|[Aa]ctes?|[Ss]cènes?|[Pp]arties?|[Gg]uerre mondiale|"
        r"[Tt]itres?|[Aa]nnexes?|[Pp]hases?|[Nn]iveau|[Ll]ivres?|[Tt]ypes?|[Pp]saumes?|(?:l')?[Aa]n|[Gg]roupes?|[Ff]igures?|"
        r"[Tt]ableaux?|[Ll]igue|[Ss]ection|[Zz]one|Vatican|Paris|Lyon|Super Bowl|Rocky"
    ),
    roman_ordinal_after=r"\s(?:siècles?)\b",
    regnal=_regnal,
    regnal_names=(
        r"Charles|Louis|Henri|François|Napoléon|Philippe|Élisabeth|Elizabeth|Guillaume|Jean-Paul|"
        r"Louis-Philippe|Nicolas|Catherine|Frédéric|Alexandre|Albert|Léopold|Pie|Jean|Pierre|Paul|Georges|Édouard|Jacques|"
        r"Richard|Benoît|Marie|Baudouin|Hassan|Mohammed|Clovis|Victoria|Ramsès"
    ),
    abbreviations=vocabulary.ABBREVIATIONS,
    before_numbers={
        "p": "page",
        "pp": "pages",
        "no": "numéro",
        "ch": "chapitre",
        "t": "tome",
        "al": "alinéa",
        "l": "ligne",
    },
    ending_abbreviations=frozenset(
        {"etc", "apr. J.-C", "av. J.-C", "J.-C", "max", "hab", "pers", "arr", "Cie"}
    ),
    symbols=vocabulary.SYMBOLS,
    phone=(
        r"(?<![\w.+])0\d(?:[ .-]\d\d){4}(?![\w-])"
        r"|(?<![\w.+])0 ?8\d\d(?:[ .]\d{3}){2}(?![\w-])|(?<![\w.+])08 ?\d\d(?: \d\d){3}(?![\w-])"
    ),
    singular_below_two=True,
    phone_pairs=True,
    extra=_EXTRA,
)
_AGREEMENT = Rule(re.compile(r"\b(cent|quatre-vingt)s (?=mille\b)"), lambda match: f"{match[1]} ")
_RULES = (*rules_of(LOCALE), _AGREEMENT)


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
