"""Writes recordings of every format that a user may bring, for tests that read them."""

from __future__ import annotations

import struct
from fractions import Fraction
from pathlib import Path
from typing import Literal, TypeAlias

import av
import numpy as np
from numpy.typing import NDArray

Samples: TypeAlias = NDArray[np.float32]
WavKind = Literal["u8", "s16", "s24", "s32", "f32", "f64"]

_PCM, _FLOAT = 1, 3
_BITS: dict[WavKind, int] = {"u8": 8, "s16": 16, "s24": 24, "s32": 32, "f32": 32, "f64": 64}


def _encode(interleaved: NDArray[np.float64], kind: WavKind) -> bytes:
    match kind:
        case "u8":
            return np.round(interleaved * 127 + 128).clip(0, 255).astype(np.uint8).tobytes()
        case "s16":
            return np.round(interleaved * 32767).clip(-32768, 32767).astype("<i2").tobytes()
        case "s24":
            wide = np.round(interleaved * 8388607).clip(-8388608, 8388607).astype("<i4")
            return wide.view(np.uint8).reshape(-1, 4)[:, :3].tobytes()
        case "s32":
            return np.round(interleaved * 2147483647).astype("<i4").tobytes()
        case "f32":
            return interleaved.astype("<f4").tobytes()
        case "f64":
            return interleaved.astype("<f8").tobytes()


def wav_bytes(samples: Samples, rate_hz: int, kind: WavKind = "s16") -> bytes:
    """A WAV file (Microsoft RIFF, 1991) of ``[n]`` or ``[channels, n]`` samples."""
    channels = np.atleast_2d(samples).astype(np.float64)
    data = _encode(channels.T.ravel(), kind)
    frame = channels.shape[0] * _BITS[kind] // 8
    tag = _FLOAT if kind in ("f32", "f64") else _PCM
    layout = struct.pack(
        "<HHIIHH", tag, channels.shape[0], rate_hz, rate_hz * frame, frame, _BITS[kind]
    )
    body = b"WAVEfmt " + struct.pack("<I", len(layout)) + layout
    body += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def write_compressed(path: Path, samples: Samples, rate_hz: int, codec: str) -> None:
    """Encode mono samples; the container follows from the file's name."""
    form = {"flac": "s16", "libmp3lame": "s16p", "libopus": "s16", "aac": "fltp"}[codec]
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=rate_hz)
        assert isinstance(stream, av.AudioStream)
        stream.layout = "mono"
        stored = np.round(samples * 32767).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(stored[np.newaxis], format="s16", layout="mono")
        frame.sample_rate = rate_hz
        frame.time_base = Fraction(1, rate_hz)
        resampler = av.AudioResampler(format=form, layout="mono", rate=rate_hz)
        resampled = [*resampler.resample(frame), *resampler.resample(None)]
        for piece in resampled:
            container.mux(stream.encode(piece))
        container.mux(stream.encode(None))
