"""The two audio tracks of a session: speech going out, the microphone coming in."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from aiortc import MediaStreamTrack, RTCRtpReceiver
from aiortc.mediastreams import MediaStreamError
from av.packet import Packet

from voicepeer import rtc
from voicepeer.core.jitter import JitterCounters
from voicepeer.core.pcm import FRAME_SAMPLES, LISTEN_RATE_HZ, WIRE_RATE_HZ, Pcm16
from voicepeer.core.speaking.pacer import Frame, Pacer, PacerEvent
from voicepeer.jitter import AudioReceiver, Block
from voicepeer.opus import OpusEncoder

logger = logging.getLogger(__name__)

_TIME_BASE = Fraction(1, WIRE_RATE_HZ)

PacerListener = Callable[[Sequence[PacerEvent], float], None]
"""Gets the events of a frame and ``time.monotonic()`` when it was sent; must not block."""


class SpeechTrack(MediaStreamTrack):
    """Sends what the pacer plays as 20 ms Opus packets on an absolute clock.

    ``recv`` never raises while the track is live, because aiortc would end the sender for good
    and tell nobody: a frame that cannot be made is replaced by an encoded silence.
    """

    kind = "audio"

    def __init__(
        self,
        pacer: Pacer,
        encoder: OpusEncoder | None = None,
        on_events: PacerListener | None = None,
    ) -> None:
        super().__init__()
        self._pacer = pacer
        self._encoder = encoder or OpusEncoder()
        self._on_events = on_events
        self._silence = OpusEncoder().encode(np.zeros(FRAME_SAMPLES, np.int16))
        self._next_pts = 0
        self.on_frame: Callable[[Pcm16], None] | None = None
        """Gets each frame that is sent, ``[960]`` at 48 kHz; must not block."""
        self.encoder_faults = 0
        self.last_speech_s: float | None = None
        """``time.monotonic()`` of the last frame with speech, for the echo gate."""

    @property
    def encoder(self) -> OpusEncoder:
        """The encoder, to follow the network with."""
        return self._encoder

    async def recv(self) -> Packet[Any]:
        """The next packet when it is due.

        Raises:
            MediaStreamError: the track was stopped.
        """
        if self.readyState != "live":
            raise MediaStreamError("the track was stopped")
        deadline = self._pacer.next_deadline()
        if deadline is not None and (wait_s := deadline - time.monotonic()) > 0:
            await asyncio.sleep(wait_s)
        return self._packet(time.monotonic())

    def _packet(self, now: float) -> Packet[Any]:
        try:
            frame = self._pacer.take(now)
            payload, pts = self._encoder.encode(frame.pcm), frame.pts
        except Exception:  # the sender's task must outlive any fault of ours
            logger.exception("a frame could not be made, silence is sent in its place")
            self.encoder_faults += 1
            payload, pts = self._silence, self._next_pts
        else:
            self._report(frame, now)
        self._next_pts = pts + FRAME_SAMPLES
        packet: Packet[Any] = Packet(payload)
        packet.pts = pts
        packet.time_base = _TIME_BASE
        return packet

    def _report(self, frame: Frame, now: float) -> None:
        if frame.speech:
            self.last_speech_s = now
        try:
            if self.on_frame is not None:
                self.on_frame(frame.pcm)
            if frame.events and self._on_events:
                self._on_events(frame.events, now)
        except Exception:  # a fault of the listener must not end the track either
            logger.exception("the listener for what is heard failed")


class MicReader:
    """The other side's microphone as 16 kHz mono, early rather than evenly paced."""

    def __init__(self) -> None:
        self._receiver = AudioReceiver(LISTEN_RATE_HZ, eager=True)

    @property
    def counters(self) -> JitterCounters:
        """What has become of the packets so far."""
        return self._receiver.counters

    @property
    def last_packet_s(self) -> float | None:
        """``time.monotonic()`` of the last packet from the microphone."""
        return self._receiver.last_packet_s

    def attach(self, receiver: RTCRtpReceiver) -> None:
        """Take over a receiver's packets."""
        rtc.install_receive_buffer(receiver, self._receiver)

    def blocks(self) -> AsyncIterator[Block]:
        """Decoded blocks until ``close``. For one reader."""
        return self._receiver.blocks()

    def close(self) -> None:
        """End ``blocks``."""
        self._receiver.close()
