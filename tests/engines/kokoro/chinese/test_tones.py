from __future__ import annotations

import pytest

from engines.kokoro.chinese.tones import in_context, lighten

pytestmark = pytest.mark.unit


def said(words: str, pinyin: str) -> str:
    ends, at = set(), 0
    for word in words.split():
        at += len(word)
        ends.add(at)
    return " ".join(in_context(words.replace(" ", ""), pinyin.split(), frozenset(ends)))


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("一 天", "yi1 tian1", "yi4 tian1"),
        ("一 年", "yi1 nian2", "yi4 nian2"),
        ("一 本", "yi1 ben3", "yi4 ben3"),
        ("一 次", "yi1 ci4", "yi2 ci4"),
        ("一 个", "yi1 ge5", "yi2 ge5"),
        ("一个", "yi2 ge4", "yi2 ge4"),
        ("第一 天", "di4 yi1 tian1", "di4 yi1 tian1"),
        ("十一 天", "shi2 yi1 tian1", "shi2 yi1 tian1"),
        ("一月", "yi1 yue4", "yi1 yue4"),
        ("一号", "yi1 hao4", "yi1 hao4"),
        ("一点 五", "yi1 dian3 wu3", "yi1 dian2 wu3"),
        ("一点", "yi1 dian3", "yi4 dian3"),
        ("唯 一 的", "wei2 yi1 de5", "wei2 yi1 de5"),
        ("一楼", "yi1 lou2", "yi1 lou2"),
        ("这 一 班", "zhe4 yi1 ban1", "zhe4 yi4 ban1"),
        ("一 班 车", "yi1 ban1 che1", "yi4 ban1 che1"),
        ("一 比 零", "yi1 bi3 ling2", "yi1 bi3 ling2"),
        ("一 到 家", "yi1 dao4 jia1", "yi2 dao4 jia1"),
        ("高 一 学生", "gao1 yi1 xue2 sheng5", "gao1 yi1 xue2 sheng5"),
        ("高 一点", "gao1 yi1 dian3", "gao1 yi4 dian3"),
        ("三 点 一 刻", "san1 dian3 yi1 ke4", "san1 dian3 yi2 ke4"),
        ("看一看", "kan4 yi1 kan4", "kan4 yi5 kan4"),
        ("统一", "tong3 yi4", "tong3 yi1"),
        ("不 去", "bu4 qu4", "bu2 qu4"),
        ("不 来", "bu4 lai2", "bu4 lai2"),
        ("好不好", "hao3 bu4 hao3", "hao3 bu5 hao3"),
        ("要不", "yao4 bu2", "yao4 bu4"),
    ],
)
def test_one_and_not_follow_what_is_next(words: str, before: str, after: str) -> None:
    assert said(words, before) == after


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        ("你好", "ni3 hao3", "ni2 hao3"),
        ("展览馆", "zhan3 lan3 guan3", "zhan2 lan2 guan3"),
        ("很 好", "hen3 hao3", "hen2 hao3"),
        ("我 很 好", "wo3 hen3 hao3", "wo3 hen2 hao3"),
        ("水果 很 好", "shui3 guo3 hen3 hao3", "shui2 guo3 hen2 hao3"),
        ("老虎 水果", "lao3 hu3 shui3 guo3", "lao2 hu3 shui2 guo3"),
        ("北京", "bei3 jing1", "bei3 jing1"),
        ("好", "hao3", "hao3"),
        ("", "", ""),
    ],
)
def test_the_first_of_two_third_tones_rises(words: str, before: str, after: str) -> None:
    assert said(words, before) == after


def test_light_syllables_lose_their_tone() -> None:
    assert lighten("朋友", ["peng2", "you3"]) == ["peng2", "you5"]
    assert lighten("老朋友", ["lao3", "peng2", "you3"]) == ["lao3", "peng2", "you5"]
    assert lighten("友好", ["you3", "hao3"]) == ["you3", "hao3"]
