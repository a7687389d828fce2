"""Rooms of real connections, recorded and mixed; on a scripted clock."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from engines.fakes import FakeSpeechEngine, tone_hz
from engines.progress import no_progress
from signaling.principal import ALL_RIGHTS
from tests.peers import glitches
from tests.peers.clock import ScriptedClock, scripted
from tests.peers.glitches import tone
from tests.peers.room import Attendee, attendee, request_of, until
from tests.voicepeer.test_recording_mix import clicks, onsets_s, read
from voicepeer import recording_mix
from voicepeer.audit import Audit
from voicepeer.benches.network import Impairment, impair
from voicepeer.conference import Conferences
from voicepeer.core.messages import Done, Speak
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm, from_pcm16
from voicepeer.core.recording.manifest import Manifest
from voicepeer.core.room_messages import (
    RoomConsentRecording,
    RoomJoined,
    RoomMute,
    RoomRecord,
    RoomRecording,
)
from voicepeer.core.rtvi import Error
from voicepeer.recording_mix import Mixed
from voicepeer.recording_store import RecordingStore
from voicepeer.recordings import Recordings
from voicepeer.room_recorder import RecordingLimits

pytestmark = pytest.mark.peer

SETTLE_S = 0.5
TOGETHER_S = 0.04
"""EBU R 37 lets a sound be 40 ms before what it belongs to, and 60 ms after it."""


@dataclass
class Studio:
    """Rooms that are recorded, and what became of that."""

    conferences: Conferences
    recordings: Recordings
    store: RecordingStore

    async def mixed(self) -> tuple[Manifest, Mixed, Pcm]:
        """The one recording, when it has ended."""
        await self.recordings.close()
        [recorded] = await asyncio.to_thread(self.store.records)
        assert recorded.manifest is not None
        made = await asyncio.to_thread(recording_mix.mix, recorded.folder, no_progress, again=True)
        return recorded.manifest, made, await asyncio.to_thread(read, made.wav)

    async def alone(self, manifest: Manifest, one: Attendee) -> Pcm:
        """One participant's track on the timeline of the recording."""
        [track] = [each for each in manifest.tracks if each.participant == one.participant]
        path = self.store.folder / manifest.recording_id / track.file
        offset = round(track.offset_ms * WIRE_RATE_HZ / 1000)

        def sound() -> Pcm:
            parts = list(recording_mix.track_sound(path, offset))
            return from_pcm16(np.concatenate(parts))

        return await asyncio.to_thread(sound)


@asynccontextmanager
async def studio(tmp_path: Path) -> AsyncIterator[Studio]:
    store = RecordingStore(tmp_path / "recordings")
    recordings = Recordings(store, RecordingLimits(min_free_bytes=0), Audit())
    yield Studio(Conferences(recordings=recordings), recordings, store)
    await recordings.close()


def told(one: Attendee) -> RoomRecording:
    return one.both.got(RoomRecording)[-1]


async def all_agree(chair: Attendee, *others: Attendee) -> None:
    """Have the room recorded, with everybody in it."""
    chair.send(RoomRecord())
    for one in (chair, *others):
        await one.both.wait_for(RoomRecording)
        one.send(RoomConsentRecording(agree=True))
    await until(lambda: len(told(chair).recorded) == 1 + len(others))


@scripted
async def test_two_who_clap_together_clap_together_in_the_mix(
    clock: ScriptedClock, tmp_path: Path
) -> None:
    """One of them over a network that loses, delays and reorders."""
    async with studio(tmp_path) as made, AsyncExitStack() as stack:
        ada, bob = [
            await stack.enter_async_context(attendee(made.conferences, name, voices=0))
            for name in ("Ada", "Bob")
        ]
        impair(bob.both.call.peer, Impairment(loss=0.05, jitter_ms=40.0, reorder=0.05), seed=5)
        await all_agree(ada, bob)
        await asyncio.sleep(0.3)
        for one in (ada, bob):
            one.both.call.speak_into_microphone(clicks(8.0))
        await asyncio.sleep(8.0 + SETTLE_S)
        ada.send(RoomRecord(on=False))
        await until(lambda: told(bob).state == "off")
        manifest, mixed, _ = await made.mixed()
        assert mixed.tracks == 2
        hers, his = [onsets_s(await made.alone(manifest, one)) for one in (ada, bob)]
        assert len(hers) == 16
        assert len(his) >= 12, "those that were lost are lost"
        for at in his:
            assert min(abs(at - other) for other in hers) < TOGETHER_S
        np.testing.assert_allclose(np.diff(hers), 0.5, atol=0.003)


