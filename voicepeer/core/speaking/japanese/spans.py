"""Times and prices without an end, vowels that are drawn out, and days of an era."""

from __future__ import annotations

import re

from voicepeer.core.speaking.han.ranges import WAVE
from voicepeer.core.speaking.japanese.numerals import cardinal
from voicepeer.core.speaking.rule import Rule

_UNIT = "(?:円|時半?|分|歳|才|名様?|人|年|月|日|ドル|台|位|点|ページ|%|週間|か月|ヶ月)"
_END = r"(?=\s|$|[、。)」』,])"
_OPEN = re.compile(rf"(?<=\d)([十百千万億]?{_UNIT}?){WAVE}{_END}")
_TIME_OPEN = re.compile(rf"(?<=[一二三四五六七八九十零][時分]){WAVE}{_END}")
_UNTIL = re.compile(rf"(?<![\w)）]){WAVE} ?(\d[\d,]*(?:\.\d+)?(?::\d\d|{_UNIT}))(?!\w*{WAVE})")
_DRAWN_OUT = re.compile(
    rf"(?<=[ぁ-ん]){WAVE}+(?![\d一-鿿ァ-ヺ])|(?<=[ァ-ヺー]){WAVE}+(?=[ぁ-ん！!？?…]|$)"
)
_TEN_MINUTES = re.compile(r"(?<![\d.,:])10分(?=[でにをがはもと、。,.待休歩遅早経過か]|\s|$|\d+秒)")
"""Not "enough", which is written alike in characters."""

_ERA = re.compile(r"(?<![A-Za-z\d])([RHST])(\d{1,2})[./](\d{1,2})[./](\d{1,2})(?![\d./])")
_ERA_YEAR = re.compile(r"(?<![A-Za-z\d])([RHS])(\d{1,2})(?=年)")
_ERAS = {"R": "令和", "H": "平成", "S": "昭和", "T": "大正"}


def _era(match: re.Match[str]) -> str:
    year, month, day = (cardinal(int(match[group])) for group in (2, 3, 4))
    return f"{_ERAS[match[1]]}{'元' if match[2] == '1' else year}年{month}月{day}日"


RULES = (
    Rule(_ERA, _era),
    Rule(_ERA_YEAR, lambda match: f"{_ERAS[match[1]]}{match[2]}"),
    Rule(_TEN_MINUTES, "ジュップン"),
    Rule(_OPEN, lambda match: f"{match[1]}から"),
    Rule(_TIME_OPEN, "から"),
    Rule(_UNTIL, lambda match: f"{match[1]}まで"),
    Rule(_DRAWN_OUT, "ー"),
)
