"""A room of a LiveKit server, through its official SDK, which is the extra ``livekit``.

The SDK has WebRTC, the encoder and the ways to reconnect of its own, so it gets samples: packets
are decoded here, and encoded anew there.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import re
import secrets
import time
from dataclasses import dataclass
from typing import Final

import jwt
import numpy as np
from livekit import rtc as sdk

from voicepeer.adapters import RoomError
from voicepeer.core.livekit import claims_of, look_at
from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ, Pcm16
from voicepeer.forwarding import MediaPacket
from voicepeer.jitter import AudioReceiver
from voicepeer.tasks import Tasks

logger = logging.getLogger(__name__)

CONNECT_TIMEOUT_S: Final = 5.0
"""For each of the SDK's attempts, of which it makes several."""

RECONNECT_TIMEOUT_S: Final = 10.0
"""For the SDK to come back by itself before a new connection is made."""

SENDING_TIMEOUT_S: Final = 10.0
LOOK_EVERY_S: Final = 0.02

QUEUE_MS: Final = 200
"""What the SDK holds at most."""

LEAD_MAX_S: Final = 0.08
"""What it shall hold at most, so that an interruption is heard at once. More gathers only where its
clock is slower than that of whoever speaks."""

_REASON = sdk.DisconnectReason

_PUT_OUT: Final = {
    _REASON.DUPLICATE_IDENTITY: (
        "another participant with the same identity has taken its place: give each bot a token of "
        "its own, or an API key and secret to make them with"
    ),
    _REASON.PARTICIPANT_REMOVED: "somebody who manages the room has put it out",
    _REASON.ROOM_DELETED: "the room was deleted",
    _REASON.ROOM_CLOSED: "the room was closed",
    _REASON.USER_REJECTED: "it was not let in",
}

_STATUS = re.compile(r"(?:client|handshake) error: (\d{3})[ \w]*(?:- )?(.{0,200})", re.S)


@dataclass(frozen=True, slots=True)
class LiveKitKey:
    """An API key with its secret, by which a token is made for each attempt to join ``room``."""

    key: str
    secret: str
    room: str


@dataclass(slots=True)
class _Packet:
    """What a receive buffer reads of an RTP packet."""

    sequence_number: int
    timestamp: int
    ssrc: int
    payload: bytes


