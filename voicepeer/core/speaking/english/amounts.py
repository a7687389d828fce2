"""How percentages, temperatures and measures are said."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals, units
from voicepeer.core.speaking.english.numerals import NUMBER
from voicepeer.core.speaking.rule import Rule, alternatives, text_after, text_before

MINUS = r"(?P<minus>(?<![\w.)])[-−])?"


_SCALES = {"k": "thousand", "K": "thousand", "M": "million", "mn": "million", "B": "billion",
           "bn": "billion"}  # fmt: skip
_SCALE = r"(?: (?P<scale>hundred|thousand|million|billion|trillion|lakh|crore))?"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", "^")
_AT_END = r"(?=\s*(?:[.,;:!?)]|$))"
_PERIOD = r"(?:\.(?=,|\s+[a-z0-9(]))?"
"""Of an abbreviated unit inside a sentence: "5 ft. 10 in.\"."""

_ENDING_UNITS = alternatives(units.SPACED_ONLY)


def _is_one(number: str) -> bool:
    return number == "1"


_BOUGHT = re.compile(
    r"[ -](?:bill|note|coin|ticket|gift|fee|fine|tip|discount|deal|budget|loan|prize|deposit|"
    r"sprint|race|timer|timeout|delay)s?\b"
)


def is_attributive(match: re.Match[str]) -> bool:
    """After an article and before a noun the unit is singular: "a five dollar bill"."""
    before, after = text_before(match), text_after(match)
    if _BOUGHT.match(after):
        return True
    return (
        re.search(r"\b[Aa]n? $", before) is not None and re.match(r"[ -][a-z]", after) is not None
    )


def _signed(match: re.Match[str]) -> str:
    minus = "minus " if match.groupdict().get("minus") else ""
    upto = match.groupdict().get("upto")
    first = minus + numerals.decimal(match["number"])
    return f"{first} to {numerals.decimal(upto)}" if upto else first


def _pressure(match: re.Match[str]) -> str:
    """Blood pressure is one number over the other."""
    said = f"{numerals.cardinal(int(match[1]))} over {numerals.cardinal(int(match[2]))}"
    return f"{said} millimeters of mercury" if match[3] else said


def _percent(match: re.Match[str]) -> str:
    return f"{_signed(match)} percent"


def _degrees(match: re.Match[str]) -> str:
    scale = {"C": " Celsius", "F": " Fahrenheit", "K": " Kelvin", "": ""}[match["scale"] or ""]
    one = _is_one(match["number"]) and not match["upto"]
    return f"{_signed(match)} {'degree' if one else 'degrees'}{scale}"


def _measure(match: re.Match[str]) -> str:
    scale = f" {match['scale']}" if match["scale"] else ""
    single = (_is_one(match["number"]) and not match["upto"] and not scale) or is_attributive(match)
    return f"{_signed(match)}{scale} {units.said(match['unit'], single)}"


def _stopwatch(match: re.Match[str]) -> str:
    """ "1h 30m" and "2h30m15s"."""
    hours, minutes, seconds = (int(part) if part else None for part in match.groups())
    said = [
        f"{numerals.cardinal(number)} {name if number == 1 else name + 's'}"
        for number, name in ((hours, "hour"), (minutes, "minute"), (seconds, "second"))
        if number is not None
    ]
    return " ".join(said)


def _power_measure(match: re.Match[str]) -> str:
    exponent = int(match["power"].translate(_SUPERSCRIPTS))
    power = f"to the power of {numerals.cardinal(exponent)}"
    return f"{numerals.decimal(match['number'])} {power} {units.said(match['unit'], False)}"


def _attributive(match: re.Match[str]) -> str:
    return f"{numerals.decimal(match['number'])} {units.said(match['unit'], True)}"


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


def _final_inches(match: re.Match[str]) -> str | None:
    """A mark at the end is of a quotation if one was opened before."""
    if match.string.count('"', 0, match.start()) % 2:
        return None
    one = match["number"] == "1"
    return f"{numerals.decimal(match['number'])} {'inch' if one else 'inches'}"


