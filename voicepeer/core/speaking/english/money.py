"""How sums of money are said."""

from __future__ import annotations

import re
from typing import NamedTuple

from voicepeer.core.speaking.english import numerals, units
from voicepeer.core.speaking.english.amounts import MINUS, is_attributive
from voicepeer.core.speaking.english.numerals import NUMBER
from voicepeer.core.speaking.rule import Rule, alternatives


class _Currency(NamedTuple):
    one: str
    many: str
    cent: str
    cents: str


def _dollar(country: str = "") -> _Currency:
    name = f"{country} dollar".strip()
    return _Currency(name, f"{name}s", "cent", "cents")


def _crown(country: str, cent: str, cents: str) -> _Currency:
    return _Currency(f"{country} crown", f"{country} crowns", cent, cents)


_SIGNS = {
    "$": _dollar(), "US$": _dollar("U S"), "C$": _dollar("Canadian"), "CA$": _dollar("Canadian"),
    "A$": _dollar("Australian"), "AU$": _dollar("Australian"), "NZ$": _dollar("New Zealand"),
    "S$": _dollar("Singapore"), "HK$": _dollar("Hong Kong"), "NT$": _dollar("Taiwan"),
    "€": _Currency("euro", "euros", "cent", "cents"),
    "£": _Currency("pound", "pounds", "penny", "pence"),
    "¥": _Currency("yen", "yen", "sen", "sen"),
    "₹": _Currency("rupee", "rupees", "paisa", "paise"),
    "₩": _Currency("won", "won", "jeon", "jeon"),
    "₽": _Currency("ruble", "rubles", "kopeck", "kopecks"),
    "₿": _Currency("bitcoin", "bitcoins", "satoshi", "satoshis"),
    "₪": _Currency("shekel", "shekels", "agora", "agorot"),
    "₺": _Currency("lira", "liras", "kurush", "kurush"),
    "₴": _Currency("hryvnia", "hryvnias", "kopiyka", "kopiykas"),
    "₫": _Currency("dong", "dong", "", ""),
    "₱": _Currency("peso", "pesos", "centavo", "centavos"),
    "₦": _Currency("naira", "naira", "kobo", "kobo"),
    "₵": _Currency("cedi", "cedis", "pesewa", "pesewas"),
    "฿": _Currency("baht", "baht", "satang", "satang"),
    "₸": _Currency("tenge", "tenge", "tiyn", "tiyn"),
    "₾": _Currency("lari", "lari", "tetri", "tetri"),
    "৳": _Currency("taka", "taka", "poisha", "poisha"),
    "R$": _Currency("real", "reais", "centavo", "centavos"),
    "Rs.": _Currency("rupee", "rupees", "paisa", "paise"),
    "Rs": _Currency("rupee", "rupees", "paisa", "paise"),
    "kr": _Currency("krone", "kroner", "øre", "øre"),
    "zł": _Currency("zloty", "zlotys", "grosz", "groszy"),
}  # fmt: skip
"""Signs that stand before or after the number."""

_CODES = {
    "USD": _SIGNS["US$"], "EUR": _SIGNS["€"], "GBP": _SIGNS["£"], "JPY": _SIGNS["¥"],
    "INR": _SIGNS["₹"], "CAD": _SIGNS["C$"], "AUD": _SIGNS["A$"], "NZD": _SIGNS["NZ$"],
    "SGD": _SIGNS["S$"], "HKD": _SIGNS["HK$"], "KRW": _SIGNS["₩"], "RUB": _SIGNS["₽"],
    "BTC": _SIGNS["₿"], "BRL": _SIGNS["R$"], "PLN": _SIGNS["zł"], "TRY": _SIGNS["₺"],
    "ILS": _SIGNS["₪"], "UAH": _SIGNS["₴"], "THB": _SIGNS["฿"], "NGN": _SIGNS["₦"],
    "CHF": _Currency("Swiss franc", "Swiss francs", "rappen", "rappen"),
    "CNY": _Currency("yuan", "yuan", "fen", "fen"), "RMB": _Currency("yuan", "yuan", "fen", "fen"),
    "MXN": _Currency("Mexican peso", "Mexican pesos", "centavo", "centavos"),
    "ZAR": _Currency("rand", "rand", "cent", "cents"),
    "SEK": _crown("Swedish", "öre", "öre"), "NOK": _crown("Norwegian", "øre", "øre"),
    "DKK": _crown("Danish", "øre", "øre"), "CZK": _crown("Czech", "heller", "hellers"),
    "AED": _Currency("dirham", "dirhams", "fils", "fils"),
    "SAR": _Currency("riyal", "riyals", "halala", "halalas"),
}  # fmt: skip
"""ISO 4217."""

