"""How abbreviations and Roman numerals are said."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals
from voicepeer.core.speaking.rule import Rule, alternatives, text_after, text_before

_TITLES = {
    "Dr": "Doctor", "Mr": "Mister", "Mrs": "Missus", "Ms": "Miz", "Prof": "Professor",
    "Rev": "Reverend", "Hon": "Honorable", "Gen": "General", "Gov": "Governor",
    "Sen": "Senator", "Rep": "Representative", "Pres": "President", "Capt": "Captain",
    "Sgt": "Sergeant", "Lt": "Lieutenant", "Col": "Colonel", "Maj": "Major",
    "Cmdr": "Commander", "Mt": "Mount", "Ft": "Fort",
}  # fmt: skip
_BEFORE_NUMBERS = {
    "No": "number", "no": "number", "Nos": "numbers", "nos": "numbers", "Nr": "number",
    "Fig": "figure", "Figs": "figures", "fig": "figure", "Vol": "volume", "vol": "volume",
    "Ch": "chapter", "ch": "chapter", "Sec": "section", "sec": "section", "Eq": "equation",
    "eq": "equation", "p": "page", "pp": "pages", "Art": "article", "art": "article",
    "Ext": "extension", "ext": "extension", "Apt": "apartment", "apt": "apartment",
    "Rm": "room", "Ste": "suite",
    "Bldg": "building", "bldg": "building",
    "Tel": "telephone", "tel": "telephone", "Op": "opus", "op": "opus",
    "ver": "version", "Ver": "version", "v": "version",
}  # fmt: skip
_EVERYWHERE = {
    "e.g": "for example", "i.e": "that is", "etc": "et cetera", "vs": "versus", "cf": "compare",
    "approx": "approximately", "Approx": "Approximately", "viz": "namely",
    "al": "al", "Jr": "Junior", "Sr": "Senior",
    "Inc": "Incorporated", "Ltd": "Limited", "Co": "Company", "Corp": "Corporation",
    "ca": "circa", "Bros": "Brothers",
    "Ave": "Avenue", "Blvd": "Boulevard", "Rd": "Road", "Hwy": "Highway",
    "Rte": "Route", "rte": "route", "Mtn": "Mountain",
    "Ln": "Lane", "Pkwy": "Parkway", "Sq": "Square", "Dept": "Department", "dept": "department",
    "Est": "established", "est": "estimated", "Univ": "University", "Assn": "Association",
    "max": "maximum", "temp": "temperature", "esp": "especially",
    "incl": "including", "misc": "miscellaneous", "tel": "telephone", "govt": "government",
    "appt": "appointment", "pop": "population", "Pop": "population",
    "avg": "average", "Mgr": "manager", "Hwys": "Highways", "Intl": "International",
    "Natl": "National", "Gov't": "Government", "gov't": "government",
    "a.k.a": "also known as", "Ph.D": "P H D", "M.D": "M D",
    "B.A": "B A", "M.A": "M A", "B.Sc": "B S C", "M.Sc": "M S C", "B.C": "B C", "A.D": "A D",
    "P.S": "P S", "R.S.V.P": "R S V P", "D.C": "D C",
}  # fmt: skip
_WITHOUT_PERIOD = {
    "w/o": "without", "w/": "with ", "b/c": "because", "c/o": "care of", "a/c": "A C",
    "n/a": "N A", "N/A": "N A", "A/C": "A C", "b/w": "between", "i/o": "I O",
    "w/in": "within", "w/out": "without",
    "24/7/365": "twenty-four seven three sixty-five", "P&L": "P and L", "R&D": "R and D",
    "Q&A": "Q and A", "B&B": "B and B",
}  # fmt: skip
_SHORTS = alternatives(_WITHOUT_PERIOD.keys() - {"w/"})
_SHORT_STATES = {"Calif": "California", "Fla": "Florida", "Tex": "Texas", "Wash": "Washington"}

_REGNAL = frozenset(
    "Henry Louis Charles George William Edward James Richard Elizabeth Mary John Pius Benedict "
    "Gregory Leo Clement Paul Innocent Philip Ferdinand Francis Frederick Friedrich Wilhelm Peter "
    "Catherine Alexander Nicholas Ivan Napoleon Ramesses Ramses Ptolemy Thutmose Amenhotep Otto "
    "Leopold Albert Carl Gustav Gustavus Christian Haakon Harald Olaf Juan Alfonso Felipe Xerxes "
    "Darius Cleopatra Justinian Constantine Theodosius Robert David Malcolm Urban Sixtus Julius "
    "Boniface Adrian Celestine Eugene Victor Umberto Ludwig Rama Mehmed Murad Suleiman".split()
)
_NUMBERED = (
    r"(?:World War|Super Bowl|Chapter|Part|Act|Scene|Volume|Vol\.|Book|Phase|Type|Class|Title|"
    r"Section|Article|Appendix|Table|Figure|Stage|Level|Grade|Mark|Rocky|Final Fantasy|Star Wars|"
    r"Apollo|Saturn|Diablo|Quake|Episode|Round|Category|Tier|Division|Schedule|Exhibit|Olympiad)"
)
_SAYS = r"(?:am|have|can|could|do|did|think|know)"
_ROMAN_NUMERAL = r"(?P<roman>[IVXL]+)"


def _ends_sentence(match: re.Match[str]) -> bool:
    rest = text_after(match)
    return not rest.strip(" \"')”’") or re.match(r"[\"')”’]*\s+[A-Z“\"]", rest) is not None


def _title(match: re.Match[str]) -> str:
    return _TITLES[match[1]]


_COUNTED = re.compile(
    r"\s?(?!1\b)\d+ (?:more |other |new )?(?:people|men|women|children|[a-z]{3,}s)\b(?! of\b)"
)


_DEFINITE = re.compile(r"\b(?:[Tt]he|[Aa]|at|our|their|his|her) $")


def _before_number(match: re.Match[str]) -> str | None:
    """ "No. 2 people left" is a refusal and a sentence; "the no. 2 seed" is a number."""
    before, after = text_before(match), text_after(match)
    refuses = match[1] in ("no", "No") and _COUNTED.match(after) and not _DEFINITE.search(before)
    return None if refuses else _BEFORE_NUMBERS[match[1]]


def _roman_year(match: re.Match[str]) -> str | None:
    """ "MCMXCIV", as films and buildings have it."""
    number = numerals.roman_year(match[1])
    return None if number is None else numerals.year(number)


def _everywhere(match: re.Match[str]) -> str:
    said = _EVERYWHERE[match[1]]
    may_end = match[1] not in ("e.g", "i.e", "vs", "cf", "viz", "approx", "Approx", "Rte", "rte")
    return said + ("." if may_end and _ends_sentence(match) else "")


def _street_or_saint(match: re.Match[str]) -> str:
    """ "St." is a street after a name, and a saint before one."""
    before = text_before(match).rstrip()
    after_name = re.search(r"(?:\b[A-Z]\w*|\d(?:st|nd|rd|th))$", before) is not None
    if re.match(r"\s[A-Z]", text_after(match)) and not after_name:
        return "Saint"
    return "Street" + ("." if _ends_sentence(match) else "")


def _dotted(match: re.Match[str]) -> str:
    letters = match[1].replace(".", "")
    said = letters if len(letters) < 4 or letters.isupper() else " ".join(letters)
    return said.upper() + ("." if match[2] and _ends_sentence(match) else "")


def _initial(match: re.Match[str]) -> str:
    return match[1]


_REIGNS = re.compile(
    r" (?:of|was|ruled|reigned|died|became|had|and)\b|'s\b|[)\]]|\s*$|[.;:](?:\s|$)"
)
_RULERS = re.compile(
    r"\b(?:King|Queen|Pope|Emperor|Empress|Tsar|Czar|Kaiser|Sultan|Shah|Prince|Duke|Saint|under) $"
)


def _is_no_reign(match: re.Match[str]) -> bool:
    """Whether "I" after a name is who speaks: "I told Henry I was late"; and Malcolm X."""
    if match.group() == "Malcolm X":
        return True
    if match["roman"] != "I":
        return False
    before, after = text_before(match), text_after(match)
    if _RULERS.search(before):
        return False
    begins = not before.strip() or before.rstrip()[-1:] in ".!?("
    return not (_REIGNS.match(after) and (begins or re.match(r" of\b|'s\b", after)))


def _regnal(match: re.Match[str]) -> str | None:
    number = numerals.roman(match["roman"])
    if number is None or match["name"] not in _REGNAL or _is_no_reign(match):
        return None
    return f"{match['name']} the {numerals.ordinal(number)}"


def _numbered(match: re.Match[str]) -> str | None:
    number = numerals.roman(match["roman"])
    return None if number is None else f"{match['name']} {numerals.cardinal(number)}"


def _plain_roman(match: re.Match[str]) -> str | None:
    number = numerals.roman(match["roman"])
    return None if number is None else numerals.cardinal(number)


def _century(match: re.Match[str]) -> str | None:
    number = numerals.roman(match["roman"])
    return None if number is None else numerals.ordinal(number)


def _state(match: re.Match[str]) -> str:
    return _SHORT_STATES[match[1]]


RULES = (
    Rule(re.compile(rf"\b({alternatives(_TITLES)})\.(?=\s?[A-Z]| (?:and|or|&) )"), _title),
    Rule(re.compile(r"\b(Mr|Mrs|Ms|Dr|Prof|Mt)(?= [A-Z])"), _title),
    Rule(re.compile(r"(?<![A-Za-z] )\bSt(?= [A-Z][a-z])"), "Saint"),
    Rule(re.compile(rf"\b({alternatives(_BEFORE_NUMBERS)})\.(?=\s?\d| (?:[IVXL]{{2,}}|[VX])\b)"),
         _before_number),
    Rule(re.compile(r"\bSt\.(?!\w)"), _street_or_saint),
    Rule(re.compile(rf"(?<![\w.])({alternatives(_EVERYWHERE)})\."), _everywhere),
    Rule(re.compile(r"(?<![\w.])(e\.?g|i\.?e)\b(?=,)"),
         lambda match: "for example" if match[1].startswith("e") else "that is"),
    Rule(re.compile(rf"(?<!\w)({_SHORTS}|w/(?=\s|\w\w))(?!\d|(?<=[^/])\w)"),
         lambda match: _WITHOUT_PERIOD[match[1]]),
    Rule(re.compile(r"\b(vs)\b"), "versus"),
    Rule(re.compile(r"\b(Apt|Ste|Bldg|Rm)\.?(?= [A-Z]\b)"),
         lambda match: _BEFORE_NUMBERS[match[1]]),
    Rule(re.compile(r"(?<=\w )(Blvd|Hwy|Pkwy|Rte)\b|\b(Rte|Hwy)(?= \d)"),
         lambda match: _EVERYWHERE[match[1] or match[2]]),
    Rule(re.compile(r"\bWW(II?)\b"), lambda match: f"World War {match[1]}"),
    Rule(re.compile(rf"\b({alternatives(_SHORT_STATES)})\.(?=,|\s|$)"), _state),
    Rule(re.compile(r"(?<![\w.])((?:[A-Za-z]\.){2,}[A-Za-z]?|[A-Za-z](?:\.[A-Za-z])+)(?<=(\.))?"
                    r"(?![\w])"), _dotted),
    Rule(re.compile(r"(?<!\b[AP] )\b([A-Z])\.(?=\s?[A-Z][a-z.])"), _initial),
    Rule(re.compile(rf"\b(?P<name>[A-Z][a-z]+) {_ROMAN_NUMERAL}\b"), _regnal),
    Rule(re.compile(rf"\b(?P<name>{_NUMBERED}) {_ROMAN_NUMERAL}\b(?!'|(?<= I) {_SAYS}\b)"),
         _numbered),
    Rule(re.compile(r"\b(M[MDCLXVI]{3,})\b"), _roman_year),
    Rule(re.compile(r"\b(?P<roman>[XVI]{1,5})(?:th)?(?= (?:century|centuries)\b)"), _century),
    Rule(re.compile(r"\b(?P<roman>II|III|IV|VI|VII|VIII|IX|XI|XII|XIII|XIV|XVI|XVII|XVIII|XIX|XX|XXI)\b"),
         _plain_roman),
)  # fmt: skip
