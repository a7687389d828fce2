"""Machines that fail while voices are written: killed writers, disks that are full or read-only."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from engines.api import Voice
from tests.voicepeer.kills import fresh
from tests.voicepeer.test_voice_store import NOW, record
from voicepeer.backup import backup
from voicepeer.core.errors import CannotWrite, StoreUnavailable
from voicepeer.database import VoiceStoreUnavailable, VoiceStoreUnusable
from voicepeer.stores import Stores, in_file
from voicepeer.voice_store import AsyncVoiceStore

pytestmark = pytest.mark.peer

NOBODY = 65_534
MEMORY = Path("/dev/shm")
LARGE = Voice("fake", "1", {"style": np.ones(50_000, np.float32)})
"""Of some 200 kB."""


def test_a_hundred_killed_writers_leave_nothing_damaged_or_by_halves() -> None:
    """In a process of its own, which is small and has one thread, because it forks.

    And in memory where that is possible: who is killed does not take the disk along, and there
    are hundreds of writes to wait for.
    """
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        command = [sys.executable, "-m", "tests.voicepeer.kills", folder]
        options = ["--kills", "100", "--voice-bytes", "20000"]
        ended = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    outcome = json.loads(ended.stdout)
    assert outcome["kills"] == 100
    assert outcome["kept"] >= 100


def said_by_child(work: Callable[[], object]) -> str:
    """Do something in another process, which may then no longer write; what error it meets."""
    hear, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            try:
                work()
                said = "no error"
            except (VoiceStoreUnusable, CannotWrite) as error:
                said = str(error)
            except BaseException as error:
                said = f"unexpected: {error!r}"
            os.write(tell, said.encode())
        finally:
            os._exit(0)
    os.close(tell)
    with os.fdopen(hear, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(pid, 0)
    return said


def sound(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as opened:
        return bool(opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)])


def test_a_full_disk_is_an_error_and_what_was_there_stays(tmp_path: Path) -> None:
    stores, kept = in_file(tmp_path / "voices.sqlite"), record()
    stores.voices.put(kept)

    def fill() -> None:
        # As on a disk that is full, a file gets no larger.
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
        for _ in range(10):
            stores.voices.put(fresh(LARGE))

    assert "the disk is full" in said_by_child(fill)
    assert stores.path is not None
    assert sound(stores.path)
    assert kept.voice_id in {one.voice_id for one in stores.voices.records(NOW)}
    stores.voices.put(record("when there is room again"))


def test_a_backup_on_a_full_disk_is_an_error_and_no_file(tmp_path: Path) -> None:
    stores = in_file(tmp_path / "voices.sqlite")
    for _ in range(3):
        stores.voices.put(fresh(LARGE))
    (tmp_path / "there").mkdir()
    file = tmp_path / "there" / "voices.backup"

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))
        backup(stores, file, NOW)

    assert "unexpected" not in (said := said_by_child(fill))
    assert said != "no error"
    assert list((tmp_path / "there").iterdir()) == []


@pytest.fixture
def locked() -> Iterator[Stores]:
    """A database that this user, if it is not root, may read and not write."""
    folder = Path(tempfile.mkdtemp(prefix="voicepeer-test-"))
    stores = in_file(folder / "voices.sqlite")
    stores.voices.put(record())
    (folder / "voices.sqlite").chmod(0o444)
    folder.chmod(0o555)
    yield stores
    folder.chmod(0o755)
    shutil.rmtree(folder)


def read_everything(stores: Stores, elsewhere: Path) -> None:
    """All that the command line reads; raises where any of it cannot be had."""
    (one,) = stores.voices.records(NOW)
    assert [two.voice_id for two in stores.voices.summaries(NOW)] == [one.voice_id]
    assert stores.voices.find("Ada", NOW).voice_id == one.voice_id
    assert stores.consents.consents() == []
    assert stores.consents.withdrawn() == []
    assert stores.references.voice_ids() == []
    assert backup(stores, elsewhere / "voices.backup", NOW).voices == 1


@pytest.fixture
def elsewhere() -> Iterator[Path]:
    """A folder that whoever may write in."""
    with tempfile.TemporaryDirectory(prefix="voicepeer-test-") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def test_what_is_on_a_disk_that_cannot_be_written_is_read(locked: Stores, elsewhere: Path) -> None:
    def read() -> None:
        if os.getuid() == 0:
            os.setuid(NOBODY)
        read_everything(locked, elsewhere)

    assert said_by_child(read) == "no error"


def test_without_its_log_a_database_is_not_read_by_halves(locked: Stores, elsewhere: Path) -> None:
    assert locked.path is not None
    log = locked.path.with_name("voices.sqlite-wal")
    log.write_bytes(b"what is not in the database yet")
    log.chmod(0o444)

    def read() -> None:
        if os.getuid() == 0:
            os.setuid(NOBODY)
        read_everything(locked, elsewhere)

    assert "cannot be written" in said_by_child(read)


def test_what_is_on_a_full_disk_is_read(tmp_path: Path) -> None:
    """Where no file gets any larger, not even what SQLite has beside it while it reads."""
    stores = in_file(tmp_path / "voices.sqlite")
    stores.voices.put(record())

    def read() -> None:
        was = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, was[1]))
        assert len(stores.voices.records(NOW)) == 1
        assert len(stores.voices.summaries(NOW)) == 1
        assert stores.consents.consents() == []
        with pytest.raises(VoiceStoreUnavailable, match="the disk is full"):
            stores.voices.put(record())

    assert said_by_child(read) == "no error"


def test_an_earlier_form_is_not_read_where_it_cannot_be_made_a_newer_one(
    locked: Stores, elsewhere: Path
) -> None:
    assert locked.path is not None
    locked.path.parent.chmod(0o755)
    locked.path.chmod(0o644)
    with closing(sqlite3.connect(locked.path)) as opened:
        opened.execute("PRAGMA user_version = 2")
    locked.path.chmod(0o444)
    locked.path.parent.chmod(0o555)

    def read() -> None:
        if os.getuid() == 0:
            os.setuid(NOBODY)
        read_everything(locked, elsewhere)

    assert "of an earlier version" in said_by_child(read)


def test_clients_of_the_service_are_told_of_a_full_disk_as_of_a_full_redis(
    tmp_path: Path,
) -> None:
    voices = AsyncVoiceStore(in_file(tmp_path / "voices.sqlite").voices)

    def put() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        with pytest.raises(StoreUnavailable):
            asyncio.run(voices.put(record()))

    assert said_by_child(put) == "no error"


def test_a_disk_that_cannot_be_written_is_an_error_and_harms_nothing(locked: Stores) -> None:
    def write() -> None:
        if os.getuid() == 0:
            os.setuid(NOBODY)
        locked.voices.put(record())

    assert "cannot be written" in said_by_child(write)
    assert [one.name for one in locked.voices.records(NOW)] == ["Ada"]
