"""The table of sizes in docs/operations.md, from reports: ``python -m loadtests.sizes --measure``.

Measuring takes some minutes, in which nothing else should run. Without ``--measure`` the table is
written from reports that are there; ``--check`` only says whether it is what they say.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from loadtests.figures_cells import MISSING, Figures, Row, milliseconds, seconds
from loadtests.figures_report import REPORTS, Report, read_report
from loadtests.files import check_folder
from loadtests.interruption import end_as_by_ctrl_c
from voicepeer import cli, console
from voicepeer.core.errors import ConfigInvalid

PAGE = Path("docs/operations.md")
BEGIN, END = "<!-- sizes -->\n", "<!-- /sizes -->\n"

COMMANDS: Mapping[str, str] = {
    "bench-engine": "voicepeer bench engine --json",
    "bench-sending": "voicepeer bench media --only cost --json",
    "bench-rooms": "voicepeer bench rooms --participants 7 --json",
    "demo": "make demo JSON=1",
}
"""What prints the figures of each report, by its name."""


def rows(streams: Sequence[int]) -> Sequence[Row]:
    """What is told of which report; ``streams`` are the numbers of texts that began at once."""
    heard = milliseconds(*(f"streams[n={count}].first_audible_ms.p50" for count in streams))
    names = " / ".join(map(str, streams))
    return (
        Row(
            "memory of the speech engine, at most",
            "bench-engine",
            lambda figures: f"{figures('peak_rss_mb') / 1000:.2f} GB",
        ),
        Row(
            "speech of one stream of thirty words",
            "bench-engine",
            lambda figures: f"{figures('texts[words=30].rtf'):.2f} of real time",
        ),
        Row(f"first sound, {names} texts begun in one instant, p50", "bench-engine", heard),
        Row("underruns with 4 / 8 such texts", "bench-engine", _underruns),
        Row(
            "sending one stream, processor time a second",
            "bench-sending",
            milliseconds("cost.ours_ms"),
        ),
        Row(
            "forwarding in a room of seven, processor time a second and stream",
            "bench-rooms",
            lambda figures: f"{figures('cpu_ms_per_stream_s'):.1f} ms",
        ),
        Row("making a voice, from the last speech that it needs", "demo", seconds("clone_ms")),
    )


def _underruns(figures: Figures) -> str:
    return " / ".join(f"{figures(f'streams[n={count}].underruns'):.0f}" for count in (4, 8))


def _streams(report: Report) -> Sequence[int]:
    """How many texts began at once, in each trial of the engine's bench."""
    found = report.figures.get("streams")
    trials = found if isinstance(found, list) else []
    return [trial["n"] for trial in trials if isinstance(trial, dict) and "n" in trial] or [1, 4, 8]


def table(reports: Mapping[str, Report]) -> str:
    """What stands between the marks."""
    engine = reports["bench-engine"]
    machine, told = engine.machine, engine.figures
    load = "" if machine.load is None else f", at a load of {machine.load:g} before it began"
    intro = (
        f"Measured on {engine.date} on {machine.cores} cores of {machine.cpu}, "
        f"{machine.memory_gb:.0f} GB{load}, with {told.get('provider', MISSING)} in "
        f"{told.get('precision', MISSING)}. "
        "Nobody measured a GPU."
    )
    found = [(row, reports[row.report]) for row in rows(_streams(engine))]
    lines = [
        f"| {row.what} | {row.written(report)} | `{report.command}` |" for row, report in found
    ]
    head = ["| what | figure | by |", "|---|---|---|"]
    return "\n".join([intro, "", *head, *lines, ""])


def written(page: str, reports: Mapping[str, Report]) -> str:
    """The page with the table of these reports.

    Raises:
        ConfigInvalid: it has no marks around a table.
    """
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigInvalid(f"the page has no {BEGIN.strip()} and {END.strip()} around its table")
    return before + begin + table(reports) + end + after


def read(folder: Path) -> dict[str, Report]:
    """The reports of the table; raises ``ConfigInvalid`` where one is missing."""
    paths = {name: folder / f"{name}.json" for name in COMMANDS}
    if missing := [str(path) for path in paths.values() if not path.exists()]:
        raise ConfigInvalid(f"there is no {', no '.join(missing)}: make them by --measure")
    return {name: read_report(path) for name, path in paths.items()}


def _measure(folder: Path) -> None:
    from loadtests.record import record

    check_folder(folder)
    for name, command in COMMANDS.items():
        console.note(f"{name}: {command}")
        report = record(name, shlex.split(command))
        report.write(folder)
        if report.exit_status:
            console.note(f"{name}: it ended with exit status {report.exit_status}")


def run(arguments: argparse.Namespace) -> int:
    """Measure, or not, and write the table or look at it."""
    page = arguments.page.read_text(encoding="utf-8")
    if arguments.measure:
        _measure(arguments.reports)
    wanted = written(page, read(arguments.reports))
    if arguments.check:
        if page != wanted:
            console.note(f"{arguments.page} is not what the reports say: leave out --check")
        return int(page != wanted)
    arguments.page.write_text(wanted, encoding="utf-8")
    console.note(f"wrote {arguments.page}")
    return 0


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    parser = argparse.ArgumentParser(
        prog="python -m loadtests.sizes",
        description="The table of sizes in docs/operations.md, from reports of record.",
        epilog="example:\n  python -m loadtests.sizes --measure",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--measure", action="store_true", help="make the reports anew; minutes")
    what.add_argument("--check", action="store_true", help="write nothing; 1 if it would change")
    parser.add_argument("--reports", type=Path, default=REPORTS, metavar="DIR")
    parser.add_argument("--page", type=Path, default=PAGE, help="default %(default)s")
    parser.add_argument("--debug", action="store_true", help="show tracebacks")
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; its exit code."""
    arguments = build_parser().parse_args(argv)
    return cli.run_guarded(run, arguments)


if __name__ == "__main__":
    end_as_by_ctrl_c()
    sys.exit(main())
