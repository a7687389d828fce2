"""The two audio tracks of a session: speech going out, the microphone coming in."""

from __future__ import annotations

import itertools
import time
from collections.abc import AsyncIterator, Callable
from fractions import Fraction
from typing import Any

from aiortc import MediaStreamTrack, RTCRtpReceiver
from aiortc.mediastreams import MediaStreamError
from av.packet import Packet

from voicepeer import rtc
from voicepeer.broadcast import Broadcast, FrameSource, PacerListener
from voicepeer.core.adaptation import Encoding
from voicepeer.core.jitter import JitterCounters
from voicepeer.core.pcm import LISTEN_RATE_HZ, WIRE_RATE_HZ, Pcm16
from voicepeer.jitter import AudioReceiver, Block
from voicepeer.metronome import Metronome
from voicepeer.opus import OpusEncoder
from voicepeer.rtc import RtpPacket

_TIME_BASE = Fraction(1, WIRE_RATE_HZ)
_PHASES_S = (0.0, 0.010, 0.005, 0.015)
"""Few tracks are due at one moment, so that the last of them need not wait for the others; but
each moment wakes the process, so there are not many."""

_ranks = itertools.count()
"""Who sends first of those that are due together: always the same, so that each is even."""

WAIT_MAX_S = 0.1
"""No frame is waited for any longer, whatever the pacer says."""


class SpeechTrack(MediaStreamTrack):
    """Sends what the pacer plays as 20 ms Opus packets on an absolute clock.

    ``recv`` never raises while the track is live, because aiortc would end the sender for good
    and tell nobody: a frame that cannot be made is replaced by an encoded silence. A track is for
    one sender; ``beside`` makes more of them that send the same speech.
    """

    kind = "audio"

    def __init__(
        self,
        pacer: FrameSource,
        make_encoder: Callable[[Encoding], OpusEncoder] | None = None,
        on_events: PacerListener | None = None,
    ) -> None:
        super().__init__()
        self._listen_to(Broadcast(pacer, make_encoder, on_events))
        pacer.shift(_PHASES_S[self._rank % len(_PHASES_S)])

    def _listen_to(self, source: Broadcast) -> None:
        self._source = source
        self._ear = source.join(Encoding())
        self.on_packet: Callable[[bytes], None] | None = None
        """Gets each packet that this track sends; must not block."""
        self._rank = next(_ranks)

    def beside(self) -> SpeechTrack:
        """Another track of the same speech, encoded once for all that are encoded alike."""
        other = SpeechTrack.__new__(SpeechTrack)
        MediaStreamTrack.__init__(other)
        other._listen_to(self._source)
        return other

    @property
    def encoding(self) -> Encoding:
        """How this track's packets are encoded at present."""
        return self._ear.group.encoding

    def encode_as(self, encoding: Encoding) -> None:
        """Encode otherwise from now on, or where that would be heard, from the next silence on."""
        self._source.encode_as(self._ear, encoding)

    @property
    def encoders(self) -> int:
        """How often each frame is encoded for this track and those beside it."""
        return self._source.encoders

    @property
    def encoder_faults(self) -> int:
        """Frames that could not be made, in whose place silence was sent."""
        return self._source.faults

    @property
    def last_speech_s(self) -> float | None:
        """``time.monotonic()`` of the last frame with speech, for the echo gate."""
        return self._source.last_speech_s

    @property
    def level_dbov(self) -> int:
        """Level of the newest frame, -127 to 0; ``rtc`` puts it beside the packet."""
        return self._source.level_dbov

    @property
    def on_frame(self) -> Callable[[Pcm16], None] | None:
        """Gets each frame that is sent, ``[960]`` at 48 kHz; must not block."""
        return self._source.on_frame

    @on_frame.setter
    def on_frame(self, listener: Callable[[Pcm16], None] | None) -> None:
        self._source.on_frame = listener

    @property
    def on_sent(self) -> Callable[[Pcm16], None] | None:
        """Like ``on_frame``, for another who listens."""
        return self._source.on_sent

    @on_sent.setter
    def on_sent(self, listener: Callable[[Pcm16], None] | None) -> None:
        self._source.on_sent = listener

    async def recv(self) -> Packet[Any]:
        """The next packet when it is due.

        Raises:
            MediaStreamError: the track was stopped.
        """
        if self.readyState != "live":
            raise MediaStreamError("the track was stopped")
        now = time.monotonic()
        wait_s = self._source.wait_s(self._ear, now)
        if wait_s > 0:
            # The loop's clock is time.monotonic().
            await Metronome.of_loop().until(now + min(wait_s, WAIT_MAX_S), self._rank)
        pts, payload = self._source.take(self._ear, time.monotonic())
        if self.on_packet is not None:
            self.on_packet(payload)
        packet: Packet[Any] = Packet(payload)
        packet.pts = pts
        packet.time_base = _TIME_BASE
        return packet

    def stop(self) -> None:
        """End the track; others beside it go on."""
        super().stop()
        self._source.leave(self._ear)


class MicReader:
    """The other side's microphone as 16 kHz mono, early rather than evenly paced."""

    def __init__(self) -> None:
        self.on_block: Callable[[Block], None] | None = None
        """Gets each block before the reader does; must not block."""
        self._receiver = AudioReceiver(LISTEN_RATE_HZ, eager=True)

    @property
    def counters(self) -> JitterCounters:
        """What has become of the packets so far."""
        return self._receiver.counters

    @property
    def last_packet_s(self) -> float | None:
        """``time.monotonic()`` of the last packet from the microphone."""
        return self._receiver.last_packet_s

    def on_packet(self, listener: Callable[[RtpPacket], None] | None) -> None:
        """Let somebody have each packet as it comes, or nobody."""
        self._receiver.on_packet = listener

    def decode_while(self, wanted: Callable[[], bool]) -> None:
        """Decode only while somebody needs it; blocks are silent otherwise."""
        self._receiver.wanted = wanted

    def attach(self, receiver: RTCRtpReceiver) -> None:
        """Take over a receiver's packets."""
        rtc.install_receive_buffer(receiver, self._receiver)

    async def blocks(self) -> AsyncIterator[Block]:
        """Decoded blocks until ``close``. For one reader."""
        async for block in self._receiver.blocks():
            if self.on_block is not None:
                self.on_block(block)
            yield block

    def close(self) -> None:
        """End ``blocks``."""
        self._receiver.close()
