"""Cloning and speaking without a call, through the same steps as in one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from engines.api import (
    EngineError,
    LanguageUnsupported,
    Reference,
    SpeakerEncoder,
    Voice,
    VoiceIncompatible,
)
from engines.fakes import (
    REFINED_BY_HZ,
    FakeSpeakerEncoder,
    FakeSpeechEngine,
    FakeVad,
    Script,
)
from tests.clips import clip_path
from voicepeer import voice_file
from voicepeer.core.errors import AudioRejected, TextRejected, VoiceNotFound
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.lexicon import Lexicon
from voicepeer.core.speaking.order import Order
from voicepeer.offline import Ears, clone, default_voice, find_voice, refined, speak
from voicepeer.voice_store import ConsentRecord, VoiceAmbiguous, VoiceStore

pytestmark = pytest.mark.unit

ENGINE = FakeSpeechEngine()
EARS = Ears(FakeSpeakerEncoder(), FakeVad())
CONSENT = ConsentRecord("I agree.", "Jennifer", 1_800_000_000.0)
LOW = ENGINE.stock_voices()["low"]
REFERENCE = Reference(np.random.default_rng(0).normal(0, 0.1, 32_000).astype(np.float32), 16_000)


def test_a_text_is_spoken_in_segments_of_its_spoken_form() -> None:
    text = "It costs $5. " * 3
    spoken = speak(text, LOW, ENGINE)
    assert spoken.rate_hz == 24_000
    one = len("It costs five dollars.") * 60.0
    assert spoken.audio_ms == pytest.approx(3 * one, abs=1.0)
    assert spoken.first_chunk_ms is not None
    assert spoken.rtf is not None
    assert spoken.first_chunk_ms <= spoken.busy_ms


@pytest.mark.parametrize("text", ["", " ", "...", "\N{GRINNING FACE}", "--- !!!"])
def test_nothing_to_say_is_no_speech_and_no_error(text: str) -> None:
    spoken = speak(text, LOW, ENGINE)
    assert (spoken.pcm.size, spoken.rtf, spoken.first_chunk_ms) == (0, None, None)


def test_stopping_ends_speech_early() -> None:
    stop = threading.Event()
    stop.set()
    assert speak("hello", LOW, ENGINE, stop=stop).pcm.size == 0


@pytest.mark.parametrize(
    "delivery",
    [
        Delivery(speed=3.0),
        Delivery(pitch_semitones=-13.0),
        Delivery(energy=0.0),
        Delivery(volume=2.1),
        Delivery(emotion="bored"),
    ],
)
def test_what_is_out_of_range_is_refused(delivery: Delivery) -> None:
    with pytest.raises(TextRejected, match="can be"):
        speak("hello", LOW, ENGINE, Order(delivery=delivery))


def test_volume_is_a_factor_on_what_is_written() -> None:
    half = speak("hello", LOW, ENGINE, Order(delivery=Delivery(volume=0.5)))
    assert half.pcm == pytest.approx(0.5 * speak("hello", LOW, ENGINE).pcm, abs=1e-6)


def test_words_are_marked_in_the_whole_of_the_text() -> None:
    text = "One two three, four. Five six."
    spoken = speak(text, LOW, ENGINE)
    assert [text[word.char_start : word.char_end] for word in spoken.words] == text.split()
    starts = [word.start_ms for word in spoken.words]
    assert starts == sorted(starts)
    assert spoken.words[-1].end_ms <= spoken.audio_ms + 1e-6
    assert [phone.start_ms for phone in spoken.phones] == starts


def test_markup_is_heard_and_not_said() -> None:
    text = 'One. <break time="500ms"/><prosody volume="50%">Two.</prosody>'
    spoken = speak(text, LOW, ENGINE, Order(ssml=True))
    plain = speak("One. Two.", LOW, ENGINE)
    assert spoken.audio_ms == pytest.approx(plain.audio_ms + 500.0, abs=0.1)
    assert [word.text for word in spoken.words] == ["One.", "Two."]
    assert spoken.words[1].start_ms == pytest.approx(plain.words[1].start_ms + 500.0, abs=0.1)
    half = spoken.pcm.size - 1000
    assert np.abs(spoken.pcm[half:]).max() == pytest.approx(
        0.5 * np.abs(spoken.pcm[:1000]).max(), rel=0.01
    )


def test_a_lexicon_says_words_its_own_way() -> None:
    spoken = speak("SQL it is.", LOW, ENGINE, Order(lexicon=Lexicon.read({"sql": "sequel"})))
    assert [word.text for word in spoken.words] == ["sequel", "it", "is."]
    assert (spoken.words[0].char_start, spoken.words[0].char_end) == (0, 3)


def test_what_the_engine_cannot_do_is_its_own_error() -> None:
    with pytest.raises(LanguageUnsupported):
        speak("hello", LOW, ENGINE, Order("fr-fr"))
    with pytest.raises(EngineError, match="told to fail"):
        speak("hello", LOW, FakeSpeechEngine(Script(fault="refuse")))
    with pytest.raises(TextRejected):
        speak("x" * 50_001, LOW, ENGINE)


def test_a_clone_carries_consent_embedding_and_origin() -> None:
    made = clone(clip_path("en_jennifer"), "Jen", CONSENT, ENGINE, EARS)
    assert made.record.consent == CONSENT
    assert made.record.created == CONSENT.when
    assert made.record.expires is None
    assert made.record.source == "file en_jennifer.wav"
    assert made.record.embedding is not None
    assert np.linalg.norm(made.record.embedding) == pytest.approx(1.0, abs=1e-5)
    assert made.record.quality == made.quality.score
    assert made.speech_s > 3


def test_two_speakers_are_told_apart() -> None:
    heard = [
        clone(clip_path(name), name, CONSENT, ENGINE, EARS).record.embedding
        for name in ("en_jennifer", "de_Anka")
    ]
    assert heard[0] is not None
    assert heard[1] is not None
    assert float(heard[0] @ heard[1]) < 0.999


@pytest.mark.parametrize("statement", ["", " \n"])
def test_without_consent_nothing_is_cloned(statement: str) -> None:
    consent = ConsentRecord(statement, "Jennifer", 1.0)
    with pytest.raises(AudioRejected, match="consent"):
        clone(clip_path("en_jennifer"), "Jen", consent, ENGINE, EARS)


def test_voices_are_found_in_files_by_id_by_name_and_in_stock(tmp_path: Path) -> None:
    store, now = VoiceStore(tmp_path / "v.sqlite"), CONSENT.when
    record = clone(clip_path("en_jennifer"), "Jen", CONSENT, ENGINE, EARS).record
    file = tmp_path / "jen.voice"
    voice_file.write(file, record)
    store.put(record)
    wanted = record.voice.to_bytes()
    for key in (record.voice_id, "Jen", str(file)):
        assert find_voice(key, ENGINE, store, now).to_bytes() == wanted
    assert find_voice("low", ENGINE, store, now).to_bytes() == LOW.to_bytes()
    with pytest.raises(VoiceNotFound, match="high, low, mid"):
        find_voice("nobody", ENGINE, store, now)


def test_a_saved_voice_is_stronger_than_a_stock_voice_of_its_name(tmp_path: Path) -> None:
    store = VoiceStore(tmp_path / "v.sqlite")
    record = clone(clip_path("en_jennifer"), "low", CONSENT, ENGINE, EARS).record
    store.put(record)
    found = find_voice("low", ENGINE, store, CONSENT.when)
    assert found.to_bytes() == record.voice.to_bytes()
    store.put(clone(clip_path("en_jennifer"), "low", CONSENT, ENGINE, EARS).record)
    with pytest.raises(VoiceAmbiguous):
        find_voice("low", ENGINE, store, CONSENT.when)


def test_a_voice_of_another_engine_is_not_spoken_with() -> None:
    from engines.api import Voice

    with pytest.raises(VoiceIncompatible):
        speak("hello", Voice("other", "1", {}), ENGINE)


@pytest.mark.parametrize(
    ("text", "language", "voice"),
    [
        ("Hallo", "de", "high"),
        ("Hello", "en-gb", "low"),
        ("Das ist nicht der richtige Weg, sagte sie und ging.", "auto", "high"),
        ("This is not the way that they would go.", "auto", "low"),
        ("12345", "auto", "low"),
        ("tlhIngan", "tlh", "low"),
    ],
)
def test_a_text_has_a_voice_of_its_language(text: str, language: str, voice: str) -> None:
    assert default_voice(text, language, ENGINE) == voice


def test_the_last_voice_of_a_refinement_is_the_best() -> None:
    found = refined(LOW, REFERENCE, FakeSpeechEngine(Script(refinements=3)), EARS.encoder, 60.0)
    own_hz = float(LOW.arrays["tone_hz"][0])
    assert float(found.arrays["tone_hz"][0]) == pytest.approx(own_hz + 3 * REFINED_BY_HZ)


@pytest.mark.parametrize("budget_s", [0.0, -1.0])
def test_without_a_budget_a_voice_stays_as_it_is(budget_s: float) -> None:
    engine = FakeSpeechEngine(Script(refinements=3))
    assert refined(LOW, REFERENCE, engine, EARS.encoder, budget_s) is LOW


def test_refining_ends_with_its_budget() -> None:
    class Endless(FakeSpeechEngine):
        def refine(
            self, voice: Voice, reference: Reference, encoder: SpeakerEncoder
        ) -> Iterator[Voice | None]:
            while True:
                sum(range(10_000))
                yield None

    assert refined(LOW, REFERENCE, Endless(), EARS.encoder, 0.02) is LOW
