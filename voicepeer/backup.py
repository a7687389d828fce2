"""All saved voices, their consents and references as one file, and back again, to either place.

A backup is a short head and behind it a database of SQLite, as ``database`` has it. References stay
sealed in it, and voices that end by themselves are left out: they are not to outlive their time.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

import msgspec

from engines import atomic
from voicepeer import targets
from voicepeer.core.errors import CannotWrite, VoiceNotFound, VoicePeerError
from voicepeer.database import connection, reading
from voicepeer.reference_store import ReferenceNotFound
from voicepeer.stores import Stores, in_file

FORMAT = 1
_MAGIC = b"voicepeer backup\n"
_SCRATCH, _LOCK = ".voicepeer-", "lock"
_MAX_HEAD_BYTES = 4_096
_COPY_BYTES = 1 << 20
_PAGES = 256
"""Of the database at once, after which progress is told."""

Told: TypeAlias = Callable[[int, int], None]
"""How much is done, of how much."""


class BackupRefused(VoicePeerError):
    """Something is there already that would be replaced."""

    code = "backup_refused"


class BackupInvalid(VoicePeerError):
    """A file is no backup, damaged, or of a later version."""

    code = "backup_invalid"


class BackupHead(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup says of itself; times are Unix seconds."""

    format: int = FORMAT
    created: float
    voices: int
    consents: int
    references: int
    size_bytes: int
    sha256: str
    """Of the database behind the head."""


def _untold(done: int, of: int) -> None:
    del done, of


def backup(
    stores: Stores, path: Path, now: float, force: bool = False, told: Told = _untold
) -> BackupHead:
    """Write a backup; it is there as a whole or not at all, and for its owner only.

    Of a file it is what was there at one moment. Of a Redis it has nothing that was withdrawn
    before it was done.

    Args:
        stores: what to back up, while it is in use.
        path: the file to write.
        now: Unix seconds.
        force: whether a file that is there is replaced.
        told: hears of the progress, in steps of no fixed size.

    Raises:
        BackupRefused: there is a file already.
        CannotWrite: the file cannot be written, or must not be.
        VoiceStoreUnusable: what is kept cannot be read.
    """
    targets.check(path, stores.path)
    if path.exists() and not force:
        raise BackupRefused(f"{path} is there already: name another file, or replace it by --force")
    with _scratch(path.parent) as copy:
        if stores.path is not None:
            _copy_database(stores.path, copy, told)
        else:
            _copy_each(stores, in_file(copy), now, told)
        head = _seal(copy, now)
        # In there, too, so that nothing of it stays elsewhere if this is killed.
        sealed = copy.with_name("sealed")
        with atomic.writing(sealed) as file, copy.open("rb") as database:
            file.write(_MAGIC + msgspec.json.encode(head) + b"\n")
            shutil.copyfileobj(database, file, _COPY_BYTES)
        os.replace(sealed, path)
    return head


def restore(
    path: Path,
    stores: Stores,
    now: float,
    force: bool = False,
    told: Told = _untold,
    beside_service: bool = False,
) -> BackupHead:
    """Put a backup in the place of what is kept. What was withdrawn since stays withdrawn.

    A file is replaced at once and as a whole, also while services use it. In a Redis one after the
    other is; when that was interrupted, the same again with ``force`` brings it to its end.

    Args:
        path: what ``backup`` wrote.
        stores: where to.
        now: Unix seconds.
        force: whether voices that are there are replaced; those that are not in the backup go.
        told: hears of the progress.
        beside_service: whether that may be while a service uses the place. Its calls that speak
            with a voice which is not in the backup fall silent.

    Raises:
        BackupInvalid: it is no backup, damaged, or of a later version.
        BackupRefused: there are voices already, or a service uses them.
        CannotWrite: there is no room to unpack it: beside it, or else beside what is restored.
        VoiceStoreUnusable: it cannot be kept there.
    """
    with _scratch(_room_for(path, stores)) as copy:
        head = _unpack(path, copy)
        if not beside_service and stores.serving.by_others():
            raise BackupRefused(
                f"a service uses {stores.name}, and calls fall silent whose voice is not in the "
                "backup: stop it first, or say --beside-service if that may be"
            )
        if not force and (there := len(stores.voices.summaries(now))):
            raise BackupRefused(
                f"{stores.name} has {there} voices, which this would replace: say --force if so"
            )
        unpacked = in_file(copy)
        for consent_id in stores.consents.withdrawn():
            unpacked.consents.withdraw(consent_id)
        if stores.path is not None:
            _copy_database(copy, stores.path, told)
        else:
            _drop_others(stores, unpacked, now)
            _copy_each(unpacked, stores, now, told)
    return head


