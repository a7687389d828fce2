"""The rules that turn Japanese as it is written into what is said.

Numbers become Chinese characters; how these sound before what they count is known to the front end.
"""

from __future__ import annotations

import re

from voicepeer.core.speaking.han.locale import Locale
from voicepeer.core.speaking.han.ranges import RANGE
from voicepeer.core.speaking.han.reading import rules_of
from voicepeer.core.speaking.japanese import spans
from voicepeer.core.speaking.japanese.numerals import cardinal, decimals, digits
from voicepeer.core.speaking.rule import Rule
from voicepeer.core.speaking.spoken import Draft

_ORDINAL = re.compile(rf"第 ?(\d{{1,9}})(?: ?{RANGE} ?(\d{{1,9}}))?(?![\d.])")
_COMPANY = re.compile(r"[(（]株[)）]")
_POSTCODE = re.compile(r"〒 ?(\d{3})-(\d{4})(?!\d)")
_ERA = re.compile(r"(令和|平成|昭和|大正|明治)1年")
_ROOM = re.compile(r"(?<![\d.])(\d{3,4})(?=号室|会議室|教室|便(?!り|利))")
_COUNTED = re.compile(r"(?<![A-Za-z\d.,])(\d{1,4}) ?[ヶケヵカか]月")
_PER = re.compile(
    r"(?<=\d)( ?(?:[^\W\dA-Za-z]{0,3}|[A-Za-zμµ]{1,3}[²³]?)) ?/ ?"
    "(人|日|月|年|週|時間|分|秒|回|個|本|泊|枚|台|杯|曲|冊|組|袋|箱|缶|皿|名|室|社|世帯)"
)
_WEEKDAY = re.compile(r"(?<=日)\(([月火水木金土日])\)")
_SEASON = re.compile(r"(?<!\d)([12]\d{3})[/-](\d{2})(?=シーズン|年度|年シーズン)")
_LOT = re.compile(
    r"(?<=[区町市村条郡目])\d{1,4}(?:[-‐－]\d{1,4}){1,3}(?![\d-])|"
    r"(?<=[一-鿿ヶ])\d{1,2}(?:-\d{1,2}){2}(?![\d-])|"
    r"(?<=[一-鿿ヶ])(?<![約計各第全毎前後果合戦点対勝敗図表式年月日時分率比差値温題回章節問組班])"
    r"\d{1,2}-\d{1,2}(?=\s|$|[、。（()])"
)
_COUNTERS = (
    "(?:[人円歳才分秒時日月年週個本枚回度点件台冊杯匹階割倍章巻話版位名箇ヶケつ泊万億千百%‰℃°]|"
    "[cmk]?[mgL]\\b|キロ|メートル|センチ|グラム|ドル|ページ|か[月所国年])"
)
_BOUND = re.compile(rf"([≥≧≤≦]) ?(\d[\d,.]*(?:{_COUNTERS})?)")
_BELOW = re.compile(rf"(?<![\w)])([<>]) ?(\d[\d,.]*(?:{_COUNTERS})?)")
_PLATE = re.compile(r"(?<!\d)(\d{2,3}) ?([ぁ-ん]) ?(\d{1,2})-(\d{2})(?!\d)")
_EVENT = re.compile(r"(?<![\d.])(\d{1,2})[・.](\d{1,2})(?=事件|運動|テロ|革命|大震災|地震)")
_FLOOR = re.compile(r"(?<![A-Za-z\d.])(B?)(\d{1,2})F(?![A-Za-z\d])")
_LEADING_ZERO = re.compile(r"(?<![\d.:])0(?=[1-9][時分秒月日])")
_POLICE = re.compile(r"(?<![\d.])110(?=番(?!目|[地台線]))")
_TRAIN = re.compile(r"(?<![A-Za-z])([A-Z])(\d{3})(?=系)")
_LAUGHTER = re.compile(r"(?<=[^\W\dA-Za-z_])[wW]{2,}(?![A-Za-z\d])|(?<=[ぁ-ん])w(?=$|\s)")
_EACH = {"月": "一か月", "週": "一週間"}


def _date(year: str | None, month: int, day: int) -> str:
    return (f"{year}年" if year else "") + f"{cardinal(month)}月{cardinal(day)}日"


def _ordinal(match: re.Match[str]) -> str:
    last = f"から{cardinal(int(match[2]))}" if match[2] else ""
    return f"第{cardinal(int(match[1]))}{last}"


def _time(hour: int, minute: int, second: int | None) -> str:
    said = ("零" if hour == 0 else cardinal(hour)) + "時"
    if minute:
        said += f"{cardinal(minute)}分"
    if second:
        said += ("" if minute else "零分") + f"{cardinal(second)}秒"
    return said


