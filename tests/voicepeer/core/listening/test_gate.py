"""When speech begins and ends, and which of it may be learned from; literal times throughout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.listening.gate import (
    GateEvent,
    GateSettings,
    SpeechBegan,
    SpeechEnded,
    SpeechGate,
    SpeechHeard,
    SpeechWithheld,
)
from voicepeer.core.pcm import Pcm

pytestmark = pytest.mark.unit

WINDOW = 160
"""10 ms at 16 kHz, so that windows count hundredths of a second."""

SETTINGS = GateSettings(
    on_threshold=0.5,
    off_threshold=0.35,
    min_speech_ms=30,
    min_silence_ms=50,
    pad_ms=20,
    echo_tail_ms=40,
)


def window(number: int, level: float = 0.1) -> Pcm:
    """Alternating samples whose level carries the window's number in its last digits."""
    signs = np.where(np.arange(WINDOW) % 2 == 0, 1.0, -1.0)
    return np.asarray(signs * (level + number * 1e-5), dtype=np.float32)


def numbers(pcm: Pcm, level: float = 0.1) -> list[int]:
    """Which windows are in ``pcm``."""
    return [round((float(part[0]) - level) / 1e-5) for part in pcm.reshape(-1, WINDOW)]


def run(
    probabilities: str, own_voice: str = "", settings: GateSettings = SETTINGS
) -> list[GateEvent]:
    """Push one window for each digit (tenths); window ``n`` ends at ``(n + 1) * 0.01`` s."""
    gate = SpeechGate(settings, window_samples=WINDOW)
    events: list[GateEvent] = []
    for number, digit in enumerate(probabilities):
        ours = number < len(own_voice) and own_voice[number] == "x"
        now = (number + 1) * 0.01
        events += gate.push(window(number), int(digit) / 10, now, own_voice=ours)
    return events


def edges(events: list[GateEvent]) -> list[tuple[str, float]]:
    return [
        (type(event).__name__, round(event.at, 3))
        for event in events
        if isinstance(event, SpeechBegan | SpeechEnded)
    ]


def heard(events: list[GateEvent]) -> list[int]:
    return [n for event in events if isinstance(event, SpeechHeard) for n in numbers(event.pcm)]


def withheld(events: list[GateEvent]) -> list[tuple[str, float]]:
    return [
        (event.reason, round(event.duration_s, 3))
        for event in events
        if isinstance(event, SpeechWithheld)
    ]


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ("", []),
        ("0000000000", []),
        ("0990000000", []),
        ("0999", [("SpeechBegan", 0.01)]),
        ("4444444444", []),
        ("0544444444", [("SpeechBegan", 0.01)]),
        ("0993999000", [("SpeechBegan", 0.04)]),
        ("0999000090", [("SpeechBegan", 0.01)]),
        ("099900000", [("SpeechBegan", 0.01), ("SpeechEnded", 0.04)]),
        ("099933333", [("SpeechBegan", 0.01), ("SpeechEnded", 0.04)]),
        ("099944444", [("SpeechBegan", 0.01)]),
        (
            "999000009990",
            [("SpeechBegan", 0.0), ("SpeechEnded", 0.03), ("SpeechBegan", 0.08)],
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_edges_have_hysteresis(probabilities: str, expected: list[tuple[str, float]]) -> None:
    assert edges(run(probabilities)) == expected


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ("0000000", []),
        ("0000999", [2, 3, 4, 5, 6]),
        ("0999", [0, 1, 2, 3]),
        ("000099900000000", [2, 3, 4, 5, 6, 7, 8]),
        # Of a pause, its first and last 20 ms.
        ("9990000999", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]),
        ("99900000000999", [0, 1, 2, 3, 4, 9, 10, 11, 12, 13]),
        # A false start becomes padding of what follows.
        ("0000990999", [5, 6, 7, 8, 9]),
    ],
)
def test_keeps_speech_and_a_little_around_it(probabilities: str, expected: list[int]) -> None:
    assert heard(run(probabilities)) == expected


def test_speech_comes_as_soon_as_it_is_sure() -> None:
    events = run("00099")
    assert events == []
    events = run("000999")
    assert [type(event) for event in events] == [SpeechBegan, SpeechHeard]
    assert isinstance(events[1], SpeechHeard)
    assert events[1].at == pytest.approx(0.06)


def test_is_speaking_between_the_edges() -> None:
    gate = SpeechGate(SETTINGS, window_samples=WINDOW)
    states = []
    for number, digit in enumerate("09990000000"):
        gate.push(window(number), int(digit) / 10, number * 0.01)
        states.append("x" if gate.speaking else "-")
    assert "".join(states) == "---xxxxx---"


def test_own_voice_is_noticed_but_not_learned() -> None:
    events = run("0099990000000", own_voice="xxxxxxxxxxxxx")
    assert edges(events) == [("SpeechBegan", 0.02), ("SpeechEnded", 0.06)]
    assert heard(events) == []
    assert {reason for reason, _ in withheld(events)} == {"own_voice"}


