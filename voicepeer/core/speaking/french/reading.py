"""French as data for the rules of Romance languages."""

from __future__ import annotations

import re

from voicepeer.core.speaking.french import numerals
from voicepeer.core.speaking.romance.locale import Currency, Locale, Noun, Scale
from voicepeer.core.speaking.romance.reading import rules_of
from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spoken import Draft

_MONTHS = (
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre".split()
)
_ABBREVIATIONS = {
    "Mme": "madame", "Mmes": "mesdames", "Mlle": "mademoiselle",
    "Mlles": "mesdemoiselles", "M": "monsieur",
    "MM": "messieurs", "Dr": "docteur", "Pr": "professeur", "Me": "maître", "St": "saint",
    "Ste": "sainte", "etc": "et cetera", "p. ex": "par exemple", "p.ex": "par exemple",
    "c.-à-d": "c'est-à-dire", "cf": "confer", "env": "environ", "tél": "téléphone",
    "Tél": "téléphone", "av": "avenue", "bd": "boulevard", "boul": "boulevard", "vol": "volume",
    "chap": "chapitre", "art": "article", "max": "maximum", "éd": "édition",
    "apr. J.-C": "après Jésus-Christ", "av. J.-C": "avant Jésus-Christ", "fig": "figure",
    "réf": "référence", "janv": "janvier", "févr": "février", "juil": "juillet",
    "sept": "septembre", "oct": "octobre", "nov": "novembre", "déc": "décembre",
}  # fmt: skip
_EURO = Currency(Noun("euro", "euros"))
_DOLLAR = Currency(Noun("dollar", "dollars"))
_POUND = Currency(Noun("livre sterling", "livres sterling", feminine=True))
_YEN = Currency(Noun("yen", "yens"))
_FRANC = Currency(Noun("franc suisse", "francs suisses"))
_CURRENCIES = {
    "₹": Currency(Noun("roupie", "roupies", feminine=True)),
    "₩": Currency(Noun("won", "wons")),
    "₽": Currency(Noun("rouble", "roubles")),
    "₿": Currency(Noun("bitcoin", "bitcoins")),
    "€": _EURO, "EUR": _EURO, "euros": _EURO, "$": _DOLLAR, "USD": _DOLLAR, "US$": _DOLLAR,
    "£": _POUND, "GBP": _POUND,
    "¢": Currency(Noun("cent", "cents")), "¥": _YEN, "JPY": _YEN, "CHF": _FRANC,
    "CAD": Currency(Noun("dollar canadien", "dollars canadiens")),
}  # fmt: skip
_SCALES = {
    "mille": Scale("mille", "mille", False), "million": Scale("million", "millions", True),
    "millions": Scale("million", "millions", True),
    "milliard": Scale("milliard", "milliards", True),
    "milliards": Scale("milliard", "milliards", True), "k": Scale("mille", "mille", False),
    "K": Scale("mille", "mille", False), "M": Scale("million", "millions", True),
    "Md": Scale("milliard", "milliards", True), "Mds": Scale("milliard", "milliards", True),
    "Mrd": Scale("milliard", "milliards", True),
}  # fmt: skip
_UNITS = {
    "km/h": Noun("kilomètre à l'heure", "kilomètres à l'heure"),
    "m/s": Noun("mètre par seconde", "mètres par seconde"),
    "Mbit/s": Noun("mégabit par seconde", "mégabits par seconde"),
    "Mo/s": Noun("mégaoctet par seconde", "mégaoctets par seconde"),
    "km": Noun("kilomètre", "kilomètres"), "m": Noun("mètre", "mètres"),
    "cm": Noun("centimètre", "centimètres"), "mm": Noun("millimètre", "millimètres"),
    "µm": Noun("micromètre", "micromètres"), "nm": Noun("nanomètre", "nanomètres"),
    "m²": Noun("mètre carré", "mètres carrés"), "m2": Noun("mètre carré", "mètres carrés"),
    "km²": Noun("kilomètre carré", "kilomètres carrés"),
    "m³": Noun("mètre cube", "mètres cubes"), "m3": Noun("mètre cube", "mètres cubes"),
    "ha": Noun("hectare", "hectares"), "kg": Noun("kilogramme", "kilogrammes"),
    "g": Noun("gramme", "grammes"), "mg": Noun("milligramme", "milligrammes"),
    "t": Noun("tonne", "tonnes", feminine=True), "l": Noun("litre", "litres"),
    "L": Noun("litre", "litres"), "ml": Noun("millilitre", "millilitres"),
    "mL": Noun("millilitre", "millilitres"), "cl": Noun("centilitre", "centilitres"),
    "ms": Noun("milliseconde", "millisecondes", feminine=True),
    "s": Noun("seconde", "secondes", feminine=True),
    "min": Noun("minute", "minutes", feminine=True), "h": Noun("heure", "heures", feminine=True),
    "Hz": Noun("hertz", "hertz"), "kHz": Noun("kilohertz", "kilohertz"),
    "MHz": Noun("mégahertz", "mégahertz"), "GHz": Noun("gigahertz", "gigahertz"),
    "dB": Noun("décibel", "décibels"), "W": Noun("watt", "watts"),
    "kW": Noun("kilowatt", "kilowatts"), "kWh": Noun("kilowattheure", "kilowattheures"),
    "V": Noun("volt", "volts"), "mA": Noun("milliampère", "milliampères"),
    "kcal": Noun("kilocalorie", "kilocalories", feminine=True),
    "Ko": Noun("kilooctet", "kilooctets"), "ko": Noun("kilooctet", "kilooctets"),
    "Mo": Noun("mégaoctet", "mégaoctets"), "Go": Noun("gigaoctet", "gigaoctets"),
    "To": Noun("téraoctet", "téraoctets"), "MB": Noun("mégaoctet", "mégaoctets"),
    "GB": Noun("gigaoctet", "gigaoctets"), "px": Noun("pixel", "pixels"),
    "°": Noun("degré", "degrés"),
}  # fmt: skip
_PER = {
    "h": "par heure", "heure": "par heure", "j": "par jour", "jour": "par jour",
    "mois": "par mois", "an": "par an", "kg": "le kilo", "L": "le litre", "l": "le litre",
    "m²": "le mètre carré", "personne": "par personne", "nuit": "par nuit", "s": "par seconde",
    "min": "par minute", "semaine": "par semaine",
}  # fmt: skip
_SYMBOLS = {
    "¢": " cents ", "₩": " wons ", "₽": " roubles ", "₿": " bitcoins ", "₹": " roupies ",
    "&": " et ", "@": " arobase ", "%": " pour cent ", "+": " plus ", "=": " égale ",
    "→": " vers ", "←": " depuis ", "≈": " environ ", "±": " plus ou moins ", "×": " fois ",
    "÷": " divisé par ", "≤": " inférieur ou égal à ", "≥": " supérieur ou égal à ",
    "≠": " différent de ", "°": " degrés ", "§": " paragraphe ", "€": " euros ", "$": " dollars ",
    "£": " livres ", "¥": " yens ", "©": "", "®": "", "™": "", "#": " ", "_": " ", "|": ", ",
    "\\": " ", "^": " ", "~": " environ ", "<": " inférieur à ", ">": " supérieur à ", "{": "",
    "}": "", "*": " ", "`": "", "²": " au carré ", "³": " au cube ", "√": " racine de ",
    "∞": " infini ", "π": " pi ",
}  # fmt: skip
_FEMININE = re.compile(
    r"(?:[^\W\d_]*(?:tion|sion|ette|ance|ence|ure|esse|té|ée|ie|ille|elle|enne|euse|trice|ière|ade)s?|"
    r"heures?|minutes?|secondes?|semaines?|pages?|fois|années?|personnes?|voitures?|femmes?|"
    r"filles?|tonnes?|places?|pièces?|chambres?|chaises?|maisons?|tables?|tasses?|pommes?|"
    r"bouteilles?|lettres?|lignes?|langues?|villes?|rues?|portes?|cartes?|images?|voix|mains?|"
    r"sœurs?|mères?|amies?|dames?|nuits?|fleurs?|mers?|forêts?|dents?|fins?|lois?|clés?|photos?|"
    r"idées?|fêtes?|guerres?|forces?|sources?|routes?|rivières?|larmes?|gouttes?|étoiles?|"
    r"couleurs?|erreurs?|choses?|classes?|écoles?|étapes?|équipes?|machines?|vaches?|roses?)"
)
_MASCULINE = frozenset(
    "été côté comité musée lycée trophée incendie silence génie parapluie".split()
)


