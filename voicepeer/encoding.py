"""Speech to a file format while it is being made: each call returns the bytes that are ready.

What is returned, put together, is a whole file; nothing has to be seeked back to.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, Protocol, TypeAlias, get_args

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler

from voicepeer.core.pcm import Pcm, to_pcm16

AudioFormat: TypeAlias = Literal["mp3", "opus", "aac", "flac", "wav", "pcm"]
FORMATS: tuple[AudioFormat, ...] = get_args(AudioFormat)

OUTPUT_RATE_HZ = 24_000
"""Of every format. It is what headerless ``pcm`` has in OpenAI's API."""

UNKNOWN_BYTES = 0xFFFF_FFFF
"""Length in a WAV header of what is still being made: readers go on to the end of the file."""


@dataclass(frozen=True, slots=True)
class _Codec:
    container: str
    codec: str
    sample_format: str
    bit_rate: int | None = None
    container_options: Mapping[str, str] | None = None
    codec_options: Mapping[str, str] | None = None


_CODECS: Mapping[str, _Codec] = {
    # Neither tag nor seek table: what is sent later may be put behind it as it is.
    "mp3": _Codec("mp3", "libmp3lame", "s16p", 64_000, {"write_xing": "0", "id3v2_version": "0"}),
    # A page lasts a second unless told otherwise, and leaves only when it is full.
    "opus": _Codec("ogg", "libopus", "s16", 32_000, {"page_duration": "60000"}),
    "aac": _Codec("adts", "aac", "fltp", 64_000),
    # Frames as long as the engine's chunks, in place of 105 ms, and no 8 kB of padding before.
    "flac": _Codec(
        "flac", "flac", "s16", None, {"metadata_header_padding": "0"}, {"frame_size": "1920"}
    ),
}


class Encoder(Protocol):
    """Takes mono speech and gives the bytes of a file; for one file and one thread at a time."""

    def push(self, pcm: Pcm) -> bytes:
        """Encode more speech; may return nothing while a frame is not full."""
        ...

    def finish(self) -> bytes:
        """The rest of the file."""
        ...


def encoder(form: AudioFormat, rate_hz: int) -> Encoder:
    """An encoder of a format for speech at ``rate_hz``."""
    if form in _CODECS:
        return _Container(_CODECS[form], rate_hz)
    return _Raw(rate_hz, wav_header(OUTPUT_RATE_HZ) if form == "wav" else b"")


def wav_header(rate_hz: int) -> bytes:
    """Header of 16-bit mono WAV of unknown length (Microsoft RIFF, 1991)."""
    layout = struct.pack("<HHIIHH", 1, 1, rate_hz, rate_hz * 2, 2, 16)
    sizes = struct.pack("<I", UNKNOWN_BYTES)
    return b"RIFF" + sizes + b"WAVEfmt " + struct.pack("<I", 16) + layout + b"data" + sizes


class _Converter:
    """Speech at the engine's rate to frames of a sample format at ``OUTPUT_RATE_HZ``."""

    def __init__(self, rate_hz: int, sample_format: str) -> None:
        self._rate_hz = rate_hz
        self._resampler = AudioResampler(sample_format, "mono", OUTPUT_RATE_HZ)
        self._samples = 0

    def push(self, pcm: Pcm) -> Iterable[AudioFrame]:
        if pcm.size == 0:
            return ()
        frame = AudioFrame.from_ndarray(to_pcm16(pcm)[np.newaxis], format="s16", layout="mono")
        frame.sample_rate = self._rate_hz
        frame.time_base = Fraction(1, self._rate_hz)
        frame.pts = self._samples
        self._samples += pcm.size
        return self._resampler.resample(frame)

    def finish(self) -> Iterable[AudioFrame]:
        return self._resampler.resample(None) if self._samples else ()


class _Raw:
    """Little-endian 16-bit samples behind a header."""

    def __init__(self, rate_hz: int, header: bytes) -> None:
        self._converter = _Converter(rate_hz, "s16")
        self._header = header

    def push(self, pcm: Pcm) -> bytes:
        return self._bytes(self._converter.push(pcm))

    def finish(self) -> bytes:
        return self._bytes(self._converter.finish())

    def _bytes(self, frames: Iterable[AudioFrame]) -> bytes:
        header, self._header = self._header, b""
        samples = (frame.to_ndarray().astype("<i2").tobytes() for frame in frames)
        return header + b"".join(samples)


class _Outlet(io.RawIOBase):
    """Where FFmpeg writes: keeps what nobody has taken yet, and cannot be seeked in."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        written = bytes(data)  # type: ignore[call-overload]
        self._pending += written
        return len(written)

    def take(self) -> bytes:
        taken = bytes(self._pending)
        self._pending.clear()
        return taken


class _Container:
    """A codec inside its usual container, by FFmpeg."""

    def __init__(self, codec: _Codec, rate_hz: int) -> None:
        self._outlet = _Outlet()
        self._container = av.open(
            self._outlet,
            "w",
            format=codec.container,
            container_options={**(codec.container_options or {}), "flush_packets": "1"},
        )
        stream = self._container.add_stream(
            codec.codec, rate=OUTPUT_RATE_HZ, options=dict(codec.codec_options or {})
        )
        assert isinstance(stream, av.AudioStream)
        stream.layout = "mono"
        stream.format = codec.sample_format
        if codec.bit_rate is not None:
            stream.bit_rate = codec.bit_rate
        self._stream = stream
        self._converter = _Converter(rate_hz, codec.sample_format)

    def push(self, pcm: Pcm) -> bytes:
        self._encode(self._converter.push(pcm))
        return self._outlet.take()

    def finish(self) -> bytes:
        self._encode(self._converter.finish())
        self._container.mux(self._stream.encode(None))
        self._container.close()
        return self._outlet.take()

    def _encode(self, frames: Iterable[AudioFrame]) -> None:
        for frame in frames:
            self._container.mux(self._stream.encode(frame))
