"""The tables of docs/loadtests.md: how many users there can be, what breaks first, what grows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from loadtests.figures_cells import MISSING, source, table
from loadtests.figures_report import Report
from loadtests.figures_scaling import FOLDER, RAMP, unrecorded
from loadtests.page import growth

_MEMORY: Final = {
    "rss_mb": "MB",
    "fds": "descriptors",
    "threads": "threads",
    "sessions": "sessions",
}


def curve(reports: Mapping[str, Report]) -> str:
    """The steps of a ramp, and the limit that each row of them exceeds first."""
    report = reports.get("ramp")
    if report is None:
        return unrecorded("ramp", RAMP)
    header = [
        *("users", "talk", "spoken to", "texts", "first audible p50 / p95", "packets p99"),
        *("underruns", "lost", "errors", "cores", "of them network", "steps against it"),
    ]
    figures = report.figures
    steps = sorted(figures["steps"], key=lambda step: (step["talk"], step["users"]))
    breaks = sorted(figures["breaks"], key=lambda found: found["talk"])
    told = [*map(_broken, breaks), *(f"- {note}" for note in _notes(figures))]
    rows = table(header, [_step(step) for step in steps])
    return "\n\n".join(filter(None, (rows, "\n".join(told), source(report, FOLDER))))


def _step(step: Mapping[str, Any]) -> list[str]:
    heard, sent = step["first_audible_ms"], step["inter_departure_ms"]
    return [
        f"{step['users']}",
        _percent(step["talk"]),
        _percent(step["spoken_share"]),
        f"{step['utterances']}",
        f"{_ms(heard['p50'])} / {_ms(heard['p95'])} ms",
        f"{_ms(sent['p99'])} ms",
        f"{step['underruns']}",
        f"{step['frames_lost']}",
        f"{step['errors']}",
        _cores(step["cpu_cores"]),
        _cores(step["network_cores"]),
        f"{len(step['degraded'])}",
    ]


def _broken(found: Mapping[str, Any]) -> str:
    good, bad = found["last_good_users"], found["users"]
    served = f"{good} users are served well, {bad} are not" if good else f"{bad} users are too many"
    others = [name for name in found["exceeded"] if name != found["first"]]
    beside = f"; also: {'; '.join(others)}" if others else ""
    doubt = "" if found["tester_ok"] else " The testers may have been what was slow."
    share = _percent(found["talk"])
    return f"- At {share}: {served}. First: {found['first']}{beside}.{doubt}"


def _notes(figures: Mapping[str, Any]) -> list[str]:
    """What the command noted, such as that nobody knows whether a limit was kept."""
    return [f"{name}: {note}." for name, note in figures["notes"].items()]


def soaked(reports: Mapping[str, Report]) -> str:
    """What hours of a mix of everything came to, and what grew."""
    report = reports.get("soak")
    if report is None:
        return unrecorded("soak", "python -m loadtests soak --minutes 60 --json")
    figures = report.figures
    kinds = ", ".join(f"{count} {kind}" for kind, count in figures["utterances_by_kind"].items())
    codes = ", ".join(f"{count} {code}" for code, count in figures["error_codes"].items())
    heard = figures["first_audible_ms"]
    rows = [
        ["users, minutes", f"{figures['users']}, {figures['minutes']:.3g}"],
        ["texts heard to their end", _with(figures["utterances"], kinds)],
        ["errors", _with(figures["errors"], codes)],
        ["first audible p50 / p95", f"{_ms(heard['p50'])} / {_ms(heard['p95'])} ms"],
        ["underruns", f"{figures['underruns']}"],
        ["memory, at most", f"{_ms(figures['rss_mb'])} MB"],
        *([f"{name} an hour", _slope(figures, key)] for key, name in _MEMORY.items()),
    ]
    told = [growth(figures), *_notes(figures)]
    if not figures["complete"]:
        told.insert(0, "It was interrupted.")
    return f"{table(['figure', 'value'], rows)}\n\n{' '.join(told)}\n\n{source(report, FOLDER)}"


def _with(count: int, parts: str) -> str:
    return f"{count} ({parts})" if parts else f"{count}"


def _slope(figures: Mapping[str, Any], key: str) -> str:
    found = figures["slopes_per_hour"][key]
    if found is None:
        return MISSING
    slope, low, high = (round(found[key], 1) + 0.0 for key in ("slope", "low", "high"))
    return f"{slope:+.1f} ({low:+.1f} to {high:+.1f})"


def _ms(value: float | None) -> str:
    return MISSING if value is None else f"{value:.0f}"


def _percent(share: float | None) -> str:
    return MISSING if share is None else f"{100.0 * share:.3g} %"


def _cores(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"