def _is_feminine(word: str) -> bool:
    bare = word.lower()
    return bare.removesuffix("s") not in _MASCULINE and _FEMININE.fullmatch(bare) is not None


def _date(day: int, month: int, year: int | None) -> str:
    said = f"{'premier' if day == 1 else numerals.cardinal(day)} {_MONTHS[month - 1]}"
    return f"{said} {numerals.cardinal(year)}" if year is not None else said


def _time(hours: int, minutes: int) -> str:
    said = f"{numerals.before_noun(hours, feminine=True)} {'heure' if hours < 2 else 'heures'}"
    return f"{said} {numerals.cardinal(minutes)}" if minutes else said


def _fraction(top: int, bottom: int) -> str | None:
    """ "un demi", "deux tiers", "trois quarts"; marks out of twenty are "quinze sur vingt"."""
    if not 1 < bottom <= 10 or top < 1:
        return f"{numerals.cardinal(top)} sur {numerals.cardinal(bottom)}"
    name = {2: "demi", 3: "tiers", 4: "quart"}.get(bottom) or numerals.ordinal(bottom) or ""
    many = "s" if top > 1 and not name.endswith("s") else ""
    return f"{numerals.cardinal(top)} {name}{many}"


def _of(noun: str) -> str:
    return f"d'{noun}" if noun[0] in "aeiouéh" else f"de {noun}"


