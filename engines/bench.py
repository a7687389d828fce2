"""Measures a speech engine as a listener would: when the first sound comes, and what it costs.

``voicepeer bench engine`` prints what ``run`` gives; the other package is measured in the same
run, turn by turn, so that both meet the same machine.
"""

from __future__ import annotations

import importlib
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, cast

import numpy as np

from engines import concurrency, registry
from engines.api import Controls, Pcm, Segment, SpeechEngine, Voice
from engines.audibility import audible
from engines.concurrency import Task, percentiles
from engines.progress import Progress, no_progress

TEXTS: Mapping[int, str] = {
    2: "Hello there.",
    10: "The quick brown fox jumps over the lazy sleeping dog.",
    30: (
        "The committee will meet again next Thursday afternoon to talk about the new budget, "
        "and after that we should have a much better idea of what we can still do this year."
    ),
}
"""By number of words."""

STREAMS = (1, 2, 4, 8)
VOICE = "af_heart"

_ROUNDS = 9


@dataclass(frozen=True, slots=True)
class Measured:
    """One text spoken once."""

    first_audible_ms: float
    total_ms: float
    audio_ms: float

    @property
    def real_time_factor(self) -> float:
        """Time it took, as a share of the time it sounds."""
        return self.total_ms / self.audio_ms


class Speaker(Protocol):
    """Anything that says a text as a stream of samples at a rate."""

    rate_hz: int

    def say(self, text: str) -> Iterator[Pcm]:
        """Samples as they become ready."""
        ...


class EngineSpeaker:
    """One of our engines, in this process."""

    def __init__(self, engine: SpeechEngine) -> None:
        self._engine = engine
        self.rate_hz = engine.info.sample_rate_hz
        self.voice = _bench_voice(engine)
        self._language = min(engine.info.languages, key=lambda name: (name != "en-us", name))

    def segment(self, text: str) -> Segment:
        """A text as this engine takes it."""
        return Segment(text, self._language)

    def say(self, text: str) -> Iterator[Pcm]:
        """Chunks of one segment."""
        stop = threading.Event()
        for chunk in self._engine.speak(self.segment(text), self.voice, Controls(), stop):
            yield chunk.pcm


def run(
    engine: str,
    options: Mapping[str, str],
    against: str | None = None,
    progress: Progress = no_progress,
) -> dict[str, Any]:
    """Measure an engine, alone or beside ``kokoro-onnx``; all times in milliseconds.

    Raises:
        UnknownEngine, ModelFilesMissing: there is nothing to measure.
        PeerMissing: the package to compare with cannot be run.
        ValueError: ``against`` is no package that is known here.
    """
    opened = registry.create_speech(engine, options)
    ours = EngineSpeaker(opened)
    peer = _peer(against) if against else None
    speakers: dict[str, Speaker] = {"ours": ours} | ({"peer": peer} if peer else {})
    results = _measure_texts(speakers, progress)
    report: dict[str, Any] = {
        "engine": engine,
        "provider": opened.info.provider,
        "precision": opened.info.precision,
        **_stages(opened),
        "texts": [_text_row(words, results["ours"][words]) for words in TEXTS],
    }
    task = Task(
        concurrency.spec_for(engine, opened.info.encoder, options),
        ours.segment(TEXTS[10]),
        ours.voice,
    )
    report["streams"], report["restart_ms"] = concurrency.measure(task, STREAMS, progress)
    report["peak_rss_mb"] = peak_rss_mb()
    if peer is not None:
        report["against"] = _against(str(against), results)
    return report


def measure(speaker: Speaker, text: str) -> Measured:
    """Say a text once and time it."""
    began = time.perf_counter()
    first_s: float | None = None
    samples = 0
    for pcm in speaker.say(text):
        arrived = time.perf_counter()
        if first_s is None and audible(pcm, speaker.rate_hz):
            first_s = arrived
        samples += pcm.size
    ended = time.perf_counter()
    return Measured(
        first_audible_ms=1000.0 * ((first_s or ended) - began),
        total_ms=1000.0 * (ended - began),
        audio_ms=max(1.0, 1000.0 * samples / speaker.rate_hz),
    )


def peak_rss_mb() -> float:
    """Most memory that this process, or one that it started, has held, in 10^6 bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return round(max(resource.getrusage(who).ru_maxrss for who in whose) * unit / 1e6, 1)


def _measure_texts(
    speakers: Mapping[str, Speaker], progress: Progress
) -> dict[str, dict[int, list[Measured]]]:
    """All texts by all speakers in turn; the first round only warms up."""
    results: dict[str, dict[int, list[Measured]]] = {
        name: {words: [] for words in TEXTS} for name in speakers
    }
    for round_index in range(_ROUNDS + 1):
        progress("texts", round_index / (_ROUNDS + 1))
        for words, text in TEXTS.items():
            for name, speaker in speakers.items():
                measured = measure(speaker, text)
                if round_index:
                    results[name][words].append(measured)
    return results


def _text_row(words: int, measured: list[Measured]) -> dict[str, Any]:
    return {
        "words": words,
        "first_audible_ms": percentiles([one.first_audible_ms for one in measured]),
        "rtf": round(float(np.median([one.real_time_factor for one in measured])), 4),
    }


def _against(name: str, results: dict[str, dict[int, list[Measured]]]) -> dict[str, Any]:
    """Medians of ours as shares of the peer's."""

    def ratio(value: Callable[[Measured], float], words: int) -> float:
        ours, peers = (
            np.median([value(one) for one in results[who][words]]) for who in ("ours", "peer")
        )
        return round(float(ours / peers), 4)

    firsts = {str(words): ratio(lambda one: one.first_audible_ms, words) for words in TEXTS}
    factors = [ratio(lambda one: one.real_time_factor, words) for words in TEXTS]
    return {
        "name": name,
        "first_audible_ratio": firsts,
        "rtf_ratio": round(float(np.mean(factors)), 4),
        "texts": [_text_row(words, results["peer"][words]) for words in TEXTS],
    }


def _bench_voice(engine: SpeechEngine) -> Voice:
    voices = engine.stock_voices()
    if not voices:
        raise ValueError("this engine has no stock voice to measure with")
    return voices.get(VOICE) or next(iter(voices.values()))


class _TellsStages(Protocol):
    def stage_times_ms(self) -> Mapping[str, float]: ...


def _stages(engine: SpeechEngine) -> Mapping[str, float]:
    """Time of the stages before the first sound, from engines that can tell."""
    if not hasattr(engine, "stage_times_ms"):
        return {"front_ms": 0.0, "first_chunk_ms": 0.0}
    return cast(_TellsStages, engine).stage_times_ms()


def _peer(name: str) -> Speaker:
    if name != "kokoro-onnx":
        raise ValueError(f"cannot compare with {name!r}: only kokoro-onnx is known here")
    peer = importlib.import_module("engines.kokoro.peer")
    return cast(Speaker, peer.KokoroOnnx())
