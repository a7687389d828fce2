"""Units of measure: their names, and products, quotients and powers of them ("kg·m²/s³")."""

from __future__ import annotations

import re
from typing import NamedTuple

from voicepeer.core.speaking.rule import alternatives

_PREFIXES = {
    "p": "pico", "n": "nano", "µ": "micro", "μ": "micro", "m": "milli", "c": "centi", "d": "deci",
    "h": "hecto", "k": "kilo", "K": "kilo", "M": "mega", "G": "giga", "T": "tera", "P": "peta",
    "E": "exa",
}  # fmt: skip
_PREFIXED = {
    "m": ("meter", "nµμmcdk"), "g": ("gram", "nµμmk"), "s": ("second", "nµμm"),
    "A": ("amp", "nµμmk"), "V": ("volt", "µμmkM"), "W": ("watt", "µμmkMGT"),
    "Wh": ("watt hour", "kMGT"), "Ah": ("amp hour", "mk"), "VA": ("volt amp", "kM"),
    "J": ("joule", "mkMG"), "N": ("newton", "mkM"), "Pa": ("pascal", "hkMG"),
    "Hz": ("hertz", "kMGT"), "L": ("liter", "µμmcdh"), "l": ("liter", "µμmcdh"),
    "B": ("byte", "kKMGTPE"), "b": ("bit", "kMGT"), "bit": ("bit", "kMGT"),
    "Ω": ("ohm", "mkMG"), "F": ("farad", "pnµμm"), "H": ("henry", "nµμm"),
    "T": ("tesla", "nµμm"), "mol": ("mole", "nµμmk"), "eV": ("electronvolt", "kMGT"),
    "cal": ("calorie", "k"), "Sv": ("sievert", "µμm"), "Bq": ("becquerel", "kMGT"),
}  # fmt: skip
"""Symbols of the SI and its relatives (SI Brochure, 9th edition), and the prefixes in use."""

_ALONE = {
    "m": "meter", "g": "gram", "s": "second", "A": "amp", "V": "volt", "W": "watt",
    "Wh": "watt hour", "Ah": "amp hour", "VA": "volt amp", "J": "joule", "N": "newton",
    "Pa": "pascal", "Hz": "hertz", "L": "liter", "l": "liter", "bit": "bit", "Ω": "ohm",
    "mol": "mole", "eV": "electronvolt", "cal": "calorie", "Sv": "sievert", "Bq": "becquerel",
    "kph": "kilometer per hour", "mph": "mile per hour", "mpg": "mile per gallon",
    "kbps": "kilobit per second", "Mbps": "megabit per second", "Gbps": "gigabit per second",
    "fps": "frame per second", "bpm": "beat per minute", "rpm": "R P M", "psi": "P S I",
    "dpi": "D P I", "ppi": "P P I", "pp": "percentage point",
    "ppm": "part per million", "ppb": "part per billion",
    "ft": "foot", "in": "inch", "yd": "yard", "yds": "yard", "mi": "mile", "ha": "hectare",
    "lb": "pound", "lbs": "pound", "oz": "ounce", "fl oz": "fluid ounce", "gal": "gallon",
    "qt": "quart", "tsp": "teaspoon", "tbsp": "tablespoon", "ft-lb": "foot pound",
    "ft-lbs": "foot pound", "cc": "cubic centimeter", "ly": "light year",
    "sec": "second", "secs": "second", "min": "minute", "mins": "minute", "h": "hour",
    "hr": "hour", "hrs": "hour", "wk": "week", "wks": "week", "yr": "year", "yrs": "year",
    "mos": "month", "pcs": "piece", "px": "pixel", "dB": "decibel", "bar": "bar",
    "mbar": "millibar",
    "hp": "horsepower", "kts": "knot", "kn": "knot", "doz": "dozen", "req": "request",
    "mmHg": "millimeter of mercury",
    "KiB": "kibibyte", "MiB": "mebibyte", "GiB": "gibibyte", "TiB": "tebibyte",
    "sq ft": "square foot", "sqft": "square foot", "sq mi": "square mile", "sq m": "square meter",
    "sq km": "square kilometer", "sq in": "square inch", "sq yd": "square yard",
    "cu ft": "cubic foot", "cu m": "cubic meter",
}  # fmt: skip
_NAMES = {
    prefix + symbol: _PREFIXES[prefix] + name
    for symbol, (name, prefixes) in _PREFIXED.items()
    for prefix in prefixes
} | _ALONE