def _angle(match: re.Match[str]) -> str:
    """Degrees, minutes and seconds of a place on the globe."""
    said = f"{numerals.decimal(match[1])} degrees {numerals.decimal(match[2])} minutes"
    return f"{said} {numerals.decimal(match[3])} seconds " if match[3] else f"{said} "


def _feet(match: re.Match[str]) -> str:
    inches = f" {numerals.decimal(match[2])}" if match[2] else ""
    return f"{numerals.decimal(match[1])} foot{inches}"


def _sized(match: re.Match[str]) -> str:
    """A size; or a product, where it is worked out."""
    factors = re.findall(r"\d+(?:\.\d+)?", match.group())
    if _COMPUTED.match(text_after(match)) or _COMPUTES.search(text_before(match)):
        return " times ".join(map(numerals.decimal, factors))
    of_pixels = all(len(factor) > 2 and "." not in factor for factor in factors)
    return " by ".join(map(numerals.grouped if of_pixels else numerals.decimal, factors))


def _scaled(match: re.Match[str]) -> str:
    return f"{_signed(match)} {_SCALES[match['scale'].strip()]}"


def _times(match: re.Match[str]) -> str:
    return f"{numerals.decimal(match['number'])} times"


_COMPUTED = re.compile(
    r"\s?[=≠≈<>≤≥+÷−]|,? (?:and|to|you|we|I|then)(?: you)? (?:get|have|obtain)\b|"
    r" (?:is|are|was|makes?|gives?|equals?|yields?)(?: (?:also|about|not|exactly|equal to))? "
    r"(?:\d|an? (?:number|product|multiple))| (?:plus|minus|times|divided|modulo|mod)\b"
)
_COMPUTES = re.compile(
    r"(?:[=≠≈<>≤≥+÷−(]\s?|\b(?:[Mm]ultiply|[Cc]ompute|[Cc]alculate|[Ss]olve|[Ww]ork out|"
    r"[Ee]valuate|product(?: of| is)?|[Ee]quals|[Pp]lus|[Mm]inus|[Tt]imes|[Ww]hat(?:'s| is|s)|"
    r"[Hh]ow much is) )$"
)
"""What is beside a product that is no size."""

_UPTO = rf"(?:\s?[-–]\s?(?P<upto>{NUMBER}))?"

_SAME = rf"(?:%|°\s?[CFK]?|{units.FREE_NAMES})"

