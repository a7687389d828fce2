"""Italian as data for the rules of Romance languages."""

from __future__ import annotations

import re

from voicepeer.core.speaking.italian import numerals, vocabulary
from voicepeer.core.speaking.romance.locale import Locale, Noun
from voicepeer.core.speaking.romance.reading import rules_of
from voicepeer.core.speaking.rule import Rule, alternatives
from voicepeer.core.speaking.spoken import Draft


def _is_feminine(word: str) -> bool:
    bare = word.lower()
    return (
        bare in vocabulary.FEMININE
        or bare not in vocabulary.NOT_FEMININE
        and bare.endswith(("a", "zione", "sione", "gione", "tà", "tù", "trice", "ice", "udine"))
    )


def _date(day: int, month: int, year: int | None) -> str:
    said = f"{'primo' if day == 1 else numerals.cardinal(day)} {vocabulary.MONTHS[month - 1]}"
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


def _half_of(noun: str, feminine: bool, determined: bool) -> str:
    """ "mezzo litro", "mezza tazza", "mezz'ora"."""
    if feminine and noun.startswith("or"):
        return f"mezz'{noun}"
    return f"{_HALF[feminine]} {noun}"


def _per_unit(unit: Noun) -> str:
    """ "al litro", "alla tonnellata", "all'ora"."""
    if unit.one[0] in "aeiouh":
        return f"all'{unit.one}"
    return f"{'alla' if unit.feminine else 'al'} {unit.one}"


def _regnal(number: int, queen: bool) -> str:
    return numerals.ordinal(number, "a" if queen else "o") or ""


def _spoken_hour(match: re.Match[str]) -> str | None:
    """Times with a period are told from decimals by the article before them ("alle 14.30")."""
    hours, minutes = int(match[2]), int(match[3])
    if hours > 24 or minutes > 59:
        return None
    before = "ore" if match[1] in "hH" else match[1]
    return f"{before} {_time(hours, minutes)}"


def _hours(match: re.Match[str]) -> str | None:
    """ "8.30-12.30", which are no decimals because those have a comma."""
    if not (match[2] or match[4]):
        return None
    first, last = (int(match[1]), int(match[2] or 0)), (int(match[3]), int(match[4] or 0))
    if (
        not first < last <= (24, 0)
        or (first[1] % 5, last[1] % 5) != (0, 0)
        or first[1] > 59
        or last[1] > 59
    ):
        return None
    return f"{_time(*first)} a {_time(*last)}"


def _article(match: re.Match[str]) -> str | None:
    """ "uno studente", "un'ora": what one is before some beginnings."""
    word = match[1]
    if _is_feminine(word):
        return "un'" if word[0] in "aeiouàèéìòù" else None
    return "uno " if re.match(r"s[^aeiou]|z|gn|ps|x", word) else None


def _joined(match: re.Match[str]) -> str:
    return _JOINED[match.group().rstrip(".")]


def _saint(match: re.Match[str]) -> str:
    """ "San Pietro", "Santa Maria", "Sant'Anna", "Santo Stefano"."""
    name = match[1]
    if name[0] in "AEIOU":
        return f"Sant'{name}"
    if name.endswith("a") and name not in ("Luca", "Andrea", "Mattia"):
        return f"Santa {name}"
    return f"{'Santo' if re.match(r'S[^aeiou]|Z', name) else 'San'} {name}"


def _singular(word: str) -> str:
    """ "litro" of "litri", "tazza" of "tazze"; what else ends so is rarely counted in halves."""
    if word in ("mesi", "notti", "parti"):
        return f"{word[:-1]}e"
    return word[:-1] + {"i": "o", "e": "a"}.get(word[-1:], word[-1:])


def _first_day(match: re.Match[str]) -> str | None:
    """ "dall'1/9"."""
    month = int(match[2])
    if not 1 <= month <= 12:
        return None
    return f"{_WITH_FIRST[match[1].lower()]} primo {vocabulary.MONTHS[month - 1]}"


def _first(match: re.Match[str]) -> str:
    """ "il primo maggio" for "l'1 maggio", which nobody says as it is written."""
    return f"{_WITH_FIRST[match[1].lower()]} primo"


