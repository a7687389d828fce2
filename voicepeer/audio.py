"""Recordings from files to clean mono samples, and speech to WAV files."""

from __future__ import annotations

import wave
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engines import atomic
from engines.resampling import resample
from voicepeer.core.errors import AudioRejected
from voicepeer.core.pcm import Pcm, level_dbfs, to_pcm16
from voicepeer.decoding import Channels, decode

MAX_REFERENCE_S = 60.0
MIN_REFERENCE_S = 0.1
MIN_SPEECH_S = 3.0
SILENT_DBFS = -60.0
MAX_SAMPLE = 1e6
"""Full scale is 1. Larger ones than this are no sound, and sums of them would overflow."""

_QUIETER_CHANNEL_DB = 20.0
_ANTI_PHASE_DB = 10.0


@dataclass(frozen=True, slots=True)
class Recording:
    """What a file held: mono, finite, without DC offset, within full scale.

    ``notes`` are for a person: what was done to it that they may not expect.
    """

    pcm: Pcm
    rate_hz: int
    notes: tuple[str, ...] = ()

    @property
    def duration_s(self) -> float:
        """Length of what was read."""
        return self.pcm.size / self.rate_hz

    def at(self, rate_hz: int) -> Pcm:
        """The samples at another rate."""
        return resample(self.pcm, self.rate_hz, rate_hz)


def read_reference(path: Path | str, max_s: float = MAX_REFERENCE_S) -> Recording:
    """Read a recording of any common format; of a longer one, its first ``max_s``.

    Raises:
        AudioRejected: not there, not audio, damaged, too short, or silent; the message says which.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            return read_recording(file, path.name, max_s)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise AudioRejected(f"{path.name} cannot be read: {reason}", "missing") from error


def read_recording(file: BinaryIO, name: str, max_s: float = MAX_REFERENCE_S) -> Recording:
    """The same from an open file, which messages call ``name``; raises ``AudioRejected``."""
    decoded = decode(file, name, max_s)
    rate_hz = decoded.rate_hz
    notes = [f"only the first {max_s:.0f} s are used"] if decoded.cut else []
    mono = _to_mono(_finite(decoded.channels, name, notes), notes)
    mono = _within_full_scale(mono - np.mean(mono), notes)
    if mono.size < MIN_REFERENCE_S * rate_hz:
        raise AudioRejected(
            f"{name} is too short: {mono.size / rate_hz:.2f} s; "
            f"record at least {MIN_SPEECH_S:.0f} s of speech",
            "too_short",
        )
    if level_dbfs(mono) <= SILENT_DBFS:
        raise AudioRejected(
            f"{name} is silent ({level_dbfs(mono):.0f} dBFS): check the microphone, "
            "then record again",
            "silent",
        )
    return Recording(mono, rate_hz, tuple(notes))


def _finite(channels: Channels, name: str, notes: list[str]) -> Channels:
    bad = ~(np.abs(channels) <= MAX_SAMPLE)
    share = float(np.mean(bad))
    if share > 0.01:
        raise AudioRejected(
            f"{name} holds samples that are not numbers: save it again as 16-bit WAV",
            "not_numbers",
        )
    if share > 0:
        notes.append("some samples were not numbers and count as silence")
    return np.where(bad, np.float32(0.0), channels)


def _to_mono(channels: Channels, notes: list[str]) -> Pcm:
    """Mean of the channels that carry the speech, or the loudest one if they would cancel."""
    if channels.shape[0] == 1:
        return np.asarray(channels[0])
    levels_db = np.array([level_dbfs(channel - np.mean(channel)) for channel in channels])
    loudest = int(np.argmax(levels_db))
    speaking = channels[levels_db >= levels_db[loudest] - _QUIETER_CHANNEL_DB]
    mono: Pcm = np.asarray(np.mean(speaking, axis=0), dtype=np.float32)
    if level_dbfs(mono - np.mean(mono)) < levels_db[loudest] - _ANTI_PHASE_DB:
        notes.append("the channels cancel each other, so only the loudest one is used")
        return np.asarray(channels[loudest])
    return mono


def _within_full_scale(pcm: Pcm, notes: list[str]) -> Pcm:
    peak = float(np.max(np.abs(pcm), initial=0.0))
    if peak > 2.0:
        notes.append("samples went far beyond full scale and were turned down")
    return np.asarray(pcm / max(1.0, peak), dtype=np.float32)


def write_wav(path: Path | str, pcm: Pcm, rate_hz: int) -> None:
    """Write mono 16-bit WAV; a reader sees the old file or the whole new one, never a part.

    Raises:
        OSError: the folder is not there or not writable, or the disk is full.
    """
    with (
        atomic.writing(Path(path), atomic.READABLE) as file,
        closing(wave.open(file, "wb")) as writer,
    ):
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(rate_hz)
        writer.writeframes(to_pcm16(pcm).astype("<i2").tobytes())
