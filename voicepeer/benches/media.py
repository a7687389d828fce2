"""All figures of the media path under one roof: ``voicepeer bench media``."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from engines.host import EngineHost, HostSpec
from voicepeer.benches import cost, departures, faults, interruptions, loss

PARTS = ("loss", "departures", "interruptions", "faults", "cost")

Progress = Callable[[str, float], None]

FAKE = HostSpec("fake", "fake", "fake")
"""Tones in place of speech: each sample of an utterance is known before it is spoken."""


async def measure(
    parts: Sequence[str],
    host: EngineHost | None,
    fake: EngineHost | None,
    seconds: float,
    rounds: int,
    progress: Progress,
) -> dict[str, Any]:
    """Measure the parts, one after the other, on running engines.

    Args:
        host: the engine that is to be busy beside ``departures``; without one nothing is.
        fake: what speaks in ``interruptions`` and ``faults``.
        seconds: of the bad network; the others take their share of it.
        rounds: of interruptions.
    """
    short_s = max(2.0, seconds / 6)

    async def with_fake(run: Callable[[EngineHost], Awaitable[Any]]) -> Any:  # noqa: ANN401
        assert fake is not None, "the caller starts it for these parts"
        return await run(fake)

    runs: dict[str, Callable[[], Awaitable[Any]]] = {
        "loss": lambda: loss.measure(seconds),
        "departures": lambda: departures.measure(10, 2 * short_s, host),
        "interruptions": lambda: with_fake(lambda fake: interruptions.measure(fake, rounds)),
        "faults": lambda: with_fake(faults.measure),
        "cost": lambda: cost.measure(10, short_s, rounds=3),
    }
    figures: dict[str, Any] = {"load": round(os.getloadavg()[0], 2)}
    for index, part in enumerate(parts):
        progress(part, index / len(parts))
        figures[part] = await runs[part]()
    progress("done", 1.0)
    return figures


def run(
    parts: Sequence[str],
    spec: HostSpec | None,
    seconds: float,
    rounds: int,
    progress: Progress,
) -> dict[str, Any]:
    """Start what the parts need, measure, and end it again.

    Raises:
        EngineError: an engine cannot be started.
    """

    async def measured() -> dict[str, Any]:
        async with contextlib.AsyncExitStack() as stack:
            host = fake = None
            if spec is not None and "departures" in parts:
                host = await stack.enter_async_context(EngineHost(spec))
            if {"interruptions", "faults"} & set(parts):
                fake = await stack.enter_async_context(EngineHost(FAKE))
            return await measure(parts, host, fake, seconds, rounds, progress)

    return asyncio.run(measured())
