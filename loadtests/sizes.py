"""The table of sizes in docs/operations.md, from reports: ``python -m loadtests.sizes --measure``.

Measuring takes some minutes, in which nothing else should run. Without ``--measure`` the table is
written from reports that are there; ``--check`` only says whether it is what they say.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from loadtests.figures_report import REPORTS, Report, read_report
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


def rows(figures: Mapping[str, Mapping[str, Any]]) -> Iterable[tuple[str, str, str]]:
    """What, how much, and the report that says so, of the figures of all reports."""
    engine = figures["bench-engine"]
    texts = {row["words"]: row for row in engine["texts"]}
    streams = {row["n"]: row for row in engine["streams"]}
    heard = " / ".join(f"{row['first_audible_ms']['p50']:.0f}" for row in streams.values())
    names = " / ".join(str(count) for count in streams)
    gaps = " / ".join(str(streams[count]["underruns"]) for count in (4, 8))
    for what, figure in (
        ("memory of the speech engine, at most", f"{engine['peak_rss_mb'] / 1000:.2f} GB"),
        ("speech of one stream of thirty words", f"{texts[30]['rtf']:.2f} of real time"),
        (f"first sound, {names} texts begun in one instant, p50", f"{heard} ms"),
        ("underruns with 4 / 8 such texts", gaps),
    ):
        yield what, figure, "bench-engine"
    sent_ms = figures["bench-sending"]["cost"]["ours_ms"]
    yield "sending one stream, processor time a second", f"{sent_ms:.0f} ms", "bench-sending"
    yield (
        "forwarding in a room of seven, processor time a second and stream",
        _ms(figures["bench-rooms"]["cpu_ms_per_stream_s"]),
        "bench-rooms",
    )
    clone_s = figures["demo"]["clone_ms"] / 1000
    yield "making a voice, from the last speech that it needs", f"{clone_s:.1f} s", "demo"


def _ms(value: float | None) -> str:
    return "not measured" if value is None else f"{value:.1f} ms"


def table(reports: Mapping[str, Report]) -> str:
    """What stands between the marks."""
    engine = reports["bench-engine"]
    machine, told = engine.machine, engine.figures
    load = "" if machine.load is None else f", at a load of {machine.load:g} before it began"
    intro = (
        f"Measured on {engine.date} on {machine.cores} cores of {machine.cpu}, "
        f"{machine.memory_gb:.0f} GB{load}, with {told['provider']} in {told['precision']}. "
        "Nobody measured a GPU."
    )
    found = rows({name: report.figures for name, report in reports.items()})
    lines = [f"| {what} | {figure} | `{reports[name].command}` |" for what, figure, name in found]
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

    for name, command in COMMANDS.items():
        console.note(f"{name}: {command}")
        report = record(name, shlex.split(command))
        report.write(folder)
        if report.exit_status:
            console.note(f"{name}: it ended with exit status {report.exit_status}")


def run(arguments: argparse.Namespace) -> int:
    """Measure, or not, and write the table or look at it."""
    if arguments.measure:
        _measure(arguments.reports)
    page = arguments.page.read_text(encoding="utf-8")
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
    sys.exit(main())
