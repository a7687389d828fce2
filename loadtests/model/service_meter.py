"""Measures a running service with a few users, by the processor time of its processes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from loadtests.model.parts import EnrolParts, MeasuringFailed, MediaParts
from loadtests.processes import TreeUsage, tree_usage
from loadtests.target import Target
from loadtests.voices import stock_voices
from voicepeer.client import VoicePeerClient
from voicepeer.core.messages import VoiceReady
from voicepeer.core.pcm import Pcm
from voicepeer.machine import process_usage

CONSENT = "This is a synthetic voice that the engine itself has made for a measurement."
ALONE_TEXTS = 8
"""Said to one user alone, from beginning to end."""

TEXT_S = 5.0
"""About what one sounds."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured: more takes longer and tells more."""

    users: int = 4
    phase_s: float = 10.0
    """Of each of the things that a user does."""
    settle_s: float = 2.0
    """After something has begun, before it is measured."""


@dataclass(frozen=True, slots=True)
class _Spent:
    """Between two moments; seconds of time, and of processor time."""

    seconds: float
    main_s: float
    """Of the process that does the network's work."""
    workers_s: float


class ServiceMeter:
    """Users of a running service, and what they cost it."""

    def __init__(self, service: Target, said: Sequence[str], speech: Pcm, effort: Effort) -> None:
        self._service = service
        self._said = said
        self._speech = speech
        self._effort = effort
        self._users: list[VoicePeerClient] = []

    async def media(self) -> MediaParts:
        """Users who are silent, then speak, then are spoken to."""
        # What a service does once after its start is not what it does when idle.
        await asyncio.sleep(self._effort.settle_s)
        empty, memory_mb, idle = self._usage(), self._main_mb(), await self._phase()
        async with self._connected(self._effort.users):
            with_users_mb = self._main_mb()
            silent = await self._phase()
            heard = await self._speaking()
            said, audio_s = await self._spoken_to()
        users = self._effort.users
        before_s, quiet_s = idle.main_s / idle.seconds, silent.main_s / silent.seconds
        workers_s = silent.workers_s / silent.seconds
        return MediaParts(
            idle_ms=_ms((idle.main_s + idle.workers_s) / idle.seconds),
            silent_ms=_ms((quiet_s - before_s) / users),
            heard_ms=_ms((heard.main_s / heard.seconds - quiet_s) / users),
            speaking_ms=_ms((said.main_s - quiet_s * said.seconds) / audio_s),
            listening_ms=_ms((heard.workers_s / heard.seconds - workers_s) / users),
            session_mb=round(max(0.0, with_users_mb - memory_mb) / users, 2),
            service_mb=round(empty.rss_mb, 1),
        )

    async def single(self) -> list[float]:
        """Latencies of one user alone, in milliseconds, of all texts but the first time of one."""
        said = self._said[:ALONE_TEXTS]
        async with self._connected(1) as (user,):
            await user.use_voice(await self._voice())
            await user.say(said[0])
            results = [await user.say(text) for text in said]
        heard = [one.first_audible_ms for one in results if one.first_audible_ms is not None]
        if not heard:
            raise MeasuringFailed("nothing audible came from the service")
        return [round(ms, 1) for ms in heard]

    async def enrolment(self, media: MediaParts) -> EnrolParts:
        """One voice, learned from the engine's own speech."""
        async with VoicePeerClient(self._service.url, self._speech) as user:
            before, began_s = self._usage(), time.monotonic()
            ready = await user.enrol(CONSENT)
            spent = self._since(before, began_s)
        assert isinstance(ready, VoiceReady)
        connected_s = (media.idle_ms + media.silent_ms) / 1000.0 * spent.seconds
        cpu_s = spent.main_s + spent.workers_s - connected_s
        return EnrolParts(round(max(0.0, cpu_s), 2), round(ready.clone_ms, 1))

    @asynccontextmanager
    async def _connected(self, users: int) -> AsyncIterator[Sequence[VoicePeerClient]]:
        async with AsyncExitStack() as stack:
            self._users = [
                await stack.enter_async_context(VoicePeerClient(self._service.url))
                for _ in range(users)
            ]
            await asyncio.sleep(self._effort.settle_s)
            yield self._users

    async def _phase(self) -> _Spent:
        before, began_s = self._usage(), time.monotonic()
        await asyncio.sleep(self._effort.phase_s)
        return self._since(before, began_s)

    async def _speaking(self) -> _Spent:
        """All users speak, and nobody learns from it."""
        async with AsyncExitStack() as stack:
            for user in self._users:
                await stack.enter_async_context(user.call.speaking(self._speech))
            await asyncio.sleep(self._effort.settle_s)
            return await self._phase()

    async def _spoken_to(self) -> tuple[_Spent, float]:
        """A long text to each of them; what it took, and how long they sounded in all."""
        voice = await self._voice()
        await asyncio.gather(*(user.use_voice(voice) for user in self._users))
        before, began_s = self._usage(), time.monotonic()
        count = max(1, round(self._effort.phase_s / TEXT_S))
        told = [
            (user, " ".join(self._said[(index + nth) % len(self._said)] for nth in range(count)))
            for index, user in enumerate(self._users)
        ]
        results = await asyncio.gather(*(user.say(text) for user, text in told))
        spent, audio_s = self._since(before, began_s), sum(one.audio_ms for one in results) / 1000.0
        if not audio_s:
            raise MeasuringFailed("the service said nothing: is it the right language?")
        return spent, audio_s

    async def _voice(self) -> str:
        voices = await stock_voices(self._service.url, self._service.token)
        if not voices:
            raise MeasuringFailed("the service has no voice of its own to speak with")
        return voices[0]

    # --- what Linux counts ----------------------------------------------------------------------

    def _usage(self) -> TreeUsage:
        usage = None if self._service.pid is None else tree_usage(self._service.pid)
        if usage is None:
            raise MeasuringFailed("the service has ended: measure again")
        return usage

    def _since(self, before: TreeUsage, began_s: float) -> _Spent:
        now, seconds = self._usage(), time.monotonic() - began_s
        main_s = now.main_cpu_s - before.main_cpu_s
        return _Spent(seconds, main_s, now.cpu_s - before.cpu_s - main_s)

    def _main_mb(self) -> float:
        usage = None if self._service.pid is None else process_usage(self._service.pid)
        return 0.0 if usage is None else usage.resident_bytes / 1e6


def _ms(share: float) -> float:
    """Milliseconds a second; what is less than nothing is what Linux did not count in time."""
    return round(max(0.0, 1000.0 * share), 2)
