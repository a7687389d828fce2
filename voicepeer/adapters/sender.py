"""A connection to somebody else's media server that sends one voice and receives nothing.

Knows nothing of how descriptions travel, nor of rooms.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Final

from aiortc import RTCPeerConnection, RTCRtpSender, RTCSessionDescription

from voicepeer import rtc
from voicepeer.forwarding import Forwarder, MediaPacket
from voicepeer.outlet import Outlet, ParkedTrack
from voicepeer.rtc import IceServerEntry

CONNECT_TIMEOUT_S: Final = 15.0


class NotConnected(Exception):  # noqa: N818 - whose error it is, an adapter says
    """No connection came about; the message says what may be the matter."""


class OpusSender:
    """An offering peer with one section that only sends, in Opus and nothing else.

    ``offer`` and ``accept`` connect it, ``push`` sends packets as they are, ``close`` ends it; all
    on one running loop.
    """

    def __init__(self, ice_servers: Sequence[IceServerEntry] = ()) -> None:
        rtc.install_patches()
        self.peer: RTCPeerConnection = rtc.new_peer(ice_servers)
        self._section = self.peer.addTransceiver(ParkedTrack(), direction="sendonly")
        # What is passed on is Opus: an answer that chose another codec would be of no use.
        codecs = RTCRtpSender.getCapabilities("audio").codecs
        self._section.setCodecPreferences(
            [codec for codec in codecs if codec.mimeType.lower() == "audio/opus"]
        )
        self._settled = asyncio.Event()
        self._over = asyncio.Event()
        self.peer.on("connectionstatechange", self._on_state)
        self._outlet: Outlet | None = None
        self._forwarder: Forwarder | None = None

    async def offer(self) -> str:
        """The description to send to the server; its candidates are in it."""
        return await rtc.make_offer(self.peer)

    async def accept(self, answer_sdp: str) -> None:
        """Take the server's answer and wait until the connection stands.

        Raises:
            NotConnected: the answer cannot be used, or no connection came about in time.
        """
        try:
            await self.peer.setRemoteDescription(RTCSessionDescription(answer_sdp, "answer"))
        except Exception as error:  # aiortc raises whatever a malformed description leads to
            raise NotConnected("the server's answer cannot be used: it is malformed") from error
        if self._section.currentDirection not in ("sendonly", "sendrecv"):
            raise NotConnected("the server's answer does not take Opus audio")
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await self._settled.wait()
        except TimeoutError:
            pass
        if self.peer.connectionState != "connected":
            raise NotConnected("no media connection: is UDP to the server open?")
        self._outlet = Outlet(self._section)
        self._forwarder = Forwarder(self._outlet)

    def push(self, packet: MediaPacket) -> None:
        """Send a packet now; without a connection it is dropped."""
        if self._forwarder is not None and not self._over.is_set():
            self._forwarder.push(packet, time.monotonic())

    async def lost(self) -> None:
        """Wait until the connection is lost or closed."""
        await self._over.wait()

    async def close(self) -> None:
        """End it and free everything; harmless when that has happened already."""
        self._over.set()
        if self._outlet is not None:
            await self._outlet.close()
        await rtc.close_peer(self.peer)

    def _on_state(self) -> None:
        state = self.peer.connectionState
        if state in ("connected", "failed", "closed"):
            self._settled.set()
        if state in ("failed", "closed"):
            self._over.set()
