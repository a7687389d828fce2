"""Figures by their paths, written for a person."""

from __future__ import annotations

from typing import Any

import pytest

from loadtests import figures_cells
from loadtests.figures_cells import Cell, Figures, Missing, Row, source, table
from tests.loadtests.test_figures_report import report

pytestmark = pytest.mark.unit

FIGURES: dict[str, Any] = {
    "usable_ms": 4321.0,
    "rtf": 0.123,
    "ok": True,
    "unknown": None,
    "share": 0.745,
    "texts": [
        {"words": 2, "first_audible_ms": {"p50": 53.4, "p95": 68.0}},
        {"words": 10, "first_audible_ms": {"p50": 88.0, "p95": 96.2}},
    ],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("usable_ms", 4321.0),
        ("texts[words=10].first_audible_ms.p95", 96.2),
        ("texts[words=2].words", 2),
    ],
)
def test_a_figure_is_found_by_its_path(path: str, value: float) -> None:
    assert Figures(report(**FIGURES))(path) == value


@pytest.mark.parametrize(
    "path",
    [
        *("none", "rtf.p50", "texts", "texts[words=3].words", "usable_ms[words=2]"),
        *("ok", "unknown", "texts[words=10].first_audible_ms"),
    ],
)
def test_what_is_no_number_is_missing(path: str) -> None:
    with pytest.raises(Missing):
        Figures(report(**FIGURES))(path)


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        (figures_cells.seconds("usable_ms"), "4.3 s"),
        (figures_cells.milliseconds("usable_ms"), "4321 ms"),
        (
            figures_cells.milliseconds(
                "texts[words=10].first_audible_ms.p50", "texts[words=10].first_audible_ms.p95"
            ),
            "88 / 96 ms",
        ),
        (figures_cells.number("rtf", 2), "0.12"),
        (figures_cells.numbers("usable_ms", "rtf"), "4321, 0"),
        (figures_cells.percent("share"), "74 %"),
        (figures_cells.quotient("usable_ms", "share", 0), "5800"),
        (figures_cells.number("unknown"), "not measured"),
        (figures_cells.quotient("rtf", "none"), "not measured"),
    ],
)
def test_a_cell_is_written_for_a_person(cell: Cell, written: str) -> None:
    assert Row("figure", "demo", cell).written(report(**FIGURES)) == written


def test_nothing_is_divided_by_nothing() -> None:
    cell = figures_cells.quotient("rtf", "zero")
    assert Row("figure", "demo", cell).written(report(rtf=1.0, zero=0)) == "not measured"


def test_a_table_is_markdown() -> None:
    assert table(["a", "b"], [["1", "2"], ["3", "4"]]).splitlines() == [
        "| a | b |",
        "|---|---|",
        "| 1 | 2 |",
        "| 3 | 4 |",
    ]


def test_a_source_says_when_where_and_how() -> None:
    assert source(report(), "folder/") == (
        "- [demo](folder/demo.json): 30 November 2026, 2 cores of a processor, 8 GB, load 0.1 "
        "before it, revision 0123456789ab: `voicepeer demo`"
    )
