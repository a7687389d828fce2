"""Whole numbers in Chinese characters as Japanese has them, which the front end reads in kana."""

from __future__ import annotations

_DIGITS = "〇一二三四五六七八九"
_KANA = "ゼロ イチ ニー サン ヨン ゴー ロク ナナ ハチ キュー".split()
_PLACES = ("", "十", "百", "千")
_GROUPS = ("", "万", "億", "兆", "京", "垓")


def digits(text: str) -> str:
    """Digits one by one, in kana: short ones are drawn out, as when they are dictated."""
    return " ".join(_KANA[int(char)] for char in text if char in "0123456789")


def decimals(text: str) -> str:
    """The digits behind a point."""
    return "".join("零" if char == "0" else _DIGITS[int(char)] for char in text)


def cardinal(number: int) -> str:
    """A whole number; one is not said before ten, hundred and thousand."""
    if number == 0:
        return "ゼロ"
    groups: list[int] = []
    while number:
        number, group = divmod(number, 10_000)
        groups.append(group)
    return "".join(
        _group(group, scaled=index > 0) + _GROUPS[index]
        for index, group in reversed(list(enumerate(groups)))
        if group
    )


def _group(number: int, *, scaled: bool) -> str:
    said = ""
    for place in reversed(range(4)):
        digit = number // 10**place % 10
        if not digit:
            continue
        silent = digit == 1 and place > 0 and not (scaled and place == 3)
        said += ("" if silent else _DIGITS[digit]) + _PLACES[place]
    return said
