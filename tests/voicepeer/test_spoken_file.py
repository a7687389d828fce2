"""A file that is made while it is read: its bytes, its length, and how it ended."""

from __future__ import annotations

import io
from collections.abc import AsyncGenerator

import numpy as np
import pytest

from voicepeer.core.pcm import Pcm
from voicepeer.decoding import decode
from voicepeer.encoding import FORMATS, AudioFormat
from voicepeer.spoken_file import SILENCE_MS, SpokenFile, SpokenText

pytestmark = pytest.mark.unit

RATE_HZ = 24_000
CHUNK = np.full(RATE_HZ * 80 // 1000, 0.1, dtype=np.float32)


class Source:
    """Chunks of speech that tell whether they were closed."""

    def __init__(self, count: int, fails: bool = False) -> None:
        self._count, self._fails = count, fails
        self.closed = False

    async def chunks(self) -> AsyncGenerator[Pcm, None]:
        try:
            for _ in range(self._count):
                yield CHUNK
            if self._fails:
                raise ValueError("planted")
        finally:
            self.closed = True


def file_of(source: Source, told: list[SpokenText], form: AudioFormat = "wav") -> SpokenFile:
    return SpokenFile(form, source.chunks(), RATE_HZ, ("a note",), told.append)


@pytest.mark.parametrize("form", [form for form in FORMATS if form != "pcm"])
async def test_it_is_whole_in_every_format(form: AudioFormat) -> None:
    told: list[SpokenText] = []
    spoken = file_of(Source(12), told, form)
    data = b"".join([piece async for piece in spoken])
    await spoken.aclose()
    found = decode(io.BytesIO(data), "spoken", 9.0)
    assert found.channels.shape[1] / found.rate_hz == pytest.approx(0.96, abs=0.12)
    assert spoken.audio_ms == pytest.approx(960)
    assert (told[0].form, told[0].outcome, told[0].audio_ms) == (form, "done", spoken.audio_ms)
    assert told[0].first_bytes_ms is not None


async def test_without_speech_there_is_a_little_silence() -> None:
    told: list[SpokenText] = []
    spoken = file_of(Source(0), told)
    data = b"".join([piece async for piece in spoken])
    assert len(data) == 44 + 2 * SILENCE_MS * RATE_HZ / 1000
    assert not any(data[44:])
    await spoken.aclose()


async def test_whoever_stops_reading_has_cancelled() -> None:
    told: list[SpokenText] = []
    source = Source(100)
    spoken = file_of(source, told)
    async for _ in spoken:
        break
    await spoken.aclose()
    await spoken.aclose()
    assert source.closed
    assert [one.outcome for one in told] == ["cancelled"]


async def test_a_failure_is_told_and_raised() -> None:
    told: list[SpokenText] = []
    spoken = file_of(Source(2, fails=True), told)
    with pytest.raises(ValueError, match="planted"):
        [piece async for piece in spoken]
    await spoken.aclose()
    assert [one.outcome for one in told] == ["failed"]
    assert spoken.audio_ms == pytest.approx(160)


async def test_a_file_that_nobody_reads_is_closed_all_the_same() -> None:
    told: list[SpokenText] = []
    spoken = file_of(Source(2), told)
    await spoken.aclose()
    assert (told[0].outcome, told[0].first_bytes_ms) == ("cancelled", None)
    assert spoken.notes == ("a note",)
