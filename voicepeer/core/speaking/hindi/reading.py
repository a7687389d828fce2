"""The rules of Hindi in the order they are applied in."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals as english
from voicepeer.core.speaking.hindi import codes, dates, numerals, vocabulary
from voicepeer.core.speaking.hindi.vocabulary import END, LETTER
from voicepeer.core.speaking.roman import SHORT_ROMAN, roman
from voicepeer.core.speaking.rule import Rule, alternatives, followed
from voicepeer.core.speaking.spoken import Draft

_NUMBER = r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_MINUS = rf"(?P<minus>(?<![\w.)-])(?<!{LETTER})[-−])?"
_UPTO = rf"(?:\s?[-–]\s?(?P<upto>{_NUMBER}))?"
_START = rf"{_MINUS}(?<![\w.,])(?P<number>{_NUMBER}){_UPTO}"


def _spelled(text: str) -> str:
    return " ".join(
        vocabulary.SPELLED_WITH.get(part) or (numerals.decimal(part) if part.isdecimal() else part)
        for part in vocabulary.PARTS.findall(text)
    )


def _url(match: re.Match[str]) -> str:
    return _spelled(match["host"].lower().removeprefix("www.").rstrip(".")) + match["tail"]


def _mail(match: re.Match[str]) -> str:
    return f"{_spelled(match[1])} एट {_spelled(match[2])}"


def _hashtag(match: re.Match[str]) -> str:
    return f"हैशटैग {match[1].replace('_', ' ')}"


def _phone(match: re.Match[str]) -> str:
    said = ", ".join(numerals.digits(group) for group in re.findall(r"\d+", match.group()))
    return f"प्लस {said}" if match.group().startswith("+") else said


def _version(match: re.Match[str]) -> str:
    said = " पॉइंट ".join(numerals.decimal(part) for part in match["number"].split("."))
    return f"वर्ज़न {said}" if match["letter"] else said


def _signed(match: re.Match[str]) -> str:
    found = match.groupdict()
    said = ("माइनस " if found.get("minus") else "") + numerals.decimal(match["number"])
    return f"{said} से {numerals.decimal(found['upto'])}" if found.get("upto") else said


def _half(match: re.Match[str]) -> str:
    """ "1.5 किलो" is "डेढ़ किलो", as everybody says it of kilos, hours and lakhs."""
    return _with_whole(int(match[1]), (1, 2))


def _money(match: re.Match[str]) -> str:
    found = match.groupdict()
    currency = vocabulary.CURRENCIES[match["currency"]]
    scale = vocabulary.SCALES.get(found.get("scale") or "", "")
    per = f" {_per(found['per'])}" if found.get("per") else ""
    if scale:
        return f"{_scaled(match)} {scale} {currency.many}{per}"
    if found.get("upto"):
        return f"{_signed(match)} {currency.many}{per}"
    return _sum(match, currency) + per


def _scaled(match: re.Match[str]) -> str:
    counted = match["scale"].split()[0] in vocabulary.COUNTED
    half = _HALVED.fullmatch(match["number"]) if counted else None
    if half is None or match["upto"]:
        return _signed(match)
    return ("माइनस " if match["minus"] else "") + _half(half)


def _sum(match: re.Match[str], currency: vocabulary.Currency) -> str:
    """Money with two decimals is said in two parts, other decimals are said as such."""
    whole, _, cents = match["number"].replace(",", "").partition(".")
    minus = "माइनस " if match["minus"] else ""
    if len(cents) != 2 or not currency.cent:
        return f"{_signed(match)} {currency.one if match['number'] == '1' else currency.many}"
    if whole == "0" and int(cents):
        return f"{minus}{numerals.cardinal(int(cents))} {currency.cent}"
    main = f"{numerals.cardinal(int(whole))} {currency.one if whole == '1' else currency.many}"
    if int(cents) == 0:
        return minus + main
    return f"{minus}{main} {numerals.cardinal(int(cents))} {currency.cent}"


def _percent(match: re.Match[str]) -> str:
    return f"{_signed(match)} प्रतिशत"


def _degrees(match: re.Match[str]) -> str:
    scale = {"C": "सेल्सियस", "F": "फ़ारेनहाइट"}[match["degrees"]]
    return f"{_signed(match)} डिग्री {scale}"


def _per(below: str) -> str:
    return vocabulary.PER.get(below) or f"प्रति {vocabulary.UNITS[below]}"


def _measure(match: re.Match[str]) -> str:
    said = f"{_signed(match)} {vocabulary.UNITS[match['unit']]}"
    below = match.groupdict().get("below")
    return f"{said} {_per(below)}" if below else said


def _feet(match: re.Match[str]) -> str:
    return f"{numerals.decimal(match[1])} फ़ुट {numerals.decimal(match[2])} इंच"


def _ordinal(match: re.Match[str]) -> str | None:
    return numerals.ordinal(int(match[1]), match[2])


def _fraction(match: re.Match[str]) -> str | None:
    top, bottom = int(match["top"]), int(match["bottom"])
    if match["whole"]:
        return _with_whole(int(match["whole"]), (top, bottom)) if top < bottom else None
    if followed(match, _EQUALS):
        return f"{numerals.cardinal(top)} भाग {numerals.cardinal(bottom)}"
    if (top, bottom) == (24, 7):
        return f"{numerals.cardinal(24)} {numerals.cardinal(7)}"
    if _are_wickets(match, top, bottom):
        return f"{numerals.cardinal(top)} पर {numerals.cardinal(bottom)}"
    if top == bottom or bottom in (20, 50, 100) or followed(match, _MARKS):
        return f"{numerals.cardinal(bottom)} में से {numerals.cardinal(top)}"
    return _part(top, bottom)


def _are_wickets(match: re.Match[str], runs: int, wickets: int) -> bool:
    """Whether it is a score of cricket, as a hundred and more of so few parts always is."""
    if wickets > 10 or runs <= wickets:
        return False
    near = slice(max(0, match.start() - _NEAR), match.end() + _NEAR)
    return runs >= 100 or _CRICKET.search(match.string[near]) is not None


def _part(top: int, bottom: int) -> str:
    named = vocabulary.FRACTIONS.get((top, bottom))
    return named or f"{numerals.cardinal(top)} बटा {numerals.cardinal(bottom)}"


def _vulgar(match: re.Match[str]) -> str:
    pair = vocabulary.VULGAR[match[2]]
    return _with_whole(int(match[1]), pair) if match[1] else vocabulary.FRACTIONS[pair]


def _with_whole(whole: int, pair: tuple[int, int]) -> str:
    """Halves and quarters beside a whole number have words of their own: "ढाई", "सवा तीन"."""
    if pair == (1, 2):
        return vocabulary.HALVES.get(whole) or f"साढ़े {numerals.cardinal(whole)}"
    if pair == (1, 4):
        return "सवा" if whole == 1 else f"सवा {numerals.cardinal(whole)}"
    if pair == (3, 4):
        return f"पौने {numerals.cardinal(whole + 1)}"
    return f"{numerals.cardinal(whole)} सही {_part(*pair)}"


def _power(match: re.Match[str]) -> str:
    base = numerals.decimal(match["base"]) if match["base"][0].isdecimal() else match["base"]
    exponent = (match["caret"] or match["raised"]).translate(_SUPERSCRIPTS)
    if exponent in ("2", "3"):
        return f"{base} का {'वर्ग' if exponent == '2' else 'घन'}"
    sign = "माइनस " if exponent.startswith("-") else ""
    return f"{base} की घात {sign}{numerals.cardinal(int(exponent.strip('-') or 0))}"


def _regnal(match: re.Match[str]) -> str:
    number = roman(match["roman"])
    if match["name"] in vocabulary.NUMBERED_PARTS:
        said = numerals.cardinal(number)
    elif number <= len(vocabulary.REGNAL):
        said = vocabulary.REGNAL[number - 1]
    else:
        said = numerals.ordinal(number, "वें") or ""
    return f"{match['name']} {said}"


def _dotted(match: re.Match[str]) -> str:
    """ "एम.ए." is said letter by letter."""
    return match.group().replace(".", " ").strip()


def _score(match: re.Match[str]) -> str:
    return f"{numerals.cardinal(int(match[1]))} {numerals.cardinal(int(match[2]))}"


def _generation(match: re.Match[str]) -> str:
    """Of networks, which is said in English: "5G"."""
    return f"{english.cardinal(int(match[1]))} G"


def _range(match: re.Match[str]) -> str:
    if match[1] == match[2]:  # "50-50"
        return f"{numerals.decimal(match[1])} {numerals.decimal(match[2])}"
    return f"{numerals.decimal(match[1])} से {numerals.decimal(match[2])}"


def _compared(match: re.Match[str]) -> str:
    """The right side comes first in speech: "x पाँच से अधिक"."""
    right = match["right"]
    said = numerals.decimal(right) if right[0].isdecimal() else right
    minus = "माइनस " if match["minus"] else ""
    return f" {minus}{said} {vocabulary.COMPARISONS[match['sign']]}"


def _mixed(match: re.Match[str]) -> str:
    return " ".join(
        numerals.decimal(part) if part.isdecimal() else part
        for part in re.findall(rf"\d+|(?:(?!\d)\w|{LETTER})+", match.group())
    )


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_NEAR = 60
"""Characters around a score that may tell the game."""

_CRICKET = re.compile(r"क्रिकेट|ओवर|विकेट|स्कोर|पारी|बल्लेबाज|गेंदबाज|\sरन(?:\s|$)")
_EQUALS = re.compile(r"\s?=")
_MARKS = re.compile(r"\s(?:अंक|नंबर|मार्क्स|प्रश्न|सवाल)")
_EXPONENT = r"(?:\^\(?(?P<caret>[-−]?\d{1,3})\)?|(?P<raised>[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]{1,4}))(?!\w)"

_TAIL = r"(?P<tail>[.,;:!?।)\]}\"'”’]*)(?=\s|$)"
_SIGN = r"(?P<currency>US\$|Rs\.?|रु\.?|[₹$€£¥])"
_CODE = r"(?P<currency>रु\.?(?![\u0900-\u0963])|INR|USD|EUR|[₹€£])"
_HALVED = re.compile(r"([1-9]\d?)\.50?")
_HALVED_FIRST = rf"(?<![\w.,–-]){_HALVED.pattern}"
_SCALE = rf"(?:\s?(?P<scale>{alternatives(vocabulary.SCALES)}){END})?"
_BELOW = alternatives([*vocabulary.PER, *vocabulary.UNITS])
_PER_UNIT = rf"(?:/(?P<per>{_BELOW}){END})?"

RULES = (
    # No number has so many digits; read at once, they cost the other patterns no time.
    Rule(re.compile(r"\d{25,}"), lambda match: numerals.digits(match.group())),
    Rule(re.compile(r"(?<![\w@])(?:(?:https?|ftp|wss?)://(?:[^\s/@]+@)?|(?=www\.))"
                    r"(?P<host>[^\s/:?#<>\"']+)(?::\d+)?(?:[/?#]\S*?)?" + _TAIL), _url),
    Rule(re.compile(r"(?<![\w.+-])(?:mailto:)?([\w.+-]*\w)@(\w[\w-]*(?:\.\w[\w-]*)+)"), _mail),
    Rule(re.compile(r"(?<![\w@./])(?P<host>(?:[a-zA-Z0-9][\w-]{0,62}\.){1,8}"
                    r"(?:com|org|net|in|io|ai|gov|edu|dev))"
                    r"(?:/[^\s,;!?)]*?)?" + _TAIL), _url),
    Rule(re.compile(r"(?<![\w@])@(?=[^\W\d])"), "एट "),
    Rule(re.compile(rf"(?<![\w#&])#((?:\w|{LETTER})*(?:(?!\d)\w|{LETTER})(?:\w|{LETTER})*)"),
         _hashtag),
    *dates.DAYS,
    Rule(re.compile(r"(?<![\w.+])\+\d{1,3}(?:[ .-]?\d{2,5}){2,4}(?![\w-])"
                    r"|(?<![\w.+-])[6-9]\d{4}[ -]?\d{5}(?![\w-])"
                    r"|(?<![\w.+-])0\d{2,4}-\d{3,4}-?\d{3,4}(?![\w-])"
                    r"|(?<![\w.+-])1800[ -]\d{3}[ -]\d{3,4}(?![\w-])"), _phone),
    *codes.RULES,
    Rule(re.compile(r"(?<!\w)(?P<letter>[vV])(?P<number>\d+(?:\.\d+)+)"), _version),
    Rule(re.compile(r"(?P<letter>)(?<![\w.])(?P<number>\d+(?:\.\d+){2,})(?![\w.]*\d)"), _version),
    *dates.YEARS,
    Rule(re.compile(rf"(?<![\w.,])(\d{{1,6}})\s?({'|'.join(numerals.ENDINGS)}){END}"), _ordinal),
    Rule(re.compile(r"(?<![A-Za-z\d])(\d{1,3})(?:st|nd|rd|th)\b"),
         lambda match: english.ordinal(int(match[1]))),
    Rule(re.compile(rf"(?<![\w.\u0900-\u0963])({alternatives(vocabulary.ABBREVIATIONS)})\."
                    rf"(?!{LETTER}{{1,5}}\.)"),
         lambda match: vocabulary.ABBREVIATIONS[match[1]]),
    Rule(re.compile(rf"(?<!\d)(?<!\d )(?<![\w.\u0900-\u0963])(?:{LETTER}{{1,5}}\.){{2,}}"
                    rf"(?:{LETTER}{{1,6}}(?!{LETTER}))?"),
         _dotted),
    Rule(re.compile(r"(?<![A-Za-z.])(?:[A-Z]\.){2,}(?:[A-Z]\b)?"), _dotted),
    Rule(re.compile(rf"(?P<name>{LETTER}+)\s(?P<roman>{SHORT_ROMAN})(?![\w.'-])"), _regnal),
    Rule(re.compile(r"(?<=\d)/-(?!\w)"), ""),
    Rule(re.compile(r"(?<!\w)(\d)['′]\s?(\d{1,2})(?:\"|″|”)"), _feet),
    Rule(re.compile(rf"(?<![\w.,])({_NUMBER})\s?[x×](?![\w.]|\s?[-\d<>=+≤≥^²³])"),
         lambda match: f"{numerals.decimal(match[1])} गुना"),
    Rule(re.compile(r"\b24\s?[x×]\s?7\b"), f"{numerals.cardinal(24)} {numerals.cardinal(7)}"),
    Rule(re.compile(r"(?<![\w.])([2-6])G\b"), _generation),
    Rule(re.compile(r"(?<![\w.,-])(\d{1,2})-(\d{1,2})"
                    r"(?=\sसे\s(?:जीत|हरा|हार|आगे|बढ़त|पराजि|मात|पीछे))"), _score),
    Rule(re.compile(rf"(?<![\w.,^])(?P<base>\d+(?:\.\d+)?){_EXPONENT}"), _power),
    Rule(re.compile(r"\b[Nn]o\.\s?(?=\d)|№\s?"), "नंबर "),
    Rule(re.compile(rf"{_MINUS}{_SIGN}\s?(?P<number>{_NUMBER}){_UPTO}{_SCALE}{_PER_UNIT}"), _money),
    Rule(re.compile(rf"{_START}{_SCALE}\s?{_CODE}{_PER_UNIT}"), _money),
    Rule(re.compile(rf"{_HALVED_FIRST}(?=\s(?:{alternatives(vocabulary.COUNTED)}){END})"), _half),
    Rule(re.compile(rf"{_START}\s?%"), _percent),
    Rule(re.compile(rf"{_START}\s?[°º]\s?(?P<degrees>[CF])(?!\w)"), _degrees),
    Rule(re.compile(rf"{_START}\s?(?P<unit>{alternatives(vocabulary.UNITS)}){END}(?!\./)"),
         _measure),
    Rule(re.compile(rf"{_START}\s?(?P<unit>{alternatives(vocabulary.UNITS)})"
                    rf"/(?P<below>{_BELOW}){END}"), _measure),
    Rule(re.compile(r"(?m)^([ ]*)(\d{1,3})[.)][ ]+(?=\S)"),
         lambda match: f"{match[1]}{numerals.cardinal(int(match[2]))}, "),
    Rule(re.compile(rf"(?:(\d{{1,9}})[ ]?)?([{''.join(vocabulary.VULGAR)}])"), _vulgar),
    Rule(re.compile(r"(?<![\w./,])(?:(?P<whole>\d{1,3})[ ])?(?P<top>\d{1,3})/(?P<bottom>\d{1,3})"
                    r"(?![\w/]|[.,]\d)"), _fraction),
    Rule(re.compile(rf"(?P<base>\b[A-Za-z]|[)π]){_EXPONENT}"), _power),
    Rule(re.compile(r"(?<=\d)\s?([+×x*÷=]|[-−–](?=\s?\d+(?:\.\d+)?\s?=))\s?(?=[-\d])"),
         lambda match: f" {vocabulary.OPERATORS[match[1]]} "),
    Rule(re.compile(rf"(?<![-=<>])\s?(?P<sign>{alternatives(vocabulary.COMPARISONS)})\s?"
                    rf"(?P<minus>[-−])?(?P<right>{_NUMBER}|[A-Za-zπ])(?!\w)"), _compared),
    Rule(re.compile(rf"(?<![\w.,-])({_NUMBER})\s?[-–]\s?({_NUMBER})(?![\w-])"), _range),
    Rule(re.compile(rf"(?<![\w.)\]-])(?<!{LETTER})[-−](?={_NUMBER})"), "माइनस "),
    Rule(re.compile(r"(?<=\d):(?=\d)"), " अनुपात "),
    Rule(re.compile(r"[-=]>"), " से "),
    Rule(re.compile(rf"(?<![\w\u0900-\u0963])(?=(?:\w|{LETTER})*\d)(?=(?:\w|{LETTER})*(?:[^\W\d_]|{LETTER}))"
                    rf"(?:[^\W_]|{LETTER})+"), _mixed),
    Rule(re.compile(rf"(?:(?<=[^\W\d_])|(?<={LETTER}))-(?=\d)|(?<=\d)-(?=[^\W\d_])"), " "),
    Rule(re.compile(_NUMBER), lambda match: numerals.decimal(match.group())),
    Rule(re.compile(f"[{re.escape(''.join(vocabulary.SYMBOLS))}]"),
         lambda match: vocabulary.SYMBOLS[match.group()]),
    Rule(re.compile(r"/"), " "),
)  # fmt: skip


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in RULES:
        draft.rewrite(rule.pattern, rule.reader)
