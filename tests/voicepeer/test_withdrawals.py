"""Whoever was recorded has that deleted when it is over: by the same token's subject, or by the
session; nobody else does, unless they manage."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from aiohttp import ClientSession

from signaling.config import AuthConfig, SignalingConfig
from tests.peers.leaks import nothing_left_behind
from tests.peers.service import LocalService, running
from tests.signaling.tokens import TOKENS, token
from tests.voicepeer.recorded import ID, OTHER_ID, keep, track_of
from voicepeer.audit import Audit
from voicepeer.client import RequestFailed, VoicePeerClient
from voicepeer.conference import Conferences
from voicepeer.core.recording.manifest import MANIFEST, Manifest
from voicepeer.recording_mix import CAPTIONS, MIX
from voicepeer.recording_store import RecordingStore, manifest_of
from voicepeer.recordings import Recordings
from voicepeer.room_recorder import RecordingLimits

pytestmark = pytest.mark.peer

PEOPLE = ["user acme/ada", "user acme/bob", "user acme/ada", "session 0123456789abcdef", ""]
"""Of ``p1`` to ``p5``."""

ALL = ["p1", "p2", "p3", "p4", "p5"]


class Archive:
    """A service with recordings, and what is in its folder."""

    def __init__(self, folder: Path) -> None:
        self.store = RecordingStore(folder / "recordings")
        self.audit_file = folder / "audit.jsonl"
        self.audit = Audit(self.audit_file)
        self.recordings = Recordings(self.store, RecordingLimits(min_free_bytes=0), self.audit)
        self.service = LocalService(
            config=SignalingConfig(auth=AuthConfig(tokens=TOKENS)),
            conferences=Conferences(recordings=self.recordings),
            recorded=self.recordings.withdrawals,
        )

    async def keep(self, **changes: Any) -> Path:  # noqa: ANN401 - those of ``recorded.keep``
        """A recording of ``PEOPLE`` in the room ``hall``, and a mix of it."""
        tracks = [track_of(np.zeros(960, np.float32))] * len(PEOPLE)
        folder = await asyncio.to_thread(
            lambda: keep(self.store, tracks, people=PEOPLE, tenant="acme", **changes)
        )
        for made in (MIX, CAPTIONS):
            (folder / made).write_bytes(b"all voices")
        return folder

    async def manifest(self, recording_id: str = ID) -> Manifest:
        return await asyncio.to_thread(manifest_of, self.store.folder / recording_id)

    async def left(self) -> list[str]:
        return [track.participant for track in (await self.manifest()).tracks]

    async def noted(self) -> list[dict[str, str]]:
        """Of the audit log."""
        text = await asyncio.to_thread(self.audit_file.read_text)
        return [json.loads(line) for line in text.splitlines()]

    async def ask(self, method: str, path: str, bearer: str) -> tuple[int, dict[str, Any]]:
        """What is answered below ``/v1/recordings``."""
        headers = {"Authorization": f"Bearer {bearer}"}
        url = f"{self.service.url}/v1/recordings{path}"
        async with ClientSession(headers=headers) as http, http.request(method, url) as answer:
            return answer.status, await answer.json()

    async def listed(self, bearer: str) -> list[tuple[str, list[str]]]:
        status, answer = await self.ask("GET", "", bearer)
        assert status == 200
        return [(one["id"], one["participants"]) for one in answer["data"]]

    async def delete(self, participant: str, bearer: str, recording_id: str = ID) -> int:
        status, answer = await self.ask(
            "DELETE", f"/{recording_id}/participants/{participant}", bearer
        )
        assert status == 200 or answer["error"]["code"] in ("not_recorded", "recorded_still")
        return status


@asynccontextmanager
async def archive(folder: Path) -> AsyncIterator[Archive]:
    async with nothing_left_behind():
        made = await asyncio.to_thread(Archive, folder)
        async with running(made.service):
            yield made
        await made.recordings.close()
        made.audit.close()


# --- over HTTP --------------------------------------------------------------------------------


async def test_a_subject_finds_and_deletes_what_is_theirs_whoever_they_were(
    tmp_path: Path,
) -> None:
    async with archive(tmp_path) as made:
        folder = await made.keep()
        ada = token(sub="ada", rights=["speak"])
        assert await made.listed(ada) == [(ID, ["p1", "p3"])]
        status, answer = await made.ask("DELETE", f"/{ID}/participants/p3", ada)
        assert (status, answer["participants"], answer["tracks_deleted"]) == (200, ["p1", "p3"], 2)
        assert await made.left() == ["p2", "p4", "p5"]
        files = await asyncio.to_thread(lambda: sorted(path.name for path in folder.iterdir()))
        assert files == [MANIFEST, "track-002.opus", "track-004.opus", "track-005.opus"]
        assert await made.listed(ada) == []
        assert await made.delete("p1", ada) == 404
        [line] = await made.noted()
        assert (line["event"], line["subject"]) == ("recording.withdraw", "ada")
        assert (line["recording_id"], line["reason"]) == (ID, "deleted")


STRANGERS: list[dict[str, Any]] = [
    {"sub": "bob"},
    {"sub": "eve", "rights": ["speak", "listen", "manage"]},
    {"sub": None},
    {"sub": "ada", "room": "another"},
    {"sub": None, "room": "another", "rights": ["manage"]},
    {"sub": "ada", "kid": "bolt.2"},
    {"sub": None, "kid": "bolt.2", "rights": ["manage"]},
]
"""None of whom is the one that was recorded, or manages the room that it was in."""


async def test_for_all_others_it_is_not_there(tmp_path: Path) -> None:
    async with archive(tmp_path) as made:
        await made.keep()
        await made.keep(recording_id=OTHER_ID, length_s=None)
        for claims in STRANGERS:
            other = token(**claims)
            found = {one for _, found in await made.listed(other) for one in found}
            assert found <= {"p2"}, claims
            assert await made.delete("p1", other) == 404, claims
            assert await made.delete("p1", other, OTHER_ID) == 404, "nor that it goes on"
        assert await made.left() == ALL
        made.store.release(OTHER_ID)


async def test_whoever_manages_deletes_those_of_their_key(tmp_path: Path) -> None:
    """Of whom there is only a session, too, which then has no other way."""
    async with archive(tmp_path) as made:
        await made.keep()
        manager = token(sub=None, rights=["manage"])
        assert await made.listed(manager) == [(ID, ALL)]
        for participant, left in (
            ("p4", ["p1", "p2", "p3", "p5"]),
            ("p5", ["p1", "p2", "p3"]),
            ("p1", ["p2"]),
        ):
            assert await made.delete(participant, manager) == 200
            assert await made.left() == left
        lines = await made.noted()
        assert [line["event"] for line in lines] == ["recording.delete"] * 3
        assert [line["participant_id"] for line in lines] == ["p4", "p5", "p1"]


async def test_while_it_goes_on_the_room_is_the_place_for_that(tmp_path: Path) -> None:
    async with archive(tmp_path) as made:
        await made.keep(length_s=None)
        ada = token(sub="ada")
        status, answer = await made.ask("GET", "", ada)
        assert (status, [one["ended_at"] for one in answer["data"]]) == (200, [None])
        assert await made.delete("p1", ada) == 409
        assert await made.left() == ALL
        made.store.release(ID)
        # Its process is gone, so that it was interrupted.
        assert await made.delete("p1", ada) == 200


async def test_what_is_no_recording_is_not_found(tmp_path: Path) -> None:
    async with archive(tmp_path) as made:
        await made.keep()
        for recording_id in (OTHER_ID, "..%2frecordings", ".removed-x", "%2e%2e%2fkey", "x" * 400):
            assert await made.delete("p1", token(), recording_id) == 404
        assert await made.left() == ALL


async def test_a_folder_that_cannot_be_read_is_said_so_and_not_taken_for_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with archive(tmp_path) as made:
        await made.keep()

        def fail(*_: object) -> None:
            raise OSError(5, "Input/output error")

        monkeypatch.setattr(RecordingStore, "records", fail)
        monkeypatch.setattr(RecordingStore, "delete_tracks", fail)
        for method, path in (("GET", ""), ("DELETE", f"/{ID}/participants/p1")):
            status, answer = await made.ask(method, path, token())
            assert (status, answer["error"]["code"]) == (503, "recording_unavailable")
            assert "Input/output" not in answer["error"]["message"]


async def test_keys_are_asked_for(tmp_path: Path) -> None:
    async with archive(tmp_path) as made:
        for method, path in (("GET", ""), ("DELETE", f"/{ID}/participants/p1")):
            assert (await made.ask(method, path, "wrong"))[0] == 401


# --- from a session ---------------------------------------------------------------------------


@asynccontextmanager
async def recorded_session(
    made: Archive, bearer: str
) -> AsyncIterator[tuple[VoicePeerClient, str]]:
    """Somebody who was recorded in a recording that has ended, and its id."""
    async with VoicePeerClient(made.service.url, room="hall", token=bearer) as client:
        await client.use_voice("mid")
        await client.join_room("voice")
        asked = await client.record_room()
        await client.agree_to_recording()
        await client.say("This is on record.")
        await client.record_room(False)
        yield client, asked.recording_id


async def test_a_session_without_a_subject_deletes_its_own_also_when_it_was_lost_meanwhile(
    tmp_path: Path,
) -> None:
    bearer = token(sub=None, rights=["speak", "listen", "manage"])
    async with (
        archive(tmp_path) as made,
        recorded_session(made, bearer) as (ada, recording_id),
        VoicePeerClient(made.service.url, room="hall", token=bearer) as bob,
        VoicePeerClient(made.service.url, room="other", token=bearer) as eve,
    ):
        for other in (bob, eve):
            with pytest.raises(RequestFailed) as refusal:
                await other.withdraw_from_recording(recording_id)
            assert refusal.value.code == "not_recorded"
        assert (await made.manifest(recording_id)).tracks
        await ada.reconnect()
        await ada.withdraw_from_recording(recording_id)
        assert (await made.manifest(recording_id)).tracks == []
        with pytest.raises(RequestFailed):
            await ada.withdraw_from_recording(recording_id)
        line = (await made.noted())[-1]
        assert (line["event"], line["reason"]) == ("recording.withdraw", "deleted")
        assert "subject" not in line


async def test_another_session_of_the_same_subject_can_as_well(tmp_path: Path) -> None:
    bearer = token(sub="ada", rights=["speak", "listen", "manage"])
    async with archive(tmp_path) as made:
        async with recorded_session(made, bearer) as (_, recording_id):
            pass
        assert (await made.manifest(recording_id)).tracks
        async with VoicePeerClient(made.service.url, room="hall", token=bearer) as later:
            await later.withdraw_from_recording(recording_id)
        assert (await made.manifest(recording_id)).tracks == []
        assert (await made.noted())[-1]["subject"] == "ada"


async def test_in_a_recording_that_goes_on_it_is_to_agree_no_more(tmp_path: Path) -> None:
    bearer = token(sub="ada", rights=["speak", "listen", "manage"])
    async with (
        archive(tmp_path) as made,
        VoicePeerClient(made.service.url, room="hall", token=bearer) as ada,
    ):
        await ada.use_voice("mid")
        await ada.join_room("voice")
        asked = await ada.record_room()
        await ada.agree_to_recording()
        await ada.say("This is on record.")
        await ada.withdraw_from_recording(asked.recording_id)
        told = await ada.record_room()
        assert (told.recording_id, told.state, told.answer) == (
            asked.recording_id,
            "asked",
            False,
        )
        await ada.record_room(False)
        await made.recordings.close()
        assert (await made.manifest(asked.recording_id)).tracks == []


async def test_where_nothing_is_recorded_there_is_nothing_to_withdraw() -> None:
    async with running() as service, VoicePeerClient(service.url, room="hall") as ada:
        with pytest.raises(RequestFailed) as refusal:
            await ada.withdraw_from_recording(ID)
        assert refusal.value.code == "not_recorded"
