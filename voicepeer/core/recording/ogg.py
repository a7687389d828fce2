"""Opus packets in Ogg pages, as they are (RFC 3533, RFC 7845).

FFmpeg's muxer, which PyAV brings, puts a hole into the granule positions where packets are
missing. That is forbidden (RFC 7845 section 4.1), and its own decoder closes such holes, so that
all that follows comes too early. Nor does it let us say when a page is complete, which is what a
file that is interrupted ends with.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence

from voicepeer.core.jitter import packet_samples
from voicepeer.core.pcm import WIRE_RATE_HZ

PRE_SKIP_SAMPLES = 3_840
"""Decoded and thrown away at the start: a stream that is cut out of another has to settle, and 80
ms are recommended for that (RFC 7845 section 4.2)."""

VENDOR = b"voicepeer"

MAX_SEGMENTS = 255
"""Of one page, each with 255 bytes of a packet at most (RFC 3533 section 6)."""

MAX_PACKETS = 50
"""One second in a page, usually: what a page does not end with is lost with its file."""

MAX_PACKET_BYTES = 60_000
"""More than a datagram has; it fits into a page with room to spare."""

_FIRST, _LAST = 0x02, 0x04
_HEADER = struct.Struct("<4sBBqIIIB")
_CRC_AT, _CRC_BYTES = 22, 4
_MIRRORED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class OpusPages:
    """One logical stream of Opus, page by page.

    Args:
        serial: tells it from other streams in one file, 32 bits.
        channels: that it is made of, 1 or 2; decoders convert what is otherwise.
    """

    def __init__(self, serial: int, channels: int = 1) -> None:
        self._serial = serial
        self._channels = channels
        self._pages = 0
        self.samples = 0
        """Of all packets so far at 48 kHz, which is the granule position."""

    def headers(self) -> bytes:
        """The two pages that a stream begins with (RFC 7845 section 5)."""
        head = struct.pack(
            "<8sBBHIhB", b"OpusHead", 1, self._channels, PRE_SKIP_SAMPLES, WIRE_RATE_HZ, 0, 0
        )
        tags = b"OpusTags" + struct.pack("<I", len(VENDOR)) + VENDOR + struct.pack("<I", 0)
        return self._page([head], _FIRST) + self._page([tags], 0)

    def push(self, packets: Iterable[bytes], *, last: bool = False) -> bytes:
        """Pages with these packets, in as many as it takes; the ``last`` ones end the stream.

        Raises:
            ValueError: one is no Opus packet, or longer than any datagram; or there are none to end
                the stream with.
        """
        groups = list(_groups(packets))
        if last and not groups:
            raise ValueError("the last page of a stream needs a packet")
        out = bytearray()
        for index, group in enumerate(groups):
            self.samples += sum(packet_samples(packet) for packet in group)
            out += self._page(group, _LAST if last and index == len(groups) - 1 else 0)
        return bytes(out)

    def _page(self, packets: Sequence[bytes], kind: int) -> bytes:
        segments = b"".join(_lacing(packet) for packet in packets)
        header = _HEADER.pack(
            b"OggS", 0, kind, self.samples, self._serial, self._pages, 0, len(segments)
        )
        self._pages += 1
        page = header + segments + b"".join(packets)
        sum_ = struct.pack("<I", checksum(page))
        return page[:_CRC_AT] + sum_ + page[_CRC_AT + _CRC_BYTES :]


def checksum(data: bytes) -> int:
    """Of a page whose own checksum is 0 (RFC 3533 section 6).

    The polynomial is 0x04c11db7, most significant bit first, without inversion; ``zlib`` has the
    same in mirror writing.
    """
    mirrored = zlib.crc32(data.translate(_MIRRORED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)


def _lacing(packet: bytes) -> bytes:
    full, rest = divmod(len(packet), 255)
    return b"\xff" * full + bytes((rest,))


def _groups(packets: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Packets that go into one page each: none is spread over two."""
    group: list[bytes] = []
    segments = 0
    for packet in packets:
        if len(packet) > MAX_PACKET_BYTES:
            raise ValueError(f"a packet of {len(packet)} bytes fits into no page")
        needed = len(packet) // 255 + 1
        if group and (len(group) == MAX_PACKETS or segments + needed > MAX_SEGMENTS):
            yield group
            group, segments = [], 0
        group.append(packet)
        segments += needed
    if group:
        yield group
