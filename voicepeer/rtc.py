"""The aiortc adapter: every private name of aiortc and aioice that we rely on is in this module,
or in ``outlet``, which sends what is forwarded.

``install_patches`` is called once by a root before the first peer connection. It first checks that
the names are still there, because a mangled name that has changed would fail silently.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import logging
import re
import weakref
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeAlias, cast

import aioice.ice
import aioice.turn
import aiortc
import aiortc.codecs
import aiortc.rtp
from aiortc import (
    RTCBundlePolicy,
    RTCConfiguration,
    RTCIceServer,
    RTCIceTransport,
    RTCIceTransportPolicy,
    RTCPeerConnection,
    RTCRtpReceiver,
    RTCRtpSender,
    RTCSessionDescription,
)
from aiortc.exceptions import InvalidStateError
from aiortc.rtcdtlstransport import RTCDtlsTransport
from aiortc.rtcrtpparameters import RTCRtpCodecParameters
from aiortc.rtcrtpsender import RTCEncodedFrame
from aiortc.rtcsctptransport import Chunk, RTCSctpTransport
from aiortc.sdp import candidate_from_sdp

from voicepeer import liveness, outlet
from voicepeer.core.adaptation import ReceiverReport
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.sdp import BadDescription
from voicepeer.level import audio_level_dbov

logger = logging.getLogger(__name__)

SUPPORTED = "1.16"
CONSENT_INTERVAL_S = 1
CONSENT_MISSES = 3
"""A vanished peer is noticed after 3 to 5 s; aioice's own 6 x 5 s is half a minute. One that sends
anything has not vanished, see ``liveness``."""

TURN_GOODBYE_S = 1.0
"""For a TURN server to take a relay back. It frees one that it hears nothing of by itself, and
aioice's own half a minute of trying would keep a session of a dead server from being closed."""

OPUS_PAYLOAD_TYPE = 111
MID_EXTENSION_ID = 4
LEVEL_EXTENSION_ID = 1
"""The numbers Chromium uses. Its offers fix them for the whole bundle, and aiortc's own would
collide with them when the service makes a later offer."""

OPUS_PARAMETERS = "minptime=10;useinbandfec=1;maxaveragebitrate=32000"
"""What we ask a browser's encoder for (RFC 7587 section 6.1); aiortc's answers say nothing."""

_RECEIVE_BUFFER = "_RTCRtpReceiver__jitter_buffer"
_DTLS_TRANSPORTS = "_RTCPeerConnection__dtlsTransports"
_CONNECT = "_RTCPeerConnection__connect"
_NEXT_FRAME = RTCRtpSender._next_encoded_frame
_MID_URI = "urn:ietf:params:rtp-hdrext:sdes:mid"
_LEVEL_URI = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"

IceServerEntry: TypeAlias = dict[str, str | list[str]]
SendDatagram: TypeAlias = Callable[[bytes], Coroutine[Any, Any, None]]
ReceiveDatagram: TypeAlias = Callable[[], Coroutine[Any, Any, bytes]]


class UnsupportedAiortc(Exception):
    """The installed aiortc lacks a name we rely on; the message says which version to install."""


class RtpPacket(Protocol):
    """The part of aiortc's RTP packet that a receive buffer reads."""

    sequence_number: int
    timestamp: int
    ssrc: int
    payload: bytes


class ReceiveBuffer(Protocol):
    """What stands in for aiortc's jitter buffer."""

    capacity: int

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        """Take a packet; ``(False, None)`` tells aiortc to ask for nothing and decode nothing."""
        ...


_Work: TypeAlias = weakref.WeakKeyDictionary[RTCPeerConnection, asyncio.Task[None]]

_describing: _Work = weakref.WeakKeyDictionary()
_closing: _Work = weakref.WeakKeyDictionary()
"""What goes on to its end even if nobody waits for it any more: half of it would leave sockets and
tasks behind for good."""

_installed = False


