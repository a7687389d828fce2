"""A service, testers for it, and what watches both; everything ends with the block."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import aiohttp

from engines.progress import Progress
from loadtests.fleet import Fleet, fleet, testers_for
from loadtests.report import WindowFigures, window_figures
from loadtests.target import Target, target, without_userinfo
from loadtests.voices import FAKE_F0_HZ, make_references, phrases
from loadtests.watch import Watch
from loadtests.wire import Kind, UserPlan
from voicepeer import console
from voicepeer.audio import write_wav
from voicepeer.client import RequestFailed
from voicepeer.core.errors import VoicePeerError
from voicepeer.core.pcm import WIRE_RATE_HZ

READY_TIMEOUT_S: Final = 120.0
"""For the slowest user to call and to have a voice, beside what the pace of arrivals takes."""

FAKE: Final = "fake"
"""The engine whose speech is no speech."""

LOOK_S: Final = 1.0
"""How often it is looked meanwhile whether the service is still there."""

APART_S: Final = 0.5
"""Between the calls of two users."""


class LoadtestFailed(VoicePeerError):
    """There is nothing to measure; the message says why."""

    code = "loadtest_failed"


@dataclass(frozen=True, slots=True)
class Setting:
    """What is measured, and with which recordings."""

    url: str | None = None
    service_arguments: Sequence[str] = ()
    voices: Sequence[Path] = ()
    """Recordings of speakers; none lets the service make some."""
    seed: int = 1
    debug: bool = False


def plans(
    count: int, setting: Setting, kinds: Sequence[Kind] = ("talk",), *, first: int = 0
) -> list[UserPlan]:
    """So many users, of the kinds in turn; those of rooms are in one together."""
    return [
        UserPlan(
            name=f"user-{index}",
            kind=kind,
            seed=setting.seed * 100_003 + index,
            room="loadtest" if kind in ("room", "mix") else "default",
        )
        for index in range(first, first + count)
        for kind in (kinds[index % len(kinds)],)
    ]


@dataclass
class Stage:
    """A service with testers."""

    target: Target
    fleet: Fleet
    watch: Watch
    progress: Progress
    users: int = 0

    async def add(self, users: Sequence[UserPlan]) -> None:
        """Let more users call, and wait until they are ready.

        Raises:
            LoadtestFailed: none of them all ever was, or the service has ended.
        """
        self.users += len(users)
        await self.fleet.add(users, APART_S)
        until_s = time.monotonic() + READY_TIMEOUT_S + APART_S * len(users)
        while (ready := await self.fleet.until_ready(self.users, LOOK_S)) < self.users:
            self.check()
            if time.monotonic() >= until_s:
                break
        if not ready:
            codes = ", ".join(self.fleet.journal.codes()) or "no answer"
            raise LoadtestFailed(f"no user could call the service: {codes}")

    async def wait(self, what: str, duration_s: float) -> tuple[float, float]:
        """Let time pass, and show how much of it has; its beginning and its end.

        Raises:
            LoadtestFailed: the service has ended by itself.
            TesterFailed: one of the testers has.
        """
        began_s = time.monotonic()
        step_s = max(0.2, duration_s / 100)
        while (passed_s := time.monotonic() - began_s) < duration_s:
            self.progress(what, passed_s / duration_s)
            await self.fleet.wait(min(step_s, duration_s - passed_s))
            self.check()
        self.progress(what, 1.0)
        return began_s, time.monotonic()

    def check(self) -> None:
        """Raises ``LoadtestFailed`` where the service has ended: nothing is left to measure."""
        if self.watch.has_ended:
            raise LoadtestFailed("the service has ended by itself: see what it logs with --debug")

    def figures(self, began_s: float, until_s: float, talk: float) -> WindowFigures:
        """Of what happened in that time."""
        return window_figures(
            self.fleet.journal.between(began_s, until_s),
            self.watch.between(began_s, until_s),
            users=self.users,
            talk=talk,
            seconds=until_s - began_s,
            degraded=sorted(self.watch.degraded(began_s, until_s)),
        )


@asynccontextmanager
async def stage(setting: Setting, most_users: int, progress: Progress) -> AsyncIterator[Stage]:
    """A service for so many users at most, its testers and its watch.

    Raises:
        ServiceFailed: the service did not get ready.
        LoadtestFailed: it refuses what is needed.
    """
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="voicepeer-voices-")))
        progress("starting the service", 0.0)
        service = await stack.enter_async_context(
            target(setting.url, setting.service_arguments, most_users, _log(setting))
        )
        voices = setting.voices or await _made_voices(service, folder)
        testers = testers_for(most_users)
        progress(f"starting {testers} testers", 0.0)
        running = await stack.enter_async_context(
            fleet(service, voices, testers, debug=setting.debug)
        )
        watch = Watch(service)
        watching = asyncio.create_task(watch.run(), name="watch")
        stack.push_async_callback(_ended, watching)
        yield Stage(service, running, watch, progress)


def _log(setting: Setting) -> Callable[[str], None]:
    """Where the service's own words go: to nobody, unless somebody wants to see everything."""
    return console.note if setting.debug else lambda line: None


async def _made_voices(service: Target, folder: Path) -> list[Path]:
    if service.engine == FAKE:
        files = [folder / f"{f0_hz:g}.wav" for f0_hz in FAKE_F0_HZ]
        for file, f0_hz in zip(files, FAKE_F0_HZ, strict=True):
            write_wav(file, phrases(f0_hz), WIRE_RATE_HZ)
        return files
    try:
        made = await make_references(service.url, service.token)
    except (aiohttp.ClientError, TimeoutError) as error:
        where, reason = without_userinfo(service.url), str(error) or "no answer"
        raise LoadtestFailed(f"no service at {where}: {reason}") from error
    except RequestFailed as error:
        raise LoadtestFailed(f"the service refuses ({error.code}): {error}") from error
    if not made:
        raise LoadtestFailed("the service has no voice of its own: give recordings by --voices")
    files = [folder / f"{index}.wav" for index in range(len(made))]
    for file, wav in zip(files, made, strict=True):
        file.write_bytes(wav)
    return files


async def _ended(task: asyncio.Task[None]) -> None:
    """End what watches; if it had a fault, samples are missing, and nobody may overlook that."""
    task.cancel()
    (fault,) = await asyncio.gather(task, return_exceptions=True)
    if isinstance(fault, Exception):
        raise fault
