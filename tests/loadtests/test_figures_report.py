"""Reports are written and read, and what is none is said to be."""

from __future__ import annotations

import errno
from pathlib import Path

import msgspec
import pytest

from loadtests.figures_report import (
    Machine,
    Report,
    figures_as,
    read_figures,
    read_report,
    read_reports,
)
from voicepeer.core.errors import CannotWrite, ConfigInvalid

pytestmark = pytest.mark.unit

MACHINE = Machine(cpu="a processor", cores=2, memory_gb=8.0, load=0.1)


def report(name: str = "demo", **figures: object) -> Report:
    """A report of a command that printed these figures."""
    return Report(name, "2026-11-30", "0123456789ab", MACHINE, "voicepeer demo", 12.5, figures)


class Demo(msgspec.Struct):
    """A figure of one command."""

    rtf: float


def test_what_was_written_is_read(tmp_path: Path) -> None:
    written = report(rtf=0.12, notes={"mic": "short"}, texts=[{"words": 10}])
    assert read_report(written.write(tmp_path / "reports")) == written


def test_a_report_has_a_field_a_line(tmp_path: Path) -> None:
    path = report(rtf=0.12).write(tmp_path)
    lines = path.read_text().splitlines()
    assert lines[0] == "{"
    assert lines[-1] == "}"
    assert '"figures": {"rtf": 0.12},' in lines


def test_reports_are_known_by_their_names(tmp_path: Path) -> None:
    for name in ("soak", "demo"):
        report(name).write(tmp_path)
    (tmp_path / "notes.txt").write_text("no report")
    assert list(read_reports(tmp_path)) == ["demo", "soak"]


def test_a_copy_does_not_take_the_place_of_a_report(tmp_path: Path) -> None:
    kept = report("demo").write(tmp_path)
    (tmp_path / "demo2.json").write_text(kept.read_text())
    with pytest.raises(ConfigInvalid, match=r"demo2\.json is the report 'demo'"):
        read_reports(tmp_path)


def test_a_report_that_cannot_be_written_is_told_and_the_old_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report("demo", rtf=0.1).write(tmp_path)

    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr("engines.atomic.os.fsync", full)
    with pytest.raises(CannotWrite, match=r"demo\.json"):
        report("demo", rtf=0.2).write(tmp_path)
    assert read_report(tmp_path / "demo.json") == report("demo", rtf=0.1)


def test_figures_are_read_from_a_report_and_alone(tmp_path: Path) -> None:
    kept = report(rtf=0.12).write(tmp_path)
    alone = tmp_path / "alone.json"
    alone.write_text('{"rtf": 0.12, "more": 1}')
    assert read_figures(kept, Demo) == read_figures(alone, Demo) == Demo(0.12)
    assert figures_as(report(rtf=0.12), Demo) == Demo(0.12)


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"name": "demo"}', "\udcff".join("ab")])
def test_what_is_no_report_is_named(tmp_path: Path, content: str) -> None:
    file = tmp_path / "broken.json"
    file.write_text(content, errors="surrogateescape")
    with pytest.raises(ConfigInvalid, match=r"broken\.json"):
        read_report(file)
    with pytest.raises(ConfigInvalid, match=r"broken\.json"):
        read_figures(file, Demo)


def test_other_figures_are_named() -> None:
    with pytest.raises(ConfigInvalid, match=r"demo\.json.*rtf"):
        figures_as(report(), Demo)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match=r"cannot read .*none\.json"):
        read_report(tmp_path / "none.json")
    with pytest.raises(ConfigInvalid, match="--reports"):
        read_reports(tmp_path / "nowhere")
