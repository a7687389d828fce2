"""Chinese and Japanese through the whole engine: how long speech is and where its words are."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from engines.api import Chunk, Controls, Segment
from tests.engines.kokoro import opened

pytestmark = pytest.mark.engine


def spoken(text: str, language: str, voice: str) -> list[Chunk]:
    engine = opened.engine()
    segment = Segment(text, language)
    stop = threading.Event()
    return list(engine.speak(segment, engine.stock_voices()[voice], Controls(), stop))


@pytest.mark.parametrize(
    ("language", "voice", "text", "words", "syllables"),
    [
        (
            "zh",
            "zf_xiaobei",
            "我们明天早上八点在火车站见面，好不好？",
            "我们 明天 早上 八 点 在 火车站 见面 好不好",
            17,
        ),
        ("zh", "zm_yunxi", "请打开WiFi，谢谢。", "请 打开 WiFi 谢谢", 7),
        (
            "ja",
            "jf_alpha",
            "新聞を読みながら、コーヒーを飲んでいます。",
            "新聞 を 読み ながら コーヒー を 飲んで います",
            19,
        ),
    ],
)
def test_every_word_is_said_in_its_time(
    language: str, voice: str, text: str, words: str, syllables: int
) -> None:
    chunks = spoken(text, language, voice)
    pcm = np.concatenate([chunk.pcm for chunk in chunks])
    marks = [mark for chunk in chunks for mark in chunk.marks]
    assert [text[mark.char_start : mark.char_end] for mark in marks] == words.split()
    assert all(a.start_ms < b.start_ms for a, b in zip(marks, marks[1:], strict=False))
    seconds_each = pcm.size / 24_000 / syllables
    assert 0.09 < seconds_each < 0.35  # people take 0.12 to 0.25 s
    assert np.sqrt(np.mean(np.square(pcm))) > 0.01
