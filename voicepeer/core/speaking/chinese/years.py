"""Years: of a calendar they are read digit by digit, as a time they are numbers."""

from __future__ import annotations

import re

from voicepeer.core.speaking.chinese.numerals import cardinal, digits
from voicepeer.core.speaking.han.ranges import RANGE
from voicepeer.core.speaking.rule import Rule

_REIGNS = (
    "民国|民國|建国|[康雍乾嘉道咸同光宣][熙正隆庆光丰治绪统慶豐緒統]|洪武|永乐|嘉靖|万历|崇祯|贞观|开元|"
    "昭和|平成|令和|明治|大正"
)
_OF_A_DATE = (
    "毕业|畢業|出[生版厂道土]|生(?![活产命存意成])|入[学职伍党學職]|[属屬款版]|[底初末](?![的期])"
)
_YEAR = re.compile(
    r"(?P<era>(?:公|西)元前?|(?<![以之年])前|[于於在自])? ?"
    rf"(?P<lasting>(?:{_REIGNS}|长达|历经|历时|距今|超过|存在|[近约達达过過了满滿有整期])约?)?"
    r"(?<![\d.])(?<!\d,)(?P<year>\d{1,4}) ?年(?P<after>"
    r"(?:之|以)?[前后後来來]|[间間]|的?(?:历史|歷史|文明)|之久|级|級|代|[多余餘的期]|产权|质保|寿命|工龄|老店|"
    rf" ?\d{{1,2}}月|{_OF_A_DATE})?"
)
_REIGN = re.compile(r"(?<!\d)([1-9]\d\d)年([到至])([1-9]\d\d)年")
_CALENDAR = r"(?:1[5-9]|20)\d\d"
_LIST = re.compile(
    rf"(?<![\d.])(?<!\d,)(?:{_CALENDAR}(?: ?(?:[,，、]|和|与|及|或|以及) ?)){{1,20}}"
    rf"(?={_CALENDAR} ?年(?![多余來来]))"
)
"""Years that share one 年: "2019、2020年"."""

_SPAN = re.compile("[之以]?[前间間来來]|的?(?:历史|歷史|文明)|之久|[多余餘]")
_DATED = re.compile(rf" ?\d|{_OF_A_DATE}")
_SEASON = re.compile(r"(?<!\d)([12]\d{3})[/-](\d{2})(?=赛季|学年|财年|年度)")
_COHORT = re.compile(
    rf"(?<![\d.])(?:([05-9][05]) ?{RANGE} ?)?([05-9][05])[后後](?![\d天面来期座排续台年])"
)


def _year(match: re.Match[str]) -> str | None:
    written = match["year"]
    if _is_of_calendar(match):
        said = digits(written)
    elif "元" in (match["era"] or ""):
        said = cardinal(int(written))
    else:
        return None
    at = match.start("year") - match.start()
    return match[0][:at] + said + match[0][at + len(written) :]


def _is_of_calendar(match: re.Match[str]) -> bool:
    number, era, after = int(match["year"]), match["era"] or "", match["after"] or ""
    if era.endswith("前") or len(match["year"]) == 1:
        return False
    if len(match["year"]) == 2:
        short = _is_short(match["year"], after, lasting=match["lasting"] is not None)
        return "元" not in era and short
    told = bool(era or _DATED.match(after))
    if number < 1000:
        return bool(era) and number % 100 > 0 and not _SPAN.match(after)
    if number % 100:
        return told or number < 2200
    if told:
        return not _SPAN.match(after)
    return 1000 < number < 2200 and not (_SPAN.match(after) or match["lasting"])


def _is_short(written: str, after: str, *, lasting: bool) -> bool:
    """Whether two digits are the last of a year: of the last century, or not of a duration."""
    if written.startswith("0") or _DATED.match(after):
        return True
    return int(written) > 40 and int(written) % 10 > 0 and not after and not lasting


def _cohort(match: re.Match[str]) -> str:
    first = f"{digits(match[1])}到" if match[1] else ""
    return f"{first}{digits(match[2])}后"


def _reign(match: re.Match[str]) -> str | None:
    first, last = int(match[1]), int(match[3])
    if first >= last or not (first % 100 and last % 100):
        return None
    return f"{digits(match[1])}年{match[2]}{digits(match[3])}年"


RULES = (
    Rule(_LIST, lambda match: re.sub(r"\d+", lambda year: digits(year[0]), match[0])),
    Rule(_REIGN, _reign),
    Rule(_SEASON, lambda match: f"{digits(match[1])}到{digits(match[2])}"),
    Rule(_YEAR, _year),
    Rule(_COHORT, _cohort),
)
