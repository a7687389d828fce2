"""One call from start to end: a service, a client with a recording for a microphone, the figures.

Everything goes the way it goes for a user: own processes, WebSocket signaling, WebRTC media. No
sentence is spoken before the one that is measured.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from voicepeer.audio import Recording, read_reference
from voicepeer.child_service import Announcement, running_service
from voicepeer.client import CallEnded, RequestFailed, SaidResult, SignalingFailed, VoicePeerClient
from voicepeer.core.errors import VoicePeerError
from voicepeer.core.messages import (
    EnrolStart,
    ServerMessage,
    VoiceProgress,
    VoiceReady,
    VoiceRejected,
    VoiceUsable,
)
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm, from_pcm16, level_dbfs
from voicepeer.jitter import Block
from voicepeer.recorder import AUDIBLE_DBFS

Tell: TypeAlias = Callable[[str], None]

CONSENT = "The speaker of this recording agrees to the demonstration."
MAX_LISTEN_S = 40.0


class DemoFailed(VoicePeerError):
    """The call did not come to its end; the message says at which step and why."""

    code = "demo_failed"


@dataclass(frozen=True, slots=True)
class Learned:
    """What the service said of the voice it learned."""

    usable: VoiceUsable
    ready: VoiceReady
    plays: int
    """How often the recording was played until the voice was ready."""


@dataclass(frozen=True, slots=True)
class DemoCall:
    """What happened in the call, before anything is judged."""

    service: Announcement
    mic: Recording
    learned: Learned
    said: SaidResult
    glitches: int
    """Separate places within the utterance where sound was missing or made up by the receiver."""


async def call(
    mic: Path, text: str, service_arguments: Sequence[str], tell: Tell, log: Tell
) -> DemoCall:
    """Start a service, clone the speaker of ``mic``, and let the voice say ``text``.

    ``tell`` gets one line a step for a person, ``log`` the service's log.

    Raises:
        AudioRejected: ``mic`` cannot be read.
        ServiceFailed: the service did not get ready.
        DemoFailed: a step of the call failed.
    """
    recording = await asyncio.to_thread(read_reference, mic)
    tell("starting the service and loading its models …")
    async with running_service(service_arguments, log) as service:
        tell(f"ready after {service.ready.load_s:.1f} s; calling {service.ready.url}")
        try:
            async with VoicePeerClient(service.ready.url) as client:
                learned = await _learn(client, recording.at(WIRE_RATE_HZ), tell)
                tell("the voice is ready; sending the text …")
                said = await client.say(text)
                glitches = _glitches(client.call.recorder.blocks(0.0), said)
        except (SignalingFailed, CallEnded, TimeoutError) as error:
            raise DemoFailed(f"the call failed: {str(error) or 'no answer in time'}") from error
        except RequestFailed as error:
            raise DemoFailed(f"the service refused: {error}") from error
    return DemoCall(service.ready, recording, learned, said, glitches)


async def _learn(client: VoicePeerClient, speech: Pcm, tell: Tell) -> Learned:
    """Play the recording, again if it is short, until the voice is ready."""
    usable: VoiceUsable | None = None
    with client.call.listening() as messages:
        await client.call.ask(EnrolStart(consent=CONSENT))
        async with client.call.speaking(speech) as plays, asyncio.timeout(MAX_LISTEN_S):
            async for message in messages:
                _tell_progress(message, tell)
                if isinstance(message, VoiceUsable):
                    usable = message
                elif isinstance(message, VoiceReady):
                    return Learned(usable or _usable(message), message, len(plays))
                elif isinstance(message, VoiceRejected):
                    raise DemoFailed(f"no voice could be learned: {message.message}")
    raise DemoFailed("the call ended before the voice was ready")


def _usable(ready: VoiceReady) -> VoiceUsable:
    """A voice that became ready in one go was usable at that moment."""
    return VoiceUsable(
        voice_id=ready.voice_id,
        heard_s=ready.heard_s,
        score=ready.score,
        quality=ready.quality,
        elapsed_ms=ready.elapsed_ms,
    )


def _tell_progress(message: ServerMessage, tell: Tell) -> None:
    match message:
        case VoiceProgress(hint=str(hint)):
            tell(f"hint: {hint}")
        case VoiceUsable(elapsed_ms=elapsed_ms):
            tell(f"usable after {elapsed_ms / 1000:.1f} s of listening")
        case _:
            pass


def _glitches(blocks: Sequence[Block], said: SaidResult) -> int:
    """Underruns of the sender, and runs of blocks that the receiver had to make up."""
    if said.first_audible_ms is None:
        return said.underruns
    audible = [
        index
        for index, block in enumerate(blocks)
        if level_dbfs(from_pcm16(block.pcm)) > AUDIBLE_DBFS
    ]
    if not audible:
        return said.underruns
    heard = [block.heard for block in blocks[audible[0] : audible[-1] + 1]]
    runs = sum(before and not now for before, now in zip(heard, heard[1:], strict=False))
    return said.underruns + runs
