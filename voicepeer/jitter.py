"""The receive path of one audio track: RTP packets in, decoded blocks out."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

import numpy as np

from voicepeer.core.jitter import (
    EAGER_TARGET_MIN_S,
    TARGET_MIN_S,
    Conceal,
    Decode,
    JitterBuffer,
    JitterCounters,
    Packet,
    Recover,
    Skip,
    Step,
    packet_samples,
)
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm16
from voicepeer.opus import OpusDecoder, OpusError
from voicepeer.rtc import RtpPacket

logger = logging.getLogger(__name__)

SKIP_MAX_S = 1.0
"""Silence that a listener is given for a gap; a mute of ten minutes is not ten minutes of work."""


CATCH_UP_ITERATIONS = 100


@dataclass(frozen=True, slots=True)
class Block:
    """A decoded stretch of a track, shape ``[n]`` at the decoder's rate.

    ``at_sample`` is its place in the sender's stream at 48 kHz; ``heard`` is false where loss was
    concealed or the sender was silent.
    """

    pcm: Pcm16
    at_sample: int
    heard: bool
    received_s: float
    """``time.monotonic()`` when the block was handed out."""


class AudioReceiver:
    """Stands in for aiortc's jitter buffer; memory stays constant whether it is read or not.

    Args:
        rate_hz: rate of the blocks (8, 12, 16, 24 or 48 kHz).
        eager: see ``JitterBuffer``.
    """

    capacity = 64

    def __init__(self, rate_hz: int = WIRE_RATE_HZ, eager: bool = False) -> None:
        self._rate_hz = rate_hz
        self._buffer = JitterBuffer(eager, EAGER_TARGET_MIN_S if eager else TARGET_MIN_S)
        self._decoder = OpusDecoder(rate_hz)
        self._changed = asyncio.Event()
        self._closed = False
        self.on_packet: Callable[[RtpPacket], None] | None = None
        """Gets each packet as it comes, before it is waited for in order; must not block."""
        self.wanted: Callable[[], bool] = lambda: True
        """Whether anybody needs to hear it now; while not, blocks are silent and cost little."""
        self.last_packet_s: float | None = None
        """``time.monotonic()`` of the last packet, for watchdogs."""

    @property
    def counters(self) -> JitterCounters:
        """What has become of the packets so far."""
        return self._buffer.counters

    @property
    def target_s(self) -> float:
        """How long a missing packet is waited for at present."""
        return self._buffer.target_s

    def add(self, packet: RtpPacket) -> tuple[bool, None]:
        """Called by aiortc for each packet."""
        now = time.monotonic()
        self.last_packet_s = now
        if self.on_packet is not None:
            self.on_packet(packet)
        self._buffer.push(
            Packet(packet.timestamp, packet.ssrc, packet.payload, packet.sequence_number), now
        )
        self._changed.set()
        return False, None

    def close(self) -> None:
        """End ``blocks``; packets that still come are ignored by whoever reads no more."""
        self._closed = True
        self._changed.set()

    async def blocks(self) -> AsyncIterator[Block]:
        """Decoded blocks in order as they become due, until ``close``. For one reader."""
        while not self._closed:
            now = time.monotonic()
            step = self._buffer.take(now)
            if step is None:
                await self._wait(now)
                continue
            yield Block(self._render(step), step.at_sample, isinstance(step, Decode), now)

    async def _wait(self, now: float) -> None:
        self._changed.clear()
        deadline = self._buffer.next_deadline()
        try:
            async with asyncio.timeout(None if deadline is None else max(0.0, deadline - now)):
                await self._changed.wait()
        except TimeoutError:
            await self._catch_up()

    async def _catch_up(self) -> None:
        """Let in what has arrived while the loop was busy, before it is taken for lost.

        A loop that was held up runs its timers first, while datagrams still wait in the socket;
        asyncio reads one of them per iteration, and it takes two more to get here.
        """
        idle = 0
        for _ in range(CATCH_UP_ITERATIONS):
            received = self._buffer.counters.received
            await asyncio.sleep(0)
            idle = idle + 1 if self._buffer.counters.received == received else 0
            if idle > 2:
                return

    def _render(self, step: Step) -> Pcm16:
        if not self.wanted():
            samples = packet_samples(step.payload) if isinstance(step, Decode) else step.samples
            step = Skip(step.at_sample, samples)
        match step:
            case Skip():
                wire_samples = min(step.samples, int(SKIP_MAX_S * WIRE_RATE_HZ))
                return np.zeros(self._scaled(wire_samples), np.int16)
            case Decode():
                return self._decode(step)
            case Recover():
                return self._decoder.recover(step.payload, self._scaled(step.samples))
            case Conceal():
                return self._decoder.conceal(self._scaled(step.samples))

    def _decode(self, step: Decode) -> Pcm16:
        try:
            return self._decoder.decode(step.payload)
        except OpusError as error:
            # The table of contents was sound but the rest was not; one frame is lost.
            logger.debug("undecodable packet: %s", error)
            self._buffer.counters.invalid += 1
            return np.zeros(self._rate_hz // 50, np.int16)

    def _scaled(self, wire_samples: int) -> int:
        return wire_samples * self._rate_hz // WIRE_RATE_HZ