_CENTS = {"¢": _Currency("cent", "cents", "", "")}
_CURRENCIES = _SIGNS | _CODES | _CENTS
_SCALES = {
    "k": "thousand", "K": "thousand", "m": "million", "M": "million", "mn": "million",
    "mm": "million", "MM": "million", "mil": "million", "b": "billion", "B": "billion",
    "bn": "billion", "bil": "billion", "T": "trillion", "tn": "trillion", "trn": "trillion",
    "cr": "crore", "Cr": "crore",
}  # fmt: skip
SCALE_WORDS = r"(?:hundred |lakh )?(?:thousand|million|billion|trillion|lakhs?|crores?)|hundred"
_SCALE = rf"(?:[\s-]?(?P<scale>{SCALE_WORDS})|\s?(?P<short>{alternatives(_SCALES)}))?(?!\w)"
_BEFORE = rf"(?P<sign>(?<!\w)(?:{alternatives(_SIGNS.keys() | _CODES.keys())})|[$€£¥])"
_AFTER = rf"(?P<sign>{alternatives(_CURRENCIES.keys() - {'$'})})"
_PER = rf"(?:/(?P<per>{units.PER})(?P<power>[²³])?(?!\w))?"


def _sum(currency: _Currency, number: str) -> str:
    """Money with two decimals is said in two parts, other decimals are said as such."""
    whole, _, cents = number.partition(".")
    if len(cents) != 2 or not currency.cent:
        return f"{numerals.decimal(number)} {currency.one if number == '1' else currency.many}"
    main = f"{numerals.whole(whole or '0')} {currency.one if whole == '1' else currency.many}"
    if int(cents) == 0:
        return main
    rest = f"{numerals.cardinal(int(cents))} {currency.cent if int(cents) == 1 else currency.cents}"
    return rest if not whole.strip("0") else f"{main} and {rest}"


def _money(match: re.Match[str]) -> str:
    currency = _CURRENCIES[match["sign"]]
    if is_attributive(match) or match.groupdict().get("adjective"):
        currency = currency._replace(many=currency.one)
    scale = match["scale"] or _SCALES.get(match["short"] or "", "")
    upto = match["upto"]
    if scale or upto:
        first = f"{numerals.decimal(match['number'])} to " if upto else ""
        said = f"{first}{numerals.decimal(upto or match['number'])} {scale} {currency.many}"
    else:
        said = _sum(currency, match["number"])
    negative = match["minus"] or match.groupdict().get("inner")
    per = f" per {units.said(match['per'] + (match['power'] or ''), True)}" if match["per"] else ""
    return ("minus " if negative else "") + " ".join(said.split()) + per


_CONTINENTAL = r"\d{1,3}(?:[. ]\d{3}){1,9}(?:,\d\d)?|\d+,\d\d"
"""An amount with points or blanks between thousands and a comma before cents."""


def _anglicized(match: re.Match[str]) -> str:
    return re.sub(r"[. ]", "", match.group()).replace(",", ".")


def _listed(match: re.Match[str]) -> str:
    """ "rows 1,2,3": no thousands."""
    return match.group().replace(",", ", ")


def _pence(match: re.Match[str]) -> str:
    return f"{numerals.decimal(match[1])} {'penny' if match[1] == '1' else 'pence'}"


RULES = (
    Rule(re.compile(r"(?<![\w.,/:$€£-])(\d{1,2})p(?![\w/])"), _pence),
    Rule(
        re.compile(
            rf"(?<![\w.,])(?:{_CONTINENTAL})(?=\s?(?:[€₽₴₺]|zł|EUR|PLN|CZK|SEK|NOK|DKK|CHF)(?!\w))"
            rf"|(?<=[€₽₴₺])(?:\d{{1,3}}(?:\.\d{{3}}){{0,9}},\d\d)(?![\d,.]*\d)"
        ),
        _anglicized,
    ),
    Rule(
        re.compile(
            rf"{MINUS}{_BEFORE}\s?(?P<inner>[-−])?(?P<number>{NUMBER})"
            rf"(?:[kKmMbB]?n?\s?[-–]\s?[$€£¥₹]?(?P<upto>{NUMBER}))?{_SCALE}{_PER}"
            r"(?P<adjective>-(?:dollar|euro|pound|yen|rupee)(?=[ -]\w))?"
        ),
        _money,
    ),
    Rule(
        re.compile(
            rf"{MINUS}(?<![\w.])(?P<number>{NUMBER})(?:\s?[-–]\s?(?P<upto>{NUMBER}))?"
            rf"(?:\s?(?P<scale>{SCALE_WORDS})|(?P<short>bn|[kKmM]))?\s?{_AFTER}(?!\w){_PER}"
        ),
        _money,
    ),
    Rule(
        re.compile(
            rf"(?<![\w.,])\d{{1,3}}(?:\.\d{{3}}){{1,9}},\d{{1,2}}(?![\w,]|\.\d)|(?<![\w.,])\d+,\d{{1,2}}"
            rf"(?=\s?%|\s?(?:{units.FREE_NAMES})(?![\w/]))"
        ),
        _anglicized,
    ),
    Rule(re.compile(r"(?<![\d.,])(?:\d{1,2},)+(?=\d{1,2}(?![\d,]|\.\d))"), _listed),
)  # fmt: skip
