"""Wavy lines: of a time or a price without an end, or of a vowel that is drawn out."""

from __future__ import annotations

import re
from itertools import pairwise

from voicepeer.core.speaking.han.ranges import WAVE
from voicepeer.core.speaking.japanese.numerals import cardinal
from voicepeer.core.speaking.rule import Rule

_UNIT = "(?:円|時半?|分|歳|才|名様?|人|年|月|日|ドル|台|位|点|ページ|%|名|週間|か月|ヶ月)"
_OPEN = re.compile(rf"(?<=\d)({_UNIT}?){WAVE}(?=\s|$|[、。)）」』,\n])")
_TIME_OPEN = re.compile(rf"(?<=[一二三四五六七八九十零][時分]){WAVE}(?=\s|$|[、。)」』,\n])")
_UNTIL = re.compile(rf"(?<![\w)）]){WAVE} ?(\d[\d,]*(?:\.\d+)?(?::\d\d|{_UNIT}))(?!\w*{WAVE})")
_DRAWN_OUT = re.compile(
    rf"(?<=[ぁ-んァ-ヺー])(?<=[ぁ-ん]){WAVE}+(?![\d一-鿿ァ-ヺ])|(?<=[ァ-ヺー]){WAVE}+(?=[ぁ-ん！!？?…]|$)"
)
_ERA = re.compile(r"(?<![A-Za-z\d])([RHST])(\d{1,2})[./](\d{1,2})[./](\d{1,2})(?![\d./])")
_ERAS = {"R": "令和", "H": "平成", "S": "昭和", "T": "大正"}
_PACE = re.compile(r"(?<![\d.])(\d{1,3})['′](\d{1,2})(?:[\"″]|'')")
_ROMAN = re.compile(
    r"(?<![A-Za-z\d])(?:[IVX]{1,5}(?=[型期級類世章巻部編])|"
    r"(?<=[^\W\dA-Za-z])(?:II|III|IV|VII|VIII|IX|XI{1,3}|XIV|XVI{0,3})(?![A-Za-z\d]))"
)
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10}


def _era(match: re.Match[str]) -> str:
    year, month, day = (cardinal(int(match[group])) for group in (2, 3, 4))
    return f"{_ERAS[match[1]]}{'元' if match[2] == '1' else year}年{month}月{day}日"


def _roman(match: re.Match[str]) -> str:
    values = [_ROMAN_VALUES[char] for char in match[0]]
    return cardinal(sum(-one if one < other else one for one, other in pairwise([*values, 0])))


RULES = (
    Rule(_ERA, _era),
    Rule(_ROMAN, _roman),
    Rule(_PACE, lambda match: f"{cardinal(int(match[1]))}分{cardinal(int(match[2]))}秒"),
    Rule(_OPEN, lambda match: f"{match[1]}から"),
    Rule(_TIME_OPEN, "から"),
    Rule(_UNTIL, lambda match: f"{match[1]}まで"),
    Rule(_DRAWN_OUT, "ー"),
)
