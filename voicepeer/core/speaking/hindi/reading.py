"""The rules of Hindi in the order they are applied in."""

from __future__ import annotations

import re
from typing import NamedTuple

from voicepeer.core.speaking.hindi import numerals
from voicepeer.core.speaking.rule import Rule, alternatives
from voicepeer.core.speaking.spoken import Draft

_NUMBER = r"\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_MINUS = r"(?P<minus>(?<![\w.)-])[-−])?"
_UPTO = rf"(?:\s?[-–]\s?(?P<upto>{_NUMBER}))?"
_START = rf"{_MINUS}(?<![\w.,])(?P<number>{_NUMBER}){_UPTO}"
_LETTER = r"[\u0900-\u0963\u0970-\u097f]"
_END = r"(?![A-Za-z\u0900-\u0963\u0970-\u097f/²³])"


class _Currency(NamedTuple):
    one: str
    many: str
    cent: str = ""


_RUPEE = _Currency("रुपया", "रुपये", "पैसे")
_DOLLAR = _Currency("डॉलर", "डॉलर", "सेंट")
_CURRENCIES = {
    "₹": _RUPEE, "Rs.": _RUPEE, "Rs": _RUPEE, "रु.": _RUPEE, "रु": _RUPEE, "INR": _RUPEE,
    "$": _DOLLAR, "US$": _DOLLAR, "USD": _DOLLAR, "€": _Currency("यूरो", "यूरो", "सेंट"),
    "EUR": _Currency("यूरो", "यूरो", "सेंट"), "£": _Currency("पाउंड", "पाउंड", "पेंस"),
    "¥": _Currency("येन", "येन"),
}  # fmt: skip
_SCALES = {
    "हज़ार": "हज़ार", "हजार": "हज़ार", "लाख": "लाख", "करोड़": "करोड़", "अरब": "अरब", "खरब": "खरब",
    "मिलियन": "मिलियन", "बिलियन": "बिलियन", "k": "हज़ार", "K": "हज़ार", "M": "मिलियन", "m": "मिलियन",
    "B": "बिलियन", "bn": "बिलियन", "Cr": "करोड़", "cr": "करोड़", "L": "लाख",
}  # fmt: skip
_UNITS = {
    "km/h": "किलोमीटर प्रति घंटा", "kmph": "किलोमीटर प्रति घंटा", "किमी/घंटा": "किलोमीटर प्रति घंटा",
    "m/s": "मीटर प्रति सेकंड", "Mbps": "मेगाबिट प्रति सेकंड", "km²": "वर्ग किलोमीटर", "m²": "वर्ग मीटर",
    "m2": "वर्ग मीटर", "m³": "घन मीटर", "km": "किलोमीटर", "किमी": "किलोमीटर",
    "कि.मी.": "किलोमीटर", "m": "मीटर", "मी.": "मीटर", "cm": "सेंटीमीटर", "सेमी": "सेंटीमीटर",
    "mm": "मिलीमीटर", "kg": "किलोग्राम", "किग्रा": "किलोग्राम", "कि.ग्रा.": "किलोग्राम", "g": "ग्राम",
    "mg": "मिलीग्राम", "l": "लीटर", "ml": "मिलीलीटर", "ms": "मिलीसेकंड", "s": "सेकंड",
    "min": "मिनट", "h": "घंटे", "Hz": "हर्ट्ज़", "kHz": "किलोहर्ट्ज़", "MHz": "मेगाहर्ट्ज़",
    "GHz": "गीगाहर्ट्ज़", "dB": "डेसिबल", "W": "वाट", "kW": "किलोवाट", "kWh": "किलोवाट घंटा",
    "V": "वोल्ट", "KB": "किलोबाइट", "MB": "मेगाबाइट", "GB": "गीगाबाइट", "TB": "टेराबाइट",
    "px": "पिक्सेल", "ha": "हेक्टेयर", "°": "डिग्री",
}  # fmt: skip
_PER = {
    "kg": "प्रति किलो", "किलो": "प्रति किलो", "l": "प्रति लीटर", "माह": "प्रति माह",
    "दिन": "प्रति दिन", "घंटा": "प्रति घंटा", "वर्ष": "प्रति वर्ष", "व्यक्ति": "प्रति व्यक्ति",
    "month": "प्रति माह",
}  # fmt: skip
_MONTHS = "जनवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर".split()
_ABBREVIATIONS = {
    "डॉ": "डॉक्टर", "प्रो": "प्रोफ़ेसर", "श्री": "श्री", "सं": "संख्या", "नं": "नंबर", "क्र": "क्रमांक",
    "क्र.सं": "क्रमांक संख्या",
    "पृ": "पृष्ठ", "ई.पू": "ईसा पूर्व", "ई": "ईसवी", "वि": "विक्रम", "इंजी": "इंजीनियर", "एड": "एडवोकेट",
    "कु": "कुमारी", "स्व": "स्वर्गीय", "मो": "मोबाइल", "फ़ो": "फ़ोन", "उ.प्र": "उत्तर प्रदेश",
    "म.प्र": "मध्य प्रदेश",
}  # fmt: skip
_SYMBOLS = {
    "¢": " सेंट ", "₩": " वॉन ", "₽": " रूबल ", "₿": " बिटकॉइन ",
    "&": " और ", "@": " एट ", "%": " प्रतिशत ", "+": " प्लस ", "=": " बराबर ", "→": " से ",
    "←": " से ", "≈": " लगभग ", "±": " प्लस माइनस ", "×": " गुणा ", "÷": " भाग ",
    "≤": " से कम या बराबर ", "≥": " से अधिक या बराबर ", "≠": " बराबर नहीं ", "°": " डिग्री ",
    "§": " धारा ", "₹": " रुपये ", "€": " यूरो ", "$": " डॉलर ", "£": " पाउंड ", "¥": " येन ",
    "©": "", "®": "", "™": "", "#": " ", "_": " ", "|": ", ", "\\": " ", "^": " ", "~": " लगभग ",
    "<": " से कम ", ">": " से अधिक ", "{": "", "}": "", "*": " ", "`": "", "²": " का वर्ग ",
    "³": " का घन ", "√": " वर्गमूल ", "∞": " अनंत ", "π": " पाई ",
}  # fmt: skip
_SPELLED_WITH = {".": "डॉट", "-": "डैश", "_": "अंडरस्कोर", "+": "प्लस", "/": "स्लैश"}
_PARTS = re.compile(r"[A-Za-z]+|\d+|[^\W\da-zA-Z_]+|[.\-_+/]")
_FRACTIONS = {
    (1, 2): "आधा",
    (1, 4): "एक चौथाई",
    (3, 4): "तीन चौथाई",
    (1, 3): "एक तिहाई",
    (2, 3): "दो तिहाई",
}
_VULGAR = {"½": (1, 2), "¼": (1, 4), "¾": (3, 4), "⅓": (1, 3), "⅔": (2, 3)}
_HALVES = {0: "आधा", 1: "डेढ़", 2: "ढाई"}
_OPERATORS = {"+": "प्लस", "-": "माइनस", "−": "माइनस", "–": "माइनस", "×": "गुणा", "x": "गुणा",
              "*": "गुणा", "÷": "भाग", "=": "बराबर"}  # fmt: skip


