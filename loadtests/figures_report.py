"""Reports of record: what a command printed, when, where and how it was called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from loadtests.files import write_text
from voicepeer.core.errors import ConfigInvalid

FiguresT = TypeVar("FiguresT")

REPORTS = Path("loadtests/reports")
"""Those that are committed, from the project's root."""


class Machine(msgspec.Struct, frozen=True):
    """Where a command ran, without a name that would tell whose it is."""

    cpu: str
    cores: int
    memory_gb: float
    """In 10^9 bytes."""
    load: float | None = None
    """Average of the minute before the command began: what else there was to do."""


class Report(msgspec.Struct, frozen=True):
    """One run of one command; ``figures`` are what it printed."""

    name: str
    date: str
    """As ``2026-11-30``, in UTC."""
    revision: str
    """Of the sources, with a ``+`` where they had been changed since."""
    machine: Machine
    command: str
    took_s: float
    figures: dict[str, Any]
    exit_status: int = 0
    """Some commands tell by it that something is not as it should be."""

    def write(self, folder: Path) -> Path:
        """Write ``NAME.json``, a field a line; its path.

        Raises:
            CannotWrite: there is no room or no right to.
        """
        fields = msgspec.to_builtins(self)
        lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in fields.items())
        path = folder / f"{self.name}.json"
        write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")
        return path


def read_report(path: Path) -> Report:
    """Read what ``Report.write`` wrote.

    Raises:
        ConfigInvalid: there is no such file, or it is no report.
    """
    return _converted(path, _read(path), Report)


def read_reports(folder: Path) -> dict[str, Report]:
    """All reports of a folder by their names, in the order of these.

    Raises:
        ConfigInvalid: there is no such folder, or a file in it is no report, or another one's.
    """
    if not folder.is_dir():
        raise ConfigInvalid(f"there is no folder {folder}: name one of reports with --reports")
    reports = {path.stem: read_report(path) for path in sorted(folder.glob("*.json"))}
    for stem, report in reports.items():
        # A copy under another name would take the place of the report itself.
        if report.name != stem:
            raise ConfigInvalid(f"{folder / stem}.json is the report {report.name!r} by its name")
    return reports


def read_figures(path: Path, kind: type[FiguresT]) -> FiguresT:
    """What a command printed, from a file of that alone or from a report of record.

    Raises:
        ConfigInvalid: there is no such file, or it has other figures.
    """
    found = _read(path)
    if isinstance(found, dict) and {"command", "figures"} <= found.keys():
        found = found["figures"]
    return _converted(path, found, kind)


def figures_as(report: Report, kind: type[FiguresT]) -> FiguresT:
    """The figures of a report as what they are; raises ``ConfigInvalid`` if they are not."""
    return _converted(Path(f"{report.name}.json"), report.figures, kind)


def _read(path: Path) -> Any:  # noqa: ANN401 - any JSON
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise ConfigInvalid(f"cannot read {path}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise ConfigInvalid(f"{path} is no JSON: {error}") from error


def _converted(path: Path, found: Any, kind: type[FiguresT]) -> FiguresT:  # noqa: ANN401
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as error:
        raise ConfigInvalid(f"{path} has no figures of this kind: {error}") from error
