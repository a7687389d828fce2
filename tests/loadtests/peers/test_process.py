from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

import pytest

from loadtests.peers.install import PeerUnavailable, environment
from loadtests.peers.process import running_bot
from loadtests.peers.protocol import Audio, Cancel, Say, Spoken
from tests.loadtests.peers.fakes import fake_bot

pytestmark = pytest.mark.peer

TIMEOUT_S = 30.0


async def test_a_bot_tells_its_versions_and_says_what_it_is_told() -> None:
    async with fake_bot() as bot:
        assert bot.ready.offer_url is None
        assert bot.ready.versions == {"fake-bot": "1.2.3"}
        bot.send(Cancel())
        bot.send(Say("one two"))
        told = [await bot.next_event(TIMEOUT_S) for _ in range(3)]
    chunks = [event for event in told if isinstance(event, Audio)]
    assert [chunk.rate_hz for chunk in chunks] == [24_000, 24_000]
    assert sum(len(chunk.samples()) for chunk in chunks) == 2 * 0.2 * 24_000
    spoken = told[-1]
    assert isinstance(spoken, Spoken)
    assert spoken.synthesis_s >= 0.05
    assert spoken.audio_s == pytest.approx(0.2)


async def test_what_is_of_another_kind_is_left_for_later() -> None:
    async with fake_bot("--delay-s", "0") as bot:
        bot.send(Say("one"))
        first = await bot.next_event(TIMEOUT_S)
        assert isinstance(first, Audio)
        spoken: list[Spoken] = []
        async with asyncio.timeout(TIMEOUT_S):
            while not spoken:
                spoken = bot.take(Spoken)
                await asyncio.sleep(0.01)
        assert len(spoken) == 1
        assert bot.take(Spoken) == []
        assert isinstance(await bot.next_event(TIMEOUT_S), Audio)


async def test_a_bot_is_gone_after_the_block() -> None:
    async with fake_bot() as bot:
        os.kill(bot.pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(bot.pid, 0)


async def test_a_bot_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadtests.peers.process.STOP_TIMEOUT_S", 0.2)
    stays = 'print(\'{"type": "ready", "offer_url": null}\', flush=True)\nwhile True: pass'
    async with running_bot("stays", (sys.executable, "-c", stays), environment()) as bot:
        pass
    with pytest.raises(ProcessLookupError):
        os.kill(bot.pid, 0)


LEAVES = """
import json, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
ready = {"type": "ready", "offer_url": None, "versions": {"child": str(child.pid)}}
print(json.dumps(ready), flush=True)
sys.stdin.read()
"""


async def gone(pid: int) -> None:
    """Until there is no such process."""
    async with asyncio.timeout(TIMEOUT_S):
        with contextlib.suppress(ProcessLookupError):
            while _is_running(pid):  # noqa: ASYNC110 - no child of ours
                await asyncio.sleep(0.02)


def _is_running(pid: int) -> bool:
    """Whether it is, and is not merely there until somebody asks for its status."""
    os.kill(pid, 0)
    return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] != "Z"


async def test_whom_a_bot_leaves_behind_is_ended_too() -> None:
    async with running_bot("leaves", (sys.executable, "-c", LEAVES), environment()) as bot:
        child = int(bot.ready.versions["child"])
        os.kill(child, 0)
    await gone(child)


async def test_a_bot_that_is_stuck_is_ended_also_by_whoever_does_not_wait() -> None:
    stays = 'print(\'{"type": "ready", "offer_url": null}\', flush=True)\nwhile True: pass'
    pids: list[int] = []

    async def run() -> None:
        async with running_bot("stays", (sys.executable, "-c", stays), environment()) as bot:
            pids.append(bot.pid)

    task = asyncio.create_task(run())
    while not pids:  # noqa: ASYNC110 - told by nobody
        await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await gone(pids[0])


async def test_a_bot_says_why_it_cannot_run() -> None:
    with pytest.raises(PeerUnavailable, match="there is no model"):
        async with fake_bot("--fails", "there is no model"):
            pass


async def test_a_bot_that_breaks_is_told_with_its_last_words() -> None:
    with pytest.raises(PeerUnavailable, match=r"broken: it has ended: .*no module for it"):
        async with running_bot(
            "broken", (sys.executable, "-c", "raise SystemExit('no module for it')"), environment()
        ):
            pass


@pytest.mark.parametrize("line", ["hello", '{"type": "spoken", "synthesis_s": 1, "audio_s": 1}'])
async def test_a_program_that_is_no_bot_is_refused(line: str) -> None:
    program = f"print({line!r}, flush=True); input()"
    with pytest.raises(PeerUnavailable, match="understood|before it is ready"):
        async with running_bot("odd", (sys.executable, "-c", program), environment()):
            pass


async def test_a_bot_that_dies_later_is_noticed_each_time() -> None:
    async with fake_bot() as bot:
        os.kill(bot.pid, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(PeerUnavailable, match="has ended"):
                await bot.next_event(TIMEOUT_S)


async def test_a_silent_bot_is_not_waited_for_forever() -> None:
    async with fake_bot() as bot:
        with pytest.raises(PeerUnavailable, match="nothing in time"):
            await bot.next_event(0.05)
