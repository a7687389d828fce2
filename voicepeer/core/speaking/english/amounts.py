"""How money, percentages, temperatures and measures are said."""

from __future__ import annotations

import re
from typing import NamedTuple

from voicepeer.core.speaking.english import numerals
from voicepeer.core.speaking.rule import Rule, alternatives

NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_MINUS = r"(?P<minus>(?<![\w.)])[-−])?"


class _Currency(NamedTuple):
    one: str
    many: str
    cent: str
    cents: str


_DOLLAR = _Currency("dollar", "dollars", "cent", "cents")
_CURRENCIES = {
    "$": _DOLLAR,
    "€": _Currency("euro", "euros", "cent", "cents"),
    "£": _Currency("pound", "pounds", "penny", "pence"),
    "¥": _Currency("yen", "yen", "sen", "sen"),
    "₹": _Currency("rupee", "rupees", "paisa", "paise"),
    "₩": _Currency("won", "won", "jeon", "jeon"),
    "₽": _Currency("ruble", "rubles", "kopeck", "kopecks"),
    "₿": _Currency("bitcoin", "bitcoins", "satoshi", "satoshis"),
    "¢": _Currency("cent", "cents", "", ""),
    "US$": _Currency("U S dollar", "U S dollars", "cent", "cents"),
    "C$": _Currency("Canadian dollar", "Canadian dollars", "cent", "cents"),
    "A$": _Currency("Australian dollar", "Australian dollars", "cent", "cents"),
    "HK$": _Currency("Hong Kong dollar", "Hong Kong dollars", "cent", "cents"),
    "R$": _Currency("real", "reais", "centavo", "centavos"),
}
_CODES = {
    "USD": _CURRENCIES["US$"], "EUR": _CURRENCIES["€"], "GBP": _CURRENCIES["£"],
    "JPY": _CURRENCIES["¥"], "INR": _CURRENCIES["₹"], "CAD": _CURRENCIES["C$"],
    "AUD": _CURRENCIES["A$"], "CHF": _Currency("Swiss franc", "Swiss francs", "rappen", "rappen"),
    "CNY": _Currency("yuan", "yuan", "fen", "fen"), "KRW": _CURRENCIES["₩"],
    "BRL": _CURRENCIES["R$"], "MXN": _Currency("peso", "pesos", "centavo", "centavos"),
}  # fmt: skip
_SCALES = {
    "k": "thousand", "K": "thousand", "thousand": "thousand", "m": "million", "M": "million",
    "mn": "million", "MM": "million", "million": "million", "b": "billion", "B": "billion",
    "bn": "billion", "billion": "billion", "T": "trillion", "tn": "trillion",
    "trillion": "trillion", "hundred": "hundred",
}  # fmt: skip
_SCALE = (
    r"(?:\s?(?P<scale>thousand|million|billion|trillion|hundred)"
    r"|\s?(?P<short>mn|bn|tn|MM|[kKmMbBT]))?(?!\w)"
)
_SIGN = r"(?P<sign>US\$|HK\$|[CAR]\$|[$€£¥₹₩₽₿])"
_CODE = r"(?P<code>USD|EUR|GBP|JPY|INR|CAD|AUD|CHF|CNY|KRW|BRL|MXN|€|£|¢|₽)"

