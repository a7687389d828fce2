"""Figures of the samples under the names that they are printed by; pure.

A figure that could not be measured is ``None``, with a reason under ``notes``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from loadtests.peers.bench import Comparison, Run
from loadtests.peers.catalogue import Ours, Peer
from loadtests.peers.contestant import LOSS, Lossy, Samples, Watched
from loadtests.peers.heard import Heard
from loadtests.peers.script import SCRIPT, Script
from loadtests.report import LATE_MAX_MS
from voicepeer.benches.figures import percentile

GOALS: Final = {"first_audible_p95": 0.35, "cpu_per_session": 0.6}
"""What ours should be at most, as a share of the peer's."""

ENOUGH: Final = 20
"""Samples of which a 95th percentile says something."""


def report(compared: Comparison, script: Script = SCRIPT) -> dict[str, Any]:
    """Everything that is printed: all runs, and what ours are as shares of the others'.

    ``ratios`` are to those that take calls, ``floors`` to those that only make speech, of whom
    nothing is asked that a call takes.
    """
    runs, listener = compared.runs, late_ms(compared.late_ms)
    rows = [run_figures(run, script) for run in runs]
    ours = [row for run, row in zip(runs, rows, strict=True) if isinstance(run.who, Ours)]
    peers = [
        (run.who.calls, row)
        for run, row in zip(runs, rows, strict=True)
        if isinstance(run.who, Peer)
    ]
    return {
        "ours": [row["peer"] for row in ours],
        "runs": rows,
        "ratios": {row["peer"]: ratios(ours, row) for calls, row in peers if calls},
        "floors": {row["peer"]: ratios(ours, row) for calls, row in peers if not calls},
        "goals": GOALS,
        "listener_late_ms": listener,
        "notes": _listener_notes(listener["p99"]),
    }


def late_ms(values_ms: Sequence[float]) -> dict[str, float | None]:
    """How late the listener was woken, which adds to all times."""
    return {name: percentile(values_ms, at) for name, at in (("p50", 50.0), ("p99", 99.0))}


def _listener_notes(p99_ms: float | None) -> dict[str, str]:
    if p99_ms is None or p99_ms <= LATE_MAX_MS:
        return {}
    late = f"by {p99_ms:.0f} ms once in a hundred times: this machine has other things to do"
    return {"listener_late_ms": late}


def ratios(ours: Sequence[Mapping[str, Any]], other: Mapping[str, Any]) -> dict[str, Any]:
    """Ours as shares of the other's: of the first of ours, and of each further one by its name."""
    if not ours:
        return dict.fromkeys(GOALS)
    first, *further = ours
    return {**_shares(first, other), **{one["peer"]: _shares(one, other) for one in further}}


def _shares(ours: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, float | None]:
    return {
        "first_audible_p95": share(
            ours["first_audible_ms"]["p95"], other["first_audible_ms"]["p95"]
        ),
        "cpu_per_session": share(ours["cpu_per_session"], other["cpu_per_session"]),
    }


def share(value: float | None, of: float | None) -> float | None:
    """One value by another, if there are both."""
    return None if value is None or not of else round(value / of, 3)


def run_figures(run: Run, script: Script = SCRIPT) -> dict[str, Any]:
    """Figures of one of the compared."""
    samples, heard = run.samples, [one for _, one in run.samples.heard]
    return {
        "peer": run.who.name,
        "summary": run.who.summary,
        "about": run.about,
        "first_audible_ms": first_audible_ms(heard),
        "texts": [_text_figures(line.name, line.words, samples) for line in script.lines],
        "rtf": rtf(samples),
        "cpu_per_session": _cpu(samples, lambda one: one.seconds),
        "cpu_per_speech_s": _cpu(samples, lambda one: one.speech_s),
        "speech_share": _speech_share(samples),
        "idle_cores": _rounded(samples.idle_cores, 3),
        "memory_mb": _median(samples.memory_mb),
        "session_mb": _median(samples.session_mb),
        "connected_ms": _median(samples.connected_ms),
        "cancel_to_silence_ms": spread_ms(samples.cancelled_ms),
        **_flaws(run, heard),
        "loss": _loss(samples.lossy),
        "notes": notes(run),
    }


