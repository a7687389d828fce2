"""Recordings of rooms: who is in them, when, and what becomes of that."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import av
import msgspec
import numpy as np
import pytest

from tests.peers.clock import unhurried
from tests.peers.leaks import nothing_left_behind
from tests.voicepeer import recorded
from tests.voicepeer.test_conference import HALL, LOUD, Person
from voicepeer import recordings, room_recorder
from voicepeer.audit import Audit
from voicepeer.conference import Conferences
from voicepeer.core.errors import NotRecording, RecordingUnavailable
from voicepeer.core.messages import Caption, Word
from voicepeer.core.pcm import Pcm
from voicepeer.core.recording.manifest import MANIFEST, Manifest, is_recording_id
from voicepeer.core.room_messages import RoomJoined, RoomNews, RoomRecording
from voicepeer.core.rooms.room import Participant, Reason
from voicepeer.forwarding import MediaPacket
from voicepeer.opus import OpusEncoder
from voicepeer.recording_store import Changes, Recorded, RecordingStore
from voicepeer.recordings import Recordings
from voicepeer.room_recorder import RecordingLimits

pytestmark = pytest.mark.peer

FREELY = RecordingLimits(min_free_bytes=0)
PATIENCE_S = 20.0


class Studio:
    """Rooms that can be recorded."""

    def __init__(self, folder: Path, limits: RecordingLimits) -> None:
        self.folder = folder
        self.audit_file = folder.parent / "audit.jsonl"
        self.store = RecordingStore(folder)
        self.audit = Audit(self.audit_file)
        self.recordings = Recordings(self.store, limits, self.audit)
        self.conferences = Conferences(recordings=self.recordings)
        self._people: list[Person] = []

    def enter(self, participant: Participant) -> Person:
        news: list[RoomNews] = []
        gone: list[Reason] = []
        member = self.conferences.enter(
            HALL, participant, news.append, lambda one: gone.append(one.reason)
        )
        self._people.append(Person(member, news, gone))
        return self._people[-1]

    def empty(self) -> None:
        """Let all go who are there still."""
        for one in self._people:
            one.member.conference.leave(one.id)

    async def ended(self) -> Manifest:
        """The one recording, when it is over and written."""
        async with asyncio.timeout(PATIENCE_S):
            await self.recordings.close()
        [found] = await self.records()
        assert found.manifest is not None
        return found.manifest

    async def records(self) -> list[Recorded]:
        return await asyncio.to_thread(self.store.records)

    async def files(self, pattern: str = "*/*.opus") -> list[Path]:
        return await asyncio.to_thread(lambda: sorted(self.folder.glob(pattern)))

    async def any_there(self) -> bool:
        return bool(await self.records())

    async def until_tracks(self, count: int) -> None:
        async def are_there() -> bool:
            return len(await self.files()) == count

        await until(are_there)

    async def events(self) -> list[str]:
        text = await asyncio.to_thread(self.audit_file.read_text)
        lines = map(json.loads, text.splitlines())
        return [" ".join(filter(None, (line["event"], line.get("reason")))) for line in lines]


@asynccontextmanager
async def studio(tmp_path: Path, limits: RecordingLimits = FREELY) -> AsyncIterator[Studio]:
    async with nothing_left_behind():
        made = await asyncio.to_thread(Studio, tmp_path / "recordings", limits)
        yield made
        made.empty()
        await made.recordings.close()
        made.audit.close()


def chair(one: str = "chair") -> Participant:
    return Participant(one, name=one.title(), user=f"key/{one}", may_manage=True)


def record(person: Person, on: bool = True) -> None:
    person.member.conference.recording.record(person.id, on)


def agree(person: Person, agrees: bool = True, keep: bool = False) -> None:
    person.member.conference.recording.consent(person.id, agrees, keep)


def state(person: Person) -> tuple[str, list[str], bool | None]:
    told = person.got(RoomRecording)[-1]
    return told.state, told.recorded, told.answer


async def played(path: Path) -> Pcm:
    """A track as a player decodes it."""
    return await asyncio.to_thread(_decoded, path)


def _decoded(path: Path) -> Pcm:
    with av.open(str(path), "r") as container:
        return np.concatenate([frame.to_ndarray().ravel() for frame in container.decode(audio=0)])


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not await condition():
        assert time.monotonic() < deadline, "it did not come to that in time"
        await asyncio.sleep(0.02)


async def until_off(person: Person) -> str | None:
    """Wait until somebody was told that the recording is over; why it is."""

    async def is_off() -> bool:
        return state(person)[0] == "off"

    await until(is_off)
    return person.got(RoomRecording)[-1].reason


class Microphone:
    """Sends one tone as fast as it is asked for, with timestamps that say 20 ms each."""

    def __init__(self, person: Person, frequency_hz: float = 440.0) -> None:
        self._person = person
        self._encoder = OpusEncoder()
        self._frequency_hz = frequency_hz
        self._sent = 0

    def send(self, packets: int, level: int = LOUD) -> None:
        member = self._person.member
        for _ in range(packets):
            at = (np.arange(960) + 960 * self._sent) / 48_000
            pcm = (10_000 * np.sin(2 * np.pi * self._frequency_hz * at)).astype(np.int16)
            packet = MediaPacket(
                1, self._sent, 960 * self._sent, self._encoder.encode(pcm), level=level
            )
            self._sent += 1
            member.conference.push(member.participant_id, "mic", packet)


@unhurried
async def test_all_are_told_and_only_who_agrees_is_recorded(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada, bob = made.enter(chair()), made.enter(Participant("bob", name="../Bob"))
        assert ada.got(RoomJoined)[0].records
        assert not bob.got(RoomJoined)[0].records
        record(ada)
        assert state(ada) == state(bob) == ("asked", [], None)
        agree(bob)
        assert state(ada) == ("on", ["bob"], None)
        assert state(bob) == ("on", ["bob"], True)
        for one in (ada, bob):
            Microphone(one).send(25)
        record(ada, on=False)
        assert state(bob)[0] == "off"
        assert bob.got(RoomRecording)[-1].reason == "stopped"
        manifest = await made.ended()
        [track] = manifest.tracks
        assert (track.participant, track.name, track.file) == ("bob", "../Bob", "track-001.opus")
        folder = made.folder / manifest.recording_id
        assert [path.name for path in await made.files("*/*")] == [MANIFEST, track.file]
        assert (await played(folder / track.file)).size == 25 * 960 - 3_840
        assert await made.events() == [
            "recording.start",
            "recording.agree",
            "recording.stop stopped",
        ]


@unhurried
async def test_files_are_the_owners_alone_and_named_by_us(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        agree(ada)
        Microphone(ada).send(20)
        ada.member.conference.leave(ada.id)
        manifest = await made.ended()
        assert is_recording_id(manifest.recording_id)
        folder = made.folder / manifest.recording_id
        modes = {made.folder: 0o700, folder: 0o700}
        modes |= dict.fromkeys(await made.files("*/*"), 0o600)
        assert {path: path.stat().st_mode & 0o777 for path in modes} == modes
        assert (manifest.tenant, manifest.room, manifest.end) == ("key", "hall", "room_ended")
        assert manifest.length_s is not None


@unhurried
async def test_whoever_withdraws_is_deleted_at_once_unless_they_let_it_stay(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada, bob = made.enter(chair()), made.enter(Participant("bob"))
        record(ada)
        for one in (ada, bob):
            agree(one)
            Microphone(one).send(20)
        await made.until_tracks(2)
        agree(bob, False)
        assert state(ada) == ("on", ["chair"], True)
        assert state(bob) == ("on", ["chair"], False)
        await made.until_tracks(1)
        Microphone(bob).send(20)
        agree(ada, False, keep=True)
        assert state(ada) == ("asked", [], False)
        record(ada, on=False)
        manifest = await made.ended()
        assert [track.participant for track in manifest.tracks] == ["chair"]
        assert (await made.events())[-3:] == [
            "recording.withdraw deleted",
            "recording.withdraw kept",
            "recording.stop stopped",
        ]
        with pytest.raises(NotRecording):
            agree(bob, False)


@unhurried
async def test_whoever_withdraws_later_deletes_what_they_let_stay_before(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        for keep in (True, False):
            agree(ada)
            Microphone(ada).send(20)
            agree(ada, False, keep=keep)
        ada.member.conference.leave(ada.id)
        assert (await made.ended()).tracks == []
        assert await made.files() == []


@unhurried
async def test_whoever_comes_later_is_asked_first(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        agree(ada)
        cat = made.enter(Participant("cat", may_listen=False))
        told = cat.got(RoomRecording)[-1]
        assert (told.state, told.recorded, told.answer, told.by) == ("on", [], None, None)
        Microphone(cat).send(20)
        agree(cat)
        assert state(cat) == ("on", ["cat"], True)
        assert state(ada) == ("on", ["chair", "cat"], True)
        Microphone(cat).send(20)
        for one in (ada, cat):
            one.member.conference.leave(one.id)
        manifest = await made.ended()
        [track] = manifest.tracks
        assert track.participant == "cat"
        folder = made.folder / manifest.recording_id
        assert (await played(folder / track.file)).size == 20 * 960 - 3_840


@unhurried
async def test_asking_again_answers_again(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada, on=False)
        assert ada.got(RoomRecording) == [RoomRecording(state="off", recording_id="")]
        record(ada)
        record(ada)
        agree(ada, False)
        agree(ada, False)
        assert [told.state for told in ada.got(RoomRecording)] == ["off"] + ["asked"] * 4
        assert len({told.recording_id for told in ada.got(RoomRecording)[1:]}) == 1


@unhurried
async def test_where_nothing_is_recorded_it_is_refused() -> None:
    made = Conferences()
    news: list[RoomNews] = []
    member = made.enter(HALL, chair(), news.append, lambda reason: None)
    assert isinstance(news[0], RoomJoined)
    assert not news[0].records
    with pytest.raises(RecordingUnavailable, match=r"recording\.folder"):
        member.conference.recording.record("chair", True)
    member.conference.leave("chair")


# --- limits and faults ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (RecordingLimits(max_s=0.1, min_free_bytes=0), "too_long"),
        (RecordingLimits(max_bytes=100, min_free_bytes=0), "too_large"),
    ],
)
@unhurried
async def test_a_limit_ends_it_and_all_are_told(
    tmp_path: Path, limits: RecordingLimits, reason: str
) -> None:
    async with studio(tmp_path, limits) as made:
        ada = made.enter(chair())
        record(ada)
        agree(ada)
        Microphone(ada).send(20)
        assert await until_off(ada) == reason
        assert (await made.ended()).end == reason
        assert len(await made.files()) == 1


@unhurried
async def test_a_disk_that_is_nearly_full_records_nothing(tmp_path: Path) -> None:
    async with studio(tmp_path, RecordingLimits(min_free_bytes=1 << 60)) as made:
        ada = made.enter(chair())
        with pytest.raises(RecordingUnavailable, match="nearly full"):
            record(ada)
        assert ada.got(RoomRecording) == []
        assert await made.files("*") == []


@unhurried
async def test_an_operator_who_removes_it_ends_it(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        agree(ada)
        await until(made.any_there)
        [found] = await made.records()
        await asyncio.to_thread(made.store.delete, found.recording_id)
        assert await until_off(ada) == "deleted"
        assert await made.records() == []
        record(ada)
        assert state(ada)[0] == "asked"


@unhurried
async def test_a_folder_that_cannot_be_written_ends_it(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        await asyncio.to_thread(made.folder.write_text, "a file in its place")
        ada = made.enter(chair())
        record(ada)
        assert await until_off(ada) == "failed"
        await asyncio.to_thread(made.folder.unlink)


class FullDisk(RecordingStore):
    """Has room for nothing new once it is full, and lets files be removed all the same."""

    full = False

    def apply(self, recording_id: str, changes: Changes) -> None:
        super().apply(recording_id, Changes(changes.deleted) if self.full else changes)
        if self.full and (changes.begun or changes.appended or changes.manifest):
            raise OSError(errno.ENOSPC, "No space left on device")


@unhurried
async def test_a_full_disk_ends_it_and_what_is_withdrawn_goes_all_the_same(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        store = FullDisk(made.folder)
        made.recordings._store = store
        ada, bob = made.enter(chair()), made.enter(Participant("bob"))
        record(ada)
        for one in (ada, bob):
            agree(one)
            Microphone(one).send(20)
        await made.until_tracks(2)
        store.full = True
        Microphone(ada).send(20)
        agree(bob, False)
        assert await until_off(ada) == "disk_full"
        await made.until_tracks(1)


@unhurried
async def test_an_error_of_ours_is_not_hidden_from_those_in_the_room(tmp_path: Path) -> None:
    class Broken(RecordingStore):
        def apply(self, recording_id: str, changes: Changes) -> None:
            raise ValueError("an error of ours")

    async with studio(tmp_path) as made:
        made.recordings._store = Broken(made.folder)
        ada = made.enter(chair())
        record(ada)
        assert await until_off(ada) == "failed"


@unhurried
async def test_a_service_that_stops_ends_what_goes_on(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        agree(ada)
        Microphone(ada).send(20)
        assert (await made.ended()).end == "room_ended"
        assert ada.got(RoomRecording)[-1].reason == "room_ended", "they are told, too"
        with pytest.raises(NotRecording):
            agree(ada)
        ada.member.conference.leave(ada.id)
        assert len(await made.files()) == 1


@unhurried
async def test_whoever_agrees_again_and_again_fills_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_recorder, "MAX_TRACKS", 5)
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        for _ in range(5):
            agree(ada)
            Microphone(ada).send(2)
            agree(ada, False, keep=True)
        assert await until_off(ada) == "too_large"


@unhurried
async def test_nobody_alone_can_end_it_by_agreeing_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_recorder, "MAX_TRACKS", 5)
    monkeypatch.setattr(room_recorder, "MAX_TRACKS_EACH", 3)
    async with studio(tmp_path) as made:
        ada, bob = made.enter(chair()), made.enter(Participant("bob"))
        record(ada)
        agree(ada)
        for count in range(1, 4):
            agree(bob)
            Microphone(bob).send(2)
            agree(bob, False, keep=True)
            await made.until_tracks(count)
        with pytest.raises(RecordingUnavailable, match="too often"):
            agree(bob)
        agree(bob, False)
        await made.until_tracks(0)
        agree(bob)
        assert state(ada) == ("on", ["chair", "bob"], True)


@unhurried
async def test_whoever_publishes_nothing_makes_no_track_and_no_news_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_recorder, "MAX_TRACKS", 1)
    async with studio(tmp_path) as made:
        ada, eve = made.enter(chair()), made.enter(Participant("eve", publishing="nothing"))
        record(ada)
        told = len(ada.got(RoomRecording))
        for agrees in (True, False) * 40:
            agree(eve, agrees)
        agree(eve)
        assert state(eve) == ("asked", [], True)
        assert len(ada.got(RoomRecording)) == told
        await until(made.any_there)
        eve.member.conference.publish("eve", "mic")
        assert state(ada) == ("on", ["eve"], None)
        eve.member.conference.publish("eve", "nothing")
        assert state(ada) == ("asked", [], None)
        for one in (ada, eve):
            one.member.conference.leave(one.id)
        manifest = await made.ended()
        assert (manifest.tracks, manifest.end) == ([], "room_ended")
        assert await made.files() == []


# --- a person who has been several participants ----------------------------------------------

NOBODY_KNOWN = Participant("new", session="s")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Participant("old", user="key/bob"), Participant("new", user="key/bob")),
        (Participant("old", user="key/bob", session="s"), Participant("new", user="key/bob")),
        (Participant("old", session="s"), NOBODY_KNOWN),
    ],
)
@pytest.mark.parametrize("leaves", [True, False])
@unhurried
async def test_to_withdraw_deletes_all_that_there_is_of_a_person(
    tmp_path: Path, first: Participant, second: Participant, leaves: bool
) -> None:
    """By whom they were earlier, or still are in another of their clients."""
    async with studio(tmp_path) as made:
        ada, other = made.enter(chair()), made.enter(Participant("other", session="o"))
        record(ada)
        agree(other)
        Microphone(other).send(20)
        bob = made.enter(first)
        for publishing in ("mic", "voice", "mic"):
            agree(bob)
            Microphone(bob).send(20)
            agree(bob, False, keep=True)
            bob.member.conference.publish(bob.id, publishing)
        agree(bob)
        Microphone(bob).send(20)
        await made.until_tracks(4)
        if leaves:
            bob.member.conference.leave(bob.id)
        again = made.enter(second)
        agree(again, False)
        await made.until_tracks(1)
        assert state(ada)[1] == ["other"]
        assert (await made.events()).count("recording.withdraw deleted") == 1
        record(ada, on=False)
        manifest = await made.ended()
        assert [track.participant for track in manifest.tracks] == ["other"]
        ada.member.conference.end("chair")


@unhurried
async def test_whoever_is_out_of_the_room_can_withdraw_and_for_their_other_clients(
    tmp_path: Path,
) -> None:
    async with studio(tmp_path) as made:
        ada, bob = made.enter(chair()), made.enter(Participant("bob", user="key/bob"))
        record(ada)
        agree(bob)
        Microphone(bob).send(20)
        await made.until_tracks(1)
        made.conferences.withdraw(HALL, Participant("", user="key/cat"), keep=False)
        assert state(ada) == ("on", ["bob"], None), "nobody withdraws for another one"
        made.conferences.withdraw(HALL, Participant("", user="key/bob"), keep=False)
        await made.until_tracks(0)
        assert state(bob) == ("asked", [], False)
        agree(bob)
        Microphone(bob).send(20)
        await made.until_tracks(1)
        ada.member.conference.kick("chair", "bob")
        made.conferences.withdraw(HALL, Participant("", user="key/bob"), keep=False)
        await made.until_tracks(0)
        made.conferences.withdraw(HALL, Participant("", user="key/bob"), keep=False)
        assert (await made.events()).count("recording.withdraw deleted") == 2
        ada.member.conference.leave(ada.id)
        with pytest.raises(NotRecording):
            made.conferences.withdraw(HALL, Participant("", user="key/bob"), keep=False)


@unhurried
async def test_to_withdraw_again_is_noted_only_if_anything_comes_of_it(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        agree(ada)
        Microphone(ada).send(20)
        await made.until_tracks(1)
        for _ in range(5):
            agree(ada, False, keep=True)
        for _ in range(5):
            agree(ada, False)
        await made.until_tracks(0)
        assert (await made.events())[2:] == [
            "recording.withdraw kept",
            "recording.withdraw deleted",
        ]


# --- nobody there for a moment ----------------------------------------------------------------


@unhurried
async def test_it_goes_on_while_somebody_lost_may_come_back(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        agree(ada)
        Microphone(ada).send(20)
        ada.member.conference.leave(ada.id, back_within_s=PATIENCE_S)
        assert len(made.conferences) == 1
        back = made.enter(chair())
        assert state(back) == ("on", ["chair"], True)
        assert len(back.got(RoomRecording)) == 1, "told once"
        Microphone(back).send(20)
        back.member.conference.leave(back.id)
        assert len(made.conferences) == 0
        manifest = await made.ended()
        assert [track.participant for track in manifest.tracks] == ["chair", "chair"]


@unhurried
async def test_it_ends_when_nobody_comes_back(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        ada.member.conference.leave(ada.id, back_within_s=0.05)
        assert len(made.conferences) == 1

        async def is_over() -> bool:
            return len(made.conferences) == 0

        await until(is_over)
        assert (await made.ended()).end == "room_ended"


@unhurried
async def test_what_was_withdrawn_goes_also_where_a_file_could_not_be_removed_at_first(
    tmp_path: Path,
) -> None:
    class Stuck(RecordingStore):
        stuck = 0

        def apply(self, recording_id: str, changes: Changes) -> None:
            if changes.deleted and not self.stuck:
                self.stuck += 1
                raise OSError(errno.EIO, "Input/output error")
            super().apply(recording_id, changes)

    async with studio(tmp_path) as made:
        store = made.recordings._store = Stuck(made.folder)
        ada = made.enter(chair())
        record(ada)
        agree(ada)
        Microphone(ada).send(20)
        await made.until_tracks(1)
        agree(ada, False)
        assert await until_off(ada) == "failed"
        await made.until_tracks(0)
        assert store.stuck == 1


@unhurried
async def test_old_recordings_are_removed_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recordings, "PURGE_EVERY_S", 0.05)
    long_ago_s = time.time() - 2 * 86_400

    def keep(recording_id: str) -> None:
        folder = recorded.keep(made.store, [], recording_id=recording_id)
        os.utime(folder / MANIFEST, (long_ago_s, long_ago_s))

    async with studio(tmp_path, RecordingLimits(min_free_bytes=0, keep_days=1.0)) as made:
        purging = asyncio.create_task(made.recordings.purge())
        for number, one in enumerate((recorded.ID, recorded.OTHER_ID), 1):
            await asyncio.to_thread(keep, one)

            async def is_noted(number: int = number) -> bool:
                return await made.events() == ["recording.delete expired"] * number

            await until(is_noted)
        purging.cancel()
        await asyncio.gather(purging, return_exceptions=True)
        assert await made.records() == []
        await Recordings(made.store, RecordingLimits(keep_days=0), made.audit).purge()


@unhurried
async def test_what_was_written_so_far_plays_without_an_end(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        ada = made.enter(chair())
        record(ada)
        agree(ada)
        Microphone(ada).send(20)
        await made.until_tracks(1)
        [found] = await made.records()
        assert found.goes_on(time.time())
        assert (await played((await made.files())[0])).size > 0
        manifest = found.manifest
        assert manifest is not None
        assert (manifest.ended_s, len(manifest.tracks)) == (None, 1)


@unhurried
async def test_words_are_kept_of_those_who_are_recorded_and_speak_by_text(tmp_path: Path) -> None:
    async with studio(tmp_path) as made:
        bot, ada = (
            made.enter(Participant("bot", name="Bot", publishing="voice", may_manage=True)),
            made.enter(Participant("ada", publishing="mic")),
        )
        record(bot)
        for one in (bot, ada):
            desk = one.member.conference.recording
            word = Word(
                utterance_id="u", text="Hello", start_ms=0, end_ms=300, char_start=0, char_end=5
            )
            text = Caption(utterance_id="u", text="Hello.", start_ms=0, char_start=0, char_end=6)
            desk.word(one.id, word)
            agree(one)
            desk.piece(one.id, text)
            desk.word(one.id, word)
            Microphone(ada).send(1)
        packet = MediaPacket(0, 1, 960, OpusEncoder().encode(np.zeros(960, np.int16)))
        bot.member.conference.push(bot.id, "voice", packet)
        record(bot, on=False)
        manifest = await made.ended()
        theirs = {track.participant: track.words for track in manifest.tracks}
        assert theirs == {"bot": "track-001.words.jsonl", "ada": ""}
        path = made.folder / manifest.recording_id / theirs["bot"]
        [line] = (await asyncio.to_thread(path.read_bytes)).splitlines()
        assert msgspec.json.decode(line)["written"] == "Hello."