_UNITS = {
    "km/h": ("kilometer per hour", "kilometers per hour"),
    "kph": ("kilometer per hour", "kilometers per hour"),
    "mph": ("mile per hour", "miles per hour"),
    "m/s": ("meter per second", "meters per second"),
    "kb/s": ("kilobit per second", "kilobits per second"),
    "kbps": ("kilobit per second", "kilobits per second"),
    "Mbps": ("megabit per second", "megabits per second"),
    "Mb/s": ("megabit per second", "megabits per second"),
    "Gbps": ("gigabit per second", "gigabits per second"),
    "MB/s": ("megabyte per second", "megabytes per second"),
    "fps": ("frame per second", "frames per second"),
    "rpm": ("R P M", "R P M"),
    "mm": ("millimeter", "millimeters"), "cm": ("centimeter", "centimeters"),
    "km": ("kilometer", "kilometers"), "nm": ("nanometer", "nanometers"),
    "µm": ("micrometer", "micrometers"), "μm": ("micrometer", "micrometers"),
    "m": ("meter", "meters"), "ft": ("foot", "feet"), "in": ("inch", "inches"),
    "yd": ("yard", "yards"), "mi": ("mile", "miles"),
    "kg": ("kilogram", "kilograms"), "mg": ("milligram", "milligrams"),
    "µg": ("microgram", "micrograms"), "g": ("gram", "grams"), "lb": ("pound", "pounds"),
    "lbs": ("pound", "pounds"), "oz": ("ounce", "ounces"),
    "ml": ("milliliter", "milliliters"), "mL": ("milliliter", "milliliters"),
    "cl": ("centiliter", "centiliters"), "l": ("liter", "liters"), "L": ("liter", "liters"),
    "gal": ("gallon", "gallons"), "tsp": ("teaspoon", "teaspoons"),
    "tbsp": ("tablespoon", "tablespoons"),
    "ms": ("millisecond", "milliseconds"), "µs": ("microsecond", "microseconds"),
    "ns": ("nanosecond", "nanoseconds"), "s": ("second", "seconds"),
    "sec": ("second", "seconds"), "secs": ("second", "seconds"), "min": ("minute", "minutes"),
    "mins": ("minute", "minutes"), "h": ("hour", "hours"), "hr": ("hour", "hours"),
    "hrs": ("hour", "hours"),
    "Hz": ("hertz", "hertz"), "kHz": ("kilohertz", "kilohertz"),
    "MHz": ("megahertz", "megahertz"), "GHz": ("gigahertz", "gigahertz"),
    "dB": ("decibel", "decibels"), "W": ("watt", "watts"), "kW": ("kilowatt", "kilowatts"),
    "MW": ("megawatt", "megawatts"), "kWh": ("kilowatt hour", "kilowatt hours"),
    "V": ("volt", "volts"), "mV": ("millivolt", "millivolts"), "A": ("amp", "amps"),
    "mA": ("milliamp", "milliamps"), "mAh": ("milliamp hour", "milliamp hours"),
    "J": ("joule", "joules"), "kJ": ("kilojoule", "kilojoules"), "N": ("newton", "newtons"),
    "kcal": ("kilocalorie", "kilocalories"), "cal": ("calorie", "calories"),
    "bit": ("bit", "bits"), "kB": ("kilobyte", "kilobytes"), "KB": ("kilobyte", "kilobytes"),
    "MB": ("megabyte", "megabytes"), "GB": ("gigabyte", "gigabytes"),
    "TB": ("terabyte", "terabytes"), "PB": ("petabyte", "petabytes"),
    "KiB": ("kibibyte", "kibibytes"), "MiB": ("mebibyte", "mebibytes"),
    "GiB": ("gibibyte", "gibibytes"), "px": ("pixel", "pixels"),
    "ha": ("hectare", "hectares"), "Ω": ("ohm", "ohms"),
    "m²": ("square meter", "square meters"), "m2": ("square meter", "square meters"),
    "km²": ("square kilometer", "square kilometers"),
    "km2": ("square kilometer", "square kilometers"),
    "cm²": ("square centimeter", "square centimeters"),
    "m³": ("cubic meter", "cubic meters"), "m3": ("cubic meter", "cubic meters"),
    "cm³": ("cubic centimeter", "cubic centimeters"), "ft²": ("square foot", "square feet"),
    "sq ft": ("square foot", "square feet"), "sqft": ("square foot", "square feet"),
}  # fmt: skip
_SPACED_ONLY = frozenset({"in", "A", "s", "N", "J", "V", "l", "h"})
"""Too much like words or names to be units after a blank ("5 in 10", "4 A side")."""

_AT_END = r"(?=\s*(?:[.,;:!?)]|$))"
_ENDING_UNITS = alternatives(_SPACED_ONLY)
_UNIT_NAMES = alternatives(_UNITS)
_FREE_UNITS = alternatives(unit for unit in _UNITS if unit not in _SPACED_ONLY)
_PER = {
    "s": "second", "sec": "second", "min": "minute", "h": "hour", "hr": "hour", "hour": "hour",
    "day": "day", "d": "day", "week": "week", "wk": "week", "month": "month", "mo": "month",
    "year": "year", "yr": "year", "person": "person", "user": "user", "night": "night",
    "kg": "kilogram", "lb": "pound", "km": "kilometer", "mile": "mile", "hectare": "hectare",
    "unit": "unit", "item": "item", "page": "page", "minute": "minute", "second": "second",
    "GB": "gigabyte", "token": "token", "M": "million", "m²": "square meter", "L": "liter",
}  # fmt: skip
_PER_UNIT = rf"(?:/(?P<per>{alternatives(_PER)})\b)?"


