"""The outgoing track on its own clock, whatever the pacer, the encoder or a listener do."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence

import numpy as np
import pytest
from aiortc.mediastreams import MediaStreamError

from tests.peers.clock import ScriptedClock, scripted, unhurried
from voicepeer.core.pcm import FRAME_SAMPLES, Pcm16
from voicepeer.core.speaking.pacer import (
    Frame,
    Pacer,
    PacerEvent,
    UtteranceHeard,
    UtterancePlayed,
)
from voicepeer.opus import OpusDecoder, OpusEncoder, OpusError
from voicepeer.tracks import MicReader, SpeechTrack

pytestmark = pytest.mark.unit


class BreakablePacer(Pacer):
    """Raises while it is broken."""

    broken = True

    def take(self, now: float) -> Frame:
        if self.broken:
            raise RuntimeError("a fault of the pacer")
        return super().take(now)


class BrokenEncoder(OpusEncoder):
    """Refuses every frame."""

    def encode(self, pcm: Pcm16) -> bytes:
        raise OpusError("told to")


@unhurried
async def test_a_track_knows_how_loud_its_last_packet_is() -> None:
    pacer = BreakablePacer()
    pacer.broken = False
    track, beside = SpeechTrack(pacer), SpeechTrack(Pacer())
    await track.recv()
    assert track.level_dbov == beside.level_dbov == -127
    pacer.push(pacer.open(), np.full(48_000, 0.1, np.float32))
    levels = []
    for _ in range(20):
        await track.recv()
        levels.append(track.level_dbov)
    assert set(levels[-10:]) == {-20}
    pacer.broken = True
    await track.recv()
    assert track.level_dbov == -127
    assert track.beside().level_dbov == -127


@unhurried
async def test_packets_leave_every_20_ms_however_uneven_the_pushes() -> None:
    pacer = Pacer()
    track = SpeechTrack(pacer)
    generation = pacer.open()
    pts: list[int] = []
    start_s = time.monotonic()
    for size in (3840, 0, 100, 9000, 1, 2400, 3840, 0, 960, 3840):
        pacer.push(generation, np.full(size, 0.2, np.float32))
        for _ in range(5):
            packet = await track.recv()
            assert packet.pts is not None
            assert packet.time_base.denominator == 48_000
            pts.append(packet.pts)
    assert time.monotonic() - start_s == pytest.approx((len(pts) - 1) * 0.02, abs=0.05)
    assert set(np.diff(pts)) == {FRAME_SAMPLES}


@scripted
async def test_a_stall_of_the_loop_is_skipped_in_the_timestamps(clock: ScriptedClock) -> None:
    track = SpeechTrack(Pacer())
    first = await track.recv()
    clock.stall(0.5)
    second, third = await track.recv(), await track.recv()
    assert first.pts == 0
    assert second.pts is not None
    assert second.pts / 48_000 == pytest.approx(0.5, abs=0.03)
    assert third.pts == second.pts + FRAME_SAMPLES


@unhurried
async def test_silence_is_sent_in_place_of_a_frame_that_cannot_be_made(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pacer = BreakablePacer()
    track = SpeechTrack(pacer)
    with caplog.at_level(logging.CRITICAL, "voicepeer.tracks"):
        packets = [await track.recv() for _ in range(3)]
    pacer.broken = False
    packets.append(await track.recv())
    assert track.encoder_faults == 3
    for packet in packets:
        assert np.abs(OpusDecoder().decode(bytes(packet))).max() < 100


@unhurried
async def test_a_broken_encoder_ends_neither_the_track_nor_the_clock() -> None:
    track = SpeechTrack(Pacer(), lambda _: BrokenEncoder())
    packets = [await track.recv() for _ in range(3)]
    assert [packet.pts for packet in packets] == [0, 960, 1920]
    assert track.readyState == "live"


@unhurried
async def test_a_broken_listener_does_not_silence_the_speech() -> None:
    def listener(events: Sequence[PacerEvent], now: float) -> None:
        raise RuntimeError("a fault of the listener")

    pacer = Pacer()
    track = SpeechTrack(pacer, on_events=listener)
    generation = pacer.open()
    pacer.push(generation, np.full(FRAME_SAMPLES, 0.5, np.float32))
    pacer.end(generation)
    packet = await track.recv()
    assert track.encoder_faults == 0
    assert np.abs(OpusDecoder().decode(bytes(packet))).max() > 1000


@unhurried
async def test_the_listener_is_told_what_was_heard_and_when() -> None:
    told: list[PacerEvent] = []
    times: list[float] = []

    def listener(events: Sequence[PacerEvent], now: float) -> None:
        told.extend(events)
        times.append(now)

    pacer = Pacer()
    track = SpeechTrack(pacer, on_events=listener)
    assert track.last_speech_s is None
    await track.recv()
    generation = pacer.open()
    pacer.push(generation, np.full(FRAME_SAMPLES, 0.5, np.float32))
    pacer.end(generation)
    await track.recv()
    assert told == [UtteranceHeard(generation, 0), UtterancePlayed(generation, 960, 0, 0)]
    assert track.last_speech_s == times[0]
    assert time.monotonic() - times[0] < 0.1


@unhurried
async def test_a_stopped_track_says_so_as_aiortc_expects() -> None:
    track = SpeechTrack(Pacer())
    track.stop()
    with pytest.raises(MediaStreamError):
        await track.recv()


@unhurried
async def test_a_microphone_that_nobody_attached_is_silent_until_closed() -> None:
    mic = MicReader()
    reading = asyncio.create_task(anext(aiter(mic.blocks()), None))
    await asyncio.sleep(0.02)
    assert not reading.done()
    mic.close()
    assert await reading is None
    assert mic.last_packet_s is None
    assert mic.counters.received == 0
