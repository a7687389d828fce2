"""Numbers that name something rather than count it: houses, aircraft, networks, hashes."""

from __future__ import annotations

import re

from voicepeer.core.speaking.english import numerals
from voicepeer.core.speaking.rule import Rule, text_after, text_before

_PLACES = (
    r"(?:apartment|apt\.?|room|suite|unit|gate|seat|row|flat|section|class|grade|block|terminal|"
    r"platform|house|number|bus|exit|appendix|figure|form|page|question|exercise|lot|table|"
    r"building|floor|stand|dorm|hall|level|group|line|channel|type|vitamin|at)"
)
_AFTER_PLACE = re.compile(rf"\b{_PLACES} $", re.IGNORECASE)
_LETTERED_NOUNS = re.compile(
    r"[ -](?:run|race|walk|resolution|tv|tvs|monitor|video|display|screen|network|phone|glasses|"
    r"printer|printing|movie|model|ultra|uhd)\b",
    re.IGNORECASE,
)
_MAKERS = r"(?:Boeing|Airbus|Embraer|Cessna|Bombardier|Falcon|Model|Type|Mark|Intel|Canon)"
_NAMED = re.compile(rf"(?:(?<=[\w,] )[A-Z]\w*|\b{_MAKERS}|\d[a-z]{{0,2}}s (?:and|or|to)) $")
_COUNTED = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|the|these|those|some|many|few|all|both|"
    r"several|old|new|more|no|any|sizes?|"
    r"(?:fleet|pair|number|couple|bunch|dozens|row|stack|set|lots?|batch) of) $",
    re.IGNORECASE,
)
_JETS = re.compile(r"7\d7")
_DURATION_NOUNS = re.compile(
    r" (?:left|later|ago|long|timeout|delay|limit|window|interval|clip|video|ad|pause|timer|"
    r"of (?:silence|audio|video|speech)|remaining|before|after|and|or|to|per|each|max|min)\b"
    r"|\s*[,.;:!?)]|$"
)
_DEVICES = (
    r"(?:(?:[RG]TX|GTS?|RX|GeForce|Radeon|Quadro|Ryzen(?: \d)?|Threadripper|Xeon(?: \w+)?|EPYC|"
    r"Core|Arc|Pentium|Celeron|Athlon|Snapdragon|Dimensity|ThinkPad|Latitude|Nokia|Canon|Nikon))"
)
"""Makers of parts and devices whose numbers are said in pairs of digits."""

_GROUPS = {"10": "tens", "100": "hundreds", "1000": "thousands", "1,000": "thousands"}


def _groups(match: re.Match[str]) -> str:
    return _GROUPS[match[1]]


def _boards(match: re.Match[str]) -> str:
    """ "2x4s" are pieces of wood."""
    last = numerals.plural(numerals.cardinal(int(match[2])))
    return f"{numerals.cardinal(int(match[1]))} by {last}"


def _are_things(number: str, before: str, after: str) -> bool:
    """Whether "747s" are aircraft rather than seconds."""
    if number == "0" or _JETS.fullmatch(number) or re.match(r" (?:and|or) 0s\b", after):
        return True
    if _NAMED.search(before) or _COUNTED.search(before):
        return True
    return not before.strip() and len(number) > 2 and not _DURATION_NOUNS.match(after)


def _plural(match: re.Match[str]) -> str | None:
    """ "747s" are aircraft; "30s" after "took" are seconds, and so they are where nothing tells."""
    before, after = text_before(match), text_after(match)
    if not match["name"] and not _are_things(match["number"], before, after):
        return None
    name = match["name"].rstrip("-") + " " if match["name"] else ""
    return name + numerals.plural(numerals.grouped(match["number"]))


def _lettered(match: re.Match[str]) -> str | None:
    """ "221B Baker Street", "seat 14C", "a 4K TV": the letter is no unit and no scale."""
    before, after = text_before(match), text_after(match)
    number, letter = match[1], match[2].upper()
    is_place = bool(_AFTER_PLACE.search(before) or re.match(r",? [A-Z][a-z]", after))
    if letter in "KM":
        is_place = is_place and len(number) < 3
    is_kind = letter in "GD" or (
        letter == "K" and (number in ("2", "4", "5", "8") or _LETTERED_NOUNS.match(after))
    )
    begins = letter == "B" and not before and re.match(r" (?:is|was|has) ", after)
    return f"{numerals.grouped(number)} {letter}" if is_place or is_kind or begins else None


def _fraction(match: re.Match[str]) -> str | None:
    top, bottom = int(match[1]), int(match[2])
    if bottom < 2:
        return None
    name = "half" if bottom == 2 else numerals.ordinal(bottom)
    return f"{numerals.cardinal(top)} {name if top == 1 else f'{name}s'}"


def _models(match: re.Match[str]) -> str:
    said = f"{match[1]} {numerals.grouped(match[2])} {numerals.grouped(match[3])}"
    return f"{said} {match[4]}" if match[4] else said


def _processor(match: re.Match[str]) -> str:
    """ "i7-12700K"."""
    number, letters = match[3], " ".join(match[4])
    groups = (number,) if len(number) == 4 else (number[:2], number[2:])
    said = " ".join(map(numerals.grouped, groups))
    return f"{match[1].upper()} {match[2]}, {said} {letters}".rstrip()


