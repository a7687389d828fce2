"""The rules that turn Chinese as it is written into what is said."""

from __future__ import annotations

import re

from voicepeer.core.speaking.chinese import codes, counts, years
from voicepeer.core.speaking.chinese.numerals import cardinal, digits, phone_digits
from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.han.reading import rules_of
from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spoken import Draft

_SHORT = re.compile(
    r"(?<![A-Za-z\d.])(?![248]k)(\d+(?:\.\d+)?)(w(?![A-Za-z])|W(?=\+)|k(?![A-Za-z]))"
)
"""Thousands and ten thousands as they are typed in a hurry; "4k" is a picture."""

_NUMBER_OF = re.compile("(?<=\\d)#(?=[楼门线机房车樓]|汽油|柴油)")
_METRES = re.compile(r"(?<=\d[米块塊])\d{2}(?![\d.,毛分厘])")
_PER = re.compile(
    r"(?<=\d)( ?(?:[^\W\dA-Za-z]{0,3}|[A-Za-zμµ]{1,3}[²³]?)) ?/ ?"
    "(人|天|组|户|桌|班|桶|枚|辆|趟|笔|日|月|年|周|小时|分钟|秒|分|次|个|件|斤|公斤|吨|克|升|米|公里|平方米|平|位|晚|间|场|季|"
    "份|瓶|盒|袋|箱|包|张|本|台|套|只|支|杯|节)"
)


_FOREIGN_PER = re.compile(
    r"((?:[¥￥$€£] ?\d[\d.,]*[万千百亿]?|(?<=\d)[元块角]|"
    r"(?<=\d)(?:美元|欧元|港元|万元|美金|日元))) ?/ ?"
    r"(km²|m²|m2|m³|m3|kWh|km|kg|mL|ml|GB|MB|TB|[mgLlth]|min)(?![A-Za-z\d²³])"
)
"""A price for a unit in letters: "50元/kg"."""

_MARK = re.compile(
    r"(?P<told>(?:评分|打分|得分|分数|成绩)(?:[是为:：])? ?)?(?<![\d./])"
    r"(?P<mark>\d+(?:\.\d+)?)/(?P<full>\d+(?:\.\d+)?) ?"
    r"(?P<unit>分(?![之钟])|[颗]?星)?(?![\d/A-Za-z]|\.\d)"
)
_FULL_MARK = re.compile(r"(?<=满分)(\d+)/\1(?![\d/.])")


def _mark(match: re.Match[str]) -> str | None:
    """ "9/10分" is nine points out of ten."""
    mark, full, unit = match["mark"], match["full"], match["unit"]
    if float(mark) > float(full) or not (unit or match["told"] or "." in mark):
        return None
    unit = unit or "分"
    return f"{match['told'] or ''}{mark}{unit}，满分{full}{unit}"


def _foreign_per(match: re.Match[str]) -> str:
    return f"{match[1]}每{LOCALE.units[match[2]]}"


def _date(year: str | None, month: int, day: int) -> str:
    return (f"{year}年" if year else "") + f"{cardinal(month)}月{cardinal(day)}日"


def _degrees(number: str, scale: str) -> str:
    return number + {"C": "摄氏度", "F": "华氏度", "K": "开"}.get(scale, "度")


