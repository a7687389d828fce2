"""The measurement of rooms: what counts as a glitch, and a short one of everything."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.fakes import FakeSpeechEngine, tone_hz
from tests.e2e import rooms_measure
from tests.e2e.attendees import TONES_HZ
from tests.e2e.chromium import PROGRAMS
from tests.e2e.ears import Heard
from tests.e2e.measure import missed
from tests.e2e.rooms_measure import GOALS, SANE, Stream, bot_text, judged, listened
from tests.peers.glitches import tone

pytestmark = pytest.mark.unit

BEFORE = {
    "packetsLost": 1,
    "packetsReceived": 100,
    "concealedSamples": 960,
    "silentConcealedSamples": 960,
    "concealmentEvents": 1,
}


def counters(**more: int) -> dict[str, int]:
    """The browser's counters a while later."""
    return {name: value + more.get(name, 0) for name, value in BEFORE.items()}


def test_a_stream_that_came_whole_has_no_glitches() -> None:
    stream = judged(BEFORE, counters(packetsReceived=50))
    stream = listened(stream, Heard(0.0, tone(1.0, 700.0)), 700.0, 1.0)
    assert (stream.packets, stream.glitches) == (50, 0)
    assert stream.heard_share == pytest.approx(1.0, abs=0.02)


def test_what_was_lost_and_what_was_made_up_are_glitches() -> None:
    assert judged(BEFORE, counters(packetsLost=2)).glitches == 2
    silent = counters(concealedSamples=960, silentConcealedSamples=960, concealmentEvents=3)
    assert judged(BEFORE, silent).glitches == 0
    assert judged(BEFORE, counters(concealedSamples=960, concealmentEvents=3)).glitches == 3


def test_a_hole_in_one_tone_is_found_under_the_others() -> None:
    # One hole of 60 ms in one of three tones that sound at once.
    pcm = tone(2.0, 400.0, 0.2)
    pcm[48_000 : 48_000 + 2_880] = 0
    mix = pcm + tone(2.0, 700.0, 0.2) + tone(2.0, 1100.0, 0.2)
    found = listened(Stream(0, 0, 100), Heard(0.0, mix), 400.0, 2.0)
    assert found.holes == 1
    assert found.heard_share == pytest.approx(0.97, abs=0.02)
    for hz in (700.0, 1100.0):
        assert listened(Stream(0, 0, 100), Heard(0.0, mix), hz, 2.0).glitches == 0


def test_nothing_at_all_is_not_taken_for_a_clean_stream() -> None:
    found = listened(Stream(0, 0, 0), Heard(0.0, np.zeros(48_000, np.float32)), 400.0, 1.0)
    assert found.heard_share == 0.0


def test_the_bot_is_none_of_the_tones_of_the_others() -> None:
    low = FakeSpeechEngine().stock_voices()["low"]
    hz = tone_hz(bot_text(), low)
    assert hz % 100 == 0
    assert hz not in TONES_HZ.values()


def figures(**changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """Figures of a measurement in which all went well."""
    well = {"glitches": 0, "lost": 0, "heard_share": 1.0, "silent": 0, "left_behind": 0}
    return well | changes


@pytest.mark.parametrize("name", ["glitches", "silent", "left_behind"])
def test_every_goal_is_missed_by_one(name: str) -> None:
    assert missed(figures(), GOALS) == []
    assert missed(figures(**{name: 1}), GOALS) == [f"{name} is 1, not <= 0"]


def test_a_busy_machine_may_delay_and_may_not_lose(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = figures(glitches=9)

    async def quick(*_: object) -> dict[str, Any]:
        return found

    monkeypatch.setattr(rooms_measure, "measure", quick)
    assert rooms_measure.main(["--json", "--sane"]) == 0
    assert json.loads(capsys.readouterr().out) == found
    assert rooms_measure.main([]) == 1
    found["lost"] = 1
    assert rooms_measure.main(["--sane"]) == 1
    assert capsys.readouterr().err.endswith("lost is 1, not <= 0\n")


@pytest.mark.e2e
@pytest.mark.needs(*PROGRAMS)
def test_three_pages_and_a_bot_hear_each_other(tmp_path: Path) -> None:
    found = asyncio.run(rooms_measure.hearing(8.0, tmp_path))
    assert (found["pages"], found["bots"], found["streams"]) == (3, 1, 9)
    assert missed(found | {"silent": 0, "left_behind": 0}, SANE) == []


@pytest.mark.e2e
@pytest.mark.needs(*PROGRAMS)
def test_nobody_is_silent_and_nothing_is_left_of_those_who_came_and_went() -> None:
    found = asyncio.run(rooms_measure.churn(8))
    assert found == {"rounds": 8, "silent": 0, "left_behind": 0}
