"""The fakes themselves: tones that can be told apart, and faults that happen when asked for."""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import Chunk, Controls, EngineError, Pcm, Reference, ReferenceRejected, Segment
from engines.fakes import (
    AMPLITUDE,
    CHUNK_SAMPLES,
    ENCODER_WINDOW_SAMPLES,
    SPEECH_RATE_HZ,
    VAD_WINDOW_SAMPLES,
    FakeSpeakerEncoder,
    FakeSpeechEngine,
    FakeVad,
    Script,
    create_encoder,
    create_speech,
    create_vad,
    tone_hz,
)
from tests.clips import clip

pytestmark = pytest.mark.unit

TEXT = "one two three"


def say(engine: FakeSpeechEngine, text: str, controls: Controls | None = None) -> list[Chunk]:
    voice = engine.stock_voices()["mid"]
    return list(engine.speak(Segment(text), voice, controls or Controls(), threading.Event()))


def heard_hz(pcm: Pcm) -> float:
    power = np.abs(np.fft.rfft(pcm * np.hanning(pcm.size), n=1 << 17))
    return float(np.argmax(power)) * SPEECH_RATE_HZ / (1 << 17)


@pytest.mark.parametrize("text", ["hello", TEXT, "a rather longer sentence than that"])
@pytest.mark.parametrize("semitones", [-12.0, 0.0, 3.0])
def test_speaks_at_the_announced_tone(text: str, semitones: float) -> None:
    engine, controls = FakeSpeechEngine(), Controls(pitch_semitones=semitones)
    pcm = np.concatenate([chunk.pcm for chunk in say(engine, text, controls)])
    expected = tone_hz(text, engine.stock_voices()["mid"], controls)
    assert heard_hz(pcm) == pytest.approx(expected, abs=1.0)


def test_utterances_and_voices_have_tones_of_their_own() -> None:
    voices = FakeSpeechEngine().stock_voices()
    texts = ["hello", "goodbye", TEXT]
    tones = [tone_hz(text, voice) for text in texts for voice in voices.values()]
    assert min(np.diff(sorted(tones))) >= 10.0


def test_tone_has_no_step_between_chunks() -> None:
    pcm = np.concatenate([chunk.pcm for chunk in say(FakeSpeechEngine(), TEXT)])
    fastest = 2 * np.pi * heard_hz(pcm) / SPEECH_RATE_HZ * AMPLITUDE
    assert np.abs(np.diff(pcm)).max() < 1.01 * fastest


def test_marks_point_at_the_words() -> None:
    marks = [mark for chunk in say(FakeSpeechEngine(), TEXT) for mark in chunk.marks]
    assert [TEXT[mark.char_start : mark.char_end] for mark in marks] == TEXT.split()
    assert [mark.text for mark in marks] == TEXT.split()


def test_repeated_words_are_marked_in_turn() -> None:
    marks = [mark for chunk in say(FakeSpeechEngine(), "no no no") for mark in chunk.marks]
    assert [mark.char_start for mark in marks] == [0, 3, 6]


@given(
    text=st.text(max_size=60),
    speed=st.floats(0.01, 100.0),
    semitones=st.floats(-100.0, 100.0),
    energy=st.floats(-10.0, 10.0),
)
def test_anything_said_keeps_to_the_seam(
    text: str, speed: float, semitones: float, energy: float
) -> None:
    chunks = say(FakeSpeechEngine(), text, Controls(speed, semitones, energy))
    assert all(chunk.pcm.size == CHUNK_SAMPLES for chunk in chunks[:-1])
    assert all(0 < chunk.pcm.size <= CHUNK_SAMPLES for chunk in chunks[-1:])
    assert all(np.abs(chunk.pcm).max() <= 2.0 * AMPLITUDE + 1e-6 for chunk in chunks)
    assert bool(chunks) == any(char.isalnum() for char in text)


def test_delays_come_where_they_were_asked_for() -> None:
    engine = FakeSpeechEngine(Script(first_chunk_delay_ms=60.0, chunk_delay_ms=20.0))
    voice = engine.stock_voices()["low"]
    chunks = engine.speak(Segment(TEXT), voice, Controls(), threading.Event())
    began = time.monotonic()
    next(chunks)
    first = time.monotonic()
    next(chunks)
    assert first - began >= 0.08
    assert time.monotonic() - first >= 0.02


def faulty(fault: str, after: int = 2, text: str = "") -> FakeSpeechEngine:
    options = {"fake.fault": fault, "fake.fault_after": str(after), "fake.fault_text": text}
    return create_speech(options)


def test_refusal_comes_after_so_many_chunks() -> None:
    engine = faulty("refuse", after=3)
    chunks = engine.speak(
        Segment(TEXT), engine.stock_voices()["mid"], Controls(), threading.Event()
    )
    assert len([next(chunks) for _ in range(3)]) == 3
    with pytest.raises(EngineError, match="told to fail"):
        next(chunks)


def test_a_bug_is_no_engine_error() -> None:
    with pytest.raises(ZeroDivisionError):
        say(faulty("bug"), TEXT)


