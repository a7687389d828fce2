"""What counts as a leak, and reports that are written while they grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from loadtests.files import write_text
from loadtests.soak import LIMITS_PER_HOUR, _unknown, leaks, slopes_of
from loadtests.trend import Slope
from loadtests.watch import Sample
from tests.loadtests.samples import samples
from voicepeer.core.errors import CannotWrite

pytestmark = pytest.mark.unit


def test_a_service_that_stays_as_it_is_does_not_leak() -> None:
    slopes = slopes_of(samples(300), [(float(at), 3.0) for at in range(0, 300, 5)])
    assert slopes.keys() == LIMITS_PER_HOUR.keys()
    assert leaks(slopes) == []


def test_memory_that_grows_is_a_leak() -> None:
    assert leaks(slopes_of(samples(300, mb_per_min=2.0), [])) == ["rss_mb"]


def test_a_little_growth_is_none() -> None:
    assert leaks(slopes_of(samples(300, mb_per_min=0.5), [])) == []


def test_descriptors_and_sessions_that_stay_are_leaks() -> None:
    growing = [
        Sample(float(at), 0.0, 0.0, 500.0, 40 + at // 30, 12 + at // 60) for at in range(600)
    ]
    sessions = [(float(at), 3.0 + at // 120) for at in range(0, 600, 5)]
    assert leaks(slopes_of(growing, sessions)) == ["fds", "threads", "sessions"]


def test_what_may_be_chance_is_no_leak() -> None:
    wide = Slope(per_min=100.0, low=-1.0, high=201.0)
    assert leaks({"rss_mb": wide}) == []


def test_too_little_is_no_leak() -> None:
    slopes = slopes_of(samples(3), [])
    assert set(slopes.values()) == {None}
    assert leaks(slopes) == []


def test_what_has_no_trend_is_noted() -> None:
    assert _unknown(slopes_of(samples(300), [(float(at), 3.0) for at in range(300)])) == {}
    elsewhere = _unknown(slopes_of([], [(float(at), 3.0) for at in range(300)]))
    assert elsewhere["slopes_per_hour"].startswith("no trend of rss_mb, fds, threads: ")


def test_a_report_is_whole_at_every_moment(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "soak.json"
    write_text(file, "one")
    write_text(file, "two")
    assert file.read_text() == "two"
    assert [one.name for one in file.parent.iterdir()] == ["soak.json"]


def test_what_was_not_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "soak.json").mkdir()
    with pytest.raises(CannotWrite, match=r"soak\.json"):
        write_text(tmp_path / "soak.json", "x")
    assert [one.name for one in tmp_path.iterdir()] == ["soak.json"]


def test_a_report_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(CannotWrite, match="taken"):
        write_text(tmp_path / "taken" / "soak.json", "x")
