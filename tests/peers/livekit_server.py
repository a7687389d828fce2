"""As much of a LiveKit server as one publisher needs: its signalling over a real connection.

It speaks the protocol's public messages (``livekit-protocol``) to the official SDK, unchanged, by
the older of its two paths. It is no LiveKit: rooms, rights, subscribers and resumption are its own
or missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import jwt
from aiohttp import WSMsgType, web
from aiortc import RTCPeerConnection
from livekit.protocol import models
from livekit.protocol import rtc as messages

from voicepeer import rtc
from voicepeer.recorder import Recorder

KEY, SECRET = "devkey", "a-secret-of-these-tests-only-32-bytes"


@dataclass
class Publisher:
    """Somebody who has joined; what they send is recorded."""

    identity: str
    name: str
    room: str
    may_publish: bool
    socket: web.WebSocketResponse
    peer: RTCPeerConnection = field(default_factory=rtc.new_peer)
    recorder: Recorder = field(default_factory=Recorder)
    tracks: list[messages.AddTrackRequest] = field(default_factory=list)
    left: bool = False
    """Whether they have said goodbye."""
    _recording: asyncio.Task[None] | None = None
    _early: list[str] = field(default_factory=list)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _closed: bool = False

    async def send(self, **fields: object) -> None:
        """Tell them something."""
        if not self.socket.closed:
            message = messages.SignalResponse(**fields)  # type: ignore[arg-type]
            await self.socket.send_bytes(message.SerializeToString())

    async def put_out(self, reason: models.DisconnectReason) -> None:
        """Tell them to go."""
        action = messages.LeaveRequest.DISCONNECT
        await self.send(leave=messages.LeaveRequest(reason=reason, action=action))

    async def handle(self, request: messages.SignalRequest) -> None:
        """Answer a request, if it needs an answer."""
        async with self._lock:
            if not self._closed:
                await self._handle(request)

    async def _handle(self, request: messages.SignalRequest) -> None:
        match request.WhichOneof("message"):
            case "add_track":
                await self._add_track(request.add_track)
            case "offer":
                await self._answer(request.offer)
            case "trickle":
                await self._add_candidate(request.trickle.candidateInit)
            case "ping_req":
                pong = messages.Pong(last_ping_timestamp=request.ping_req.timestamp)
                await self.send(pong_resp=pong)
            case "leave":
                self.left = True
            case _:
                pass

    async def _add_track(self, asked: messages.AddTrackRequest) -> None:
        if not self.may_publish:
            reason = messages.RequestResponse.NOT_ALLOWED
            await self.send(
                request_response=messages.RequestResponse(
                    reason=reason, message="not allowed", add_track=asked
                )
            )
            return
        self.tracks.append(asked)
        track = models.TrackInfo(
            sid=f"TR_{len(self.tracks)}", name=asked.name, type=asked.type, source=asked.source
        )
        await self.send(track_published=messages.TrackPublishedResponse(cid=asked.cid, track=track))

    async def _answer(self, offer: messages.SessionDescription) -> None:
        await rtc.apply_offer(self.peer, offer.sdp)
        for section in self.peer.getTransceivers():
            section.direction = "recvonly"
        answer = await rtc.make_answer(self.peer)
        for section in self.peer.getTransceivers():
            # All but the microphone's are for what others would send.
            if section.currentDirection == "recvonly" and self._recording is None:
                rtc.install_receive_buffer(section.receiver, self.recorder.receiver)
                self._recording = asyncio.create_task(self.recorder.run(), name="recording")
        await self.send(answer=messages.SessionDescription(type="answer", sdp=answer, id=offer.id))
        early, self._early = self._early, []
        for candidate in early:
            await self._add_candidate(candidate)

    async def _add_candidate(self, told: str) -> None:
        candidate = json.loads(told)["candidate"]
        if self.peer.remoteDescription is None:
            self._early.append(told)
        elif candidate and ".local" not in candidate:
            await rtc.add_candidate(self.peer, candidate, 0)

    async def close(self) -> None:
        """End both connections, as a server does that is gone."""
        async with self._lock:
            self._closed = True
        self.recorder.receiver.close()
        if self._recording is not None:
            await self._recording
        await rtc.close_peer(self.peer)
        await self.socket.close()


@dataclass
class LiveKitServer:
    """A server on loopback."""

    url: str = ""
    publishers: list[Publisher] = field(default_factory=list)
    refuse: int | None = None
    """The status that whoever comes is turned away with."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """A publisher's socket."""
        claims = _claims(request.headers.get("Authorization", ""))
        if self.refuse is not None or claims is None:
            return web.Response(status=self.refuse or 401, text="no permissions to access the room")
        if request.query.get("reconnect") == "1":
            return web.Response(status=404, text="participant not found")
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        video = claims["video"]
        publisher = Publisher(
            claims["sub"],
            claims.get("name", ""),
            video["room"],
            bool(video.get("canPublish", True)),
            socket,
        )
        self.publishers.append(publisher)
        await publisher.send(join=_join(publisher, len(self.publishers)))
        async for message in socket:
            if message.type is WSMsgType.BINARY:
                await publisher.handle(messages.SignalRequest.FromString(message.data))
        return socket


def _claims(header: str) -> dict[str, Any] | None:
    with contextlib.suppress(jwt.PyJWTError):
        return jwt.decode(header.removeprefix("Bearer "), SECRET, ["HS256"], issuer=KEY)
    return None


def _join(publisher: Publisher, number: int) -> messages.JoinResponse:
    permission = models.ParticipantPermission(can_publish=publisher.may_publish)
    return messages.JoinResponse(
        room=models.Room(sid="RM_1", name=publisher.room),
        participant=models.ParticipantInfo(
            sid=f"PA_{number}",
            identity=publisher.identity,
            name=publisher.name,
            state=models.ParticipantInfo.JOINED,
            permission=permission,
        ),
        server_info=models.ServerInfo(version="1.9.0", protocol=16),
        server_version="1.9.0",
        ping_interval=5,
        ping_timeout=15,
    )


@asynccontextmanager
async def livekit_server() -> AsyncIterator[LiveKitServer]:
    """A server at ``url``, without the newer way of joining by one connection for both ways."""
    rtc.install_patches()
    server = LiveKitServer()
    app = web.Application()
    app.router.add_get("/rtc", server.handle)
    app.router.add_get("/rtc/validate", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=1.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        server.url = f"ws://127.0.0.1:{runner.addresses[0][1]}"
        yield server
    finally:
        for publisher in server.publishers:
            await publisher.close()
        await runner.cleanup()