def _either(match: re.Match[str]) -> str:
    """ "Windows 10/11"."""
    return f"{match[1]} {numerals.grouped(match[2])} or {numerals.grouped(match[3])}"


def _players(match: re.Match[str]) -> str:
    """ "49ers"."""
    said = numerals.cardinal(int(match[1]))
    return f"{said.removesuffix('e')}ers"


def _spelled(match: re.Match[str]) -> str:
    """Hexadecimal digits one by one; letters as they are spelled."""
    said = [
        numerals.digits(char) if char.isdecimal() else char.upper()
        for char in match.group()
        if char.isalnum()
    ]
    return " ".join(said)


def _digits(match: re.Match[str]) -> str:
    return ", ".join(numerals.digits(group) for group in match.group().split("-"))


def _colons(match: re.Match[str]) -> str:
    groups = re.findall(r"[0-9A-Fa-f]+|:", match.group())
    return " ".join(
        "colon" if group == ":" else " ".join(numerals.digits(c) or c.upper() for c in group)
        for group in groups
    )


RULES = (
    Rule(
        re.compile(
            r"(?<![\w:.])(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}|"
            r"(?=[0-9A-Fa-f:]*::|[0-9A-Fa-f]+(?::[0-9A-Fa-f]+){7})[0-9A-Fa-f]{1,4}"
            r"(?::{1,2}[0-9A-Fa-f]{1,4}){1,7})(?![\w:])"
        ),
        _colons,
    ),
    Rule(
        re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"),
        _spelled,
    ),
    Rule(
        re.compile(
            r"\b(?:0x)?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])(?!\d+e\d+\b)[0-9a-f]{7,128}\b"
            r"|\b0x[0-9a-fA-F]+\b"
        ),
        _spelled,
    ),
    Rule(re.compile(r"\b401\s?\(?k\)?(?!\w)"), "four oh one K"),
    Rule(re.compile(r"\b([im])([3579])-(\d{4,5})([A-Z]{0,2})(?!\w)"), _processor),
    Rule(
        re.compile(rf"\b({_DEVICES}) (\d{{4}})(?!\w|[.,]\d)"),
        lambda match: f"{match[1]} {numerals.grouped(match[2])}",
    ),
    Rule(re.compile(r"(?<![\w.,])(\d\d)ers\b"), _players),
    Rule(re.compile(rf"\b({_MAKERS}) (\d{{3}})-(\d{{3}})([A-Z]{{0,2}})(?![\w-])"), _models),
    Rule(re.compile(r"(?<![\w./])(\d{1,3})/(\d{1,3})(?:ths?|rds?|nds?|sts?)\b"), _fraction),
    Rule(
        re.compile(r"(?<![\w.,$€£'/-])(?P<name>[A-Z][A-Za-z]{0,3}-?)?(?P<number>\d{1,4})'?s\b"),
        _plural,
    ),
    Rule(
        re.compile(r"(?<![\w.,/$€£-])(\d{1,4})([A-Z]|k(?= (?:run|race|walk)))(?![\w/])"),
        _lettered,
    ),
    Rule(re.compile(r"(?<=\d)-(?=[A-Z]\d)"), " "),
    Rule(
        re.compile(r"\b([A-Z])\.(\d{2,3})\b"),
        lambda match: f"{match[1]} {numerals.grouped(match[2])}",
    ),
    Rule(re.compile(r"\b\d{5}-\d{4}\b|\b97[89]-\d{1,5}-\d{1,7}-\d{1,7}-\d\b"), _digits),
    Rule(re.compile(r"\b(Windows|i?OS|macOS|Android|Python|Java|Size|Grades?|Rooms?) (\d{1,2})/"
                    r"(\d{1,2})(?![\w/]|[.,]\d)"), _either),
    Rule(re.compile(r"\bQ([1-4]) ?'(\d\d)\b"),
         lambda match: f"Q {numerals.cardinal(int(match[1]))} {numerals.grouped(match[2])}"),
    Rule(re.compile(r"(?<=\d(?:st|nd|rd|th))\s?[-–]\s?(?=\d+(?:st|nd|rd|th)\b)"), " to "),
    Rule(re.compile(r"(?<=\b[Aa]n )([A-F])-(?!\w)|(?<=\b[Aa] )([B-F])-(?!\w)"),
         lambda match: f"{match[1] or match[2]} minus"),
)  # fmt: skip

EARLY = (
    Rule(re.compile(r"(?<![\w.,])(1,?0{1,3})s(?= of\b)"), _groups),
    Rule(re.compile(r"(?<![\w.,])(\d)x(\d)s\b"), _boards),
    Rule(
        re.compile(
            r"\b((?:PIN|[Cc]ode|[Pp]asscode|[Pp]assword|OTP|ID|[Zz]ip|ZIP|[Aa]ccount)"
            r"(?: (?:is|number|code))?:? )(\d{3,12})(?![\w.,]\d|\w)"
        ),
        lambda match: match[1] + numerals.digits(match[2]),
    ),
)
"""Before dates: "1000s of years" are no decade."""
