"""All tracks of a recording in one WAV, and what was said by text as captions.

Goes through the tracks second by second, so that memory does not grow with their length, and goes
on where it was interrupted.
"""

from __future__ import annotations

import fcntl
import logging
import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

import av
import msgspec
import numpy as np

from engines import atomic
from engines.progress import Progress
from voicepeer.core.errors import CannotWrite
from voicepeer.core.jitter import packet_samples
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm, Pcm16, from_pcm16, to_pcm16
from voicepeer.core.recording.filling import is_empty
from voicepeer.core.recording.limiter import Limiter
from voicepeer.core.recording.manifest import Manifest, Track
from voicepeer.core.recording.ogg import PRE_SKIP_SAMPLES
from voicepeer.core.recording.transcript import Said, captions_of
from voicepeer.core.speaking.caption import webvtt
from voicepeer.opus import OpusDecoder, OpusError
from voicepeer.recording_store import manifest_of

logger = logging.getLogger(__name__)

MIX = "mix.wav"
PART = "mix.wav.part"
CAPTIONS = "captions.vtt"

BLOCK_SAMPLES = WIRE_RATE_HZ
"""One second at a time."""

PREROLL_SAMPLES = WIRE_RATE_HZ
"""Decoded and thrown away where a track is gone on with in its midst; 80 ms would be enough."""

_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_PCM, _MONO, _BITS, _SAMPLE_BYTES = 1, 1, 16, 2


@dataclass(frozen=True, slots=True)
class Mixed:
    """The files that were made."""

    wav: Path
    captions: Path
    length_s: float
    tracks: int
    cues: int
    resumed_s: float
    """Of it was there already."""


def mix(folder: Path, progress: Progress, *, again: bool = False) -> Mixed:
    """Make ``mix.wav`` and ``captions.vtt`` in a recording's folder; goes on where it was stopped.

    A mix that is there already stays, unless it is to be made ``again``.

    Raises:
        RecordingNotFound: the folder holds no recording.
        CannotWrite: the disk is full, the folder cannot be written, another process mixes it, or
            somebody was deleted from it meanwhile.
    """
    manifest = manifest_of(folder)
    try:
        cues = _write_captions(folder, manifest)
        made = _mix(folder, manifest, cues, progress, again=again)
        if manifest_of(folder) != manifest:
            _take_back(made)
        return made
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise CannotWrite(f"cannot write the mix of {folder}: {reason}") from error


def _take_back(made: Mixed) -> NoReturn:
    """Somebody was deleted meanwhile who may be in it.

    Raises:
        CannotWrite: that is so.
    """
    made.wav.unlink(missing_ok=True)
    made.captions.unlink(missing_ok=True)
    raise CannotWrite(
        f"a participant of {made.wav.parent.name} was deleted while it was mixed: mix it again"
    )


def _mix(folder: Path, manifest: Manifest, cues: int, progress: Progress, *, again: bool) -> Mixed:
    wav = folder / MIX
    resumed = 0 if again else _samples_in(wav)
    if not resumed:
        with _part(folder / PART, anew=again) as file:
            resumed = _samples_written(file)
            readers = [_reader(folder, track, resumed) for track in manifest.tracks]
            _write_sum(file, readers, resumed, manifest.length_s, progress)
            os.replace(folder / PART, wav)
    return Mixed(
        wav,
        folder / CAPTIONS,
        _samples_in(wav) / WIRE_RATE_HZ,
        len(manifest.tracks),
        cues,
        resumed / WIRE_RATE_HZ,
    )


def _write_sum(
    file: BinaryIO,
    readers: list[TrackReader],
    begin: int,
    length_s: float | None,
    progress: Progress,
) -> None:
    limiter, at, last = Limiter(), begin, False
    while not last:
        blocks = [reader.read(BLOCK_SAMPLES) for reader in readers]
        size = max((block.size for block in blocks), default=0)
        last = size < BLOCK_SAMPLES
        total = np.zeros(size, np.float32)
        for block in blocks:
            total[: block.size] += block
        file.write(to_pcm16(limiter.push(total)).astype("<i2").tobytes())
        at += size
        if length_s:
            progress("mixing", min(at / WIRE_RATE_HZ / length_s, 0.999))
    file.write(to_pcm16(limiter.finish()).astype("<i2").tobytes())
    samples = _samples_written(file)
    file.seek(0)
    file.write(_header(samples))
    file.flush()
    os.fsync(file.fileno())
    progress("mixing", 1.0)


# --- tracks -----------------------------------------------------------------------------------


class TrackReader:
    """The sound of a track, in pieces of any size, for one way through."""

    def __init__(self, sound: Iterator[Pcm16]) -> None:
        self._sound = sound
        self._held: Pcm16 = np.zeros(0, np.int16)

    def read(self, samples: int) -> Pcm:
        """The next ``[samples]``, or fewer at the end."""
        parts, size = [self._held], self._held.size
        while size < samples and (part := next(self._sound, None)) is not None:
            parts.append(part)
            size += part.size
        whole: Pcm16 = np.concatenate(parts)
        self._held = whole[samples:]
        return from_pcm16(whole[:samples])


