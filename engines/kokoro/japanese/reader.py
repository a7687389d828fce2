"""Reads Japanese text: cut into words and given their pronunciation by Open JTalk.

``pyopenjtalk-plus`` (MIT, its dictionary BSD), which the extra "ja" brings, knows counters,
particles and sound changes. Latin words inside are read as English.
"""

from __future__ import annotations

import functools
import importlib
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from engines.api import ModelFilesMissing
from engines.kokoro import mixing
from engines.kokoro.japanese import homographs
from engines.kokoro.japanese.kana import sounds
from engines.kokoro.mixing import HAN, KANA, Word
from engines.kokoro.tokens import Token

_DIGITS = dict(
    zip("0123456789", "ゼロ イチ ニ サン ヨン ゴ ロク ナナ ハチ キュー".split(), strict=True)
)
_SYMBOLS = {
    "%": "パーセント", "&": "アンド", "+": "プラス", "=": "イコール", "@": "アットマーク",
    "°": "ド", "€": "ユーロ", "$": "ドル", "£": "ポンド", "¥": "エン", "￥": "エン",
    "#": "シャープ", "/": "スラッシュ",
}  # fmt: skip
_STEMS = frozenset(("動詞", "形容詞", "助動詞"))
_NOT_FIRST = tuple("ーッンァィゥェォャュョ")
_PLACES = frozenset("十百千万億兆")
_DEVOICED = "’"


@dataclass(frozen=True, slots=True)
class _Morpheme:
    surface: str
    kana: str
    part: str
    kind: str

    def joins(self, before: _Morpheme) -> bool:
        """Whether it is an ending of the word before, not a word of its own."""
        if self.kana.startswith(_NOT_FIRST):
            return True
        if self.kind == "数" and self.surface in _PLACES:
            return before.kind == "数" and before.surface not in _PLACES
        if self.part == "助動詞" or self.surface in ("て", "で", "ば", "ちゃ", "じゃ"):
            return before.part in _STEMS
        return self.kind == "接尾" and before.part == "名詞"


@functools.cache
def _analyser() -> Callable[[str], list[dict[str, Any]]]:
    """Import what the extra brings, half a second and once in a process."""
    try:
        module = importlib.import_module("pyopenjtalk")
    except ModuleNotFoundError as error:
        raise ModelFilesMissing(
            f"the Japanese front end ({error.name}) is missing: "
            "install it with: pip install 'voicepeer[ja]'"
        ) from error
    # What its second dictionary corrects is less than what it spoils (docs/text.md).
    return functools.partial(module.run_frontend, use_sudachi_kanji_yomi=False)


def split(text: str) -> list[Token]:
    """Tokens of a text; those of Japanese words have their pronunciation in katakana as text.

    Raises:
        ModelFilesMissing: the packages of the extra "ja" are not installed.
    """
    return mixing.split(text, rf"(?:{HAN}|{KANA})+", _cut)


def read(tokens: list[Token]) -> list[str]:
    """Phonemes of each token; empty for marks, spaces and what cannot be said."""
    said = mixing.english(tokens)
    for index, token in enumerate(tokens):
        if token.kind == "digits":
            said[index] = sounds("".join(_DIGITS.get(char, "") for char in token.text))
        elif token.kind == "mark":
            said[index] = sounds(_SYMBOLS.get(token.text, ""))
        elif token.kind == "word" and not said[index]:
            said[index] = sounds(token.text)
    return said


def _cut(text: str) -> list[Word]:
    """Words of a run of Japanese, with their pronunciation."""
    plain = unicodedata.normalize("NFKC", text)
    found = [
        _Morpheme(m["string"], m["pron"].replace(_DEVOICED, ""), m["pos"], m["pos_group1"])
        for m in _analyser()(plain)
    ]
    if len(plain) != len(text) or sum(len(one.surface) for one in found) != len(text):
        # Places are lost where something became longer or shorter, so all of it is one word.
        return [Word(text, "".join(morpheme.kana for morpheme in found))]
    return list(_joined(_corrected(text, found)))


def _corrected(text: str, found: list[_Morpheme]) -> Iterator[_Morpheme]:
    at = 0
    for morpheme in found:
        end = at + len(morpheme.surface)
        kana = homographs.reading(text, at, end) or morpheme.kana
        yield _Morpheme(text[at:end], kana, morpheme.part, morpheme.kind)
        at = end


def _joined(morphemes: Iterator[_Morpheme]) -> Iterator[Word]:
    """Morphemes as words: endings go to what they belong to."""
    before: _Morpheme | None = None
    word: Word | None = None
    for morpheme in morphemes:
        if word and before and morpheme.joins(before):
            word = Word(word.text + morpheme.surface, word.said + morpheme.kana)
        else:
            if word:
                yield word
            word = Word(morpheme.surface, morpheme.kana)
        before = morpheme
    if word:
        yield word