def _spelled(text: str) -> str:
    return " ".join(
        _SPELLED_WITH.get(part) or (numerals.decimal(part) if part.isdecimal() else part)
        for part in _PARTS.findall(text)
    )


def _url(match: re.Match[str]) -> str:
    return _spelled(match["host"].lower().removeprefix("www.").rstrip(".")) + match["tail"]


def _mail(match: re.Match[str]) -> str:
    return f"{_spelled(match[1])} एट {_spelled(match[2])}"


def _hashtag(match: re.Match[str]) -> str:
    return f"हैशटैग {match[1].replace('_', ' ')}"


def _date(day: int, month: int, year: int) -> str | None:
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None
    return f"{numerals.cardinal(day)} {_MONTHS[month - 1]} {numerals.year(year)}"


def _iso(match: re.Match[str]) -> str | None:
    said = _date(int(match[3]), int(match[2]), int(match[1]))
    return f"{said} " if said and match.group().endswith("T") else said


def _day_first(match: re.Match[str]) -> str | None:
    return _date(int(match[1]), int(match[3]), int(match[4]))


def _time(match: re.Match[str]) -> str | None:
    hours, minutes = int(match[1]), int(match[2])
    if hours > 24 or minutes > 59:
        return None
    if minutes == 0:
        return f"{numerals.cardinal(hours)} बजे"
    return f"{numerals.cardinal(hours)} बजकर {numerals.cardinal(minutes)} मिनट"


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


