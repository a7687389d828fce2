"""The folder of recordings, and the commands for it."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.progress import no_progress
from tests.voicepeer.commandline import voicepeer
from tests.voicepeer.recorded import ID, OTHER_ID, keep, track_of
from voicepeer.core.errors import CannotWrite, RecordingNotFound
from voicepeer.core.recording.manifest import (
    MANIFEST,
    VERSION,
    Manifest,
    Track,
    is_recording_id,
    read_manifest,
    write_manifest,
)
from voicepeer.core.recording.transcript import Said
from voicepeer.recording_mix import CAPTIONS, MIX, PART, mix
from voicepeer.recording_store import INTERRUPTED_S, Changes, RecordingStore

pytestmark = pytest.mark.unit

SAID = [Said(utterance=1, written="Hello.", start_ms=0.0, end_ms=300.0)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RecordingStore]:
    made = RecordingStore(tmp_path / "recordings")
    yield made
    for one in (ID, OTHER_ID):
        made.release(one)


@pytest.fixture
def two_tracks(store: RecordingStore) -> Path:
    """A recording of two."""
    pcm = np.zeros(48_000, np.float32)
    return keep(store, [track_of(pcm), track_of(pcm, 0.5)], SAID)


# --- manifests --------------------------------------------------------------------------------


def test_a_manifest_is_read_as_it_was_written() -> None:
    track = Track(file="track-001.opus", participant="p", name="Zoë", offset_ms=12.5)
    manifest = Manifest(
        recording_id=ID, tenant="key", room="hall", begun_s=1.0, ended_s=3.5, tracks=[track]
    )
    assert read_manifest(write_manifest(manifest)) == manifest
    assert manifest.length_s == 2.5


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_nonsense_is_no_manifest(data: bytes) -> None:
    with pytest.raises(RecordingNotFound):
        read_manifest(data)


@pytest.mark.parametrize(
    "fields",
    [
        {"file": "../../etc/passwd"},
        {"file": "/track-001.opus"},
        {"file": "track-001.opus\n"},
        {"words": "../track-001.words.jsonl"},
    ],
)
def test_a_manifest_leads_to_no_other_files(fields: dict[str, str]) -> None:
    track = {"file": "track-001.opus", "participant": "p", "name": "", "offset_ms": 0, **fields}
    manifest = {"recording_id": ID, "tenant": "", "room": "", "begun_s": 0, "tracks": [track]}
    with pytest.raises(RecordingNotFound, match="which is no track"):
        read_manifest(json.dumps(manifest).encode())


def test_a_manifest_of_a_later_version_is_left_alone() -> None:
    manifest = Manifest(version=VERSION + 1, recording_id=ID, tenant="", room="", begun_s=0.0)
    with pytest.raises(RecordingNotFound, match="update voicepeer"):
        read_manifest(write_manifest(manifest))


@pytest.mark.parametrize("name", ["", "..", f"{ID}/..", f"../{ID}", f"{ID}\n", ID.upper(), "mix"])
def test_only_our_names_are_ids(store: RecordingStore, two_tracks: Path, name: str) -> None:
    assert not is_recording_id(name)
    with pytest.raises(RecordingNotFound):
        store.find(name)
    with pytest.raises(RecordingNotFound):
        store.delete(name)


# --- the folder -------------------------------------------------------------------------------


def test_recordings_are_found_and_nothing_else(store: RecordingStore, two_tracks: Path) -> None:
    (store.folder / "notes.txt").write_text("mine")
    (store.folder / "other").mkdir()
    (store.folder / OTHER_ID).symlink_to("/etc", target_is_directory=True)
    [found] = store.records()
    assert (found.recording_id, found.manifest is not None) == (ID, True)
    assert found.size == sum(path.stat().st_size for path in two_tracks.iterdir())
    with pytest.raises(RecordingNotFound, match="voicepeer recording list"):
        store.delete(OTHER_ID)
    assert Path("/etc").is_dir()


def test_one_that_cannot_be_read_is_shown_and_can_be_deleted(
    store: RecordingStore, two_tracks: Path
) -> None:
    (two_tracks / MANIFEST).write_text("{}")
    [found] = store.records()
    assert found.manifest is None
    store.delete(ID)
    assert store.records() == []
    assert RecordingStore(store.folder / "nowhere").records() == []


def test_the_same_recording_is_not_begun_twice(store: RecordingStore, two_tracks: Path) -> None:
    with pytest.raises(FileExistsError):
        keep(store, [])


def test_one_goes_on_until_it_has_ended_or_nobody_writes(store: RecordingStore) -> None:
    keep(store, [], length_s=None)
    [found] = store.records()
    assert found.goes_on(found.written_s + INTERRUPTED_S - 1)
    assert not found.goes_on(found.written_s + INTERRUPTED_S)
    store.apply(ID, Changes())
    assert store.find(ID).written_s >= found.written_s


def test_what_is_old_goes_and_what_is_written_to_stays(
    store: RecordingStore, two_tracks: Path
) -> None:
    keep(store, [], recording_id=OTHER_ID, length_s=None)
    assert store.purge(1_009.0) == []
    assert store.purge(1_011.0) == [ID]
    assert [one.recording_id for one in store.records()] == [OTHER_ID]


def test_what_is_made_of_a_recording_makes_it_no_younger(
    store: RecordingStore, two_tracks: Path
) -> None:
    voicepeer("recording", "mix", str(two_tracks))
    store.delete_participant(ID, "p1", time.time())
    assert store.purge(1_011.0) == [ID]


def test_an_interrupted_one_is_known_at_once_and_as_old_as_its_last_words(
    store: RecordingStore,
) -> None:
    folder = keep(store, [track_of(np.zeros(48_000, np.float32))], length_s=None)
    assert store.find(ID).goes_on(time.time())
    store.release(ID)
    assert not store.find(ID).goes_on(time.time())
    long_ago_s = time.time() - 5_000
    os.utime(folder / MANIFEST, (long_ago_s, long_ago_s))
    voicepeer("recording", "mix", str(folder))
    [shown] = voicepeer("recording", "list", "--folder", str(store.folder), "--json").json
    assert shown["state"] == "interrupted"
    store.delete_participant(ID, "p1", time.time())
    assert store.purge(long_ago_s - 1) == []
    assert store.purge(long_ago_s + 1) == [ID]


def test_nothing_is_left_of_one_that_is_deleted_while_it_is_written(store: RecordingStore) -> None:
    """A file that comes into a folder that is being emptied would keep it from going."""
    over = threading.Event()

    def write() -> None:
        number = 0
        while not over.is_set():
            number += 1
            try:
                store.apply(ID, Changes(begun={f"track-{number:03d}.opus": bytes(10)}))
            except OSError:
                continue

    writing = threading.Thread(target=write)
    writing.start()
    try:
        for _ in range(20):
            keep(store, [])
            store.delete(ID)
    finally:
        over.set()
        writing.join()
    assert list(store.folder.iterdir()) == []


def test_what_was_left_of_a_deletion_goes_with_the_next_purge(
    store: RecordingStore, two_tracks: Path
) -> None:
    rest = two_tracks.rename(store.folder / f".removed-{ID}")
    assert store.records() == []
    assert store.purge(0.0) == []
    assert not rest.exists()


def test_one_participant_goes_with_all_that_was_made_of_them(
    store: RecordingStore, two_tracks: Path
) -> None:
    for made in (MIX, CAPTIONS):
        (two_tracks / made).write_bytes(b"all voices")
    now_s = time.time()
    assert store.delete_participant(ID, "p1", now_s) == 1
    assert sorted(path.name for path in two_tracks.iterdir()) == [MANIFEST, "track-002.opus"]
    manifest = store.find(ID).manifest
    assert manifest is not None
    assert [track.participant for track in manifest.tracks] == ["p2"]
    with pytest.raises(RecordingNotFound, match="no track"):
        store.delete_participant(ID, "p1", now_s)


def test_of_a_mix_that_was_just_being_made_nothing_stays(
    store: RecordingStore, two_tracks: Path
) -> None:
    """Whoever is deleted is in no mix that gets its name after that."""

    def delete(_what: str, share: float) -> None:
        if share == 1.0:
            store.delete_participant(ID, "p1", time.time())

    with pytest.raises(CannotWrite):
        mix(two_tracks, delete)
    assert sorted(path.name for path in two_tracks.iterdir()) == [MANIFEST, "track-002.opus"]


def test_a_mix_that_got_its_name_in_time_is_taken_back(
    store: RecordingStore, two_tracks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.replace

    def delete_after(source: Path, target: Path) -> None:
        rename(source, target)
        if target.name == MIX:
            monkeypatch.undo()
            nobody = msgspec.structs.replace(read_manifest_of(two_tracks), tracks=[])
            store.apply(ID, Changes(manifest=nobody))

    monkeypatch.setattr(os, "replace", delete_after)
    with pytest.raises(CannotWrite, match="mix it again"):
        mix(two_tracks, no_progress)
    assert not (two_tracks / MIX).exists()
    assert not (two_tracks / CAPTIONS).exists()


def test_many_who_are_deleted_at_once_all_go(store: RecordingStore) -> None:
    """None of them writes another one back into the manifest."""
    one = track_of(np.zeros(960, np.float32))
    folder = keep(store, [one] * 12)
    deleting = [
        threading.Thread(target=store.delete_participant, args=(ID, f"p{number}", time.time()))
        for number in range(1, 12)
    ]
    for thread in deleting:
        thread.start()
    for thread in deleting:
        thread.join()
    assert [track.participant for track in read_manifest_of(folder).tracks] == ["p12"]
    assert sorted(path.name for path in folder.iterdir()) == [MANIFEST, "track-012.opus"]


def test_a_recording_is_listed_while_another_changes_it(store: RecordingStore) -> None:
    """Who writes a manifest, or takes a track out, has files there that are gone at once."""
    folder = keep(store, [track_of(np.zeros(960, np.float32))])
    over = threading.Event()

    def change() -> None:
        while not over.is_set():
            (folder / f".{MANIFEST}.half").touch()
            (folder / f".{MANIFEST}.half").unlink()

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(300):
            assert [one.recording_id for one in store.records()] == [ID]
    finally:
        over.set()
        changing.join()


def read_manifest_of(folder: Path) -> Manifest:
    return read_manifest((folder / MANIFEST).read_bytes())


def test_nobody_is_taken_out_of_a_recording_that_goes_on(store: RecordingStore) -> None:
    keep(store, [track_of(np.zeros(48_000, np.float32))], length_s=None)
    with pytest.raises(RecordingNotFound, match="has not ended"):
        store.delete_participant(ID, "p1", time.time())
    assert store.delete_participant(ID, "p1", time.time() + INTERRUPTED_S) == 1


# --- the commands -----------------------------------------------------------------------------


def test_list_tells_of_all_and_of_none(store: RecordingStore, two_tracks: Path) -> None:
    keep(store, [], recording_id=OTHER_ID, length_s=None)
    ran = voicepeer("recording", "list", "--folder", str(store.folder), "--json")
    first, second = ran.json
    assert (first["recording_id"], first["state"], first["length_s"]) == (ID, "ended", 10.0)
    assert (first["tracks"], first["participants"], first["room"]) == (2, ["p1", "p2"], "hall")
    assert (second["recording_id"], second["state"]) == (OTHER_ID, "going on")
    shown = voicepeer("recording", "list", "--folder", str(store.folder)).out.splitlines()
    assert shown[0].split() == "ID ROOM BEGUN STATE SECONDS TRACKS BYTES PARTICIPANTS".split()
    assert (shown[1].split()[0], shown[1].split()[-2:]) == (ID, ["p1", "p2"])
    nothing = voicepeer("recording", "list", "--folder", str(store.folder / "nowhere"))
    assert (nothing.code, nothing.out) == (0, "")
    assert "no recordings" in nothing.err


def test_mix_takes_a_folder_or_an_id(store: RecordingStore, two_tracks: Path) -> None:
    ran = voicepeer("recording", "mix", str(two_tracks), "--json")
    assert ran.code == 0
    assert ran.json["wav"] == str(two_tracks / MIX)
    assert ran.json["length_s"] == pytest.approx(1.5, abs=0.03)
    assert (ran.json["tracks"], ran.json["cues"]) == (2, 1)
    shown = voicepeer("recording", "mix", ID, "--folder", str(store.folder), "--again")
    assert shown.out.splitlines()[0] == f"{two_tracks / MIX}: 1.5 s, 2 tracks"


def test_two_do_not_mix_the_same_recording(store: RecordingStore, two_tracks: Path) -> None:
    """The second is refused while the first one writes, and finds the mix after that."""
    refused: list[str] = []

    def again(stage: str, share: float) -> None:
        ran = voicepeer("recording", "mix", str(two_tracks), *(["--again"] if refused else []))
        assert ran.code == 1
        refused.append(ran.complaint)

    made = mix(two_tracks, again)
    assert len(refused) >= 2
    assert all("being mixed already" in one for one in refused)
    assert made.length_s == pytest.approx(1.5, abs=0.03)
    assert not (two_tracks / PART).exists()
    shown = voicepeer("recording", "mix", str(two_tracks), "--json")
    assert shown.json["length_s"] == pytest.approx(1.5, abs=0.03)


def test_one_that_goes_on_is_not_mixed(store: RecordingStore) -> None:
    folder = keep(store, [], length_s=None)
    ran = voicepeer("recording", "mix", str(folder))
    assert ran.code == 1
    assert "goes on still" in ran.complaint


def test_delete_is_noted_without_content(
    store: RecordingStore, two_tracks: Path, tmp_path: Path
) -> None:
    log = tmp_path / "audit.jsonl"
    options = ["--folder", str(store.folder), "--set", f"audit.file={log}"]
    ran = voicepeer("recording", "delete", ID, "--participant", "p2", *options, "--json")
    assert ran.json == {"deleted": ID, "participant": "p2", "tracks": 1}
    assert "deleted" in voicepeer("recording", "delete", ID, *options).err
    assert not two_tracks.exists()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["event"] for line in lines] == ["recording.delete"] * 2
    assert lines[0]["participant_id"] == "p2"
    assert {line["recording_id"] for line in lines} == {ID}
    again = voicepeer("recording", "delete", ID, *options)
    assert (again.code, "there is no recording" in again.complaint) == (1, True)


def test_without_a_folder_it_is_asked_for() -> None:
    ran = voicepeer("recording", "list")
    assert ran.code == 2
    assert "--folder" in ran.complaint
