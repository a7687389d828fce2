"""Our own echo interrupts nobody, and whoever speaks over it is heard: on real speakers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.voicepeer.core.listening.echoes import (
    WINDOW_S,
    WINDOW_SAMPLES,
    Call,
    echo_of,
    microphone,
    speech,
)
from voicepeer.core.listening.echo import EARLY_COLUMNS, NO_ECHO, EchoDetector
from voicepeer.core.listening.spectrogram import HOP_S
from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ, level_dbfs

pytestmark = pytest.mark.unit

SECONDS = 5.0
PATHS = [
    ("en_susan", 40, 0.0, 0.0),
    ("en_james", 130, -6.0, 0.2),
    ("en_karen", 220, -12.0, 0.3),
    ("de_Anka", 350, -20.0, 0.4),
    ("en_ryan", 500, -30.0, 0.5),
    ("de_Gaby", 650, -12.0, 0.7),
    ("en_sarah", 820, -6.0, 0.3),
    ("de_Ute2013", 1_000, -25.0, 0.4),
]
"""Speaker, delay in ms, level to what was sent in dB, reverberation time in s."""

PAIRS = [
    ("de_Sonja", "en_james"),
    ("de_OldZach", "en_susan"),
    ("de_Elli", "de_Anka"),
    ("de_Matze", "en_ryan"),
    ("de_Ralf", "en_sarah"),
    ("de_Robert_Steiner", "en_karen"),
]
BEGIN_S = 2.2


@pytest.mark.parametrize(("speaker", "delay_ms", "gain_db", "rt60_s"), PATHS)
def test_our_own_echo_is_found_and_interrupts_nobody(
    speaker: str, delay_ms: float, gain_db: float, rt60_s: float
) -> None:
    ours = speech(speaker, 0.3, SECONDS)
    call = Call(ours, jitter_ms=25)
    heard = microphone(SECONDS, [(0.0, echo_of(ours, delay_ms, gain_db, rt60_s))])
    verdicts = call.hear_all(heard)
    assert call.began_s == []
    assert call.detector.delay_s == pytest.approx(delay_ms / 1000, abs=0.07)
    # Once the path is known, hardly anything that is loud is taken for somebody else's.
    loud = [
        verdict.foreign
        for number, verdict in enumerate(verdicts)
        if level_dbfs(heard[number * WINDOW_SAMPLES :][:WINDOW_SAMPLES]) > -48.0
        and number * WINDOW_S > 2.0 + delay_ms / 1000
    ]
    assert np.mean(loud or [False]) < 0.1


@pytest.mark.parametrize(("ours_is", "theirs_is"), PAIRS)
@pytest.mark.parametrize(("gain_db", "rt60_s"), [(-6.0, 0.2), (-20.0, 0.4)])
def test_another_speaker_over_our_echo_is_noticed_within_two_seconds(
    ours_is: str, theirs_is: str, gain_db: float, rt60_s: float
) -> None:
    ours, theirs = speech(ours_is, 0.3, SECONDS), speech(theirs_is, 0.3, 2.8)
    call = Call(ours)
    echo = echo_of(ours, 180, gain_db, rt60_s)
    call.hear_all(microphone(SECONDS, [(0.0, echo), (BEGIN_S, theirs)]))
    (began_s,) = call.began_s[:1]
    assert BEGIN_S + 0.29 <= began_s <= BEGIN_S + 2.0


def test_the_speaker_whose_voice_we_have_is_told_from_our_echo() -> None:
    """The voice is the same, but not what it says."""
    ours, theirs = speech("de_Elli", 0.3, SECONDS), speech("de_Elli", 8.0, 2.8)
    call = Call(ours)
    echo = echo_of(ours, 120, -12.0, 0.2)
    call.hear_all(microphone(SECONDS, [(0.0, echo), (BEGIN_S, theirs)]))
    (began_s,) = call.began_s[:1]
    assert BEGIN_S + 0.29 <= began_s <= BEGIN_S + 2.0


@pytest.mark.parametrize(("ours_is", "theirs_is"), PAIRS)
def test_with_headphones_a_speaker_is_noticed_within_a_second_and_a_half(
    ours_is: str, theirs_is: str
) -> None:
    ours, theirs = speech(ours_is, 0.3, SECONDS), speech(theirs_is, 0.3, 2.8)
    call = Call(ours)
    verdicts = call.hear_all(microphone(SECONDS, [(BEGIN_S, theirs)]))
    (began_s,) = call.began_s[:1]
    assert BEGIN_S + 0.29 <= began_s <= BEGIN_S + 1.5
    assert max(verdict.correlation for verdict in verdicts) < 0.72


def test_while_we_are_silent_everything_is_somebody_elses() -> None:
    call = Call(np.zeros(1, np.float32))
    verdicts = call.hear_all(microphone(2.0, [(0.5, speech("en_susan", 0.3, 1.5))]))
    assert set(verdicts) == {NO_ECHO}
    assert len(call.began_s) == 1


def test_a_path_that_changes_in_mid_call_interrupts_nobody() -> None:
    ours = speech("en_karen", 0.3, SECONDS)
    near, far = echo_of(ours, 90, -6.0, 0.2), echo_of(ours, 420, -12.0, 0.3)
    change = int(2.5 * 48_000)
    near[change:] = 0.0
    far[:change] = 0.0
    call = Call(ours)
    call.hear_all(microphone(SECONDS, [(0.0, near), (0.0, far)]))
    assert call.began_s == []
    assert call.detector.delay_s == pytest.approx(0.42, abs=0.07)


def test_a_stalled_microphone_is_lined_up_anew() -> None:
    ours = speech("en_james", 0.3, SECONDS)
    heard = microphone(SECONDS, [(0.0, echo_of(ours, 100, -6.0, 0.2))])
    call = Call(ours)
    call.hear_all(heard[: 2 * 16_000])
    # Nothing comes for 600 ms while we go on speaking; then it goes on, as late as before.
    call._heard_s += 0.6
    call.hear_all(heard[int(2.6 * 16_000) :])
    assert call.began_s == []


def test_an_echo_is_never_learned_even_long_after_we_have_spoken() -> None:
    ours = speech("en_susan", 0.3, 2.0)
    call = Call(ours)
    verdicts = call.hear_all(microphone(4.0, [(0.0, echo_of(ours, 900, -6.0, 0.3))]))
    loud = [round((0.9 + at) / 0.032) for at in np.arange(1.0, 1.9, 0.1)]
    assert all(verdicts[window].likely for window in loud)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.floats(-1, 1)), min_size=1, max_size=40)
)
@settings(deadline=None, max_examples=30)
def test_any_order_of_sending_and_hearing_gives_sane_verdicts(
    steps: list[tuple[bool, int, float]],
) -> None:
    detector = EchoDetector()
    chance = np.random.default_rng(1)
    for sends, frames, level in steps:
        for _ in range(frames):
            if sends:
                noise = chance.standard_normal(FRAME_SAMPLES) * 8_000 * level
                detector.sent(np.clip(noise, -32_767, 32_767).astype(np.int16))
            else:
                window = (chance.standard_normal(WINDOW_SAMPLES) * level).astype(np.float32)
                verdict = detector.heard(window)
                assert -1.01 <= verdict.correlation <= 1.01
                assert 0.0 <= verdict.foreign_share <= 1.0
                if verdict.delay_s is not None:
                    assert -EARLY_COLUMNS * HOP_S <= verdict.delay_s <= 1.2


class Thorough(EchoDetector):
    """Looks closely all the time."""

    def _may_be_heard(self, column: int) -> bool:
        return True


def test_looking_only_where_something_was_sent_changes_no_verdict() -> None:
    pause = np.zeros(3 * WIRE_RATE_HZ, np.float32)
    ours = np.concatenate([pause, speech("en_susan", 0.3, 2.0), pause, speech("en_susan", 1, 1.0)])
    seconds = ours.size / WIRE_RATE_HZ + 2
    heard = microphone(seconds, [(0.0, echo_of(ours, 150, -6.0, 0.2))])
    spared = Call(ours, jitter_ms=25).hear_all(heard)
    assert spared == Call(ours, Thorough(), jitter_ms=25).hear_all(heard)
    assert spared[50] == NO_ECHO
    assert any(verdict.likely for verdict in spared)
    assert spared[-1] == NO_ECHO