_HALF = ("mezzo", "mezza")
_WITH_FIRST = {"l": "il", "dell": "del", "all": "al", "dall": "dal", "sull": "sul", "nell": "nel"}
_WEEKDAYS = "luned[iì]|marted[iì]|mercoled[iì]|gioved[iì]|venerd[iì]|sabato|domenica"
_JOINED = {
    "Sig.ra": "signora", "sig.ra": "signora", "Dott.ssa": "dottoressa",
    "dott.ssa": "dottoressa", "Prof.ssa": "professoressa", "prof.ssa": "professoressa",
    "p.zza": "piazza", "P.zza": "piazza", "v.le": "viale", "V.le": "viale", "c.so": "corso",
    "C.so": "corso", "Sig.na": "signorina", "sig.na": "signorina", "Sig.ri": "signori",
    "sig.ri": "signori", "Sig.re": "signore", "Dott.ri": "dottori",
    "Gent.mo": "gentilissimo", "Gent.ma": "gentilissima",
    "Ill.mo": "illustrissimo", "Ill.ma": "illustrissima", "Chiar.mo": "chiarissimo",
    "Preg.mo": "pregiatissimo", "Spett.le": "spettabile", "F.lli": "fratelli", "f.lli": "fratelli",
    "L.go": "largo", "l.go": "largo", "P.le": "piazzale", "p.le": "piazzale", "S.ta": "santa",
    "Dr.ssa": "dottoressa", "dr.ssa": "dottoressa", "Prof.ri": "professori",
    "On.le": "onorevole", "n.ro": "numero", "N.ro": "numero",
}  # fmt: skip
_EXTRA = (
    Rule(
        re.compile(
            r"\b((?:[AaDd]|[Dd]a)ll|[Ll])'1(?=\s(?:e\s\d|di notte|in punto|meno|del pom))"
            r"|\b([Dd]?[Aa]ll)'1(?=[,.;!?]?$|[,;]\s)"
        ),
        lambda match: f"{match[1] or match[2]}'una",
    ),
    Rule(re.compile(r"(?<=[IVX]\s)[Ss]ec\.(?!\w)"), "secolo"),
    Rule(
        re.compile(
            r"(?<![\w.,:])(\d{1,2})(?:\.(\d\d))?\s?[-–]\s?(\d{1,2})(?:\.(\d\d))?"
            r"(?![\w:/]|[.,]\d|\s?(?:[€$£%°]|euro|mila|milion|miliard|kg|cm|km|mm?|l|g)\b)"
        ),
        _hours,
    ),
    Rule(re.compile(r"(?<=[a-zà-ÿ.])\s?/\s?(?=\d{1,2}\s?h\b)(?!\s?24)"), " ogni "),
    Rule(
        re.compile(
            r"\b((?:[Dd]?[Aa]ll|[Dd]ell|[Ss]ull)e|[Oo]re|[Oo]rario|[Hh]|"
            r"(?:[Tt]ra|[Vv]erso|[Ee]ntro|[Pp]er|[Ss]ono) le)\s(\d{1,2})[.,](\d\d)(?!\d|[.,]\d)"
        ),
        _spoken_hour,
    ),
    Rule(re.compile(r"(?<![\w.,/-])1\s(?=([a-zàèéìòù]{2,})\b)"), _article),
    Rule(
        re.compile(rf"\b(?:{alternatives(_JOINED)})\b\.?(?!\w)"),
        _joined,
    ),
    Rule(re.compile(r"\b24\s?h/24\b"), "ventiquattr'ore su ventiquattro"),
    Rule(re.compile(r"\bS\.\s?([A-Z][a-zà-ÿ]+)"), _saint),
    Rule(re.compile(r"\bSS\.(?=\s[A-Z])"), "Santi"),
    Rule(re.compile(r"\bL\.(?=\s?\d)"), "legge"),
    Rule(re.compile(r"\bc/c\b"), "conto corrente"),
    Rule(re.compile(r"\be/o\b"), "e o"),
    Rule(re.compile(r"\ball\.(?=\s?\d)"), "allegato"),
    Rule(re.compile(r"\bP\.\s?IVA\b"), "partita IVA"),
    Rule(re.compile(rf"\b({alternatives(_WITH_FIRST)})'1/(\d{{1,2}})(?![\d/])", re.I), _first_day),
    Rule(
        re.compile(
            rf"\b({alternatives(_WITH_FIRST)})'1°?(?=\s(?:{'|'.join(vocabulary.MONTHS)})\b)", re.I
        ),
        _first,
    ),
)

