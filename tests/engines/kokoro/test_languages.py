"""Every language is heard: the real model speaks it in the voice that the language comes with."""

from __future__ import annotations

import functools
import threading

import numpy as np
import pytest
import soxr

from engines import pitch
from engines.api import Chunk, Controls, Segment
from engines.build.quality import dnsmos
from engines.kokoro.phonemes import LANGUAGES, phonemize
from engines.kokoro.source import SAMPLE_RATE_HZ
from tests.engines.kokoro.opened import engine

pytestmark = pytest.mark.engine

SENTENCES = {
    "en-us": "Good morning, I would like two tickets to Boston for tomorrow.",
    "en-gb": "Good morning, I would like two tickets to London for tomorrow.",
    "es": "Buenos días, quisiera dos billetes a Sevilla para mañana.",
    "fr": "Bonjour, je voudrais deux billets pour Lyon, demain matin.",
    "hi": "नमस्ते, मुझे कल सुबह के लिए दिल्ली के दो टिकट चाहिए।",
    "it": "Buongiorno, vorrei due biglietti per Milano per domani mattina.",
    "ja": "おはようございます、明日の東京行きの切符を二枚ください。",
    "pt-br": "Bom dia, eu queria duas passagens para Curitiba amanhã.",
    "zh": "早上好，我想买两张明天去上海的火车票。",
}  # fmt: skip
VOWELS = frozenset("aeiouɑɐɒæɔəɚɛɜɨɪɯøœʊʌɤyᵻAIOQWY")


@functools.cache
def spoken(language: str) -> tuple[Chunk, ...]:
    voice = engine().stock_voices()[engine().info.default_voices[language]]
    segment = Segment(SENTENCES[language], language)
    return tuple(engine().speak(segment, voice, Controls(), threading.Event()))


def pcm(language: str) -> np.ndarray:
    return np.concatenate([chunk.pcm for chunk in spoken(language)])


def test_every_language_has_a_sentence_and_a_voice() -> None:
    assert SENTENCES.keys() >= LANGUAGES
    assert engine().info.default_voices.keys() == engine().info.languages


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_it_takes_as_long_as_people_do(language: str) -> None:
    syllables = sum(symbol in VOWELS for symbol in phonemize(SENTENCES[language], language).symbols)
    per_second = syllables / (pcm(language).size / SAMPLE_RATE_HZ)
    assert 3.0 < per_second < 8.5


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_it_has_the_pitch_of_a_voice(language: str) -> None:
    sound = soxr.resample(pcm(language), SAMPLE_RATE_HZ, pitch.SAMPLE_RATE_HZ)
    track = pitch.track_pitch(sound)
    assert track.median_hz is not None
    assert 140.0 < track.median_hz < 300.0
    assert track.spread_semitones > 0.8


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_it_sounds_clean(language: str) -> None:
    sound = pcm(language)
    assert 0.02 < np.sqrt(np.mean(sound**2)) < 0.3
    assert dnsmos(sound, SAMPLE_RATE_HZ) > 2.6  # 3.1 to 3.6 when written


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_its_words_are_marked_in_order(language: str) -> None:
    marks = [mark for chunk in spoken(language) for mark in chunk.marks]
    expected = phonemize(SENTENCES[language], language).words
    assert [(mark.char_start, mark.char_end) for mark in marks] == [
        (word.char_start, word.char_end) for word in expected
    ]
    times = [time for mark in marks for time in (mark.start_ms, mark.end_ms)]
    assert times == sorted(times)
