"""The figures of a run under the names that they are printed by; pure.

A figure that could not be measured is ``None``, with a reason under ``notes``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from loadtests.journal import Journal
from loadtests.trend import slope
from loadtests.watch import Sample
from voicepeer.benches.figures import percentile

LATE_MAX_MS: Final = 20.0
"""A tester whose clocks are later than this for one wake-up in a hundred is a bottleneck: sound
comes every 20 ms."""

TESTER_CORES_MAX: Final = 0.7
"""Of one event loop; what has so little left to give is late before long."""


TOLD_WITHIN_S: Final = 5.0
"""A tester tells of itself once a second; in so long a time it surely has."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Percentiles of times in milliseconds, and of how many."""

    n: int
    p50: float | None
    p95: float | None
    p99: float | None
    max: float | None


def spread_of_ms(values_ms: Sequence[float]) -> Spread:
    """Of times in milliseconds."""
    points = (percentile(values_ms, percent) for percent in (50.0, 95.0, 99.0, 100.0))
    return Spread(len(values_ms), *points)


@dataclass(frozen=True, slots=True)
class TesterFigures:
    """Whether one tester was able to do its work."""

    cpu_cores: float | None
    late_ms: Spread
    """How much later than they should its users were woken."""


@dataclass(frozen=True, slots=True)
class ServiceFigures:
    """What a service has used, with its engine processes."""

    cpu_cores: float | None
    network_cores: float | None
    """Of that, its first process: all but the models."""
    rss_mb: float | None
    rss_slope_mb_per_min: float | None
    fds: int | None
    threads: int | None


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """One stretch of time with a number of users."""

    users: int
    talk: float
    seconds: float
    utterances: int
    spoken_share: float | None
    """Of the time that a user was really spoken to, on average."""
    first_audible_ms: Spread
    inter_departure_ms: Spread
    worst_user_p99_ms: float | None
    """The same of the user with the least even stream."""
    underruns: int
    frames_lost: int
    errors: int
    error_codes: Mapping[str, int]
    timed_ms: Mapping[str, Spread]
    """Other things that users waited for."""
    service: ServiceFigures
    degraded: Sequence[str]
    """Steps that the service took against an overload."""
    tester_ok: bool
    testers: Sequence[TesterFigures]
    notes: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As it is printed, with the figures of the service beside the others."""
        figures = asdict(self)
        service = figures.pop("service")
        notes = figures.pop("notes")
        return {**figures, **service, "notes": notes}


def window_figures(
    journal: Journal,
    samples: Sequence[Sample],
    *,
    users: int,
    talk: float,
    seconds: float,
    degraded: Sequence[str] = (),
) -> WindowFigures:
    """Figures of what happened in so many seconds to so many users, by a journal of that time."""
    gaps_ms = journal.gaps_ms()
    testers = _testers(journal)
    spoken_s = sum(one.audio_ms for one in journal.said) / 1000
    reasons = [*_stuck(journal, seconds), *bottlenecks(testers)]
    figures = WindowFigures(
        users=users,
        talk=talk,
        seconds=round(seconds, 1),
        utterances=len(journal.said),
        spoken_share=round(spoken_s / (users * seconds), 3) if users and seconds else None,
        first_audible_ms=spread_of_ms(_first_audible_ms(journal)),
        inter_departure_ms=spread_of_ms(gaps_ms),
        worst_user_p99_ms=_worst_p99_ms(journal),
        underruns=sum(one.underruns for one in journal.said),
        frames_lost=sum(one.frames_lost for one in journal.said),
        errors=len(journal.troubles),
        error_codes=journal.codes(),
        timed_ms=_timed_ms(journal),
        service=service_figures(samples),
        degraded=tuple(degraded),
        tester_ok=not reasons,
        testers=testers,
        notes=_notes(journal, samples, users, reasons),
    )
    return figures


def _first_audible_ms(journal: Journal) -> list[float]:
    return [one.first_audible_ms for one in journal.said if one.first_audible_ms is not None]


def _worst_p99_ms(journal: Journal) -> float | None:
    by_user: dict[str, list[float]] = {}
    for one in journal.gaps:
        by_user.setdefault(one.user, []).extend(one.gaps_ms)
    worst = [percentile(gaps_ms, 99.0) for gaps_ms in by_user.values()]
    return max((one for one in worst if one is not None), default=None)


def _timed_ms(journal: Journal) -> dict[str, Spread]:
    by_name: dict[str, list[float]] = {}
    for one in journal.timed:
        by_name.setdefault(one.what, []).append(one.ms)
    return {name: spread_of_ms(values_ms) for name, values_ms in sorted(by_name.items())}


def service_figures(samples: Sequence[Sample]) -> ServiceFigures:
    """Of samples of a service, the oldest first."""
    if len(samples) < 2:
        return ServiceFigures(None, None, None, None, None, None)
    first, last = samples[0], samples[-1]
    took_s = last.at_s - first.at_s
    trend = slope([one.at_s for one in samples], [one.rss_mb for one in samples])
    return ServiceFigures(
        cpu_cores=round((last.cpu_s - first.cpu_s) / took_s, 3),
        network_cores=round((last.main_cpu_s - first.main_cpu_s) / took_s, 3),
        rss_mb=round(max(one.rss_mb for one in samples), 1),
        rss_slope_mb_per_min=None if trend is None else round(trend.per_min, 3),
        fds=last.fds,
        threads=last.threads,
    )


def _testers(journal: Journal) -> tuple[TesterFigures, ...]:
    found = []
    for tester in sorted({one.tester for one in journal.seconds}):
        seconds = [one for one in journal.seconds if one.tester == tester]
        first, last = seconds[0], seconds[-1]
        took_s = last.at_s - first.at_s
        cores = round((last.cpu_s - first.cpu_s) / took_s, 3) if took_s > 0 else None
        late_ms = [late for one in seconds for late in one.late_ms]
        found.append(TesterFigures(cores, spread_of_ms(late_ms)))
    return tuple(found)


def _stuck(journal: Journal, seconds: float) -> list[str]:
    """A tester that tells nothing has no lateness either, which would look as if it kept up."""
    silent = journal.pids.keys() - {one.tester for one in journal.seconds}
    if not silent or seconds < TOLD_WITHIN_S:
        return []
    return [f"{len(silent)} of {len(journal.pids)} testers told nothing of themselves"]


def bottlenecks(testers: Sequence[TesterFigures]) -> list[str]:
    """Why figures are rather the testers' than the service's; none if they are not."""
    reasons = []
    late = [one.late_ms.p99 for one in testers if one.late_ms.p99 is not None]
    if late and max(late) > LATE_MAX_MS:
        reasons.append(f"a tester was late by {max(late):.0f} ms for one wake-up in a hundred")
    cores = [one.cpu_cores for one in testers if one.cpu_cores is not None]
    if cores and max(cores) > TESTER_CORES_MAX:
        reasons.append(f"a tester took {max(cores):.2f} of a core")
    return reasons


def _notes(
    journal: Journal, samples: Sequence[Sample], users: int, reasons: Sequence[str]
) -> dict[str, str]:
    notes = {}
    if (ready := len(journal.ready_s)) < users:
        notes["users"] = f"only {ready} of {users} ever had a call and a voice"
    if not _first_audible_ms(journal):
        notes["first_audible_ms"] = (
            "no text had a sound" if journal.said else "nothing was said to its end in this time"
        )
    if not journal.gaps:
        notes["inter_departure_ms"] = (
            "the kernel tells no times of packets here" if journal.unstamped else "no packets came"
        )
    if len(samples) < 2:
        notes["cpu_cores"] = "the service's processes are not this command's"
    elif service_figures(samples).rss_slope_mb_per_min is None:
        notes["rss_slope_mb_per_min"] = "the time was too short for a trend"
    if reasons:
        notes["tester_ok"] = "; ".join(reasons)
    return notes


def run_json(
    window: WindowFigures, single: WindowFigures, *, seed: int, engine: Mapping[str, str]
) -> dict[str, Any]:
    """What ``run`` prints: the window, beside the figures of a single user of the same run."""
    figures = window.to_json()
    notes = dict(figures.pop("notes"))
    if single.first_audible_ms.p50 is None:
        notes["single_first_audible_ms"] = "nothing was said to its end by the single user"
    if not single.tester_ok:
        notes["single"] = f"alone: {single.notes['tester_ok']}"
    return {
        **engine,
        **figures,
        "single_first_audible_ms": asdict(single.first_audible_ms),
        "single": {
            "cpu_cores": single.service.cpu_cores,
            "network_cores": single.service.network_cores,
            "spoken_share": single.spoken_share,
            "inter_departure_ms": asdict(single.inter_departure_ms),
            "underruns": single.underruns,
            "errors": single.errors,
        },
        "seed": seed,
        "tester_ok": window.tester_ok and single.tester_ok,
        "notes": notes,
    }
