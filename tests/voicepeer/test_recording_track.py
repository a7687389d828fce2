"""One track, from packets to the file that players read."""

from __future__ import annotations

import io
import itertools

import av
import numpy as np
import pytest

from tests.peers.glitches import tone
from tests.voicepeer.recorded import LOUD, encoded
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.core.recording.ogg import PRE_SKIP_SAMPLES
from voicepeer.forwarding import MediaPacket, Publication
from voicepeer.recording_track import TrackWriter

pytestmark = pytest.mark.unit

SILENT = 127


def played(data: bytes) -> Pcm:
    """By FFmpeg, mono or stereo as the file says."""
    with av.open(io.BytesIO(data), "r") as container:
        frames = [frame.to_ndarray() for frame in container.decode(audio=0)]
    return np.asarray(np.concatenate(frames, axis=1)[0], dtype=np.float32)


def sent(
    writer: TrackWriter, payloads: list[bytes], at_s: float = 0.0, first: int = 0, level: int = LOUD
) -> None:
    """Packets of one source, on time."""
    for number, payload in enumerate(payloads, first):
        packet = MediaPacket(1, number % 65_536, number * 960, payload, level=level)
        writer.push(packet, at_s + (number - first) * 0.02)


def test_what_nobody_sends_is_no_file() -> None:
    writer = TrackWriter(0.0, 1)
    assert writer.take(100.0) == b""
    assert writer.finish() == b""
    assert writer.offset_ms is None


def test_a_track_is_a_listener_that_sends_nothing_on() -> None:
    publication, writer = Publication(), TrackWriter(5.0, 1)
    writer.hear(publication)
    packets = [MediaPacket(1, n, n * 960, one) for n, one in enumerate(encoded(tone(0.4)))]
    assert sum(publication.push(packet, 6.0) for packet in packets) == 0
    assert publication.loss == 0.0
    writer.hear(None)
    publication.push(MediaPacket(1, 99, 99 * 960, packets[0].payload), 6.0)
    assert played(writer.finish()).size == 20 * 960 - PRE_SKIP_SAMPLES
    assert writer.offset_ms == 1_080.0


def test_it_is_the_same_whenever_it_is_written() -> None:
    payloads = encoded(tone(3.0))
    at_once, by_and_by = TrackWriter(0.0, 1), TrackWriter(0.0, 1)
    sent(at_once, payloads)
    data = at_once.take(10.0) + at_once.finish()
    parts = []
    for start in range(0, len(payloads), 25):
        sent(by_and_by, payloads[start : start + 25], start * 0.02, start)
        parts.append(by_and_by.take(start * 0.02 + 0.5))
    pieced = b"".join(parts) + by_and_by.finish()
    whole = 150 * 960 - PRE_SKIP_SAMPLES
    np.testing.assert_array_equal(played(pieced)[:whole], played(data)[:whole])


def test_a_source_that_pauses_in_silence_keeps_its_time() -> None:
    """As with DTX: sequence numbers go on, timestamps leap, one packet in 400 ms."""
    payloads, writer = encoded(tone(1.0)), TrackWriter(0.0, 1)
    sequence = itertools.count()
    for number in [*range(50), *range(70, 150, 20), *range(150, 200)]:
        payload = payloads[number % 50] if number < 50 or number >= 150 else b"\x78"
        packet = MediaPacket(1, next(sequence), number * 960, payload, level=LOUD)
        writer.push(packet, number * 0.02)
    heard = played(writer.take(4.5) + writer.finish())
    assert heard.size == pytest.approx(200 * 960 - PRE_SKIP_SAMPLES, abs=1_000)
    quiet, second = heard[60_000:135_000], heard[150 * 960 - PRE_SKIP_SAMPLES :]
    assert np.abs(quiet).max() < 0.02
    assert np.abs(second[:4_800]).max() > 0.1


def test_what_is_no_opus_is_left_out() -> None:
    payloads, writer = encoded(tone(1.0)), TrackWriter(0.0, 1)
    sent(writer, payloads[:25])
    sent(writer, [b"", b"\xff\xff", b"\x03"], 0.5, 25)
    sent(writer, payloads[28:], 0.56, 28)
    assert played(writer.finish()).size == 50 * 960 - PRE_SKIP_SAMPLES


def test_stereo_stays_stereo() -> None:
    writer = TrackWriter(0.0, 1)
    sent(writer, [b"\xfc\xff\xfe"] * 20)
    with av.open(io.BytesIO(writer.finish()), "r") as container:
        assert container.streams.audio[0].channels == 2


def test_two_clocks_that_differ_stay_together_where_there_is_silence() -> None:
    """Ten minutes of crystals at 100 ppm, one fast, one slow: 120 ms if nothing were done."""
    ends = []
    for speed in (0.9999, 1.0001):
        writer, payload = TrackWriter(0.0, 1), encoded(tone(0.02))[0]
        data = b""
        for number in range(30_000):
            level = SILENT if number % 300 > 280 else LOUD
            packet = MediaPacket(1, number % 65_536, number * 960, payload, level=level)
            writer.push(packet, number * 0.02 / speed)
            if number % 500 == 0:
                data = writer.take(number * 0.02 / speed)
        writer.finish()
        assert writer._assembler.begin == 0
        ends.append((writer._assembler.end / WIRE_RATE_HZ) - 600.0 / speed)
        assert data
    assert max(map(abs, ends)) < 0.03
