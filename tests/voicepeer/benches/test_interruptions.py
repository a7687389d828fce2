"""Speak, interrupt, speak: no wrong sample, soon silent; and a judge that would notice."""

from __future__ import annotations

import numpy as np
import pytest

from tests.peers.clock import ScriptedClock, scripted
from tests.peers.engine import LocalEngine
from voicepeer.benches import interruptions
from voicepeer.benches.interruptions import Judge, Outgoing, Round, Verdict
from voicepeer.core.pcm import Pcm16

pytestmark = pytest.mark.peer


@scripted
async def test_forty_random_interruptions_send_no_wrong_sample(clock: ScriptedClock) -> None:
    figures = await interruptions.measure(LocalEngine(), rounds=40)
    assert figures["wrong_samples"] == 0
    assert figures["interrupted_while_heard"] > 25
    assert figures["cancel_to_silence_ms"]["max"] <= 100.0
    assert figures["played_ms_off"] <= 0.1


def marked(level: int) -> Pcm16:
    """Ten frames that nothing else can be taken for."""
    return (level + np.arange(9_600) % 97).astype(np.int16)


REFERENCES = {"a": marked(1000), "b": marked(5000)}


def judged(*frames: Pcm16) -> Verdict:
    rounds = [Round("1", "a"), Round("2", "b")]
    sent = [Outgoing(pcm, index * 0.02) for index, pcm in enumerate(frames)]
    return Judge(REFERENCES, rounds).judge(sent)


def frames_of(text: str, first: int, count: int) -> list[Pcm16]:
    return list(REFERENCES[text].reshape(-1, 960)[first : first + count])


def faded(text: str, at: int) -> Pcm16:
    frame = frames_of(text, at, 1)[0].copy()
    ramp = np.linspace(1.0, 0.0, 480, dtype=np.float32)
    frame[:480] = np.rint(frame[:480] * ramp)
    frame[480:] = 0
    return frame


SILENCE = np.zeros(960, np.int16)


def test_a_fade_silence_and_the_next_text_are_right() -> None:
    verdict = judged(SILENCE, *frames_of("a", 0, 3), faded("a", 3), SILENCE, *frames_of("b", 0, 10))
    assert (verdict.wrong_samples, verdict.begun) == (0, [0, 1])
    assert verdict.sent_samples == {0: 3 * 960 + 480, 1: 9600}
    assert verdict.last_sample_s[0] == pytest.approx(4 * 0.02 + 0.01)


def test_an_underrun_in_mid_speech_is_silence_and_not_wrong() -> None:
    assert judged(*frames_of("a", 0, 2), SILENCE, *frames_of("a", 2, 8)).wrong_samples == 0


@pytest.mark.parametrize(
    "frames",
    [
        [*frames_of("a", 0, 3), *frames_of("b", 0, 2), *frames_of("a", 3, 1)],
        [*frames_of("a", 0, 3), *frames_of("b", 1, 2)],
        [*frames_of("a", 0, 3), frames_of("a", 3, 1)[0][::-1].copy()],
        [*frames_of("b", 0, 10), *frames_of("a", 0, 1)],
    ],
    ids=["old after new", "head of the new is missing", "garbled", "out of order"],
)
def test_stale_missing_and_garbled_samples_are_found(frames: list[Pcm16]) -> None:
    assert judged(*frames).wrong_samples >= 900
