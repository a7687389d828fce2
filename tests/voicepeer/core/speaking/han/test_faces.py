from __future__ import annotations

import pytest

from voicepeer.core.speaking.normalize import normalize

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "face",
    [
        "(^o^)",
        "(^_^)",
        "(^^)/",
        "(>_<)",
        "(T_T)",
        "(´▽｀)",
        "（＾▽＾）",
        "m(_ _)m",
        "(・ω・)",
        "(；ω；)",
    ],
)
@pytest.mark.parametrize("language", ["zh", "ja"])
def test_faces_are_silent(face: str, language: str) -> None:
    assert normalize(f"好{face}。", language).text.replace(" ", "") == "好。"


@pytest.mark.parametrize("text", ["(3)", "(A)", "(笑)", "(・)", "(>100)", "(T)"])
def test_other_brackets_are_none(text: str) -> None:
    assert not normalize(f"好{text}", "zh").is_silent
    assert normalize(f"好{text}", "ja").text != "好"


@pytest.mark.parametrize("language", ["en-us", "es", "ja", "zh", "xx"])
def test_circled_numbers_side_by_side_are_apart(language: str) -> None:
    together, apart = (normalize(text, language).text for text in ("①②❸", "1, 2, 3"))
    assert together.replace("，", ", ") == apart