LOCALE = Locale(
    cardinal=numerals.cardinal,
    before_noun=numerals.before_noun,
    ordinal=numerals.ordinal,
    ordinal_endings=(
        r"[ºª]|\^(?=[\s,.;)]|$)|(?<=\b\d)°(?!\s?[CFK])|(?<=\b1\d)°(?!\s?[CFK])"
        r"|°(?=\s(?:anniversario|posto|compleanno|minuto|giorno|piano|parallelo|reggimento|congresso|"
        r"secolo|gol|giro|turno|battaglione|livello))"
    ),
    singular=_singular,
    is_feminine=_is_feminine,
    comma="virgola",
    point="punto",
    minus="meno",
    times=Noun("volta", "volte", feminine=True),
    by="per",
    upto="a",
    between="tra|fra",
    out_of="su",
    score_words="voto|punteggio|media|preso|punti",
    power="alla",
    plural_endings=("e", "i"),
    percent="per cento",
    degree=Noun("grado", "gradi"),
    number="numero",
    version="versione",
    hashtag="hashtag",
    at="chiocciola",
    spelled={".": "punto", "-": "trattino", "_": "trattino basso", "+": "più", "/": "barra"},
    date=_date,
    months="|".join(vocabulary.MONTHS),
    month_abbreviations={
        **{month[:3]: month for month in vocabulary.MONTHS},
        "genn": "gennaio",
        "febbr": "febbraio",
        "sett": "settembre",
    },
    before_date=rf"il|giorno|data|{_WEEKDAYS}|domani|ieri|oggi",
    before_improper="dal|al|del|dall'|di|entro|prima|dopo|fino al|da|a",
    weekdays={
        "lun": "lunedì",
        "mar": "martedì",
        "mer": "mercoledì",
        "gio": "giovedì",
        "ven": "venerdì",
        "sab": "sabato",
        "dom": "domenica",
    },
    pressure="pressione",
    pressure_link=" su ",
    day_parts=("di mattina", "di pomeriggio", "di sera"),
    laws=r"[Ll]egge|[Dd]ecreto(?: legislativo| legge)?|[Dd]irettiva|[Rr]egolamento|"
    r"[Dd]\.\s?[Ll]gs\.?|D\.P\.R\.?|D\.L\.|D\.M\.|D\.P\.C\.M\.",
    law_link=" del ",
    time=_time,
    hour_marks=r"(?!)",
    after_time=r"\s?h\b",
    currencies=vocabulary.CURRENCIES,
    sign=r"US\$|[€$£¥₹₩₽₿]|\b(?:EUR|USD|GBP|CHF)(?=\s?\d)|\beuro(?=\s\d)",
    code=r"€|₹|₩|₽|₿|¢|US\$|\$|£|¥|EUR|USD|GBP|JPY|CHF|euro",
    cents_link=" e ",
    scales=vocabulary.SCALES,
    of=lambda noun: f"di {noun}",
    units=vocabulary.UNITS,
    per=vocabulary.PER,
    per_unit=_per_unit,
    centimetres_link=" e ",
    half=_HALF,
    half_of=_half_of,
    fraction=_fraction,
    link=" e ",
    short_ordinal_endings="[ao]",
    roman_before=(
        r"[Cc]apitol[oi]|[Tt]om[oi]|[Vv]olum[ei]|[Aa]llegat[oi]|[Ff]as[ei]|[Ll]ivello|[Pp]art[ei]|"
        r"[Tt]ip[oi]|[Ss]alm[oi]|[Gg]rupp[oi]|[Ff]igura|[Tt]abella|[Ss]ezione|[Cc]ategoria|[Zz]ona|[Tt]avola|"
        r"Super Bowl|Rocky|[Cc]lasse|[Nn]umero"
    ),
    roman_ordinal_before=r"[Ss]ecol[oi]|[Cc]anto|[Aa]tto|[Ss]cena|[Ll]ibro",
    roman_ordinal_after=(
        r"\s(?:secolo|classe|elementare|guerra|edizione|legislatura|giornata|congresso|canto|atto|capitolo|"
        r"Olimpiade|Reich|Repubblica|repubblica|municipio|circoscrizione|anniversario|centenario|"
        r"Congresso|Guerra|Settimana|libro|volume|dinastia|legione|crociata|incontro|festival|"
        r"Festival|premio|Premio|arrondissement|concilio|Concilio)"
    ),
    regnal=_regnal,
    regnal_names=(
        r"Carlo|Luigi|Enrico|Francesco|Napoleone|Vittorio Emanuele|Umberto|Elisabetta|Federico|"
        r"Papa|Giovanni Paolo|Giovanni|Pio|Paolo|Benedetto|Leone|Guglielmo|Filippo|Pietro|Giorgio|"
        r"Edoardo|Alessandro|Caterina|Clemente|Gregorio|"
        r"Innocenzo|Sisto|Urbano|Nicola|Cosimo|Ferdinando|Alfonso|Riccardo|Bonifacio|Giulio|Leopoldo"
    ),
    abbreviations=vocabulary.ABBREVIATIONS,
    before_numbers={
        "p": "pagina",
        "pp": "pagine",
        "sec": "secolo",
        "secc": "secoli",
        "s": "secolo",
        "c": "comma",
        "co": "comma",
        "v": "verso",
        "vv": "versi",
        "nr": "numero",
        "tav": "tavola",
    },
    ending_abbreviations=frozenset(
        {
            "ecc",
            "a.C",
            "d.C",
            "a. C",
            "d. C",
            "min",
            "max",
            "S.p.A",
            "S.r.l",
            "S.n.c",
            "S.a.s",
            "s.l.m",
            "q.b",
            "c.a",
            "u.s",
            "p.v",
            "ab",
            "abit",
        }
    ),
    symbols=vocabulary.SYMBOLS,
    phone=(
        r"(?<![\w.+])0\d{1,3}[ /-]\d{5,8}(?![\w-])|"
        r"(?<![\w.+])(?:8\d\d|199)[ .-]\d{3}[ .-]\d{3}(?![\w-])|"
        r"(?<![\w.+])3\d\d[ .-]\d{3}[ .-]?\d{3,4}(?![\w-])"
    ),
    extra=_EXTRA,
)
_RULES = (*rules_of(LOCALE), Rule(re.compile(r"\b([Uu]n)a (?=ora\b)"), r"un'"))


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
