"""Offers and candidates of one client to one peer connection, and the rules for what is taken."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence

from aiortc import MediaStreamTrack, RTCPeerConnection, RTCRtpSender

from signaling.sessions import IceServer, SessionRefused
from voicepeer import rtc
from voicepeer.rtc import BadDescription


class Negotiation:
    """Answers offers, one at a time; the first good one makes the connection.

    Args:
        track: what goes out.
        prepare: told of the connection and of the sender of ``track`` once the first offer is
            applied and before it is answered.
    """

    def __init__(
        self,
        ice_servers: Sequence[IceServer],
        track: MediaStreamTrack,
        prepare: Callable[[RTCPeerConnection, RTCRtpSender], None],
    ) -> None:
        self.peer: RTCPeerConnection | None = None
        """The connection, once there was an offer."""
        self._ice_servers = ice_servers
        self._track = track
        self._prepare = prepare
        self._identity: tuple[frozenset[str], str] = (frozenset(), "")
        self._one_at_a_time = asyncio.Lock()
        self._closed = False

    async def answer(self, offer_sdp: str) -> str:
        """Answer an offer; a later one of the same connection renegotiates.

        Raises:
            SessionRefused: malformed, without audio, Opus or a data channel, or from another
                connection than the first offer (then a new session is needed).
        """
        async with self._one_at_a_time:
            if self._closed:
                raise SessionRefused("closed", "this session has ended: join again")
            try:
                _check_offer(offer_sdp)
                if self.peer is None:
                    return await self._first_answer(offer_sdp)
                self._check_same_peer(offer_sdp)
                await rtc.apply_offer(self.peer, offer_sdp)
                return await _make_answer(self.peer)
            except BadDescription as error:
                raise SessionRefused("bad_sdp", str(error)) from error

    async def _first_answer(self, offer_sdp: str) -> str:
        peer = rtc.new_peer(self._ice_servers)
        sender = peer.addTrack(self._track)
        rtc.prefer_opus(peer)
        try:
            await rtc.apply_offer(peer, offer_sdp)
            self._prepare(peer, sender)
            answer = await _make_answer(peer)
        except BaseException:
            await rtc.close_peer(peer)
            raise
        self.peer = peer
        self._identity = _identity(offer_sdp)
        return answer

    def _check_same_peer(self, offer_sdp: str) -> None:
        if _identity(offer_sdp) != self._identity:
            raise SessionRefused(
                "new_connection",
                "this offer is of another connection or restarts ICE, which is not supported: "
                "join again with the resume token for a new session that goes on",
            )

    async def add_candidate(
        self, candidate: str | None, sdp_mid: str | None, sdp_mline_index: int | None
    ) -> None:
        """Add a trickled candidate; ``None`` ends them.

        Raises:
            SessionRefused: malformed, or no offer came before it.
        """
        async with self._one_at_a_time:
            if self._closed:
                return
            if self.peer is None:
                raise SessionRefused("no_offer", "send the offer before its candidates")
            try:
                await rtc.add_candidate(self.peer, candidate, sdp_mid, sdp_mline_index)
            except BadDescription as error:
                raise SessionRefused("bad_candidate", str(error)) from error

    async def close(self) -> None:
        """Take no more offers and close the connection, if there is one."""
        self._closed = True
        async with self._one_at_a_time:
            if self.peer is not None:
                await rtc.close_peer(self.peer)


async def _make_answer(peer: RTCPeerConnection) -> str:
    # We use one audio section; aiortc would buffer what comes in any other without limit.
    for transceiver in peer.getTransceivers()[1:]:
        transceiver.direction = "inactive"
    return await rtc.make_answer(peer)


def _check_offer(offer_sdp: str) -> None:
    kinds = re.findall(r"^m=(\w+) ", offer_sdp, re.MULTILINE)
    if "audio" not in kinds:
        raise BadDescription("the offer has no audio section: add an audio transceiver")
    if "application" not in kinds:
        raise BadDescription("the offer has no data channel: create one before the offer")
    if "a=fingerprint:" not in offer_sdp:
        raise BadDescription("the offer has no certificate fingerprint (RFC 8827 section 6.5)")


def _identity(offer_sdp: str) -> tuple[frozenset[str], str]:
    """What stays the same in all offers of one connection: certificate and first ICE user name.

    Sections that were not yet bundled may have user names of their own.
    """
    prints = re.findall(r"^a=fingerprint:(.*)$", offer_sdp, re.MULTILINE)
    users = re.findall(r"^a=ice-ufrag:(.*)$", offer_sdp, re.MULTILINE)
    return frozenset(line.strip().lower() for line in prints), users[0].strip() if users else ""
