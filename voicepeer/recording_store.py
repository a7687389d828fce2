"""The folder of recordings: one folder for each, which only its owner can read.

Blocking; for threads and the command line. Names of files are ours, never a user's.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from engines import atomic
from voicepeer.core.errors import RecordingNotFound
from voicepeer.core.recording.manifest import (
    MANIFEST,
    MAX_MANIFEST_BYTES,
    Manifest,
    is_recording_id,
    read_manifest,
    write_manifest,
)

_PRIVATE_FOLDER = 0o700

INTERRUPTED_S = 60.0
"""A service that records writes every second; one that has not for so long was killed."""


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
    newest_s: float
    """Unix time of the last change to one of them."""
    manifest: Manifest | None

    def goes_on(self, now_s: float) -> bool:
        """Whether a service writes to it still, at this Unix time."""
        ended = self.manifest is not None and self.manifest.ended_s is not None
        return not ended and now_s - self.newest_s < INTERRUPTED_S


class RecordingStore:
    """All recordings below one folder, which is made when it is needed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self) -> None:
        """Make the folder, if it is not there; raises ``OSError`` where it cannot be written."""
        self.folder.mkdir(_PRIVATE_FOLDER, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=self.folder):
            pass

    def create(self, manifest: Manifest) -> None:
        """Begin a recording.

        Raises:
            OSError: the folder cannot be made or written, or there is such a recording.
        """
        self.folder.mkdir(_PRIVATE_FOLDER, parents=True, exist_ok=True)
        folder = self._folder_of(manifest.recording_id)
        folder.mkdir(_PRIVATE_FOLDER)
        _write_manifest(folder, manifest)

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
        shutil.rmtree(self._existing(recording_id))

    def delete_participant(self, recording_id: str, participant: str, now_s: float) -> int:
        """Remove the tracks of one participant, and mixes, which have them in them; how many.

        Raises:
            RecordingNotFound: there is no such recording, it goes on, or they are not in it.
            OSError: it cannot be changed.
        """
        found = self.find(recording_id)
        manifest = found.manifest
        if manifest is None or found.goes_on(now_s):
            raise RecordingNotFound(
                f"the recording {recording_id} has not ended, so that its tracks are not all there "
                "yet: delete all of it, or wait for its end"
            )
        theirs = [track for track in manifest.tracks if track.participant == participant]
        if not theirs:
            raise RecordingNotFound(f"no track of the recording is of participant {participant!r}")
        kept = [track for track in manifest.tracks if track.participant != participant]
        files = {file for track in theirs for file in (track.file, track.words) if file}
        made = {path.name for path in found.folder.iterdir()} - {
            MANIFEST,
            *(file for track in manifest.tracks for file in (track.file, track.words)),
        }
        changed = msgspec.structs.replace(manifest, tracks=kept)
        self.apply(recording_id, Changes(sorted(files | made), changed))
        return len(theirs)

    def purge(self, before_s: float) -> list[str]:
        """Remove recordings that nothing was written to since this Unix time; their ids.

        Raises:
            OSError: one cannot be removed.
        """
        old = [one for one in self.records() if one.newest_s < before_s]
        for one in old:
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(one.folder)
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
    stats = [path.stat() for path in folder.iterdir()]
    try:
        manifest = manifest_of(folder)
    except RecordingNotFound:
        manifest = None
    return Recorded(
        folder.name,
        folder,
        sum(one.st_size for one in stats),
        max((one.st_mtime for one in stats), default=folder.stat().st_mtime),
        manifest,
    )


def _write_manifest(folder: Path, manifest: Manifest) -> None:
    with atomic.writing(folder / MANIFEST) as file:
        file.write(write_manifest(manifest))


def _append(path: Path, data: bytes, flags: int = 0) -> None:
    """At the end of a file that is there, unless ``flags`` let it be made."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | flags, atomic.PRIVATE)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
