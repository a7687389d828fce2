"""Recordings from files to clean mono speech to clone from, and speech to WAV files."""

from __future__ import annotations

import wave
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soxr

from engines import atomic
from engines.api import Reference, ReferenceRejected, SpeakerEncoder, VoiceActivityModel
from voicepeer.core.errors import AudioRejected
from voicepeer.core.listening.gate import (
    GateSettings,
    SpeechGate,
    SpeechHeard,
    SpeechWithheld,
    WithheldReason,
)
from voicepeer.core.listening.partials import learning_gain
from voicepeer.core.listening.quality import Quality, assess
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm, level_dbfs, to_pcm16
from voicepeer.decoding import Channels, decode

MAX_REFERENCE_S = 60.0
MIN_REFERENCE_S = 0.1
MIN_SPEECH_S = 3.0
MAX_SPEECH_S = 20.0
SILENT_DBFS = -60.0
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


def resample(pcm: Pcm, from_hz: int, to_hz: int) -> Pcm:
    """Whole recording at another rate (libsoxr, high quality)."""
    if from_hz == to_hz:
        return pcm
    return np.asarray(soxr.resample(pcm, from_hz, to_hz), dtype=np.float32)


def read_reference(path: Path | str, max_s: float = MAX_REFERENCE_S) -> Recording:
    """Read a recording of any common format; of a longer one, its first ``max_s``.

    Raises:
        AudioRejected: not there, not audio, damaged, too short, or silent; the message says which.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            decoded = decode(file, path.name, max_s)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise AudioRejected(f"{path.name} cannot be read: {reason}") from error
    rate_hz = decoded.rate_hz
    notes = [f"only the first {max_s:.0f} s are used"] if decoded.cut else []
    mono = _to_mono(_finite(decoded.channels, path.name, notes), notes)
    mono = _within_full_scale(mono - np.mean(mono), notes)
    if mono.size < MIN_REFERENCE_S * rate_hz:
        raise AudioRejected(
            f"{path.name} is too short: {mono.size / rate_hz:.2f} s; "
            f"record at least {MIN_SPEECH_S:.0f} s of speech"
        )
    if level_dbfs(mono) <= SILENT_DBFS:
        raise AudioRejected(
            f"{path.name} is silent ({level_dbfs(mono):.0f} dBFS): check the microphone, "
            "then record again"
        )
    return Recording(mono, rate_hz, tuple(notes))


def _finite(channels: Channels, name: str, notes: list[str]) -> Channels:
    bad = ~np.isfinite(channels)
    share = float(np.mean(bad))
    if share > 0.01:
        raise AudioRejected(
            f"{name} holds samples that are not numbers: save it again as 16-bit WAV"
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


@dataclass(frozen=True, slots=True)
class CloneSource:
    """Speech to clone from, and how good it is."""

    reference: Reference
    speech_s: float
    quality: Quality


def clone_reference(
    pcm: Pcm,
    vad: VoiceActivityModel,
    encoder: SpeakerEncoder,
    settings: GateSettings | None = None,
    min_speech_s: float = MIN_SPEECH_S,
) -> CloneSource:
    """Speech and embedding of one recording, mono at 16 kHz, as a live microphone would give.

    Quiet recordings are turned up first, so that their speech is noticed; the reference is at
    a level that encoders work well at.

    Raises:
        AudioRejected: under ``min_speech_s`` of usable speech; says how much there was.
    """
    if {vad.sample_rate_hz, encoder.sample_rate_hz} != {LISTEN_RATE_HZ}:
        raise ValueError(f"the models must listen at {LISTEN_RATE_HZ} Hz")
    gain = max(np.float32(1.0), learning_gain(pcm))
    speech, withheld_s, snr_db = _listen(np.asarray(pcm * gain, dtype=np.float32), vad, settings)
    speech_s = speech.size / LISTEN_RATE_HZ
    if speech_s < min_speech_s:
        raise AudioRejected(_too_little(speech_s, withheld_s, min_speech_s))
    speech = speech[: round(MAX_SPEECH_S * LISTEN_RATE_HZ)]
    quality = assess(np.asarray(speech / gain, dtype=np.float32), snr_db=snr_db)
    speech = np.asarray(speech * learning_gain(speech), dtype=np.float32)
    try:
        embedding = encoder.embed(speech)
    except ReferenceRejected as error:
        raise AudioRejected(str(error)) from error
    return CloneSource(Reference(speech, LISTEN_RATE_HZ, embedding), speech_s, quality)


def _listen(
    pcm: Pcm, vad: VoiceActivityModel, settings: GateSettings | None
) -> tuple[Pcm, Mapping[WithheldReason, float], float | None]:
    """Usable speech, seconds of speech withheld by reason, and the ratio of speech to noise."""
    size = vad.window_samples
    gate = SpeechGate(settings, window_samples=size, rate_hz=LISTEN_RATE_HZ)
    padded = np.pad(pcm, (0, -pcm.size % size))
    memory, heard = vad.memory(), [np.zeros(0, dtype=np.float32)]
    withheld_s: dict[WithheldReason, float] = {"own_voice": 0.0, "clipped": 0.0, "noisy": 0.0}
    for number, window in enumerate(padded.reshape(-1, size), start=1):
        probability, memory = vad.score(window, memory)
        for event in gate.push(window, probability, number * size / LISTEN_RATE_HZ):
            match event:
                case SpeechHeard(pcm=speech):
                    heard.append(speech)
                case SpeechWithheld(reason=reason, duration_s=duration_s):
                    withheld_s[reason] += duration_s
                case _:
                    pass
    return np.concatenate(heard), withheld_s, gate.snr_db


def _too_little(
    speech_s: float, withheld_s: Mapping[WithheldReason, float], needed_s: float
) -> str:
    needed = f"{speech_s:.1f} s of usable speech heard, {needed_s:.0f} s are needed"
    if withheld_s["noisy"] > speech_s:
        return f"{needed}: {withheld_s['noisy']:.1f} s more were too noisy; find a quieter place"
    if withheld_s["clipped"] > speech_s:
        return (
            f"{needed}: {withheld_s['clipped']:.1f} s more were clipped; turn the microphone down"
        )
    return f"{needed}: record more speech"


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
