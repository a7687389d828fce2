"""Every kind of recording that people bring, from the file to the voice or to its own error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engines import ge2e, silero
from engines.fakes import FakeSpeechEngine
from tests.clips import clip
from tests.voicepeer.recordings import Samples, WavKind, wav_bytes, write_compressed
from voicepeer import degrading
from voicepeer.core.errors import AudioRejected
from voicepeer.offline import Cloned, Ears, clone
from voicepeer.voice_store import ConsentRecord

pytestmark = pytest.mark.engine

RATE_HZ = 24_000
CONSENT = ConsentRecord("I am Elli and agree.", "Elli", 0.0)


@pytest.fixture(scope="module")
def ears() -> Ears:
    return Ears(ge2e.create({}), silero.create({}))


def speech(rate_hz: int = RATE_HZ, duration_s: float = 8.0) -> Samples:
    return np.asarray(clip("de_Elli", rate_hz)[: round(duration_s * rate_hz)] * np.float32(0.7))


def cloned(path: Path, ears: Ears, name: str = "Elli") -> Cloned:
    return clone(path, name, CONSENT, FakeSpeechEngine(), ears)


def is_the_speaker(made: Cloned, ears: Ears) -> bool:
    assert made.record.embedding is not None
    return float(made.record.embedding @ ears.encoder.embed(clip("de_Elli"))) > 0.85


@pytest.mark.parametrize("kind", ["u8", "s16", "s24", "s32", "f32"])
def test_wav_of_every_depth_gives_the_speaker(kind: WavKind, tmp_path: Path, ears: Ears) -> None:
    path = tmp_path / "take.wav"
    path.write_bytes(wav_bytes(speech(), RATE_HZ, kind))
    assert is_the_speaker(cloned(path, ears), ears)


@pytest.mark.parametrize("name", ["take.mp3", "take.m4a", "take.webm", "take.ogg", "take.flac"])
def test_compressed_recordings_give_the_speaker(name: str, tmp_path: Path, ears: Ears) -> None:
    codecs = {"mp3": "libmp3lame", "m4a": "aac", "webm": "libopus", "ogg": "libopus"}
    rate_hz = 48_000 if codecs.get(name[5:]) == "libopus" else RATE_HZ
    path = tmp_path / name
    write_compressed(path, speech(rate_hz), rate_hz, codecs.get(name[5:], "flac"))
    assert is_the_speaker(cloned(path, ears), ears)


def _telephone(path: Path) -> None:
    path.write_bytes(wav_bytes(speech(8_000), 8_000))


def _opposite_phase(path: Path) -> None:
    left = speech(48_000)
    path.write_bytes(wav_bytes(np.stack([left, -left]), 48_000))


def _mp3_called_wav(path: Path) -> None:
    other = path.with_suffix(".mp3")
    write_compressed(other, speech(), RATE_HZ, "libmp3lame")
    other.rename(path)


def _offset(path: Path) -> None:
    path.write_bytes(wav_bytes(speech() * np.float32(0.5) + np.float32(0.3), RATE_HZ))


def _some_nan(path: Path) -> None:
    pcm = speech().copy()
    pcm[::1_000] = np.nan
    path.write_bytes(wav_bytes(pcm, RATE_HZ, "f32"))


def _two_hours(path: Path) -> None:
    whole = wav_bytes(speech(), RATE_HZ)
    data_bytes = 2 * RATE_HZ * 7_200
    path.write_bytes(whole)
    with path.open("r+b") as file:
        file.seek(40)
        file.write(data_bytes.to_bytes(4, "little"))
        file.truncate(44 + data_bytes)


@pytest.mark.parametrize(
    "write", [_opposite_phase, _mp3_called_wav, _offset, _some_nan, _two_hours]
)
def test_odd_recordings_give_the_speaker_all_the_same(
    write: Callable[[Path], None], tmp_path: Path, ears: Ears
) -> None:
    path = tmp_path / "take.wav"
    write(path)
    assert is_the_speaker(cloned(path, ears), ears)


def test_a_telephone_recording_is_warned_of_and_sounds_more_like_its_speaker_than_others(
    tmp_path: Path, ears: Ears
) -> None:
    _telephone(tmp_path / "take.wav")
    made = cloned(tmp_path / "take.wav", ears)
    assert made.record.embedding is not None
    names = ("de_Elli", "de_Sonja", "de_Gaby", "en_susan", "de_Friedrich")
    likeness = {
        name: float(made.record.embedding @ ears.encoder.embed(clip(name))) for name in names
    }
    assert max(likeness, key=lambda name: likeness[name]) == "de_Elli"
    assert any("muffled" in warning for warning in made.suitability.warnings)


def _bomb(path: Path) -> None:
    """An hour of silence in some kilobytes."""
    write_compressed(path, np.zeros(3_600 * 8_000, dtype=np.float32), 8_000, "flac")
    assert path.stat().st_size < 1_000_000


def _two_people(path: Path) -> None:
    turns = [clip("de_Friedrich")[:80_000], clip("de_Gaby")[:80_000]]
    levelled = [turn * np.float32(0.05 / degrading.rms(turn)) for turn in turns]
    path.write_bytes(wav_bytes(np.concatenate(levelled), 16_000))


def _party(path: Path) -> None:
    tune = degrading.music(8.0, np.random.default_rng(1))
    path.write_bytes(wav_bytes(degrading.under(speech(16_000), tune, 5.0), 16_000))


def _music_alone(path: Path) -> None:
    path.write_bytes(wav_bytes(degrading.music(8.0, np.random.default_rng(1)), 16_000))


def _clipped(path: Path) -> None:
    path.write_bytes(wav_bytes(np.clip(speech() * np.float32(60.0), -1.0, 1.0), RATE_HZ))


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (lambda path: path.write_bytes(b""), "is empty"),
        (lambda path: path.write_bytes(wav_bytes(speech()[:0], RATE_HZ)), "only a header"),
        (
            lambda path: path.write_bytes(wav_bytes(speech(duration_s=0.2), RATE_HZ)),
            "of usable speech heard",
        ),
        (lambda path: path.write_bytes(wav_bytes(speech() * 0, RATE_HZ)), "is silent"),
        (
            lambda path: path.write_bytes(
                wav_bytes(speech() * np.float32(0.0009 / degrading.rms(speech())), RATE_HZ, "s24")
            ),
            "is silent",
        ),
        (
            lambda path: path.write_bytes(wav_bytes(speech() * np.float32(np.nan), RATE_HZ, "f32")),
            "not numbers",
        ),
        (_bomb, "is silent"),
        (_clipped, "clipped"),
        (_party, "music|too noisy"),
        (_music_alone, "of usable speech heard|music"),
        (lambda path: path.write_bytes(b"MZ" + bytes(range(256)) * 20), "not a recording"),
    ],
)
def test_what_gives_no_voice_says_why(
    write: Callable[[Path], None], reason: str, tmp_path: Path, ears: Ears
) -> None:
    path = tmp_path / "take.wav"
    if write is _bomb:
        path = tmp_path / "take.flac"
    write(path)
    with pytest.raises(AudioRejected, match=reason):
        cloned(path, ears)


def test_two_people_are_warned_of_or_refused(tmp_path: Path, ears: Ears) -> None:
    _two_people(tmp_path / "take.wav")
    try:
        remarks = cloned(tmp_path / "take.wav", ears).suitability.warnings
    except AudioRejected as error:
        remarks = (str(error),)
    assert any("more than one person" in remark for remark in remarks)


def test_a_name_is_only_a_name(tmp_path: Path, ears: Ears) -> None:
    path = tmp_path / "take.wav"
    path.write_bytes(wav_bytes(speech(), RATE_HZ))
    made = cloned(path, ears, "../../etc/passwd\0")
    assert made.record.name == "../../etc/passwd\0"
    assert [entry.name for entry in tmp_path.rglob("*")] == ["take.wav"]
