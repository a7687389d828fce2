"""Voices that outlive a call, in one SQLite file: the voice, its consent, and when it ends.

Several processes may use one file at once (write-ahead log). Time is an argument: Unix seconds.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from engines.api import Embedding, Voice
from voicepeer.core.errors import VoiceNotFound, VoicePeerError

T = TypeVar("T")

CONSENT_VERSION = 1
"""Raised when what a speaker is asked to agree to changes."""

BUSY_TIMEOUT_S = 5.0
BUSY_POLL_S = 0.02

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
)
"""Each brings the database from the version that is its index to the next."""

_COLUMNS = (
    "voice_id, name, voice, embedding, consent_statement, consent_version, consent_who, "
    "consent_when, created, expires, quality, source"
)


class VoiceStoreUnusable(VoicePeerError):
    """The database is damaged, locked, of a later version, or may not be written."""

    code = "voice_store_unusable"


class VoiceAmbiguous(VoicePeerError):
    """Several saved voices have this name; one has to be called by its id."""

    code = "voice_ambiguous"


class VoiceExists(VoicePeerError):
    """A voice with this id is there already."""

    code = "voice_exists"


@dataclass(frozen=True, slots=True)
class ConsentRecord:
    """Who agreed to what, and when (Unix seconds)."""

    statement: str
    who: str
    when: float
    version: int = CONSENT_VERSION


@dataclass(frozen=True, slots=True)
class VoiceRecord:
    """A voice as it is kept; times are Unix seconds, ``expires`` ``None`` is for good."""

    voice_id: str
    name: str
    voice: Voice
    consent: ConsentRecord
    created: float
    expires: float | None = None
    embedding: Embedding | None = None
    quality: float | None = None
    """Of the recording, 0 to 1."""
    source: str = ""
    """How it came to be: ``call <session id>``, ``file <name>`` or ``import``."""


def new_voice_id() -> str:
    """A random 128-bit id, 32 hexadecimal digits."""
    return secrets.token_hex(16)


def pack_embedding(embedding: Embedding | None) -> bytes | None:
    """An embedding as it is stored: little-endian float32."""
    return None if embedding is None else np.asarray(embedding, dtype="<f4").tobytes()


def unpack_embedding(data: bytes | None) -> Embedding | None:
    """What ``pack_embedding`` was given; raises ``ValueError`` for a broken length."""
    return None if data is None else np.frombuffer(data, dtype="<f4").astype(np.float32)


class VoiceStore:
    """The synchronous store; every call opens and closes its own connection.

    All methods raise ``VoiceStoreUnusable`` where the database cannot be used.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, record: VoiceRecord, replace: bool = True) -> None:
        """Keep a voice, in place of an earlier one with its id.

        Raises:
            VoiceExists: it would replace one although ``replace`` is false.
        """
        verb = "INSERT OR REPLACE" if replace else "INSERT"
        marks = ", ".join("?" * len(_to_row(record)))
        with self._connection() as connection, connection:
            try:
                connection.execute(
                    f"{verb} INTO voices ({_COLUMNS}) VALUES ({marks})", _to_row(record)
                )
            except sqlite3.IntegrityError as error:
                raise VoiceExists(f"there is a voice {record.voice_id} already") from error

    def get(self, voice_id: str, now: float) -> VoiceRecord:
        """The voice with this id; raises ``VoiceNotFound``, also for one that has expired."""
        found = self._select("voice_id = ?", (voice_id,), now)
        if not found:
            raise VoiceNotFound(f"there is no saved voice {voice_id[:64]!r}")
        return found[0]

    def find(self, key: str, now: float) -> VoiceRecord:
        """The voice with this id or else this name.

        Raises:
            VoiceNotFound: there is none.
            VoiceAmbiguous: the name belongs to several.
        """
        found = self._select("voice_id = ?", (key,), now) or self._select("name = ?", (key,), now)
        if not found:
            raise VoiceNotFound(
                f"there is no saved voice {key[:64]!r}: `voicepeer voices list` shows all"
            )
        if len(found) > 1:
            ids = ", ".join(record.voice_id for record in found)
            raise VoiceAmbiguous(f"{len(found)} voices are called {key!r}, give an id: {ids}")
        return found[0]

    def records(self, now: float) -> list[VoiceRecord]:
        """All voices that have not expired, the newest first."""
        return self._select("TRUE", (), now)

    def delete(self, voice_id: str) -> None:
        """Remove a voice for good, its bytes too; raises ``VoiceNotFound``."""
        with self._connection() as connection:
            with connection:
                gone = connection.execute("DELETE FROM voices WHERE voice_id = ?", (voice_id,))
            if gone.rowcount == 0:
                raise VoiceNotFound(f"there is no saved voice {voice_id[:64]!r}")
            _empty_log(connection)

    def purge(self, now: float) -> int:
        """Remove what has expired, its bytes too; how many voices that was."""
        with self._connection() as connection:
            with connection:
                gone = connection.execute("DELETE FROM voices WHERE expires <= ?", (now,))
            if gone.rowcount:
                _empty_log(connection)
            return gone.rowcount

    def _select(self, where: str, values: tuple[Any, ...], now: float) -> list[VoiceRecord]:
        query = (
            f"SELECT {_COLUMNS} FROM voices WHERE ({where}) AND (expires IS NULL OR expires > ?)"
            " ORDER BY created DESC, voice_id"
        )
        with self._connection() as connection:
            return [_from_row(row) for row in connection.execute(query, (*values, now))]

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            _make_private(self.path)
            with closing(sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S)) as connection:
                _prepare(connection)
                yield connection
        except (OSError, sqlite3.Error) as error:
            raise VoiceStoreUnusable(_explain(self.path, error)) from error