RULES = (
    Rule(re.compile(r"\b(\d{1,3})°\s?(\d{1,2})['′]\s?(?:(\d{1,2}(?:\.\d+)?)(?:\"|″|''))?"), _angle),
    # "0°C-10°C" has its unit twice, which is said once.
    Rule(re.compile(rf"(?<=\d)\s?({_SAME})(?=\s?[-–—]\s?\d[\d.,]*\s?\1(?!\w))"), ""),
    Rule(
        re.compile(
            r"(?<![\w/.·])(?<!\d )(?P<unit>(?:[kcm]m|m(?=/s)|[kmµ]g|[kMGT][Bb]|kW|kWh|mL|mi|ft|lb)/"
            rf"(?:{units.PER})(?:[²³23])?)(?![\w²³/^])"
        ),
        lambda match: units.said(match["unit"], False),
    ),
    Rule(re.compile(rf"{MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}\s?%"), _percent),
    Rule(
        re.compile(
            rf"{MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}\s?(?:°\s?(?P<scale>[CFK])?|º(?=\s|$))"
            r"(?![A-Za-z])"
        ),
        _degrees,
    ),
    Rule(re.compile(r"(?<=[½¼¾⅓⅔⅜⅝⅞])\s?[x×]\s?(?=\d)"), " by "),
    Rule(re.compile(r"(?<=[A-Za-z])/(?=\d+\s?(?:km|g|m[lL]?|miles|kg)\b)"), " per "),
    Rule(re.compile(r"(?<![\w.])(\d{1,2})['′](?:\s?(\d{1,2})(?:\"|″|''))?(?!\w)"), _feet),
    Rule(re.compile(r"(?<![\w.])(\d+)[\"″]\s?[x×]\s?(\d+)[\"″](?!\w)"), _sized),
    Rule(
        re.compile(
            r"(?<![\w./])(?:(?P<number>\d+)[ -])?(?P<top>\d{1,2})/(?P<bottom>\d{1,2})"
            r"(?:[\"″](?!\w)|-inch\b)"
        ),
        _inches,
    ),
    Rule(
        re.compile(r"(?<![\w.])(?P<number>\d+(?:\.\d+)?)(?:\"|″)(?=\s\w)"),
        lambda match: f"{numerals.decimal(match['number'])} inch",
    ),
    Rule(
        re.compile(r"(?<![\w.\"])(?P<number>\d+(?:\.\d+)?)[\"″](?=[.,;!?)]*$)"),
        _final_inches,
    ),
    Rule(re.compile(r"\b(sq|cu)\.(?= (?:ft|m|in|yd|mi|km|cm)\b)"), lambda match: match[1]),
    Rule(
        re.compile(
            rf"(?<=\d)\s?[x×]\s?(?=\d[\d.]*(?:\s?[x×]\s?\d[\d.]*)?\s?(?:{units.LENGTHS})(?!\w))"
        ),
        " by ",
    ),
    Rule(
        re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:\s?[x×]\s?\d+(?:\.\d+)?){1,9}(?![\w^⁻⁰-⁹²³])"),
        _sized,
    ),
    Rule(re.compile(rf"(?<![\w.])(?P<number>{NUMBER})[x×](?!\w|\s?[-+=])"), _times),
    Rule(re.compile(r"\b(\d{2,3})/(\d{2,3})(\s?mm\s?Hg)\b"), _pressure),
    Rule(re.compile(r"(?<=[Bb]lood pressure )(\d{2,3})/(\d{2,3})()\b"), _pressure),
    Rule(re.compile(r"(?<=[Bb]lood pressure (?:of|is) )(\d{2,3})/(\d{2,3})()\b"), _pressure),
    Rule(
        re.compile(
            r"(?<![\w.])(\d{1,3})\s?h(?:r?s?)\s?(\d{1,2})\s?m(?:ins?)?(?:\s?(\d{1,2})\s?s)?(?!\w)"
        ),
        _stopwatch,
    ),
    Rule(re.compile(r"(?<![\w.])()(\d{1,3})\s?m\s?(\d{1,2})\s?s(?!\w)"), _stopwatch),
    Rule(
        re.compile(
            rf"(?<![\w.])(?P<number>{NUMBER})(?P<power>\^-?\d{{1,3}}|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)\s?"
            rf"(?P<unit>{units.EXPRESSION})(?![\w²³])"
        ),
        _power_measure,
    ),
    Rule(
        re.compile(rf"(?<![\w.])(?P<number>{NUMBER})-(?P<unit>{units.FREE_NAMES})(?![\w/])"),
        _attributive,
    ),
    # A unit of several parts can be no word, so that a blank may be before any of them.
    Rule(
        re.compile(
            rf"{MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}{_SCALE}\s?"
            rf"(?P<unit>(?=[^\W\d]*[ °-]?[^\W\d]*[/·⋅*^⁻²³23]){units.EXPRESSION})(?![\w²³])"
        ),
        _measure,
    ),
    Rule(
        re.compile(
            rf"{MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}(?P<scale>(?!))?"
            rf"(?P<unit>{units.NAMES})(?![\w²³]){_PERIOD}"
        ),
        _measure,
    ),
    Rule(
        re.compile(
            rf"{MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}{_SCALE}\s?"
            rf"(?P<unit>{units.FREE_NAMES})(?![\w²³]){_PERIOD}"
        ),
        _measure,
    ),
    Rule(
        re.compile(
            rf"{MINUS}(?<![\w.])(?P<number>{NUMBER}){_UPTO}{_SCALE}\s"
            rf"(?P<unit>{_ENDING_UNITS}){_AT_END}{_PERIOD}"
        ),
        _measure,
    ),
    Rule(
        re.compile(rf"(?<=[a-z])/(?P<per>{units.PER})(?!\w)"),
        lambda match: f" per {units.said(match['per'], True)}",
    ),
    Rule(
        re.compile(
            rf"{MINUS}(?<![\w.])(?P<number>{NUMBER})(?P<scale>\s?(?:bn|mn)|[kKMB])(?![\w/])"
        ),
        _scaled,
    ),
)