@pytest.mark.parametrize("fault", ["nan", "inf"])
def test_bad_samples_fill_one_chunk(fault: str) -> None:
    finite = [bool(np.isfinite(chunk.pcm).all()) for chunk in say(faulty(fault), TEXT)]
    assert finite.count(False) == 1
    assert finite[2] is False


@pytest.mark.parametrize(
    ("fault", "size"),
    [("short", CHUNK_SAMPLES - 1), ("empty", 0), ("huge", 100 * CHUNK_SAMPLES)],
)
def test_bad_sizes_are_of_one_chunk(fault: str, size: int) -> None:
    sizes = [chunk.pcm.size for chunk in say(faulty(fault), TEXT)]
    assert sizes[2] == size
    assert set(sizes[:2] + sizes[3:-1]) == {CHUNK_SAMPLES}


def test_faults_keep_to_the_text_they_are_meant_for() -> None:
    engine = faulty("refuse", text="boom")
    assert say(engine, TEXT)
    with pytest.raises(EngineError):
        say(engine, "this goes boom now")


@given(
    script=st.builds(
        Script,
        chunk_delay_ms=st.floats(0.0, 1e6),
        fault=st.sampled_from(["none", "nan", "die"]),
        fault_after=st.integers(0, 1000),
        fault_text=st.text(max_size=10),
    )
)
def test_scripts_survive_their_options(script: Script) -> None:
    assert Script.from_options(script.to_options() | {"threads": "2"}) == script


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fake.chunk_delay": "1"}, "no option fake.chunk_delay"),
        ({"fake.chunk_delay_ms": "soon"}, "needs a number"),
        ({"fake.fault_after": "1.5"}, "needs a number"),
        ({"fake.fault": "fire"}, "one of none, refuse"),
        ({"fake.load_fault": "fire"}, "fake.load_fault is one of none"),
    ],
)
def test_bad_options_are_named(options: dict[str, str], message: str) -> None:
    with pytest.raises(EngineError, match=message):
        create_speech(options)


def test_loading_fails_when_told_to() -> None:
    with pytest.raises(EngineError, match="told to fail"):
        create_speech({"fake.load_fault": "refuse"})
    with pytest.raises(ZeroDivisionError):
        create_speech({"fake.load_fault": "bug"})
    assert say(create_speech({"fake.load_fault": "huge"}), TEXT)


def test_enrolled_voices_follow_the_speaker() -> None:
    engine, encoder = FakeSpeechEngine(), create_encoder({})
    first, second, other = (
        engine.enrol(Reference(pcm, 16_000, encoder.embed(pcm)))
        for pcm in (clip("en_susan"), clip("en_susan")[: 4 * 16_000], clip("en_david"))
    )
    assert tone_hz(TEXT, first) == tone_hz(TEXT, second)
    assert tone_hz(TEXT, first) != tone_hz(TEXT, other)


def test_enrols_without_an_embedding() -> None:
    voice = FakeSpeechEngine().enrol(Reference(clip("en_susan"), 16_000))
    assert 100.0 <= voice.arrays["tone_hz"][0] < 500.0


def test_embeddings_are_unit_vectors_that_tell_speakers_apart() -> None:
    encoder = FakeSpeakerEncoder()
    susan, david = clip("en_susan"), clip("en_david")
    half = susan.size // 2
    same = encoder.embed(susan[:half]) @ encoder.embed(susan[half:])
    assert np.linalg.norm(encoder.embed(david)) == pytest.approx(1.0)
    assert same > encoder.embed(susan) @ encoder.embed(david)


def test_a_window_is_embedded_as_speech_of_its_length() -> None:
    encoder, window = FakeSpeakerEncoder(), clip("en_david")[:ENCODER_WINDOW_SAMPLES]
    np.testing.assert_allclose(encoder.embed_window(window), encoder.embed(window), atol=1e-6)
    with pytest.raises(ValueError, match="25600"):
        encoder.embed_window(window[1:])


@pytest.mark.parametrize("pcm", [np.zeros(30_000), np.zeros(0), np.full(30_000, np.nan)])
def test_nothing_is_not_embedded(pcm: Pcm) -> None:
    with pytest.raises(ReferenceRejected):
        FakeSpeakerEncoder().embed(pcm.astype(np.float32))


@pytest.mark.parametrize(("level_db", "low", "high"), [(-70, 0.0, 0.1), (-20, 0.9, 1.0)])
def test_vad_hears_level(level_db: float, low: float, high: float) -> None:
    vad = create_vad({})
    noise = np.random.default_rng(1).standard_normal(VAD_WINDOW_SAMPLES).astype(np.float32)
    memory = vad.memory()
    for _ in range(3):
        probability, memory = vad.score(noise * np.float32(10 ** (level_db / 20)), memory)
    assert low <= probability <= high


def test_vad_remembers_in_the_callers_hand_only() -> None:
    vad, loud = FakeVad(), np.full(VAD_WINDOW_SAMPLES, 0.1, dtype=np.float32)
    quiet = loud * np.float32(0.01)
    _, after_loud = vad.score(loud, vad.memory())
    assert vad.score(quiet, after_loud)[0] > vad.score(quiet, vad.memory())[0]
    assert vad.memory()[0] == 0.0
    with pytest.raises(ValueError, match="512"):
        vad.score(loud[1:], after_loud)