def _is_one(number: str) -> bool:
    return number == "1"


def _sum(currency: _Currency, number: str) -> str:
    """Money with two decimals is said in two parts, other decimals are said as such."""
    whole, _, cents = number.replace(",", "").partition(".")
    if len(cents) != 2 or not currency.cent:
        return f"{numerals.decimal(number)} {currency.one if _is_one(number) else currency.many}"
    main = f"{numerals.cardinal(int(whole or 0))} {currency.one if whole == '1' else currency.many}"
    if int(cents) == 0:
        return main
    rest = f"{numerals.cardinal(int(cents))} {currency.cent if int(cents) == 1 else currency.cents}"
    return rest if int(whole or 0) == 0 else f"{main} and {rest}"


def _is_attributive(match: re.Match[str]) -> bool:
    """After an article and before a noun the unit is singular: "a five dollar bill"."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    return (
        re.search(r"\b[Aa]n? $", before) is not None and re.match(r"[ -][a-z]", after) is not None
    )


def _money(match: re.Match[str]) -> str:
    found = match.groupdict()
    sign, number = found.get("sign") or found.get("code") or "$", match["number"]
    currency = _CURRENCIES.get(sign) or _CODES[sign]
    if _is_attributive(match):
        currency = currency._replace(many=currency.one)
    scale = _SCALES.get(found.get("scale") or found.get("short") or "")
    upto = found.get("upto")
    first = f"{numerals.decimal(number)} to " if upto else ""
    amount = upto or number
    if scale:
        said = f"{first}{numerals.decimal(amount)} {scale} {currency.many}"
    elif upto:
        said = f"{first}{numerals.decimal(amount)} {currency.many}"
    else:
        said = _sum(currency, number)
    per = f" per {_PER[found['per']]}" if found.get("per") else ""
    return ("minus " if found.get("minus") else "") + said + per


def _signed(match: re.Match[str]) -> str:
    minus = "minus " if match.groupdict().get("minus") else ""
    upto = match.groupdict().get("upto")
    first = minus + numerals.decimal(match["number"])
    return f"{first} to {numerals.decimal(upto)}" if upto else first


def _percent(match: re.Match[str]) -> str:
    return f"{_signed(match)} percent"


def _degrees(match: re.Match[str]) -> str:
    scale = {"C": " Celsius", "F": " Fahrenheit", "K": " Kelvin", "": ""}[match["scale"] or ""]
    one = _is_one(match["number"]) and not match["upto"]
    return f"{_signed(match)} {'degree' if one else 'degrees'}{scale}"


def _measure(match: re.Match[str]) -> str:
    one, many = _UNITS[match["unit"]]
    single = (_is_one(match["number"]) and not match["upto"]) or _is_attributive(match)
    per = f" per {_PER[match['per']]}" if match["per"] else ""
    return f"{_signed(match)} {one if single else many}{per}"


def _power_measure(match: re.Match[str]) -> str:
    exponent = numerals.cardinal(int(match["power"].lstrip("-")))
    minus = "minus " if match["power"].startswith("-") else ""
    power = f"to the power of {minus}{exponent}"
    return f"{numerals.decimal(match['number'])} {power} {_UNITS[match['unit']][1]}"


def _attributive(match: re.Match[str]) -> str:
    return f"{numerals.decimal(match['number'])} {_UNITS[match['unit']][0]}"


def _inches(match: re.Match[str]) -> str | None:
    """ "half inch", "three quarter inch", "two and a half inch"."""
    bottom = int(match["bottom"])
    if bottom < 2:
        return None
    name = {2: "half", 4: "quarter"}.get(bottom) or numerals.ordinal(bottom)
    top = "" if match["top"] == "1" else f"{numerals.cardinal(int(match['top']))} "
    if match["number"]:
        return f"{numerals.decimal(match['number'])} and {top or 'a '}{name} inch"
    return f"{top}{name} inch"


def _feet(match: re.Match[str]) -> str:
    inches = f" {numerals.decimal(match[2])}" if match[2] else ""
    return f"{numerals.decimal(match[1])} foot{inches}"


def _sized(match: re.Match[str]) -> str:
    first, second = match[1], match[2]
    if min(len(first), len(second)) > 2 and "." not in first + second:
        return f"{numerals.grouped(first)} by {numerals.grouped(second)}"
    return f"{numerals.decimal(first)} by {numerals.decimal(second)}"


_NUMBERED_PLACE = re.compile(
    r"\b(?:apartment|apt|room|suite|unit|gate|seat|row|flat|section|class|grade|block) $", re.I
)


def _scaled(match: re.Match[str]) -> str | None:
    if match["scale"] == "K" and match["number"] in ("2", "4", "5", "8"):
        return None  # widths of screens
    if match["scale"] == "B" and _NUMBERED_PLACE.search(match.string[: match.start()]):
        return None
    return f"{_signed(match)} {_SCALES[match['scale'].strip()]}"


def _times(match: re.Match[str]) -> str:
    return f"{numerals.decimal(match['number'])} times"


_UPTO = rf"(?:\s?[-–]\s?(?P<upto>{NUMBER}))?"

RULES = (
    Rule(
        re.compile(
            rf"(?P<minus>(?<![\w.)])[-−])?{_SIGN}\s?(?P<number>{NUMBER})"
            rf"(?:[kKmMbB]?\s?[-–]\s?[$€£¥₹]?(?P<upto>{NUMBER}))?{_SCALE}{_PER_UNIT}"
        ),
        _money,
    ),
    Rule(
        re.compile(
            rf"{_MINUS}(?<![\w.])(?P<number>{NUMBER})"
            rf"(?:\s?(?P<scale>thousand|million|billion|trillion)|(?P<short>bn|[kKM]))?"
            rf"\s?{_CODE}(?!\w){_PER_UNIT}"
        ),
        _money,
    ),
    Rule(re.compile(rf"{_MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}\s?%"), _percent),
    Rule(
        re.compile(
            rf"{_MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}\s?(?:°\s?(?P<scale>[CFK])?|º(?=\s|$))"
            r"(?![A-Za-z])"
        ),
        _degrees,
    ),
    Rule(re.compile(r"(?<![\w.])(\d{1,2})['′](?:\s?(\d{1,2})(?:\"|″|''))?(?!\w)"), _feet),
    Rule(re.compile(r"(?<![\w.])(\d+)[\"″]\s?[x×]\s?(\d+)[\"″](?!\w)"), _sized),
    Rule(
        re.compile(
            r"(?<![\w./])(?:(?P<number>\d+)[ -])?(?P<top>\d{1,2})/(?P<bottom>\d{1,2})[\"″](?!\w)"
        ),
        _inches,
    ),
    Rule(
        re.compile(r"(?<![\w.])(?P<number>\d+(?:\.\d+)?)(?:\"|″)(?=\s\w)"),
        lambda match: f"{numerals.decimal(match['number'])} inch",
    ),
    Rule(re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?[x×]\s?(\d+(?:\.\d+)?)(?![\w^⁰-⁹²³])"), _sized),
    Rule(re.compile(rf"(?<![\w.])(?P<number>{NUMBER})[x×](?!\w|\s?[-+=])"), _times),
    Rule(
        re.compile(
            rf"(?<![\w.])(?P<number>{NUMBER})\^(?P<power>-?\d{{1,3}})\s?(?P<unit>{_UNIT_NAMES})"
            r"(?![\w²³])"
        ),
        _power_measure,
    ),
    Rule(
        re.compile(rf"(?<![\w.])(?P<number>{NUMBER})-(?P<unit>{_FREE_UNITS})(?![\w/])"),
        _attributive,
    ),
    Rule(
        re.compile(
            rf"{_MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}"
            rf"(?P<unit>{_UNIT_NAMES})(?![\w²³]){_PER_UNIT}"
        ),
        _measure,
    ),
    Rule(
        re.compile(
            rf"{_MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}\s?(?P<unit>{_FREE_UNITS})(?![\w²³])"
            rf"{_PER_UNIT}"
        ),
        _measure,
    ),
    Rule(
        re.compile(
            rf"{_MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}\s(?P<unit>{_ENDING_UNITS}){_AT_END}"
            r"(?P<per>(?!))?"
        ),
        _measure,
    ),
    Rule(
        re.compile(
            rf"{_MINUS}(?<![\w.])(?P<number>{NUMBER})(?P<scale>\s?(?:bn|mn)|[kKMB])(?![\w/])"
        ),
        _scaled,
    ),
)
