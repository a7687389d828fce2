"""Two real peers in one process that talk over loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiortc import MediaStreamTrack, RTCDataChannel, RTCPeerConnection, RTCSessionDescription

from voicepeer import rtc
from voicepeer.jitter import AudioReceiver


@asynccontextmanager
async def connected(
    track: MediaStreamTrack, receiver: AudioReceiver
) -> AsyncIterator[tuple[RTCPeerConnection, RTCPeerConnection]]:
    """A sender of ``track`` and a listener whose packets go to ``receiver``."""
    rtc.install_patches()
    sender, listener = rtc.new_peer(), rtc.new_peer()
    try:
        sender.addTrack(track)
        channel = sender.createDataChannel("control")
        await sender.setLocalDescription(await sender.createOffer())
        await rtc.apply_offer(listener, sender.localDescription.sdp)
        rtc.install_receive_buffer(listener.getReceivers()[0], receiver)
        answer = await rtc.make_answer(listener)
        await sender.setRemoteDescription(RTCSessionDescription(sdp=answer, type="answer"))
        await opened(channel)
        yield sender, listener
    finally:
        receiver.close()
        await asyncio.gather(sender.close(), listener.close())


async def opened(channel: RTCDataChannel) -> None:
    """Wait until a data channel is open."""
    is_open = asyncio.Event()
    channel.on("open", is_open.set)
    if channel.readyState != "open":
        async with asyncio.timeout(40):
            await is_open.wait()
