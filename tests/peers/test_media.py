"""Speech over a real connection, on a good and on a bad network."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from tests.peers import glitches
from tests.peers.leaks import nothing_left_behind
from tests.peers.pair import connected
from voicepeer.benches.network import Impairment, impair
from voicepeer.core.pcm import FRAME_SAMPLES, Pcm, from_pcm16
from voicepeer.core.speaking.pacer import Pacer, PacerEvent, UtterancePlayed
from voicepeer.jitter import AudioReceiver, Block
from voicepeer.tracks import SpeechTrack

pytestmark = pytest.mark.peer

BAD_NETWORK = Impairment(loss=0.05, jitter_ms=30, reorder=0.02, duplicate=0.01)


@dataclass
class Recording:
    """What a listener was handed, block by block."""

    blocks: list[Block] = field(default_factory=list)

    async def keep(self, receiver: AudioReceiver) -> None:
        async for block in receiver.blocks():
            self.blocks.append(block)

    def steps(self) -> set[int]:
        return {int(step) for step in np.diff([block.at_sample for block in self.blocks])}

    def pcm(self) -> Pcm:
        return from_pcm16(np.concatenate([block.pcm for block in self.blocks]))


def mark_end(events: Sequence[PacerEvent], played: asyncio.Event) -> None:
    if any(isinstance(event, UtterancePlayed) for event in events):
        played.set()


async def speak_and_record(
    speech: Pcm, impairment: Impairment | None = None, rate_hz: int = 48_000, eager: bool = False
) -> tuple[Recording, AudioReceiver, list[int]]:
    pacer, played = Pacer(), asyncio.Event()
    track = SpeechTrack(pacer, on_events=lambda events, _: mark_end(events, played))
    receiver, recording = AudioReceiver(rate_hz, eager), Recording()
    async with nothing_left_behind(), connected(track, receiver) as (sender, _):
        network = impair(sender, impairment)
        reader = asyncio.create_task(recording.keep(receiver))
        generation = pacer.open()
        pacer.push(generation, speech)
        pacer.end(generation)
        async with asyncio.timeout(20):
            await played.wait()
        await asyncio.sleep(0.25)
        receiver.close()
        await reader
    return recording, receiver, network.dropped


async def test_a_tone_arrives_without_a_glitch() -> None:
    recording, receiver, _ = await speak_and_record(glitches.tone(2.0))
    found = glitches.count(recording.pcm())
    assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
    assert found.tone_ms == pytest.approx(2000, abs=30)
    assert receiver.counters.concealed + receiver.counters.late == 0


async def test_on_a_bad_network_only_lost_frames_are_missing() -> None:
    recording, receiver, dropped = await speak_and_record(glitches.tone(3.0), BAD_NETWORK)
    counters = receiver.counters
    assert len(dropped) > 2
    replaced = counters.recovered + counters.concealed
    # The sender goes silent at the end, which is concealed for five frames.
    assert replaced - 5 <= len(dropped) + counters.late
    assert counters.late <= 2
    assert recording.steps() == {FRAME_SAMPLES}, "every frame has its successor"
    found = glitches.count(recording.pcm())
    assert found.longest_hole_ms <= 60
    # libopus fades a pure tone where it conceals one, two frames long for each loss.
    assert found.tone_ms >= 3000 - 40 * replaced


async def test_listening_gets_16_khz_and_all_of_it() -> None:
    recording, _, _ = await speak_and_record(
        glitches.tone(1.0), BAD_NETWORK, rate_hz=16_000, eager=True
    )
    assert {block.pcm.size for block in recording.blocks} == {320}
    found = glitches.count(recording.pcm(), rate_hz=16_000)
    assert found.tone_ms == pytest.approx(1000, abs=60)


async def test_an_unread_receiver_keeps_a_bounded_number_of_packets() -> None:
    pacer, receiver = Pacer(), AudioReceiver()
    async with connected(SpeechTrack(pacer), receiver):
        await asyncio.sleep(2.0)
    assert receiver.counters.received > 80
    assert receiver.counters.overflowed >= receiver.counters.received - 64