@scripted
async def test_whoever_is_muted_comes_back_in_time(clock: ScriptedClock, tmp_path: Path) -> None:
    async with studio(tmp_path) as made, AsyncExitStack() as stack:
        ada, bob = [
            await stack.enter_async_context(attendee(made.conferences, name, voices=0))
            for name in ("Ada", "Bob")
        ]
        await all_agree(ada, bob)
        for one in (ada, bob):
            one.both.call.speak_into_microphone(clicks(8.0))
        await asyncio.sleep(2.0)
        bob.send(RoomMute(muted=True))
        await asyncio.sleep(4.0)
        bob.send(RoomMute(muted=False))
        await asyncio.sleep(2.0 + SETTLE_S)
        ada.send(RoomRecord(on=False))
        await until(lambda: told(bob).state == "off")
        manifest, _, _ = await made.mixed()
        hers, his = [onsets_s(await made.alone(manifest, one)) for one in (ada, bob)]
        assert len(hers) == 16
        assert len(his) in range(6, 11)
        assert not [at for at in his if 2.5 < at - hers[0] < 5.0], "nothing while muted"
        for at in his:
            assert min(abs(at - other) for other in hers) < TOGETHER_S


@scripted
async def test_a_call_is_recorded_without_a_glitch_and_only_with_consent(
    clock: ScriptedClock, tmp_path: Path
) -> None:
    async with studio(tmp_path) as made, AsyncExitStack() as stack:
        ada, bob = [
            await stack.enter_async_context(attendee(made.conferences, name, voices=0))
            for name in ("Ada", "Bob")
        ]
        assert ada.both.got(RoomJoined)[0].records
        ada.send(RoomRecord())
        await bob.both.wait_for(RoomRecording)
        bob.both.call.speak_into_microphone(tone(1.0, 880.0))
        await asyncio.sleep(1.5)
        bob.send(RoomConsentRecording(agree=True))
        await until(lambda: told(ada).state == "on")
        await asyncio.sleep(0.2)
        for one, frequency_hz in ((ada, 440.0), (bob, 660.0)):
            one.both.call.speak_into_microphone(tone(3.0, frequency_hz))
        await asyncio.sleep(3.0 + SETTLE_S)
        ada.send(RoomRecord(on=False))
        await until(lambda: told(bob).state == "off")
        manifest, _, pcm = await made.mixed()
        assert [track.participant for track in manifest.tracks] == [bob.participant]
        found = glitches.count(pcm, 660.0)
        assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
        assert found.tone_ms == pytest.approx(3_000, abs=40)
        for frequency_hz in (440.0, 880.0):
            assert np.abs(glitches.tone_level(pcm, frequency_hz)).max() < 0.05


@scripted
async def test_what_is_said_by_text_has_captions_at_their_time(
    clock: ScriptedClock, tmp_path: Path
) -> None:
    text = "Every word of this clause has its time."
    async with studio(tmp_path) as made:
        async with attendee(made.conferences, "Bot", "voice", voices=0) as bot:
            await all_agree(bot)
            await bot.both.use_stock_voice()
            await asyncio.sleep(1.0)
            bot.send(Speak(utterance_id="a", text=text))
            await bot.both.wait_for(Done)
            await asyncio.sleep(SETTLE_S)
        manifest, mixed, pcm = await made.mixed()
        assert manifest.end == "room_ended"
        captions = await asyncio.to_thread(mixed.captions.read_text)
    assert mixed.cues >= 1
    times, said = captions.splitlines()[2:4]
    assert said.startswith("<v Bot>Every <")
    heard_hz = tone_hz(text, FakeSpeechEngine().stock_voices()["mid"])
    speaks = np.flatnonzero(np.abs(glitches.tone_level(pcm, heard_hz)) > 0.05)
    hours, minutes, seconds = times.split(" --> ")[0].split(":")
    assert (hours, minutes) == ("00", "00")
    assert speaks[0] * glitches.BLOCK_S == pytest.approx(float(seconds), abs=0.1)


@scripted
async def test_recording_takes_the_right_and_answers_take_a_recording(
    clock: ScriptedClock, tmp_path: Path
) -> None:
    guest = request_of("guest", *(ALL_RIGHTS - {"manage"}))
    async with (
        studio(tmp_path) as made,
        attendee(made.conferences, voices=0, request=guest) as one,
    ):
        assert not one.both.got(RoomJoined)[0].records
        one.send(RoomRecord(), RoomConsentRecording(agree=True))
        await one.both.wait_for(Error, 2)
        assert [error.code for error in one.both.got(Error)] == ["forbidden", "not_recording"]
        assert await asyncio.to_thread(made.store.records) == []
