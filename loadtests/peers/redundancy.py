"""Which packets of Opus carry a copy of the frame before them, for a listener who has lost it.

A receiver asks its decoder for the copy in any case, and is given something made up where there is
none, so that only the packets tell.
"""

from __future__ import annotations

from collections.abc import Iterable

from voicepeer.core.pcm import FRAME_SAMPLES
from voicepeer.jitter import Block
from voicepeer.rtc import RtpPacket

_CELT_ONLY = 16
"""Configurations from here on have no layer for copies (RFC 6716 section 3.1, table 2)."""

_SHORT = 2
"""Below it, of the four lengths of a SILK frame: 10 and 20 ms, with one flag each."""

_HYBRID = 12
"""Configurations from here on have only those two lengths."""

_FLAG = 0x40
"""Behind one bit for voice activity (RFC 6716 section 4.2.3); both are as likely as not, so that
the range coder leaves them as they are."""


def has_copy(payload: bytes) -> bool:
    """Whether a packet of one frame of up to 20 ms has a copy of the frame before it."""
    if len(payload) < 2 or payload[0] & 3:
        return False
    configuration = payload[0] >> 3
    short = configuration >= _HYBRID or configuration % 4 < _SHORT
    return configuration < _CELT_ONLY and short and bool(payload[1] & _FLAG)


class Copies:
    """Remembers the packets of a stream that had copies."""

    def __init__(self) -> None:
        self._followers: set[int] = set()

    def note(self, packet: RtpPacket) -> None:
        """Look at a packet that has come."""
        if has_copy(packet.payload):
            self._followers.add(packet.timestamp)

    def restored(self, blocks: Iterable[Block]) -> int:
        """How many of the blocks that were lost had a copy in the next packet, which came."""
        return sum(
            not block.heard and (block.at_sample + FRAME_SAMPLES) & 0xFFFFFFFF in self._followers
            for block in blocks
        )
