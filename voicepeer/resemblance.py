"""Tells how like its speaker each utterance was: a client that has asked for that, and metrics.

What was sent is embedded like the speech that the voice was learned from, and only while nothing
is being said: the figure may wait, the next utterance may not.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final

import numpy as np

from engines.api import Embedding, EngineError, Pcm
from engines.resampling import resample
from voicepeer.core.messages import (
    Cancelled,
    Done,
    Failed,
    ServerMessage,
    Similarity,
    Started,
)
from voicepeer.core.pcm import LISTEN_RATE_HZ, WIRE_RATE_HZ, Pcm16, from_pcm16
from voicepeer.ports import Engine

logger = logging.getLogger(__name__)

LEAST_S: Final = 1.6
"""Less than a window of the encoder is filled up with silence, and the figure would be of that."""

MOST_S: Final = 10.0
QUIET_POLL_S: Final = 0.1
MAX_WAITING: Final = 4
"""Utterances whose figure is due; older ones are passed over while there is always more to say."""


class Resemblance:
    """Compares utterances with their speaker; ``run`` has to run beside it.

    Args:
        reference_of: the embedding that the voice of an utterance was learned from, ``None`` where
            it was not learned in this session.
        speaking: whether anything is being said.
        observe: told of each figure.
        sampled: whether an utterance that begins is to be compared although nobody has asked.
    """

    def __init__(
        self,
        engine: Engine,
        reference_of: Callable[[str], Embedding | None],
        speaking: Callable[[], bool],
        emit: Callable[[ServerMessage], None],
        observe: Callable[[float], None] = lambda cosine: None,
        sampled: Callable[[], bool] = lambda: False,
    ) -> None:
        self.on = False
        """Whether the client is told."""
        self.sparing = False
        """Whether only those are compared that the client has asked for."""
        self._observe = observe
        self._sampled = sampled
        self._engine = engine
        self._reference_of = reference_of
        self._speaking = speaking
        self._emit = emit
        self._heard: tuple[str, Embedding] | None = None
        self._frames: list[Pcm16] = []
        self._due: asyncio.Queue[tuple[str, Embedding, list[Pcm16]]] = asyncio.Queue(MAX_WAITING)

    def sent(self, frame: Pcm16) -> None:
        """Take a frame of 20 ms that was sent, 48 kHz."""
        if self._heard is not None and len(self._frames) * frame.size < MOST_S * WIRE_RATE_HZ:
            self._frames.append(frame)

    def told(self, message: ServerMessage) -> None:
        """Take what the client is told of its utterances."""
        match message:
            case Started(utterance_id=name) if self.on or self._is_sampled():
                reference = self._reference_of(name)
                self._heard = None if reference is None else (name, reference)
                self._frames = []
            case Done(utterance_id=name) if self._heard is not None and self._heard[0] == name:
                self._judge_later(*self._heard)
            case Cancelled(utterance_id=name) | Failed(utterance_id=name) if (
                self._heard is not None and self._heard[0] == name
            ):
                self._heard = None
            case _:
                pass

    def _is_sampled(self) -> bool:
        return not self.sparing and self._sampled()

    def _judge_later(self, name: str, reference: Embedding) -> None:
        frames, self._frames, self._heard = self._frames, [], None
        if sum(frame.size for frame in frames) < LEAST_S * WIRE_RATE_HZ:
            return
        if self._due.full():
            self._due.get_nowait()
        self._due.put_nowait((name, reference, frames))

    async def run(self) -> None:
        """Compare until cancelled."""
        while True:
            name, reference, frames = await self._due.get()
            while self._speaking():  # noqa: ASYNC110 - quiet is no event, and may end at once
                await asyncio.sleep(QUIET_POLL_S)
            try:
                pcm = await asyncio.to_thread(_for_listening, frames)
                embedding = await self._engine.embed(pcm)
            except EngineError as error:
                logger.warning("an utterance could not be compared: %s", error)
                continue
            cosine = _cosine(embedding, reference)
            self._observe(cosine)
            if self.on:
                self._emit(Similarity(utterance_id=name, cosine=cosine))


def _for_listening(frames: list[Pcm16]) -> Pcm:
    return resample(from_pcm16(np.concatenate(frames)), WIRE_RATE_HZ, LISTEN_RATE_HZ)


def _cosine(one: Embedding, other: Embedding) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))