class LiveKitRoom:
    """One participant; a ``RoomAdapter``. ``credentials`` are a token, or what makes tokens.

    The SDK comes back by itself from most losses: ``join`` waits for that before it makes a new
    connection.

    Raises:
        TokenUnusable: the token cannot be used to speak in the room.
    """

    def __init__(self, url: str, credentials: str | LiveKitKey, room: str | None = None) -> None:
        if isinstance(credentials, str):
            look_at(credentials, time.time(), room)
        self._url = url
        self._credentials = credentials
        self._suffix = secrets.token_hex(4)
        self._room: sdk.Room | None = None
        self._source: sdk.AudioSource | None = None
        self._track: sdk.LocalAudioTrack | None = None
        self._away = asyncio.Event()
        self._settled = asyncio.Event()
        """Whether the SDK is not about to come back: it is here, or has given up."""
        self._over: sdk.DisconnectReason.ValueType | None = None
        """Why it has given up, if it has."""
        self._receiver = AudioReceiver()
        self._tasks = self._new_tasks()

    async def join(self, name: str) -> str:
        """Enter the room; see ``RoomAdapter``."""
        if self._room is None or not await self._comes_back():
            await self.leave()
            self._away.clear()
            self._over = None
        try:
            room = self._room or await self._connect(name)
            await self._until_sending()
        except BaseException:
            await self.leave()
            raise
        return room.local_participant.sid

    def push(self, packet: MediaPacket) -> None:
        """Speak; see ``RoomAdapter``."""
        if self._source is not None:
            self._receiver.add(
                _Packet(packet.sequence, packet.timestamp, packet.ssrc, packet.payload)
            )

    async def lost(self) -> str:
        """Wait until the connection is lost; see ``RoomAdapter``."""
        await self._away.wait()
        self._check_not_put_out()
        return "the connection to the LiveKit server was lost"

    async def leave(self) -> None:
        """Leave and free everything; see ``RoomAdapter``."""
        room, self._room = self._room, None
        source, self._source = self._source, None
        self._track = None
        self._receiver.close()
        await self._tasks.cancel()
        if room is not None:
            await room.disconnect()
        if source is not None:
            await source.aclose()

    # --- inside ---------------------------------------------------------------------------------

    async def _comes_back(self) -> bool:
        """Whether the SDK's own attempts lead back into the room; raises ``RoomError``."""
        try:
            async with asyncio.timeout(RECONNECT_TIMEOUT_S):
                await self._settled.wait()
        except TimeoutError:
            return False
        self._check_not_put_out()
        return self._over is None

    def _check_not_put_out(self) -> None:
        if self._over in _PUT_OUT:
            raise RoomError("put_out", _PUT_OUT[self._over])

    async def _connect(self, name: str) -> sdk.Room:
        room = sdk.Room()
        self._watch(room)
        options = sdk.RoomOptions(auto_subscribe=False, connect_timeout=CONNECT_TIMEOUT_S)
        try:
            await room.connect(self._url, self._token(name), options)
        except sdk.ConnectError as error:
            raise _refused(str(error)) from error
        self._room = room
        self._settled.set()
        self._source = source = sdk.AudioSource(WIRE_RATE_HZ, 1, queue_size_ms=QUEUE_MS)
        self._receiver = AudioReceiver()
        self._tasks = self._new_tasks()
        self._tasks.start(self._speak(self._receiver, source), "speech")
        await self._publish(room, source)
        return room

    def _new_tasks(self) -> Tasks:
        return Tasks("livekit", lambda: self._end(sdk.DisconnectReason.UNKNOWN_REASON))

    def _token(self, name: str) -> str:
        match self._credentials:
            case LiveKitKey(key, secret, room):
                identity = f"{name}-{self._suffix}"
                claims = dict(claims_of(key, room, identity, name, time.time()))
                return jwt.encode(claims, secret, "HS256")
            case token:
                look_at(token, time.time())
                return token

    def _watch(self, room: sdk.Room) -> None:
        def on_away() -> None:
            self._settled.clear()
            self._away.set()

        def on_back() -> None:
            self._away.clear()
            self._settled.set()

        room.on("reconnecting", on_away)
        room.on("reconnected", on_back)
        room.on("disconnected", self._end)

    def _end(self, reason: sdk.DisconnectReason.ValueType) -> None:
        self._over = reason
        self._away.set()
        self._settled.set()

    async def _publish(self, room: sdk.Room, source: sdk.AudioSource) -> None:
        self._track = track = sdk.LocalAudioTrack.create_audio_track("voice", source)
        # DTX would cut the quiet beginnings of words; RED doubles what FEC does already.
        options = sdk.TrackPublishOptions(
            source=sdk.TrackSource.SOURCE_MICROPHONE, dtx=False, red=False
        )
        try:
            await room.local_participant.publish_track(track, options)
        except sdk.participant.PublishTrackError as error:
            message = f"the LiveKit server does not let it speak: {error}"
            raise RoomError("forbidden", message) from error

    async def _until_sending(self) -> None:
        """Wait until packets leave: the SDK says that it has published, or is back, before that."""
        assert self._track is not None
        before = await _packets_sent(self._track)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SENDING_TIMEOUT_S):
                while not self._away.is_set():
                    if await _packets_sent(self._track) != before:
                        return
                    await asyncio.sleep(LOOK_EVERY_S)
        self._check_not_put_out()
        message = "no media connection to the LiveKit server: is UDP to it open?"
        raise RoomError("not_connected", message, retryable=True)

    async def _speak(self, receiver: AudioReceiver, source: sdk.AudioSource) -> None:
        # What has never been given anything sends nothing, not even silence.
        await source.capture_frame(_frame(np.zeros(FRAME_SAMPLES, np.int16)))
        async for block in receiver.blocks():
            if source.queued_duration < LEAD_MAX_S:
                await source.capture_frame(_frame(block.pcm))


def _frame(pcm: Pcm16) -> sdk.AudioFrame:
    return sdk.AudioFrame(pcm.tobytes(), WIRE_RATE_HZ, 1, pcm.size)


async def _packets_sent(track: sdk.LocalAudioTrack) -> int:
    try:
        stats = await track.get_stats()
    except Exception as error:  # the SDK's only word for a track that it has not published again
        logger.info("the SDK knows nothing of the track: %s", error)
        return 0
    found = [one.outbound_rtp for one in stats if one.HasField("outbound_rtp")]
    return sum(one.sent.packets_sent for one in found)


def _refused(why: str) -> RoomError:
    """What the SDK's words for a failed attempt mean to a person."""
    found = _STATUS.search(why)
    if found is None:
        return RoomError(
            "unreachable", f"the LiveKit server cannot be reached: {why}", retryable=True
        )
    status, detail = int(found[1]), " ".join(found[2].split())
    said = f"({status}{f': {detail}' if detail else ''})"
    if status in (401, 403):
        return RoomError("unauthorized", f"the LiveKit server does not take the token {said}")
    if status == 404:
        return RoomError("not_found", f"there is no LiveKit server at this URL, or no room {said}")
    return RoomError("refused", f"the LiveKit server refuses {said}", retryable=status >= 429)
