"""Measures an engine by itself, in its own process as a service runs it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engines.api import Reference, Segment, Voice
from engines.bench import TEXTS, VOICE
from engines.host import EngineHost
from engines.progress import Progress
from engines.resampling import resample
from loadtests.model.parts import EngineParts, MeasuringFailed, Said, Text
from voicepeer.core.pcm import WIRE_RATE_HZ, Pcm
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.order import Abilities, Order
from voicepeer.core.speaking.queue import UtteranceQueue
from voicepeer.core.speaking.segment import FIRST_MAX_WORDS, SHORT_FIRST_WORDS
from voicepeer.machine import process_usage


async def measure_engine(
    host: EngineHost, said: Sequence[str], rounds: int, progress: Progress
) -> tuple[EngineParts, Pcm]:
    """Its parts, and some of its speech at the rate of the wire, to be used for a microphone.

    Raises:
        EngineError: what the engine raised.
        MeasuringFailed: it said nothing, or its process has ended.
    """
    voices = await host.stock_voices()
    if not voices:
        raise MeasuringFailed("the engine has no voice of its own to speak with")
    stock = voices.get(VOICE) or voices[min(voices)]
    spoken = [
        await say(host, job.segment, stock)
        for job in jobs_of(host, " ".join(said[:3]), early=False)
    ]
    speech = np.concatenate([pcm for _, pcm in spoken])
    # What users have are learned voices, which are filtered to sound like their speakers.
    voice = await host.enrol(await _reference(host, speech))
    before_s = _worker_cpu_s(host)
    measured = []
    for index, text in enumerate(said):
        progress("the engine", index / len(said))
        whole = await _text(host, text, voice, rounds, early=False)
        early = await _text(host, text, voice, rounds, early=True)
        measured.append(Text(len(text.split()), whole, early))
    cpu_s, work_s = _worker_cpu_s(host) - before_s, _work_s(measured)
    # An engine that takes no time at all is a scripted one.
    cores = cpu_s / work_s if work_s else 0.0
    sentence = Segment(TEXTS[10], _language(host))
    again = [(await say(host, sentence, stock))[0] for _ in range(2 * rounds)]
    parts = _parts(host, cores, measured, again)
    return parts, resample(speech, host.info.sample_rate_hz, WIRE_RATE_HZ)


def _work_s(texts: Sequence[Text]) -> float:
    every = (piece for text in texts for part in (text.pieces, text.early_pieces) for piece in part)
    return sum(said.work_ms for piece in every for said in piece) / 1000.0


def _parts(
    host: EngineHost, cores: float, texts: Sequence[Text], sentence: Sequence[Said]
) -> EngineParts:
    info, usage = host.info, process_usage(host.worker_pids["speech"])
    return EngineParts(
        engine=info.name,
        provider=info.provider,
        precision=info.precision,
        rate_hz=info.sample_rate_hz,
        first_chunk_ms=round(info.first_chunk_ms, 1),
        cores=round(cores, 3),
        rss_mb=round(0.0 if usage is None else usage.resident_bytes / 1e6, 1),
        texts=tuple(texts),
        sentence=tuple(sentence),
    )


async def _reference(host: EngineHost, speech: Pcm) -> Reference:
    rate_hz = host.info.sample_rate_hz
    if host.info.encoder is None:
        return Reference(speech, rate_hz)
    heard = resample(speech, rate_hz, host.encoder_rate_hz)
    return Reference(speech, rate_hz, await host.embed(heard))


def jobs_of(host: EngineHost, text: str, *, early: bool) -> list[Job]:
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
    jobs = jobs_of(host, text, early=early)
    times = [[(await say(host, job.segment, voice))[0] for job in jobs] for _ in range(rounds)]
    return tuple(zip(*times, strict=True))


async def say(host: EngineHost, segment: Segment, voice: Voice) -> tuple[Said, Pcm]:
    """Say one segment; what it took, and its samples at the engine's rate.

    Raises:
        EngineError: what the engine raised.
        MeasuringFailed: it said nothing.
    """
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
