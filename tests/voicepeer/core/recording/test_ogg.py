"""Pages of Ogg, read by our own eyes, and by FFmpeg."""

from __future__ import annotations

import io
import itertools
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.jitter import packet_samples
from voicepeer.core.recording.filling import CONCEALED_SAMPLES, SILENCE, fill
from voicepeer.core.recording.ogg import (
    MAX_PACKET_BYTES,
    MAX_PACKETS,
    MAX_SEGMENTS,
    PRE_SKIP_SAMPLES,
    OpusPages,
    checksum,
)
from voicepeer.opus import OpusDecoder, OpusEncoder

pytestmark = pytest.mark.unit

PACKETS = st.lists(
    st.binary(max_size=1_400).map(lambda data: SILENCE[:1] + data), min_size=1, max_size=200
)


@dataclass(frozen=True)
class Page:
    kind: int
    granule: int
    serial: int
    number: int
    packets: list[bytes]


def pages(data: bytes) -> Iterator[Page]:
    """What RFC 3533 section 6 says, and nothing of what is under test."""
    while data:
        magic, version, kind, granule, serial, number, crc, count = struct.unpack_from(
            "<4sBBqIIIB", data
        )
        assert (magic, version) == (b"OggS", 0)
        lacing, body = data[27 : 27 + count], 27 + count
        whole = data[: body + sum(lacing)]
        assert crc == slow_checksum(whole[:22] + bytes(4) + whole[26:])
        packets, packet = [], b""
        for length in lacing:
            packet += data[body : body + length]
            body += length
            if length < 255:
                packets.append(packet)
                packet = b""
        assert packet == b"", "no packet goes on in the next page"
        yield Page(kind, granule, serial, number, packets)
        data = data[body:]


def slow_checksum(data: bytes) -> int:
    """Bit by bit."""
    crc = 0
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1) ^ (0x104C11DB7 if crc & 0x80000000 else 0)
    return crc


def tone_packets(count: int, start: int = 0) -> list[bytes]:
    encoder = OpusEncoder()
    at = (np.arange(count * 960) + start) / 48_000
    pcm = (8_000 * np.sin(2 * np.pi * 440 * at)).astype(np.int16)
    return [encoder.encode(frame) for frame in pcm.reshape(-1, 960)]


def decoded(data: bytes) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """By FFmpeg's own decoder, as players do."""
    with av.open(io.BytesIO(data), "r") as container:
        return np.concatenate([frame.to_ndarray().ravel() for frame in container.decode(audio=0)])


@given(st.binary(max_size=2_000))
def test_the_checksum_is_that_of_the_rfc(data: bytes) -> None:
    assert checksum(data) == slow_checksum(data)


@given(PACKETS, st.integers(1, 40))
def test_pages_hold_the_packets_in_order_and_count_their_samples(
    packets: list[bytes], at_once: int
) -> None:
    stream = OpusPages(7)
    data = stream.headers()
    for start in range(0, len(packets), at_once):
        last = start + at_once >= len(packets)
        data += stream.push(packets[start : start + at_once], last=last)
    head, tags, *rest = pages(data)
    assert (head.kind, head.packets[0][:8]) == (0x02, b"OpusHead")
    assert tags.packets[0][:8] == b"OpusTags"
    assert list(itertools.chain(*(page.packets for page in rest))) == packets
    assert [page.number for page in rest] == list(range(2, 2 + len(rest)))
    assert [page.kind for page in rest] == [0] * (len(rest) - 1) + [0x04]
    granules = itertools.accumulate(len(page.packets) * 960 for page in rest)
    assert [page.granule for page in rest] == list(granules)
    assert all(len(page.packets) <= MAX_PACKETS for page in rest)
    assert {page.serial for page in (head, tags, *rest)} == {7}


def test_a_page_has_room_for_the_longest_packets() -> None:
    stream = OpusPages(1)
    packet = SILENCE[:1] + bytes(MAX_PACKET_BYTES - 1)
    assert len(packet) // 255 + 1 <= MAX_SEGMENTS
    assert [page.packets for page in pages(stream.push([packet, packet]))] == [[packet], [packet]]
    with pytest.raises(ValueError, match="fits into no page"):
        stream.push([packet + b"x"])


