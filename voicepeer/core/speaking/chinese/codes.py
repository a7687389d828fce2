"""Numbers that are names: dialled, on doors, of shares, of days that everyone knows."""

from __future__ import annotations

import re

from voicepeer.core.speaking.chinese.counts import MEASURES
from voicepeer.core.speaking.chinese.numerals import digits, phone_digits
from voicepeer.core.speaking.rule import Rule

_SERVICE = re.compile(
    r"(?<![A-Za-z\d.,=+×¥￥$€£·达共计計至了到约近超总總数數量价额加减是为有号號码碼:：-])"
    r"(?:100(?:86|10|00(?=[号客])|50|99)|12[13]\d\d|9[56](?!\d00)\d{3})"
    r"(?![\d.,=+×%-])"
)
"""Carriers, railways, hot lines and banks."""

_EMERGENCY = re.compile(
    r"(?<![\d.,])(11[0249]|12[02])"
    r"(?=报警|急救|火警|电话|热线|救护|指挥|接警|出警|民警|服务台|平台|救援)"
)
_FLAT = re.compile(r"(?<=[栋幢座元楼樓棟室院])[- ]?(\d{3,4})(?![\d.,])")
_LONG = re.compile(r"(?<![A-Za-z\d.,])(\d{5,12}|\d{2,3}[1-9]|\d{1,2}[1-9]0)(?=[号號](?!召))")
_MODEL = re.compile(r"(?<=[A-Z] )(\d{4,5})(?![\d.,年-])")
_SHARE = re.compile(r"(?<=\()(\d{6})(?=[).])")
_PLATE = re.compile(r"(?<=[A-Z]·)(\d{4,6})")
_EVENT = re.compile(
    r"(?<![\d.])(\d{1,2})[·.](\d{1,2})(?=事件|事变|晚会|运动|惨案|大?地震|起义|讲话)|"
    r"(?<![\d.])(\d{1,2})·(\d{1,2})(?![\d.])"
)
_HOLIDAY = re.compile(r"(?<![\d.])(5|10)[.·]1(?=假期|国庆|劳动|黄金周|长假|小长假)")
_CODED = re.compile(
    r" ?(?:室|房(?!间?[子产])|次列车|次航班|国道|路(?![程线口])|航班|医院|寝室|教室|会议室|"
    r"包厢|高校|院校|工程|大学|工作制|大促|购物节|晚会|事件|事变|惨案|高铁|动车|电话|热线|客服|专线)"
)
_PUN = re.compile(
    r"(?<![A-Za-z\d.,=+×¥￥$€£第-])(5201314|1314520|1314|52[01](?=快乐|表白|情人节|礼物|红包|我爱你|之?约))"
    r"(?![\d.,=+×%-])"
)
"""Said quickly they sound like "I love you" and "for ever"."""

_REPEATED = re.compile(
    r"(?<![A-Za-z\d.,=+×¥￥$€£达共计為为至到约近总數数量价额加减是有-])(6{3,}|8{3,}|23{2,})(?![\d.,=+×%-])"
)
"""What is typed by holding a key: "666" is praise and no number."""


def before(written: str, following: str) -> str | None:
    """A number of three digits and more that names what follows it, digit by digit."""
    if len(written) > 2 and written.isdecimal() and _CODED.match(following):
        return digits(written)
    return None


def _unless_counted(match: re.Match[str]) -> str | None:
    if MEASURES.match(match.string, match.end()):
        return None
    return phone_digits(match[0])


def _by_digits(match: re.Match[str]) -> str | None:
    return None if MEASURES.match(match.string, match.end()) else digits(match[1])


def _event(match: re.Match[str]) -> str:
    return digits(match[0])


RULES = (
    Rule(_HOLIDAY, lambda match: "五一" if match[1] == "5" else "十一"),
    Rule(_EVENT, _event),
    Rule(_SERVICE, _unless_counted),
    Rule(_EMERGENCY, lambda match: phone_digits(match[1])),
    Rule(_PLATE, lambda match: digits(match[1])),
    Rule(_MODEL, _by_digits),
    Rule(_FLAT, _by_digits),
    Rule(_REPEATED, _by_digits),
    Rule(_PUN, _by_digits),
    Rule(_LONG, lambda match: digits(match[1])),
    Rule(_SHARE, lambda match: digits(match[1])),
)
