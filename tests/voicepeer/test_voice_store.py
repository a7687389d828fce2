"""Saved voices in a real SQLite file and in a real Redis; and files that are broken."""

from __future__ import annotations

import multiprocessing
import sqlite3
import stat
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api import Voice
from voicepeer.core.errors import VoiceNotFound
from voicepeer.database import VoiceStoreUnusable
from voicepeer.owners import Owners
from voicepeer.stores import Stores, Voices
from voicepeer.voice_store import (
    AsyncVoiceStore,
    ConsentRecord,
    VoiceAmbiguous,
    VoiceExists,
    VoiceRecord,
    VoiceStore,
    new_voice_id,
)

pytestmark = pytest.mark.unit

NOW = 4_000_000_000.0
"""Well ahead of the clock of any machine, or a Redis would end at once what is to end later."""


def record(name: str = "Ada", expires: float | None = None, seed: int = 0) -> VoiceRecord:
    values = np.random.default_rng(seed).normal(size=64).astype(np.float32)
    return VoiceRecord(
        voice_id=new_voice_id(),
        name=name,
        voice=Voice("fake", "1", {"style": values}),
        consent=ConsentRecord("I agree that my voice is cloned.", "the speaker", NOW - 5),
        created=NOW,
        expires=expires,
        embedding=values[:32] / np.linalg.norm(values[:32]),
        quality=0.8,
        source="call 1",
    )


@pytest.fixture
def store(place: Stores) -> Voices:
    """Any: what is asked of it holds wherever voices are kept."""
    return place.voices


@pytest.fixture
def file(tmp_path: Path) -> VoiceStore:
    return VoiceStore(tmp_path / "deep" / "voices.sqlite")


def assert_same(a: VoiceRecord, b: VoiceRecord) -> None:
    assert replace(a, voice=b.voice, embedding=None) == replace(b, embedding=None)
    assert a.voice.to_bytes() == b.voice.to_bytes()
    if a.embedding is None or b.embedding is None:
        assert a.embedding is b.embedding
    else:
        np.testing.assert_array_equal(a.embedding, b.embedding)


def test_a_voice_comes_back_as_it_was(store: Voices) -> None:
    kept = record()
    store.put(kept)
    assert_same(store.get(kept.voice_id, NOW), kept)


def test_what_may_be_absent_comes_back_absent(store: Voices) -> None:
    kept = replace(record(), embedding=None, quality=None)
    store.put(kept)
    assert_same(store.get(kept.voice_id, NOW), kept)


