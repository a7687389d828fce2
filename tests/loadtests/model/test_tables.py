"""What the model found, as a person sees it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from loadtests.model import tables

pytestmark = pytest.mark.unit

SPREAD = {"p50": 150.0, "p95": 210.5}

FIGURES: dict[str, Any] = {
    "cost": {
        "items": [{"what": "to make it", "cores": 0.0613}, {"what": "to send it", "cores": 0.002}],
        "cores_per_user": 0.0633,
        "users_per_core": 15.8,
        "users_per_core_at_70": 11.1,
    },
    "check": {
        "right": 1,
        "of": 2,
        "points": [
            {
                "users": 4,
                "talk": 0.25,
                "measured_ms": {**SPREAD, "n": 31},
                "predicted_ms": SPREAD,
                "p50_error": 0.021,
                "p95_error": -0.4,
                "right": True,
            },
            {
                "users": 16,
                "talk": 1.0,
                "measured_ms": {"p50": None, "p95": None, "n": 0},
                "predicted_ms": SPREAD,
                "p50_error": None,
                "p95_error": None,
                "right": False,
            },
        ],
    },
    "streams": {
        "right": 1,
        "of": 1,
        "points": [
            {
                "n": 8,
                "measured_ms": SPREAD,
                "predicted_ms": SPREAD,
                "underruns_per_stream": [0.125, 0.0],
            }
        ],
    },
    "replica": {
        "cores": 2,
        "users": 9,
        "by_users": [
            {
                "users": 1,
                "first_audible_ms": SPREAD,
                "underruns_per_minute": 0.25,
                "engine_busy": 0.031,
                "cores": 0.12,
            }
        ],
    },
    "pooled": [{"engines": 4, "users": 52, "users_per_engine": 13.0}],
    "clusters": [
        {
            "users": 100_000,
            "balancer": "random",
            "replicas": 12_345,
            "cores": 24_690,
            "first_audible_ms": SPREAD,
            "underruns_per_minute": 0.4,
            "crowded_share": 0.049,
            "refused_share": 0.0002,
        }
    ],
    "notes": {"gpu": "no GPU was measured"},
}


def shown(capsys: pytest.CaptureFixture[str], **changed: object) -> list[str]:
    """The lines that are printed of the figures, some of them changed."""
    tables.show({**copy.deepcopy(FIGURES), **changed})
    return capsys.readouterr().out.splitlines()


def test_a_bill_is_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys)
    assert [line.split() for line in lines[:4]] == [
        ["A", "USER", "TAKES", "CORES"],
        ["to", "make", "it", "0.0613"],
        ["to", "send", "it", "0.0020"],
        ["in", "all", "0.0633"],
    ]
    assert lines[4].startswith("15.8 users keep a core busy, 11.1 for")


def test_points_say_how_far_off_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys)
    good = next(line for line in lines if line.startswith("4 "))
    assert good.split() == "4 0.25 31 150.0 210.5 150.0 210.5 +2% -40% ok".split()
    off = next(line for line in lines if line.startswith("16 "))
    assert off.split() == "16 1.0 0 None None 150.0 210.5 - - OFF".split()
    assert "1 of 2 points are predicted" in lines


def test_streams_replicas_pools_and_clusters_have_a_line_each(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [line.split() for line in shown(capsys)]
    assert "8 150.0 210.5 150.0 210.5 0.125 0.0".split() in lines
    assert "1 150.0 210.5 0.25 0.031 0.12".split() in lines
    assert "4 engines with one queue: 52 users".split() in lines
    cluster = "100000 random 12345 24690 150.0 210.5 0.4 0.049 0.0002".split()
    assert cluster in lines


def test_notes_come_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys)[-1] == "note: gpu: no GPU was measured"


def test_what_was_not_asked_for_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    lines = shown(capsys, check=None, streams=None, clusters=[], pooled=[], notes={})
    text = "\n".join(lines)
    assert "points are predicted" not in text
    assert "STREAMS" not in text
    assert "REPLICAS" not in text
    assert "one queue" not in text
    assert "a replica of 2 cores serves 9 users" in text
