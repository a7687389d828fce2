"""The same call as always, in a process that trusts the certificates it was started with.

``python -m tests.deploy.caller URL KEY RECORDING`` clones the voice of the recording through the
relay and in no other way, has a text said in it, and prints what came back as JSON.
"""

from __future__ import annotations

import asyncio
import sys

import msgspec
import numpy as np

from voicepeer.client import VoicePeerClient


class Heard(msgspec.Struct, frozen=True):
    """What came back: its largest sample, and its length as the service counts it."""

    session_id: str
    peak: float
    audio_ms: float


async def call(url: str, key: str, recording: str) -> None:
    """Enrol and say; prints what was heard."""
    async with VoicePeerClient(url, recording, token=key, relay_only=True) as client:
        await client.enrol(consent="I am the speaker and agree that my voice is cloned.")
        said = await client.say("Through TLS, nginx and the relay.")
        heard = Heard(client.session_id, float(np.abs(said.pcm).max()), said.audio_ms)
    sys.stdout.buffer.write(msgspec.json.encode(heard))


if __name__ == "__main__":
    asyncio.run(call(*sys.argv[1:]))
