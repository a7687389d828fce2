"""The comparison: all are started and warmed up, then called in turn until the time is over."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from aiortc.exceptions import InvalidStateError

from engines.progress import Progress, no_progress
from loadtests.peers import calls
from loadtests.peers.catalogue import Ours, Peer
from loadtests.peers.contestant import Caller, Contestant, Reader, Samples
from loadtests.peers.install import (
    MODEL_FOLDER,
    PeerUnavailable,
    environment,
    is_installed,
    python_of,
)
from loadtests.peers.lateness import watching
from loadtests.peers.process import BotProcess, running_bot
from loadtests.peers.script import SCRIPT, Script, interleaved, order
from loadtests.peers.usage import usage_of
from voicepeer.child_service import ServiceFailed, running_service
from voicepeer.client import CallEnded, RequestFailed, SignalingFailed

START_TIMEOUT_S = 180.0
"""Models that were never loaded before are compiled first."""

LOSSY_RESERVE_S = 14.0
"""For each call that loses packets, at the end."""

Compared: TypeAlias = Ours | Peer

_FAILURES = (
    PeerUnavailable, ServiceFailed, CallEnded, RequestFailed, SignalingFailed, TimeoutError,
    InvalidStateError, ConnectionError,
)  # fmt: skip
"""Of one of the compared, the last two where a channel or a pipe has closed meanwhile."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured, and in which order."""

    folder: Path
    rounds: int
    seconds: float
    """For everything, from the first start to the last call."""
    seed: int = 1
    script: Script = SCRIPT


@dataclass
class Run:
    """One of the compared, with what was measured of it."""

    who: Compared
    about: dict[str, str] = field(default_factory=dict)
    """Versions of packages, or the engine."""
    samples: Samples = field(default_factory=Samples)
    contestant: Contestant | None = None

    @property
    def able(self) -> Contestant | None:
        """The contestant, as long as it has not failed."""
        return self.contestant if self.samples.failure is None else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All runs, and how late the listener was meanwhile."""

    runs: list[Run]
    late_ms: list[float] = field(default_factory=list)


async def compare(
    ours: Sequence[Ours], peers: Sequence[Peer], plan: Plan, progress: Progress = no_progress
) -> Comparison:
    """Measure all of them in one run; who cannot be run has the reason in its samples."""
    ends_s = time.monotonic() + plan.seconds
    runs = [Run(who) for who in interleaved(list[Compared](peers), list[Compared](ours))]
    async with AsyncExitStack() as stack:
        progress("starting", 0.0)
        await asyncio.gather(*(_start(run, plan, stack) for run in runs))
        for index, run in enumerate(runs):
            progress("warming up", index / len(runs))
            await _perform(run, plan.script.warming, Samples())
        await _watch_idle(runs, plan.script.idle_s)
        lossy_s = LOSSY_RESERVE_S * sum(isinstance(run.able, Caller) for run in runs)
        late_ms = await stack.enter_async_context(watching())
        await _rounds(runs, plan, ends_s - lossy_s, progress)
        for index, run in enumerate(runs):
            progress("lossy calls", index / len(runs))
            if (able := run.able) is not None:
                with _noting_failure(run):
                    await able.perform_lossy(plan.script, run.samples, plan.seed)
    return Comparison(runs, late_ms)


@contextmanager
def _noting_failure(run: Run, late: str = "it did not answer in time") -> Iterator[None]:
    """Who fails once is left out from then on, and the others go on."""
    try:
        yield
    except _FAILURES as error:
        run.samples.failure = str(error) or late


async def _start(run: Run, plan: Plan, stack: AsyncExitStack) -> None:
    with _noting_failure(run, "it did not get ready in time"):
        async with asyncio.timeout(START_TIMEOUT_S):
            match run.who:
                case Ours():
                    await _start_ours(run, run.who, stack)
                case Peer():
                    await _start_peer(run, run.who, plan.folder, stack)


async def _start_ours(run: Run, who: Ours, stack: AsyncExitStack) -> None:
    voices = stack.enter_context(tempfile.TemporaryDirectory(prefix="peers-"))
    flags = (*who.flags, "--database", str(Path(voices) / "voices.sqlite"))
    service = await stack.enter_async_context(running_service(flags))
    ready = service.ready
    run.about.update(engine=ready.engine, provider=ready.provider, precision=ready.precision)
    run.contestant = Caller(who.name, service.pid, lambda: calls.our_call(ready.url, who.voice_id))


async def _start_peer(run: Run, who: Peer, folder: Path, stack: AsyncExitStack) -> None:
    python = python_of(folder, who)
    if not python.exists() or not is_installed(folder, who):
        # Half an installation, or one of other versions than are told, would be no comparison.
        raise PeerUnavailable(
            "it is not installed as its file asks for: run this command with --install first"
        )
    model = (folder / MODEL_FOLDER).absolute()
    command = (str(python.absolute()), "-m", who.module, str(model))
    bot = await stack.enter_async_context(running_bot(who.name, command, environment()))
    run.about.update(bot.ready.versions)
    run.contestant = contestant_of(bot)


def contestant_of(bot: BotProcess) -> Contestant:
    """A bot as it is measured: it takes calls if it says where."""
    if bot.ready.offer_url is None:
        return Reader(bot)
    return Caller(bot.name, bot.pid, lambda: calls.bot_call(bot))


async def _watch_idle(runs: Sequence[Run], seconds: float) -> None:
    """What they take while nobody calls, which is also what they take from each other."""
    there = [(run, run.able) for run in runs if run.able is not None]
    before = [usage_of(contestant.pid) for _, contestant in there]
    await asyncio.sleep(seconds)
    for (run, contestant), usage in zip(there, before, strict=True):
        now = usage_of(contestant.pid)
        if now.cpu_s < usage.cpu_s:
            # Nobody gives processor time back.
            run.samples.failure = "it ended while nobody called it"
        else:
            run.samples.idle_cores = now.cores_since(usage)


async def _rounds(runs: Sequence[Run], plan: Plan, ends_s: float, progress: Progress) -> None:
    longest_s = 0.0
    for index, turns in enumerate(order(runs, plan.rounds, plan.seed)):
        began_s = time.monotonic()
        if began_s + longest_s > ends_s:
            return
        for turn, run in enumerate(turns):
            progress(f"round {index + 1} of {plan.rounds}", turn / len(turns))
            await _perform(run, plan.script, run.samples)
        longest_s = max(longest_s, time.monotonic() - began_s)


async def _perform(run: Run, script: Script, samples: Samples) -> None:
    if (able := run.able) is not None:
        with _noting_failure(run):
            await able.perform(script, samples)
