"""Measures the parts that the model is fed with: an engine by itself, and a service with few users.

Nothing else should be running. Processor time is what Linux counts, in steps of 10 ms, so every
figure is taken over seconds.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import aiohttp

from engines.host import EngineHost, HostSpec
from engines.progress import Progress
from loadtests.model.engine_meter import measure_engine
from loadtests.model.parts import MeasuringFailed, Parts
from loadtests.model.service_meter import Effort, ServiceMeter
from loadtests.target import target
from voicepeer.client import CallEnded, RequestFailed, SignalingFailed

_FAILURES = (
    RequestFailed, SignalingFailed, CallEnded, TimeoutError, aiohttp.ClientError, OSError
)  # fmt: skip
"""Of a user's call and of its requests; the last two where there is no service any more."""


async def measure(
    spec: HostSpec,
    service_arguments: Sequence[str],
    said: Sequence[str],
    rounds: int,
    effort: Effort,
    progress: Progress,
) -> Parts:
    """Measure all parts, one after the other; takes three minutes with a dozen texts.

    Args:
        spec: the engine by itself.
        service_arguments: options with which ``voicepeer serve`` uses the same.
        said: texts.
        rounds: how often the engine says each.
        effort: of the service.

    Raises:
        EngineError: why the engine cannot be run.
        ServiceFailed: why the service cannot.
        MeasuringFailed: a user was refused or heard nothing, or the service has ended.
    """
    async with EngineHost(spec) as host:
        engine, speech = await measure_engine(host, said, rounds, progress)
    progress("a service with users", 0.0)
    async with target(None, service_arguments, effort.users) as service:
        meter = ServiceMeter(service, said, speech, effort)
        try:
            media = await meter.media()
            progress("a service with users", 0.6)
            single = await meter.single()
            progress("a service with users", 0.9)
            enrolment = await meter.enrolment(media)
        except _FAILURES as error:
            why = str(error) or "no answer in time"
            raise MeasuringFailed(f"a user's call failed: {why}") from error
    progress("a service with users", 1.0)
    return Parts(os.cpu_count() or 1, engine, media, enrolment, tuple(single))
