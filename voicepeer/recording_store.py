"""The folder of recordings: one folder for each, which only its owner can read.

Blocking; for threads and the command line. Names of files are ours, never a user's.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from engines import atomic
from voicepeer.core.errors import RecordingGoesOn, RecordingNotFound
from voicepeer.core.recording.manifest import (
    MANIFEST,
    MAX_MANIFEST_BYTES,
    Manifest,
    Track,
    is_recording_id,
    read_manifest,
    write_manifest,
)

logger = logging.getLogger(__name__)

_PRIVATE_FOLDER = 0o700

INTERRUPTED_S = 60.0
"""A service that records writes every second; one that has not for so long was killed. It is known
at once where its folder can be locked, as on all disks of one machine."""

_REMOVED = ".removed-"
"""Begins the names of folders that are being deleted: nothing finds a place to write to there."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to be written of a recording that goes on, in this order."""

    deleted: Sequence[str] = ()
    """Files that have to go."""
    manifest: Manifest | None = None
    """If it is another than before."""
    begun: Mapping[str, bytes] = field(default_factory=dict)
    """Files that are new, with what they begin with."""
    appended: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Bytes of the files."""
        return sum(map(len, (*self.begun.values(), *self.appended.values())))


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording in the folder; ``manifest`` is ``None`` where it cannot be read."""

    recording_id: str
    folder: Path
    size: int
    """Bytes of all its files."""
    written_s: float
    """Unix time at which a service wrote to it last; what is made of it later counts nothing."""
    manifest: Manifest | None
    abandoned: bool = False
    """Whether it is known that no process writes to it."""

    @property
    def has_ended(self) -> bool:
        """Whether the service that wrote it has brought it to its end."""
        return self.manifest is not None and self.manifest.ended_s is not None

    @property
    def ended_s(self) -> float:
        """Unix time of its end; of one that was interrupted, of the last that there is."""
        ended_s = None if self.manifest is None else self.manifest.ended_s
        return self.written_s if ended_s is None else ended_s

    def goes_on(self, now_s: float) -> bool:
        """Whether a service writes to it still, at this Unix time."""
        recently = now_s - self.written_s < INTERRUPTED_S
        return not self.has_ended and not self.abandoned and recently


class RecordingStore:
    """All recordings below one folder, which is made when it is needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._locks: dict[str, int] = {}
        """Descriptors of the folders that are written to, by the id of the recording."""

    def prepare(self) -> None:
        """Make the folder, if it is not there; raises ``OSError`` where it cannot be written."""
        self.folder.mkdir(_PRIVATE_FOLDER, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=self.folder):
            pass

    def create(self, manifest: Manifest) -> None:
        """Begin a recording, which others see to go on until ``release``.

        Raises:
            OSError: the folder cannot be made or written, or there is such a recording.
        """
        self.folder.mkdir(_PRIVATE_FOLDER, parents=True, exist_ok=True)
        folder = self._folder_of(manifest.recording_id)
        folder.mkdir(_PRIVATE_FOLDER)
        self._locks[manifest.recording_id] = handle = _opened(folder)
        with contextlib.suppress(OSError):  # then its times tell whether it goes on
            fcntl.flock(handle, fcntl.LOCK_EX)
        _write_manifest(folder, manifest)

    def release(self, recording_id: str) -> None:
        """Nothing more is written; harmless where nothing was begun."""
        handle = self._locks.pop(recording_id, None)
        if handle is not None:
            os.close(handle)

    def is_removed(self, recording_id: str) -> bool:
        """Whether there is no such recording any more."""
        return not self._folder_of(recording_id).is_dir()

    def apply(self, recording_id: str, changes: Changes) -> None:
        """Write what has come.

        Raises:
            OSError: the disk is full, or somebody has removed the recording.
        """
        folder = self._folder_of(recording_id)
        for name in changes.deleted:
            (folder / name).unlink(missing_ok=True)
        if changes.manifest is not None:
            _write_manifest(folder, changes.manifest)
        for name, data in changes.begun.items():
            _append(folder / name, data, os.O_CREAT | os.O_EXCL)
        for name, data in changes.appended.items():
            _append(folder / name, data)
        # By this others see that it goes on, and we, whether it is there still.
        os.utime(folder / MANIFEST)

    def free_bytes(self) -> int:
        """Of the disk that recordings are on; raises ``OSError`` where it cannot be asked."""
        folder = self.folder
        while not folder.exists() and folder != folder.parent:
            folder = folder.parent
        return shutil.disk_usage(folder).free

    def records(self) -> list[Recorded]:
        """All recordings, the oldest first; raises ``OSError`` where they cannot be read."""
        found = []
        for folder in sorted(self._folders()):
            # Another process may remove it, or a file of it, at this moment.
            with contextlib.suppress(FileNotFoundError):
                found.append(recorded(folder))
        return found

    def find(self, recording_id: str) -> Recorded:
        """One recording.

        Raises:
            RecordingNotFound: there is none with this id.
            OSError: it cannot be read.
        """
        return recorded(self._existing(recording_id))

    def delete(self, recording_id: str) -> None:
        """Remove a recording with all that was made of it; raises as ``find`` does.

        One that goes on ends by that: the service has nowhere to write to.
        """
        _remove(self._existing(recording_id))

    def delete_participant(self, recording_id: str, participant: str, now_s: float) -> int:
        """Remove the tracks of one participant; how many. Raises as ``delete_tracks`` does."""

        def theirs(manifest: Manifest) -> list[Track]:
            return [track for track in manifest.tracks if track.participant == participant]

        gone = self.delete_tracks(recording_id, theirs, now_s)
        if not gone:
            raise RecordingNotFound(f"no track of the recording is of participant {participant!r}")
        return len(gone)

    def delete_tracks(
        self, recording_id: str, choose: Callable[[Manifest], Sequence[Track]], now_s: float
    ) -> Sequence[Track]:
        """Remove some tracks, and mixes, which have them in them; those that are gone.

        Raises:
            RecordingNotFound: there is no such recording.
            RecordingGoesOn: it has not ended, and tracks were chosen of what there is.
            OSError: it cannot be changed.
        """
        folder = self._existing(recording_id)
        chosen = choose(manifest_of(folder))
        if not chosen:
            return chosen
        with self._alone():
            found = recorded(folder)
            if found.goes_on(now_s):
                raise RecordingGoesOn(
                    f"the recording {recording_id} has not ended, so that its tracks are not all "
                    "there yet: delete all of it, or wait for its end"
                )
            manifest = manifest_of(folder)
            gone = choose(manifest)
            kept = [track for track in manifest.tracks if track not in gone]
            changed = msgspec.structs.replace(manifest, tracks=kept)
            self.apply(recording_id, Changes(_unnamed(folder, kept), changed))
            # A mix that was just being made of what there was may have got its name meanwhile;
            # from here on it sees that it is one of another recording.
            self.apply(recording_id, Changes(_unnamed(folder, kept)))
            # It is no older and no newer by that.
            os.utime(folder / MANIFEST, (found.written_s, found.written_s))
        return gone

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Wait until nobody else deletes tracks, in this process or another one."""
        handle = _opened(self.folder)
        try:
            with contextlib.suppress(OSError):  # where there are no locks, two at once are unlikely
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def purge(self, before_s: float) -> list[str]:
        """Remove recordings that have ended before this Unix time; their ids.

        Raises:
            OSError: one cannot be removed.
        """
        old = [one for one in self.records() if one.ended_s < before_s]
        for one in old:
            with contextlib.suppress(FileNotFoundError):
                _remove(one.folder)
        for rest in self.folder.glob(f"{_REMOVED}*"):
            _remove_rest(rest)
        return [one.recording_id for one in old]

    def _folders(self) -> Iterator[Path]:
        if not self.folder.is_dir():
            return
        for folder in self.folder.iterdir():
            if is_recording_id(folder.name) and folder.is_dir() and not folder.is_symlink():
                yield folder

    def _folder_of(self, recording_id: str) -> Path:
        if not is_recording_id(recording_id):
            raise RecordingNotFound(f"{recording_id[:64]!r} is no id of a recording")
        return self.folder / recording_id

    def _existing(self, recording_id: str) -> Path:
        folder = self._folder_of(recording_id)
        if folder.is_symlink() or not folder.is_dir():
            raise RecordingNotFound(
                f"there is no recording {recording_id} in {self.folder}: "
                "'voicepeer recording list' shows those that there are"
            )
        return folder


