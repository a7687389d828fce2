"""What a recording tells of itself, beside its tracks: ``manifest.json`` in its folder."""

from __future__ import annotations

import re
from pathlib import PurePath

import msgspec

from voicepeer.core.errors import RecordingNotFound
from voicepeer.core.rooms.recording import RecordingEnd

MANIFEST = "manifest.json"
MAX_MANIFEST_BYTES = 4_000_000

VERSION = 1

_ID = re.compile(r"\d{8}T\d{6}-[0-9a-f]{12}")
_TRACK_FILE = re.compile(r"track-\d{3,6}\.opus")
_WORDS_FILE = re.compile(r"track-\d{3,6}\.words\.jsonl")


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """One stretch of one participant, from when they agreed until they left or no longer did."""

    file: str
    participant: str
    name: str
    """What the participant calls themselves; empty where they do not."""
    person: str = ""
    """Whose it is (``Participant.person``); empty in recordings from before there was this."""
    offset_ms: float
    """When its first sample is heard, from the start of the recording."""
    words: str = ""
    """The file with what was said by text, one word a line."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """One recording; ``begun_s`` and ``ended_s`` are Unix time.

    Without ``ended_s`` it goes on still, or its process was killed: the tracks are there up to
    about a second before that.
    """

    version: int = VERSION
    recording_id: str
    tenant: str
    room: str
    begun_s: float
    ended_s: float | None = None
    end: RecordingEnd | None = None
    tracks: list[Track] = []

    @property
    def length_s(self) -> float | None:
        """From its beginning to its end, if it has one."""
        return None if self.ended_s is None else max(0.0, self.ended_s - self.begun_s)


_decoder = msgspec.json.Decoder(Manifest)


def is_recording_id(text: str) -> bool:
    """Whether a recording may be called so; nothing that leads to another folder may."""
    return _ID.fullmatch(text) is not None


def read_manifest(data: bytes) -> Manifest:
    """A manifest from its JSON.

    Raises:
        RecordingNotFound: it is none, of a later version, or names files that are no tracks.
    """
    try:
        manifest = _decoder.decode(data[: MAX_MANIFEST_BYTES + 1])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise RecordingNotFound(f"the recording's {MANIFEST} cannot be read: {error}") from error
    if manifest.version > VERSION:
        raise RecordingNotFound("the recording was made by a later version: update voicepeer")
    for track in manifest.tracks:
        words_sound = not track.words or _WORDS_FILE.fullmatch(track.words)
        if not _TRACK_FILE.fullmatch(track.file) or not words_sound:
            name = PurePath(track.file).name
            raise RecordingNotFound(f"the recording's {MANIFEST} names {name!r}, which is no track")
    return manifest


def write_manifest(manifest: Manifest) -> bytes:
    """The JSON of a manifest, for people to read, too."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n"
