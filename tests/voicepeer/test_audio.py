"""Recordings that users bring: every format, and everything that can be wrong with one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import wave
from pathlib import Path

import av
import numpy as np
import pytest
import soxr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.resampling import resample
from tests.clips import clip
from tests.voicepeer.recordings import Samples, WavKind, wav_bytes, write_compressed
from voicepeer.audio import Recording, read_reference, write_wav
from voicepeer.core.errors import AudioRejected
from voicepeer.core.pcm import level_dbfs

pytestmark = pytest.mark.unit

RATE_HZ = 24_000


def speech(duration_s: float = 4.0, rate_hz: int = RATE_HZ) -> Samples:
    return clip("en_susan", rate_hz)[: round(duration_s * rate_hz)] * np.float32(0.7)


def likeness(recording: Recording, expected: Samples) -> float:
    """Correlation with what was recorded, both at 16 kHz, at the lag where they fit best."""
    pcm = recording.at(16_000)
    size = pcm.size + expected.size
    spectrum = np.fft.rfft(pcm, size) * np.conj(np.fft.rfft(expected, size))
    peak = float(np.fft.irfft(spectrum, size).max())
    return peak / float(np.linalg.norm(pcm) * np.linalg.norm(expected))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def write(folder: Path, content: bytes, name: str = "take.wav") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("kind", ["u8", "s16", "s24", "s32", "f32", "f64"])
def test_reads_wav_of_every_depth(folder: Path, kind: WavKind) -> None:
    path = write(folder, wav_bytes(speech(), RATE_HZ, kind))
    recording = read_reference(path)
    assert recording.rate_hz == RATE_HZ
    assert recording.notes == ()
    tolerance = 2 / 127 if kind == "u8" else 2e-4
    np.testing.assert_allclose(recording.pcm, speech() - speech().mean(), atol=tolerance)


@pytest.mark.parametrize(
    "rate_hz", [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000, 192_000]
)
def test_reads_every_rate(folder: Path, rate_hz: int) -> None:
    path = write(folder, wav_bytes(speech(2.0, rate_hz), rate_hz))
    recording = read_reference(path)
    assert recording.rate_hz == min(rate_hz, 48_000)
    assert recording.duration_s == pytest.approx(2.0, abs=0.01)
    narrow = resample(speech(2.0, 16_000), 16_000, 8_000)
    np.testing.assert_allclose(recording.at(8_000)[800:15_000], narrow[800:15_000], atol=0.03)


@pytest.mark.parametrize("channels", [1, 2, 6, 8])
def test_every_channel_is_read(folder: Path, channels: int) -> None:
    """Also eight, of which planes would be read that PyAV does not have."""
    loudness = np.linspace(0.5, 1.0, channels, dtype=np.float32)[:, None]
    path = write(folder, wav_bytes(speech(1.0) * loudness, RATE_HZ))
    expected = speech(1.0) * loudness.mean()
    np.testing.assert_allclose(read_reference(path).pcm, expected - expected.mean(), atol=2e-4)


@pytest.mark.parametrize(
    ("name", "codec", "rate_hz"),
    [
        ("take.flac", "flac", 24_000),
        ("take.mp3", "libmp3lame", 24_000),
        ("take.m4a", "aac", 24_000),
        ("take.ogg", "libopus", 48_000),
        ("take.webm", "libopus", 48_000),
    ],
)
def test_reads_compressed_recordings(folder: Path, name: str, codec: str, rate_hz: int) -> None:
    write_compressed(folder / name, speech(2.0, rate_hz), rate_hz, codec)
    recording = read_reference(folder / name)
    assert recording.duration_s == pytest.approx(2.0, abs=0.1)
    assert likeness(recording, speech(2.0, 16_000)) > 0.9


def test_goes_by_content_not_by_name(folder: Path) -> None:
    write_compressed(folder / "take.mp3", speech(2.0), RATE_HZ, "libmp3lame")
    (folder / "take.mp3").rename(folder / "take.wav")
    assert read_reference(folder / "take.wav").duration_s == pytest.approx(2.0, abs=0.1)


def test_a_name_is_never_an_address(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    write(folder, wav_bytes(speech(), RATE_HZ), "concat:take.wav")
    assert read_reference("concat:take.wav").rate_hz == RATE_HZ
    with pytest.raises(AudioRejected, match="no such file"):
        read_reference("https://localhost/take.wav")


@pytest.mark.parametrize("gains", [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (1.0, 0.5)])
def test_two_channels_become_one_as_loud(folder: Path, gains: tuple[float, float]) -> None:
    stereo = np.stack([speech() * np.float32(gain) for gain in gains])
    recording = read_reference(write(folder, wav_bytes(stereo, RATE_HZ)))
    assert level_dbfs(recording.pcm) == pytest.approx(level_dbfs(speech()), abs=3.0)
    assert np.corrcoef(recording.pcm, speech())[0, 1] > 0.999


@pytest.mark.parametrize("other", [-1.0, -0.9])
def test_channels_of_opposite_phase_do_not_cancel(folder: Path, other: float) -> None:
    stereo = np.stack([speech(), speech() * np.float32(other)])
    recording = read_reference(write(folder, wav_bytes(stereo, RATE_HZ)))
    assert abs(np.corrcoef(recording.pcm, speech())[0, 1]) > 0.999
    assert level_dbfs(recording.pcm) == pytest.approx(level_dbfs(speech()), abs=1.0)
    assert any("cancel" in note for note in recording.notes)


def test_speech_on_one_of_six_channels_is_found(folder: Path) -> None:
    surround = np.zeros((6, speech().size), dtype=np.float32)
    surround[2] = speech()
    recording = read_reference(write(folder, wav_bytes(surround, RATE_HZ)))
    assert level_dbfs(recording.pcm) == pytest.approx(level_dbfs(speech()), abs=0.1)


def test_dc_offset_is_removed(folder: Path) -> None:
    offset = speech() * np.float32(0.5) + np.float32(0.3)
    recording = read_reference(write(folder, wav_bytes(offset, RATE_HZ)))
    assert abs(float(recording.pcm.mean())) < 1e-5
    assert level_dbfs(recording.pcm) == pytest.approx(level_dbfs(speech()) - 6.0, abs=0.1)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_few_samples_that_are_not_numbers_are_silenced(folder: Path, bad: float) -> None:
    samples = speech().copy()
    samples[1_000:1_010] = bad
    recording = read_reference(write(folder, wav_bytes(samples, RATE_HZ, "f32")))
    assert np.isfinite(recording.pcm).all()
    assert np.abs(recording.pcm).max() <= 1.0
    assert any("not numbers" in note for note in recording.notes)


def test_floats_in_16_bit_scale_are_turned_down(folder: Path) -> None:
    recording = read_reference(write(folder, wav_bytes(speech() * 32768, RATE_HZ, "f32")))
    assert np.abs(recording.pcm).max() <= 1.0
    assert np.corrcoef(recording.pcm, speech())[0, 1] > 0.999
    assert any("full scale" in note for note in recording.notes)


def test_of_a_long_recording_the_first_part_is_used(folder: Path) -> None:
    recording = read_reference(write(folder, wav_bytes(speech(4.0), RATE_HZ)), max_s=2.5)
    assert recording.duration_s == 2.5
    assert recording.notes == ("only the first 2 s are used",)
    np.testing.assert_allclose(recording.pcm, speech(2.5) - speech(2.5).mean(), atol=1e-3)


def test_two_hours_cost_no_more_than_one_minute(folder: Path) -> None:
    path = write(folder, wav_bytes(speech(4.0), RATE_HZ))
    data_bytes = 2 * 2 * 44_100 * 7_200
    with path.open("r+b") as file:
        file.seek(40)
        file.write(data_bytes.to_bytes(4, "little"))
        file.truncate(44 + data_bytes)
    began = time.process_time()
    recording = read_reference(path)
    assert recording.duration_s == 60.0
    assert time.process_time() - began < 5.0


def test_what_comes_before_damage_is_used(folder: Path) -> None:
    write_compressed(folder / "take.flac", speech(4.0), RATE_HZ, "flac")
    whole = (folder / "take.flac").read_bytes()
    recording = read_reference(write(folder, whole[: len(whole) // 2], "half.flac"))
    assert 1.0 < recording.duration_s < 3.5


def rejection(path: Path) -> str:
    with pytest.raises(AudioRejected) as caught:
        read_reference(path)
    assert path.name in str(caught.value)
    return str(caught.value)


SILENCE = np.zeros(RATE_HZ, dtype=np.float32)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is empty"),
        (b"Hello, this is text.\n" * 50, "not a recording"),
        (b"\x89PNG\r\n\x1a\n" + bytes(2_000), "not a recording"),
        (b"RIFF\x24\0\0\0WAVE", "not a recording"),
        (wav_bytes(SILENCE[:0], RATE_HZ), "only a header"),
        (wav_bytes(speech()[:2_000], RATE_HZ), "too short: 0.08 s"),
        (wav_bytes(SILENCE, RATE_HZ), "is silent"),
        (wav_bytes(SILENCE + np.float32(0.5), RATE_HZ), "is silent"),
        (wav_bytes(speech() * np.float32(0.001), RATE_HZ, "f32"), "is silent"),
        (wav_bytes(speech(2.0, 16_000), 4_000), "4000 Hz, too low"),
        (wav_bytes(speech(), 400_000_000), "400000000 Hz, which nothing is"),
        (wav_bytes(np.tile(speech(), (12, 1)), RATE_HZ), "12 channels"),
        (
            wav_bytes(speech(), RATE_HZ).replace(b"\x01\0\x01\0", b"\x01\x01\x01\0", 1),
            "unknown way",
        ),
        (wav_bytes(SILENCE + np.float32(np.nan), RATE_HZ, "f32"), "not numbers"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_says_what_is_wrong_with_a_file(folder: Path, content: bytes, reason: str) -> None:
    assert reason in rejection(write(folder, content))


def test_channels_that_appear_in_mid_stream_end_the_recording(folder: Path) -> None:
    six, one = folder / "six.aac", folder / "one.aac"
    tone = np.asarray(0.3 * np.sin(np.arange(24_000) / 9.0), dtype=np.float32)
    for path, layout in ((six, "5.1"), (one, "mono")):
        _write_aac(path, tone, layout)
    both = folder / "both.aac"
    both.write_bytes(one.read_bytes() + six.read_bytes())
    assert read_reference(both).duration_s == pytest.approx(read_reference(one).duration_s, abs=0.1)


def _write_aac(path: Path, tone: Samples, layout: str) -> None:
    with av.open(str(path), "w", format="adts") as container:
        stream = container.add_stream("aac", rate=24_000)
        assert isinstance(stream, av.AudioStream)
        stream.layout = layout
        channels = np.tile(tone, (av.AudioLayout(layout).nb_channels, 1))
        frame = av.AudioFrame.from_ndarray(channels, format="fltp", layout=layout)
        frame.sample_rate = 24_000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))


def test_more_channels_than_there_are_planes_for_do_not_end_the_process() -> None:
    """Found by ``python -m tests.fuzz recordings``: one frame claims nineteen."""
    found = Path(__file__).with_name("nineteen_channels.aac")
    code = f"from voicepeer.audio import read_reference; read_reference({str(found)!r})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 1, ran.returncode
    assert "AudioRejected" in ran.stderr


def test_a_video_without_sound_is_no_recording(folder: Path) -> None:
    import av

    path = folder / "film.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        frame = av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24")
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    assert "no audio track" in rejection(path)


def test_a_playlist_does_not_open_what_it_names(folder: Path) -> None:
    secret = write(folder, wav_bytes(speech(), RATE_HZ), "secret.wav")
    playlist = f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{secret}\n#EXT-X-ENDLIST\n"
    assert "not a recording" in rejection(write(folder, playlist.encode(), "list.m3u8"))
    concat = f"ffconcat version 1.0\nfile '{secret}'\n"
    assert "not a recording" in rejection(write(folder, concat.encode(), "list.txt"))


def test_a_missing_file_and_a_folder_are_named(folder: Path) -> None:
    assert "no such file" in rejection(folder / "take.wav")
    assert "is a directory" in rejection(folder)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(folder: Path) -> None:
    path = write(folder, wav_bytes(speech(), RATE_HZ))
    path.chmod(0)
    assert "permission denied" in rejection(path)


FUZZ = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
SMALL = wav_bytes(speech(0.3), RATE_HZ)


@FUZZ
@given(st.binary(max_size=400))
def test_any_bytes_are_refused_with_a_reason(folder: Path, content: bytes) -> None:
    rejection(write(folder, content))


@FUZZ
@given(st.integers(0, 60), st.binary(min_size=1, max_size=8))
def test_a_damaged_header_is_read_or_refused(folder: Path, at: int, patch: bytes) -> None:
    damaged = SMALL[:at] + patch + SMALL[at + len(patch) :]
    try:
        recording = read_reference(write(folder, damaged), max_s=5.0)
    except AudioRejected:
        return
    assert np.isfinite(recording.pcm).all()
    assert np.abs(recording.pcm).max() <= 1.0
    assert recording.duration_s <= 5.0


def test_resampling_keeps_length_and_level() -> None:
    pcm = resample(speech(), RATE_HZ, 16_000)
    assert pcm.dtype == np.float32
    assert pcm.size == pytest.approx(4.0 * 16_000, abs=2)
    assert level_dbfs(pcm) == pytest.approx(level_dbfs(speech()), abs=0.3)
    np.testing.assert_array_equal(resample(pcm, 16_000, 16_000), pcm)


def test_written_wav_reads_back(folder: Path) -> None:
    write_wav(folder / "out.wav", speech(), RATE_HZ)
    with wave.open(str(folder / "out.wav")) as reader:
        assert reader.getparams()[:4] == (1, 2, RATE_HZ, speech().size)
        stored = np.frombuffer(reader.readframes(speech().size), dtype="<i2") / 32767
    np.testing.assert_allclose(stored, speech(), atol=1 / 32767)


def test_writing_replaces_the_old_file_and_leaves_nothing_else(folder: Path) -> None:
    write_wav(folder / "out.wav", speech(1.0), RATE_HZ)
    write_wav(folder / "out.wav", speech(0.5), RATE_HZ)
    assert [path.name for path in folder.iterdir()] == ["out.wav"]
    assert read_reference(folder / "out.wav").duration_s == pytest.approx(0.5)


def test_a_failed_write_keeps_the_old_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_wav(folder / "out.wav", speech(1.0), RATE_HZ)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_wav(folder / "out.wav", speech(0.5), RATE_HZ)
    assert [path.name for path in folder.iterdir()] == ["out.wav"]
    assert read_reference(folder / "out.wav").duration_s == pytest.approx(1.0)


def test_writing_into_a_missing_folder_fails(folder: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_wav(folder / "nowhere" / "out.wav", speech(), RATE_HZ)


def test_samples_beyond_full_scale_are_written_clipped(folder: Path) -> None:
    loud = np.asarray(speech() * 10, dtype=np.float32)
    write_wav(folder / "out.wav", loud, RATE_HZ)
    with wave.open(str(folder / "out.wav")) as reader:
        stored = np.frombuffer(reader.readframes(loud.size), dtype="<i2")
    assert (np.sign(stored) == np.sign(np.rint(np.clip(loud, -1, 1) * 32767))).all()


def test_clips_are_what_soxr_makes_of_them() -> None:
    again = soxr.resample(clip("en_susan", RATE_HZ), RATE_HZ, 16_000)
    np.testing.assert_allclose(again, clip("en_susan"), atol=1e-4)
