"""Recordings of rooms while they go on: who is recorded now goes to files, second by second.

Who may be recorded is decided in ``core.rooms``; nothing is kept of anybody else.
"""

from __future__ import annotations

import asyncio
import errno
import itertools
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec

from voicepeer.audit import Audit, AuditEvent
from voicepeer.core.messages import Caption, Word
from voicepeer.core.recording.manifest import Manifest, Track
from voicepeer.core.recording.transcript import Said, Transcript
from voicepeer.core.rooms.recording import RecordingEnd
from voicepeer.core.rooms.room import Participant
from voicepeer.forwarding import Publication
from voicepeer.recording_store import Changes, RecordingStore
from voicepeer.recording_track import TrackWriter

logger = logging.getLogger(__name__)

WRITE_EVERY_S = 1.0
"""What is lost when the process is killed; and a page of each track has so much."""

MAX_TRACKS = 1_000
"""Of one recording: whoever agrees again begins another one."""

MAX_TRACKS_EACH = 50
"""Of one person, who then cannot agree again: they cannot end the recording of the others."""

Ended = Callable[[RecordingEnd], None]
"""Told when a recording cannot go on."""


@dataclass(frozen=True, slots=True)
class RecordingLimits:
    """How long and how large a recording may be, and how long it is kept."""

    max_s: float = 4 * 3600.0
    max_bytes: int = 1_000_000_000
    min_free_bytes: int = 1_000_000_000
    """Of the disk, below which nothing is recorded."""
    keep_days: float = 30.0
    """After that a recording is removed; 0 is never."""


@dataclass(slots=True)
class _Track:
    """One stretch of one participant; it has a number, and so files, once there is anything."""

    participant: Participant
    writer: TrackWriter
    transcript: Transcript = field(default_factory=Transcript)
    number: int = 0
    said: list[Said] = field(default_factory=list)
    """Not written yet."""
    closed: bool = False
    finished: bool = False
    """Whether its last page was made."""
    written: bool = False
    """Whether its file is there."""
    spoke: bool = False
    """Whether there is a file with words."""

    @property
    def file(self) -> str:
        return f"track-{self.number:03d}.opus"

    @property
    def words_file(self) -> str:
        return f"track-{self.number:03d}.words.jsonl"

    def take(self, now: float) -> bytes:
        """What there is to write to its file."""
        if not self.closed:
            return self.writer.take(now)
        finished, self.finished = self.finished, True
        return b"" if finished else self.writer.finish()

    def take_words(self) -> bytes:
        """What there is to write to its file of words."""
        lines = b"".join(msgspec.json.encode(one) + b"\n" for one in self.said)
        self.said.clear()
        return lines

    def described(self) -> Track:
        """As the manifest has it."""
        return Track(
            file=self.file,
            participant=self.participant.participant_id,
            name=self.participant.name,
            person=self.participant.person,
            offset_ms=round(self.writer.offset_ms or 0.0, 3),
            words=self.words_file if self.spoke else "",
        )


