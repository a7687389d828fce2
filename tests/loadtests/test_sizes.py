"""The table of sizes in docs/operations.md is what reports say."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from loadtests import sizes
from loadtests.figures_report import Machine, Report
from tests.deploy.compose import ROOT
from voicepeer import cli
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit

PAGE = (ROOT / sizes.PAGE).read_text(encoding="utf-8")


def figures() -> dict[str, dict[str, Any]]:
    """As the commands print them, of all reports."""
    heard = {1: 86.0, 2: 153.2, 4: 265.0, 8: 566.4}
    return {
        "bench-engine": {
            "provider": "openvino",
            "precision": "bf16",
            "peak_rss_mb": 1052.7,
            "texts": [{"words": words, "rtf": 0.1} for words in (2, 10, 30)],
            "streams": [
                {"n": n, "first_audible_ms": {"p50": p50, "p95": 2 * p50}, "underruns": n // 8}
                for n, p50 in heard.items()
            ],
        },
        "bench-sending": {"cost": {"ours_ms": 16.9, "stock_ms": 30.0}},
        "bench-rooms": {"cpu_ms_per_stream_s": 2.61},
        "demo": {"clone_ms": 1312.0},
    }


@dataclass
class Folder:
    """Reports, and a page that they are to be written to."""

    reports: Path
    page: Path
    told: dict[str, dict[str, Any]] = field(default_factory=figures)

    def write(self) -> None:
        machine = Machine("A processor", 2, 8.2, 0.05)
        for name, one in self.told.items():
            command = sizes.COMMANDS[name]
            Report(name, "2026-11-30", "0123", machine, command, 1.0, one).write(self.reports)

    def run(self, *words: str) -> int:
        return sizes.main(["--reports", str(self.reports), "--page", str(self.page), *words])

    @property
    def table(self) -> str:
        text = self.page.read_text()
        return text.partition(sizes.BEGIN)[2].partition(sizes.END)[0]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    (tmp_path / "page.md").write_text(PAGE)
    return Folder(tmp_path / "reports", tmp_path / "page.md")


def test_the_table_has_each_figure_with_the_command_that_it_is_of(folder: Folder) -> None:
    folder.write()
    assert folder.run("--check") == 1
    assert folder.run() == folder.run("--check") == 0
    table = folder.table
    assert "on 2026-11-30 on 2 cores of A processor, 8 GB, at a load of 0.05" in table
    assert "openvino in bf16" in table
    for figure, name in (
        ("1.05 GB", "bench-engine"),
        ("0.10 of real time", "bench-engine"),
        ("86 / 153 / 265 / 566 ms", "bench-engine"),
        ("0 / 1", "bench-engine"),
        ("17 ms", "bench-sending"),
        ("2.6 ms", "bench-rooms"),
        ("1.3 s", "demo"),
    ):
        assert f"| {figure} | `{sizes.COMMANDS[name]}` |" in table
    before, _, rest = PAGE.partition(sizes.BEGIN)
    assert (
        folder.page.read_text()
        == before + sizes.BEGIN + table + sizes.END + (rest.partition(sizes.END)[2])
    )


def test_what_could_not_be_measured_is_said(folder: Folder) -> None:
    folder.told["bench-rooms"]["cpu_ms_per_stream_s"] = None
    folder.write()
    assert folder.run() == 0
    assert "| not measured | `voicepeer bench rooms" in folder.table


@pytest.mark.parametrize(
    ("name", "lacks", "what"),
    [
        ("bench-engine", "streams", "underruns"),
        ("bench-engine", "texts", "speech of one stream"),
        ("bench-engine", "peak_rss_mb", "memory"),
        ("bench-engine", "provider", "Measured on"),
        ("bench-sending", "cost", "sending"),
        ("demo", "clone_ms", "making a voice"),
    ],
)
def test_what_a_report_lacks_is_said(folder: Folder, name: str, lacks: str, what: str) -> None:
    del folder.told[name][lacks]
    folder.write()
    assert folder.run() == 0
    (line,) = (one for one in folder.table.splitlines() if what in one)
    assert "not measured" in line


def test_what_is_missing_is_named_and_nothing_is_written(folder: Folder) -> None:
    folder.write()
    (folder.reports / "bench-rooms.json").unlink()
    assert folder.run() == 2
    with pytest.raises(ConfigInvalid, match="bench-rooms.*--measure"):
        sizes.read(folder.reports)
    assert folder.page.read_text() == PAGE
    reports = dict.fromkeys(sizes.COMMANDS, msgspec.convert(_REPORT, Report))
    with pytest.raises(ConfigInvalid, match="marks|around its table"):
        sizes.written("a page without a table", reports)


_REPORT = {
    "name": "any",
    "date": "2026-11-30",
    "revision": "0",
    "machine": {"cpu": "any", "cores": 1, "memory_gb": 1.0},
    "command": "any",
    "took_s": 1.0,
    "figures": {},
}


def test_commands_of_reports_are_commands_and_on_the_page() -> None:
    parser = cli.build_parser()
    for command in sizes.COMMANDS.values():
        program, *words = command.split()
        if program == "voicepeer":
            assert callable(parser.parse_args(words).run)
            assert f"{command}\n" in PAGE
        else:
            assert (program, words[0]) == ("make", "demo")


MEASURED = all(
    (ROOT / "loadtests" / "reports" / f"{name}.json").exists() for name in sizes.COMMANDS
)


@pytest.mark.skipif(not MEASURED, reason="the table is older than the reports")
def test_the_page_is_what_the_committed_reports_say() -> None:
    assert sizes.written(PAGE, sizes.read(ROOT / "loadtests" / "reports")) == PAGE, (
        "run `python -m loadtests.sizes`"
    )


def test_where_nothing_can_be_written_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sizes, "COMMANDS", {"demo": "false"})
    assert sizes.main(["--measure", "--reports", "/proc/nowhere"]) != 0
    told = capsys.readouterr().err
    assert "cannot write into" in told
    assert "demo:" not in told