def install_patches() -> None:
    """Check aiortc and adapt it, once per process; later calls do nothing.

    Raises:
        UnsupportedAiortc: see ``self_test``.
    """
    global _installed  # noqa: PLW0603 - the patched modules are process-wide as well
    if _installed:
        return
    self_test()
    aioice.ice.CONSENT_INTERVAL = CONSENT_INTERVAL_S
    aioice.ice.CONSENT_FAILURES = CONSENT_MISSES
    aioice.ice.Connection.query_consent = _consent_unless_closing(  # type: ignore[method-assign, assignment]
        aioice.ice.Connection.query_consent
    )
    aioice.ice.StunProtocol.datagram_received = liveness.counting(  # type: ignore[method-assign, assignment]
        aioice.ice.StunProtocol.datagram_received
    )
    aioice.ice.StunProtocol.request = liveness.forgiving(  # type: ignore[method-assign]
        aioice.ice.StunProtocol.request
    )
    aioice.turn.TurnClientMixin.delete = _delete_in_time(  # type: ignore[method-assign, assignment]
        aioice.turn.TurnClientMixin.delete
    )
    setattr(RTCPeerConnection, _CONNECT, _connect_quietly(getattr(RTCPeerConnection, _CONNECT)))
    RTCSctpTransport._send_chunk = _send_while_connected(  # type: ignore[method-assign, assignment]
        RTCSctpTransport._send_chunk
    )
    aiortc.rtp.compute_audio_level_dbov = audio_level_dbov
    RTCRtpSender._next_encoded_frame = _with_levels(  # type: ignore[method-assign, assignment]
        _NEXT_FRAME
    )
    _number_like_chromium()
    _installed = True


def self_test() -> None:
    """Check that the installed aiortc has every private name we use, where we use it.

    Raises:
        UnsupportedAiortc: names what is missing.
    """
    version = aiortc.__version__
    if not version.startswith(f"{SUPPORTED}."):
        raise _unsupported(f"version {version} is installed")
    if "__jitter_buffer.add(packet)" not in inspect.getsource(RTCRtpReceiver._handle_rtp_packet):
        raise _unsupported("its receiver does not call a jitter buffer")
    if "_closing" not in inspect.getsource(aioice.ice.Connection.close):
        raise _unsupported("aioice's connection has no closing flag")
    for name in ("CONSENT_INTERVAL", "CONSENT_FAILURES"):
        if name not in inspect.getsource(aioice.ice.Connection.query_consent):
            raise _unsupported(f"aioice does not read {name}")
    if "retransmissions=0" not in inspect.getsource(aioice.ice.Connection.query_consent):
        raise _unsupported("aioice asks for consent more than once at a time")
    if "finally:" not in inspect.getsource(aioice.turn.TurnClientMixin.delete):
        raise _unsupported("aioice's TURN client keeps its socket when it is interrupted")
    if "__dtlsTransports" not in inspect.getsource(RTCPeerConnection.__init__):
        raise _unsupported("its peer connection keeps no DTLS transports")
    if "_send = self._connection.send" not in inspect.getsource(RTCIceTransport.__init__):
        raise _unsupported("its ICE transport sends in another way")
    if "await self.transport._recv()" not in inspect.getsource(RTCDtlsTransport._recv_next):
        raise _unsupported("its DTLS transport receives in another way")
    if not hasattr(RTCPeerConnection, _CONNECT):
        raise _unsupported("its peer connection connects in another way")
    if "_send_data" not in inspect.getsource(RTCSctpTransport._send_chunk):
        raise _unsupported("its SCTP transport sends in another way")
    if "rtp.compute_audio_level_dbov(data)" not in inspect.getsource(_NEXT_FRAME):
        raise _unsupported("its sender measures levels in another way")
    if "enc_frame.audio_level is not None" not in inspect.getsource(RTCRtpSender._run_rtp):
        raise _unsupported("its sender tells levels in another way")
    if (lacks := outlet.missing()) is not None:
        raise _unsupported(lacks)
    uris = {extension.uri for extension in aiortc.codecs.HEADER_EXTENSIONS["audio"]}
    if {_MID_URI, _LEVEL_URI} - uris or aiortc.codecs.CODECS["audio"][0].name != "opus":
        raise _unsupported("its table of codecs and header extensions is different")


