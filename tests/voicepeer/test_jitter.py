"""The receive path with real Opus packets: rates, losses, pauses, garbage, closing."""

from __future__ import annotations

import asyncio
import time
import tracemalloc
from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
import pytest

from tests.peers.glitches import count, tone
from voicepeer.core.pcm import FRAME_SAMPLES, LISTEN_RATE_HZ, Pcm, from_pcm16, to_pcm16
from voicepeer.jitter import SKIP_MAX_S, AudioReceiver, Block
from voicepeer.opus import OpusEncoder

pytestmark = pytest.mark.unit


@dataclass
class Rtp:
    """What a receive buffer reads of an RTP packet."""

    timestamp: int
    payload: bytes
    ssrc: int = 1
    sequence_number: int = 0


def packets(duration_s: float, start: int = 0) -> list[Rtp]:
    encoder = OpusEncoder()
    frames = to_pcm16(tone(duration_s)).reshape(-1, FRAME_SAMPLES)
    return [
        Rtp(start + index * FRAME_SAMPLES, encoder.encode(frame), sequence_number=index)
        for index, frame in enumerate(frames)
    ]


async def receive(receiver: AudioReceiver, count: int) -> list[Block]:
    async with asyncio.timeout(30):
        blocks: list[Block] = []
        async for block in receiver.blocks():
            blocks.append(block)
            if len(blocks) == count:
                break
    return blocks


