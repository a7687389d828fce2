"""Documents say what the reports say, and the script writes nothing else into them."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import msgspec
import pytest

from loadtests import figures
from loadtests.figures_report import REPORTS, read_reports
from tests.loadtests.test_figures_report import report
from tests.loadtests.test_figures_summary import PRINTED
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parent.parent.parent
REPORTED = {"demo": report("demo", **PRINTED["demo"])}
PAGE = "before\n<!-- figures: summary -->\nold\n<!-- /figures -->\nafter\n"


def arguments(*words: str) -> argparse.Namespace:
    """What the command is given."""
    parser = argparse.ArgumentParser()
    figures.add_arguments(parser)
    return parser.parse_args(words)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose documents have figures of long ago."""
    for page in figures.DOCUMENTS:
        (tmp_path / page).parent.mkdir(exist_ok=True)
        (tmp_path / page).write_text(PAGE.replace("summary", "parts"))
    (tmp_path / "README.md").write_text(PAGE)
    REPORTED["demo"].write(tmp_path / REPORTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_documents_are_what_the_reports_of_record_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert figures.run(arguments("--check")) == 0


def test_reports_of_record_tell_nothing_of_where_they_were_made() -> None:
    told = [path.read_text() for path in (ROOT / REPORTS).glob("*.json")]
    assert not [text for text in told if re.search(r'[" =](?:/[a-z]+){2,}/', text)]


def test_reports_of_record_are_small_and_named_as_they_are() -> None:
    for name, found in read_reports(ROOT / REPORTS).items():
        path = ROOT / REPORTS / f"{name}.json"
        assert path.stat().st_size < 200_000, name
        assert path.stem == found.name


def test_only_what_lies_between_the_marks_is_written() -> None:
    written = figures.rewritten(PAGE, REPORTED)
    assert written.startswith("before\n<!-- figures: summary -->\n| figure |")
    assert written.endswith("\n<!-- /figures -->\nafter\n")
    assert "old" not in written
    assert figures.rewritten(written, REPORTED) == written


def test_every_block_of_a_document_is_written() -> None:
    two = PAGE + PAGE.replace("summary", "parts")
    written = figures.rewritten(two, REPORTED)
    assert "| figure |" in written
    assert "Not measured yet" in written


@pytest.mark.parametrize("page", ["nothing\n", PAGE.replace("summary", "other")])
def test_what_cannot_be_written_is_said(page: str) -> None:
    with pytest.raises(ConfigInvalid, match="figures"):
        figures.rewritten(page, REPORTED)


@pytest.mark.parametrize("figures_of", [{}, {"cost": {"items": [{"what": "a"}]}}, {"cost": None}])
def test_a_report_that_lacks_figures_is_said(figures_of: dict[str, object]) -> None:
    reports = {"model": report("model", **figures_of)}
    with pytest.raises(ConfigInvalid, match="lacks what 'cost' shows"):
        figures.rewritten(PAGE.replace("summary", "cost"), reports)


def test_a_check_writes_nothing_and_fails(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / "README.md").read_text()
    assert figures.run(arguments("--check")) == 1
    assert (project / "README.md").read_text() == before
    told = capsys.readouterr().err
    assert "README.md is not what the reports say" in told
    assert "python -m loadtests figures" in told


def test_what_was_written_passes_the_check(project: Path) -> None:
    assert figures.run(arguments()) == 0
    assert "4.3 s" in (project / "README.md").read_text()
    assert figures.run(arguments("--check")) == 0


def test_another_report_fails_the_check(project: Path) -> None:
    figures.run(arguments())
    report("demo", **{**PRINTED["demo"], "usable_ms": 3_900.0}).write(project / REPORTS)
    assert figures.run(arguments("--check")) == 1


def test_reports_may_be_elsewhere(project: Path) -> None:
    (project / "elsewhere").mkdir()
    assert figures.run(arguments("--reports", "elsewhere")) == 0
    assert "4.3 s" not in (project / "README.md").read_text()


@pytest.mark.parametrize(
    "page",
    [
        "<!-- figures: parts -->\nprose\n<!-- figures: summary -->\n<!-- /figures -->\n",
        "<!-- figures: summary -->\n<!-- /figures -->\n<!-- figures:parts -->\n<!-- /figures -->\n",
        "<!-- figures: summary -->\n<!-- /figures -->\n<!-- /figures -->\n",
        "<!-- figures: summary -->\n<!-- /figures -->\n<!--figures: parts -->\nprose\n",
        "<!-- figures: summary -->\n<!-- /figures -->\n<!-- figures: parts -->\nprose\n",
    ],
)
def test_a_mark_without_its_other_one_is_told_and_no_prose_is_lost(page: str) -> None:
    with pytest.raises(ConfigInvalid, match="has no other one"):
        figures.rewritten(page, REPORTED)


@pytest.mark.parametrize("broken", ["missing", "binary"])
def test_one_document_that_cannot_be_read_leaves_all_others_alone(
    project: Path, broken: str
) -> None:
    last = project / figures.DOCUMENTS[-1]
    last.unlink() if broken == "missing" else last.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigInvalid, match=last.name):
        figures.run(arguments())
    assert (project / "README.md").read_text() == PAGE


@pytest.mark.parametrize("date", ["yesterday", ""])
def test_a_report_with_an_odd_date_is_told(date: str) -> None:
    odd = msgspec.structs.replace(REPORTED["demo"], date=date)
    with pytest.raises(ConfigInvalid, match="a report lacks"):
        figures.rewritten(PAGE, {"demo": odd})
