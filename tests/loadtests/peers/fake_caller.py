"""The part of the fake bot that takes real calls, which takes more to import."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from aiohttp import web
from aiortc import RTCDataChannel, RTCPeerConnection

from loadtests.peers.bots import harness
from loadtests.peers.protocol import Cancel, Ready, Say, Spoken, decode_command
from tests.loadtests.peers.fake_bot import VERSIONS, length_s
from tests.peers.glitches import tone
from voicepeer import rtc
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.speaking.pacer import Pacer
from voicepeer.tracks import SpeechTrack


@dataclass
class Hummer:
    """Takes calls, one voice for each."""

    teller: harness.Teller
    delay_s: float
    deaf: bool
    """It hears texts and says nothing."""
    peers: list[RTCPeerConnection] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def offer(self, request: web.Request) -> web.Response:
        """Answer an offer."""
        body = await request.json()
        peer, pacer = rtc.new_peer(), Pacer()
        humming: list[int] = []
        self.peers.append(peer)
        peer.addTrack(SpeechTrack(pacer))

        @peer.on("datachannel")
        def on_datachannel(channel: RTCDataChannel) -> None:
            channel.on("message", lambda message: self.told(message, pacer, humming))

        await rtc.apply_offer(peer, body["sdp"])
        return web.json_response({"sdp": await rtc.make_answer(peer), "type": "answer"})

    def told(self, message: str, pacer: Pacer, humming: list[int]) -> None:
        """Do what a text message says."""
        match decode_command(message):
            case Say() if self.deaf:
                pass
            case Say(text):
                task = asyncio.create_task(self.hum(text, pacer, humming))
                self.tasks.add(task)
                task.add_done_callback(self.tasks.discard)
            case Cancel():
                for generation in humming:
                    pacer.cancel(generation)

    async def hum(self, text: str, pacer: Pacer, humming: list[int]) -> None:
        """Hum after the delay."""
        await asyncio.sleep(self.delay_s)
        generation = pacer.open()
        humming.append(generation)
        pacer.push(generation, tone(length_s(text), rate_hz=WIRE_RATE_HZ))
        pacer.end(generation)
        self.teller.tell(Spoken(self.delay_s, length_s(text)))

    async def close(self) -> None:
        """Hang up everywhere."""
        await asyncio.gather(*(rtc.close_peer(peer) for peer in self.peers))


async def take_calls(hummer: Hummer) -> None:
    """Until standard input ends."""
    rtc.install_patches()
    app = web.Application()
    app.router.add_post("/offer", hummer.offer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/offer"
    hummer.teller.tell(Ready(url, VERSIONS))
    async for _ in harness.commands():
        pass
    await hummer.close()
    await runner.cleanup()
