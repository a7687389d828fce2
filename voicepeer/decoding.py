"""Decodes audio files of strangers with PyAV: recognised by content, read only as far as needed."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import av
import numpy as np
from av.container import InputContainer
from numpy.typing import NDArray

from voicepeer.core.errors import AudioRejected

logger = logging.getLogger(__name__)

MAX_FILE_BYTES = 2 << 30
MIN_RATE_HZ = 8_000
MAX_RATE_HZ = 48_000
"""Recordings at higher rates are brought down to this one while they are decoded."""

MAX_SOURCE_RATE_HZ = 384_000
"""Rates far beyond any converter's, in a damaged or hostile header, would cost gigabytes."""

MAX_CHANNELS = 8

# Playlists and the like are left out: they make FFmpeg open other files and addresses.
_CONTAINERS = "wav,w64,aiff,au,caf,mp3,aac,flac,ogg,matroska,webm,mov,mp4,m4a,3gp,amr"

Channels = NDArray[np.float32]
"""Samples of all channels, shape ``[channels, n]``; nominal full scale at ±1.0."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The first audio track of a file; ``cut`` says that it went on after ``max_s``."""

    channels: Channels
    rate_hz: int
    cut: bool


def decode(file: BinaryIO, name: str, max_s: float) -> Decoded:
    """Decode at most ``max_s`` of a file; ``name`` is what messages call it.

    Raises:
        AudioRejected: empty, not audio, damaged from the start, without samples, or of a rate,
            size or number of channels that no voice recording has.
    """
    _check_size(file, name)
    try:
        with av.open(file, "r", options={"format_whitelist": _CONTAINERS}) as container:
            stream = _track(container, name)
            return _read(container, stream, name, max_s)
    except (av.FFmpegError, ValueError) as error:
        raise AudioRejected(
            f"{name} is not a recording that can be read, or it is damaged: "
            "use WAV, FLAC, MP3, M4A, OGG or WebM",
            "unreadable",
        ) from error


def _check_size(file: BinaryIO, name: str) -> None:
    file.seek(0, os.SEEK_END)
    size = file.tell()
    file.seek(0)
    if size == 0:
        raise AudioRejected(f"{name} is empty: record or copy it again", "empty")
    if size > MAX_FILE_BYTES:
        raise AudioRejected(
            f"{name} is larger than {MAX_FILE_BYTES >> 30} GB: cut a part from it", "too_large"
        )


def _track(container: InputContainer, name: str) -> av.AudioStream:
    if not container.streams.audio:
        raise AudioRejected(f"{name} has no audio track: choose a recording of speech", "no_audio")
    stream = container.streams.audio[0]
    if getattr(stream, "codec_context", None) is None:
        raise AudioRejected(
            f"{name} is encoded in an unknown way: save it as 16-bit WAV", "unreadable"
        )
    rate_hz, channels = stream.rate or 0, stream.channels or 0
    if rate_hz < MIN_RATE_HZ:
        raise AudioRejected(
            f"{name} is sampled at {rate_hz} Hz, too low for a voice: "
            f"record at {MIN_RATE_HZ} Hz or more",
            "sample_rate",
        )
    if rate_hz > MAX_SOURCE_RATE_HZ:
        raise AudioRejected(
            f"{name} claims to be sampled at {rate_hz} Hz, which nothing is: save it again",
            "sample_rate",
        )
    if not 0 < channels <= MAX_CHANNELS:
        raise AudioRejected(
            f"{name} has {channels} channels: use a recording with 1 to {MAX_CHANNELS}",
            "channels",
        )
    return stream


def _read(container: InputContainer, stream: av.AudioStream, name: str, max_s: float) -> Decoded:
    rate_hz = min(stream.rate or 0, MAX_RATE_HZ)
    limit = round(max_s * rate_hz)
    blocks: list[Channels] = []
    count = 0
    for block in _blocks(container, stream, rate_hz):
        blocks.append(block)
        count += block.shape[1]
        if count > limit:
            break
    if count == 0:
        raise AudioRejected(
            f"{name} holds no sound, only a header: record or copy it again", "empty"
        )
    return Decoded(np.concatenate(blocks, axis=1)[:, :limit], rate_hz, count > limit)


def _alike(frames: Iterator[av.AudioFrame]) -> Iterator[av.AudioFrame]:
    """Frames up to the first that has another number of channels, which only damage makes.

    Of more than eight the samples must not even be looked at: PyAV reads planes that are not there.
    """
    channels: int | None = None
    for frame in frames:
        found = frame.layout.nb_channels
        if not 0 < found <= MAX_CHANNELS or found != (channels or found):
            raise av.InvalidDataError(0, "the number of channels changes")
        channels = found
        yield frame


def _blocks(container: InputContainer, stream: av.AudioStream, rate_hz: int) -> Iterator[Channels]:
    """Decoded blocks; damage after some good ones ends the recording there."""
    # Interleaved: of planes PyAV looks for one more than the eight that a frame has room for.
    converter = av.AudioResampler(format="flt", rate=rate_hz)
    heard = False
    try:
        for frame in _alike(container.decode(stream)):
            for block in converter.resample(frame):
                heard = True
                yield _samples(block)
    except av.InvalidDataError:
        if not heard:
            raise
        logger.warning("a recording is damaged; what came before the damage is used")
    if heard:
        for block in converter.resample(None):
            yield _samples(block)


def _samples(block: av.AudioFrame) -> Channels:
    interleaved = np.asarray(block.to_ndarray(), dtype=np.float32)
    return np.ascontiguousarray(interleaved.reshape(-1, block.layout.nb_channels).T)
