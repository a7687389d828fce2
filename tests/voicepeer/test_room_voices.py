"""Who listens in a room hears all who speak in it, whenever either comes or goes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import numpy as np
import pytest

from tests.peers.glitches import tone
from voicepeer.core.pcm import Pcm, from_pcm16
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.opus import OpusDecoder
from voicepeer.room_voices import RoomVoices
from voicepeer.tracks import SpeechTrack

pytestmark = pytest.mark.unit

KEY = ("key", "room")
LOW_HZ, HIGH_HZ = 300, 1_100


class Speaker:
    """A track that is sent to its own client, who is not of interest here."""

    def __init__(self) -> None:
        self.pacer = Pacer()
        self.track = SpeechTrack(self.pacer)

    def say(self, frequency_hz: float, seconds: float = 0.3) -> None:
        generation = self.pacer.open()
        self.pacer.push(generation, tone(seconds, frequency_hz) * 0.4)
        self.pacer.end(generation)


@asynccontextmanager
async def sending(*tracks: SpeechTrack) -> AsyncIterator[None]:
    """Send tracks as connections would."""

    async def send(track: SpeechTrack) -> None:
        while True:
            await track.recv()

    tasks = [asyncio.create_task(send(track)) for track in tracks]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)


async def heard(track: SpeechTrack, seconds: float) -> Pcm:
    """What a listener gets in some time."""
    decoder, parts = OpusDecoder(), []
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        packet = await track.recv()
        parts.append(from_pcm16(decoder.decode(bytes(packet))))
    return np.concatenate(parts)


def level(pcm: Pcm, frequency_hz: float) -> float:
    """How loud a tone is in it, in its loudest 100 ms."""
    size = 4_800
    phases = np.exp(-2j * np.pi * frequency_hz * np.arange(size) / 48_000)
    blocks = pcm[: pcm.size // size * size].reshape(-1, size)
    return float(np.max(np.abs(blocks @ phases)) / size) if blocks.size else 0.0


@pytest.mark.parametrize("listens_first", [True, False])
async def test_of_a_speaker_who_is_withheld_nothing_is_heard(listens_first: bool) -> None:
    rooms, one, other = RoomVoices(), Speaker(), Speaker()
    listener = rooms.listen(KEY) if listens_first else None
    rooms.enter(KEY, one.track, lambda: True)
    rooms.enter(KEY, other.track, lambda: False)
    listener = listener or rooms.listen(KEY)
    async with sending(one.track, other.track):
        one.say(LOW_HZ)
        other.say(HIGH_HZ)
        got = await heard(listener, 0.6)
    assert level(got, HIGH_HZ) > 0.05
    assert level(got, LOW_HZ) < 0.01
    rooms.stop_listening(KEY, listener)
    for speaker in (one, other):
        rooms.leave(KEY, speaker.track)
        speaker.track.stop()
    assert len(rooms) == 0


async def test_two_speakers_are_heard_at_once() -> None:
    rooms, one, other = RoomVoices(), Speaker(), Speaker()
    rooms.enter(KEY, one.track)
    listener = rooms.listen(KEY)
    rooms.enter(KEY, other.track)
    async with sending(one.track, other.track):
        one.say(LOW_HZ)
        other.say(HIGH_HZ)
        pcm = await heard(listener, 0.6)
    assert min(level(pcm, LOW_HZ), level(pcm, HIGH_HZ)) > 0.05
    rooms.stop_listening(KEY, listener)


async def test_other_rooms_and_other_keys_are_not_heard() -> None:
    rooms, speaker = RoomVoices(), Speaker()
    rooms.enter(KEY, speaker.track)
    others = [rooms.listen(("key", "other room")), rooms.listen(("other key", "room"))]
    async with sending(speaker.track):
        speaker.say(LOW_HZ)
        found = await asyncio.gather(*(heard(track, 0.4) for track in others))
    assert max(level(pcm, LOW_HZ) for pcm in found) < 0.001


async def test_two_listeners_share_one_encoder_and_hear_the_same() -> None:
    rooms, speaker = RoomVoices(), Speaker()
    rooms.enter(KEY, speaker.track)
    first, second = rooms.listen(KEY), rooms.listen(KEY)
    assert first.encoders == 1
    async with sending(speaker.track):
        speaker.say(LOW_HZ)
        found = await asyncio.gather(heard(first, 0.6), heard(second, 0.6))
    assert min(level(pcm, LOW_HZ) for pcm in found) > 0.05
    rooms.stop_listening(KEY, first)
    async with sending(speaker.track):
        speaker.say(HIGH_HZ)
        assert level(await heard(second, 0.6), HIGH_HZ) > 0.05


async def test_whoever_leaves_is_heard_no_more_and_an_empty_room_is_forgotten() -> None:
    rooms, one, other = RoomVoices(), Speaker(), Speaker()
    rooms.enter(KEY, one.track)
    rooms.enter(KEY, other.track)
    listener = rooms.listen(KEY)
    rooms.leave(KEY, one.track)
    rooms.leave(KEY, one.track)
    async with sending(one.track, other.track):
        one.say(LOW_HZ)
        other.say(HIGH_HZ)
        pcm = await heard(listener, 0.6)
    assert level(pcm, LOW_HZ) < 0.001
    assert level(pcm, HIGH_HZ) > 0.05
    rooms.stop_listening(KEY, listener)
    rooms.stop_listening(KEY, listener)
    assert listener.readyState == "ended"
    assert len(rooms) == 1
    assert other.track.on_sent is None
    rooms.leave(KEY, other.track)
    assert len(rooms) == 0
    rooms.leave(KEY, other.track)


async def test_a_listener_may_come_first() -> None:
    rooms, speaker = RoomVoices(), Speaker()
    listener = rooms.listen(KEY)
    assert level(await heard(listener, 0.1), LOW_HZ) == pytest.approx(0.0, abs=0.001)
    rooms.enter(KEY, speaker.track)
    async with sending(speaker.track):
        speaker.say(LOW_HZ)
        assert level(await heard(listener, 0.6), LOW_HZ) > 0.05