def _before(written: str, following: str) -> str | None:
    return counts.before(written, following) or codes.before(written, following)


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
    part_of="杠",
    pages=lambda numbers: f"第{numbers}页",
    figures=r"[图圖]|(?<![代手钟鐘年月周日报報外列])表|公式|附件|例题?|习题",
    buildings=("栋", "幢", "座", "单元", "号楼", "号院", "室", "棟"),
    signed="[为為是到至达達约約在得于於降升了跌涨漲值差温溫率额額润潤幅与與及有仅剩或和]",
    counters=(
        r"(?:[个個只隻条條张張本件位块塊元台台辆杯瓶碗盒包份页頁节節集次遍天日月年周週岁歲分秒时時级級度米克斤吨升里"
        r"名万亿萬億千百倍层楼届期折寸尺成%‰℃°]|人(?!队|胜|负)|[cmk]?[mgL]\b)"
    ),
    results=(
        "击败|战胜|大胜|险胜|完胜|惜败|不敌|战平|逆转|领先|落后|取胜|获胜|胜出|力克|横扫|告负|落败|"
        "惨败|打平|平局|淘汰|负于|小胜|绝杀|比分|擊敗|戰勝|領先|落後|獲勝"
    ),
    results_after="[获取战大完险惜小惨告落獲戰]?[胜负败勝負敗](?![率利者任责])|[战打戰]平|平局|领先|落后|击败|不敌|力克|横扫",
    ratios=(
        "(?:大|总)?比分[为是]?[:：]?|(?:结果|战绩|結果|戰績)[为是為]?|以|比例尺?[为是為]?|比率[为是]?|"
        "(?:画面|屏幕|屏占|宽高|长宽|男女|性价|纵横|盈亏)比[为是]?|赔率[为是]?"
    ),
    percent=_percent,
    permille=lambda number: f"千分之{number}",
    degrees=_degrees,
    below_zero="零下",
    fraction=lambda top, bottom: f"{bottom}分之{top}",
    ratio="比",
    power=lambda exponent: f"的{exponent}次方",
    about="约",
    ordinal=lambda number: f"第{number}",
    numbered=lambda number: f"{number}号",
    year=digits,
    date=_date,
    time=counts.time,
    morning="上午",
    afternoon="下午",
    spelled={".": "点", "-": "杠", "_": "下划线", "+": "加", "/": "斜杠", "and": "又"},
    at="艾特",
    hashtag="话题",
    version="版本",
    phone=(
        r"(?<![A-Za-z\d.,])(?:1[3-9]\d[ -]?\d{4}[ -]?\d{4}|0\d{2,3}[ -]\d{7,8}|"
        r"\(0\d{2,3}\) ?\d{3,4}[ -]?\d{4}|0\d{2,3}[ -]\d{3,4}[ -]\d{4}|"
        r"[48]00[ -]\d{3,4}[ -]?\d{3,4})(?![A-Za-z\d]|[.,-]\d)"
    ),
    emergency=(
        r"(拨打?|打|报警|热线|(?:客服)?电话[是为:：]?|客服[是为:：]?|热线[是为:：]|致电|呼叫|[拨打叫][了过个通]+)"
        r"(\d{3,5}(?: ?(?:[,，、/] ?(?:或者?|和|跟|与)?|或者?|和|跟|与) ?\d{3,5})*)"
        r"(?!\d|[.,]\d|[元个块次分万千百条位人米公斤页字张份多折天年])"
    ),
    codes_after=(
        "[帳賬編單學車]號|號碼|密碼|郵遞區號|驗證碼|代碼|"
        "QQ号?|微信号?|[账帐编卡单学工房尾考座区车批门机班]号|号码|密码|邮编|邮政编码|验证码|代码|车牌号?|"
        "房间号|座位号|号(?=[是为為:：])|取件码|取货码|提取码|邀请码|优惠码|识别码|兑换码|口令|门牌|流水号|序列号|"
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
        "m/s": "米每秒", "m/s²": "米每二次方秒", "m/s2": "米每二次方秒", "m/s^2": "米每二次方秒",
        "m^2": "平方米", "km^2": "平方公里", "cm^2": "平方厘米", "m^3": "立方米",
        "cm^3": "立方厘米",
        "cm2": "平方厘米", "cm3": "立方厘米", "mm²": "平方毫米", "mm2": "平方毫米",
        "dm³": "立方分米",
        "hPa": "百帕", "N·m": "牛米", "GW": "吉瓦", "GWh": "吉瓦时", "MWh": "兆瓦时",
        "Mbps": "兆比特每秒",
        "Gbps": "吉比特每秒", "kbps": "千比特每秒",
        "rpm": "转每分钟", "ppm": "P P M", "fps": "帧每秒", "ha": "公顷", "N": "牛",
        "Ω": "欧", "kΩ": "千欧", "mol": "摩尔", "ft": "英尺", "lb": "磅", "oz": "盎司",
        "mmHg": "毫米汞柱", "KB": "K B", "MB": "M B", "GB": "G B", "TB": "T B",
    },
    per=lambda said, unit: f"{said}每{unit}",
    symbols={
        "×": "乘", "÷": "除以", "−": "减", "+": "加", "=": "等于", "<": "小于", ">": "大于",
        "≤": "小于等于", "≥": "大于等于", "≦": "小于等于", "≧": "大于等于", "≠": "不等于",
        "≈": "约等于",
        "∈": "属于", "∉": "不属于", "∧": "且", "∨": "或", "¬": "非", "∪": "并", "∩": "交",
        "⊂": "真包含于", "⊆": "包含于", "∅": "空集",
        "∀": "对任意", "∃": "存在", "∴": "所以", "∵": "因为", "≡": "恒等于", "∝": "正比于",
        "∠": "角",
        "⊥": "垂直于", "∥": "平行于", "∑": "求和", "∫": "积分", "↑": "向上", "↓": "向下",
        "≒": "约等于", "±": "正负", "%": "百分号",
        "‰": "千分号", "&": "和", "@": "艾特", "#": "井号", "°": "度", "℃": "摄氏度", "$": "美元",
        "€": "欧元", "£": "英镑", "¥": "元", "￥": "元", "²": "的平方", "³": "的立方", "√": "根号",
        "∞": "无穷大", "→": "到", "←": "从", "~": "，", "～": "，", "〜": "，", "*": " ", "§": "节",
        "©": "版权", "®": " ", "™": " ", "π": "派", "Ω": "欧姆", "µ": "微",
    },
    extra=(
        Rule(_NUMBER_OF, "号"),
        Rule(_SHORT, lambda match: match[1] + ("万" if match[2] in "wW" else "千")),
        Rule(_METRES, lambda match: digits(match[0])),
        Rule(_FULL_MARK, lambda match: f"{match[1]}分"),
        Rule(_MARK, _mark),
        Rule(_FOREIGN_PER, _foreign_per),
        *years.RULES,
        *codes.RULES,
        *counts.RULES,
        Rule(_PER, lambda match: f"{match[1]}每{match[2]}"),
    ),
)  # fmt: skip

_RULES = rules_of(LOCALE)


def read(draft: Draft) -> None:
    """Put everything that is not said as it is written into words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
