"""A real Janus on loopback with a room of each kind, and somebody there who listens."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from aiortc import RTCRtpReceiver

from voicepeer import rtc
from voicepeer.adapters.janus import JanusRoom
from voicepeer.benches import janus_client
from voicepeer.benches.janus_client import JanusClient
from voicepeer.benches.janus_server import JanusServer
from voicepeer.core.janus.plugins import PluginName
from voicepeer.recorder import Recorder

BRIDGE, VIDEO, ONE_PLACE = 1234, 5678, 7
"""Rooms: of an AudioBridge, of a VideoRoom, and of one in which one at a time may speak."""

ROOMS: dict[PluginName, int] = {"audiobridge": BRIDGE, "videoroom": VIDEO}
PLUGINS: tuple[PluginName, ...] = ("audiobridge", "videoroom")
PIN, SECRET, API_SECRET, SIGNING_KEY = "sesame", "of-the-manager", "of-the-api", "signing"
"""Of the rooms, of who manages them, of the server's interface, and to sign tokens with."""

_GUARDED = {"pin": PIN, "secret": SECRET}
_TELLING = {"audiolevel_event": True, "audio_active_packets": 10, "audio_level_average": 60}
"""Who talks is known after a fifth of a second, by the levels of their packets."""


def server(folder: Path, *plugins: PluginName) -> JanusServer:
    """One that is not running yet."""
    return JanusServer(
        folder,
        {
            "audiobridge": {str(BRIDGE): {"sampling_rate": 48_000, **_GUARDED, **_TELLING}},
            "videoroom": {
                str(VIDEO): {"publishers": 20, "opus_fec": True, **_GUARDED, **_TELLING},
                str(ONE_PLACE): {"publishers": 1, **_GUARDED},
            },
        },
        {"api_secret": API_SECRET, "token_auth": True, "token_auth_secret": SIGNING_KEY},
        plugins or ("audiobridge", "videoroom"),
    )


def token(*plugins: PluginName) -> str:
    """One that allows these plugins for a minute (https://janus.conf.meetecho.com/docs/auth.html)."""
    allowed = [f"janus.plugin.{name}" for name in plugins]
    data = ",".join([str(int(time.time()) + 60), "janus", *allowed])
    signature = hmac.new(SIGNING_KEY.encode(), data.encode(), hashlib.sha1).digest()
    return f"{data}:{base64.b64encode(signature).decode()}"


def room(janus: JanusServer, plugin: PluginName, number: int | None = None) -> JanusRoom:
    """A bot's way into one of the rooms."""
    number = ROOMS[plugin] if number is None else number
    return JanusRoom(janus.url, plugin, number, pin=PIN, api_secret=API_SECRET)


@asynccontextmanager
async def visitor(janus: JanusServer) -> AsyncIterator[JanusClient]:
    """Somebody else at the server."""
    async with janus_client.client(janus.url, apisecret=API_SECRET) as client:
        yield client


@asynccontextmanager
async def ears(client: JanusClient, plugin: PluginName, feed: str) -> AsyncIterator[Recorder]:
    """What another participant hears: the mix of an AudioBridge, or a VideoRoom's feed."""
    peer, recorder = rtc.new_peer(), Recorder()
    recording = asyncio.create_task(recorder.run(), name="ears")
    try:
        if plugin == "audiobridge":
            section = peer.addTransceiver("audio", direction="recvonly")
            rtc.install_receive_buffer(section.receiver, recorder.receiver)
            await client.enter_bridge(BRIDGE, peer, pin=PIN)
        else:
            peer.on("track", lambda _: _listen(peer.getReceivers()[0], recorder))
            await client.listen(VIDEO, peer, [int(feed)], pin=PIN)
        yield recorder
    finally:
        recorder.receiver.close()
        await recording
        await rtc.close_peer(peer)


def _listen(receiver: RTCRtpReceiver, recorder: Recorder) -> None:
    rtc.install_receive_buffer(receiver, recorder.receiver)