_PLURALS = {"foot": "feet", "inch": "inches", "henry": "henries"}
_UNCHANGED = ("hertz", "R P M", "P S I", "D P I", "P P I", "bar", "horsepower", "dozen")
SPACED_ONLY = frozenset(("in", "A", "s", "N", "J", "V", "l", "h"))
"""Too much like words or names to be units after a blank ("5 in 10", "4 A side")."""

LENGTHS = alternatives(("m", "nm", "mm", "cm", "dm", "km", "ft", "in", "yd", "mi"))
"""What squares and cubes are made of: "square meter", but "second squared"."""

_DIVISORS = {
    "d": "day", "day": "day", "week": "week", "month": "month", "mo": "month", "year": "year",
    "hour": "hour", "minute": "minute", "second": "second", "person": "person", "user": "user",
    "capita": "capita", "night": "night", "mile": "mile", "hectare": "hectare", "acre": "acre",
    "unit": "unit", "item": "item", "page": "page", "token": "token", "seat": "seat",
    "K": "kelvin", "°C": "degree Celsius", "M": "million", "piece": "piece", "game": "game",
    "share": "share", "barrel": "barrel", "gallon": "gallon", "pound": "pound", "ton": "ton",
}  # fmt: skip
"""What else stands after a slash."""

_IN_PRODUCTS = _NAMES | _DIVISORS
RATES = (
    *(symbol for symbol in _DIVISORS if len(symbol) > 2 and symbol != "°C"),
    *("mo", "yr", "wk", "hr", "min", "sec", "km", "kg", "kWh", "lb", "oz", "gal"),
)
"""What stands below a number without a unit: "3/week"."""

NAMES = alternatives(_NAMES)
FREE_NAMES = alternatives(_NAMES.keys() - SPACED_ONLY)
PER = alternatives(_IN_PRODUCTS)
_POWER = r"(?:\^-?\d|⁻?[¹²³⁴])"
_FACTOR = rf"(?:(?:{LENGTHS})[23]|(?:{NAMES}){_POWER}?)(?![^\W_])"
_BELOW = rf"(?:(?:{PER})(?:{_POWER}|[23])?(?![^\W_]))"
EXPRESSION = (
    rf"{_FACTOR}(?:[·⋅*]{_FACTOR})*(?:[·⋅]{_BELOW})?"
    rf"(?:/(?:{_BELOW}|\({_BELOW}(?:[·⋅*]{_BELOW})*\)))*"
)
_PART = re.compile(rf"(?P<slash>/)?[·⋅*()]*(?P<symbol>{PER})(?P<power>{_POWER}|[23])?(?![^\W_])")
_SUPERSCRIPTS = str.maketrans("⁻¹²³⁴", "-1234", "^")
_POWERS = {2: "squared", 3: "cubed"}
_HEAD = re.compile(r"^[\w ]+?(?= per | of |$)")


class _Factor(NamedTuple):
    symbol: str
    power: int

    def said(self, plural: bool) -> str:
        name = _IN_PRODUCTS[self.symbol]
        if plural:
            name = _HEAD.sub(lambda match: _plural(match.group()), name, count=1)
        if self.power == 1:
            return name
        if self.power < 4 and re.fullmatch(LENGTHS, self.symbol):
            return f"{'square' if self.power == 2 else 'cubic'} {name}"
        return f"{name} {_POWERS.get(self.power) or f'to the power of {self.power}'}"


def _plural(name: str) -> str:
    if name.endswith(_UNCHANGED):
        return name
    before, _, last = name.rpartition(" ")
    return f"{before} {_PLURALS.get(last) or f'{last}s'}".strip()


def _factors(expression: str) -> tuple[list[_Factor], list[_Factor]]:
    """What is above and what is below the line."""
    above: list[_Factor] = []
    below: list[_Factor] = []
    divides = False
    for part in _PART.finditer(expression):
        divides = divides or part["slash"] is not None
        power = int((part["power"] or "1").translate(_SUPERSCRIPTS) or 1)
        lower = divides or power < 0
        (below if lower else above).append(_Factor(part["symbol"], abs(power)))
    return above, below


def said(expression: str, single: bool) -> str:
    """A unit in words: "m/s²" is "meters per second squared", or "meter ..." of one.

    ``expression`` is what ``EXPRESSION``, ``NAMES`` or ``PER`` found.
    """
    above, below = _factors(expression)
    last = len(above) - 1
    words = [factor.said(not single and at == last) for at, factor in enumerate(above)]
    if below:
        words += ["per", *(factor.said(False) for factor in below)]
    return " ".join(words)
