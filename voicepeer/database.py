"""The one SQLite file of voices and consents: opened privately, migrated, and explained if broken.

Several processes may use one file at once (write-ahead log).
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from signaling.sqlite_files import BUSY_TIMEOUT_S, make_private, switch_to_wal
from voicepeer.core.errors import VoicePeerError

_MIGRATIONS = (
    """
    CREATE TABLE voices (
        voice_id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        voice BLOB NOT NULL,
        embedding BLOB,
        consent_statement TEXT NOT NULL,
        consent_version INTEGER NOT NULL,
        consent_who TEXT NOT NULL,
        consent_when REAL NOT NULL,
        created REAL NOT NULL,
        expires REAL,
        quality REAL,
        source TEXT NOT NULL
    ) STRICT;
    CREATE INDEX voices_by_expiry ON voices (expires) WHERE expires IS NOT NULL;
    CREATE INDEX voices_by_name ON voices (name);
    """,
    # Owners and consents as records of their own. Every voice there is gets the record that its
    # statement amounts to.
    """
    ALTER TABLE voices ADD COLUMN owner TEXT NOT NULL DEFAULT 'anonymous';
    ALTER TABLE voices ADD COLUMN consent_id TEXT NOT NULL DEFAULT '';
    ALTER TABLE voices ADD COLUMN consent_key TEXT NOT NULL DEFAULT '';
    CREATE TABLE consents (
        consent_id TEXT PRIMARY KEY,
        owner TEXT NOT NULL,
        name TEXT NOT NULL,
        language TEXT NOT NULL,
        kind TEXT NOT NULL,
        statement TEXT NOT NULL,
        version INTEGER NOT NULL,
        given REAL NOT NULL,
        key_id TEXT NOT NULL,
        embedding BLOB,
        words_checked INTEGER
    ) STRICT;
    UPDATE voices SET consent_id = 'cons_' || lower(hex(randomblob(16)));
    INSERT INTO consents
        SELECT consent_id, owner, consent_who, 'und', 'clone', consent_statement,
            consent_version, consent_when, consent_key, NULL, NULL
        FROM voices;
    CREATE INDEX voices_by_owner ON voices (owner);
    CREATE INDEX voices_by_consent ON voices (consent_id);
    CREATE INDEX consents_by_owner ON consents (owner);
    """,
    # Where a consent came from that was imported, and which ones were withdrawn: ids, no more.
    """
    ALTER TABLE consents ADD COLUMN origin TEXT NOT NULL DEFAULT '';
    CREATE TABLE withdrawals (consent_id TEXT PRIMARY KEY) STRICT;
    """,
    # The speech that voices were made from, sealed; a voice that is replaced by itself keeps it.
    """
    CREATE TABLE reference_audio (
        voice_id TEXT PRIMARY KEY,
        key_id TEXT NOT NULL,
        sealed BLOB NOT NULL
    ) STRICT;
    CREATE TRIGGER reference_audio_goes_with_its_voice AFTER DELETE ON voices BEGIN
        DELETE FROM reference_audio WHERE voice_id = OLD.voice_id;
    END;
    """,
)
"""Each brings the database from the version that is its index to the next."""


class VoiceStoreUnusable(VoicePeerError):
    """The database is damaged, locked, of a later version, or may not be written."""

    code = "voice_store_unusable"


class VoiceStoreUnavailable(VoiceStoreUnusable):
    """What keeps the voices cannot be reached or does not take them now: a Redis, or a disk."""

    code = "store_unavailable"


@contextmanager
def connection(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection of its own, to a database of this version; closed at the end.

    Raises:
        VoiceStoreUnavailable: it cannot be written or not be had at present.
        VoiceStoreUnusable: the database cannot be used; says why and what to do.
    """
    try:
        with closing(_opened(path)) as opened:
            yield opened
    except (OSError, sqlite3.Error) as error:
        raise _fault(path, error) from error


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """The same to read from, also where the disk is full or read-only; raises likewise."""
    try:
        with closing(_readable(path)) as opened:
            yield opened
    except (OSError, sqlite3.Error) as error:
        raise _fault(path, error) from error


def _opened(path: Path) -> sqlite3.Connection:
    make_private(path)
    with ExitStack() as stack:
        opened = stack.enter_context(closing(sqlite3.connect(path, timeout=BUSY_TIMEOUT_S)))
        _prepare(opened)
        stack.pop_all()
        return opened


