"""Plots and pages: what is in them, and that they are well formed."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests import page
from loadtests.plots import HEIGHT, MAX_POINTS, WIDTH, Series, lines, tick_step
from loadtests.report import run_json, window_figures
from tests.loadtests.samples import journal, samples

pytestmark = pytest.mark.unit

numbers = st.floats(-1e9, 1e9)


def points_of(svg: str) -> list[tuple[float, float]]:
    found = ElementTree.fromstring(svg).find("polyline")
    assert found is not None
    pairs = (point.split(",") for point in found.attrib["points"].split())
    return [(float(x), float(y)) for x, y in pairs]


def test_larger_values_are_higher_up() -> None:
    (_, low), (_, high) = points_of(lines("a", "x", [Series("one", [0, 1], [1.0, 9.0])]))
    assert high < low


def test_holes_are_left_out() -> None:
    drawn = points_of(
        lines("a", "x", [Series("one", [0, 1, 2, 3], [1.0, None, float("nan"), 2.0])])
    )
    assert len(drawn) == 2


def test_a_difference_that_is_hardly_any_is_drawn() -> None:
    drawn = points_of(lines("a", "x", [Series("one", [0, 1], [0.0, 5e-324])]))
    assert len(drawn) == 2


def test_nothing_is_said_where_there_is_nothing() -> None:
    assert "nothing to be shown" in lines("a", "x", [Series("one", [0], [None])])


def test_a_limit_is_always_in_sight() -> None:
    root = ElementTree.fromstring(lines("a", "x", [Series("one", [0, 1], [1.0, 2.0])], 50.0))
    (limit,) = (line for line in root.iter("line") if line.get("class") == "limit")
    assert 0 <= float(limit.attrib["y1"]) <= HEIGHT


def test_names_cannot_break_out() -> None:
    root = ElementTree.fromstring(lines('<a> & "b"', "<x>", [Series("<one>", [0, 1], [1.0, 2.0])]))
    assert "<one>" in "".join(root.itertext())


def test_many_points_are_thinned_and_no_peak_is_lost() -> None:
    y = [0.0] * 20_000
    y[12_345] = 7.0
    drawn = points_of(lines("a", "x", [Series("one", list(range(20_000)), y)]))
    assert len(drawn) <= MAX_POINTS
    assert min(at for _, at in drawn) < max(at for _, at in drawn)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=30))
def test_every_line_stays_within_its_plot(points: list[tuple[float, float]]) -> None:
    drawn = points_of(lines("a", "x", [Series("one", *map(list, zip(*points, strict=True)))]))
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in drawn)


@given(st.floats(1e-6, 1e9))
def test_ticks_are_round_and_few(span: float) -> None:
    step = tick_step(span)
    assert re.match(r"^[125]e", f"{step:.0e}")
    assert 1 <= span / step <= 5.01


# --- pages ------------------------------------------------------------------------------------


def run_figures() -> dict[str, Any]:
    window = window_figures(journal(), samples(), users=2, talk=0.25, seconds=10.0)
    return run_json(window, window, seed=1, engine={"engine": "fake"})


def assert_alone(text: str) -> None:
    """A page that fetches nothing, and whose plots can be read."""
    assert not re.search(r"(?:src|href)\s*=|@import|url\(|<script", text)
    plots = re.findall(r"<svg.*?</svg>", text)
    assert plots
    for plot in plots:
        ElementTree.fromstring(plot)


def test_the_page_of_a_run_shows_its_figures() -> None:
    text = page.window("Two users", run_figures(), samples())
    assert_alone(text)
    assert "<h1>Two users</h1>" in text
    assert "first audible, one user alone" in text
    assert "timeout" in text


def test_the_page_of_a_ramp_shows_what_broke() -> None:
    steps = [
        {**run_figures(), "users": users, "talk": talk, "exceeded": []}
        for users in (1, 2, 4)
        for talk in (0.25, 1.0)
    ]
    broke = {"talk": 1.0, "users": 4, "exceeded": ["errors a text 0.5 (limit 0.01)"]}
    limits = {"first_audible_ms": 600.0, "inter_departure_ms": 25.0, "network_cores": 0.9}
    figures = {"steps": steps, "breaks": [broke], "limits": limits, "notes": {"a": "<b>"}}
    text = page.ramp(figures, samples())
    assert_alone(text)
    assert "100% talk: broke with 4 users" in text
    assert "&lt;b&gt;" in text
    assert "25% talk" in text


def test_the_page_of_a_soak_shows_slopes() -> None:
    figures = run_figures() | {
        "minutes": 3.0,
        "leaks": ["fds"],
        "utterances_by_kind": {"talk": 3},
        "slopes_per_hour": {"fds": {"slope": 9.0, "low": 8.0, "high": 10.0}, "rss_mb": None},
    }
    text = page.soak(figures, samples())
    assert_alone(text)
    assert "Grows: fds, but that is not known of: rss_mb." in text


@pytest.mark.parametrize(
    ("leaks", "fds", "told"),
    [
        ([], {"slope": 0.0}, "Nothing grows."),
        (["fds"], {"slope": 9.0}, "Grows: fds."),
        ([], None, "Nothing grows, but that is not known of: fds."),
    ],
)
def test_what_nobody_knows_is_not_called_still(
    leaks: list[str], fds: dict[str, float] | None, told: str
) -> None:
    assert page.growth({"leaks": leaks, "slopes_per_hour": {"fds": fds}}) == told


def test_without_samples_there_is_no_plot_over_time() -> None:
    assert page.over_time([]) == ""