def test_its_echo_is_not_learned_either() -> None:
    # Own voice ends with window 2 at 0.03 s; its tail lasts to 0.07 s, the end of window 6.
    events = run("9999999999", own_voice="xxx")
    assert heard(events) == [7, 8, 9]
    assert withheld(events)[0] == ("own_voice", 0.03)
    assert sum(duration for _, duration in withheld(events)) == pytest.approx(0.07)


def test_padding_from_the_echo_is_not_learned() -> None:
    # Windows 5 and 6 are padding, and still in the tail of our voice.
    events = run("0000000999", own_voice="xxx")
    assert heard(events) == [7, 8, 9]


def test_clipped_windows_are_not_learned() -> None:
    gate = SpeechGate(SETTINGS, window_samples=WINDOW)
    events: list[GateEvent] = []
    for number in range(8):
        level = 1.0 if number in (4, 5) else 0.1
        events += gate.push(window(number, level), 0.9, (number + 1) * 0.01)
    assert heard(events) == [0, 1, 2, 3, 6, 7]
    assert withheld(events) == [("clipped", 0.01), ("clipped", 0.01)]


def snr_gate(noise_db: float, speech_db: float) -> list[GateEvent]:
    """One second of noise, then half a second of speech, both as white noise."""
    draw = np.random.default_rng(5)
    gate = SpeechGate(SETTINGS, window_samples=WINDOW)
    events: list[GateEvent] = []
    for number in range(150):
        speech = number >= 100
        level = 10 ** ((speech_db if speech else noise_db) / 20)
        pcm = np.asarray(draw.standard_normal(WINDOW) * level, dtype=np.float32)
        events += gate.push(pcm, 0.9 if speech else 0.1, (number + 1) * 0.01)
    return events


@pytest.mark.parametrize(("noise_db", "learned"), [(-90.0, True), (-55.0, True), (-43.0, False)])
def test_noisy_speech_is_not_learned(noise_db: float, learned: bool) -> None:
    events = snr_gate(noise_db, speech_db=-25.0)
    speech_s = sum(e.pcm.size / 16_000 for e in events if isinstance(e, SpeechHeard))
    noisy_s = sum(e.duration_s for e in events if isinstance(e, SpeechWithheld))
    assert (speech_s > 0.49, noisy_s > 0.49) == (learned, not learned)


def test_without_a_pause_the_noise_is_unknown_and_speech_is_learned() -> None:
    gate = SpeechGate(SETTINGS, window_samples=WINDOW)
    for number in range(100):
        gate.push(window(number), 0.9, (number + 1) * 0.01)
    assert gate.snr_db is None


def test_says_how_loud_the_last_second_was() -> None:
    gate = SpeechGate(SETTINGS, window_samples=WINDOW)
    assert gate.level_dbfs == -120.0
    gate.push(window(0, level=0.1), 0.0, 0.01)
    assert gate.level_dbfs == pytest.approx(-20.0, abs=0.1)
    for number in range(100):
        gate.push(np.zeros(WINDOW, dtype=np.float32), 0.0, 0.02 + number * 0.01)
    assert gate.level_dbfs == -120.0


def test_samples_that_are_not_numbers_become_silence() -> None:
    gate = SpeechGate(SETTINGS, window_samples=WINDOW)
    events: list[GateEvent] = []
    for number in range(3):
        events += gate.push(np.full(WINDOW, np.nan, dtype=np.float32), 0.9, number * 0.01)
    (speech,) = [event.pcm for event in events if isinstance(event, SpeechHeard)]
    np.testing.assert_array_equal(speech, np.zeros(3 * WINDOW))


def test_a_window_of_the_wrong_length_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="160"):
        SpeechGate(SETTINGS, window_samples=WINDOW).push(np.zeros(512, np.float32), 0.5, 0.0)


@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), st.booleans()), max_size=200),
    st.sampled_from([GateSettings(), SETTINGS, GateSettings(pad_ms=0.0, min_speech_ms=0.0)]),
)
def test_any_course_gives_alternating_edges_and_each_window_once(
    course: list[tuple[float, bool]], settings: GateSettings
) -> None:
    gate = SpeechGate(settings, window_samples=WINDOW)
    events: list[GateEvent] = []
    for number, (probability, ours) in enumerate(course):
        now = (number + 1) * 0.01
        events += gate.push(window(number), probability, now, own_voice=ours)
    kinds = [kind for kind, _ in edges(events)]
    assert kinds == ["SpeechBegan", "SpeechEnded"] * (len(kinds) // 2) + ["SpeechBegan"] * (
        len(kinds) % 2
    )
    times = [at for _, at in edges(events)]
    assert times == sorted(times)
    kept = heard(events)
    assert kept == sorted(set(kept))
    assert not any(course[number][1] for number in kept)