def _readable(path: Path) -> sqlite3.Connection:
    try:
        return _opened(path)
    except (OSError, sqlite3.Error) as error:
        # Even reading makes a file beside the database (https://sqlite.org/wal.html#read_only_databases).
        if not (path.is_file() and _is_disk(error)):
            raise
    try:
        return _read_only(path, "mode=ro")
    except sqlite3.Error:
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            raise  # what is in there is not in the database yet
        return _read_only(path, "immutable=1")


def _read_only(path: Path, how: str) -> sqlite3.Connection:
    with ExitStack() as stack:
        address = f"{path.absolute().as_uri()}?{how}"
        opened = stack.enter_context(
            closing(sqlite3.connect(address, timeout=BUSY_TIMEOUT_S, uri=True))
        )
        version = _version(opened)
        if version > len(_MIGRATIONS):
            raise _too_new(version)
        if version < len(_MIGRATIONS):
            raise VoiceStoreUnusable(
                f"the voice database {path} is of an earlier version, and cannot be brought to "
                "this one, as its disk is full or cannot be written: copy it to another disk"
            )
        stack.pop_all()
        return opened


def empty_log(opened: sqlite3.Connection) -> None:
    """Move everything out of the write-ahead log and cut it, so that no old page stays there."""
    opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _prepare(opened: sqlite3.Connection) -> None:
    # The file remembers this mode, so only a new one has to be switched.
    if opened.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        switch_to_wal(opened)
    # What is deleted is overwritten with zeros instead of staying in free pages.
    opened.execute("PRAGMA secure_delete = ON")
    if _version(opened) != len(_MIGRATIONS):
        _migrate(opened)


def _version(opened: sqlite3.Connection) -> int:
    return int(opened.execute("PRAGMA user_version").fetchone()[0])


def _migrate(opened: sqlite3.Connection) -> None:
    version = _version(opened)
    if version > len(_MIGRATIONS):
        raise _too_new(version)
    # Another process may be migrating: the lock comes first, then the version again.
    opened.isolation_level = None
    opened.execute("BEGIN EXCLUSIVE")
    try:
        for number in range(_version(opened), len(_MIGRATIONS)):
            for statement in _statements(_MIGRATIONS[number]):
                opened.execute(statement)
            opened.execute(f"PRAGMA user_version = {number + 1}")
    except BaseException:
        opened.execute("ROLLBACK")
        raise
    opened.execute("COMMIT")
    opened.isolation_level = "DEFERRED"


def _statements(script: str) -> Iterator[str]:
    """Its statements one by one, those of a trigger within it."""
    statement = ""
    for line in script.splitlines():
        statement += f"{line}\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    yield statement.strip(" ;\n")


def _too_new(version: int) -> VoiceStoreUnusable:
    return VoiceStoreUnusable(
        f"the voice database has version {version}, this voicepeer knows {len(_MIGRATIONS)}: "
        "update voicepeer, or name another file in voices.database"
    )


_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
_DISK = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_READONLY", "SQLITE_CANTOPEN")
_FULL = ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHM")
_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EIO})


def _code(error: Exception) -> str:
    return getattr(error, "sqlite_errorname", "")


def _is_disk(error: OSError | sqlite3.Error) -> bool:
    """Whether it is of the disk, and not of what is on it."""
    return _code(error).startswith(_DISK) or getattr(error, "errno", None) in _DISK_ERRORS


def _is_full(path: Path, error: OSError | sqlite3.Error) -> bool:
    """By the error, or by the disk itself where SQLite only says that it could not open a file."""
    if _code(error).startswith(_FULL) or getattr(error, "errno", None) == errno.ENOSPC:
        return True
    try:
        return _is_disk(error) and shutil.disk_usage(path.parent).free == 0
    except OSError:
        return False


def _fault(path: Path, error: OSError | sqlite3.Error) -> VoiceStoreUnusable:
    """What to raise: what is of the disk, or of others who use it, may be over later."""
    passing = _code(error).startswith(_BUSY) or _is_disk(error)
    kind = VoiceStoreUnavailable if passing else VoiceStoreUnusable
    return kind(_explain(path, error))


def _explain(path: Path, error: OSError | sqlite3.Error) -> str:
    code = _code(error)
    if code.startswith(_BUSY):
        return f"the voice database {path} is in use by another process: try again"
    if code in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
        return f"{path} is damaged or no voice database: move it away, or restore a copy"
    if _is_full(path, error):
        return f"the disk is full: the voice database {path} cannot be written"
    if code.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")) and os.path.isfile(path):
        return (
            f"the voice database {path} cannot be written: its disk is read-only, or this user may "
            "not write it, its folder or the files beside it"
        )
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"the voice database {path} cannot be used: {reason}"
