"""SQLite files that several processes use: made privately, and never spoiled by being made."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from signaling.sqlite_files import make_private, switch_to_wal

pytestmark = pytest.mark.unit

PASSER_BY = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as passing:
    passing.execute("SELECT count(*) FROM kept").fetchone()
passing.close()
"""
"""A process that looks into the database and ends, as a command of the command line does."""


def pass_by(path: Path) -> None:
    subprocess.run([sys.executable, "-c", PASSER_BY, str(path)], check=True, timeout=20)


def opened(path: Path) -> sqlite3.Connection:
    """As all of ours are."""
    make_private(path)
    made = sqlite3.connect(path)
    switch_to_wal(made)
    made.execute("CREATE TABLE IF NOT EXISTS kept (number INTEGER)")
    return made


def deleted_files() -> list[str]:
    """Files that this process has open and that have no name any more."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        try:
            found.append(os.readlink(descriptor))
        except FileNotFoundError:  # that of the listing itself
            continue
    return [name for name in found if name.endswith(" (deleted)")]


def test_it_is_its_owners_alone_and_so_is_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.sqlite"
    make_private(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_is_there_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    path.write_bytes(b"kept")
    path.chmod(0o640)
    make_private(path)
    assert path.read_bytes() == b"kept"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_where_a_link_leads_it_is_made_privately(tmp_path: Path) -> None:
    link, target = tmp_path / "link.sqlite", tmp_path / "target.sqlite"
    link.symlink_to(target)
    make_private(link)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    make_private(link)


def test_a_folder_that_cannot_be_written_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match=r"file"):
        make_private(tmp_path / "file" / "a.sqlite")


def test_a_process_that_passes_by_leaves_the_log_of_whoever_has_it_open(tmp_path: Path) -> None:
    """With a descriptor opened and closed for each connection it was deleted at the first time."""
    path = tmp_path / "a.sqlite"
    with closing(opened(path)) as stays:
        for number in range(5):
            with closing(opened(path)) as brief, brief:
                brief.execute("INSERT INTO kept VALUES (?)", (number,))
            pass_by(path)
            assert not [name for name in deleted_files() if name.startswith(str(path))]
            assert path.with_name("a.sqlite-wal").exists()
            assert stays.execute("SELECT count(*) FROM kept").fetchone() == (number + 1,)
    with closing(sqlite3.connect(path)) as after:
        assert after.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert after.execute("SELECT count(*) FROM kept").fetchone() == (5,)


def test_many_threads_may_make_one_file_at_once(tmp_path: Path) -> None:
    """None closes what it has made while another one has a connection to it already."""
    for attempt in range(20):
        path = tmp_path / f"{attempt}.sqlite"
        kept: list[sqlite3.Connection] = []
        faults: list[Exception] = []
        together = threading.Barrier(4)
        _in_threads(lambda: _open_kept(path, kept, faults, together), 4)  # noqa: B023
        assert faults == []
        for connection in kept:
            connection.close()
        with closing(sqlite3.connect(path)) as after:
            assert after.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def _open_kept(
    path: Path, kept: list[sqlite3.Connection], faults: list[Exception], together: threading.Barrier
) -> None:
    together.wait(10)
    try:
        make_private(path)
        connection = sqlite3.connect(path, check_same_thread=False)
        kept.append(connection)
        switch_to_wal(connection)
        with connection:
            connection.execute("CREATE TABLE IF NOT EXISTS kept (number INTEGER)")
            connection.execute("INSERT INTO kept VALUES (1)")
    except Exception as error:  # noqa: BLE001 - the edge of a thread: told by the test
        faults.append(error)


def _in_threads(work: Callable[[], None], number: int) -> None:
    threads = [threading.Thread(target=work) for _ in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)


def test_a_file_in_use_in_the_old_mode_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    make_private(path)
    with closing(sqlite3.connect(path, check_same_thread=False)) as other:
        other.execute("CREATE TABLE kept (number INTEGER)")
        other.execute("BEGIN IMMEDIATE")
        freed = threading.Timer(0.2, other.rollback)
        freed.start()
        with closing(sqlite3.connect(path, timeout=0)) as ours:
            switch_to_wal(ours)
            assert ours.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        freed.join()
