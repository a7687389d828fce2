"""The other side of many calls, in a process of its own so that its work is not counted as ours.

``python -m voicepeer.benches.far_end`` answers each offer on standard input, one JSON string a
line, with a JSON string on standard output; it takes media in, decodes none of it, and ends with
its standard input.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiortc import RTCPeerConnection, RTCSessionDescription

from voicepeer import rtc
from voicepeer.benches.child import child
from voicepeer.rtc import RtpPacket

_LINE_MAX = 1_000_000


class _Sink:
    """A receive buffer that keeps nothing."""

    capacity = 64

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        return False, None


class FarEnd:
    """A running far end, seen from the process that calls it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def connect(self, peer: RTCPeerConnection) -> None:
        """Connect a peer that has its tracks; returns when media may flow.

        Raises:
            TimeoutError: it does not answer or cannot be reached.
        """
        offer = await rtc.make_offer(peer)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(offer).encode() + b"\n")
        connected = asyncio.Event()

        def note() -> None:
            if peer.connectionState == "connected":
                connected.set()

        peer.on("connectionstatechange", note)
        async with asyncio.timeout(20):
            answer = json.loads(await self._process.stdout.readline())
            await peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))
            await connected.wait()


@asynccontextmanager
async def running() -> AsyncIterator[FarEnd]:
    """A far end in a process of its own."""
    async with child("voicepeer.benches.far_end", limit=_LINE_MAX) as process:
        yield FarEnd(process)


async def _serve() -> None:
    rtc.install_patches()
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader(_LINE_MAX)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    peers: list[RTCPeerConnection] = []
    try:
        while line := await lines.readline():
            peer = rtc.new_peer()
            peers.append(peer)
            await rtc.apply_offer(peer, json.loads(line))
            for receiver in peer.getReceivers():
                rtc.install_receive_buffer(receiver, _Sink())
            sys.stdout.write(json.dumps(await rtc.make_answer(peer)) + "\n")
            sys.stdout.flush()
    finally:
        await asyncio.gather(*(rtc.close_peer(peer) for peer in peers))


if __name__ == "__main__":
    asyncio.run(_serve())
