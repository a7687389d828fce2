"""What is asked of speed, pitch and energy, measured on what is heard."""

from __future__ import annotations

import functools
import threading

import numpy as np
import pytest
import soxr

from engines.api import Controls, Pcm, Segment
from engines.kokoro.edges import audible_blocks
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.pitch import SAMPLE_RATE_HZ as PITCH_RATE_HZ
from engines.pitch import PitchTrack, track_pitch
from tests.engines.kokoro.opened import engine

pytestmark = pytest.mark.engine

TEXT = "We will meet them at the station tomorrow, if the weather is fine."
BLOCK = SAMPLE_RATE_HZ * 5 // 1000


@functools.cache
def said(controls: Controls = Controls(), voice: str = "af_heart") -> Pcm:  # noqa: B008
    """Speech from its first to its last sound."""
    chosen = engine().stock_voices()[voice]
    stream = engine().speak(Segment(TEXT), chosen, controls, threading.Event())
    pcm = np.concatenate([chunk.pcm for chunk in stream])
    loud = np.flatnonzero(audible_blocks(pcm))
    return np.asarray(pcm[loud[0] * BLOCK : (loud[-1] + 1) * BLOCK])


def track(pcm: Pcm) -> PitchTrack:
    resampled = soxr.resample(pcm, SAMPLE_RATE_HZ, PITCH_RATE_HZ)
    return track_pitch(np.asarray(resampled, dtype=np.float32))


def level_db(pcm: Pcm) -> float:
    return float(10.0 * np.log10(np.mean(np.square(pcm, dtype=np.float64))))


@pytest.mark.parametrize("speed", [0.5, 0.8, 1.25, 1.6, 2.0])
def test_duration_is_within_three_percent_of_what_was_asked(speed: float) -> None:
    ratio = said(Controls(speed=speed)).size * speed / said().size
    assert ratio == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize("voice", ["af_heart", "am_michael"])
@pytest.mark.parametrize("semitones", [-4.0, -2.0, 2.0, 4.0])
def test_pitch_is_within_a_third_of_a_semitone(voice: str, semitones: float) -> None:
    before = track(said(voice=voice)).f0_hz
    after = track(said(Controls(pitch_semitones=semitones), voice)).f0_hz
    count = min(before.size, after.size)
    # Both say the same at the same time, so that frames can be compared one by one.
    both = (before[:count] > 0.0) & (after[:count] > 0.0)
    moved = 12.0 * np.log2(after[:count][both] / before[:count][both])
    assert float(np.median(moved)) == pytest.approx(semitones, abs=0.3)
    level = level_db(said(Controls(pitch_semitones=semitones), voice)) - level_db(said(voice=voice))
    assert abs(level) < 1.0


@pytest.mark.parametrize("energy", [0.8, 1.2])
def test_energy_is_a_factor_on_the_amplitude(energy: float) -> None:
    change_db = level_db(said(Controls(energy=energy))) - level_db(said())
    assert change_db == pytest.approx(20.0 * np.log10(energy), abs=0.3)


def test_range_is_heard_as_spread() -> None:
    own = track(said()).spread_semitones
    assert track(said(Controls(pitch_range=0.4))).spread_semitones < 0.7 * own
    assert track(said(Controls(pitch_range=1.7))).spread_semitones > 1.15 * own


def test_whisper_has_no_voice() -> None:
    def voiced(pcm: Pcm) -> float:
        return float((track(pcm).f0_hz > 0.0).mean())

    assert voiced(said(Controls(whisper=1.0))) < 0.3 * voiced(said())


def test_word_marks_keep_their_place_at_double_speed() -> None:
    def starts_ms(speed: float) -> np.ndarray:
        chosen = engine().stock_voices()["af_heart"]
        controls = Controls(speed=speed)
        stream = engine().speak(Segment(TEXT), chosen, controls, threading.Event())
        return np.array([mark.start_ms for chunk in stream for mark in chunk.marks])

    assert starts_ms(2.0) * 2.0 == pytest.approx(starts_ms(1.0), abs=90.0)


SEPARATE = "morning never little river yellow lemon army ocean island under over money".split()


def onsets_ms(pcm: Pcm) -> np.ndarray:
    """Where the level of 8 ms rises over 3 % of the loudest after 40 ms without."""
    hop = SAMPLE_RATE_HZ // 1000
    power = np.convolve(np.square(pcm, dtype=np.float64), np.ones(8 * hop), "same")[::hop]
    loud = power > 0.03**2 * power.max()
    return np.array(
        [at for at in range(loud.size) if loud[at] and not loud[max(0, at - 40) : at].any()]
    )


@pytest.mark.parametrize("voice", ["af_heart", "bm_george"])
@pytest.mark.parametrize("speed", [0.8, 1.0, 1.5])
def test_words_after_silence_are_marked_within_25_ms(voice: str, speed: float) -> None:
    text = ". ".join(word.capitalize() for word in SEPARATE) + "."
    chosen, controls = engine().stock_voices()[voice], Controls(speed=speed)
    chunks = list(engine().speak(Segment(text), chosen, controls, threading.Event()))
    begins = onsets_ms(np.concatenate([chunk.pcm for chunk in chunks]))
    marks = [mark.start_ms for chunk in chunks for mark in chunk.marks]
    assert len(marks) == len(SEPARATE)
    errors = np.array([np.abs(begins - mark).min() for mark in marks])
    # Words that the voice ties to the one before have no silence to be measured by.
    measured = errors[errors < 120.0]
    assert measured.size >= 4
    assert measured.max() <= 25.0


def test_sounds_follow_each_other_through_a_sentence() -> None:
    chosen = engine().stock_voices()["af_heart"]
    chunks = list(engine().speak(Segment(TEXT), chosen, Controls(), threading.Event()))
    phones = [phone for chunk in chunks for phone in chunk.phones]
    assert len(phones) > 35
    assert all(phone.end_ms > phone.start_ms for phone in phones)
    starts = [phone.start_ms for phone in phones]
    assert starts == sorted(starts)
    until = 80.0
    for chunk in chunks:
        assert all(until - 80.0 - 1e-6 <= phone.start_ms < until for phone in chunk.phones)
        until += 80.0