def _unsupported(found: str) -> UnsupportedAiortc:
    return UnsupportedAiortc(
        f"voicepeer is written for aiortc {SUPPORTED}.x, but {found}: "
        f"pip install 'aiortc=={SUPPORTED}.*'"
    )


def host_addresses() -> list[str]:
    """Addresses of this machine at which media can reach it: its host candidates."""
    return aioice.ice.get_host_addresses(use_ipv4=True, use_ipv6=True)


Consent: TypeAlias = Callable[[aioice.ice.Connection], Coroutine[Any, Any, None]]


def _consent_unless_closing(query: Consent) -> Consent:
    # aioice's connect() starts this task even when close() has run meanwhile; nobody would ever
    # cancel it.
    @functools.wraps(query)
    async def query_consent(self: aioice.ice.Connection) -> None:
        if not self._closing:
            await query(self)

    return query_consent


Delete: TypeAlias = Callable[[aioice.turn.TurnClientMixin], Coroutine[Any, Any, None]]


def _delete_in_time(delete: Delete) -> Delete:
    @functools.wraps(delete)
    async def delete_in_time(self: aioice.turn.TurnClientMixin) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TURN_GOODBYE_S):
                await delete(self)

    return delete_in_time


Connect: TypeAlias = Callable[[RTCPeerConnection], Coroutine[Any, Any, None]]


def _connect_quietly(connect: Connect) -> Connect:
    # aiortc runs this in a task that nobody awaits; when the peer is closed meanwhile it fails,
    # and asyncio would log that as an error of ours.
    @functools.wraps(connect)
    async def connect_unless_closed(self: RTCPeerConnection) -> None:
        try:
            await connect(self)
        except InvalidStateError:
            if self.signalingState != "closed":
                raise

    return connect_unless_closed


SendChunk: TypeAlias = Callable[[RTCSctpTransport, Chunk], Coroutine[Any, Any, None]]


def _send_while_connected(send: SendChunk) -> SendChunk:
    # Most of these calls come from timers and tasks that nobody awaits; when a client vanishes,
    # asyncio would log each of them as an error of ours. What is not sent counts as lost.
    @functools.wraps(send)
    async def send_chunk(self: RTCSctpTransport, chunk: Chunk) -> None:
        with contextlib.suppress(ConnectionError):
            await send(self, chunk)

    return send_chunk


NextFrame: TypeAlias = Callable[
    [RTCRtpSender, RTCRtpCodecParameters], Coroutine[Any, Any, RTCEncodedFrame | None]
]


def _with_levels(next_frame: NextFrame) -> NextFrame:
    # aiortc measures what it encodes; how loud a packet is, only the track that made it knows.
    @functools.wraps(next_frame)
    async def next_encoded_frame(
        self: RTCRtpSender, codec: RTCRtpCodecParameters
    ) -> RTCEncodedFrame | None:
        encoded = await next_frame(self, codec)
        if encoded is not None and encoded.audio_level is None:
            encoded.audio_level = getattr(self.track, "level_dbov", None)
        return encoded

    return next_encoded_frame


def _number_like_chromium() -> None:
    aiortc.codecs.CODECS["audio"][0].payloadType = OPUS_PAYLOAD_TYPE
    for extensions in aiortc.codecs.HEADER_EXTENSIONS.values():
        for extension in extensions:
            if extension.uri == _MID_URI:
                extension.id = MID_EXTENSION_ID
            elif extension.uri == _LEVEL_URI:
                extension.id = LEVEL_EXTENSION_ID


