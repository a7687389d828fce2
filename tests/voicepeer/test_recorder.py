"""What a client finds in what it has heard."""

from __future__ import annotations

import asyncio
import time

import numpy as np
import pytest

from tests.voicepeer.test_jitter import Rtp
from voicepeer.core.pcm import FRAME_SAMPLES, Pcm, to_pcm16
from voicepeer.opus import OpusEncoder
from voicepeer.recorder import AUDIBLE_DBFS, SOUND_DBFS, Recorder, trim

pytestmark = pytest.mark.unit


def noise(samples: int, level: float) -> Pcm:
    return (np.random.default_rng(3).standard_normal(samples) * level).astype(np.float32)


async def recorded(pcm: Pcm, lost: frozenset[int] = frozenset()) -> Recorder:
    recorder, encoder = Recorder(), OpusEncoder()
    recording = asyncio.create_task(recorder.run())
    frames = to_pcm16(pcm[: pcm.size // FRAME_SAMPLES * FRAME_SAMPLES]).reshape(-1, FRAME_SAMPLES)
    start_s = time.monotonic()
    for index, frame in enumerate(frames):
        if index not in lost:
            recorder.receiver.add(Rtp(index * FRAME_SAMPLES, encoder.encode(frame)))
        await asyncio.sleep(max(0.0, start_s + (index + 1) * 0.02 - time.monotonic()))
    await asyncio.sleep(0.1)
    recorder.receiver.close()
    await recording
    return recorder


async def test_the_first_sound_and_the_first_audible_moment_are_told_apart() -> None:
    start_s = time.monotonic()
    quiet, loud = noise(4 * FRAME_SAMPLES, 10 ** (-60 / 20)), noise(4 * FRAME_SAMPLES, 0.1)
    recorder = await recorded(
        np.concatenate([np.zeros(4 * FRAME_SAMPLES, np.float32), quiet, loud])
    )
    sound_s, audible_s = (recorder.first_over(dbfs, 0.0) for dbfs in (SOUND_DBFS, AUDIBLE_DBFS))
    assert sound_s is not None
    assert audible_s is not None
    # Four silent frames, and the receive buffer's 50 ms.
    assert sound_s - start_s == pytest.approx(0.13, abs=0.05)
    assert audible_s - sound_s == pytest.approx(0.08, abs=0.03)
    assert recorder.first_over(AUDIBLE_DBFS, audible_s + 1) is None


async def test_lost_frames_are_counted_and_filled() -> None:
    recorder = await recorded(noise(20 * FRAME_SAMPLES, 0.1), frozenset({8, 12}))
    assert recorder.frames_lost >= 2
    assert recorder.pcm().size >= 20 * FRAME_SAMPLES


async def test_what_is_forgotten_is_not_found_any_more() -> None:
    recorder = await recorded(noise(10 * FRAME_SAMPLES, 0.1))
    middle_s = recorder.blocks(0.0)[5].received_s
    recorder.forget(middle_s)
    assert [block.received_s >= middle_s for block in recorder.blocks(0.0)].count(True) >= 4
    assert recorder.blocks(0.0, middle_s) == []
    recorder.forget(float("inf"))
    assert recorder.pcm().size == 0


async def test_a_stretch_of_time_is_cut_out() -> None:
    recorder = await recorded(noise(10 * FRAME_SAMPLES, 0.1))
    times = [block.received_s for block in recorder.blocks(0.0)]
    assert recorder.pcm(times[2], times[5]).size == 3 * FRAME_SAMPLES
    assert recorder.pcm(times[-1] + 1).size == 0


def test_inaudible_ends_are_trimmed() -> None:
    pcm = np.concatenate([np.zeros(4800), noise(9600, 0.1), np.zeros(2400)]).astype(np.float32)
    assert trim(pcm).size == 9600
    assert trim(np.zeros(4800, np.float32)).size == 0
    assert trim(np.zeros(0, np.float32)).size == 0
