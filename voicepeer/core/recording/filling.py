"""What stands in a recording where no packets came (RFC 7845 section 4.1).

Packets without any data ask the decoder to go on with the sound as if they had been lost, as it
would in a call; they have the mode of the packet before. After half a second of that there is
silence.
"""

from __future__ import annotations

from collections.abc import Iterator

from voicepeer.core.jitter import packet_samples

UNIT_SAMPLES = 120
"""2.5 ms, the shortest frame: a gap that is no multiple of it is filled but for the rest."""

CONCEALED_SAMPLES = 24_000
"""0.5 s. Whoever sends nothing in silence (DTX) sends a packet every 400 ms."""

_MOST_SAMPLES = 5_760
"""120 ms, the longest packet (RFC 6716 section 3.2.5)."""

_CELT_SHORT = 28 << 3
"""Fullband CELT of 2.5 ms."""

_CELT_LONG = 31 << 3
"""The same of 20 ms."""

STEREO = 0x04
"""In the first byte of an Opus packet (RFC 6716 section 3.1)."""

_ANY_COUNT = 0x03
_SILENT_FRAME = b"\xff\xfe"
"""Of CELT: its flag for silence is all that is in it (RFC 6716 section 4.3)."""

_SILENT_SAMPLES = 960

SILENCE = bytes((_CELT_LONG,)) + _SILENT_FRAME
"""A packet of 20 ms."""


def fill(samples: int, before: bytes, filled: int = 0) -> Iterator[tuple[bytes, int]]:
    """Packets, each with its length, for a gap of so many samples at 48 kHz.

    Args:
        samples: of the gap; at most ``UNIT_SAMPLES`` - 1 of them stay unfilled.
        before: the packet of the sender before the gap.
        filled: so many samples before this gap were filled already since that packet.
    """
    samples -= samples % UNIT_SAMPLES
    concealed = min(samples, max(0, CONCEALED_SAMPLES - filled))
    concealed -= concealed % UNIT_SAMPLES
    toc = before[0]
    yield from _frames(concealed, toc, packet_samples(bytes((toc & ~_ANY_COUNT,))), b"")
    silent = samples - concealed
    long = _CELT_LONG | (toc & STEREO)
    yield from _frames(silent, long, _SILENT_SAMPLES, _SILENT_FRAME)


def is_empty(packet: bytes) -> bool:
    """Whether a packet holds no sound, so that the decoder is to make one up."""
    return len(packet) < 2 or (len(packet) == 2 and packet[0] & _ANY_COUNT == _ANY_COUNT)


def _frames(samples: int, toc: int, frame: int, content: bytes) -> Iterator[tuple[bytes, int]]:
    """Packets of equal frames; what is shorter than one of them has frames of 2.5 ms."""
    whole = samples - samples % frame
    for length, unit, kind in ((whole, frame, toc), (samples - whole, UNIT_SAMPLES, _CELT_SHORT)):
        kind = kind & ~_ANY_COUNT | (toc & STEREO) | _ANY_COUNT
        most = _MOST_SAMPLES // unit
        left = length // unit
        while left:
            count = min(left, most)
            yield bytes((kind, count)) + content * count, count * unit
            left -= count
