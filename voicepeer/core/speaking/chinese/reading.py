"""The rules that turn Chinese as it is written into what is said."""

from __future__ import annotations

import re

from voicepeer.core.speaking.chinese.numerals import cardinal, digits, phone_digits
from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.han.reading import rules_of
from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spoken import Draft

_MEASURES = re.compile(
    r" ?(?:[只条张本件位块元辆台双对杯瓶碗盘盒包袋箱份页句首部家间座层扇把支枝根片朵棵]|"
    r"[颗粒滴头匹群种类样次遍]|"
    r"[趟场回顿阵天秒倍人岁斤吨克里升万亿千枚套笔项门架艘则篇届局起晚代组队桌口封幅字]|"
    r"个(?!位)|名(?!列)|年(?!级|代)|周(?!岁)|点(?!\d|击|评|开|赞)|"
    r"米(?!线)|面(?!积)|节|度(?!数)|小时|分钟|刻钟|星期|"
    r"[隻條張塊輛臺雙對盤頁間層顆種類樣場陣歲萬億筆項屆組隊]|個(?!位)|週(?!歲)|點(?!\d)|小時|分鐘|"
    r"公斤|公里|厘米|毫米|毫升|平方|立方|百万|美元|欧元|英镑|日元|港元)"
)
"""What two of is "liang", not "er"."""

_CODED = re.compile(r" ?(?:室|房(?!间?[子产])|次列车|次航班|国道|路公交|路车|航班)")
"""Numbers of three digits and more before these are read digit by digit."""

_YEAR = re.compile(r"(?<!\d)(\d{4}) ?年(?!间|历史|的历史|来|前|以?后|的?文明)")
_SHORT_YEAR = re.compile(r"(?<!\d)(0\d|[4-9]\d) ?年(?!代|级|前|后|来|的|期|历史)(?=\S|$)")
_ORDINAL = re.compile(r"第 ?(\d{1,9})(?![\d.])")
_PER = re.compile(
    r"(?<=\d)( ?[^\W\dA-Za-z]{0,3}) ?/ ?"
    "(人|天|日|月|年|周|小时|分钟|秒|次|个|件|斤|公斤|吨|克|升|米|公里|平方米|平|位|晚|间|场|季|"
    "份|瓶|盒|袋|箱|包|张|本|台|套|只|支|杯|节)"
)
_SCORE = re.compile(
    r"((?:比分|结果|战绩)[为是]?|以) ?(\d{1,3}) ?[-–—:] ?(\d{1,3})(?![\d.]|[个人到年月天次元条])"
)
_SEASON = re.compile(r"(?<!\d)([12]\d{3})[/-](\d{2})(?=赛季|学年|财年|年度)")
_TWO_O_CLOCK = re.compile(r"(?<![\d.第])2点(?=\d{1,2}分|\d{2}(?!\d))")
_PLATE = re.compile(r"(?<=[A-Z]·)\d{4,6}")
_NUMBERED = re.compile(r"(?<!\d)(\d{1,2}) ?(月|日|号|號)")


def _date(year: str | None, month: int, day: int) -> str:
    return (f"{year}年" if year else "") + f"{cardinal(month)}月{cardinal(day)}日"


def _time(hour: int, minute: int, second: int | None) -> str:
    said = ("两" if hour == 2 else cardinal(hour)) + "点"
    if minute:
        said += ("零" if minute < 10 else "") + cardinal(minute) + "分"
    if second:
        said += ("" if minute else "零分") + cardinal(second) + "秒"
    return said


def _degrees(number: str, scale: str) -> str:
    return number + {"C": "摄氏度", "F": "华氏度", "K": "开"}.get(scale, "度")


def _before(written: str, following: str) -> str | None:
    if written == "2" and _MEASURES.match(following):
        return "两"
    if len(written) > 2 and written.isdecimal() and _CODED.match(following):
        return digits(written)
    return None


def _percent(number: str) -> str:
    return f"百分之{number}"


