"""Somebody else's end of a connection: it answers offers and keeps what it hears."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from aiortc import RTCPeerConnection

from voicepeer import rtc
from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ, Pcm, to_pcm16
from voicepeer.forwarding import MediaPacket
from voicepeer.opus import OpusEncoder
from voicepeer.recorder import Recorder


@dataclass
class Ears:
    """An answering peer with a recorder for its only audio section."""

    peer: RTCPeerConnection = field(default_factory=rtc.new_peer)
    recorder: Recorder = field(default_factory=Recorder)
    _recording: asyncio.Task[None] | None = None

    async def answer(self, offer: str) -> str:
        """Answer an offer; its candidates are in it."""
        await rtc.apply_offer(self.peer, offer)
        (section,) = self.peer.getTransceivers()
        section.direction = "recvonly"
        rtc.install_receive_buffer(section.receiver, self.recorder.receiver)
        self._recording = asyncio.create_task(self.recorder.run(), name="ears")
        return await rtc.make_answer(self.peer)

    async def close(self) -> None:
        """End it; harmless when that has happened already."""
        self.recorder.receiver.close()
        if self._recording is not None:
            await self._recording
        await rtc.close_peer(self.peer)


def packets(pcm: Pcm, ssrc: int = 1, first: int = 0) -> list[MediaPacket]:
    """Speech of 48 kHz as somebody sends it, frame by frame."""
    encoder, frames = OpusEncoder(), to_pcm16(pcm)
    return [
        MediaPacket(
            ssrc,
            first + index,
            (first + index) * FRAME_SAMPLES,
            encoder.encode(frames[start : start + FRAME_SAMPLES]),
        )
        for index, start in enumerate(range(0, frames.size - FRAME_SAMPLES + 1, FRAME_SAMPLES))
    ]


FRAME_S = FRAME_SAMPLES / WIRE_RATE_HZ
