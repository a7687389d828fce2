"""The kit itself: a glitch counter or a leak check that never finds anything fails here."""

from __future__ import annotations

import asyncio
import mmap
import os
import random
import time

import numpy as np
import pytest

from tests.peers import glitches, leaks
from tests.peers.blocking import nothing_blocks
from tests.peers.clock import ScriptedClock, scripted
from voicepeer.benches.network import Impairment, Network, is_rtp
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.opus import load_library

pytestmark = pytest.mark.unit


def test_a_clean_tone_has_no_glitches() -> None:
    silence = np.zeros(WIRE_RATE_HZ // 5, np.float32)
    found = glitches.count(np.concatenate([silence, glitches.tone(1.0), silence]))
    assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
    assert found.tone_ms == pytest.approx(1000, abs=20)


@pytest.mark.parametrize("frames", [1, 3])
def test_missing_frames_are_phase_jumps(frames: int) -> None:
    pcm = glitches.tone(1.0, 437.0)
    cut = np.concatenate([pcm[:20_000], pcm[20_000 + frames * 960 :]])
    assert glitches.count(cut, 437.0).phase_jumps >= 1


def test_a_hole_is_measured() -> None:
    pcm = glitches.tone(1.0)
    pcm[20_160 : 20_160 + 2880] = 0
    assert glitches.count(pcm).longest_hole_ms == pytest.approx(60, abs=10)


async def test_a_forgotten_task_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "SETTLE_S", 0.1)
    task: asyncio.Task[None] | None = None
    with pytest.raises(AssertionError, match="task"):
        async with leaks.nothing_left_behind():
            task = asyncio.create_task(asyncio.sleep(30))
    assert task is not None
    task.cancel()


async def test_a_forgotten_descriptor_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaks, "SETTLE_S", 0.1)
    descriptors: list[int] = []
    with pytest.raises(AssertionError, match="descriptor"):
        async with leaks.nothing_left_behind():
            descriptors += os.pipe()
    for descriptor in descriptors:
        os.close(descriptor)


async def test_what_ends_in_time_is_no_leak() -> None:
    async with leaks.nothing_left_behind():
        task = asyncio.create_task(asyncio.sleep(0.05))
    assert task.done()


def test_only_media_counts_as_media() -> None:
    body = bytes(20)
    assert is_rtp(bytes([0x80, 111]) + body)
    assert not is_rtp(bytes([0x80, 200]) + body), "an RTCP sender report"
    assert not is_rtp(bytes([22, 254]) + body), "a DTLS record"
    assert not is_rtp(bytes([0, 1]) + body), "a STUN request"


# --- leaks of memory --------------------------------------------------------------------------


async def test_growing_memory_is_found_and_constant_memory_is_not() -> None:
    # Mapped, because the heap may still hold pages that earlier tests gave back to it.
    kept: list[mmap.mmap] = []

    def page_in() -> mmap.mmap:
        fresh = mmap.mmap(-1, 1_000_000)
        fresh.write(os.urandom(1_000_000))
        return fresh

    async def grow() -> None:
        kept.append(page_in())

    async def stay() -> None:
        kept[:] = [page_in()]

    with pytest.raises(AssertionError, match="MB more after 20 rounds"):
        await leaks.steady_memory(grow, rounds=20, growth_max_mb=10)
    kept.clear()
    assert await leaks.steady_memory(stay, rounds=20, growth_max_mb=10) < 10


# --- blocking calls ---------------------------------------------------------------------------


async def test_a_blocking_call_of_ours_is_found() -> None:
    def block() -> None:
        with nothing_blocks():
            load_library.__wrapped__()

    with pytest.raises(AssertionError, match=r"os\.scandir in voicepeer/opus\.py"):
        block()
    with nothing_blocks():
        await asyncio.to_thread(load_library.__wrapped__)


async def test_a_long_computation_in_the_loop_is_found() -> None:
    async def compute() -> None:
        until_s = time.thread_time() + 0.3
        while time.thread_time() < until_s:
            pass

    with pytest.raises(AssertionError, match="of computing"):  # noqa: SIM117
        with nothing_blocks():
            await asyncio.create_task(compute())


# --- the scripted clock -----------------------------------------------------------------------


@scripted
async def test_an_hour_of_waiting_takes_no_time(clock: ScriptedClock) -> None:
    begun_s = clock.now()
    await asyncio.gather(*(asyncio.sleep(minutes * 60) for minutes in range(61)))
    assert time.monotonic() - begun_s == pytest.approx(3600)
    assert asyncio.get_running_loop().time() == clock.now()


@scripted
async def test_threads_and_sockets_take_no_scripted_time(clock: ScriptedClock) -> None:
    begun_s = clock.now()
    await asyncio.to_thread(os.urandom, 1_000_000)
    arrived: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    class Receiver(asyncio.DatagramProtocol):
        def datagram_received(self, data: bytes, addr: object) -> None:
            arrived.set_result(data)

    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(Receiver, ("127.0.0.1", 0))
    transport.sendto(b"x", transport.get_extra_info("sockname"))
    async with asyncio.timeout(0.001):
        assert await arrived == b"x"
    transport.close()
    await asyncio.sleep(0)
    assert clock.now() - begun_s < 0.001


@scripted
async def test_a_stall_passes_without_the_loop(clock: ScriptedClock) -> None:
    woken = asyncio.create_task(asyncio.sleep(0.1))
    await asyncio.sleep(0)
    clock.stall(5.0)
    assert not woken.done()
    await woken
    assert clock.now() == pytest.approx(1005.0)


# --- the network ------------------------------------------------------------------------------


def network(impairment: Impairment) -> Network:
    return Network(impairment, random.Random(4))


def test_a_narrow_link_delays_and_then_drops() -> None:
    link = network(Impairment(rate_bps=40_000, queue_ms=100))
    # 72 + 28 bytes take 20 ms, and half of that comes in every 10 ms.
    passed = [link.delays_s(72, index * 0.01) for index in range(60)]
    delays_s = [copies[0] for copies in passed if copies]
    assert delays_s[0] == pytest.approx(0.02)
    assert max(delays_s) == pytest.approx(0.12, abs=0.011)
    assert 20 < sum(not copies for copies in passed) < 30
    assert link.delays_s(72, 10.0) == pytest.approx([0.02]), "it is free again"


def test_shares_of_loss_reordering_and_duplicates_are_as_asked() -> None:
    link = network(Impairment(loss=0.05, reorder=0.02, reorder_ms=50, duplicate=0.1))
    passed = [link.delays_s(100, index * 0.02) for index in range(20_000)]
    assert sum(not copies for copies in passed) == pytest.approx(1000, rel=0.1)
    assert sum(copies[0] > 0.04 for copies in passed if copies) == pytest.approx(380, rel=0.2)
    assert sum(len(copies) == 2 for copies in passed) == pytest.approx(1900, rel=0.1)


@scripted
async def test_a_stall_of_the_network_ends_in_a_burst(clock: ScriptedClock) -> None:
    link = network(Impairment())
    link.stall(0.3)
    arrivals = [at + link.delays_s(100, clock.now() + at)[0] for at in (0.0, 0.1, 0.2, 0.4)]
    assert arrivals == pytest.approx([0.3, 0.3, 0.3, 0.4])