def _money(match: re.Match[str]) -> str:
    found = match.groupdict()
    currency = _CURRENCIES[match["currency"]]
    scale = _SCALES.get(found.get("scale") or "", "")
    per = f" {_PER[found['per']]}" if found.get("per") else ""
    if scale:
        return f"{_signed(match)} {scale} {currency.many}{per}"
    if found.get("upto"):
        return f"{_signed(match)} {currency.many}{per}"
    return _sum(match, currency) + per


def _sum(match: re.Match[str], currency: _Currency) -> str:
    """Money with two decimals is said in two parts, other decimals are said as such."""
    whole, _, cents = match["number"].replace(",", "").partition(".")
    minus = "माइनस " if match["minus"] else ""
    if len(cents) != 2 or not currency.cent:
        return f"{_signed(match)} {currency.one if match['number'] == '1' else currency.many}"
    main = f"{numerals.cardinal(int(whole))} {currency.one if whole == '1' else currency.many}"
    if int(cents) == 0:
        return minus + main
    return f"{minus}{main} {numerals.cardinal(int(cents))} {currency.cent}"


def _percent(match: re.Match[str]) -> str:
    return f"{_signed(match)} प्रतिशत"


def _degrees(match: re.Match[str]) -> str:
    scale = {"C": "सेल्सियस", "F": "फ़ारेनहाइट"}[match["degrees"]]
    return f"{_signed(match)} डिग्री {scale}"


def _measure(match: re.Match[str]) -> str:
    return f"{_signed(match)} {_UNITS[match['unit']]}"


def _year(match: re.Match[str]) -> str:
    upto = match.groupdict().get("upto")
    said = numerals.year(int(match["year"]))
    return f"{said} से {numerals.year(int(upto))}" if upto else said


def _ordinal(match: re.Match[str]) -> str | None:
    return numerals.ordinal(int(match[1]), match[2])


def _fraction(match: re.Match[str]) -> str:
    pair = (int(match[1]), int(match[2]))
    if pair == (24, 7):
        return f"{numerals.cardinal(24)} {numerals.cardinal(7)}"
    return _FRACTIONS.get(pair) or f"{numerals.cardinal(pair[0])} बटा {numerals.cardinal(pair[1])}"


def _vulgar(match: re.Match[str]) -> str:
    """Halves and quarters beside a whole number have words of their own: "ढाई", "सवा तीन"."""
    pair = _VULGAR[match[2]]
    if not match[1]:
        return _FRACTIONS[pair]
    whole = int(match[1])
    if pair == (1, 2):
        return _HALVES.get(whole) or f"साढ़े {numerals.cardinal(whole)}"
    if pair == (1, 4):
        return f"सवा {numerals.cardinal(whole)}"
    if pair == (3, 4):
        return f"पौने {numerals.cardinal(whole + 1)}"
    return f"{numerals.cardinal(whole)} सही {_FRACTIONS[pair]}"


