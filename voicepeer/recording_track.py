"""One participant's track in a recording: packets in as they come, pages of a file out."""

from __future__ import annotations

from voicepeer.core.jitter import packet_samples
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.recording.assembling import Assembler
from voicepeer.core.recording.filling import SILENCE, STEREO
from voicepeer.core.recording.ogg import PRE_SKIP_SAMPLES, OpusPages
from voicepeer.core.recording.placing import Placing
from voicepeer.forwarding import Listener, MediaPacket

QUIET_DBOV = -50.0
"""Where nobody hears that a few milliseconds are left out or put in."""


class TrackWriter(Listener):
    """Listens to one participant; ``take`` gives what there is to write.

    Args:
        start_s: when the recording has begun, by the clock of the packets.
        serial: of the Ogg stream.
    """

    def __init__(self, start_s: float, serial: int) -> None:
        super().__init__()
        self._start_s = start_s
        self._serial = serial
        self._placing = Placing()
        self._assembler = Assembler()
        self._pages: OpusPages | None = None

    @property
    def offset_ms(self) -> float | None:
        """When its first sample is heard, from the start of the recording; ``None`` before that."""
        begin = self._assembler.begin
        return None if begin is None else (begin + PRE_SKIP_SAMPLES) * 1000 / WIRE_RATE_HZ

    def cut(self) -> None:
        """The source has paused, or is another one."""
        self._placing.cut()

    def push(self, packet: MediaPacket, now: float) -> bool:
        """Keep a packet; it is sent to nobody."""
        try:
            samples = packet_samples(packet.payload)
        except ValueError:
            return False  # as a decoder would leave it out
        position = self._placing.place(
            packet.ssrc,
            packet.sequence,
            packet.timestamp,
            samples,
            packet.level_dbov < QUIET_DBOV,
            self._position(now),
        )
        if position is not None:
            self._assembler.push(position, packet.payload)
        return False

    def take(self, now: float) -> bytes:
        """Pages with all that is complete by now; the first ones begin the file."""
        return self._paged(self._assembler.take(self._position(now)), last=False)

    def finish(self) -> bytes:
        """The last pages; nothing where nothing ever came."""
        packets = self._assembler.rest()
        if not packets and self._pages is not None:
            packets = [SILENCE]
        return self._paged(packets, last=True)

    def _paged(self, packets: list[bytes], *, last: bool) -> bytes:
        if not packets:
            return b""
        headers = b""
        if self._pages is None:
            self._pages = OpusPages(self._serial, 2 if packets[0][0] & STEREO else 1)
            headers = self._pages.headers()
        return headers + self._pages.push(packets, last=last)

    def _position(self, now: float) -> int:
        return round((now - self._start_s) * WIRE_RATE_HZ)
