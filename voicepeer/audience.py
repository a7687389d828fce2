"""One who only listens to a room: a connection with one track, from offer to close.

What is heard is decided in ``room_voices``.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable

from signaling.messages import Connection
from signaling.sessions import SessionRefused, SessionRequest
from voicepeer import rtc
from voicepeer.core.liveness import LivenessSettings
from voicepeer.core.resumption import TOKEN_BYTES
from voicepeer.ending import Ending
from voicepeer.negotiation import Negotiation
from voicepeer.network import follow_network
from voicepeer.ports import NobodyObserves, SessionObserver
from voicepeer.room_voices import RoomVoices
from voicepeer.session_state import SessionSettings
from voicepeer.tasks import Tasks
from voicepeer.watchdog import Watchdog

logger = logging.getLogger(__name__)


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
            request.ice_servers,
            self.track,
            lambda peer: None,
            lambda audio: None,
            "listen",
            on_lost=lambda: self._ending.begin("connection_lost"),
        )
        self._ending = Ending(self._close)
        self._tasks = Tasks(f"listener {self.session_id}", lambda: self._ending.begin("internal"))
        self._watched = False
        self._observer.session_opened()

    @property
    def voice_id(self) -> str | None:
        """A listener has no voice."""
        return None

    @property
    def connected(self) -> bool:
        """Whether the connection stands."""
        return self._negotiation.connected

    async def answer(self, offer_sdp: str, connection: Connection = "call") -> str:
        """Answer an offer with one section that only sends.

        Raises:
            SessionRefused: see ``Negotiation.answer``; ``not_acceptable`` for a second connection.
        """
        if connection == "room":
            raise SessionRefused("not_acceptable", "a listener has one connection, not two")
        answer = await self._negotiation.answer(offer_sdp)
        if not self._watched and not self._ending.begun:
            self._watched = True
            self._watch()
        return answer

    def _watch(self) -> None:
        watchdog = Watchdog(self._limits, lambda: self.connected, lambda: (), self._ending.begin)
        self._tasks.start(watchdog.run(), "watchdog")
        adaptation = follow_network(lambda: self._negotiation.audio, self.track.encode_as)
        self._tasks.start(adaptation, "adaptation")

    async def take_over(self) -> None:
        """A listener leaves nothing that could go on."""

    def renew(self, expires_at_s: float | None) -> None:
        """A listener is in no room; nothing comes of it."""

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
        self._ending.on_reached(callback)

    async def drain(self, within_s: float) -> None:
        """Nothing of a listener's own has to end first."""

    async def close(self, reason: str) -> None:
        """End the connection and free everything; harmless when it has ended already."""
        await self._ending.reach(reason)

    async def _close(self, reason: str) -> None:
        await self._tasks.cancel()
        await self._negotiation.close()
        self._rooms.stop_listening(self._room_key, self.track)
        self._observer.session_closed(reason)
        logger.info("listener %s left: %s", self.session_id, reason)
