"""Long texts through the real engine: every word is said once and in order, as marks tell."""

from __future__ import annotations

import re

import pytest

from engines.resampling import resample
from tests.engines.kokoro.opened import engine
from voicepeer.core.pcm import LISTEN_RATE_HZ
from voicepeer.core.speaking.order import Order
from voicepeer.offline import SpokenText, speak
from voicepeer.words import keyword_check

pytestmark = pytest.mark.engine

CLAUSES = (
    "we left the house before the sun was up", "the streets were still wet from the rain",
    "my brother carried the heavy bag", "my sister had the map in her hand",
    "nobody said a word until the bridge", "where the old man sold us fresh bread",
    "and told us that the train was late", "so we sat down on a bench by the river",
    "and watched the water go by for an hour", "while the children played near the trees",
    "then the bell rang twice", "and all of us ran to the platform",
    "but the doors had closed already", "and we had to wait for the next one",
    "which came at noon", "and was almost empty",
)  # fmt: skip
SENTENCE = ", ".join(CLAUSES).capitalize() + "."

MIXED = (
    "Dr. Jones paid $3.5 million on August 17, 2026! See https://example.com/a.b?c=1.2, or mail "
    "a.b@c.co.uk before 12:30 p.m. today... He said “¿dónde están los niños?” twice. "
    "Version v1.0.0 is out: 1. first; 2. second. “Hello,” she said — and left (for good)."
)


def said(text: str) -> SpokenText:
    return speak(text, engine().stock_voices()["af_heart"], engine(), Order())


def test_a_sentence_of_over_a_hundred_words_loses_none_of_them() -> None:
    words = re.findall(r"[A-Za-z]+", SENTENCE)
    assert len(words) >= 100
    spoken = said(SENTENCE)
    assert [word.text for word in spoken.words] == words
    starts = [word.start_ms for word in spoken.words]
    assert starts == sorted(starts)
    heard = keyword_check(resample(spoken.pcm, spoken.rate_hz, LISTEN_RATE_HZ), SENTENCE)
    assert heard > 0.75


def test_every_part_of_a_mixed_text_is_marked_once_and_in_order() -> None:
    spoken = said(MIXED)
    spans = [(word.char_start, word.char_end) for word in spoken.words]
    assert spans == sorted(spans)
    covered = {at for start, end in spans for at in range(start, end)}
    silent = set("/?=&:.,") | {"1", "2", "c", "b", "a"}
    missed = {MIXED[at] for at in range(len(MIXED)) if MIXED[at].isalnum() and at not in covered}
    assert missed <= silent, missed
    starts = [word.start_ms for word in spoken.words]
    assert starts == sorted(starts)
    assert {"dónde", "niños"} <= {word.text for word in spoken.words}
