"""The commands, each with a service and testers of its own and models that load in no time."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path

import pytest

from engines.progress import no_progress
from loadtests.journal import Journal
from loadtests.processes import tree
from loadtests.stage import READY_TIMEOUT_S, LoadtestFailed, Setting, plans, stage
from loadtests.wire import KINDS
from tests.loadtests.commandline import ended, fake, loadtests, started
from tests.voicepeer.commandline import FAKE
from voicepeer.child_service import running_service

pytestmark = pytest.mark.e2e

BY_BUSY_MACHINES = {"call_ended", "not_resumed", "timeout", "unreachable"}
"""What users may be told where clients and service stood still for seconds."""


def test_users_are_spoken_to_and_that_is_measured(tmp_path: Path) -> None:
    users = ["--users", "2", "--talk", "0.9", "--minutes", "0.2", "--single-s", "8"]
    ran = loadtests(
        *fake(["run", *users, "--warm-up-s", "1"], "--json", "--report", str(tmp_path / "report"))
    )
    assert ran.code == 0, ran.err
    figures = ran.json
    assert figures["errors"] == 0, figures["error_codes"]
    assert "users" not in figures["notes"]
    assert figures["first_audible_ms"]["n"] >= 1
    # Fifty milliseconds of it are the receive buffer; silence is never heard.
    assert figures["first_audible_ms"]["p50"] > 50
    assert figures["single_first_audible_ms"]["n"] >= 1
    # Two streams of fifty packets a second, but for what a busy machine delays.
    assert figures["inter_departure_ms"]["n"] > 700
    assert 15 < figures["inter_departure_ms"]["p50"] < 25
    assert 0 < figures["network_cores"] <= figures["cpu_cores"]
    assert figures["rss_mb"] > 100
    assert len(figures["testers"]) == 2
    assert json.loads((tmp_path / "report" / "run.json").read_text()) == figures
    assert "<svg" in (tmp_path / "report" / "index.html").read_text()


@pytest.mark.timeout(240)
async def test_every_kind_of_user_does_what_it_should() -> None:
    fakes = [f"--set=engine.{name}=fake" for name in ("speech", "encoder", "vad")]
    setting = Setting(service_arguments=[*fakes, "--set=degradation.enabled=false"])
    wanted = {"burst", "interrupted", "room_joined", "voice_uploaded", "reconnected"}
    # Those of a mix do what the others do. Two are in the room, so that somebody is to be met.
    kinds = [kind for kind in KINDS if kind != "mix"]
    users = [*plans(len(kinds), setting, kinds), *plans(1, setting, ("room",), first=50)]
    async with stage(setting, len(users), no_progress) as running:
        journal = running.fleet.journal
        await running.fleet.talk(0.9)
        await running.add(users)
        async with asyncio.timeout(150):
            while not (wanted <= _waited_for(journal) and _lost(journal)):
                await running.fleet.wait(0.5)
    assert journal.codes().keys() <= BY_BUSY_MACHINES
    assert {one.kind for one in journal.said} >= {"talk", "burst", "lossy"}
    figures = running.figures(0.0, float("inf"), 0.9)
    assert {name for name, spread in figures.timed_ms.items() if spread.n} >= wanted


async def test_a_service_that_ends_while_users_call_is_told_soon() -> None:
    fakes = [f"--set=engine.{name}=fake" for name in ("speech", "encoder", "vad")]
    async with stage(Setting(service_arguments=fakes), 2, no_progress) as running:
        await running.wait("watched", 3.0)
        assert running.target.pid is not None
        os.kill(running.target.pid, signal.SIGKILL)
        async with asyncio.timeout(READY_TIMEOUT_S / 2):
            with pytest.raises(LoadtestFailed, match="ended by itself"):
                await running.add(plans(2, Setting()))


def _waited_for(journal: Journal) -> set[str]:
    return {one.what for one in journal.timed}


def _lost(journal: Journal) -> int:
    """Frames that were lost on purpose: five in a hundred, of some hundred that a text has."""
    return sum(one.frames_lost for one in journal.said if one.kind == "lossy")


def test_a_ramp_adds_users_and_tells_each_step(tmp_path: Path) -> None:
    steps = ["--users", "1", "2", "--talk", "0.9", "--step-s", "6", "--settle-s", "0"]
    # What a busy machine does to the figures is not the point here.
    ran = loadtests(
        *fake(
            ["ramp", *steps, "--p95-ms", "5000", "--through"], "--json", "--report", str(tmp_path)
        )
    )
    assert ran.code in (0, 1), ran.err
    figures = ran.json
    assert [one["users"] for one in figures["steps"]] == [1, 2]
    assert all(one["talk"] == 0.9 for one in figures["steps"])
    assert figures["limits"]["first_audible_ms"] == 5000
    assert [one["users"] for one in figures["breaks"]] == [
        one["users"] for one in figures["steps"] if one["exceeded"]
    ][:1]
    assert json.loads((tmp_path / "ramp.json").read_text()) == figures
    assert "first audible p95, ms" in (tmp_path / "index.html").read_text()


def test_an_interrupted_soak_has_a_report_and_leaves_nothing_behind(tmp_path: Path) -> None:
    soaking = started(*fake(["soak", "--minutes", "5"], "--json", "--report", str(tmp_path)))
    assert soaking.stderr is not None
    for line in soaking.stderr:
        if line.startswith("soaking"):
            break
    processes = tree(soaking.pid)
    assert len(processes) >= 5  # a service, its two engines, two testers
    os.kill(soaking.pid, signal.SIGINT)
    ran = ended(soaking)
    assert ran.code == 0, ran.err
    assert "Traceback" not in ran.err
    assert ran.json["complete"] is False
    assert ran.json["slopes_per_hour"].keys() == {"rss_mb", "fds", "threads", "sessions"}
    assert json.loads((tmp_path / "soak.json").read_text()) == ran.json
    assert not any(Path(f"/proc/{pid}").exists() for pid in processes)


def test_an_interrupted_run_leaves_nothing_behind() -> None:
    running = started(*fake(["run", "--minutes", "5"]))
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith("one user alone"):
            break
    processes = tree(running.pid)
    os.kill(running.pid, signal.SIGINT)
    ran = ended(running)
    assert ran.code == 130
    assert "Traceback" not in ran.err
    assert not any(Path(f"/proc/{pid}").exists() for pid in processes)


async def test_a_service_that_runs_already_is_measured(tmp_path: Path) -> None:
    key = "a-key-for-load-tests-of-32-letters"
    serving = [*FAKE, "--database", str(tmp_path / "v.sqlite"), "--set", f"auth.keys=load={key}"]
    async with running_service(serving) as service:
        command = ["scenario", "talk", "--users", "1", "--minutes", "0.1", "--talk", "1", "--json"]
        ran = await asyncio.to_thread(
            loadtests, *command, "--url", service.ready.url, VOICEPEER_TOKEN=key
        )
        refused = await asyncio.to_thread(
            loadtests, *command, "--url", service.ready.url, VOICEPEER_TOKEN="wrong"
        )
    assert ran.code == 0, ran.err
    assert ran.json["errors"] == 0
    assert ran.json["cpu_cores"] is None
    assert "cpu_cores" in ran.json["notes"]
    assert refused.code == 1
    assert refused.complaint.startswith("voicepeer: the service refuses")


@pytest.mark.parametrize(
    "arguments",
    [
        ("run", "--users", "0"),
        ("run", "--talk", "1.5"),
        ("soak", "--minutes", "0"),
        ("ramp", "--users", "1", "1000"),
        ("ramp", "--p95-ms", "nan"),
        ("scenario", "talk", "--users", "999"),
        ("run", "--url", "http://localhost:1", "--set", "engine.threads=1"),
        ("run", "--voices", "/nowhere"),
        ("sfu", "--participants", "99"),
    ],
    ids=" ".join,
)
def test_what_is_asked_for_wrongly_is_said(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    from loadtests.__main__ import main

    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("voicepeer: ")


def test_a_service_that_is_not_there_is_said() -> None:
    ran = loadtests("run", "--url", "http://127.0.0.1:9", "--minutes", "0.1")
    assert ran.code == 1
    assert "127.0.0.1:9" in ran.complaint
