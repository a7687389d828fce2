"""The tables of docs/scaling.md: what was measured of the parts, and what the model makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from loadtests.figures_cells import MISSING, source, table
from loadtests.figures_report import Report, figures_as
from loadtests.model.parts import Parts

Block: TypeAlias = Callable[[Mapping[str, Report]], str]
"""What stands between two marks of a document, by the reports that there are."""

FOLDER: Final = "../loadtests/reports/"

RAMP: Final = (
    "python -m loadtests ramp --users 1 2 4 8 10 16 --talk 0.25 1.0 --step-s 30 --through --json"
)

_MODEL: Final = (
    "python -m loadtests model --curve loadtests/reports/ramp.json "
    "--bench loadtests/reports/bench-engine.json --pooled 2 4 --json"
)

_WORDS: Final = {"least": "to the one with the fewest", "random": "to any"}


def parts(reports: Mapping[str, Report]) -> str:
    """What each part of the service takes."""
    report = reports.get("parts")
    if report is None:
        return unrecorded("parts", "python -m loadtests parts --json")
    measured = figures_as(report, Parts)
    engine, media, enrolment = measured.engine, measured.media, measured.enrolment
    first = [piece.made_ms[0] for text in engine.texts for piece in text.pieces[0]]
    fronts = [piece.front_ms for text in engine.texts for piece in text.pieces[0]]
    rows = [
        ["a service without sessions: ms of a core a second", f"{media.idle_ms:.1f}"],
        ["a session, both sides silent: the same", f"{media.silent_ms:.1f}"],
        ["more while its caller speaks, nobody learning", f"{media.heard_ms:.1f}"],
        ["and in the process that listens", f"{media.listening_ms:.1f}"],
        ["more while it is spoken to: encode, encrypt, send", f"{media.speaking_ms:.1f}"],
        ["memory of a session", f"{media.session_mb:.1f} MB"],
        ["memory of the service with its models", f"{media.service_mb:.0f} MB"],
        ["to learn a voice: seconds of a core", f"{enrolment.cpu_s:.1f}"],
        ["the front of a first piece, median", f"{_median(fronts):.0f} ms"],
        ["front and first chunk, median", f"{_median(first):.0f} ms"],
        ["a second of speech takes the engine", f"{1000.0 * engine.real_time_factor:.0f} ms"],
        ["on so many cores", f"{engine.cores:.2f}"],
        [
            "one caller alone: text sent to first audible, median",
            f"{_median(measured.single_first_audible_ms):.0f} ms",
        ],
    ]
    return f"{table(['part', 'measured'], rows)}\n\n{source(report, FOLDER)}"


def cost(reports: Mapping[str, Report]) -> str:
    """What a user takes."""
    report = reports.get("model")
    if report is None:
        return unrecorded("model", _MODEL)
    bill = report.figures["cost"]
    rows = [[item["what"], f"{1000.0 * item['cores']:.1f}"] for item in bill["items"]]
    rows.append(["in all", f"{1000.0 * bill['cores_per_user']:.1f}"])
    told = (
        f"So {bill['users_per_core']:g} users keep a core busy without a break, and "
        f"{bill['users_per_core_at_70']:g} for seven tenths of the time: "
        f"{bill['users_per_machine_at_70']:g} on the {report.figures['replica']['cores']} cores "
        "that were measured."
    )
    return f"{table(['a user takes', 'ms of a core a second'], rows)}\n\n{told}"


def checked(reports: Mapping[str, Report]) -> str:
    """The simulation against what was measured."""
    report = reports.get("model")
    check = None if report is None else report.figures["check"]
    if check is None:
        return unrecorded("ramp", RAMP)
    rows = [_point(point) for point in check["points"]]
    header = [
        *("users", "talk", "texts", "measured p50 / p95", "predicted", "p95 by chance", "error"),
        *("underruns of all a minute, both", "cores, both"),
    ]
    told = (
        f"{check['right']} of {check['of']} points are within {100.0 * check['tolerance']:.0f} % "
        f"or {check['slack_ms']:.0f} ms in both percentiles, or have a p95 that chance explains: "
        "*by chance* is where the p95 of as few texts lies in 95 of 100 cases."
    )
    return f"{table(header, rows)}\n\n{told}"


def streams(reports: Mapping[str, Report]) -> str:
    """The turns of the engine against those of its bench."""
    report = reports.get("model")
    check = None if report is None else report.figures["streams"]
    if check is None:
        return unrecorded("bench-engine", "voicepeer bench engine --json")
    rows = [
        [
            str(point["n"]),
            _spread(point["measured_ms"]),
            _spread(point["predicted_ms"]),
            " / ".join(_error(point[name]) for name in ("p50_error", "p95_error")),
            ", ".join(f"{one:g}" for one in point["underruns_per_stream"]),
        ]
        for point in check["points"]
    ]
    header = [
        *("streams at once", "measured p50 / p95", "predicted", "error"),
        "underruns of each, both",
    ]
    return table(header, rows)


def clusters(reports: Mapping[str, Report]) -> str:
    """How many replicas serve how many users."""
    report = reports.get("model")
    if report is None:
        return unrecorded("model", _MODEL)
    figures = report.figures
    if not figures["clusters"]:
        return f"{figures['notes']['clusters']}\n\n{source(report, FOLDER)}"
    rows = [_cluster(found) for found in figures["clusters"]]
    header = [
        *("users", "sessions go", "replicas", "cores", "first audible p50 / p95"),
        *("underruns a minute", "crowded", "refused"),
    ]
    told = (
        f"A replica of {figures['replica']['cores']} cores serves {figures['replica']['users']} "
        f"users who are spoken to {100.0 * figures['talk']:.0f} % of the time, at a p95 of at most "
        f"{figures['goal']['p95_ms']:.0f} ms and {figures['goal']['underruns_per_minute']:g} "
        "underruns a minute of speech."
    )
    return "\n\n".join([told, table(header, rows), *_pools(figures), source(report, FOLDER)])


def _pools(figures: Mapping[str, Any]) -> Sequence[str]:
    """What one queue for several engines would bring, if that was asked for."""
    pools = [
        f"{pool['engines']} engines {pool['users']} users, {pool['users_per_engine']:g} each"
        for pool in figures["pooled"]
    ]
    if not pools:
        return []
    return [f"With one queue for several engines, which no service has: {'; '.join(pools)}."]


def _point(point: Mapping[str, Any]) -> Sequence[str]:
    both = (point["underruns_per_minute"], point["cpu_cores"])
    errors, bounds = (point["p50_error"], point["p95_error"]), point["p95_by_chance_ms"]
    return [
        str(point["users"]),
        f"{100.0 * point['talk']:.0f} %",
        str(point["measured_ms"]["n"]),
        _spread(point["measured_ms"]),
        _spread(point["predicted_ms"]),
        "-" if bounds is None else f"{bounds[0]:.0f} to {bounds[1]:.0f} ms",
        " / ".join(map(_error, errors)),
        *(f"{_shown(one[0])}, {_shown(one[1])}" for one in both),
    ]


def _cluster(found: Mapping[str, Any]) -> Sequence[str]:
    return [
        f"{found['users']:,}",
        _WORDS[found["balancer"]],
        f"{found['replicas']:,}",
        f"{found['cores']:,}",
        _spread(found["first_audible_ms"]),
        f"{found['underruns_per_minute']:.2f}",
        f"{100.0 * found['crowded_share']:.1f} %",
        f"{100.0 * found['refused_share']:.2f} %",
    ]


def _spread(spread: Mapping[str, float | None]) -> str:
    shown = [MISSING if one is None else f"{one:.0f}" for one in (spread["p50"], spread["p95"])]
    return f"{' / '.join(shown)} ms"


def _error(error: float | None) -> str:
    return "-" if error is None else f"{100.0 * error:+.0f} %"


def _shown(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) // 2] if ordered else 0.0


def unrecorded(name: str, command: str) -> str:
    """What stands where there is no report of record."""
    return f"Not measured yet: `python -m loadtests record {name} -- {command}`."
