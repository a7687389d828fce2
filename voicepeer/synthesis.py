"""A whole text to speech outside of a call, chunk by chunk as the engine makes it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from itertools import takewhile

import numpy as np

from engines.api import EngineInfo, Voice
from voicepeer.core.errors import TextTooLong
from voicepeer.core.pcm import Pcm
from voicepeer.core.speaking.duration import MAX_AUDIO_S, Length
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.order import Abilities, Order
from voicepeer.core.speaking.queue import jobs_of
from voicepeer.ports import Engine


def prepared(
    text: str,
    order: Order,
    info: EngineInfo,
    max_said_chars: int,
    max_audio_s: float = MAX_AUDIO_S,
) -> list[Job]:
    """The pieces of a text as they are said, with its numbers in words; takes up to 0.1 s.

    Raises:
        TextTooLong: as it is said, in characters or in time.
        TextRejected: too long as it is, bad markup, or a control is out of the engine's range.
    """
    order.delivery.checked(info.controls)
    said_chars, length = 0, Length(max_audio_s)

    def fits(job: Job) -> bool:
        nonlocal said_chars
        said_chars += len(job.spoken.text)
        length.add(job)
        return said_chars <= max_said_chars

    # Reading ends with the first piece that is too much: nobody pays for the rest.
    jobs = list(takewhile(fits, jobs_of(text, order, Abilities.of(info))))
    if said_chars > max_said_chars:
        raise TextTooLong(
            f"with numbers and signs in words this text has more than {max_said_chars} "
            "characters: send it in several requests"
        )
    return jobs


async def synthesized(
    jobs: Sequence[Job], voice: Voice, engine: Engine, order: Order
) -> AsyncGenerator[Pcm, None]:
    """Speech at the engine's rate; closing the generator ends the engine's work at once.

    Chunks are made no faster than they are taken, but for a few that wait.

    Raises:
        EngineError: the engine cannot say it, or says as much as it can at once.
    """
    rate_hz = engine.info.sample_rate_hz
    for job in jobs:
        if job.pause_ms:
            yield np.zeros(round(job.pause_ms * rate_hz / 1000), dtype=np.float32)
            continue
        gain = np.float32(order.delivery.gain * job.gain)
        stream = engine.speak(job.segment, voice, job.controls)
        try:
            async for chunk in stream:
                yield np.asarray(chunk.pcm * gain, dtype=np.float32)
        finally:
            stream.cancel()
