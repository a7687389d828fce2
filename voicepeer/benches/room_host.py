"""A room in a process of its own, so that its processor time is nobody else's.

``python -m voicepeer.benches.room_host packets`` forwards packets as the service does;
``... relay`` decodes and encodes with aiortc's ``MediaRelay``, as applications on it do. Either
takes one JSON object a line on standard input and answers with one on standard output:
``{"publish": sdp, "quiet": false}`` for whoever talks, ``{"listen": sdp, "as": n}`` for the n-th
publisher, who hears others, and ``{"cpu": true}``. It ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from aiortc import (
    MediaStreamTrack,
    RTCConfiguration,
    RTCPeerConnection,
    RTCRtpReceiver,
    RTCRtpTransceiver,
    RTCSessionDescription,
)
from aiortc.contrib.media import MediaRelay

from voicepeer import rtc
from voicepeer.conference import Conferences, Member
from voicepeer.core.rooms.room import Participant
from voicepeer.core.selection import Use
from voicepeer.forwarding import Forwarder
from voicepeer.negotiation import Negotiation
from voicepeer.outlet import Outlet, ReceivedPacket, received

LINE_MAX = 1_000_000
SPEECH_LEVEL = 0x80 | 30
"""Of all packets, so that everybody counts as speaking from the first one on."""

QUIET_LEVEL = 70
"""Of a microphone that nobody speaks into."""


class _Room(Protocol):
    async def publish(self, offer: str, quiet: bool) -> str: ...

    async def listen(self, offer: str, publisher: int) -> str: ...

    async def close(self) -> None: ...


class _PacketTap:
    """Gives a receiver's packets to a member of a conference."""

    capacity = 64

    def __init__(self, member: Member, level: int) -> None:
        self._member = member
        self._level = level

    def add(self, packet: ReceivedPacket) -> tuple[bool, None]:
        media = replace(received(packet), level=self._level)
        self._member.conference.push(self._member.participant_id, "mic", media)
        return False, None


class _PacketRoom:
    """Participants as the service has them, without the rest of a session."""

    def __init__(self) -> None:
        rtc.install_patches()
        self._conferences = Conferences()
        self._members: list[Member] = []
        self._negotiations: list[Negotiation] = []

    async def publish(self, offer: str, quiet: bool) -> str:
        participant = Participant(str(len(self._members)))
        member = self._conferences.enter(("", "bench"), participant, _ignore, _ignore)
        self._members.append(member)

        level = QUIET_LEVEL if quiet else SPEECH_LEVEL

        def attach(section: RTCRtpTransceiver) -> None:
            receiver: RTCRtpReceiver = section.receiver
            rtc.install_receive_buffer(receiver, _PacketTap(member, level))  # type: ignore[arg-type]

        return await self._answer("publish", offer, attach)

    async def listen(self, offer: str, publisher: int) -> str:
        forwarders: dict[str, Forwarder] = {}

        def attach(section: RTCRtpTransceiver) -> None:
            outlet = Outlet(section)
            forwarders[outlet.mid] = Forwarder(outlet)

        answer = await self._answer("room", offer, attach)
        member = self._members[publisher]
        member.conference.listen(member.participant_id, forwarders.items())
        return answer

    async def _answer(
        self, use: Use, offer: str, attach: Callable[[RTCRtpTransceiver], None]
    ) -> str:
        negotiation = Negotiation((), None, _ignore, attach, use)
        self._negotiations.append(negotiation)
        return await negotiation.answer(offer)

    async def close(self) -> None:
        for member in self._members:
            member.conference.leave(member.participant_id)
        await asyncio.gather(*(one.close() for one in self._negotiations))


class _RelayRoom:
    """aiortc as it comes: each listener's track is decoded once and encoded again."""

    def __init__(self) -> None:
        self._relay = MediaRelay()
        self._tracks: list[MediaStreamTrack] = []
        self._peers: list[RTCPeerConnection] = []

    async def publish(self, offer: str, quiet: bool) -> str:
        peer = self._new_peer()
        peer.on("track", self._tracks.append)
        return await self._answer(peer, offer)

    async def listen(self, offer: str, publisher: int) -> str:
        peer = self._new_peer()
        for index, track in enumerate(self._tracks):
            if index != publisher:
                peer.addTrack(self._relay.subscribe(track))
        return await self._answer(peer, offer)

    def _new_peer(self) -> RTCPeerConnection:
        self._peers.append(RTCPeerConnection(RTCConfiguration(iceServers=[])))
        return self._peers[-1]

    async def _answer(self, peer: RTCPeerConnection, offer: str) -> str:
        await peer.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        await peer.setLocalDescription(await peer.createAnswer())
        return str(peer.localDescription.sdp)

    async def close(self) -> None:
        await asyncio.gather(*(peer.close() for peer in self._peers))


def _ignore(_: object) -> None:
    """Nobody looks at it here."""


async def _serve(room: _Room) -> None:
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader(LINE_MAX)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    try:
        while line := await lines.readline():
            sys.stdout.write(json.dumps(await _answered(room, json.loads(line))) + "\n")
            sys.stdout.flush()
    finally:
        await room.close()


async def _answered(room: _Room, question: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    match question:
        case {"publish": str(sdp), "quiet": bool(quiet)}:
            return await room.publish(sdp, quiet)
        case {"listen": str(sdp), "as": int(publisher)}:
            return await room.listen(sdp, publisher)
        case _:
            return time.process_time()


async def _main(kind: str) -> None:
    await _serve(_RelayRoom() if kind == "relay" else _PacketRoom())


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1]))
