from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from loadtests.peers.heard import Sound, hear, silent_after_ms
from tests.peers.glitches import tone
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm

pytestmark = pytest.mark.unit

FRAME_S = 0.02
FRAME = int(FRAME_S * WIRE_RATE_HZ)


def silence(duration_s: float) -> Pcm:
    return np.zeros(int(duration_s * WIRE_RATE_HZ), np.float32)


def frames(pcm: Pcm, began_s: float) -> list[Sound]:
    """As a receiver has them: each frame when it is due."""
    return [
        Sound(pcm[at : at + FRAME], began_s + at / WIRE_RATE_HZ, place_s=7.0 + at / WIRE_RATE_HZ)
        for at in range(0, pcm.size, FRAME)
    ]


def test_speech_is_heard_from_its_first_audible_moment_not_from_its_silence() -> None:
    pcm = np.concatenate([silence(0.3), tone(0.5), silence(0.2)])
    heard = hear(frames(pcm, began_s=100.1), sent_s=100.0)
    assert heard.first_audible_ms == pytest.approx(400, abs=6)
    assert heard.speech_ms == pytest.approx(500, abs=12)
    assert heard.frames == 25
    assert (heard.glitches, heard.stalls, heard.holes, heard.frames_lost) == (0, 0, 0, 0)


def test_a_level_that_nobody_hears_does_not_count() -> None:
    faint = tone(0.5, level=0.002)
    assert hear(frames(faint, 1.0), 1.0).first_audible_ms is None
    assert hear([], 1.0).first_audible_ms is None


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 48_000])
def test_chunks_of_any_rate_are_heard_when_they_are_there(rate_hz: int) -> None:
    pcm = np.concatenate([np.zeros(rate_hz // 10, np.float32), tone(0.2, rate_hz=rate_hz)])
    heard = hear([Sound(pcm, 5.4, rate_hz)], sent_s=5.0)
    assert heard.first_audible_ms == pytest.approx(500, abs=6)


def test_pauses_are_measured_between_audible_moments() -> None:
    pcm = np.concatenate([tone(0.2), silence(0.1), tone(0.2), silence(0.3), tone(0.2)])
    heard = hear(frames(pcm, 0.0), 0.0)
    assert heard.longest_pause_ms == pytest.approx(300, abs=11)


def test_made_up_frames_are_glitches_by_place_and_lost_by_frame() -> None:
    sounds = frames(tone(1.0), 0.0)
    for index in (10, 11, 12, 30):
        sounds[index] = replace(sounds[index], heard=False)
    heard = hear(sounds, 0.0)
    assert heard.glitches == 2
    assert heard.frames_lost == 4


def test_what_happens_around_the_speech_is_no_flaw_of_it() -> None:
    sounds = frames(np.concatenate([silence(0.2), tone(0.4), silence(0.2)]), 0.0)
    sounds[3] = replace(sounds[3], heard=False)
    sounds[-2] = replace(sounds[-2], heard=False)
    assert hear(sounds, 0.0).frames_lost == 0


def test_speech_that_comes_too_late_to_be_played_is_a_stall() -> None:
    sounds = frames(tone(1.0), 0.0)
    late = [replace(sound, at_s=sound.at_s + 0.2) for sound in sounds[20:]]
    heard = hear([*sounds[:20], *late], 0.0)
    assert heard.stalls == 1
    jitter = [replace(sound, at_s=sound.at_s + 0.04 * (i % 2)) for i, sound in enumerate(sounds)]
    assert hear(jitter, 0.0).stalls == 0


def test_a_cut_into_loud_speech_is_a_hole() -> None:
    pcm = tone(1.0)
    pcm[FRAME * 20 : FRAME * 21] = 0.0
    pcm[FRAME * 30 : FRAME * 32] = 0.0
    assert hear(frames(pcm, 0.0), 0.0).holes == 2


def test_a_plosive_or_a_pause_is_no_hole() -> None:
    closure = tone(0.4)
    fade = int(0.03 * WIRE_RATE_HZ)
    closure[-fade:] *= np.linspace(1, 0, fade, dtype=np.float32) ** 2
    burst = tone(0.4)
    burst[:fade] *= np.linspace(0, 1, fade, dtype=np.float32) ** 2
    pcm = np.concatenate([closure, silence(0.06), burst])
    assert hear(frames(pcm, 0.0), 0.0).holes == 0


def test_silence_is_there_after_the_last_audible_moment() -> None:
    sounds = frames(np.concatenate([tone(0.5), silence(0.5)]), 10.0)
    assert silent_after_ms(sounds, asked_s=10.3) == pytest.approx(200, abs=11)
    assert silent_after_ms(sounds, asked_s=10.6) == 0.0
