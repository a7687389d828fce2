"""A whole text to speech outside of a call, chunk by chunk as the engine makes it."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import numpy as np

from engines.api import Voice
from voicepeer.core.pcm import Pcm
from voicepeer.core.speaking.order import Abilities, Order
from voicepeer.core.speaking.queue import jobs_of
from voicepeer.ports import Engine


async def synthesized(
    text: str, voice: Voice, engine: Engine, order: Order
) -> AsyncGenerator[Pcm, None]:
    """Speech at the engine's rate; closing the generator ends the engine's work at once.

    Chunks are made no faster than they are taken, but for a few that wait.

    Raises:
        TextRejected: too long, bad markup, or a control is out of the engine's range.
        EngineError: the engine cannot say it, or says as much as it can at once.
    """
    info = engine.info
    order.delivery.checked(info.controls)
    for job in jobs_of(text, order, Abilities.of(info)):
        if job.pause_ms:
            yield np.zeros(round(job.pause_ms * info.sample_rate_hz / 1000), dtype=np.float32)
            continue
        gain = np.float32(order.delivery.gain * job.gain)
        stream = engine.speak(job.segment, voice, job.controls)
        try:
            async for chunk in stream:
                yield np.asarray(chunk.pcm * gain, dtype=np.float32)
        finally:
            stream.cancel()
