"""Figures out of reports, and how they are written for a person."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from loadtests.figures_report import Report

MISSING: Final = "not measured"

_STEP = re.compile(r"(?P<key>[^.\[\]]+)(?:\[(?P<name>\w+)=(?P<value>[^\]]+)\])?")


class Missing(Exception):
    """A report does not have a figure, or could not measure it."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What a report has, by paths such as ``texts[words=10].first_audible_ms.p95``."""

    report: Report

    def __call__(self, path: str) -> float:
        """One number.

        Raises:
            Missing: it is not there, or is no number.
        """
        found = self.at(path)
        if isinstance(found, bool) or not isinstance(found, int | float):
            raise Missing(path)
        return found

    def at(self, path: str) -> Any:  # noqa: ANN401 - any JSON
        """Whatever is there; raises like a call."""
        found: Any = self.report.figures
        for step in _STEP.finditer(path):
            found = _under(found, step["key"], path)
            if step["name"] is not None:
                found = _chosen(found, step["name"], step["value"], path)
        return found


def _under(found: Any, key: str, path: str) -> Any:  # noqa: ANN401
    if not isinstance(found, dict) or key not in found:
        raise Missing(path)
    return found[key]


def _chosen(found: Any, name: str, value: str, path: str) -> Any:  # noqa: ANN401
    rows = found if isinstance(found, list) else []
    for row in rows:
        if isinstance(row, dict) and str(row.get(name)) == value:
            return row
    raise Missing(path)


Cell = Callable[[Figures], str]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: what the figure is, whose report has it, and how it is written."""

    what: str
    report: str
    cell: Cell

    def written(self, report: Report) -> str:
        """The figure, or that there is none."""
        try:
            return self.cell(Figures(report))
        except Missing:
            return MISSING


def seconds(path: str, digits: int = 1) -> Cell:
    """Of a figure in milliseconds."""
    return lambda figures: f"{figures(path) / 1000.0:.{digits}f} s"


def milliseconds(*paths: str) -> Cell:
    """Of one or more figures in milliseconds."""
    return lambda figures: f"{' / '.join(f'{figures(path):.0f}' for path in paths)} ms"


def number(path: str, digits: int = 0) -> Cell:
    """A figure without a unit."""
    return lambda figures: f"{figures(path):.{digits}f}"


def numbers(*paths: str) -> Cell:
    """Several of them."""
    return lambda figures: ", ".join(f"{figures(path):.0f}" for path in paths)


def percent(path: str) -> Cell:
    """Of a share."""
    return lambda figures: f"{100.0 * figures(path):.0f} %"


def quotient(over: str, under: str, digits: int = 1) -> Cell:
    """One figure by another."""

    def cell(figures: Figures) -> str:
        by = figures(under)
        if not by:
            raise Missing(under)
        return f"{figures(over) / by:.{digits}f}"

    return cell


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(
        f"| {' | '.join(line)} |" if line[0] != "---" else _rule(line) for line in lines
    )


def _rule(line: Sequence[str]) -> str:
    return f"|{'|'.join(line)}|"


def source(report: Report, folder: str) -> str:
    """When, where and how a report was made, as an item of a list."""
    machine = report.machine
    busy = "" if machine.load is None else f", load {machine.load:g} before it"
    day = date.fromisoformat(report.date)
    return (
        f"- [{report.name}]({folder}{report.name}.json): {day.day} {day:%B %Y}, "
        f"{machine.cores} cores of {machine.cpu}, {machine.memory_gb:g} GB{busy}, "
        f"revision {report.revision}: `{report.command}`"
    )
