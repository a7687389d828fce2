from __future__ import annotations

import re

import pytest

from loadtests.figures import BLOCKS, DOCUMENTS
from loadtests.figures_report import Machine, Report
from loadtests.peers import document, figures
from loadtests.peers.bench import Comparison, Run
from loadtests.peers.catalogue import OURS, PEERS
from loadtests.peers.contestant import Samples
from tests.loadtests.peers.test_figures import called, only_samples
from tests.test_documents import ROOT

pytestmark = pytest.mark.unit

PAGE = (ROOT / "docs/peers.md").read_text(encoding="utf-8")


def report() -> Report:
    """Ours four times as good as Pipecat, kokoro-onnx without a network, FastRTC broken."""
    runs = [
        called(OURS[0], 0.25),
        called(OURS[1], 0.5),
        called(PEERS[0]),
        Run(PEERS[1], samples=Samples(failure="it has ended")),
        only_samples(PEERS[2]),
    ]
    machine = Machine("a CPU", 2, 24.0)
    return Report(
        "peers",
        "2026-11-30",
        "abc",
        machine,
        "run me",
        600.0,
        figures.report(Comparison(runs, [1.0])),
    )


def lines_of(text: str, name: str) -> list[list[str]]:
    """Cells of the lines of tables that begin with a name."""
    rows = re.findall(rf"^\| {re.escape(name)} \|.*$", text, re.M)
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def test_figures_are_written_as_they_were_measured() -> None:
    text = document.peers({"peers": report()})
    calls, texts, losses, *shares = lines_of(text, "pipecat")
    assert calls[1:4] == ["1352 / 3203", "0.40", "0.20"]
    assert calls[7] == "0, 0, 0"
    assert texts[1:] == ["202", "1002", "1702", "3202"]
    assert losses[1:] == ["5", "3", "2", "3", "0"]
    assert shares == [
        ["pipecat", "voicepeer", "0.25", "0.25"],
        ["pipecat", "voicepeer-int8", "0.50", "0.50"],
    ]
    assert "run me" in text


def test_what_was_not_measured_is_a_dash_with_a_reason() -> None:
    text = document.peers({"peers": report()})
    assert lines_of(text, "fastrtc")[0][1:4] == ["- / -", "-", "-"]
    assert re.search(r"^- fastrtc: .*it has ended", text, re.M)
    assert lines_of(text, "kokoro-onnx")[0][6] == "- / -"


def test_without_a_report_the_command_for_one_is_told() -> None:
    assert document.COMMAND in document.peers({})


def test_the_page_has_its_place_for_figures() -> None:
    assert "docs/peers.md" in {str(path) for path in DOCUMENTS}
    assert BLOCKS["peers"] is document.peers
    assert "<!-- figures: peers -->" in PAGE


def test_the_page_tells_of_everybody() -> None:
    for one in (*OURS, *PEERS):
        assert f"`{one.name}`" in PAGE, one.name


@pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)
def test_the_page_has_the_versions_that_are_installed(peer: object) -> None:
    assert isinstance(peer, type(PEERS[0]))
    wanted = dict(
        line.split("==")
        for line in peer.requirements.read_text().splitlines()
        if not line.startswith("#")
    )
    (row,) = [cells for cells in lines_of(PAGE, f"`{peer.name}`") if len(cells) == 4]
    named = re.findall(r"([\w-]+) (\d[\w.]*)", row[1])
    assert named
    for package, version in named:
        assert wanted[package] == version
