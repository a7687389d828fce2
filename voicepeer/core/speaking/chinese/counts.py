"""Numbers before what they count or order, hours, and measures of two parts."""

from __future__ import annotations

import re

from voicepeer.core.speaking.chinese.numerals import cardinal
from voicepeer.core.speaking.han.quantity import NUMBER
from voicepeer.core.speaking.han.ranges import RANGE
from voicepeer.core.speaking.rule import Rule

MEASURES = re.compile(
    r" ?(?:[只条张本件位块元辆台双对杯瓶碗盘盒包袋箱份页句首部家间座层扇把支枝根片朵棵]|"
    r"[颗粒滴头匹群种类样遍夜丈尺寸亩束串顶]|次(?!方)|副(?![总主])|所(?!长)|批(?![发评])|室(?=\d?厅)|"
    r"[趟场回顿阵天秒倍人岁斤吨克里升万亿千枚套笔项门架艘则篇届局起晚代组队桌口封幅字毛角成球]|"
    r"个(?!位)|名(?!列)|年(?!级|代)|周(?!岁)|点(?!\d|击|评|开|赞)|分(?![之店部公类子布离])|"
    r"米(?!线)|面(?!积)|节|度(?!数)|小时|分钟|刻钟|星期|"
    r"[隻條張塊輛臺雙對盤頁間層顆種類樣場陣歲萬億筆項屆組隊]|個(?!位)|週(?!歲)|點(?!\d)|小時|分鐘|"
    r"公斤|公里|厘米|毫米|毫升|平方|立方|百万|美元|欧元|英镑|日元|港元)"
)
"""What two of is "liang", not "er"."""

_MORE = rf"(?: ?(?:{RANGE}|[、和与至到或]) ?\d{{1,4}}(?![\d.,])){{0,5}}"
_ORDINAL = re.compile(rf"第 ?(?P<first>{NUMBER})(?P<more>{_MORE})(?!\d)")
_NUMBERED = re.compile(rf"(?<![\d.])(\d{{1,2}})(?: ?{RANGE} ?(\d{{1,2}}))? ?([月日号號])")
_FEW = re.compile(r"(?<![\d第、.])([1-9])、([2-9])(?![\d.])")
_FEW_OF = re.compile(f"{MEASURES.pattern}|[十百]")
_TWO_TO = re.compile(r"(?<![\d.第])2(?= ?(?:至|到|或) ?\d+(?:\.\d+)?(?P<measure>.{1,3}))")
_O_CLOCK = re.compile(r"(?<![\d.第])(\d{1,2})[点點](?:(\d{1,2})分(?!之)|([0-5]\d)(?![\d.分]))")
_BELOW = re.compile(
    rf"(?<![A-Za-z0-9.)\]])-(?P<first>\d+(?:\.\d+)?)"
    rf"(?: ?(?:{RANGE}|到|至) ?(?P<below>-)?(?P<upto>\d+(?:\.\d+)?))? ?(?=摄氏度|度(?!数))"
)
_GRADE = re.compile(r"(?<![A-Za-z\d.])(\d)A(?=[级級景大类類])")


def before(written: str, following: str) -> str | None:
    """Two before a measure word."""
    return "两" if written == "2" and MEASURES.match(following) else None


def time(hour: int, minute: int, second: int | None) -> str:
    """A time of day."""
    said = ("两" if hour == 2 else cardinal(hour)) + "点"
    if minute:
        said += ("零" if minute < 10 else "") + cardinal(minute) + "分"
    if second:
        said += ("" if minute else "零分") + ("零" if second < 10 else "")
        said += cardinal(second) + "秒"
    return said


def _few(match: re.Match[str]) -> str | None:
    """Two neighbours before a measure are "two or three" of it, without a pause."""
    first, second = int(match[1]), int(match[2])
    if second != first + 1 or not _FEW_OF.match(match.string, match.end()):
        return None
    return ("两" if first == 2 else cardinal(first)) + cardinal(second)


def _two_to(match: re.Match[str]) -> str | None:
    return "两" if MEASURES.match(match["measure"]) else None


def _ordinal(match: re.Match[str]) -> str:
    more = re.sub(RANGE, "到", match["more"])
    more = re.sub(r"\d+", lambda number: cardinal(int(number[0])), more)
    return "第" + cardinal(int(match["first"].replace(",", "").partition(".")[0])) + more


def _numbered(match: re.Match[str]) -> str:
    first = cardinal(int(match[1]))
    return first + (f"到{cardinal(int(match[2]))}" if match[2] else "") + match[3]


def _below(match: re.Match[str]) -> str:
    said = "零下" + match["first"]
    if match["upto"]:
        said += "到" + ("零下" if match["below"] else "") + match["upto"]
    return said


RULES = (
    Rule(_BELOW, _below),
    Rule(_GRADE, lambda match: f"{cardinal(int(match[1]))}A"),
    Rule(_O_CLOCK, lambda match: time(int(match[1]), int(match[2] or match[3]), None)),
    Rule(_FEW, _few),
    Rule(_TWO_TO, _two_to),
    Rule(_ORDINAL, _ordinal),
    Rule(_NUMBERED, _numbered),
)
