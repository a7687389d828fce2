"""A database of an earlier version comes over whole, and none is spoiled by several processes."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from signaling.principal import ANONYMOUS_KEY
from tests.voicepeer.test_voice_store import NOW, assert_same, record
from voicepeer import database
from voicepeer.consent_store import ConsentStore
from voicepeer.database import VoiceStoreUnusable
from voicepeer.deletions import DeletionLog
from voicepeer.voice_store import VoiceRecord, VoiceStore, pack_embedding

pytestmark = pytest.mark.unit


def first_version(path: Path, kept: VoiceRecord) -> None:
    """What the first version of voicepeer wrote, by its own statements."""
    columns = (
        "voice_id, name, voice, embedding, consent_statement, consent_version, consent_who, "
        "consent_when, created, expires, quality, source"
    )
    consent = kept.consent
    row = (
        *(kept.voice_id, kept.name, kept.voice.to_bytes(), pack_embedding(kept.embedding)),
        *(consent.statement, consent.version, consent.who, consent.when),
        *(kept.created, kept.expires, kept.quality, kept.source),
    )
    connection = sqlite3.connect(path)
    for statement in database._MIGRATIONS[0].split(";"):
        connection.execute(statement)
    connection.execute("PRAGMA user_version = 1")
    with connection:
        connection.execute(f"INSERT INTO voices ({columns}) VALUES ({','.join('?' * 12)})", row)
    connection.close()


def test_a_voice_of_the_first_version_has_an_owner_and_a_consent_now(tmp_path: Path) -> None:
    path, kept = tmp_path / "voices.sqlite", record()
    first_version(path, kept)
    found = VoiceStore(path).get(kept.voice_id, NOW)
    assert found.owner == ANONYMOUS_KEY
    assert found.consent.consent_id.startswith("cons_")
    consent = ConsentStore(path).get(found.consent.consent_id)
    assert consent.record == found.consent
    assert (consent.kind, consent.owner) == ("clone", ANONYMOUS_KEY)
    assert [*ConsentStore(path).withdraw(consent.consent_id)] == [kept.voice_id]


def test_a_migration_that_fails_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = tmp_path / "voices.sqlite", record()
    first_version(path, kept)
    steps = database._MIGRATIONS
    with monkeypatch.context() as patched:
        broken = (*steps[:1], steps[1] + "; INSERT INTO nowhere VALUES (1)")
        patched.setattr(database, "_MIGRATIONS", broken)
        with pytest.raises(VoiceStoreUnusable, match="nowhere"):
            VoiceStore(path).records(NOW)
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert len(connection.execute("SELECT * FROM voices").fetchone()) == 12
    assert VoiceStore(path).get(kept.voice_id, NOW).name == kept.name


def test_a_new_database_is_of_the_newest_version(tmp_path: Path) -> None:
    kept = record()
    VoiceStore(tmp_path / "v").put(kept)
    assert_same(VoiceStore(tmp_path / "v").get(kept.voice_id, NOW), kept)
    with sqlite3.connect(tmp_path / "v") as connection:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    assert version == len(database._MIGRATIONS)


def _command(*arguments: str, path: Path) -> None:
    """A command of the command line, beside a running service."""
    command = [sys.executable, "-m", "voicepeer", "voices", *arguments, f"--database={path}"]
    subprocess.run(command, check=True, timeout=60, capture_output=True)


def _descriptors() -> list[str]:
    return [os.readlink(one) for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]


def test_commands_beside_a_running_service_leave_its_database_whole(tmp_path: Path) -> None:
    """Each used to delete the log that the service was writing, and to lose voices by that."""
    path = tmp_path / "voices.sqlite"
    store, watched, kept = VoiceStore(path), DeletionLog(path), record()
    with closing(watched):
        for number in range(3):
            watched.deleted(NOW)
            for name in (f"stays-{number}", f"goes-{number}"):
                store.put(replace(kept, voice_id=name, name=name))
            watched.deleted(NOW)
            _command("list", path=path)
            _command("delete", f"goes-{number}", path=path)
            assert not any(str(path) in name and "deleted" in name for name in _descriptors())
            assert watched.deleted(NOW) == {f"goes-{number}"}
        ids = {found.voice_id for found in VoiceStore(path).records(NOW)}
    assert ids == {f"stays-{number}" for number in range(3)}
    with closing(sqlite3.connect(path)) as after:
        assert after.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
