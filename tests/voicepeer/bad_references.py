"""Every kind of recording that people bring, and what is to become of each."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.clips import clip
from tests.voicepeer.recordings import Samples, WavKind, wav_bytes, write_compressed
from voicepeer import degrading
from voicepeer.core.errors import AudioFault

RATE_HZ = 24_000
SPEAKER = "de_Elli"


@dataclass(frozen=True)
class Kind:
    """A file, and why nothing is cloned from it; without faults its speaker is."""

    name: str
    write: Callable[[Path], None]
    faults: tuple[AudioFault, ...] = ()
    says: str = ""
    """A pattern of what a person is told."""
    http_status: int = 422
    """Where it is refused."""
    file: str = "take.wav"


def speech(rate_hz: int = RATE_HZ, duration_s: float = 8.0) -> Samples:
    """The speaker, well recorded."""
    return np.asarray(clip(SPEAKER, rate_hz)[: round(duration_s * rate_hz)] * np.float32(0.7))


def _wav(pcm: Samples, rate_hz: int = RATE_HZ, kind: WavKind = "s16") -> Callable[[Path], None]:
    return lambda path: _write(path, wav_bytes(pcm, rate_hz, kind))


def _bytes(data: bytes) -> Callable[[Path], None]:
    return lambda path: _write(path, data)


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


def _compressed(codec: str) -> Callable[[Path], None]:
    rate_hz = 48_000 if codec == "libopus" else RATE_HZ
    return lambda path: write_compressed(path, speech(rate_hz), rate_hz, codec)


def _depth(kind: WavKind) -> Kind:
    return Kind(f"wav {kind}", lambda path: _wav(speech(), RATE_HZ, kind)(path))


def _opposite_phase(path: Path) -> None:
    left = speech(48_000)
    _write(path, wav_bytes(np.stack([left, -left]), 48_000))


def _eight_channels(path: Path) -> None:
    loudness = np.linspace(0.3, 1.0, 8, dtype=np.float32)[:, None]
    _write(path, wav_bytes(speech() * loudness, RATE_HZ))


def _mp3_called_wav(path: Path) -> None:
    other = path.with_suffix(".mp3")
    write_compressed(other, speech(), RATE_HZ, "libmp3lame")
    other.rename(path)


def _cut(path: Path) -> None:
    """A download that broke off."""
    write_compressed(path, speech(), RATE_HZ, "libmp3lame")
    data = path.read_bytes()
    _write(path, data[: len(data) * 3 // 4])


def _some_nan(path: Path) -> None:
    pcm = speech().copy()
    pcm[::1_000] = np.nan
    _write(path, wav_bytes(pcm, RATE_HZ, "f32"))


def _two_hours(path: Path) -> None:
    data_bytes = 2 * RATE_HZ * 7_200
    _write(path, wav_bytes(speech(), RATE_HZ))
    with path.open("r+b") as file:
        file.seek(40)
        file.write(data_bytes.to_bytes(4, "little"))
        file.truncate(44 + data_bytes)


def _bomb(path: Path) -> None:
    """An hour of silence in some kilobytes."""
    write_compressed(path, np.zeros(3_600 * 8_000, dtype=np.float32), 8_000, "flac")
    assert path.stat().st_size < 1_000_000


def _two_people(path: Path) -> None:
    turns = [clip("de_Friedrich")[:80_000], clip("de_Gaby")[:80_000]]
    levelled = [turn * np.float32(0.05 / degrading.rms(turn)) for turn in turns]
    _write(path, wav_bytes(np.concatenate(levelled), 16_000))


def _party(path: Path) -> None:
    tune = degrading.music(8.0, np.random.default_rng(1))
    _write(path, wav_bytes(degrading.under(speech(16_000), tune, 5.0), 16_000))


def _music(path: Path) -> None:
    _write(path, wav_bytes(degrading.music(8.0, np.random.default_rng(1)), 16_000))


def _picture(path: Path) -> None:
    """One pixel (PNG, W3C 2003)."""

    def part(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data).to_bytes(4, "big")
        return len(data).to_bytes(4, "big") + kind + data + check

    head = (1).to_bytes(4, "big") * 2 + bytes([8, 0, 0, 0, 0])
    pixel = part(b"IDAT", zlib.compress(b"\0\0"))
    _write(path, b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + pixel + part(b"IEND", b""))


_PLAYLIST = b"#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"
_FILE_LIST = b"ffconcat version 1.0\nfile '/etc/passwd'\n"
_UNREADABLE = "not a recording|could not be read"

KINDS = (
    *(_depth(kind) for kind in ("u8", "s16", "s24", "s32", "f32", "f64")),
    Kind("mp3", _compressed("libmp3lame"), file="take.mp3"),
    Kind("m4a", _compressed("aac"), file="take.m4a"),
    Kind("webm", _compressed("libopus"), file="take.webm"),
    Kind("ogg", _compressed("libopus"), file="take.ogg"),
    Kind("flac", _compressed("flac"), file="take.flac"),
    Kind("wav that is mp3", _mp3_called_wav),
    Kind("mp3 that is cut", _cut, file="take.mp3"),
    Kind("opposite phase", _opposite_phase),
    Kind("eight channels", _eight_channels),
    Kind("offset", _wav(speech() * np.float32(0.5) + np.float32(0.3))),
    Kind("some not numbers", _some_nan),
    Kind("two hours", _two_hours, http_status=413),
    Kind("nothing", _bytes(b""), ("empty",), "is empty"),
    Kind("header only", _wav(speech()[:0]), ("empty",), "only a header"),
    Kind("a fifth of a second", _wav(speech(duration_s=0.2)), ("too_little_speech",), "of usable"),
    Kind("zeros", _wav(speech() * 0), ("silent",), "is silent"),
    Kind(
        "-60 dBFS",
        lambda path: _wav(speech() * np.float32(0.0009 / degrading.rms(speech())), kind="s24")(
            path
        ),
        ("silent",),
        "is silent",
    ),
    Kind(
        "all not numbers",
        _wav(speech() * np.float32(np.nan), kind="f32"),
        ("not_numbers",),
        "not n",
    ),
    Kind("clipped", _wav(np.clip(speech() * np.float32(60), -1, 1)), ("clipped",), "clipped"),
    Kind("bomb", _bomb, ("silent",), "is silent", file="take.flac"),
    Kind("two people", _two_people, ("several_speakers",), "more than one person"),
    Kind("speech and music", _party, ("music", "too_noisy"), "music|too noisy"),
    Kind("music", _music, ("music", "too_little_speech"), "music|of usable speech"),
    Kind("program", _bytes(b"MZ" + bytes(range(256)) * 20), ("unreadable",), _UNREADABLE, 415),
    Kind("text", _bytes(b"Hello there.\n" * 500), ("unreadable",), _UNREADABLE, 415),
    Kind("picture", _picture, ("unreadable",), _UNREADABLE, 415),
    Kind("playlist", _bytes(_PLAYLIST), ("unreadable",), _UNREADABLE, 415, "take.m3u8"),
    Kind("list of files", _bytes(_FILE_LIST), ("unreadable",), _UNREADABLE, 415),
    Kind("slow rate", _wav(speech(4_000), 4_000), ("sample_rate",), "too low for a voice"),
)
