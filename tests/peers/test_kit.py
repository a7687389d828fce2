"""The kit itself: a glitch counter or a leak check that never finds anything fails here."""

from __future__ import annotations

import asyncio
import os

import numpy as np
import pytest

from tests.peers import glitches, leaks
from tests.peers.network import is_rtp
from voicepeer.core.pcm import WIRE_RATE_HZ

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
