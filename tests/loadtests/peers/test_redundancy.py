from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import av
import numpy as np
import pytest
from aiortc.codecs.opus import OpusEncoder as AiortcEncoder
from hypothesis import given
from hypothesis import strategies as st

from loadtests.peers.redundancy import Copies, has_copy
from tests.peers.sounds import vowel
from voicepeer.core.pcm import FRAME_SAMPLES, to_pcm16
from voicepeer.jitter import Block
from voicepeer.opus import OpusEncoder

pytestmark = pytest.mark.unit


def encoded(fec: bool) -> list[bytes]:
    """Speech by the encoder that we have, without the silence around it."""
    encoder, frames = (
        OpusEncoder(fec=fec, expected_loss_percent=20),
        to_pcm16(vowel(1.0)[40 * FRAME_SAMPLES :]),
    )
    starts = range(0, 40 * FRAME_SAMPLES, FRAME_SAMPLES)
    return [encoder.encode(frames[start : start + FRAME_SAMPLES]) for start in starts]


def test_our_packets_have_copies_if_that_is_asked_for() -> None:
    with_copies = encoded(fec=True)
    assert sum(map(has_copy, with_copies)) > len(with_copies) / 2
    assert not any(map(has_copy, encoded(fec=False)))


def test_the_encoder_of_stock_aiortc_sends_none() -> None:
    frame = av.AudioFrame.from_ndarray(np.zeros((1, 2 * FRAME_SAMPLES), np.int16), layout="stereo")
    frame.planes[0].update(np.repeat(to_pcm16(vowel(0.1))[-FRAME_SAMPLES:], 2).tobytes())
    frame.sample_rate, frame.pts, frame.time_base = 48_000, 0, Fraction(1, 48_000)
    encoder = AiortcEncoder()
    payloads = [payload for _ in range(20) for payload in encoder.encode(frame)[0]]
    assert payloads
    assert not any(map(has_copy, payloads))


@given(st.binary())
def test_anything_may_come(payload: bytes) -> None:
    assert has_copy(payload) in (True, False)


@pytest.mark.parametrize(
    ("payload", "copy"),
    [
        (bytes([9 << 3, 0x40]), True),  # SILK, wideband, 20 ms
        (bytes([9 << 3, 0x80]), False),
        (bytes([15 << 3, 0xC0]), True),  # hybrid, 20 ms
        (bytes([11 << 3, 0x40]), False),  # SILK, 60 ms: the bit is the activity of its second part
        (bytes([31 << 3, 0x40]), False),  # CELT
        (bytes([9 << 3 | 3, 0x40]), False),  # several frames
        (bytes([9 << 3]), False),
    ],
)
def test_the_flag_is_where_the_standard_has_it(payload: bytes, copy: bool) -> None:
    assert has_copy(payload) is copy


@dataclass
class Came:
    """A packet of a stream."""

    timestamp: int
    payload: bytes
    sequence_number: int = 1
    ssrc: int = 1


def test_what_was_lost_is_restored_by_the_next_packet_or_not_at_all() -> None:
    copies = Copies()
    for index, payload in ((1, b"\x48\x40"), (2, b"\x48\x40"), (4, b"\x48\x00")):
        copies.note(Came(index * FRAME_SAMPLES, payload))
    silence = np.zeros(FRAME_SAMPLES, np.int16)
    blocks = [
        Block(silence, index * FRAME_SAMPLES, heard, float(index))
        for index, heard in enumerate([False, True, True, False, True, False])
    ]
    assert copies.restored(blocks) == 1