def _range(match: re.Match[str]) -> str:
    if match[1] == match[2]:  # "50-50"
        return f"{numerals.decimal(match[1])} {numerals.decimal(match[2])}"
    return f"{numerals.decimal(match[1])} से {numerals.decimal(match[2])}"


def _compared(match: re.Match[str]) -> str:
    than = "से अधिक" if match[2] == ">" else "से कम"
    return f"{numerals.decimal(match[1])} {numerals.decimal(match[3])} {than}"


def _mixed(match: re.Match[str]) -> str:
    return " ".join(
        numerals.decimal(part) if part.isdecimal() else part
        for part in re.findall(rf"\d+|(?:(?!\d)\w|{_LETTER})+", match.group())
    )


_TAIL = r"(?P<tail>[.,;:!?।)\]}\"'”’]*)(?=\s|$)"
_SIGN = r"(?P<currency>US\$|Rs\.?|रु\.?|[₹$€£¥])"
_CODE = r"(?P<currency>रु\.?(?![\u0900-\u0963])|INR|USD|EUR|[₹€£])"
_SCALE = rf"(?:\s?(?P<scale>{alternatives(_SCALES)}){_END})?"
_PER_UNIT = rf"(?:/(?P<per>{alternatives(_PER)}){_END})?"

RULES = (
    # No number has so many digits; read at once, they cost the other patterns no time.
    Rule(re.compile(r"\d{25,}"), lambda match: numerals.digits(match.group())),
    Rule(re.compile(r"(?<![\w@])(?:(?:https?|ftp|wss?)://(?:[^\s/@]+@)?|(?=www\.))"
                    r"(?P<host>[^\s/:?#<>\"']+)(?::\d+)?(?:[/?#]\S*?)?" + _TAIL), _url),
    Rule(re.compile(r"(?<![\w.])(?:mailto:)?([\w.+-]*\w)@(\w[\w-]*(?:\.\w[\w-]*)+)"), _mail),
    Rule(re.compile(r"(?<![\w@./])(?P<host>(?:[a-zA-Z0-9][\w-]*\.)+"
                    r"(?:com|org|net|in|io|ai|gov|edu|dev))"
                    r"(?:/[^\s,;!?)]*?)?" + _TAIL), _url),
    Rule(re.compile(r"(?<![\w@])@(?=[^\W\d])"), "एट "),
    Rule(re.compile(rf"(?<![\w#&])#((?:\w|{_LETTER})*(?:(?!\d)\w|{_LETTER})(?:\w|{_LETTER})*)"),
         _hashtag),
    Rule(re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d|-\d)(?:T(?=\d\d:))?"), _iso),
    Rule(re.compile(r"(?<![\d/.\w])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\d/]|[.,-]\d)"),
         _day_first),
    Rule(re.compile(r"(?<![\d:.])(\d{1,2}):(\d\d)(?![\d:]|\.\d)(?:\s?बजे)?"), _time),
    Rule(re.compile(r"(?<![\w.+])\+\d{1,3}(?:[ .-]?\d{2,5}){2,4}(?![\w-])"
                    r"|(?<![\w.+-])[6-9]\d{4}[ -]?\d{5}(?![\w-])"
                    r"|(?<![\w.+-])0\d{2,4}-\d{6,8}(?![\w-])"
                    r"|(?<![\w.+-])1800[ -]\d{3}[ -]\d{3,4}(?![\w-])"), _phone),
    Rule(re.compile(r"(?<!\w)(?P<letter>[vV])(?P<number>\d+(?:\.\d+)+)"), _version),
    Rule(re.compile(r"(?P<letter>)(?<![\w.])(?P<number>\d+(?:\.\d+){2,})(?![\w.]*\d)"), _version),
    Rule(re.compile(r"(?<![\w.,-])(?P<year>1[1-9]\d\d|20\d\d)\s?[-–]\s?(?P<upto>1[1-9]\d\d|20\d\d)(?![\w-])"),
         _year),
    Rule(re.compile(rf"(?<![\w.,-])(?P<year>1[1-9]\d\d)(?=\s(?:में|से|तक|के|की|का|ई\.?){_END})"),
         _year),
    Rule(re.compile(rf"(?:(?<=सन् )|(?<=सन )|(?<=साल )|(?<=वर्ष )|(?<={_LETTER} ))"
                    r"(?P<year>1[1-9]\d\d)(?=\s?(?:[,।.]|$))"), _year),
    Rule(re.compile(rf"(?<![\w.,])(\d{{1,6}})\s?({'|'.join(numerals.ENDINGS)}){_END}"), _ordinal),
    Rule(re.compile(rf"(?<![\w.\u0900-\u0963])({alternatives(_ABBREVIATIONS)})\."),
         lambda match: _ABBREVIATIONS[match[1]]),
    Rule(re.compile(r"\b[Nn]o\.\s?(?=\d)|№\s?"), "नंबर "),
    Rule(re.compile(rf"{_MINUS}{_SIGN}\s?(?P<number>{_NUMBER}){_UPTO}{_SCALE}{_PER_UNIT}"), _money),
    Rule(re.compile(rf"{_START}{_SCALE}\s?{_CODE}{_PER_UNIT}"), _money),
    Rule(re.compile(rf"{_START}\s?%"), _percent),
    Rule(re.compile(rf"{_START}\s?[°º]\s?(?P<degrees>[CF])(?!\w)"), _degrees),
    Rule(re.compile(rf"{_START}\s?(?P<unit>{alternatives(_UNITS)}){_END}"), _measure),
    Rule(re.compile(r"(?m)^([ ]*)(\d{1,3})[.)][ ]+(?=\S)"),
         lambda match: f"{match[1]}{numerals.cardinal(int(match[2]))}, "),
    Rule(re.compile(rf"(?:(\d{{1,9}})[ ]?)?([{''.join(_VULGAR)}])"), _vulgar),
    Rule(re.compile(r"(?<![\w./,])(\d{1,3})/(\d{1,3})(?![\w/]|[.,]\d)"), _fraction),
    Rule(re.compile(r"(?<=\d)\s?([+×x*÷=]|[-−–](?=\s?\d+(?:\.\d+)?\s?=))\s?(?=[-\d])"),
         lambda match: f" {_OPERATORS[match[1]]} "),
    Rule(re.compile(rf"(?<![\w.,])({_NUMBER})\s?([<>])\s?({_NUMBER})(?!\w)"), _compared),
    Rule(re.compile(rf"(?<![\w.,-])({_NUMBER})\s?[-–]\s?({_NUMBER})(?![\w-])"), _range),
    Rule(re.compile(rf"(?<![\w.)\]-])[-−](?={_NUMBER})"), "माइनस "),
    Rule(re.compile(r"(?<=\d):(?=\d)"), " अनुपात "),
    Rule(re.compile(r"[-=]>"), " से "),
    Rule(re.compile(rf"(?<![\w\u0900-\u0963])(?=(?:\w|{_LETTER})*\d)(?=(?:\w|{_LETTER})*(?:[^\W\d_]|{_LETTER}))"
                    rf"(?:[^\W_]|{_LETTER})+"), _mixed),
    Rule(re.compile(r"(?<=[^\W\d_])-(?=\d)|(?<=\d)-(?=[^\W\d_])"), " "),
    Rule(re.compile(_NUMBER), lambda match: numerals.decimal(match.group())),
    Rule(re.compile(f"[{re.escape(''.join(_SYMBOLS))}]"), lambda match: _SYMBOLS[match.group()]),
    Rule(re.compile(r"/"), " "),
)  # fmt: skip


def read(draft: Draft) -> None:
    """Say everything in words."""
    for rule in RULES:
        draft.rewrite(rule.pattern, rule.reader)
