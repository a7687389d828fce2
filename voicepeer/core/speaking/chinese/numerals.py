"""Whole numbers in Chinese characters (GB/T 15835), read as one says them."""

from __future__ import annotations

DIGITS = "零一二三四五六七八九"
_ON_PHONE = DIGITS.replace("一", "幺")
_PLACES = ("", "十", "百", "千")
_GROUPS = ("", "万", "亿", "万亿", "亿亿", "万亿亿")


def digits(text: str) -> str:
    """Digits one by one."""
    return "".join(DIGITS[int(char)] for char in text if char in "0123456789")


def phone_digits(text: str) -> str:
    """Digits as they are dictated: one is "yao", so that nobody takes it for seven."""
    return "".join(_ON_PHONE[int(char)] for char in text if char in "0123456789")


def cardinal(number: int) -> str:
    """A whole number; two is "liang" before a thousand and more."""
    if number == 0:
        return DIGITS[0]
    groups: list[int] = []
    while number:
        number, group = divmod(number, 10_000)
        groups.append(group)
    said = ""
    for index in reversed(range(len(groups))):
        group = groups[index]
        if not group:
            continue
        if said and group < 1000:
            said += DIGITS[0]
        said += _group(group, scaled=index > 0, first=not said) + _GROUPS[index]
    return said.removeprefix("一") if said.startswith("一十") else said


def _group(number: int, *, scaled: bool, first: bool) -> str:
    """A number below ten thousand; ``scaled`` before "ten thousand" and the like."""
    if number == 2 and scaled and first:
        return "两"
    said, gap = "", False
    for place in reversed(range(4)):
        digit = number // 10**place % 10
        if not digit:
            gap = bool(said)
            continue
        if gap:
            said += DIGITS[0]
            gap = False
        said += ("两" if digit == 2 and place == 3 and first else DIGITS[digit]) + _PLACES[place]
    return said
