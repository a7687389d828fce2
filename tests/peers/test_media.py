"""Speech over a real connection, on a good and on a bad network."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from aiortc import RTCPeerConnection

from tests.peers import glitches
from tests.peers.clock import ScriptedClock, scripted
from tests.peers.pair import connected
from voicepeer import rtc
from voicepeer.benches.network import Impairment, Network, impair
from voicepeer.benches.sounds import vowel
from voicepeer.core.adaptation import Encoding, NetworkFollower
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
    async with connected(track, receiver) as (sender, _):
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


@scripted
async def test_a_tone_arrives_without_a_glitch(clock: ScriptedClock) -> None:
    recording, receiver, _ = await speak_and_record(glitches.tone(2.0))
    found = glitches.count(recording.pcm())
    assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
    assert found.tone_ms == pytest.approx(2000, abs=30)
    assert receiver.counters.concealed + receiver.counters.late == 0


@scripted
async def test_on_a_bad_network_only_lost_frames_are_missing(clock: ScriptedClock) -> None:
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


@scripted
async def test_listening_gets_16_khz_and_all_of_it(clock: ScriptedClock) -> None:
    recording, receiver, dropped = await speak_and_record(
        glitches.tone(1.0), BAD_NETWORK, rate_hz=16_000, eager=True
    )
    assert {block.pcm.size for block in recording.blocks} == {320}
    assert recording.steps() == {FRAME_SAMPLES}
    replaced = receiver.counters.recovered + receiver.counters.concealed
    assert replaced - 5 <= len(dropped)
    found = glitches.count(recording.pcm(), rate_hz=16_000)
    assert 1000 - 40 * replaced <= found.tone_ms <= 1060


@scripted
async def test_an_unread_receiver_keeps_a_bounded_number_of_packets(clock: ScriptedClock) -> None:
    pacer, receiver = Pacer(), AudioReceiver()
    async with connected(SpeechTrack(pacer), receiver):
        await asyncio.sleep(2.0)
    assert receiver.counters.received > 80
    assert receiver.counters.overflowed >= receiver.counters.received - 64


async def follow(sender: RTCPeerConnection, track: SpeechTrack) -> None:
    """What a session does with receiver reports."""
    follower = NetworkFollower()
    while True:
        await asyncio.sleep(1.0)
        if report := await rtc.receiver_report(sender.getSenders()[0]):
            track.encode_as(follower.push(report))


@dataclass
class Listener:
    """One of several who hear the same."""

    track: SpeechTrack
    sender: RTCPeerConnection
    network: Network
    recording: Recording


async def listener(stack: contextlib.AsyncExitStack, track: SpeechTrack) -> Listener:
    receiver, recording = AudioReceiver(), Recording()
    sender, _ = await stack.enter_async_context(connected(track, receiver))
    tasks = [
        asyncio.create_task(recording.keep(receiver)),
        asyncio.create_task(follow(sender, track)),
    ]

    async def end() -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    stack.push_async_callback(end)
    return Listener(track, sender, impair(sender), recording)


@scripted
async def test_three_real_listeners_share_one_encode_until_one_has_a_bad_network(
    clock: ScriptedClock,
) -> None:
    pacer = Pacer()
    first = SpeechTrack(pacer)
    async with contextlib.AsyncExitStack() as stack:
        ears = [await listener(stack, track) for track in (first, first.beside(), first.beside())]
        generation = pacer.open()
        pacer.push(generation, glitches.tone(12.0))
        await asyncio.sleep(3.0)
        assert first.encoders == 1
        ears[2].network.impairment = Impairment(loss=0.1)
        await asyncio.sleep(6.0)
        assert first.encoders == 2
        assert ears[0].track.encoding == ears[1].track.encoding == Encoding()
        assert ears[2].track.encoding.expected_loss_percent > 5
        await asyncio.sleep(2.0)
    for ear in ears[:2]:
        found = glitches.count(ear.recording.pcm())
        assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
        assert found.tone_ms > 10_500
    assert first.encoders == 0, "whoever hangs up is forgotten"


@scripted
async def test_on_a_narrow_link_the_bitrate_gives_way_until_speech_passes(
    clock: ScriptedClock,
) -> None:
    pacer = Pacer()
    track = SpeechTrack(pacer)
    async with contextlib.AsyncExitStack() as stack:
        ear = await listener(stack, track)
        generation = pacer.open()
        pacer.push(generation, vowel(26.0))
        # 20 of it are headers: 50 packets a second with RTP, SRTP, UDP and IP.
        ear.network.impairment = Impairment(rate_bps=44_000, everything=True)
        await asyncio.sleep(4.0)
        early = list(ear.network.departures)
        await asyncio.sleep(20.0)
        late = ear.network.departures[-500:]
        assert track.encoding.bitrate_bps <= 24_000
    assert sum(one.lost for one in early) / len(early) > 0.05
    assert sum(one.lost for one in late) / len(late) < 0.05
