"""Reports as one page each, which asks no server for anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, Final

from loadtests.plots import Series, lines
from loadtests.watch import Sample

NAME: Final = "index.html"

_STYLE: Final = """
body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 50em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0 }
th, td { border-bottom: 1px solid #ddd; padding: .25em .7em; text-align: right }
th:first-child, td:first-child { text-align: left }
svg { width: 100%; height: auto; margin: 1em 0 }
svg text { font: 12px sans-serif; fill: #222 } svg .title { font-weight: bold }
svg .mid { text-anchor: middle } svg .end { text-anchor: end }
svg polyline { fill: none; stroke-width: 1.5 } svg .grid { stroke: #ddd }
svg .limit { stroke: #222; stroke-dasharray: 5 4 }
"""


def page(title: str, parts: Sequence[str]) -> str:
    """A whole page of parts that are HTML already."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(title)}</h1>{''.join(parts)}</body></html>\n"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table; ``None`` is shown as a dash."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(shown(cell))}</td>" for cell in cells) + "</tr>"
        for cells in rows
    )
    return f"<table><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def shown(cell: object) -> str:
    """A cell as it is read."""
    if cell is None:
        return "–"
    return f"{cell:g}" if isinstance(cell, float) else str(cell)


def notes(figures: Mapping[str, Any]) -> str:
    """Why figures are missing, or to be doubted."""
    items = "".join(
        f"<li>{escape(name)}: {escape(reason)}</li>" for name, reason in figures["notes"].items()
    )
    return f"<ul>{items}</ul>" if items else ""


def spreads(named: Mapping[str, Mapping[str, Any]]) -> str:
    """A table of percentiles."""
    rows = [
        [name, *(one[at] for at in ("n", "p50", "p95", "p99", "max"))]
        for name, one in named.items()
    ]
    return table(["ms", "n", "p50", "p95", "p99", "max"], rows)


def over_time(samples: Sequence[Sample]) -> str:
    """Processor time and memory of a service, and what it has open."""
    if len(samples) < 2:
        return ""
    at = [(one.at_s - samples[0].at_s) / 60 for one in samples]
    pairs = list(zip(samples, samples[1:], strict=False))
    cores, network = (
        [
            (getattr(after, name) - getattr(before, name)) / (after.at_s - before.at_s)
            for before, after in pairs
        ]
        for name in ("cpu_s", "main_cpu_s")
    )
    opened = [
        Series("descriptors", at, [one.fds for one in samples]),
        Series("threads", at, [one.threads for one in samples]),
    ]
    return "".join(
        (
            lines(
                "processor time, cores",
                "minutes",
                [Series("with models", at[1:], cores), Series("network", at[1:], network)],
            ),
            lines("memory, MB", "minutes", [Series("rss", at, [one.rss_mb for one in samples])]),
            lines("open", "minutes", opened),
        )
    )


_COUNTS: Final = (
    *("users", "utterances", "spoken_share", "underruns", "frames_lost", "errors"),
    *("cpu_cores", "network_cores", "rss_mb", "rss_slope_mb_per_min"),
)


def window(title: str, figures: Mapping[str, Any], samples: Sequence[Sample]) -> str:
    """The page of one stretch of time."""
    single = figures.get("single_first_audible_ms")
    named = {
        "first audible": figures["first_audible_ms"],
        **({"first audible, one user alone": single} if single else {}),
        "between packets": figures["inter_departure_ms"],
        **figures["timed_ms"],
    }
    return page(
        title,
        [
            spreads(named),
            table(["figure", ""], [[name, figures[name]] for name in _COUNTS]),
            table(["error", ""], list(figures["error_codes"].items())),
            notes(figures),
            over_time(samples),
        ],
    )


def soak(figures: Mapping[str, Any], samples: Sequence[Sample]) -> str:
    """The page of a soak, which may not be over yet."""
    slopes = [
        [name, *((found[at] if found else None) for at in ("slope", "low", "high"))]
        for name, found in figures["slopes_per_hour"].items()
    ]
    named = {
        "first audible": figures["first_audible_ms"],
        "between packets": figures["inter_departure_ms"],
        **figures["timed_ms"],
    }
    return page(
        f"{figures['minutes']:g} minutes of mixed load",
        [
            f"<p>{escape(growth(figures))}</p>",
            table(["grows per hour", "", "95 % from", "to"], slopes),
            table(["figure", ""], [[name, figures[name]] for name in _COUNTS]),
            table(["texts", ""], list(figures["utterances_by_kind"].items())),
            table(["error", ""], list(figures["error_codes"].items())),
            spreads(named),
            notes(figures),
            over_time(samples),
        ],
    )


def growth(figures: Mapping[str, Any]) -> str:
    """What a soak found to grow, and what of it nobody knows."""
    found = ", ".join(figures["leaks"])
    unknown = ", ".join(name for name, slope in figures["slopes_per_hour"].items() if not slope)
    told = f"Grows: {found}" if found else "Nothing grows"
    return f"{told}, but that is not known of: {unknown}." if unknown else f"{told}."


def ramp(figures: Mapping[str, Any], samples: Sequence[Sample]) -> str:
    """The page of a ramp: what users got, and what broke."""
    shares = sorted({one["talk"] for one in figures["steps"]})
    by_talk = {talk: [one for one in figures["steps"] if one["talk"] == talk] for talk in shares}
    columns = ("users", "talk", "utterances", "underruns", "frames_lost", "errors", "cpu_cores")
    rows = [
        [
            *(one[name] for name in columns),
            one["network_cores"],
            one["first_audible_ms"]["p50"],
            one["first_audible_ms"]["p95"],
            one["inter_departure_ms"]["p99"],
            "yes" if one["tester_ok"] else "no",
        ]
        for one in figures["steps"]
    ]
    head = [*columns, "network cores", "p50 ms", "p95 ms", "packets p99 ms", "tester ok"]
    return page(
        "More and more users",
        [
            _breaks(figures),
            table(head, rows),
            notes(figures),
            _against_users(by_talk, figures["limits"]),
            over_time(samples),
        ],
    )


def _breaks(figures: Mapping[str, Any]) -> str:
    items = "".join(
        f"<li>{one['talk']:.0%} talk: broke with {one['users']} users: "
        f"{escape('; '.join(one['exceeded']))}</li>"
        for one in figures["breaks"]
    )
    return f"<ul>{items}</ul>" if items else "<p>No limit was exceeded.</p>"


def _against_users(
    by_talk: Mapping[float, Sequence[Mapping[str, Any]]], limits: Mapping[str, float]
) -> str:
    def plot(title: str, name: str, at: str | None, limit: float | None) -> str:
        series = [
            Series(
                f"{talk:.0%} talk" if at is None else f"{at}, {talk:.0%} talk",
                [one["users"] for one in steps],
                [one[name] if at is None else one[name][at] for one in steps],
            )
            for talk, steps in by_talk.items()
        ]
        return lines(title, "users", series, limit, dots=True)

    return "".join(
        (
            plot("first audible p95, ms", "first_audible_ms", "p95", limits["first_audible_ms"]),
            plot("first audible p50, ms", "first_audible_ms", "p50", None),
            plot(
                "between packets p99, ms",
                "inter_departure_ms",
                "p99",
                limits["inter_departure_ms"],
            ),
            plot("processor time, cores", "cpu_cores", None, None),
            plot("network's process, cores", "network_cores", None, limits["network_cores"]),
            plot("memory, MB", "rss_mb", None, None),
        )
    )