def manifest_of(folder: Path) -> Manifest:
    """What a recording tells of itself.

    Raises:
        RecordingNotFound: the folder holds none that can be read.
    """
    try:
        with (folder / MANIFEST).open("rb") as file:
            data = file.read(MAX_MANIFEST_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise RecordingNotFound(f"{folder} is no recording: its {MANIFEST}: {reason}") from error
    return read_manifest(data)


def recorded(folder: Path) -> Recorded:
    """A recording by its folder; raises ``OSError`` where that cannot be read."""
    stats = {}
    for path in folder.iterdir():
        # Whoever changes a recording writes files that are gone a moment later.
        with contextlib.suppress(FileNotFoundError):
            stats[path.name] = path.stat()
    try:
        manifest = manifest_of(folder)
    except RecordingNotFound:
        manifest = None
    return Recorded(
        folder.name,
        folder,
        sum(one.st_size for one in stats.values()),
        stats.get(MANIFEST, folder.stat()).st_mtime,
        manifest,
        _is_abandoned(folder),
    )


def _opened(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _unnamed(folder: Path, tracks: Sequence[Track]) -> list[str]:
    """Files of a recording that are none of these tracks: mixes, and the tracks of others."""
    named = {MANIFEST, *(file for track in tracks for file in (track.file, track.words))}
    return sorted({path.name for path in folder.iterdir()} - named)


def _is_abandoned(folder: Path) -> bool:
    """Whether nobody holds the lock of a folder; ``False`` where that cannot be known."""
    handle = _opened(folder)
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        logger.debug("the lock of %s: %s", folder.name, errno.errorcode.get(error.errno or 0))
        return False
    finally:
        os.close(handle)
    return True


def _remove(folder: Path) -> None:
    """Remove a recording at once for all who look for it, then what it consists of."""
    removed = folder.with_name(f"{_REMOVED}{folder.name}")
    if removed.exists():
        _remove_rest(removed)
    os.rename(folder, removed)
    _remove_rest(removed)


def _remove_rest(folder: Path) -> None:
    """Until nothing is there: a file that was being made when its folder got another name still
    comes into it."""
    while folder.exists():
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            continue  # another process removes it, too
        except OSError as error:
            if error.errno != errno.ENOTEMPTY:
                raise


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    with atomic.writing(folder / MANIFEST) as file:
        file.write(write_manifest(manifest))


def _append(path: Path, data: bytes, flags: int = 0) -> None:
    """At the end of a file that is there, unless ``flags`` let it be made."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | flags, atomic.PRIVATE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