LOCALE = Locale(
    cardinal=cardinal,
    digits=digits,
    phone_digits=phone_digits,
    decimals=digits,
    before=_before,
    point="点",
    dot="点",
    minus="负",
    plus="正",
    upto="到",
    percent=_percent,
    permille=lambda number: f"千分之{number}",
    degrees=_degrees,
    below_zero="零下",
    fraction=lambda top, bottom: f"{bottom}分之{top}",
    ratio="比",
    ordinal=lambda number: f"第{number}",
    numbered=lambda number: f"{number}号",
    year=digits,
    date=_date,
    time=_time,
    morning="上午",
    afternoon="下午",
    spelled={".": "点", "-": "杠", "_": "下划线", "+": "加", "/": "斜杠", "and": "又"},
    at="艾特",
    hashtag="话题",
    version="版本",
    phone=(
        r"(?<![A-Za-z\d.,])(?:1[3-9]\d[ -]?\d{4}[ -]?\d{4}|0\d{2,3}[ -]\d{7,8}|"
        r"\(0\d{2,3}\) ?\d{7,8}|[48]00-\d{3,4}-?\d{3,4})(?![A-Za-z\d]|[.,-]\d)"
    ),
    emergency=(
        r"(拨打?|打|报警|热线|电话[:：]?|致电|呼叫)(\d{3,5})"
        r"(?!\d|[.,]\d|[元个块次分万千百条位人])"
    ),
    codes_after=(
        "[帳賬編單學車]號|號碼|密碼|郵遞區號|驗證碼|代碼|"
        "QQ号?|微信号?|[账帐编卡单学工房尾考座]号|号码|密码|邮编|邮政编码|验证码|代码|车牌号?|"
        "订单号?|身份证号?码?|护照号?"
    ),
    currencies={
        "¥": "元", "￥": "元", "CN¥": "元", "RMB": "元", "CNY": "元", "$": "美元", "US$": "美元",
        "USD": "美元", "HK$": "港元", "HKD": "港元", "NT$": "新台币", "A$": "澳元", "C$": "加元",
        "S$": "新加坡元", "€": "欧元", "EUR": "欧元", "£": "英镑", "GBP": "英镑", "JPY": "日元",
        "JP¥": "日元", "₩": "韩元", "₹": "卢比", "₽": "卢布", "₿": "比特币", "฿": "泰铢",
    },
    signs=r"(?:CN|JP)?[¥￥]|(?:US|HK|NT|A|C|S)?\$|[€£₩₹₽₿฿]|RMB|CNY|USD|EUR|GBP|JPY|HKD",
    codes=r"RMB|CNY|USD|EUR|GBP|JPY|HKD|[¥￥$€£₩₹₽₿]",
    scales="十|百|千|万|亿|兆|萬|億",
    units={
        "km": "公里", "m": "米", "dm": "分米", "cm": "厘米", "mm": "毫米", "μm": "微米",
        "µm": "微米",
        "nm": "纳米", "kg": "公斤", "g": "克", "mg": "毫克", "μg": "微克", "µg": "微克", "t": "吨",
        "L": "升", "l": "升",
        "ml": "毫升", "mL": "毫升", "m²": "平方米", "km²": "平方公里", "cm²": "平方厘米",
        "m2": "平方米", "km2": "平方公里", "m³": "立方米", "cm³": "立方厘米", "m3": "立方米",
        "Hz": "赫兹", "kHz": "千赫", "MHz": "兆赫", "GHz": "吉赫", "W": "瓦", "kW": "千瓦",
        "MW": "兆瓦", "kWh": "千瓦时", "V": "伏", "kV": "千伏", "A": "安", "mA": "毫安",
        "mAh": "毫安时", "dB": "分贝", "Pa": "帕", "kPa": "千帕", "MPa": "兆帕", "J": "焦",
        "kJ": "千焦", "cal": "卡", "kcal": "千卡", "px": "像素", "ms": "毫秒", "s": "秒",
        "min": "分钟", "h": "小时", "mph": "英里每小时", "km/h": "公里每小时", "kmh": "公里每小时",
        "m/s": "米每秒", "Mbps": "兆比特每秒", "Gbps": "吉比特每秒", "kbps": "千比特每秒",
        "rpm": "转每分钟", "ppm": "P P M", "fps": "帧每秒", "ha": "公顷", "N": "牛",
        "Ω": "欧", "kΩ": "千欧", "mol": "摩尔", "ft": "英尺", "lb": "磅", "oz": "盎司",
        "mmHg": "毫米汞柱", "KB": "K B", "MB": "M B", "GB": "G B", "TB": "T B",
    },
    per=lambda said, unit: f"{said}每{unit}",
    symbols={
        "×": "乘", "÷": "除以", "−": "减", "+": "加", "=": "等于", "<": "小于", ">": "大于",
        "≤": "小于等于", "≥": "大于等于", "≦": "小于等于", "≧": "大于等于", "≠": "不等于",
        "≈": "约等于", "±": "正负", "%": "百分号",
        "‰": "千分号", "&": "和", "@": "艾特", "#": "井号", "°": "度", "℃": "摄氏度", "$": "美元",
        "€": "欧元", "£": "英镑", "¥": "元", "￥": "元", "²": "的平方", "³": "的立方", "√": "根号",
        "∞": "无穷大", "→": "到", "←": "从", "~": "到", "～": "，", "〜": "，", "*": " ", "§": "节",
        "©": "版权", "®": " ", "™": " ", "π": "派", "Ω": "欧姆", "µ": "微",
    },
    extra=(
        Rule(_SCORE, lambda m: f"{m[1]}{cardinal(int(m[2]))}比{cardinal(int(m[3]))}"),
        Rule(_SEASON, lambda match: f"{digits(match[1])}到{digits(match[2])}"),
        Rule(_TWO_O_CLOCK, "两点"),
        Rule(_PLATE, lambda match: digits(match.group())),
        Rule(_YEAR, lambda match: f"{digits(match[1])}年"),
        Rule(_SHORT_YEAR, lambda match: f"{digits(match[1])}年"),
        Rule(_ORDINAL, lambda match: f"第{cardinal(int(match[1]))}"),
        Rule(_NUMBERED, lambda match: cardinal(int(match[1])) + match[2]),
        Rule(_PER, lambda match: f"{match[1]}每{match[2]}"),
    ),
)  # fmt: skip

_RULES = rules_of(LOCALE)


def read(draft: Draft) -> None:
    """Put everything that is not said as it is written into words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
