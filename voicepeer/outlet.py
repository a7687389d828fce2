"""Finished RTP packets out through an aiortc sender, in place of those it would make of a track.

Like ``rtc``, which runs its self-test, this module is part of the adapter for aiortc: no private
name used here is used elsewhere. A sender has no public way to keep the losses and the order of
packets that are passed on, and without these a listener can neither report nor repair them.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import struct
import types
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Protocol

import pylibsrtp
from aiortc import MediaStreamTrack, RTCRtpReceiver, RTCRtpSender, RTCRtpTransceiver, clock
from aiortc.mediastreams import MediaStreamError
from aiortc.rtcdtlstransport import RTCDtlsTransport
from aiortc.rtp import AnyRtcpPacket, RtcpRrPacket

from voicepeer.forwarding import MediaPacket

logger = logging.getLogger(__name__)

_COUNTERS = tuple(
    f"_RTCRtpSender__{name}"
    for name in ("packet_count", "octet_count", "ntp_timestamp", "rtp_timestamp")
)
"""Of a sender, from which it makes its reports (RFC 3550 section 6.4.1)."""

_PACKETS, _OCTETS, _NTP_TIME, _RTP_TIME = _COUNTERS

_MID_URI = "urn:ietf:params:rtp-hdrext:sdes:mid"
_LEVEL_URI = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"

_EXTENDED, _PLAIN = 0x90, 0x80
"""First byte of a header with and without extensions (RFC 3550 section 5.1)."""

_ONE_BYTE_PROFILE = 0xBEDE
_ONE_BYTE_IDS = range(1, 15)
"""Of extensions in the short form, whose values have 1 to 16 bytes (RFC 8285 section 4.2)."""

_HEADER = struct.Struct("!BBHLL")
_EXTENSION = struct.Struct("!HH")


def missing() -> str | None:
    """What the installed aiortc lacks of all that is used here, ``None`` if nothing."""
    init = inspect.getsource(RTCRtpSender.__init__)
    if not all(f"self.{name.removeprefix('_RTCRtpSender')}" in init for name in _COUNTERS):
        return "its sender counts in another way"
    if "self._ssrc" not in init:
        return "its sender keeps its SSRC in another way"
    if "await self.transport._send(data)" not in inspect.getsource(RTCDtlsTransport._send_rtp):
        return "its DTLS transport sends RTP in another way"
    if "self._send_rtcp(packet)" not in inspect.getsource(RTCRtpReceiver._run_rtcp):
        return "its receiver reports in another way"
    if "_headerExtensions" not in inspect.getsource(RTCRtpTransceiver.__init__):
        return "its transceiver keeps header extensions in another way"
    return None


class _Extensions(Protocol):
    audio_level: tuple[bool, int] | None


class ReceivedPacket(Protocol):
    """The part of aiortc's RTP packet that is passed on."""

    sequence_number: int
    timestamp: int
    ssrc: int
    payload: bytes
    marker: int
    extensions: _Extensions


def received(packet: ReceivedPacket) -> MediaPacket:
    """What a receiver was given, to be passed on."""
    told = packet.extensions.audio_level
    level = None if told is None else told[1] | (0x80 if told[0] else 0)
    return MediaPacket(
        packet.ssrc,
        packet.sequence_number,
        packet.timestamp,
        packet.payload,
        bool(packet.marker),
        level,
    )


class ParkedTrack(MediaStreamTrack):
    """Gives a sender nothing to send, at no cost; without any track it would look 50 times a
    second."""

    kind = "audio"

    async def recv(self) -> Any:  # noqa: ANN401 - as its base class has it; nothing ever comes
        """Wait until the sender is stopped; raises ``MediaStreamError`` when it is already."""
        if self.readyState != "live":
            raise MediaStreamError("the track was stopped")
        await asyncio.get_running_loop().create_future()


