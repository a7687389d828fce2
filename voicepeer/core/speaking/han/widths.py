"""Wide and narrow forms of marks, letters and kana, as they are needed to be read."""

from __future__ import annotations

import re
import unicodedata

from voicepeer.core.speaking.rule import Rule

_BETWEEN = "[0-9A-Za-z]"


def _narrow(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match.group())


RULES = (
    Rule(re.compile(r"(?<!\w)'(?=\d\d ?年)"), ""),
    # Signs, never marks of a sentence: these are wide on purpose.
    Rule(re.compile("[％＋＃＄＆＊／＜＝＞＠＼＾＿｀｛｜｝￠￡￥￦]"), _narrow),
    Rule(re.compile(f"(?<={_BETWEEN})[．：－](?={_BETWEEN})"), _narrow),
    # Only of money: elsewhere such a comma stands between the numbers of a list.
    Rule(
        re.compile(
            r"(?:(?<=[¥￥$])|(?<!\d))\d{1,3}(?:，\d{3}){1,9}(?![\d，])"
            r"(?:(?=\s?(?:円|元|块|圓|ドル|ユーロ|美元|欧元))|(?<=[¥￥$]\d，\d{3})|(?<=[¥￥$]\d\d，\d{3}))"
        ),
        lambda match: match[0].replace("，", ","),
    ),
    Rule(re.compile("[\uff66-\uff9f]+"), _narrow),
    # Squared words and units: ㎏, ㍍, ㈱, ㋀.
    Rule(re.compile("[\u3200-\u33ff]"), _narrow),
    Rule(re.compile("㎡"), "m²"),
    Rule(re.compile("（"), "("),
    Rule(re.compile("）"), ")"),
)
"""Applied before all other rules."""