def new_peer(
    ice_servers: Sequence[IceServerEntry] = (), bundled: bool = True, relay_only: bool = False
) -> RTCPeerConnection:
    """A peer connection that asks no STUN server unless given one.

    aiortc's default asks a public STUN server, which costs up to 5 s where it cannot be reached.
    ``bundled`` puts everything on one transport; without it an offer decides. ``relay_only``
    connects through a TURN server and in no other way.
    """
    servers = [
        RTCIceServer(
            urls=entry["urls"],
            username=cast("str | None", entry.get("username")),
            credential=cast("str | None", entry.get("credential")),
        )
        for entry in ice_servers
    ]
    policy = RTCBundlePolicy.MAX_BUNDLE if bundled else RTCBundlePolicy.BALANCED
    ways = RTCIceTransportPolicy.RELAY if relay_only else RTCIceTransportPolicy.ALL
    return RTCPeerConnection(
        RTCConfiguration(iceServers=servers, bundlePolicy=policy, iceTransportPolicy=ways)
    )


async def close_peer(peer: RTCPeerConnection) -> None:
    """Close a peer connection, once, whatever state a refused offer has left it in.

    Who is stopped while waiting for it leaves nothing behind: it is closed all the same.
    """
    if peer not in _closing:
        _closing[peer] = asyncio.create_task(_close(peer), name="close")
    await asyncio.shield(_closing[peer])


async def _close(peer: RTCPeerConnection) -> None:
    """aiortc's own ``close`` gives up at the first part that fails to stop, for instance after an
    offer whose BUNDLE group names a section that is not there.
    """
    await _described(peer)
    transports = set(getattr(peer, _DTLS_TRANSPORTS))
    try:
        await peer.close()
    except Exception:  # any part of a half-made connection may be missing
        logger.info("a half-made connection is closed part by part", exc_info=True)
        for transport in transports:
            await transport.stop()
            await transport.transport.stop()
        peer.remove_all_listeners()
    # A handshake that ended in the middle of this has started senders and receivers after
    # aiortc stopped them, and nobody else would ever stop them again.
    for transceiver in peer.getTransceivers():
        await transceiver.stop()


def install_receive_buffer(receiver: RTCRtpReceiver, buffer: ReceiveBuffer) -> None:
    """Give a receiver's packets to our buffer instead of aiortc's, which stalls on a loss."""
    if not hasattr(receiver, _RECEIVE_BUFFER):
        raise _unsupported("its receiver has no jitter buffer")
    setattr(receiver, _RECEIVE_BUFFER, buffer)


async def apply_offer(peer: RTCPeerConnection, offer_sdp: str) -> None:
    """Apply a remote offer that has nothing in it but what aiortc can answer.

    ``core.selection`` makes such offers of real ones.

    Raises:
        BadDescription: malformed.
    """
    try:
        await peer.setRemoteDescription(RTCSessionDescription(sdp=offer_sdp, type="offer"))
    except Exception as error:  # aiortc's parser raises whatever the malformed text leads to
        raise _unusable("the offer cannot be used", error) from error


async def make_offer(peer: RTCPeerConnection) -> str:
    """A description of all that the peer has to offer; its candidates are in it."""
    await _describe(peer, await peer.createOffer())
    return str(peer.localDescription.sdp)


async def make_answer(peer: RTCPeerConnection) -> str:
    """Answer the offer that was applied; asks the other side to send Opus with in-band FEC.

    Raises:
        BadDescription: no answer is possible, or no ICE candidate could be gathered.
    """
    try:
        await _describe(peer, await peer.createAnswer())
    except Exception as error:  # createAnswer fails in many ways on odd but parsable offers
        raise _unusable("the offer cannot be answered", error) from error
    sdp = peer.localDescription.sdp
    if "a=candidate:" not in sdp:
        raise BadDescription("no network address to offer: check the network and ICE servers")
    return with_opus_parameters(sdp)


async def _describe(peer: RTCPeerConnection, description: RTCSessionDescription) -> None:
    """Apply a description of our own and gather candidates, to the end in any case.

    aioice knows its sockets only when all of them are open; ``close_peer`` waits for that.
    """
    work = asyncio.create_task(peer.setLocalDescription(description), name="describe")
    _describing[peer] = work
    await asyncio.shield(work)


async def _described(peer: RTCPeerConnection) -> None:
    """Wait until no candidates are gathered, whatever came of it."""
    if work := _describing.pop(peer, None):
        await asyncio.gather(work, return_exceptions=True)