def test_the_head_says_what_is_in_the_stream() -> None:
    [head, _] = pages(OpusPages(1, channels=2).headers())
    version, channels, pre_skip, rate_hz, gain, family = struct.unpack(
        "<BBHIhB", head.packets[0][8:]
    )
    assert (version, channels, pre_skip) == (1, 2, PRE_SKIP_SAMPLES)
    assert (rate_hz, gain, family) == (48_000, 0, 0)


def test_the_end_takes_a_packet() -> None:
    with pytest.raises(ValueError, match="needs a packet"):
        OpusPages(1).push([], last=True)
    with pytest.raises(ValueError, match="empty"):
        OpusPages(1).push([b""])


def test_players_decode_every_sample_and_gaps_as_gaps() -> None:
    before, after = tone_packets(50), tone_packets(50, 98 * 960)
    gap = [packet for packet, _ in fill(48 * 960, before[-1])]
    stream = OpusPages(1)
    data = stream.headers() + stream.push([*before, *gap, *after], last=True)
    heard = decoded(data)
    assert heard.size == 148 * 960 - PRE_SKIP_SAMPLES
    loud = np.flatnonzero(np.abs(heard[50 * 960 :]) > 0.05)[0] + 50 * 960
    assert loud == pytest.approx(98 * 960 - PRE_SKIP_SAMPLES, abs=480)


def test_a_file_that_was_interrupted_plays_up_to_there() -> None:
    stream = OpusPages(1)
    data = stream.headers()
    for start in range(0, 200, 50):
        data += stream.push(tone_packets(50, start * 960))
    heard = decoded(data[:-100])
    assert heard.size in (150 * 960 - PRE_SKIP_SAMPLES, 149 * 960 - PRE_SKIP_SAMPLES)
    assert decoded(data).size == 200 * 960 - PRE_SKIP_SAMPLES


# --- gaps -------------------------------------------------------------------------------------


def tocs() -> st.SearchStrategy[bytes]:
    return st.integers(0, 255).map(lambda toc: bytes((toc & 0xFC, 1, 2)))


@given(st.integers(0, 200_000), tocs(), st.integers(0, 60_000))
def test_a_gap_is_filled_but_for_less_than_the_shortest_frame(
    samples: int, before: bytes, filled: int
) -> None:
    packets = list(fill(samples, before, filled))
    assert sum(length for _, length in packets) == samples - samples % 120
    for packet, length in packets:
        assert packet_samples(packet) == length
        assert packet[0] & 0x04 == before[0] & 0x04, "mono stays mono"


@given(tocs(), st.integers(1, 20))
def test_what_was_lost_is_concealed_in_the_mode_of_the_packet_before(
    before: bytes, frames: int
) -> None:
    frame = packet_samples(before)
    packets = list(fill(frame * min(frames, CONCEALED_SAMPLES // frame), before))
    assert all(packet[0] & 0xFC == before[0] & 0xFC for packet, _ in packets)
    assert all(len(packet) == 2 for packet, _ in packets)


@given(tocs(), st.integers(0, 100_000))
def test_decoders_take_what_fills_gaps(before: bytes, samples: int) -> None:
    decoder = OpusDecoder()
    heard = [decoder.decode(packet).size for packet, _ in fill(samples, before)]
    assert sum(heard) == samples - samples % 120


def test_a_long_gap_is_silent_and_small() -> None:
    decoder, packets = OpusDecoder(), tone_packets(20)
    for packet in packets:
        decoder.decode(packet)
    filling = list(fill(60 * 48_000, packets[-1]))
    assert sum(len(packet) for packet, _ in filling) < 10_000
    heard = np.concatenate([decoder.decode(packet) for packet, _ in filling])
    assert np.abs(heard[-48_000 * 59 :]).max() <= 1
    assert len(list(fill(960, packets[-1], filled=CONCEALED_SAMPLES))[0][0]) > 2
