"""Rooms when processes are killed, and when everybody comes at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from engines.progress import no_progress
from signaling.config import SignalingConfig
from signaling.messages import Join
from tests.e2e.service import PATIENT, serve
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from tests.peers.service import LocalService, running
from tests.voicepeer.bot_process import bot, event
from tests.voicepeer.test_forwarding import Left
from tests.voicepeer.test_recording_mix import read
from voicepeer.client import VoicePeerClient
from voicepeer.conference import Conferences, Member
from voicepeer.core.messages import Started, encode_server
from voicepeer.core.room_messages import RoomGone, RoomNews, RoomRoster, RoomSlots
from voicepeer.core.rooms.room import Participant
from voicepeer.forwarding import Forwarder
from voicepeer.recording_mix import mix
from voicepeer.recording_store import INTERRUPTED_S, RecordingStore
from voicepeer.signaling_client import SignalingClient, SignalingFailed

pytestmark = pytest.mark.e2e

MANY = 200
PLACES = 16
PATIENCE_S = 80.0


async def test_a_publisher_that_is_killed_is_soon_gone_and_frees_its_place(tmp_path: Path) -> None:
    """No goodbye: the system closes its sockets, and its session could be resumed for a while."""
    async with (
        serve(tmp_path, *PATIENT, ready=True) as served,
        VoicePeerClient(served.url, room="hall", name="Ada") as ada,
        asyncio.timeout(PATIENCE_S),
    ):
        with ada.listening() as messages:
            await ada.join_room("nothing", voices=1)
            options = ("--url", served.url, "--room", "hall", "--voice", "low", "--stdin")
            async with bot(*options) as publisher:
                assert (await event(publisher))["event"] == "joined"
                async for message in messages:
                    if isinstance(message, RoomSlots) and message.slots[0].participant:
                        there = message.slots[0].participant
                        break
                publisher.kill()
                gone, freed = False, False
                async for message in messages:
                    gone |= isinstance(message, RoomGone) and message.participant == there
                    freed |= isinstance(message, RoomSlots) and not message.slots[0].participant
                    if gone and freed:
                        break


async def test_a_service_that_is_killed_leaves_recordings_that_play(tmp_path: Path) -> None:
    store = RecordingStore(tmp_path / "recordings")
    options = ("--set", f"recording.folder={store.folder}", "--set", "recording.min_free_mb=0")
    async with serve(tmp_path, *PATIENT, *options, ready=True) as served:
        async with asyncio.timeout(PATIENCE_S):
            client = VoicePeerClient(served.url, room="hall", name="Ada")
            async with client as ada:
                await ada.use_voice("low")
                await ada.join_room("voice")
                await ada.record_room()
                await ada.agree_to_recording()
                with ada.listening() as messages:
                    ada.speak("One two three four five six seven eight nine ten. " * 4)
                    async for message in messages:
                        if isinstance(message, Started):
                            break
                await _until_kept(store, 2.0)
                served.process.kill()
                await served.process.wait()
    [recorded] = await asyncio.to_thread(store.records)
    assert recorded.manifest is not None
    assert recorded.manifest.ended_s is None
    assert not recorded.goes_on(recorded.written_s + INTERRUPTED_S)
    made = await asyncio.to_thread(mix, recorded.folder, no_progress, again=True)
    assert made.length_s >= 2.0
    assert made.cues >= 1
    assert abs(await asyncio.to_thread(read, made.wav)).max() > 0.05


async def _until_kept(store: RecordingStore, length_s: float) -> None:
    """Wait until so much was written since the first word."""

    def kept_s() -> float:
        made = [mix(one.folder, no_progress, again=True) for one in store.records()]
        spoken = [one.length_s for one in made if one.cues]
        first_s.extend(spoken[:1])
        return spoken[0] - first_s[0] if spoken else 0.0

    first_s: list[float] = []

    while True:
        if await asyncio.to_thread(kept_s) >= length_s:
            return
        await asyncio.sleep(0.1)


async def test_many_who_come_at_once_are_let_in_or_told_why_not() -> None:
    """200 joins through a door of 16 places: whoever got none is told so, and nothing is left."""
    local = LocalService(config=SignalingConfig(max_sessions=2 * PLACES, max_per_room=PLACES))
    came: Counter[str] = Counter()

    async def join(url: str, index: int, leave: asyncio.Event) -> None:
        signaling = SignalingClient(url, lambda reason: None)
        try:
            await signaling.join(Join(room="hall", name=f"guest {index}"))
        except SignalingFailed as refusal:
            came[refusal.code] += 1
        else:
            came["joined"] += 1
            await leave.wait()
        finally:
            await signaling.close()

    async with nothing_left_behind(), running(local) as service, asyncio.timeout(PATIENCE_S):
        leave = asyncio.Event()
        guests = [asyncio.create_task(join(service.url, index, leave)) for index in range(MANY)]
        await until(lambda: came.total() == MANY, PATIENCE_S)
        assert came == {"joined": PLACES, "room_full": MANY - PLACES}
        leave.set()
        await asyncio.gather(*guests)
        async with VoicePeerClient(service.url, room="hall") as late:
            await late.join_room("nothing")


async def test_a_room_of_many_tells_each_of_all_and_no_more() -> None:
    """What 200 who come one after the other are told, and hear, is in proportion to that."""
    conferences = Conferences()
    told: dict[str, list[RoomNews]] = {}
    members: list[Member] = []
    async with nothing_left_behind():
        for index in range(MANY):
            one = f"p{index}"
            news = told[one] = []
            participant = Participant(one, name="N" * 64)
            key = ("key", "hall")
            member = conferences.enter(key, participant, news.append, lambda reason: None)
            streams = [(str(mid), Forwarder(Left())) for mid in range(5)]
            member.conference.listen(one, streams)
            members.append(member)
        known = {
            one.participant
            for part in told["p199"]
            if isinstance(part, RoomRoster)
            for one in part.participants
        }
        assert len(known) == MANY
        # Each is told once of each who comes, and of whom they hear as long as that changes.
        assert max(map(len, told.values())) < MANY + 20
        assert all(len(encode_server(one)) < 15_000 for one in told["p199"])
        for member in members:
            member.conference.leave(member.participant_id)
    assert len(conferences) == 0
