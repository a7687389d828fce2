"""``voicepeer bench rooms``: real rooms in processes of their own, and what is printed of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engines.progress import no_progress
from tests.peers.leaks import nothing_left_behind
from tests.voicepeer.commandline import voicepeer
from voicepeer.benches import large_rooms, rooms
from voicepeer.benches.large_rooms import LargeCost
from voicepeer.benches.rooms import Cost, figures, measure

pytestmark = pytest.mark.peer

OURS = Cost(10, 90, 1.53, 0.999, [0.0005, 0.0006, 0.0021])
RELAY = Cost(4, 12, 70.0, 0.97, [])
JANUS = Cost(10, 90, 2.5, 0.998, [0.0004, 0.0005, 0.0012])


@pytest.fixture(autouse=True)
def settles_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections on loopback stand at once."""
    monkeypatch.setattr(rooms, "SETTLE_S", 0.5)


async def test_packets_of_all_reach_all_others() -> None:
    async with nothing_left_behind():
        cost = await measure("packets", 3, 1.0)
    assert (cost.participants, cost.streams) == (3, 6)
    assert cost.delivered > 0.2
    assert cost.cpu_ms_per_stream_s > 0
    assert len(cost.delays_s) > 0.5 * 6 * 50 * cost.delivered
    assert 0 < min(cost.delays_s) < 0.5