@pytest.mark.parametrize("rate_hz", [16_000, 24_000, 48_000])
async def test_blocks_have_the_rate_and_the_sound(rate_hz: int) -> None:
    receiver = AudioReceiver(rate_hz, eager=True)
    for packet in packets(0.5):
        assert receiver.add(packet) == (False, None)
    blocks = await receive(receiver, 25)
    assert {block.pcm.size for block in blocks} == {rate_hz // 50}
    heard = count(from_pcm16(np.concatenate([block.pcm for block in blocks])), rate_hz=rate_hz)
    assert (heard.phase_jumps, heard.longest_hole_ms) == (0, 0.0)
    assert heard.tone_ms == pytest.approx(500, abs=30)


async def test_a_lost_packet_is_a_block_that_was_not_heard() -> None:
    receiver = AudioReceiver(eager=True)
    for index, packet in enumerate(packets(0.4)):
        if index not in (7, 12, 13):
            receiver.add(packet)
    blocks = await receive(receiver, 20)
    assert [index for index, block in enumerate(blocks) if not block.heard] == [7, 12, 13]
    assert [block.at_sample for block in blocks] == [index * 960 for index in range(20)]
    assert receiver.counters.recovered == 2
    assert receiver.counters.concealed == 1


async def test_a_reader_waits_for_what_comes_later() -> None:
    receiver = AudioReceiver(eager=True)
    reading = asyncio.create_task(receive(receiver, 3))
    await asyncio.sleep(0.02)
    assert not reading.done()
    for packet in packets(0.06):
        receiver.add(packet)
    assert len(await reading) == 3
    assert receiver.last_packet_s is not None
    assert receiver.last_packet_s <= time.monotonic()


async def test_a_long_pause_is_at_most_a_second_of_silence() -> None:
    receiver = AudioReceiver(eager=True)
    for packet in packets(0.1):
        receiver.add(packet)
    before = await receive(receiver, 10)
    # The sender's clock went on for ten minutes, and so did ours as far as the buffer can tell.
    receiver._buffer._transit = time.monotonic() - (600 * 48_000) / 48_000
    for packet in packets(0.1, start=600 * 48_000):
        receiver.add(packet)
    after = await receive(receiver, 4)
    assert sum(block.heard for block in before) == 5
    assert after[0].pcm.size == SKIP_MAX_S * 48_000
    assert not after[0].pcm.any()
    assert after[1].at_sample == 600 * 48_000


async def test_garbage_is_counted_and_the_rest_is_heard() -> None:
    receiver = AudioReceiver(eager=True)
    good = packets(0.1)
    broken = [Rtp(5 * 960, b""), Rtp(6 * 960, b"\xff\xff"), Rtp(7 * 960, b"\x0b\xff\xff")]
    for packet in [*good, *broken]:
        receiver.add(packet)
    blocks = await receive(receiver, 5)
    assert all(block.heard for block in blocks)
    assert receiver.counters.invalid >= 2


async def test_close_ends_the_reader_at_once() -> None:
    receiver = AudioReceiver()
    reading = asyncio.create_task(receive(receiver, 99))
    await asyncio.sleep(0)
    receiver.close()
    async with asyncio.timeout(30):
        assert await reading == []


# --- what other senders send ------------------------------------------------------------------


def encoded_by_others(pcm: Pcm, layout: str, rate_hz: int, frame_ms: str) -> list[bytes]:
    """Opus packets as FFmpeg makes them of mono or stereo sound at any of Opus's rates."""
    codec = av.CodecContext.create("libopus", "w")
    codec.layout, codec.sample_rate, codec.format = layout, rate_hz, "s16"
    codec.time_base = Fraction(1, rate_hz)
    codec.options = {"frame_duration": frame_ms, "application": "voip"}
    codec.open()
    size = codec.frame_size or rate_hz * int(frame_ms) // 1000
    channels = 2 if layout == "stereo" else 1
    packets: list[bytes] = []
    for start in range(0, pcm.size // size * size, size):
        mono = to_pcm16(pcm[start : start + size])
        frame = av.AudioFrame.from_ndarray(
            np.repeat(mono, channels).reshape(1, -1), format="s16", layout=layout
        )
        frame.sample_rate, frame.pts = rate_hz, start
        packets += [bytes(packet) for packet in codec.encode(frame)]
    return packets


@pytest.mark.parametrize("layout", ["mono", "stereo"])
@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 48_000])
@pytest.mark.parametrize("frame_ms", ["10", "20", "60"])
async def test_stereo_and_mono_at_any_rate_become_16_khz_mono(
    layout: str, rate_hz: int, frame_ms: str
) -> None:
    sent = encoded_by_others(tone(1.2, rate_hz=rate_hz), layout, rate_hz, frame_ms)
    receiver = AudioReceiver(16_000, eager=True)
    heard: list[Block] = []
    for index, payload in enumerate(sent):
        at = index * int(frame_ms) * 48
        receiver.add(Rtp(at, payload, sequence_number=index))
        heard += await receive(receiver, 1)
    assert receiver.counters.concealed == receiver.counters.recovered == 0
    assert {block.pcm.size for block in heard} == {16 * int(frame_ms)}
    found = count(from_pcm16(np.concatenate([block.pcm for block in heard])), rate_hz=16_000)
    assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
    assert found.tone_ms == pytest.approx(1150, abs=100)
    assert np.abs(heard[len(heard) // 2].pcm).max() == pytest.approx(0.3 * 32768, rel=0.15)


async def test_a_sender_that_pauses_with_dtx_has_lost_nothing() -> None:
    receiver = AudioReceiver(16_000, eager=True)
    talking = packets(0.2)
    for packet in talking:
        receiver.add(packet)
    assert len(await receive(receiver, 10)) == 10
    # As libopus does: a packet of one byte, then nothing for 20 frames, then the next.
    quiet = Rtp(10 * 960, talking[0].payload[:1], sequence_number=10)
    update = Rtp(31 * 960, talking[0].payload[:1], sequence_number=11)
    receiver.add(quiet)
    receiver.add(update)
    blocks = await receive(receiver, 3)
    assert [block.at_sample // 960 for block in blocks] == [10, 11, 31]
    assert (blocks[1].heard, blocks[1].pcm.size) == (False, 20 * 320)
    counters = receiver.counters
    assert (counters.concealed, counters.recovered, counters.invalid) == (0, 0, 0)


async def test_an_unread_hour_takes_constant_memory() -> None:
    receiver, payload = AudioReceiver(16_000, eager=True), packets(0.02)[0].payload

    def push(first: int, frames: int) -> None:
        for index in range(first, first + frames):
            at = (index * 960) & 0xFFFFFFFF
            receiver.add(Rtp(at, bytes(payload), sequence_number=index & 0xFFFF))

    push(0, 1_000)
    tracemalloc.start()
    try:
        push(1_000, 20_000)
        grown = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert grown < 100_000


async def test_what_nobody_needs_to_hear_is_counted_but_not_decoded() -> None:
    receiver = AudioReceiver(LISTEN_RATE_HZ, eager=True)
    encoder = OpusEncoder()
    wanted = True
    receiver.wanted = lambda: wanted
    blocks: list[Block] = []

    async def read() -> None:
        async for block in receiver.blocks():
            blocks.append(block)

    reading = asyncio.create_task(read())
    loud = to_pcm16(tone(0.02))
    for index in range(30):
        wanted = index < 10 or index >= 20
        receiver.add(Rtp(index * FRAME_SAMPLES, encoder.encode(loud), 1, index))
        while len(blocks) <= index:  # noqa: ASYNC110 - the reader has no event
            await asyncio.sleep(0.001)
    receiver.close()
    await reading
    levels = [int(np.abs(block.pcm).max()) for block in blocks]
    assert [block.pcm.size for block in blocks] == [320] * 30
    assert min(levels[2:10]) > 1_000
    assert max(levels[10:20]) == 0
    assert min(levels[22:]) > 1_000
    assert all(block.heard for block in blocks)
    assert receiver.counters.decoded == 30
