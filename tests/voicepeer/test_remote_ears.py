"""Listening models behind the loop give threads what the models themselves would."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from engines.fakes import FakeSpeakerEncoder, FakeVad
from tests.clips import clip
from tests.peers.engine import LocalEngine
from tests.voicepeer.recordings import wav_bytes
from voicepeer.audio import Recording
from voicepeer.core.errors import AtCapacity, AudioRejected
from voicepeer.offline import Ears, hear
from voicepeer.references import scored
from voicepeer.remote_ears import BATCH_WINDOWS, LISTENING_AT_ONCE, RecordingEars, remote_ears

pytestmark = pytest.mark.peer

SPEECH = clip("en_jennifer")
WAV = wav_bytes(SPEECH, 16_000)


async def test_a_recording_gives_the_same_through_them() -> None:
    local = hear(Recording(SPEECH, 16_000), Ears(FakeSpeakerEncoder(), FakeVad()))[0]
    remote, suitable = await RecordingEars(LocalEngine()).hear("me.wav", WAV, hear)
    assert remote.speech_s == pytest.approx(local.speech_s, abs=0.1)
    assert remote.reference.embedding is not None
    assert local.reference.embedding is not None
    assert float(remote.reference.embedding @ local.reference.embedding) > 0.999
    assert suitable.refusal is None


async def test_scores_of_batches_are_those_of_single_windows() -> None:
    vad = FakeVad()
    count = BATCH_WINDOWS * 2 + 3
    windows = np.resize(SPEECH, count * vad.window_samples).astype(np.float32)
    loop, engine = asyncio.get_running_loop(), LocalEngine()
    ears = remote_ears(engine, loop)
    batched = await asyncio.to_thread(scored, windows, ears.vad)
    assert batched == pytest.approx(scored(windows, vad), abs=1e-6)

    def one_by_one() -> list[float]:
        memory, found = ears.vad.memory(), []
        for window in windows.reshape(count, -1):
            score, memory = ears.vad.score(window, memory)
            found.append(score)
        return found

    assert await asyncio.to_thread(one_by_one) == pytest.approx(batched, abs=1e-6)


async def test_only_a_few_are_listened_to_at_once_and_places_come_back() -> None:
    ears = RecordingEars(LocalEngine())
    go_on = asyncio.Event()
    loop = asyncio.get_running_loop()

    def wait(recording: Recording, _ears: Ears) -> float:
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        return recording.duration_s

    waiting = [asyncio.create_task(ears.hear("a.wav", WAV, wait)) for _ in range(LISTENING_AT_ONCE)]
    await asyncio.sleep(0)
    with pytest.raises(AtCapacity):
        await ears.hear("b.wav", WAV, wait)
    # Whoever goes away leaves the thread at work, and its place taken.
    waiting[0].cancel()
    await asyncio.sleep(0)
    with pytest.raises(AtCapacity):
        await ears.hear("b.wav", WAV, wait)
    go_on.set()
    assert await waiting[1] == pytest.approx(SPEECH.size / 16_000, abs=0.01)
    async with asyncio.timeout(30):
        while ears._busy:  # noqa: ASYNC110 - a thread's end
            await asyncio.sleep(0.01)
    with pytest.raises(AudioRejected):
        await ears.hear("c.wav", b"", wait)
    assert ears._busy == 0