class Outlet:
    """One negotiated audio section that sends, fed with packets instead of a track.

    The receiver's reports and ours go on as they do for any sender.
    """

    def __init__(self, transceiver: RTCRtpTransceiver) -> None:
        self.mid = str(transceiver.mid)
        self.sender: RTCRtpSender = transceiver.sender
        self.sender.replaceTrack(ParkedTrack())
        self._payload_type = int(transceiver._codecs[0].payloadType or 0)
        self._ssrc: int = self.sender._ssrc
        ids = {extension.uri: extension.id for extension in transceiver._headerExtensions}
        self._mid_extension = _extension(ids.get(_MID_URI), self.mid.encode())
        self._level_id = ids.get(_LEVEL_URI)
        self._unsent: set[asyncio.Task[None]] = set()

    def send(
        self, sequence: int, timestamp: int, marker: bool, payload: bytes, level: int | None
    ) -> bool:
        """Send a packet; whether it left, which is not so before the connection stands.

        ``level`` is the byte of its level extension (RFC 6464 section 3), if it is known.
        """
        packet = self._packet(sequence, timestamp, marker, payload, level)
        sender = self.sender
        sending = sender.transport._send_rtp(packet)
        try:
            waiting = sending.send(None)
        except StopIteration:
            pass  # all is done, as on any connection without a TURN server
        except (ConnectionError, pylibsrtp.Error):
            return False
        else:
            self._send_later(_resume(waiting, sending))
        setattr(sender, _PACKETS, getattr(sender, _PACKETS) + 1)
        setattr(sender, _OCTETS, getattr(sender, _OCTETS) + len(payload))
        setattr(sender, _NTP_TIME, clock.current_ntp_time())
        setattr(sender, _RTP_TIME, timestamp)
        return True

    def _packet(
        self, sequence: int, timestamp: int, marker: bool, payload: bytes, level: int | None
    ) -> bytes:
        extensions = self._mid_extension
        if level is not None:
            extensions += _extension(self._level_id, bytes((level,)))
        second = self._payload_type | (0x80 if marker else 0)
        if not extensions:
            return _HEADER.pack(_PLAIN, second, sequence, timestamp, self._ssrc) + payload
        extensions += bytes(-len(extensions) % 4)
        header = _HEADER.pack(_EXTENDED, second, sequence, timestamp, self._ssrc)
        profile = _EXTENSION.pack(_ONE_BYTE_PROFILE, len(extensions) // 4)
        return header + profile + extensions + payload

    def _send_later(self, sending: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_finish(sending), name="relayed packet")
        self._unsent.add(task)
        task.add_done_callback(self._unsent.discard)

    async def close(self) -> None:
        """Give up what still waits to be sent; the sender itself ends with its connection."""
        tasks = list(self._unsent)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _extension(number: int | None, value: bytes) -> bytes:
    """A header extension in its short form; nothing where it was not agreed on or does not fit."""
    if number is None or number not in _ONE_BYTE_IDS or not 1 <= len(value) <= 16:
        return b""
    return bytes((number << 4 | (len(value) - 1),)) + value


@types.coroutine
def _resume(waiting: Any, sending: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:  # noqa: ANN401 - a future
    """Go on with a coroutine that was begun by hand and now waits for something."""
    yield waiting
    yield from sending


async def _finish(sending: Coroutine[Any, Any, None]) -> None:
    """Send through a TURN server that has first to make a channel (RFC 8656 section 12)."""
    try:
        await sending
    except Exception as error:  # the edge of a task: whatever the TURN client raises
        logger.info("a packet could not be relayed: %s", type(error).__name__)


def pass_on_loss(receiver: RTCRtpReceiver, passed_on: Callable[[], float]) -> None:
    """Report to whoever sends to us also what is lost on the way from us to others.

    ``passed_on`` gives the share that is lost there, 0 to 1. The sender then makes its forward
    error correction for all of the way (RFC 7667 section 3.7 has the middle speak for both).
    """
    report = receiver._send_rtcp

    async def report_all(packet: AnyRtcpPacket) -> None:
        if isinstance(packet, RtcpRrPacket):
            share = round(min(max(passed_on(), 0.0), 1.0) * 255)
            for one in packet.reports:
                one.fraction_lost = max(one.fraction_lost, share)
        await report(packet)

    receiver._send_rtcp = report_all  # type: ignore[method-assign]
