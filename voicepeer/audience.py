"""One who only listens to a room: a connection with one track, from offer to close.

What is heard is decided in ``room_voices``.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable

from aiortc import RTCPeerConnection, RTCRtpTransceiver

from signaling.messages import Connection
from signaling.sessions import SessionRefused, SessionRequest
from voicepeer import rtc
from voicepeer.core.adaptation import NetworkFollower
from voicepeer.core.liveness import Liveness, LivenessSettings
from voicepeer.core.resumption import TOKEN_BYTES
from voicepeer.negotiation import Negotiation
from voicepeer.ports import NobodyObserves, SessionObserver
from voicepeer.room_voices import RoomVoices
from voicepeer.session_state import SessionSettings

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
"""About as often as receiver reports come; a connection that comes about is noticed as late."""


class Audience:
    """Implements ``signaling.sessions.SessionHandle`` for a listener; needs a running loop."""

    resumed = False

    def __init__(
        self,
        request: SessionRequest,
        rooms: RoomVoices,
        settings: SessionSettings | None = None,
        observer: SessionObserver | None = None,
    ) -> None:
        rtc.install_patches()
        self.session_id = secrets.token_hex(16)
        self.resume_token = secrets.token_hex(TOKEN_BYTES)
        self._rooms = rooms
        self._room_key = (request.principal.tenant, request.room)
        self._limits = LivenessSettings((settings or SessionSettings()).connect_timeout_s)
        self._observer = observer or NobodyObserves()
        self.track = rooms.listen(self._room_key)
        self._negotiation = Negotiation(
            request.ice_servers, self.track, self._on_peer, self._on_audio, "listen"
        )
        self._audio: RTCRtpTransceiver | None = None
        self._watching: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._close_reason: str | None = None
        self._on_closed: list[Callable[[str], None]] = []
        self._observer.session_opened()

    @property
    def voice_id(self) -> str | None:
        """A listener has no voice."""
        return None

    @property
    def connected(self) -> bool:
        """Whether the connection stands."""
        peer = self._negotiation.peer
        return peer is not None and peer.connectionState == "connected"

    async def answer(self, offer_sdp: str, connection: Connection = "call") -> str:
        """Answer an offer with one section that only sends.

        Raises:
            SessionRefused: see ``Negotiation.answer``; ``not_acceptable`` for a second connection.
        """
        if connection == "room":
            raise SessionRefused("not_acceptable", "a listener has one connection, not two")
        answer = await self._negotiation.answer(offer_sdp)
        if self._watching is None and self._closing is None:
            self._watching = asyncio.create_task(self._watch(), name="audience watchdog")
        return answer

    def take_over(self) -> None:
        """A listener leaves nothing that could go on."""

    async def add_candidate(
        self,
        candidate: str | None,
        sdp_mid: str | None,
        sdp_mline_index: int | None,
        connection: Connection = "call",
    ) -> None:
        """Add a trickled candidate; raises as ``Negotiation.add_candidate`` does."""
        await self._negotiation.add_candidate(candidate, sdp_mid, sdp_mline_index)

    def on_closed(self, callback: Callable[[str], None]) -> None:
        """Call back once, with the reason, when this has ended; at once if it has."""
        if self._close_reason is not None:
            callback(self._close_reason)
        else:
            self._on_closed.append(callback)

    async def drain(self, within_s: float) -> None:
        """Nothing of a listener's own has to end first."""

    async def close(self, reason: str) -> None:
        """End the connection and free everything; harmless when it has ended already."""
        self._begin_close(reason)
        if self._closing is not None:
            await asyncio.shield(self._closing)

    def _begin_close(self, reason: str) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(reason), name="audience close")

    async def _close(self, reason: str) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        await self._negotiation.close()
        self._rooms.stop_listening(self._room_key, self.track)
        self._close_reason = reason
        self._observer.session_closed(reason)
        logger.info("listener %s left: %s", self.session_id, reason)
        for callback in self._on_closed:
            callback(reason)
        self._on_closed.clear()

    def _on_peer(self, peer: RTCPeerConnection) -> None:
        peer.on("connectionstatechange", self._on_connection_state)

    def _on_audio(self, audio: RTCRtpTransceiver) -> None:
        self._audio = audio

    def _on_connection_state(self) -> None:
        peer = self._negotiation.peer
        if peer is not None and peer.connectionState in ("failed", "closed"):
            self._begin_close("connection_lost")

    async def _watch(self) -> None:
        try:
            await self._follow()
        except Exception:  # the edge of a task: nobody would notice a listener that is gone
            logger.exception("listener %s: its watchdog failed", self.session_id)
            self._begin_close("internal")

    async def _follow(self) -> None:
        """Give up a connection that never comes about; encode by what the listener reports."""
        liveness, follower = Liveness(self._limits, time.monotonic()), NetworkFollower()
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            if self.connected:
                liveness.connected(time.monotonic())
            if reason := liveness.gone(time.monotonic()):
                self._begin_close(reason)
                return
            report = None if self._audio is None else await rtc.receiver_report(self._audio.sender)
            if report is not None:
                self.track.encode_as(follower.push(report))
