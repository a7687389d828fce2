"""Files that are made piece by piece are whole files."""

from __future__ import annotations

import io
import wave

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voicepeer.core.pcm import Pcm, from_pcm16, level_dbfs
from voicepeer.decoding import Decoded, decode
from voicepeer.encoding import FORMATS, OUTPUT_RATE_HZ, AudioFormat, encoder, wav_header

pytestmark = pytest.mark.unit

DECODABLE: list[AudioFormat] = [form for form in FORMATS if form != "pcm"]
CHUNK_MS = 80


def tone(rate_hz: int, seconds: float = 1.0) -> Pcm:
    times = np.arange(round(seconds * rate_hz)) / rate_hz
    return np.asarray(0.25 * np.sin(2 * np.pi * 440 * times), dtype=np.float32)


def pieces(form: AudioFormat, pcm: Pcm, rate_hz: int) -> list[bytes]:
    made, step = encoder(form, rate_hz), rate_hz * CHUNK_MS // 1000
    out = [made.push(pcm[start : start + step]) for start in range(0, pcm.size, step)]
    return [*out, made.finish()]


def decoded(data: bytes) -> Decoded:
    return decode(io.BytesIO(data), "file", 60.0)


def strongest_hz(found: Decoded) -> float:
    spectrum = np.abs(np.fft.rfft(found.channels[0]))
    return float(int(np.argmax(spectrum)) * found.rate_hz / found.channels.shape[1])


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 44_100, 48_000])
@pytest.mark.parametrize("form", DECODABLE)
def test_speech_of_any_rate_comes_back(form: AudioFormat, rate_hz: int) -> None:
    found = decoded(b"".join(pieces(form, tone(rate_hz), rate_hz)))
    assert found.channels.shape[1] / found.rate_hz == pytest.approx(1.0, abs=0.12)
    assert level_dbfs(found.channels[0]) == pytest.approx(level_dbfs(tone(24_000)), abs=1.0)
    assert strongest_hz(found) == pytest.approx(440, abs=2)


@pytest.mark.parametrize("rate_hz", [16_000, 24_000, 48_000])
def test_pcm_is_of_the_rate_that_clients_expect(rate_hz: int) -> None:
    data = b"".join(pieces("pcm", tone(rate_hz), rate_hz))
    heard = from_pcm16(np.frombuffer(data, "<i2"))
    assert heard.size == pytest.approx(OUTPUT_RATE_HZ, abs=2)
    assert level_dbfs(heard) == pytest.approx(level_dbfs(tone(24_000)), abs=0.1)


@pytest.mark.parametrize(
    ("form", "chunks"), [(form, 2 if form == "aac" else 1) for form in FORMATS]
)
def test_the_first_bytes_leave_with_the_first_chunk(form: AudioFormat, chunks: int) -> None:
    # AAC's windows reach over a whole frame more.
    assert b"".join(pieces(form, tone(24_000), 24_000)[:chunks])


@pytest.mark.parametrize("form", DECODABLE)
def test_no_chunk_waits_for_more_than_two_others(form: AudioFormat) -> None:
    sizes = [len(one) for one in pieces(form, tone(24_000), 24_000)[1:-1]]
    waiting = "".join("." if size else "w" for size in sizes)
    assert "www" not in waiting


@pytest.mark.parametrize("form", ["mp3", "aac", "opus", "flac"])
def test_files_may_be_put_one_behind_the_other(form: AudioFormat) -> None:
    one = b"".join(pieces(form, tone(24_000), 24_000))
    twice = decoded(one + one)
    assert twice.channels.shape[1] / twice.rate_hz == pytest.approx(2.0, abs=0.2)


def test_a_wav_file_is_one_for_readers_that_know_no_length() -> None:
    data = b"".join(pieces("wav", tone(24_000), 24_000))
    assert data.startswith(wav_header(OUTPUT_RATE_HZ))
    with wave.open(io.BytesIO(data)) as reader:
        assert (reader.getframerate(), reader.getnchannels(), reader.getsampwidth()) == (
            24_000,
            1,
            2,
        )
        assert len(reader.readframes(100_000)) == 48_000


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_no_number_or_too_loud_does_no_harm(form: AudioFormat) -> None:
    wild = np.array([np.nan, np.inf, -np.inf, 5.0, -5.0] * 1_000, dtype=np.float32)
    assert b"".join(pieces(form, wild, 24_000))


@given(st.lists(st.integers(0, 5_000), max_size=20))
@settings(max_examples=30, deadline=None)
def test_however_it_is_cut_wav_has_every_sample(sizes: list[int]) -> None:
    pcm = tone(24_000, sum(sizes) / 24_000)
    made = encoder("wav", 24_000)
    cuts = np.cumsum(sizes, dtype=np.int64)[:-1]
    data = b"".join(made.push(piece) for piece in np.split(pcm, cuts)) + made.finish()
    expected = np.rint(pcm * 32767).astype("<i2").tobytes()
    assert data.removeprefix(wav_header(OUTPUT_RATE_HZ)) == expected
