"""Measures the parts that the model is fed with: an engine by itself, and a service with few users.

Nothing else should be running. Processor time is what Linux counts, in steps of 10 ms, so every
figure is taken over seconds.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import numpy as np

from engines.api import Reference, Segment, Voice
from engines.bench import TEXTS
from engines.host import EngineHost, HostSpec
from engines.progress import Progress
from engines.resampling import resample
from loadtests.model.parts import EngineParts, EnrolParts, MediaParts, Parts, Said, Text
from loadtests.processes import TreeUsage, tree_usage
from loadtests.target import Target, target
from loadtests.voices import stock_voices
from voicepeer.client import VoicePeerClient
from voicepeer.core.errors import VoicePeerError
from voicepeer.core.messages import VoiceReady
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.order import Abilities, Order
from voicepeer.core.speaking.queue import UtteranceQueue
from voicepeer.core.speaking.segment import FIRST_MAX_WORDS, SHORT_FIRST_WORDS
from voicepeer.machine import process_usage

CONSENT = "This is a synthetic voice that the engine itself has made for a measurement."
ALONE_TEXTS = 8
"""Said to one user alone, from beginning to end."""

TEXT_S = 5.0
"""About what one sounds."""


class MeasuringFailed(VoicePeerError):
    """A part could not be measured; the message says why."""

    code = "measuring_failed"


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured: more takes longer and tells more."""

    rounds: int = 4
    """How often each text is said."""
    users: int = 4
    phase_s: float = 10.0
    """Of each of the things that a user does."""
    settle_s: float = 2.0
    """After something has begun, before it is measured."""


async def measure(
    spec: HostSpec,
    service_arguments: Sequence[str],
    said: Sequence[str],
    effort: Effort,
    progress: Progress,
) -> Parts:
    """Measure all parts, one after the other; takes three minutes with a dozen texts.

    Args:
        spec: the engine by itself.
        service_arguments: options with which ``voicepeer serve`` uses the same.
        said: texts.

    Raises:
        EngineError: why the engine cannot be run.
        ServiceFailed: why the service cannot.
        MeasuringFailed: somebody heard nothing.
    """
    async with EngineHost(spec) as host:
        engine, speech = await _engine(host, said, effort, progress)
    async with target(None, service_arguments, effort.users) as service:
        meter = _Meter(service, said, speech, effort)
        progress("a service with users", 0.0)
        media = await meter.media()
        progress("a service with users", 0.6)
        single = await meter.single()
        progress("a service with users", 0.9)
        enrolment = await meter.enrolment(media)
    progress("a service with users", 1.0)
    return Parts(os.cpu_count() or 1, engine, media, enrolment, tuple(single))


# --- the engine ---------------------------------------------------------------------------------


async def _engine(
    host: EngineHost, said: Sequence[str], effort: Effort, progress: Progress
) -> tuple[EngineParts, Pcm]:
    """Its parts, and some of its speech at the rate of the wire, to be used for a microphone."""
    voices = await host.stock_voices()
    stock = voices[min(voices)]
    spoken = [await _say(host, job, stock) for job in _jobs(host, " ".join(said[:3]), early=False)]
    speech = np.concatenate([pcm for _, pcm in spoken])
    # What users have are learned voices, which are filtered to sound like their speakers.
    voice = await host.enrol(await _reference(host, speech))
    before_s = _worker_cpu_s(host)
    measured = []
    for index, text in enumerate(said):
        progress("the engine", index / len(said))
        whole = await _text(host, text, voice, effort.rounds, early=False)
        early = await _text(host, text, voice, effort.rounds, early=True)
        measured.append(Text(len(text.split()), whole, early))
    cpu_s = _worker_cpu_s(host) - before_s
    sentence = Segment(TEXTS[10], _language(host))
    again = [(await _said(host, sentence, stock))[0] for _ in range(2 * effort.rounds)]
    every = (one for text in measured for part in (text.pieces, text.early_pieces) for one in part)
    work_s = sum(piece.work_ms for said in every for piece in said) / 1000.0
    usage = process_usage(host.worker_pids["speech"])
    info = host.info
    parts = EngineParts(
        engine=info.name,
        provider=info.provider,
        precision=info.precision,
        rate_hz=info.sample_rate_hz,
        first_chunk_ms=round(info.first_chunk_ms, 1),
        cores=round(cpu_s / work_s, 3),
        rss_mb=round(0.0 if usage is None else usage.resident_bytes / 1e6, 1),
        texts=tuple(measured),
        sentence=tuple(again),
    )
    return parts, resample(speech, info.sample_rate_hz, WIRE_RATE_HZ)


