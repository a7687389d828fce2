"""Connections that come and go, half of them killed at some phase of their set-up: what is left?

The service runs in this process, so that its tasks can be counted; its clients run in others,
which are killed with SIGKILL or leave. Models are the fake ones, in processes of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from typing import Any, Final

import aiohttp
import numpy as np

from voicepeer import config
from voicepeer.benches.visitor import PHASES, Phase
from voicepeer.core.errors import VoicePeerError
from voicepeer.service import Service, ServiceState

LEAVING: Final = 8
"""Clients in one process that leave after a call: more would be more than two cores can serve."""

KILLED: Final = 2 * len(PHASES)
"""Clients in one process that is killed; most of them have no media yet."""

WARM_UP: Final = 100
"""Connections after which memory, threads and descriptors are expected to stay as they are."""

STEP_TIMEOUT_S: Final = 60.0
POLL_S: Final = 0.02
SETTLE_S: Final = 0.5
"""After the last session for what its end has started to end as well."""

FLAT_KB: Final = 20.0
"""Of memory per connection, after warming up: under this is the allocator, not a leak."""

_PAGE_MB: Final = os.sysconf("SC_PAGE_SIZE") / 1e6

Progress = Callable[[str, float], None]


class BenchFailed(VoicePeerError):
    """The measurement could not be made."""

    code = "bench_failed"


@dataclass(frozen=True, slots=True)
class Sample:
    """What the process of the service holds while nobody is connected."""

    connections: int
    """That have come and gone before."""
    rss_mb: float
    fds: int
    threads: int
    tasks: int

    @classmethod
    def now(cls, connections: int) -> Sample:
        """Take stock, garbage not counted."""
        gc.collect()
        with open("/proc/self/statm") as file:
            rss_mb = int(file.read().split()[1]) * _PAGE_MB
        return cls(
            connections,
            round(rss_mb, 1),
            _open_files(),
            threading.active_count(),
            len(asyncio.all_tasks()),
        )


def _open_files() -> int:
    """Descriptors of this process, without the spare one that SQLite may hold of a database.

    While one connection has a lock on the file, SQLite keeps the descriptor of another one that was
    closed for the next to come (https://sqlite.org/src/file/src/os_unix.c, "pending close"): a
    database may be open once or twice, but no more.
    """
    targets = Counter[str]()
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # that of the listing itself
            targets[os.readlink(f"/proc/self/fd/{descriptor}")] += 1
    spare = sum(1 for path, count in targets.items() if path.endswith(".sqlite") and count > 1)
    return targets.total() - spare


@dataclass(frozen=True, slots=True)
class _Batch:
    phases: tuple[Phase, ...]
    killed: bool


def run(count: int, progress: Progress) -> dict[str, Any]:
    """Open and close ``count`` connections; the figures that ``--json`` prints.

    Raises:
        BenchFailed: the clients did not start, or a session did not end.
    """
    return asyncio.run(measure(count, progress))


async def measure(count: int, progress: Progress) -> dict[str, Any]:
    """As ``run``, in a running loop."""
    started_s = time.monotonic()
    freed_s: dict[bool, list[float]] = {True: [], False: []}
    samples: list[Sample] = []
    reached: Counter[str] = Counter()
    async with _serving() as url, aiohttp.ClientSession() as http, _Visitors(url) as visitors:
        done = failed = 0
        for batch in _batches(count):
            progress("connections", done / count)
            failed += await visitors.arrive(batch)
            ended_s = time.monotonic()
            await visitors.end(batch.killed)
            await _until_empty(http, url)
            freed_s[batch.killed].append(time.monotonic() - ended_s)
            done += len(batch.phases)
            reached.update(batch.phases if batch.killed else ())
            await asyncio.sleep(SETTLE_S)
            samples.append(Sample.now(done))
        progress("connections", 1.0)
    figures = _figures(samples, freed_s, reached)
    took_s = round(time.monotonic() - started_s, 1)
    return {"count": count, "failed": failed, **figures, "took_s": took_s}


def _batches(count: int) -> Iterator[_Batch]:
    """One third of the connections leave after a call, the rest is killed, evenly in all phases."""
    called: tuple[Phase, ...] = ("connected", "speaking")
    left, killed = count, False
    while left > 0:
        size = min(KILLED if killed else LEAVING, left)
        yield _Batch(tuple(islice(cycle(PHASES if killed else called), size)), killed)
        left, killed = left - size, not killed


def _figures(
    samples: Sequence[Sample], freed_s: dict[bool, list[float]], reached: Counter[str]
) -> dict[str, Any]:
    warm = [sample for sample in samples if sample.connections >= WARM_UP] or list(samples)
    first, last = warm[0], warm[-1]
    slope_kb = _slope_kb(warm)
    same = (first.fds, first.threads, first.tasks) == (last.fds, last.threads, last.tasks)
    return {
        "killed": dict(reached),
        "after_warm_up": asdict(first),
        "after_all": asdict(last),
        "rss_kb_per_connection": slope_kb,
        "flat": same and (slope_kb is None or slope_kb < FLAT_KB),
        "left_freed_s": _spread(freed_s[False]),
        "killed_freed_s": _spread(freed_s[True]),
        "notes": {}
        if slope_kb is not None
        else {"rss_kb_per_connection": f"needs more than {WARM_UP + 2 * KILLED} connections"},
    }


def _slope_kb(samples: Sequence[Sample]) -> float | None:
    """Growth of memory per connection, by a straight line through all samples."""
    if len(samples) < 3 or samples[0].connections < WARM_UP:
        return None
    at = [sample.connections for sample in samples]
    return round(float(np.polyfit(at, [sample.rss_mb * 1000 for sample in samples], 1)[0]), 2)


def _spread(values: Sequence[float]) -> dict[str, float | None]:
    if not values:
        return {"p50": None, "max": None}
    return {"p50": round(float(np.median(values)), 2), "max": round(max(values), 2)}


# --- the service ------------------------------------------------------------------------------


@asynccontextmanager
async def _serving() -> AsyncIterator[str]:
    """A whole service in this process; gives its address when it is ready."""
    with tempfile.TemporaryDirectory() as folder:
        settings = config.load(
            {
                "engine.speech": "fake",
                "engine.encoder": "fake",
                "engine.vad": "fake",
                "server.port": "0",
                "server.max_sessions": str(4 * KILLED),
                "server.max_per_room": str(4 * KILLED),
                "voices.database": f"{folder}/voices.sqlite",
                "log.level": "error",
            },
            environ={},
        )
        ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def announce(state: ServiceState) -> None:
            if state.name == "ready" and not ready.done():
                ready.set_result(state.url)

        service = Service(settings, announce)
        running = asyncio.create_task(service.run(), name="service")
        try:
            either: list[asyncio.Future[Any]] = [ready, running]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                raise BenchFailed("the service ended at once") from running.exception()
            yield ready.result()
        finally:
            service.stop()
            await asyncio.wait([running])


async def _until_empty(http: aiohttp.ClientSession, url: str) -> None:
    """Wait until the service has no session left."""
    try:
        async with asyncio.timeout(STEP_TIMEOUT_S):
            while await _sessions(http, url):  # noqa: ASYNC110 - known by asking only
                await asyncio.sleep(POLL_S)
    except TimeoutError:
        raise BenchFailed(f"sessions are still there after {STEP_TIMEOUT_S:.0f} s") from None


async def _sessions(http: aiohttp.ClientSession, url: str) -> int:
    async with http.get(f"{url}/readyz") as response:
        return int((await response.json()).get("sessions", 1))


# --- its clients ------------------------------------------------------------------------------


class _Visitors:
    """One process of clients after the other."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> _Visitors:
        return self

    async def __aexit__(self, *error: object) -> None:
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.communicate()

    async def arrive(self, batch: _Batch) -> int:
        """Let a batch of clients come to their phases; how many failed to."""
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "voicepeer.benches.visitor", self._url, *batch.phases),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        await self._expect("loaded")
        await self._go_on()
        return int(await self._expect("there"))

    async def end(self, killed: bool) -> None:
        """Kill them all at once, or let them leave."""
        process, self._process = self._process, None
        assert process is not None
        if killed:
            process.kill()
        else:
            assert process.stdin is not None
            process.stdin.write(b"\n")
        await process.communicate()

    async def _go_on(self) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        await self._process.stdin.drain()

    async def _expect(self, word: str) -> str:
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            async with asyncio.timeout(STEP_TIMEOUT_S):
                line = (await self._process.stdout.readline()).decode().strip()
        except TimeoutError:
            raise BenchFailed(f"the clients were not {word!r} in time") from None
        said, _, more = line.partition(" ")
        if said != word:
            raise BenchFailed(f"the clients failed before they were {word!r}")
        return more
