"""What neighbours do to tones: "yi", "bu", two third tones, and syllables that lose theirs.

Rules after Lin, "The Sounds of Chinese" (2007), chapter 9.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_AS_NUMBER_AFTER = frozenset("第初周期零〇一二三四五六七八九十百千万亿点年月唯统单逐归之")
_DIGITS = frozenset("零〇一二三四五六七八九")
_AS_NUMBER_BEFORE = _DIGITS | frozenset("十月号日")

_RANKED = re.compile("楼|年级|等奖|把手|班(?![车飞的])|[加减乘比到][零一二三四五六七八九十]")
_SCHOOL = re.compile(
    "(?:学生|新生|学年|上学期|下学期|[上下]半|的?时候|开学|年级|那年|班|女生|男生)"
)
"""Behind these "one" is the first of a row: "一楼", "高一学生"."""

_LIGHT_WORDS = frozenset(
    "朋友 东西 意思 事情 先生 太太 学生 漂亮 便宜 喜欢 认识 知道 告诉 明白 清楚 舒服 聪明 衣服 "
    "休息 消息 关系 时候 地方 名字 眼睛 耳朵 头发 脑袋 嘴巴 鼻子 窗户 玻璃 石头 木头 骨头 馒头 "
    "豆腐 葡萄 萝卜 月亮 云彩 钥匙 包袱 行李 护士 大夫 师傅 丈夫 姑娘 媳妇 亲戚 客气 脾气 力气 "
    "运气 麻烦 马虎 热闹 凉快 暖和 结实 老实 厉害 糊涂 精神 打算 打听 打扮 招呼 商量 收拾 答应 "
    "咳嗽 耽误 照顾 吩咐 佩服 称呼 比方 故事 笑话 困难 生意 买卖 合同 胳膊 屁股 尾巴 蘑菇 棉花 "
    "庄稼 粮食 点心 灯笼 苍蝇 蚂蚱 狐狸 骆驼 部分 多么 什么 怎么 那么 这么 咱们 你们 我们 他们 "
    "她们 它们 人们 似的 别人 里头 外头 上头 前头 后头 晚上 早上 里面 外面 上面 下面 前面 后面 "
    "爸爸 妈妈 爷爷 奶奶 哥哥 姐姐 弟弟 妹妹 叔叔 舅舅 姥姥 姥爷 宝宝 星星 太阳 孩子 儿子 妻子 "
    "房子 桌子 椅子 杯子 盘子 筷子 勺子 帽子 裤子 裙子 鞋子 袜子 车子 句子 本子 样子 日子 肚子 "
    "嗓子 脖子 胡子 影子 院子 屋子 狮子 兔子 猴子 包子 饺子 粽子 橘子 柿子 桃子 李子 瓶子 盒子 "
    "箱子 袋子 镜子 梳子 被子 毯子 嫂子 胖子 瘦子 疯子 骗子 傻子 小伙子 老头子 "
    "一下子 一辈子".split()
)
"""The last syllable is light, as dictionaries mark it; lists of pinyin often have its full tone."""


def lighten(word: str, pinyin: list[str]) -> list[str]:
    """The syllables of a word, the last one without its tone where it is light."""
    if word in _LIGHT_WORDS or word[-2:] in _LIGHT_WORDS:
        return [*pinyin[:-1], pinyin[-1][:-1] + "5"]
    return pinyin


def in_context(text: str, pinyin: Sequence[str], ends: frozenset[int]) -> list[str]:
    """Syllables of a clause, one a character, with the tones that they have side by side.

    Args:
        text: the clause, Chinese characters only.
        pinyin: its syllables; those that cannot be read are empty.
        ends: offsets at which words end.
    """
    said = list(pinyin)
    for index, char in enumerate(text):
        # Lists of words have some of these tones in context already, but not in this one.
        if char == "一" and said[index].startswith("yi"):
            said[index] = "yi" + _yi(text, said, index)
        elif char == "不" and said[index].startswith("bu"):
            said[index] = "bu" + _bu(text, said, index)
    _third_tones(said, ends)
    return said


def _tone(pinyin: Sequence[str], index: int) -> str:
    return pinyin[index][-1:] if 0 <= index < len(pinyin) else ""


def _yi(text: str, pinyin: Sequence[str], index: int) -> str:
    """Tone of "one": its own in numbers and at the end, else opposed to what follows."""
    before, after = text[index - 1 : index], text[index + 1 : index + 2]
    if before == "点" and after == "刻":
        return "2"
    if not after or before in _AS_NUMBER_AFTER or after in _AS_NUMBER_BEFORE:
        return "1"
    if before not in ("这", "那", "每") and _RANKED.match(text, index + 1):
        return "1"
    if before in ("高", "大") and _SCHOOL.match(text, index + 1):
        return "1"
    if after == "点" and text[index + 2 : index + 3] in _DIGITS:
        return "1"
    if before == after:
        return "5"
    return "2" if _tone(pinyin, index + 1) in ("4", "5") else "4"


def _bu(text: str, pinyin: Sequence[str], index: int) -> str:
    if index and text[index - 1] == text[index + 1 : index + 2]:
        return "5"
    return "2" if _tone(pinyin, index + 1) == "4" else "4"


def _third_tones(pinyin: list[str], ends: frozenset[int]) -> None:
    """Of two third tones side by side the first rises: inside words, then across them.

    Inside a word all but the last of a row rise. Across a boundary it is only next to a word of
    one syllable, because a longer one is a foot of its own and speakers may pause behind it.
    """
    start = 0
    starts: list[tuple[int, int]] = []
    for end in sorted(ends):
        starts.append((start, end))
        for index in range(start, end - 1):
            if _tone(pinyin, index) == "3" and _tone(pinyin, index + 1) == "3":
                pinyin[index] = pinyin[index][:-1] + "2"
        start = end
    for (low, middle), (_, high) in zip(reversed(starts[:-1]), reversed(starts[1:]), strict=True):
        short = middle - low == 1 or high - middle == 1
        if short and _tone(pinyin, middle - 1) == "3" and _tone(pinyin, middle) == "3":
            pinyin[middle - 1] = pinyin[middle - 1][:-1] + "2"