def _make_private(path: Path) -> None:
    """Create the file for its owner only; SQLite gives its other files the same mode."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))


def _prepare(connection: sqlite3.Connection) -> None:
    # The file remembers this mode, so only a new one has to be switched.
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        _switch_to_wal(connection)
    # Deleted voices are overwritten with zeros instead of staying in free pages.
    connection.execute("PRAGMA secure_delete = ON")
    if _version(connection) != len(_MIGRATIONS):
        _migrate(connection)


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Try for as long as any other statement would wait.

    SQLite itself gives up at once where another connection is about to write in the old mode,
    which two processes that open one new file are.
    """
    deadline_s = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY")
            if not busy or time.monotonic() > deadline_s:
                raise
        time.sleep(BUSY_POLL_S)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _migrate(connection: sqlite3.Connection) -> None:
    version = _version(connection)
    if version > len(_MIGRATIONS):
        raise VoiceStoreUnusable(
            f"the voice database has version {version}, this voicepeer knows "
            f"{len(_MIGRATIONS)}: update voicepeer, or name another file in voices.database"
        )
    # Another process may be migrating: the lock comes first, then the version again.
    connection.isolation_level = None
    connection.execute("BEGIN EXCLUSIVE")
    try:
        for number in range(_version(connection), len(_MIGRATIONS)):
            for statement in _MIGRATIONS[number].split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number + 1}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
    connection.isolation_level = "DEFERRED"


def _empty_log(connection: sqlite3.Connection) -> None:
    """Move everything out of the write-ahead log and cut it, so that no old page stays there."""
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _explain(path: Path, error: OSError | sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorname", "")
    if code.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return f"the voice database {path} is in use by another process: try again"
    if code in ("SQLITE_NOTADB", "SQLITE_CORRUPT"):
        return f"{path} is damaged or no voice database: move it away, or restore a copy"
    if code == "SQLITE_FULL":
        return f"the disk is full: the voice database {path} cannot be written"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"the voice database {path} cannot be used: {reason}"


def _to_row(record: VoiceRecord) -> tuple[Any, ...]:
    consent = record.consent
    return (
        record.voice_id,
        record.name,
        record.voice.to_bytes(),
        pack_embedding(record.embedding),
        consent.statement,
        consent.version,
        consent.who,
        consent.when,
        record.created,
        record.expires,
        record.quality,
        record.source,
    )


def _from_row(row: tuple[Any, ...]) -> VoiceRecord:
    return VoiceRecord(
        voice_id=row[0],
        name=row[1],
        voice=Voice.from_bytes(row[2]),
        embedding=unpack_embedding(row[3]),
        consent=ConsentRecord(statement=row[4], version=row[5], who=row[6], when=row[7]),
        created=row[8],
        expires=row[9],
        quality=row[10],
        source=row[11],
    )


class AsyncVoiceStore:
    """The same store for an event loop: each call runs in a thread."""

    def __init__(self, store: VoiceStore) -> None:
        self._store = store

    async def put(self, record: VoiceRecord) -> None:
        """See ``VoiceStore.put``."""
        await self._run(self._store.put, record)

    async def get(self, voice_id: str, now: float) -> VoiceRecord:
        """See ``VoiceStore.get``."""
        return await self._run(self._store.get, voice_id, now)

    async def records(self, now: float) -> list[VoiceRecord]:
        """See ``VoiceStore.records``."""
        return await self._run(self._store.records, now)

    async def delete(self, voice_id: str) -> None:
        """See ``VoiceStore.delete``."""
        await self._run(self._store.delete, voice_id)

    async def purge(self, now: float) -> int:
        """See ``VoiceStore.purge``."""
        return await self._run(self._store.purge, now)

    async def _run(self, work: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401
        return await asyncio.to_thread(work, *arguments)