def read_head(path: Path) -> BackupHead:
    """What a backup says of itself; raises ``BackupInvalid``."""
    with _opened(path) as file:
        return _head(file, path)


def _room_for(path: Path, stores: Stores) -> Path:
    """Where to unpack a backup, which may be on a disk that is read-only."""
    places = [path.parent, *([stores.path.parent] if stores.path is not None else [])]
    usable = (one for one in places if os.access(one, os.W_OK | os.X_OK))
    return next(usable, Path(tempfile.gettempdir()))


@contextmanager
def _scratch(folder: Path) -> Iterator[Path]:
    """A database to be, for its owner only, gone at the end; raises ``CannotWrite`` for faults."""
    try:
        _clear(folder)
        with (
            tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=folder) as scratch,
            open(Path(scratch) / _LOCK, "xb") as lock,
        ):
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield Path(scratch) / "copy.sqlite"
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise CannotWrite(f"the folder {folder} cannot be used for this: {reason}") from error


def _clear(folder: Path) -> None:
    """Remove what is left of backups that were killed, by which nobody holds the lock any more."""
    for lock in folder.glob(f"{_SCRATCH}*/{_LOCK}"):
        try:
            with open(lock, "rb") as held:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent)
        except OSError:
            pass  # in use, somebody else's, or just gone


def _copy_database(source: Path, target: Path, told: Told) -> None:
    """Make one database what the other is, in one transaction (https://sqlite.org/backup.html)."""
    with reading(source) as there, connection(target) as writing:
        there.backup(
            writing, pages=_PAGES, progress=lambda _, left, total: told(total - left, total)
        )


def _copy_each(source: Stores, target: Stores, now: float, told: Told) -> None:
    """Copy all that does not end by itself; what is withdrawn comes last, so that it wins."""
    voices = [one for one in source.voices.summaries(now) if one.expires is None]
    for consent in source.consents.consents():
        target.consents.put(consent)
    for count, one in enumerate(voices, 1):
        try:
            target.voices.put(source.voices.get(one.voice_id, now))
            target.references.put(source.references.get(one.voice_id))
        except (ReferenceNotFound, VoiceNotFound):
            pass
        told(count, len(voices))
    for consent_id in source.consents.withdrawn():
        target.consents.withdraw(consent_id)


def _drop_others(stores: Stores, wanted: Stores, now: float) -> None:
    stay = {one.voice_id for one in wanted.voices.summaries(now)}
    for one in stores.voices.summaries(now):
        if one.voice_id not in stay:
            stores.voices.delete(one.voice_id)


def _seal(copy: Path, now: float) -> BackupHead:
    """Leave out what ends by itself, make it one file, and describe it."""
    with connection(copy) as opened:
        with opened:
            opened.execute("DELETE FROM voices WHERE expires IS NOT NULL")
        counts = [
            opened.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("voices", "consents", "reference_audio")
        ]
        # Beside a log it would be two files; the log comes back where it is restored.
        opened.execute("PRAGMA journal_mode = DELETE")
    voices, consents, references = counts
    return BackupHead(
        created=now,
        voices=voices,
        consents=consents,
        references=references,
        size_bytes=copy.stat().st_size,
        sha256=_digest(copy),
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        file = path.open("rb")
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise BackupInvalid(f"{path} cannot be read: {reason}") from error
    with file:
        yield file


def _head(file: BinaryIO, path: Path) -> BackupHead:
    line = file.readline(len(_MAGIC))
    if line != _MAGIC:
        raise BackupInvalid(f"{path} is no backup: `voicepeer voices backup` makes them")
    try:
        head = msgspec.json.decode(file.readline(_MAX_HEAD_BYTES), type=BackupHead)
    except msgspec.MsgspecError as error:
        raise BackupInvalid(f"{path} is damaged: take another backup") from error
    if head.format > FORMAT:
        raise BackupInvalid(
            f"{path} has format {head.format}, this voicepeer knows {FORMAT}: update voicepeer"
        )
    return head


def _unpack(path: Path, copy: Path) -> BackupHead:
    with _opened(path) as file:
        head = _head(file, path)
        with copy.open("xb") as database:
            shutil.copyfileobj(file, database, _COPY_BYTES)
    if copy.stat().st_size != head.size_bytes or _digest(copy) != head.sha256:
        raise BackupInvalid(f"{path} is damaged or cut off: take another backup")
    with closing(sqlite3.connect(copy)) as opened:
        try:
            found = opened.execute("PRAGMA integrity_check").fetchone()[0]
        except sqlite3.DatabaseError as error:
            raise BackupInvalid(f"{path} holds no database: take another backup") from error
    if found != "ok":
        raise BackupInvalid(f"the database in {path} is damaged: take another backup")
    return head
