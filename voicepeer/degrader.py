"""Watches how the service does, and has it do with less while there is too much to do.

What is decided, and when, is in ``core.degradation``; what each step changes is with whoever
listens to the ``Economy``.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engines.api import EngineInfo
from voicepeer.core.degradation.ladder import RUNGS, Ladder, Pace, Rung
from voicepeer.core.degradation.severity import Cause, Limits, embedding_severity, severities
from voicepeer.core.degradation.vitals import MIN_UTTERANCES, Reading, Vitals
from voicepeer.core.speaking.pacer import LEAD_MIN_MS
from voicepeer.economy import Economy
from voicepeer.metrics import Metrics

logger = logging.getLogger(__name__)

SENDING_MS = LEAD_MIN_MS + 20.0
"""From the first chunk to the first audible frame, at least: the lead, and the frame's own time."""

EMBEDDING_RUNGS = (Rung("light_listening", 1.0, 0.6),)
"""Slow speaker embeddings have a remedy of their own, whatever else there is to do."""


@dataclass(frozen=True, slots=True)
class DegradationSettings:
    """When to do with less."""

    enabled: bool = True
    limits: Limits = Limits()
    pace: Pace = Pace()
    window_s: float = 30.0
    min_utterances: int = MIN_UTTERANCES
    every_s: float = 1.0
    retry_after_s: int = 15
    """What those are told who are refused."""


@dataclass(frozen=True, slots=True)
class Condition:
    """How the service did when it was looked at last."""

    reading: Reading = Reading()
    severities: Mapping[Cause, float] = field(default_factory=dict)
    baseline_ms: float = 0.0


async def look_every(
    every_s: float, metrics: Metrics, look: Callable[[float], None] = lambda now: None
) -> None:
    """Look every so often until cancelled, with the time, and count how late that is."""
    while True:
        due = time.monotonic() + every_s
        await asyncio.sleep(every_s)
        now = time.monotonic()
        metrics.loop_late(now - due)
        look(now)


class Degrader:
    """Takes steps and gives them up; ``run`` has to run beside the service.

    ``waiting`` and the shares of memory that are free are asked every ``every_s``.
    """

    def __init__(
        self,
        settings: DegradationSettings,
        economy: Economy,
        vitals: Vitals,
        metrics: Metrics,
        waiting: Callable[[], int],
        free_memory_share: Callable[[], float | None],
        free_gpu_share: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.condition = Condition()
        """As it was looked at last."""
        self._settings = settings
        self._economy = economy
        self._vitals = vitals
        self._metrics = metrics
        self._waiting = waiting
        self._free_memory_share = free_memory_share
        self._free_gpu_share = free_gpu_share
        self._baseline_ms = 0.0
        self._ladder = Ladder(RUNGS, settings.pace)
        self._embedding = Ladder(EMBEDDING_RUNGS, settings.pace)

    def begin(self, info: EngineInfo) -> None:
        """Learn what one utterance alone takes on this machine, as far as the engine knows."""
        if info.first_chunk_ms <= 0.0:
            return
        self._baseline_ms = info.first_chunk_ms + SENDING_MS
        logger.info(
            "one utterance alone is heard after %.0f ms: over %.0f ms there is too much to do",
            self._baseline_ms,
            self._settings.limits.latency_ms(self._baseline_ms),
        )

    async def run(self) -> None:
        """Look every ``every_s`` until cancelled."""
        await look_every(self._settings.every_s, self._metrics, self.look)

    def look(self, now: float) -> None:
        """Judge how it is at ``now``, and do what follows from that."""
        limits = self._settings.limits
        reading = self._vitals.read(
            now, self._waiting(), self._free_memory_share(), self._free_gpu_share()
        )
        causes = severities(reading, limits, self._baseline_ms)
        self.condition = Condition(reading, causes, self._baseline_ms)
        if not self._settings.enabled:
            return
        moved = self._ladder.push(max(causes.values()), now)
        self._embedding.push(embedding_severity(reading, limits), now)
        if moved:
            self._metrics.degraded(moved)
        if moved > 0:
            # Otherwise the same slow or failed utterances would lead from one step to the next.
            self._vitals.forget_speech()
        if self._economy.change([*self._ladder.steps, *self._embedding.steps]):
            self._log(moved, causes)

    def _log(self, moved: int, causes: Mapping[Cause, float]) -> None:
        steps = ", ".join(self._economy.steps) or "nothing"
        worst = max(causes, key=lambda cause: causes[cause])
        if moved > 0:
            logger.warning(
                "too much to do (%s at %.1f of its limit): now with %s",
                worst,
                causes[worst],
                steps,
            )
        else:
            logger.warning("what is done with less has changed: now %s", steps)
