"""A client's second connection: it hears the others of a room, each in a section of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from aiortc import RTCPeerConnection, RTCSessionDescription

from voicepeer import rtc
from voicepeer.call import CONNECT_TIMEOUT_S, CallEnded
from voicepeer.recorder import Recorder
from voicepeer.rtc import IceServerEntry


class RoomEars:
    """An offering peer that only receives; ``voices`` is how many can be heard at once.

    ``offer`` and ``accept`` connect it, ``close`` ends it; all on one running loop. Whom each
    section brings is told on the data channel of the call (``room.slots``), by its mid.
    """

    def __init__(self, voices: int, ice_servers: Sequence[IceServerEntry] = ()) -> None:
        rtc.install_patches()
        self.peer: RTCPeerConnection = rtc.new_peer(ice_servers)
        self.recorders: dict[str, Recorder] = {}
        """By the mid of their section, once there was an offer."""
        self._sections = [
            self.peer.addTransceiver("audio", direction="recvonly") for _ in range(voices)
        ]
        self._settled = asyncio.Event()
        self.peer.on("connectionstatechange", self._on_state)
        self._tasks: list[asyncio.Task[None]] = []

    async def offer(self) -> str:
        """The description to send to the service; its candidates are in it."""
        return await rtc.make_offer(self.peer)

    async def accept(self, answer_sdp: str) -> None:
        """Take the service's answer and wait until the connection stands.

        Raises:
            CallEnded: it could not be connected.
        """
        for section in self._sections:
            recorder = self.recorders[str(section.mid)] = Recorder()
            rtc.install_receive_buffer(section.receiver, recorder.receiver)
            self._tasks.append(asyncio.create_task(recorder.run(), name="room ears"))
        await self.peer.setRemoteDescription(RTCSessionDescription(answer_sdp, "answer"))
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await self._settled.wait()
        except TimeoutError:
            pass
        if self.peer.connectionState != "connected":
            raise CallEnded("no connection to the room: is UDP to the service open?")

    async def close(self) -> None:
        """End it and free everything."""
        for recorder in self.recorders.values():
            recorder.receiver.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await rtc.close_peer(self.peer)

    def _on_state(self) -> None:
        if self.peer.connectionState in ("connected", "failed", "closed"):
            self._settled.set()