def _regnal(number: int, name: str) -> str:
    if number == 1:
        return "première" if name.endswith(("a", "e", "th")) else "premier"
    return numerals.cardinal(number)


_WITHOUT_PERIOD = ("Mme", "Mmes", "Mlle", "Mlles", "Dr", "Pr", "Me", "St", "Ste", "Bd", "Av")
_EXTRA = (
    Rule(re.compile(r"\b24\s?h/24\b"), "vingt-quatre heures sur vingt-quatre"),
    Rule(re.compile(r"\b7\s?j/7\b"), "sept jours sur sept"),
    Rule(
        re.compile(rf"\b({'|'.join(_WITHOUT_PERIOD)})(?=[\s-][A-ZÀ-Þ])"),
        lambda match: _ABBREVIATIONS.get(match[1]) or _ABBREVIATIONS[match[1].lower()],
    ),
)

LOCALE = Locale(
    cardinal=numerals.cardinal,
    before_noun=numerals.before_noun,
    ordinal=numerals.ordinal,
    ordinal_endings=r"ers?|ères?|res?|èmes?|emes?|ièmes?|nde?s?|es?|ᵉʳ?",
    is_feminine=_is_feminine,
    comma="virgule",
    point="point",
    minus="moins",
    times="fois",
    upto="à",
    percent="pour cent",
    degree=Noun("degré", "degrés"),
    number="numéro",
    version="version",
    hashtag="hashtag",
    at="arobase",
    spelled={".": "point", "-": "tiret", "_": "tiret bas", "+": "plus", "/": "barre"},
    date=_date,
    months="|".join(_MONTHS),
    time=_time,
    hour_marks=r"\s?[hH]\s?",
    after_time=r"\s?(?:h|heures)\b",
    currencies=_CURRENCIES,
    sign=r"US\$|[€$£¥₹₩₽₿]",
    code=r"€|₹|₩|₽|₿|¢|\$|£|¥|EUR|USD|GBP|JPY|CHF|CAD",
    cents_link=" ",
    scales=_SCALES,
    of=_of,
    units=_UNITS,
    per=_PER,
    fraction=_fraction,
    link=" et ",
    roman_before=(
        r"[Cc]hapitre|[Tt]ome|[Vv]olume|[Aa]cte|[Ss]cène|[Pp]artie|[Gg]uerre mondiale|"
        r"[Tt]itre|[Aa]nnexe|[Pp]hase|[Nn]iveau"
    ),
    roman_ordinal_after=r"(?!)",
    regnal=_regnal,
    regnal_names=(
        r"Charles|Louis|Henri|François|Napoléon|Philippe|Élisabeth|Elizabeth|Guillaume|Jean-Paul|"
        r"Louis-Philippe|Nicolas|Catherine|Frédéric|Alexandre|Albert|Léopold|Pie"
    ),
    abbreviations=_ABBREVIATIONS,
    before_numbers={"p": "page", "pp": "pages", "no": "numéro", "ch": "chapitre", "t": "tome"},
    ending_abbreviations=frozenset({"etc", "apr. J.-C", "av. J.-C", "max"}),
    symbols=_SYMBOLS,
    phone=r"(?<![\w.+])0\d(?:[ .-]\d\d){4}(?![\w-])",
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
