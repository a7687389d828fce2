"""The remote peer, the same for all: a connection with a silent microphone, an ear, a channel.

A service of ours is called with our own client, the others as their documentation says: an offer
is posted, and texts go over a data channel. What is heard goes through one receiver and recorder.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import aiohttp
from aiortc import RTCDataChannel, RTCPeerConnection, RTCSessionDescription

from loadtests.peers.heard import Sound
from loadtests.peers.install import PeerUnavailable
from loadtests.peers.process import BotProcess
from loadtests.peers.protocol import Cancel, Command, Say, Spoken, encode
from voicepeer import rtc
from voicepeer.benches.network import is_rtp
from voicepeer.client import VoicePeerClient
from voicepeer.core.messages import Done, ServerMessage
from voicepeer.core.pcm import WIRE_RATE_HZ, from_pcm16
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.recorder import Recorder
from voicepeer.rtc import ReceiveDatagram
from voicepeer.tracks import SpeechTrack

CONNECT_TIMEOUT_S = 30.0


class Conversation(Protocol):
    """One call that is up."""

    @property
    def peer(self) -> RTCPeerConnection:
        """The connection."""
        ...

    @property
    def recorder(self) -> Recorder:
        """What is heard."""
        ...

    def say(self, text: str) -> None:
        """Have a text said, after those before it."""
        ...

    def cancel(self) -> None:
        """Have everything silenced."""
        ...

    def spoken(self) -> list[Spoken]:
        """What has been said of finished syntheses since the last time."""
        ...


def sounds(recorder: Recorder, since_s: float, until_s: float = float("inf")) -> list[Sound]:
    """What was received in a stretch of ``time.monotonic()``."""
    return [
        Sound(
            from_pcm16(block.pcm),
            block.received_s,
            WIRE_RATE_HZ,
            block.heard,
            block.at_sample / WIRE_RATE_HZ,
        )
        for block in recorder.blocks(since_s, until_s)
    ]


@dataclass
class Losses:
    """Packets of media that are lost by chance, and how many were so far."""

    share: float
    chance: random.Random
    lost: int = 0

    def arrives(self, datagram: bytes) -> bool:
        """Whether it does; everything but media always does."""
        lost = is_rtp(datagram) and self.chance.random() < self.share
        self.lost += lost
        return not lost


def lose(peer: RTCPeerConnection, share: float, seed: int) -> Losses:
    """Let so much of the media that comes to a connected peer be lost from now on, 0 to 1.

    It is lost at the receiver, below its encryption: the sender need not be ours, and hears of
    it by the receiver's reports as of any other loss (RFC 3550 section 6.4.2).
    """
    losses = Losses(share, random.Random(seed))

    def wrap(receive: ReceiveDatagram) -> ReceiveDatagram:
        async def receive_some() -> bytes:
            while not losses.arrives(datagram := await receive()):
                pass
            return datagram

        return receive_some

    rtc.wrap_receiving(peer, wrap)
    return losses


@dataclass
class OurConversation:
    """A call to a service of ours, over its public wire."""

    client: VoicePeerClient
    _done: list[Spoken] = field(default_factory=list)

    @property
    def peer(self) -> RTCPeerConnection:
        """The connection."""
        return self.client.call.peer

    @property
    def recorder(self) -> Recorder:
        """What is heard."""
        return self.client.call.recorder

    def say(self, text: str) -> None:
        """Send it."""
        self.client.speak(text)

    def cancel(self) -> None:
        """Silence all."""
        self.client.cancel()

    def spoken(self) -> list[Spoken]:
        """From what the service says when an utterance is done."""
        done, self._done[:] = [*self._done], []
        return done

    def note(self, message: ServerMessage) -> None:
        """Keep what a message says of a synthesis."""
        if isinstance(message, Done) and message.rtf is not None:
            audio_s = message.audio_ms / 1000
            self._done.append(Spoken(message.rtf * audio_s, audio_s))


@asynccontextmanager
async def our_call(url: str, voice_id: str) -> AsyncIterator[OurConversation]:
    """Call a service of ours until the block ends, with one of its voices."""
    async with VoicePeerClient(url) as client:
        await client.use_voice(voice_id)
        conversation = OurConversation(client)

        async def listen() -> None:
            async for message in client.events():
                conversation.note(message)

        listening = asyncio.create_task(listen(), name="done utterances")
        try:
            yield conversation
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)


@dataclass
class BotConversation:
    """A call to a bot."""

    bot: BotProcess
    channel: RTCDataChannel
    peer: RTCPeerConnection
    recorder: Recorder

    def say(self, text: str) -> None:
        """Send it."""
        self._send(Say(text))

    def cancel(self) -> None:
        """Silence all."""
        self._send(Cancel())

    def spoken(self) -> list[Spoken]:
        """From what the bot tells beside the call."""
        return self.bot.take(Spoken)

    def _send(self, command: Command) -> None:
        self.channel.send(encode(command))


@asynccontextmanager
async def bot_call(bot: BotProcess) -> AsyncIterator[BotConversation]:
    """Call a bot until the block ends.

    Raises:
        PeerUnavailable: it refuses the offer, or no connection comes about.
    """
    rtc.install_patches()
    peer, recorder = rtc.new_peer(), Recorder()
    microphone = SpeechTrack(Pacer())
    recording: asyncio.Task[None] | None = None
    try:
        peer.addTrack(microphone)
        channel, opened = peer.createDataChannel("texts"), asyncio.Event()
        channel.on("open", opened.set)
        answer = await _post(bot, await rtc.make_offer(peer))
        rtc.install_receive_buffer(peer.getReceivers()[0], recorder.receiver)
        recording = asyncio.create_task(recorder.run(), name="recorder")
        await _connect(bot, peer, answer, opened)
        yield BotConversation(bot, channel, peer, recorder)
    finally:
        recorder.receiver.close()
        if recording is not None:
            await recording
        await rtc.close_peer(peer)
        microphone.stop()


async def _connect(
    bot: BotProcess, peer: RTCPeerConnection, answer: str, opened: asyncio.Event
) -> None:
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT_S):
            await peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))
            await opened.wait()
    except TimeoutError:
        raise PeerUnavailable(f"{bot.name}: no connection came about") from None


async def _post(bot: BotProcess, offer: str) -> str:
    """The answer to an offer, in the JSON that both frameworks take."""
    assert bot.ready.offer_url is not None
    body = {"sdp": offer, "type": "offer", "webrtc_id": secrets.token_hex(8)}
    timeout = aiohttp.ClientTimeout(total=CONNECT_TIMEOUT_S)
    try:
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(bot.ready.offer_url, json=body) as response,
        ):
            answered: Any = await response.json()
    except (aiohttp.ClientError, TimeoutError, ValueError) as error:
        raise PeerUnavailable(f"{bot.name}: it does not answer the offer: {error}") from error
    if response.status != 200 or not isinstance(answered, dict) or "sdp" not in answered:
        # FastRTC refuses with the status of a success.
        raise PeerUnavailable(f"{bot.name}: it refuses the offer ({response.status})")
    return str(answered["sdp"])
