"""A participant of Janus's rooms who listens, and sends by a peer connection that it is given.

For measurements and tests; a bot's own way into such a room is ``adapters.janus``.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import aiohttp
from aiortc import RTCPeerConnection, RTCSessionDescription

from voicepeer import rtc

ANSWER_S: Final = 20.0

Answer = dict[str, Any]


class JanusClient:
    """One session with a server; it looks at answers, and at which of its connections stand."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse, **shown: str) -> None:
        self._socket = socket
        self._shown = shown
        self._session = 0
        self._numbers = itertools.count(1)
        self._waiting: dict[str, asyncio.Future[Answer]] = {}
        self._up: defaultdict[int, asyncio.Event] = defaultdict(asyncio.Event)
        """Set for handles whose media the server has."""

    async def open(self) -> None:
        """Begin; ``read`` has to run already."""
        self._session = (await self._ask("create"))["data"]["id"]

    async def read(self) -> None:
        """Take what the server sends until it ends."""
        async for message in self._socket:
            answer = json.loads(message.data)
            waiting = self._waiting.get(answer.get("transaction", ""))
            if answer["janus"] == "webrtcup":
                self._up[answer["sender"]].set()
            elif waiting is not None and answer["janus"] != "ack" and not waiting.done():
                waiting.set_result(answer)

    async def attach(self, plugin: str) -> int:
        """A handle of a plugin such as ``videoroom``."""
        answer = await self._ask("attach", plugin=f"janus.plugin.{plugin}")
        return int(answer["data"]["id"])

    async def request(self, handle: int, body: Answer, jsep: Answer | None = None) -> Answer:
        """Ask a plugin; its answer, with its data under their own names, and ``jsep`` if any.

        Raises:
            RuntimeError: it refuses.
        """
        more = {} if jsep is None else {"jsep": jsep}
        answer = await self._ask("message", handle_id=handle, body=body, **more)
        data = answer["plugindata"]["data"]
        if "error" in data:
            raise RuntimeError(data["error"])
        return {**data, "jsep": answer.get("jsep")}

    async def enter_bridge(self, room: int, peer: RTCPeerConnection, **more: object) -> Answer:
        """Be in an AudioBridge with a peer that has a section for sound both ways, or one."""
        handle = await self.attach("audiobridge")
        joined = await self.request(handle, {"request": "join", "room": room, **more})
        offer = {"type": "offer", "sdp": await rtc.make_offer(peer)}
        answer = await self.request(handle, {"request": "configure", "muted": False}, offer)
        await peer.setRemoteDescription(RTCSessionDescription(answer["jsep"]["sdp"], "answer"))
        return joined

    async def publish(self, room: int, peer: RTCPeerConnection, **more: object) -> int:
        """Speak in a VideoRoom with a peer that has a track; the id of its feed, which is there."""
        handle = await self.attach("videoroom")
        join = {"request": "join", "ptype": "publisher", "room": room, **more}
        joined = await self.request(handle, join)
        offer = {"type": "offer", "sdp": await rtc.make_offer(peer)}
        answer = await self.request(handle, {"request": "publish"}, offer)
        await peer.setRemoteDescription(RTCSessionDescription(answer["jsep"]["sdp"], "answer"))
        async with asyncio.timeout(ANSWER_S):
            await self._up[handle].wait()
        return int(joined["id"])

    async def participants(self, plugin: str, room: int) -> list[Answer]:
        """Who is in a room, whether they speak or not."""
        handle = await self.attach(plugin)
        answer = await self.request(handle, {"request": "listparticipants", "room": room})
        return list(answer["participants"])

    async def listen(
        self, room: int, peer: RTCPeerConnection, feeds: Sequence[int], **more: object
    ) -> None:
        """Hear feeds of a VideoRoom; the peer has a section for each when this returns."""
        handle = await self.attach("videoroom")
        streams = [{"feed": feed} for feed in feeds]
        join = {"request": "join", "ptype": "subscriber", "room": room, "streams": streams, **more}
        offered = await self.request(handle, join)
        await peer.setRemoteDescription(RTCSessionDescription(offered["jsep"]["sdp"], "offer"))
        await peer.setLocalDescription(await peer.createAnswer())
        answer = {"type": "answer", "sdp": peer.localDescription.sdp}
        await self.request(handle, {"request": "start"}, answer)

    async def _ask(self, kind: str, **fields: object) -> Answer:
        transaction = str(next(self._numbers))
        asked = {"janus": kind, "transaction": transaction, **self._shown, **fields}
        if self._session:
            asked["session_id"] = self._session
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[transaction] = answer
        await self._socket.send_str(json.dumps(asked))
        try:
            async with asyncio.timeout(ANSWER_S):
                answered = await answer
        finally:
            del self._waiting[transaction]
        if answered["janus"] == "error":
            raise RuntimeError(answered["error"]["reason"])
        return answered


@asynccontextmanager
async def client(url: str, **shown: str) -> AsyncIterator[JanusClient]:
    """A session with the server at ``url``; ``shown`` is a ``token`` or an ``apisecret``."""
    async with (
        aiohttp.ClientSession() as http,
        http.ws_connect(url, protocols=["janus-protocol"]) as socket,
    ):
        one = JanusClient(socket, **shown)
        reading = asyncio.create_task(one.read(), name="janus client")
        try:
            await one.open()
            yield one
        finally:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
