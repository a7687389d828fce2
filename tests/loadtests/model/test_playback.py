"""Playback without samples is that of the pacer with samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import CHUNK_MS
from loadtests.model.playback import Lead, Playback, delivered_ms
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.speaking.pacer import Pacer, UtteranceHeard, UtterancePlayed
from voicepeer.core.timeline import FRAME_S

pytestmark = pytest.mark.unit

PHASE_S = 0.0001
"""Frames are taken just after whole multiples of 20 ms, so that nothing happens at once."""


def paced(chunks: list[tuple[float, float]]) -> tuple[float | None, int, float]:
    """When the pacer first plays what comes at these moments, how often it runs dry, and its end.

    The last chunk ends the utterance.
    """
    pacer = Pacer()
    generation = pacer.open()
    waiting, heard_s, frame = list(chunks), None, 0
    while frame < 10_000:
        now = frame * FRAME_S + PHASE_S
        while waiting and waiting[0][0] <= now:
            _, audio_ms = waiting.pop(0)
            # Loud from the first sample on, so that the first frame is an audible one.
            loud = np.full(round(audio_ms * WIRE_RATE_HZ / 1000), 0.5, np.float32)
            pacer.push(generation, loud)
            if not waiting:
                pacer.end(generation)
        for event in pacer.take(now).events:
            if isinstance(event, UtteranceHeard):
                heard_s = now
            if isinstance(event, UtterancePlayed):
                return heard_s, event.underruns, now
        frame += 1
    raise AssertionError("it never ended")


def modelled(chunks: list[tuple[float, float]]) -> tuple[float | None, int, float]:
    """The same by the model."""
    playback = Playback(Lead(), PHASE_S)
    for at_s, audio_ms in chunks:
        playback.push(audio_ms, at_s)
    over_s = playback.end(chunks[-1][0])
    return playback.heard_s, playback.underruns, over_s


@settings(max_examples=60, deadline=None)
@given(
    gaps_ms=st.lists(st.integers(0, 400), min_size=1, max_size=25),
    sizes_ms=st.lists(st.sampled_from([20, 72, 80, 108]), min_size=25, max_size=25),
)
def test_it_is_heard_and_runs_dry_as_the_pacer_does(
    gaps_ms: list[int], sizes_ms: list[int]
) -> None:
    # A little before whole milliseconds: never just when a frame is taken.
    moments = np.cumsum(gaps_ms) / 1000.0 + 0.0005
    chunks = list(zip(moments.tolist(), map(float, sizes_ms), strict=False))
    heard_s, underruns, over_s = paced(chunks)
    assert modelled(chunks)[0] == pytest.approx(heard_s)
    assert modelled(chunks)[1] == underruns
    assert modelled(chunks)[2] == pytest.approx(over_s, abs=1.5 * FRAME_S)


def test_what_comes_in_time_is_one_piece() -> None:
    playback = Playback(Lead(), 0.0)
    for index in range(10):
        playback.push(80.0, index * 0.07)
    assert playback.end(0.7) == pytest.approx(0.8)
    assert (playback.heard_s, playback.underruns) == (0.0, 0)


def test_what_comes_late_grows_the_lead_for_the_next_utterance() -> None:
    lead = Lead()
    playback = Playback(lead, 0.0)
    playback.push(80.0, 0.0)
    playback.push(80.0, 0.2)
    assert playback.underruns == 1
    assert lead.ms > 100.0
    another = Playback(lead, 0.0)
    another.push(80.0, 1.0)
    assert another.heard_s is None
    another.push(80.0, 1.05)
    assert another.heard_s == pytest.approx(1.06)


def test_the_lead_goes_back_while_nothing_is_late() -> None:
    lead = Lead(200.0)
    lead.shrink(5_000.0)
    assert lead.ms == pytest.approx(150.0)
    lead.shrink(1e6)
    assert lead.ms == Lead().ms


def test_what_is_in_hand_is_known() -> None:
    playback = Playback(Lead(), 0.0)
    assert playback.buffered_ms(0.0) == 0.0
    playback.push(40.0, 0.0)
    assert playback.buffered_ms(0.5) == 40.0  # it waits for its lead
    playback.push(40.0, 0.5)
    assert playback.buffered_ms(0.53) == pytest.approx(50.0)


def test_less_than_the_lead_is_played_at_the_end() -> None:
    playback = Playback(Lead(), 0.0)
    playback.push(40.0, 0.0)
    assert playback.end(0.1) == pytest.approx(0.14)


@pytest.mark.parametrize("chunks", [1, 2, 9, 60])
def test_all_of_a_piece_arrives_and_some_of_it_late(chunks: int) -> None:
    given_ms = delivered_ms(24_000, chunks, 37.0)
    assert sum(given_ms) == pytest.approx(CHUNK_MS * (chunks - 1) + 37.0, abs=0.5)
    if chunks > 1:
        assert given_ms[0] < CHUNK_MS


def test_nothing_is_held_back_at_the_rate_of_the_wire() -> None:
    assert delivered_ms(WIRE_RATE_HZ, 3) == (80.0, 80.0, 80.0)