async def _reference(host: EngineHost, speech: Pcm) -> Reference:
    rate_hz = host.info.sample_rate_hz
    if host.info.encoder is None:
        return Reference(speech, rate_hz)
    heard = resample(speech, rate_hz, host.encoder_rate_hz)
    return Reference(speech, rate_hz, await host.embed(heard))


def _jobs(host: EngineHost, text: str, *, early: bool) -> list[Job]:
    """A text as a session gives it to the engine."""
    first_words = SHORT_FIRST_WORDS if early else FIRST_MAX_WORDS
    queue = UtteranceQueue(abilities=Abilities.of(host.info), first_words=first_words)
    queue.speak("measured", text, 0.0, Order(_language(host)))
    jobs = []
    while (job := queue.take()) is not None:
        jobs.append(job)
    return jobs


def _language(host: EngineHost) -> str:
    return min(host.info.languages, key=lambda tag: (tag != "en-us", tag))


async def _text(
    host: EngineHost, text: str, voice: Voice, rounds: int, *, early: bool
) -> tuple[tuple[Said, ...], ...]:
    jobs = _jobs(host, text, early=early)
    times = [[(await _say(host, job, voice))[0] for job in jobs] for _ in range(rounds)]
    return tuple(zip(*times, strict=True))


async def _say(host: EngineHost, job: Job, voice: Voice) -> tuple[Said, Pcm]:
    return await _said(host, job.segment, voice)


async def _said(host: EngineHost, segment: Segment, voice: Voice) -> tuple[Said, Pcm]:
    chunks = [chunk async for chunk in host.speak(segment, voice)]
    if not chunks:
        raise MeasuringFailed("the engine said nothing: is it the right language?")
    said = Said(
        front_ms=round(chunks[0].front_ms, 1),
        made_ms=tuple(round(chunk.made_ms, 1) for chunk in chunks),
        last_ms=round(chunks[-1].pcm.size * 1000.0 / host.info.sample_rate_hz, 1),
    )
    return said, np.concatenate([chunk.pcm for chunk in chunks])


def _worker_cpu_s(host: EngineHost) -> float:
    usage = process_usage(host.worker_pids["speech"])
    if usage is None:
        raise MeasuringFailed("the engine's process has ended: measure again")
    return usage.cpu_s


# --- the service --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Spent:
    """Between two moments; seconds of time, and of processor time."""

    seconds: float
    main_s: float
    """Of the process that does the network's work."""
    workers_s: float


class _Meter:
    """Users of a running service, and what they cost it."""

    def __init__(self, service: Target, said: Sequence[str], speech: Pcm, effort: Effort) -> None:
        self._service = service
        self._said = said
        self._speech = speech
        self._effort = effort
        self._users: list[VoicePeerClient] = []

    async def media(self) -> MediaParts:
        """Users who are silent, then speak, then are spoken to."""
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
            await user.use_voice((await stock_voices(self._service.url, self._service.token))[0])
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
        return EnrolParts(round(cpu_s, 2), round(ready.clone_ms, 1))

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
        voice = (await stock_voices(self._service.url, self._service.token))[0]
        await asyncio.gather(*(user.use_voice(voice) for user in self._users))
        before, began_s = self._usage(), time.monotonic()
        count = max(1, round(self._effort.phase_s / TEXT_S))
        told = [
            (user, " ".join(self._said[(index + nth) % len(self._said)] for nth in range(count)))
            for index, user in enumerate(self._users)
        ]
        results = await asyncio.gather(*(user.say(text) for user, text in told))
        return self._since(before, began_s), sum(one.audio_ms for one in results) / 1000.0

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