def first_audible_ms(heard: Sequence[Heard]) -> dict[str, float | int | None]:
    """From a text to its first audible sample."""
    return spread_ms([one.first_audible_ms for one in heard if one.first_audible_ms is not None])


def spread_ms(values_ms: Sequence[float]) -> dict[str, float | int | None]:
    """Percentiles of times in milliseconds, and of how many."""
    points = {name: percentile(values_ms, at) for name, at in (("p50", 50.0), ("p95", 95.0))}
    return {**points, "n": len(values_ms)}


def rtf(samples: Samples) -> float | None:
    """Time to make speech by its length, over all that was made."""
    audio_s = sum(one.audio_s for one in samples.spoken)
    synthesis_s = sum(one.synthesis_s for one in samples.spoken)
    return round(synthesis_s / audio_s, 4) if audio_s else None


def _cpu(samples: Samples, length_s: Callable[[Watched], float]) -> float | None:
    """Processor time by a length of the watched stretches."""
    total_s = sum(length_s(one) for one in samples.watched)
    return round(sum(one.cpu_s for one in samples.watched) / total_s, 4) if total_s else None


def _speech_share(samples: Samples) -> float | None:
    """How much of the watched time was speech: what the processor time was for."""
    seconds = sum(one.seconds for one in samples.watched)
    return round(sum(one.speech_s for one in samples.watched) / seconds, 3) if seconds else None


def _text_figures(name: str, words: int, samples: Samples) -> dict[str, Any]:
    heard = [one for line, one in samples.heard if line == name]
    return {"text": name, "words": words, "first_audible_ms": first_audible_ms(heard)}


def _flaws(run: Run, heard: Sequence[Heard]) -> dict[str, Any]:
    """What was wrong with the speech as it was received, without any loss of ours."""
    names = "glitches", "stalls", "holes", "frames_lost"
    pauses_ms = [one.longest_pause_ms for one in heard]
    pauses = {"p50": percentile(pauses_ms, 50.0), "max": percentile(pauses_ms, 100.0)}
    if not run.samples.connected_ms:
        return {**dict.fromkeys(names), "longest_pause_ms": pauses}
    return {
        **{name: sum(getattr(one, name) for one in heard) for name in names},
        "longest_pause_ms": pauses,
    }


def _loss(lossy: Sequence[Lossy]) -> dict[str, Any] | None:
    """What a listener has of a call of which packets are lost."""
    if not lossy:
        return None
    heard = [one for call in lossy for one in call.heard]
    frames = sum(one.frames for one in heard)
    missing = sum(one.frames_lost for one in heard)
    return {
        "share": LOSS,
        "first_audible_ms": first_audible_ms(heard)["p50"],
        "lost": sum(call.lost for call in lossy),
        "restored": sum(call.restored for call in lossy),
        "concealed": sum(call.concealed for call in lossy),
        "frames": frames,
        "missing_share": round(missing / frames, 4) if frames else None,
        "glitches": sum(one.glitches for one in heard),
        "stalls": sum(one.stalls for one in heard),
    }


def notes(run: Run) -> dict[str, str]:
    """Reasons, by the names of figures."""
    made, samples = dict(run.who.notes), run.samples
    if samples.failure is not None:
        made["run"] = samples.failure
    measured = sum(one.first_audible_ms is not None for _, one in samples.heard)
    if measured < ENOUGH:
        made["first_audible_p95"] = f"of {measured} samples only"
    if samples.connected_ms and not samples.lossy:
        made["loss"] = "no call over a bad network was made in this run"
    return made


def _median(values: Sequence[float]) -> float | None:
    return percentile(values, 50.0)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
