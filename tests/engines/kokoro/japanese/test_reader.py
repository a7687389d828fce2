from __future__ import annotations

import importlib

import pytest

from engines.api import ModelFilesMissing
from engines.kokoro.japanese import reader
from engines.kokoro.phonemes import phonemize

pytestmark = pytest.mark.unit


def words(text: str) -> list[str]:
    return [text[word.char_start : word.char_end] for word in phonemize(text, "ja").words]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("今日は学校へ行きました。", "今日 は 学校 へ 行きました"),
        ("WiFiを使って、本を読んだ。", "WiFi を 使って 本 を 読んだ"),
        ("「そうですか」と彼は言った。", "そう です か と 彼 は 言った"),
        ("三匹の猫、二十日", "三匹 の 猫 二十日"),
        ("ジョン・スミス", "ジョン スミス"),
        ("コーヒーを飲んでいる", "コーヒー を 飲んで いる"),
    ],
)
def test_words_point_at_their_characters(text: str, cut: str) -> None:
    assert words(text) == cut.split()


def test_particles_sound_as_they_are_said() -> None:
    assert phonemize("私は駅へ行く", "ja").symbols == "βataɕi βa ekʲi e ikɯ"


def test_a_run_that_the_analyser_rewrites_is_one_word() -> None:
    tokens = reader.split("ｶﾞｯｺｳ")
    assert [(token.start, token.end) for token in tokens] == [(0, 5)]
    assert phonemize("ｶﾞｯｺｳ", "ja").symbols == "ɡaʔkoː"


def test_words_stay_apart_where_a_character_is_replaced_by_a_common_one() -> None:
    assert words("今日は𠮷野家へ") == ["今日", "は", "𠮷野家", "へ"]


def test_digits_and_symbols_that_are_left_are_read() -> None:
    assert phonemize("3", "ja").symbols == "saɴ"
    assert phonemize("3%", "ja").symbols == "saɴ paːsento"


def test_marks_have_blanks_beside_them_as_in_english() -> None:
    assert phonemize("うん、そう。ね（え）", "ja").symbols == "ɯɴ, soː. ne (e)"


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, package: str | None = None) -> object:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    reader._analyser.cache_clear()
    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(ModelFilesMissing, match=r"pyopenjtalk.*voicepeer\[ja\]"):
        phonemize("今日は", "ja")
    assert phonemize("hello", "en-us").symbols