class RoomRecorder:
    """One recording of one room; ``run`` has to run beside it until it returns.

    ``on_end`` is told when it cannot go on; then, as at any end, ``end`` is to be called.
    """

    def __init__(
        self,
        store: RecordingStore,
        manifest: Manifest,
        limits: RecordingLimits,
        audit: Audit,
        on_end: Ended,
    ) -> None:
        self._store = store
        self._manifest = manifest
        self._limits = limits
        self._audit = audit
        self._on_end = on_end
        self._start_s = time.monotonic()
        self._serials = itertools.count(1)
        self._numbers = itertools.count(1)
        self._tracks: list[_Track] = []
        self._deleted: list[str] = []
        self._size = 0
        self._changed = False
        self._over = False
        self._hurry = asyncio.Event()
        """Set when something is to be written at once."""

    @property
    def recording_id(self) -> str:
        """By what it is found again."""
        return self._manifest.recording_id

    @property
    def is_over(self) -> bool:
        """Whether nothing more is recorded; what is left may still be being written."""
        return self._over

    def follow(self, recorded: Mapping[str, tuple[Participant, Publication]]) -> None:
        """Record these from now on, and nobody else; nobody at all once it is over."""
        if self._over:
            return
        for track in self._open_tracks():
            if track.participant.participant_id not in recorded:
                self._close(track)
        there = {track.participant.participant_id for track in self._open_tracks()}
        for one, (participant, publication) in recorded.items():
            if one not in there:
                self._open(participant, publication)

    def started(self, by: Participant) -> None:
        """Note who has asked for it."""
        self._note("recording.start", by)

    def agreed(self, participant: Participant) -> None:
        """Note that somebody has agreed."""
        self._note("recording.agree", participant)

    def withdrawn(self, participant: Participant, keep: bool) -> None:
        """Note that somebody does not agree."""
        self._note("recording.withdraw", participant, "kept" if keep else "deleted")

    def has_place_for(self, participant: Participant) -> bool:
        """Whether this person may begin another track."""
        return len(self._tracks_by(participant)) < MAX_TRACKS_EACH

    def delete(self, participant: Participant) -> bool:
        """Remove all that there is of a person, whoever they were; whether there was anything."""
        theirs = self._tracks_by(participant)
        for track in theirs:
            self._close(track)
            self._tracks.remove(track)
            self._deleted += [track.file, track.words_file] if track.number else []
        if theirs:
            self._changed = True
            self._hurry.set()
        return bool(theirs)

    def piece(self, one: str, piece: Caption) -> None:
        """A piece of text that a participant's session will say next."""
        for track in self._tracks_of(one):
            track.transcript.piece(piece)

    def word(self, one: str, word: Word) -> None:
        """A word that a participant's session says now."""
        for track in self._tracks_of(one):
            at_ms = (time.monotonic() - self._start_s) * 1000
            track.said.append(track.transcript.word(word, at_ms))

    def end(self, reason: RecordingEnd) -> None:
        """Record nothing more; ``run`` writes what is left. Harmless a second time."""
        if self._over:
            return
        self._over = True
        for track in self._open_tracks():
            self._close(track)
        length_s = time.monotonic() - self._start_s
        self._manifest = msgspec.structs.replace(
            self._manifest, ended_s=round(self._manifest.begun_s + length_s, 3), end=reason
        )
        self._changed = True
        self._note("recording.stop", None, reason)
        self._hurry.set()

    def stop(self) -> None:
        """End, and tell those in the room, as the service stops."""
        self._on_end("room_ended")
        self.end("room_ended")

    async def run(self) -> None:
        """Write until the end of the recording."""
        try:
            await asyncio.to_thread(self._store.create, self._manifest)
            while not self._over:
                await self._wait()
                self._look_at_limits(await self._write())
            await self._write()
        except Exception as error:  # the edge of a task
            await self._give_up(error)
        finally:
            self._store.release(self.recording_id)

    # --- inside ---------------------------------------------------------------------------------

    def _open(self, participant: Participant, publication: Publication) -> None:
        writer = TrackWriter(self._start_s, next(self._serials))
        writer.hear(publication)
        self._tracks.append(_Track(participant, writer))

    def _close(self, track: _Track) -> None:
        track.writer.hear(None)
        track.closed = True

    def _open_tracks(self) -> list[_Track]:
        return [track for track in self._tracks if not track.closed]

    def _tracks_by(self, participant: Participant) -> list[_Track]:
        person = participant.person
        return [track for track in self._tracks if track.participant.person == person]

    def _tracks_of(self, one: str) -> list[_Track]:
        return [track for track in self._open_tracks() if track.participant.participant_id == one]

    @property
    def _written(self) -> int:
        return sum(track.written for track in self._tracks)

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(WRITE_EVERY_S):
                await self._hurry.wait()
        except TimeoutError:
            pass
        self._hurry.clear()

    async def _write(self) -> int:
        """Write what has come; bytes that are free on the disk after that."""
        changes = self._changes(time.monotonic())
        self._size += changes.size
        try:
            return await asyncio.to_thread(self._apply, changes)
        except OSError:
            # What was withdrawn has to go; it is tried again at the end.
            self._deleted, self._changed = [*changes.deleted, *self._deleted], True
            raise

    def _apply(self, changes: Changes) -> int:
        self._store.apply(self.recording_id, changes)
        return self._store.free_bytes()

    def _changes(self, now: float) -> Changes:
        begun: dict[str, bytes] = {}
        appended: dict[str, bytes] = {}
        for track in self._tracks:
            if data := track.take(now):
                track.number = track.number or next(self._numbers)
                (appended if track.written else begun)[track.file] = data
                self._changed |= not track.written
                track.written = True
            if track.written and (lines := track.take_words()):
                (appended if track.spoke else begun)[track.words_file] = lines
                self._changed |= not track.spoke
                track.spoke = True
        # Of whoever was never heard there is nothing.
        self._tracks = [track for track in self._tracks if track.written or not track.closed]
        deleted, self._deleted = self._deleted, []
        changed, self._changed = self._changed, False
        return Changes(deleted, self._described() if changed else None, begun, appended)

    def _described(self) -> Manifest:
        tracks = [track.described() for track in self._tracks if track.written]
        return msgspec.structs.replace(self._manifest, tracks=tracks)

    def _look_at_limits(self, free_bytes: int) -> None:
        limits = self._limits
        if self._over:
            return
        if time.monotonic() - self._start_s >= limits.max_s:
            self._on_end("too_long")
        elif self._size >= limits.max_bytes or self._written >= MAX_TRACKS:
            self._on_end("too_large")
        elif free_bytes < limits.min_free_bytes:
            self._on_end("disk_full")

    async def _give_up(self, error: Exception) -> None:
        """Let nobody believe that it goes on; what was withdrawn is deleted all the same."""
        if isinstance(error, FileNotFoundError) and self._store.is_removed(self.recording_id):
            logger.warning("the recording %s was deleted while it went on", self.recording_id)
            self._on_end("deleted")
            return
        logger.error("the recording %s cannot be written", self.recording_id, exc_info=error)
        full = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        self._on_end("disk_full" if full else "failed")
        try:
            await self._write()
        except Exception as again:  # the edge of a task
            logger.error("nor can its end: %s", again)

    def _note(self, event: AuditEvent, who: Participant | None, reason: str = "") -> None:
        tenant = self._manifest.tenant
        self._audit.record(
            event,
            key_id=tenant,
            subject="" if who is None else who.user.removeprefix(tenant).removeprefix("/"),
            recording_id=self.recording_id,
            participant_id="" if who is None else who.participant_id,
            reason=reason,
        )