def _lot(match: re.Match[str]) -> str:
    """A street number: the numbers of the block, the house and the flat."""
    return "の".join(cardinal(int(part)) for part in re.split("[-‐－]", match.group()))


def _degrees(number: str, scale: str) -> str:
    return (
        {"C": "摂氏", "F": "華氏"}.get(scale, "") + number + ("ケルビン" if scale == "K" else "度")
    )


LOCALE = Locale(
    cardinal=cardinal,
    digits=digits,
    phone_digits=digits,
    decimals=decimals,
    before=lambda written, following: None,
    point="点",
    dot="ドット",
    minus="マイナス",
    plus="プラス",
    upto="から",
    part_of="の",
    pages=lambda numbers: f"{numbers}ページ",
    figures="図|(?<![代年発公裏])表|公式|例題?|問題?|資料",
    buildings=("丁目", "番地", "番", "棟", "号室"),
    signed="[ぁ-ん温度差値率点比増減約均]",
    counters=_COUNTERS,
    results="勝[ちつっ利]|快勝|辛勝|圧勝|完勝|敗[れ退北]|惜敗|完敗|負け|引き?分け|ドロー|破[っりる]|下し|リード|逆転|制し|同点",
    results_after="で(?:勝|負|敗|引|破|下し|快勝|辛勝|逆転|制し|優勝)|の(?:勝|敗|引|ドロー|同点|逆転|スコア)",
    ratios="(?:スコア|得点|結果)[はがも]?[:：]?|(?:比率|割合|縮尺|画面比|アスペクト比|比)[はが]?[:：]?",
    percent=lambda number: f"{number}パーセント",
    permille=lambda number: f"{number}パーミル",
    degrees=_degrees,
    below_zero="マイナス",
    fraction=lambda top, bottom: f"{bottom}分の{top}",
    ratio="対",
    power=lambda exponent: f"の{exponent}乗",
    about="約",
    ordinal=lambda number: f"{number}番目",
    numbered=lambda number: f"ナンバー{number}",
    year=lambda text: cardinal(int(text)),
    date=_date,
    time=_time,
    morning="午前",
    afternoon="午後",
    spelled={
        ".": "ドット", "-": "ハイフン", "_": "アンダーバー", "+": "プラス", "/": "スラッシュ",
        "and": "と",
    },
    at="アットマーク",
    hashtag="ハッシュタグ",
    version="バージョン",
    phone=(
        r"(?<![A-Za-z\d.,])(?:0\d{1,4}[- ]\d{1,4}[- ]\d{3,4}|0[789]0\d{8}|"
        r"\(0\d{1,4}\) ?\d{1,4}-\d{4}|0\d{1,4}\(\d{1,4}\)\d{4}|0120-?\d{3}-?\d{3})"
        r"(?![A-Za-z\d]|[.,-]\d)"
    ),
    emergency=r"(電話番号は?|内線)(\d{3,5})(?!\d|[.,]\d|[円個人万千百])",
    codes_after="番号[はが]?|コード[はが]?|パスワード[はが]?|ID[はが]?",
    currencies={
        "¥": "円", "￥": "円", "JP¥": "円", "JPY": "円", "$": "ドル", "US$": "ドル", "USD": "ドル",
        "HK$": "香港ドル", "A$": "オーストラリアドル", "C$": "カナダドル", "€": "ユーロ",
        "EUR": "ユーロ",
        "£": "ポンド", "GBP": "ポンド", "₩": "ウォン", "KRW": "ウォン", "CNY": "人民元",
        "RMB": "人民元",
        "₹": "ルピー", "₽": "ルーブル", "₿": "ビットコイン", "฿": "バーツ",
    },
    signs=r"(?:JP)?[¥￥]|(?:US|HK|A|C)?\$|[€£₩₹₽₿฿]|JPY|USD|EUR|GBP|KRW|CNY|RMB",
    codes=r"JPY|USD|EUR|GBP|KRW|CNY|RMB|[¥￥$€£₩₹₽₿]",
    scales="十|百|千|万|億|兆",
    units={
        "km": "キロメートル", "m": "メートル", "cm": "センチメートル", "mm": "ミリメートル",
        "μm": "マイクロメートル", "µm": "マイクロメートル", "nm": "ナノメートル",
        "kg": "キログラム",
        "g": "グラム", "mg": "ミリグラム", "μg": "マイクログラム", "µg": "マイクログラム",
        "t": "トン", "L": "リットル", "l": "リットル",
        "ml": "ミリリットル", "mL": "ミリリットル", "dl": "デシリットル", "m²": "平方メートル",
        "km²": "平方キロメートル", "cm²": "平方センチメートル", "m2": "平方メートル",
        "km2": "平方キロメートル", "m³": "立方メートル", "cm³": "立方センチメートル",
        "m3": "立方メートル",
        "Hz": "ヘルツ", "kHz": "キロヘルツ", "MHz": "メガヘルツ", "GHz": "ギガヘルツ",
        "W": "ワット",
        "kW": "キロワット", "kWh": "キロワットアワー", "V": "ボルト", "A": "アンペア",
        "mA": "ミリアンペア", "mAh": "ミリアンペアアワー", "dB": "デシベル", "Pa": "パスカル",
        "hPa": "ヘクトパスカル", "kPa": "キロパスカル", "J": "ジュール", "cal": "カロリー",
        "kcal": "キロカロリー", "px": "ピクセル", "ms": "ミリ秒", "s": "秒", "min": "分",
        "h": "時間",
        "mmHg": "ミリメートルエイチジー", "mph": "マイル", "km/h": "キロメートル毎時",
        "m/s": "メートル毎秒",
        "m/s²": "メートル毎秒毎秒", "m/s2": "メートル毎秒毎秒",
        "m/s^2": "メートル毎秒毎秒", "m^2": "平方メートル", "km^2": "平方キロメートル",
        "cm^2": "平方センチメートル", "m^3": "立方メートル", "cm2": "平方センチメートル",
        "cm3": "立方センチメートル", "N·m": "ニュートンメートル", "MW": "メガワット",
        "Mbps": "メガビーピーエス",
        "Gbps": "ギガビーピーエス", "rpm": "回転毎分", "ppm": "ピーピーエム", "fps": "エフピーエス",
        "ha": "ヘクタール", "N": "ニュートン", "Ω": "オーム", "kΩ": "キロオーム", "mol": "モル",
        "ft": "フィート", "lb": "ポンド", "oz": "オンス", "KB": "キロバイト", "MB": "メガバイト",
        "GB": "ギガバイト", "TB": "テラバイト",
    },
    per=lambda said, unit: f"{said}毎{unit}",
    symbols={
        "×": "かける", "÷": "割る", "−": "引く", "+": "プラス", "=": "イコール", "<": "小なり",
        ">": "大なり", "≤": "以下", "≥": "以上", "≦": "以下", "≧": "以上", "≠": "ノットイコール",
        "≈": "およそ", "≒": "およそ",
        "±": "プラスマイナス",
        "%": "パーセント", "‰": "パーミル", "&": "アンド", "@": "アットマーク", "#": "シャープ",
        "°": "度",
        "℃": "度", "$": "ドル", "€": "ユーロ", "£": "ポンド", "¥": "円", "￥": "円", "²": "の二乗",
        "³": "の三乗", "√": "ルート", "∞": "無限大", "→": "、", "←": "、", "~": "、", "～": "、",
        "〜": "、", "*": " ", "§": "セクション", "©": "コピーライト", "®": " ", "™": " ",
        "π": "パイ",
        "Ω": "オーム", "µ": "マイクロ", "〒": "郵便番号", "※": " ",
    },
    extra=(
        Rule(_WEEKDAY, lambda match: f"({match[1]}曜日)"),
        *spans.RULES,
        Rule(_SEASON, lambda match: f"{match[1]}から{match[2]}"),
        Rule(_LOT, _lot),
        Rule(_BOUND, lambda match: match[2] + ("以上" if match[1] in "≥≧" else "以下")),
        Rule(_BELOW, lambda match: match[2] + ("未満" if match[1] == "<" else "超")),
        Rule(_PLATE, lambda m: f"{digits(m[1])}{m[2]}{digits(m[3])}の{digits(m[4])}"),
        Rule(_EVENT, lambda match: f"{decimals(match[1])}・{decimals(match[2])}"),
        Rule(_FLOOR, lambda match: f"{'地下' if match[1] else ''}{match[2]}階"),
        Rule(_LEADING_ZERO, ""),
        Rule(_POLICE, "ヒャクトー"),
        Rule(_TRAIN, lambda match: f"{match[1]} {cardinal(int(match[2]))}"),
        Rule(_LAUGHTER, "、ワラ"),
        Rule(_COMPANY, "株式会社"),
        Rule(_POSTCODE, lambda match: f"郵便番号{digits(match[1])}の{digits(match[2])}"),
        Rule(_ERA, lambda match: f"{match[1]}元年"),
        Rule(re.compile(r"(?<!\d)0時"), "零時"),
        Rule(_ROOM, lambda match: digits(match[1])),
        Rule(_ORDINAL, _ordinal),
        Rule(_COUNTED, lambda match: f"{cardinal(int(match[1]))}か月"),
        Rule(_PER, lambda match: f"{match[1]}、{_EACH.get(match[2], '一' + match[2])}あたり"),
    ),
)  # fmt: skip

_RULES = rules_of(LOCALE)


def read(draft: Draft) -> None:
    """Put everything that is not said as it is written into words."""
    for rule in _RULES:
        draft.rewrite(rule.pattern, rule.reader)
