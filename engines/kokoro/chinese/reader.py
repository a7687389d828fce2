"""Reads Chinese text: cut into words, each character by its word, else by what is around it.

Traditional characters are replaced by ``opencc`` (Apache-2.0), words cut by ``rjieba`` (MIT) and
looked up in ``pypinyin`` (MIT), which the extra "zh" brings.
Latin words inside are read as English.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Protocol, cast

from engines.api import ModelFilesMissing
from engines.kokoro import mixing
from engines.kokoro.chinese import polyphones, tones
from engines.kokoro.chinese.syllables import sounds
from engines.kokoro.mixing import HAN, Word
from engines.kokoro.tokens import Token

_NUMERAL = "[零〇一二三四五六七八九十百千万亿两]"
_NUMBERS = re.compile(
    f"([百千万]分之|{_NUMERAL}{{1,3}}(?:月|[日号](?![本常子码]))|(?=.{{3}}){_NUMERAL}+(?:点{_NUMERAL}+)?)"
)
_DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))
_SYMBOLS = {
    "%": "百分号", "&": "和", "+": "加", "=": "等于", "@": "艾特", "°": "度", "€": "欧元",
    "$": "美元", "£": "英镑", "¥": "元", "￥": "元", "#": "井号", "/": "斜杠",
}  # fmt: skip
_ERHUA = re.compile("(?<=[^女幼婴孤少男胎宠健])儿$")


class _Cutter(Protocol):
    def cut(self, text: str) -> list[str]: ...


class _Converter(Protocol):
    def convert(self, text: str) -> str: ...


class _Pinyin(Protocol):
    def __call__(self, word: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class _Libraries:
    cutter: _Cutter
    converter: _Converter
    pinyin: _Pinyin
    phrases: Container[str]
    """Words whose reading is known as a whole."""


@functools.cache
def _libraries() -> _Libraries:
    """Import what the extra brings, about a second and once in a process."""
    try:
        cutter, pypinyin, opencc = map(importlib.import_module, ("rjieba", "pypinyin", "opencc"))
    except ModuleNotFoundError as error:
        raise ModelFilesMissing(
            f"the Chinese front end ({error.name}) is missing: "
            "install it with: pip install 'voicepeer[zh]'"
        ) from error
    pinyin = functools.partial(
        pypinyin.lazy_pinyin,
        style=pypinyin.Style.TONE3,
        neutral_tone_with_five=True,
        errors=lambda chars: [""] * len(chars),
    )
    phrases: Container[str] = importlib.import_module("pypinyin.constants").PHRASES_DICT
    return _Libraries(cast(_Cutter, cutter), opencc.OpenCC("t2s"), cast(_Pinyin, pinyin), phrases)


def split(text: str) -> list[Token]:
    """Tokens of a text, Chinese words apart.

    Raises:
        ModelFilesMissing: the packages of the extra "zh" are not installed.
    """
    return mixing.split(text, f"{HAN}+", _cut)


def _cut(text: str) -> list[Word]:
    """Words of a run of Chinese; long numbers and dates stay whole."""
    words: list[str] = []
    for part in _NUMBERS.split(_simplified(text)):
        if _NUMBERS.fullmatch(part):
            words.append(part)
        elif part:
            words += _libraries().cutter.cut(part)
    ends = _ends(words)
    return [Word(text[end - len(word) : end], word) for word, end in zip(words, ends, strict=True)]


def _simplified(text: str) -> str:
    """A text in the characters that lists and rules are written in, one for one."""
    found = _libraries().converter.convert(text)
    return found if len(found) == len(text) else text


def read(tokens: list[Token]) -> list[str]:
    """Phonemes of each token; empty for marks, spaces and what cannot be said."""
    said = mixing.english(tokens)
    words = [_in_characters(token) for token in tokens]
    for start, end in mixing.runs(words):
        said[start:end] = _clause([token.text for token in words[start:end]])
    return said


def _in_characters(token: Token) -> Token:
    """Digits and symbols that are left as the characters that they are read as."""
    if token.kind == "digits":
        return replace(token, text="".join(_DIGITS.get(char, "") for char in token.text))
    if token.kind == "mark" and token.text in _SYMBOLS:
        return replace(token, text=_SYMBOLS[token.text])
    return token


def _clause(words: list[str]) -> list[str]:
    """Phonemes of words that nothing separates."""
    ends = _ends(words)
    syllables = tones.in_context("".join(words), pinyin_of(words), frozenset(ends))
    return [
        "".join(sounds(syllable) for syllable in syllables[end - len(word) : end])
        for word, end in zip(words, ends, strict=True)
    ]


def pinyin_of(words: list[str]) -> list[str]:
    """Syllables of the characters of a clause, each with the tone that it has alone."""
    text = "".join(words)
    ends = _ends(words)
    syllables = [syllable for word in words for syllable in _syllables(word)]
    known = _known(words, ends)
    for index, rule in polyphones.readings(text):
        if rule.firm or index not in known:
            syllables[index] = rule.pinyin
    for word, end in zip(words, ends, strict=True):
        if word in polyphones.WORDS:
            syllables[end - len(word) : end] = polyphones.WORDS[word].split()
        elif len(word) > 1:
            syllables[end - len(word) : end] = tones.lighten(word, syllables[end - len(word) : end])
    return syllables


def _known(words: list[str], ends: list[int]) -> set[int]:
    """Offsets of characters in words that have a reading as a whole, which is right."""
    phrases = _libraries().phrases
    return {
        index
        for word, end in zip(words, ends, strict=True)
        if len(word) > 1 and word in phrases and word not in polyphones.UNDECIDED
        for index in range(end - len(word), end)
    }


def _ends(words: list[str]) -> list[int]:
    ends: list[int] = []
    for word in words:
        ends.append((ends[-1] if ends else 0) + len(word))
    return ends


def _syllables(word: str) -> list[str]:
    found = _libraries().pinyin(word)
    if len(found) != len(word):  # something in it that is no character
        found = [(_libraries().pinyin(char) or [""])[0] for char in word]
    if len(word) > 1 and _ERHUA.search(word):
        found[-1] = "er5"
    return found