async def test_of_many_who_listen_each_hears_those_who_speak(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(large_rooms, "SETTLE_S", 0.5)
    monkeypatch.setattr(large_rooms, "LOOKED_AT", 2)
    async with nothing_left_behind():
        cost = await large_rooms.measure(5, 2, 1.0, no_progress)
    assert (cost.participants, cost.speakers, cost.streams) == (5, 2, 8)
    assert cost.delivered > 0.5
    assert cost.cpu_cores > 0
    assert len(cost.joins_s) == 5
    # Of the two that are looked at each hears both speakers, and none of the quiet ones.
    assert 0 < min(cost.delays_s) < 0.1
    assert len(cost.delays_s) > 0.5 * 4 * 50 * cost.delivered


async def test_media_relay_is_measured_alike() -> None:
    async with nothing_left_behind():
        cost = await measure("relay", 2, 1.0)
    assert cost.streams == 2
    assert cost.delivered > 0
    assert cost.cpu_ms_per_stream_s > 0


@pytest.mark.needs("janus")
async def test_a_janus_is_measured_alike() -> None:
    async with nothing_left_behind():
        cost = await measure("janus", 3, 1.0)
    assert (cost.participants, cost.streams) == (3, 6)
    assert cost.delivered > 0.5
    assert cost.cpu_ms_per_stream_s >= 0, "its clock has steps of 10 ms"
    assert len(cost.delays_s) > 0.5 * 6 * 50 * cost.delivered
    assert 0 < min(cost.delays_s) < 0.1


def test_what_is_compared_is_processor_time_by_what_was_delivered() -> None:
    told = figures(OURS, RELAY)
    assert (told["participants"], told["forwarded_streams"]) == (10, 90)
    assert told["cpu_ms_per_stream_s"] == 1.53
    assert told["ratios"] == {"mediarelay": 0.022, "janus": None}
    assert told["added_latency_ms"]["p99"] == pytest.approx(2.1, abs=0.1)
    assert told["mediarelay"]["cpu_ms_per_stream_s"] == 70.0
    assert "--against janus" in told["notes"]["janus"]


def test_a_janus_is_compared_where_it_was_measured() -> None:
    told = figures(OURS, RELAY, JANUS)
    assert told["ratios"] == {"mediarelay": 0.022, "janus": 0.612}
    assert told["janus"]["cpu_ms_per_stream_s"] == 2.5
    assert told["janus"]["added_latency_ms"]["p99"] == pytest.approx(1.2, abs=0.1)
    assert "janus" not in told["notes"]
    for ours, janus in ((OURS, Cost(10, 90, 2.5, 0.4, [])), (Cost(10, 90, 9.0, 0.4, []), JANUS)):
        assert figures(ours, RELAY, janus)["ratios"]["janus"] is None
    told = figures(OURS, RELAY, Cost(10, 90, 2.5, 0.4, []))
    assert told["janus"]["cpu_ms_per_stream_s"] is None
    assert "with Janus, only 40%" in told["notes"]["janus"]


def test_a_room_that_did_not_get_through_has_no_figures() -> None:
    told = figures(Cost(10, 90, 25.0, 0.05, [2.5, 2.6]), RELAY)
    assert (told["cpu_ms_per_stream_s"], told["ratios"]["mediarelay"]) == (None, None)
    assert set(told["added_latency_ms"].values()) == {None}
    assert told["delivered"] == 0.05
    assert "only 5%" in told["notes"]["cpu_ms_per_stream_s"]
    assert "cpu_ms_per_stream_s" not in figures(OURS, RELAY)["notes"]


LARGE = LargeCost(50, 5, 245, 0.4, 1.0, [0.001, 0.002], [0.1])


def test_a_large_room_has_its_own_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    told = large_rooms.figures(LARGE)
    assert (told["cpu_cores"], told["cpu_ms_per_stream_s"]) == (0.4, 1.63)
    assert told["join_ms"]["p50"] == 100.0
    starved = large_rooms.figures(LargeCost(50, 5, 245, 0.4, 0.5, [0.001], [0.1]))
    assert (starved["cpu_ms_per_stream_s"], starved["added_latency_ms"]["p99"]) == (None, None)
    assert "only 50%" in starved["notes"]["cpu_ms_per_stream_s"]
    asked: list[tuple[int, int, float]] = []

    def run(participants: int, speakers: int, seconds: float, _progress: object) -> dict[str, Any]:
        asked.append((participants, speakers, seconds))
        return large_rooms.figures(LARGE)

    monkeypatch.setattr(large_rooms, "run", run)
    options = ("bench", "rooms", "--participants", "50", "--speakers", "5")
    assert voicepeer(*options, "--json").json == told
    lines = voicepeer(*options, "--seconds", "3").out.splitlines()
    assert asked == [(50, 5, 20.0), (50, 5, 3.0)]
    assert lines[1].split() == ["50", "5", "245", "1.0", "0.4"]
    assert lines[-1] == "processor time: 1.63 ms per stream-second"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the command asks to be measured, answered with figures."""
    calls: list[tuple[Any, ...]] = []

    def run(
        *arguments: Any,  # noqa: ANN401 - whatever the command passes
        against_janus: bool,
    ) -> dict[str, Any]:
        calls.append(arguments[:2])
        return figures(OURS, RELAY, JANUS if against_janus else None)

    monkeypatch.setattr(rooms, "run", run)
    return calls


def test_the_command_prints_for_programs_and_for_people(asked: list[tuple[Any, ...]]) -> None:
    assert voicepeer("bench", "rooms", "--json").json == figures(OURS, RELAY)
    ran = voicepeer("bench", "rooms", "--participants", "5", "--seconds", "2")
    assert asked == [(10, 20.0), (5, 2.0)]
    lines = ran.out.splitlines()
    assert lines[1].split() == ["forwarded", "10", "90", "0.999", "1.53"]
    assert lines[2].split() == ["MediaRelay", "4", "12", "0.97", "70.0"]
    assert lines[3].startswith("from client to client: p50 0.6 ms, p99 2.1 ms")


@pytest.mark.needs("janus")
def test_the_command_compares_with_janus_if_asked(asked: list[tuple[Any, ...]]) -> None:
    lines = voicepeer("bench", "rooms", "--against", "janus").out.splitlines()
    assert asked == [(10, 20.0)]
    assert lines[2].split() == ["Janus", "10", "90", "0.998", "2.5"]
    assert "of Janus's processor time: 0.612" in lines


def test_a_janus_that_is_not_there_is_not_compared_with(
    asked: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    ran = voicepeer("bench", "rooms", "--against", "janus")
    assert (ran.code, asked) == (2, [])
    assert "apt-get install janus" in ran.complaint


@pytest.mark.parametrize(
    "options",
    [
        ["--participants", "1"],
        ["--participants", "18"],
        ["--seconds", "0"],
        ["--speakers", "1"],
        ["--speakers", "17"],
        ["--participants", "5", "--speakers", "5"],
        ["--participants", "201", "--speakers", "5"],
        ["--against", "janus", "--speakers", "5"],
    ],
)
def test_what_cannot_be_measured_is_refused(options: list[str]) -> None:
    ran = voicepeer("bench", "rooms", *options)
    assert ran.code == 2
    assert options[0] in ran.complaint


async def test_a_room_that_does_not_answer_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "ANSWER_S", 0.01)
    async with nothing_left_behind():
        with pytest.raises(TimeoutError):
            await measure("packets", 2, 0.1)
        await asyncio.sleep(0)