def _reader(folder: Path, track: Track, begin: int) -> TrackReader:
    offset = round(track.offset_ms * WIRE_RATE_HZ / 1000)
    return TrackReader(track_sound(folder / track.file, offset, begin))


def track_sound(path: Path, offset: int, begin: int = 0) -> Iterator[Pcm16]:
    """All of a track from a position of its recording on, in pieces, at 48 kHz.

    Args:
        path: of the track.
        offset: position of its first sample; before that there is silence.
        begin: position to begin with.
    """
    for start in range(begin, offset, BLOCK_SAMPLES):
        yield np.zeros(min(BLOCK_SAMPLES, offset - start), np.int16)
    skip = PRE_SKIP_SAMPLES + max(0, begin - offset)
    decoder, at = OpusDecoder(WIRE_RATE_HZ), 0
    for packet, following in _with_following(_packets(path)):
        samples = packet_samples(packet)
        if at + samples > skip - PREROLL_SAMPLES:
            pcm = _decoded(decoder, packet, following, samples)
            if at + samples > skip:
                yield pcm[max(0, skip - at) :]
        at += samples


def _decoded(decoder: OpusDecoder, packet: bytes, following: bytes | None, samples: int) -> Pcm16:
    """A packet, or in place of one without sound what the next one tells of it."""
    try:
        if is_empty(packet) and following is not None and not is_empty(following):
            return decoder.recover(following, samples)
        return decoder.decode(packet)
    except OpusError as error:
        logger.debug("an undecodable packet in a recording: %s", error)
        return np.zeros(samples, np.int16)


def _with_following(packets: Iterable[bytes]) -> Iterator[tuple[bytes, bytes | None]]:
    before: bytes | None = None
    for packet in packets:
        if before is not None:
            yield before, packet
        before = packet
    if before is not None:
        yield before, None


def _packets(path: Path) -> Iterator[bytes]:
    """As far as the file can be read: that of a process that was killed ends anywhere."""
    try:
        with av.open(str(path), "r", format="ogg") as container:
            for packet in container.demux(audio=0):
                if packet.size:
                    yield bytes(packet)
    except (av.FFmpegError, IndexError) as error:
        logger.warning("%s cannot be read any further: %s", path.name, error)


# --- the WAV ----------------------------------------------------------------------------------


def _part(path: Path, *, anew: bool) -> BinaryIO:
    """What there is of a mix, for going on at its end, or the beginning of one.

    Raises:
        CannotWrite: another process has it.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, atomic.PRIVATE)
    file = os.fdopen(handle, "r+b")
    if not _is_ours(file, path):
        file.close()
        raise CannotWrite(f"{path.parent.name} is being mixed already: wait for that to end")
    if anew:
        file.truncate(0)
    if file.seek(0, os.SEEK_END) < _HEADER.size:
        file.seek(0)
        file.write(_header(0))
    whole = _samples_written(file) // BLOCK_SAMPLES * BLOCK_SAMPLES
    file.seek(_HEADER.size + whole * _SAMPLE_BYTES)
    file.truncate()
    return file


def _is_ours(file: BinaryIO, path: Path) -> bool:
    """Whether no other process writes to a file, nor has given it another name meanwhile."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except (BlockingIOError, FileNotFoundError):
        return False


def _samples_written(file: BinaryIO) -> int:
    return (file.seek(0, os.SEEK_END) - _HEADER.size) // _SAMPLE_BYTES


def _samples_in(path: Path) -> int:
    """Of a WAV that is complete; 0 where there is none."""
    try:
        return (path.stat().st_size - _HEADER.size) // _SAMPLE_BYTES
    except FileNotFoundError:
        return 0


def _header(samples: int) -> bytes:
    size = samples * _SAMPLE_BYTES
    return _HEADER.pack(
        *(b"RIFF", _HEADER.size - 8 + size, b"WAVE", b"fmt ", 16, _PCM, _MONO, WIRE_RATE_HZ),
        *(WIRE_RATE_HZ * _SAMPLE_BYTES, _SAMPLE_BYTES, _BITS, b"data", size),
    )


# --- captions ---------------------------------------------------------------------------------


def _write_captions(folder: Path, manifest: Manifest) -> int:
    """Write what was said by text by all; how many captions there are."""
    cues = [
        cue
        for track in manifest.tracks
        if track.words
        for cue in captions_of(_said(folder / track.words), track.name or track.participant)
    ]
    cues.sort(key=lambda cue: cue.start_ms)
    with atomic.writing(folder / CAPTIONS) as file:
        file.write(webvtt(cues).encode())
    return len(cues)


def _said(path: Path) -> Iterator[Said]:
    """The words of a file; a line that was cut short is left out."""
    try:
        with path.open("rb") as file:
            for line in file:
                try:
                    yield msgspec.json.decode(line, type=Said)
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    logger.warning("%s has a line that cannot be read", path.name)
    except FileNotFoundError:
        return