def test_ids_are_random_and_of_128_bits() -> None:
    ids = {new_voice_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(len(bytes.fromhex(one)) == 16 for one in ids)


def test_a_later_state_replaces_an_earlier_one(store: Voices) -> None:
    first = record(expires=NOW + 300)
    store.put(first)
    store.put(replace(first, name="Ada Lovelace", expires=None))
    assert [one.name for one in store.records(NOW + 10_000)] == ["Ada Lovelace"]


def test_replacing_can_be_forbidden(store: Voices) -> None:
    first = record()
    store.put(first)
    with pytest.raises(VoiceExists, match=first.voice_id):
        store.put(replace(first, name="other"), replace=False)
    assert store.get(first.voice_id, NOW).name == "Ada"


@pytest.mark.parametrize(
    ("expires", "at", "there"),
    [
        (None, NOW + 1e9, True),
        (NOW + 300, NOW + 299.9, True),
        (NOW + 300, NOW + 300, False),
        (NOW + 300, NOW + 301, False),
    ],
)
def test_a_voice_is_gone_when_its_time_is_over(
    store: Voices, expires: float | None, at: float, there: bool
) -> None:
    kept = record(expires=expires)
    store.put(kept)
    assert len(store.records(at)) == there
    assert store.purge(at) == (not there)
    if there:
        assert store.get(kept.voice_id, at).name == "Ada"
    else:
        with pytest.raises(VoiceNotFound):
            store.get(kept.voice_id, at)


def test_an_expired_voice_is_not_found_before_it_is_purged(store: Voices) -> None:
    kept = record(expires=NOW + 1)
    store.put(kept)
    with pytest.raises(VoiceNotFound):
        store.get(kept.voice_id, NOW + 2)
    with pytest.raises(VoiceNotFound):
        store.find("Ada", NOW + 2)


def test_the_newest_voice_is_listed_first(store: Voices) -> None:
    for age, name in [(30, "old"), (10, "new"), (20, "middle")]:
        store.put(replace(record(name), created=NOW - age))
    assert [one.name for one in store.records(NOW)] == ["new", "middle", "old"]


def test_a_voice_is_found_by_id_and_by_name(store: Voices) -> None:
    ada, bob = record("Ada"), record("Bob")
    store.put(ada)
    store.put(bob)
    assert store.find(ada.voice_id, NOW).name == "Ada"
    assert store.find("Bob", NOW).voice_id == bob.voice_id
    with pytest.raises(VoiceNotFound, match="list of all"):
        store.find("Eve", NOW)


def test_an_ambiguous_name_lists_the_ids(store: Voices) -> None:
    twins = [record("Ada"), record("Ada", seed=1)]
    for twin in twins:
        store.put(twin)
    with pytest.raises(VoiceAmbiguous) as caught:
        store.find("Ada", NOW)
    assert all(twin.voice_id in str(caught.value) for twin in twins)


@pytest.mark.parametrize("key", ["'; DROP TABLE voices; --", "", "x" * 100_000, "\x00", "名前"])
def test_hostile_keys_find_nothing_and_break_nothing(store: Voices, key: str) -> None:
    store.put(record())
    with pytest.raises(VoiceNotFound):
        store.find(key, NOW)
    assert len(store.records(NOW)) == 1


def bytes_on_disk(file: VoiceStore) -> bytes:
    return b"".join(path.read_bytes() for path in file.path.parent.iterdir())


@pytest.mark.parametrize("how", ["delete", "purge"])
def test_deletion_leaves_no_bytes_of_the_voice_on_the_disk(file: VoiceStore, how: str) -> None:
    kept, other = record("Traceable", expires=NOW + 1), record("Other", seed=1)
    assert kept.embedding is not None
    secret = kept.voice.arrays["style"].tobytes() + kept.embedding.tobytes()
    # In pieces, because a value may lie on several pages.
    marks = [b"Traceable", *(secret[at : at + 12] for at in range(0, len(secret), 12))]
    file.put(kept)
    file.put(other)
    assert sum(mark in bytes_on_disk(file) for mark in marks) > 0.9 * len(marks)
    # A reader that stays open keeps the write-ahead log alive, as in a running service.
    with sqlite3.connect(file.path) as reader:
        reader.execute("SELECT count(*) FROM voices").fetchone()
        if how == "delete":
            file.delete(kept.voice_id)
        else:
            assert file.purge(NOW + 2) == 1
        assert not any(mark in bytes_on_disk(file) for mark in marks)
    assert [one.name for one in file.records(NOW)] == ["Other"]


def test_a_voice_gets_another_name_from_its_owner_only(store: Voices) -> None:
    kept = replace(record(), owner="ada")
    store.put(kept)
    store.rename(kept.voice_id, "Grace", Owners(("ada",)))
    assert_same(store.get(kept.voice_id, NOW), replace(kept, name="Grace"))
    with pytest.raises(VoiceNotFound):
        store.rename(kept.voice_id, "mine", Owners(("bob",)))
    with pytest.raises(VoiceNotFound):
        store.rename(new_voice_id(), "nobody's")
    assert [one.name for one in store.records(NOW)] == ["Grace"]


def test_deleting_what_is_not_there_says_so(store: Voices) -> None:
    with pytest.raises(VoiceNotFound):
        store.delete(new_voice_id())


def test_files_are_the_owners_alone(file: VoiceStore) -> None:
    with sqlite3.connect(file.path.parent.parent / "unrelated"):
        file.put(record())
        with sqlite3.connect(file.path) as reader:
            reader.execute("SELECT count(*) FROM voices").fetchone()
            modes = {stat.S_IMODE(path.stat().st_mode) for path in file.path.parent.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700


# --- databases that cannot be used ----------------------------------------------------------------


def garbage(path: Path) -> None:
    path.write_bytes(b"this is not a database at all" * 100)


def truncated(path: Path) -> None:
    VoiceStore(path).put(record())
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    path.write_bytes(path.read_bytes()[:5000])


def overwritten(path: Path) -> None:
    for seed in range(50):
        VoiceStore(path).put(record(seed=seed))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xa5" * (len(data) - 4096)
    path.write_bytes(bytes(data))


def from_the_future(path: Path) -> None:
    VoiceStore(path).put(record())
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")


def a_folder(path: Path) -> None:
    path.mkdir()


def below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("in the way")


@pytest.mark.parametrize(
    ("spoil", "advice"),
    [
        (garbage, "move it away"),
        (truncated, "move it away"),
        (overwritten, "move it away"),
        (from_the_future, "update voicepeer"),
        (a_folder, "cannot be used"),
        (below_a_file, "cannot be used"),
    ],
)
def test_an_unusable_database_is_explained(
    tmp_path: Path, spoil: Callable[[Path], None], advice: str
) -> None:
    path = tmp_path / "folder" / "voices.sqlite"
    path.parent.mkdir()
    spoil(path)
    with pytest.raises(VoiceStoreUnusable, match=advice):
        VoiceStore(path).records(NOW)


def test_a_locked_database_is_explained(file: VoiceStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicepeer.database.BUSY_TIMEOUT_S", 0.05)
    file.put(record())
    with sqlite3.connect(file.path) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(VoiceStoreUnusable, match="in use by another process"):
            file.put(record())
        other.execute("ROLLBACK")
    file.put(record())


# --- several users at once ------------------------------------------------------------------------

WRITES = 12


def write_many(path: Path, name: str) -> None:
    for number in range(WRITES):
        VoiceStore(path).put(record(f"{name} {number}"))


def test_two_processes_may_write_one_new_file_at_once(file: VoiceStore) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_many, args=(file.path, name)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(30)
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert len(file.records(NOW)) == 2 * WRITES


def test_a_new_file_that_another_is_about_to_write_is_waited_for(file: VoiceStore) -> None:
    file.path.parent.mkdir(parents=True, exist_ok=True)
    other = sqlite3.connect(file.path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    releasing = threading.Timer(0.3, other.rollback)
    releasing.start()
    file.put(record("patient"))
    releasing.join()
    other.close()
    assert [kept.name for kept in file.records(NOW)] == ["patient"]


def test_many_threads_may_write_one_new_file_at_once(file: VoiceStore) -> None:
    threads = [threading.Thread(target=write_many, args=(file.path, str(n))) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(file.records(NOW)) == 4 * WRITES


async def test_the_async_store_does_the_same(store: Voices) -> None:
    asynchronous, kept = AsyncVoiceStore(store), record(expires=NOW + 1)
    await asynchronous.put(kept)
    assert_same(await asynchronous.get(kept.voice_id, NOW), kept)
    await asynchronous.rename(kept.voice_id, "Grace")
    assert [one.name for one in await asynchronous.records(NOW)] == ["Grace"]
    assert await asynchronous.purge(NOW + 1) == 1
    with pytest.raises(VoiceNotFound):
        await asynchronous.delete(kept.voice_id)