def with_opus_parameters(sdp: str) -> str:
    """Add our wishes for the sender's Opus encoder after each ``rtpmap`` that has none."""

    def add(match: re.Match[str]) -> str:
        payload_type = match.group(1)
        if f"a=fmtp:{payload_type} " in sdp:
            return match.group(0)
        return f"{match.group(0)}a=fmtp:{payload_type} {OPUS_PARAMETERS}\r\n"

    return re.sub(r"a=rtpmap:(\d+) opus/48000/2\r\n", add, sdp, flags=re.IGNORECASE)


async def add_candidate(peer: RTCPeerConnection, candidate: str, section: int) -> None:
    """Add a trickled candidate for the section of this index in the offer that was applied.

    The end of the candidates is never passed on: ICE would give up where all so far were of no
    use, and a connection that never comes about has its own timeout.

    Raises:
        BadDescription: malformed.
    """
    try:
        parsed = candidate_from_sdp(candidate.removeprefix("candidate:"))
        parsed.sdpMLineIndex = section
        await peer.addIceCandidate(parsed)
    except (ValueError, IndexError, AssertionError) as error:
        raise _unusable("the candidate cannot be used", error) from error


def wrap_sending(peer: RTCPeerConnection, wrap: Callable[[SendDatagram], SendDatagram]) -> None:
    """Put something between a negotiated peer and the network, below its encryption.

    For shims and measurements: ``wrap`` gets what sends a datagram of SRTP, DTLS or SCTP, and
    gives what is called in its place.
    """
    for transport in _ice_transports(peer):
        transport._send = wrap(transport._connection.send)


def wrap_receiving(
    peer: RTCPeerConnection, wrap: Callable[[ReceiveDatagram], ReceiveDatagram]
) -> None:
    """The same for what a negotiated peer receives: ``wrap`` gets what waits for a datagram."""
    for transport in _ice_transports(peer):
        transport._recv = wrap(transport._connection.recv)


def only_count(peer: RTCPeerConnection, on_packet: Callable[[], None]) -> None:
    """Have a peer that is negotiated and only receives do nothing with media but tell of it.

    For measurements with many clients in one process, of which few look at what they get.

    Raises:
        UnsupportedAiortc: its DTLS transport hands on packets in another way.
    """
    if "self._handle_rtp_data(" not in inspect.getsource(RTCDtlsTransport._recv_next):
        raise _unsupported("its DTLS transport hands on packets in another way")

    async def count(data: bytes, arrival_time_ms: int) -> None:
        on_packet()

    for transceiver in peer.getTransceivers():
        transceiver.receiver.transport._handle_rtp_data = count  # type: ignore[method-assign]


def _ice_transports(peer: RTCPeerConnection) -> set[Any]:
    dtls = {transceiver.sender.transport for transceiver in peer.getTransceivers()}
    if peer.sctp:
        dtls.add(peer.sctp.transport)
    return {transport.transport for transport in dtls}


async def receiver_report(sender: RTCRtpSender) -> ReceiverReport | None:
    """What the other side last said of our packets of speech; None before it has."""
    of = {report.type: report for report in (await sender.getStats()).values()}
    report, sent = of.get("remote-inbound-rtp"), of.get("outbound-rtp")
    if report is None:
        return None
    return ReceiverReport(
        fraction_lost=report.fractionLost / 256.0,
        round_trip_s=report.roundTripTime,
        at=report.timestamp.timestamp(),
        packets_lost=report.packetsLost,
        # In units of the RTP clock (RFC 3550 section 6.4.1), which is Opus's.
        jitter_s=report.jitter / WIRE_RATE_HZ,
        packets_sent=0 if sent is None else sent.packetsSent,
    )


def _unusable(what: str, error: Exception) -> BadDescription:
    """The words of aiortc stay here: they are about its inside, and may quote the other side."""
    logger.info("%s: aiortc raised %s", what, type(error).__name__)
    return BadDescription(f"{what}: something in it is malformed")
