"""Media processes that end, are stuck or do not start, with the engine and the entry in here."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from engines.host import EngineHost
from signaling.sessions import SessionRefused, SessionRequest
from tests.peers.room import until
from tests.voicepeer.commandline import FAKE
from voicepeer import config, media_frames, media_pool, media_process, wiring
from voicepeer.config import Config
from voicepeer.core.degradation.ladder import STEPS
from voicepeer.core.degradation.vitals import Vitals
from voicepeer.economy import Economy
from voicepeer.media_pool import MediaPool
from voicepeer.media_process import MediaProcessFailed

pytestmark = pytest.mark.peer

ROOM = SessionRequest("hall", "Ada")
AGAIN_S = 30.0


@pytest.fixture
def settings(tmp_path: Path) -> Config:
    flags = dict(one.split("=", 1) for one in FAKE if "=" in one)
    flags |= {
        "engine.speech": "fake",
        "server.media_processes": "1",
        "server.api_keys": "a-key-that-no-process-sees",
        "voices.database": str(tmp_path / "voices.sqlite"),
    }
    return config.load(flags)


def two(settings: Config) -> Config:
    """The same with two processes."""
    server = msgspec.structs.replace(settings.server, media_processes=2)
    return msgspec.structs.replace(settings, server=server)


@asynccontextmanager
async def running(settings: Config, economy: Economy | None = None) -> AsyncIterator[MediaPool]:
    async with EngineHost(wiring.host_spec(settings)) as host:
        pool = MediaPool(settings, host, Vitals(), economy or Economy())
        try:
            await pool.start()
            yield pool
        finally:
            await pool.close()


async def restarted(pool: MediaPool, times: int) -> None:
    """Wait until so many processes have ended, and another one is there."""
    await until(lambda: pool.restarts == times and pool.live == 1, AGAIN_S)


async def test_sessions_of_a_process_that_dies_end_and_their_callers_are_told(
    settings: Config,
) -> None:
    async with running(settings) as pool:
        session = await pool.open(ROOM)
        reasons: list[str] = []
        session.on_closed(reasons.append)
        pid = pool.pids[0]
        os.kill(pid, signal.SIGSTOP)
        # Asked of a process that never answers.
        asking = asyncio.create_task(session.answer("v=0"))
        ending = asyncio.create_task(session.close("client_left"))
        await asyncio.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(SessionRefused) as refused:
            await asking
        assert refused.value.code == "not_ready"
        await ending
        assert reasons == ["connection_lost"]
        session.on_closed(reasons.append)
        assert reasons == ["connection_lost"] * 2
        await session.drain(1.0)
        await until(lambda: pool.pids.get(0, pid) != pid, AGAIN_S)
        assert (pool.live, pool.restarts) == (1, 1)
        # A new one, in which everything can be done again.
        again = await pool.open(ROOM)
        with pytest.raises(SessionRefused, match="session description"):
            await again.answer("this is none")
        await again.close("client_left")
        assert again.resume_token != session.resume_token


async def test_a_process_that_is_stuck_is_ended(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media_process, "LOOK_EVERY_S", 0.05)
    monkeypatch.setattr(media_process, "STUCK_AFTER_S", 3.0)
    async with running(settings) as pool:
        pid = pool.pids[0]
        os.kill(pid, signal.SIGSTOP)
        await until(lambda: pool.pids.get(0, pid) != pid, AGAIN_S)


async def test_nobody_new_waits_for_a_process_that_does_not_answer(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running(two(settings)) as pool:
        alone = replace(ROOM, meets_others=False)
        os.kill(pool.pids[0], signal.SIGSTOP)
        try:
            with monkeypatch.context() as soon:
                soon.setattr(media_pool, "OPEN_TIMEOUT_S", 0.2)
                with pytest.raises(SessionRefused, match="try again soon") as refused:
                    await pool.open(alone)
            assert refused.value.code == "not_ready"
            monkeypatch.setattr(media_pool, "SILENT_AFTER_S", 0.1)
            opened = [await pool.open(alone) for _ in range(3)]
        finally:
            os.kill(pool.pids[0], signal.SIGCONT)
        # It is asked again as soon as it has answered anything.
        await until(lambda: pool._silent() == [], AGAIN_S)
        opened.append(await pool.open(alone))
        await asyncio.gather(*(one.close("client_left") for one in opened))
        assert pool.restarts == 0


async def test_crash_after_crash_is_waited_for_longer(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[int] = []

    def at_once(count: int) -> float:
        failures.append(count)
        return 0.0

    monkeypatch.setattr(media_pool, "backoff_s", at_once)
    async with running(settings) as pool:
        for restarts in (1, 2):
            os.kill(pool.pids[0], signal.SIGKILL)
            await restarted(pool, restarts)
    assert failures == [1, 2]


async def test_without_its_processes_a_service_does_not_start(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(media_process, "WORKER", "voicepeer.no_such_module")
    with pytest.raises(MediaProcessFailed, match="media process 0 does not start"):
        async with running(settings):
            pass


async def test_no_process_gets_the_keys_of_the_service(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bytes] = []
    pack = media_frames.pack

    def watched(message: media_frames.ToMedia) -> bytes:
        sent.append(pack(message))
        return sent[-1]

    monkeypatch.setattr(media_frames, "pack", watched)
    async with running(settings) as pool:
        await (await pool.open(ROOM)).close("client_left")
    assert b"hall" in b"".join(sent)
    assert b"a-key-that-no-process-sees" not in b"".join(sent)


async def refusals(pool: MediaPool) -> list[str]:
    """Why processes send new sessions away, of those that do."""
    found = []
    for process in list(pool._processes.values()):
        try:
            session = await process.open(ROOM)
        except SessionRefused as error:
            found.append(error.code)
        else:
            await session.close("client_left")
    return found


async def test_steps_hold_in_all_processes_and_in_those_that_are_started_later(
    settings: Config,
) -> None:
    economy = Economy()
    economy.change(STEPS)
    async with running(two(settings), economy) as pool:
        assert await refusals(pool) == ["at_capacity"] * 2
        os.kill(pool.pids[1], signal.SIGKILL)
        await until(lambda: (pool.restarts, pool.live) == (1, 2), AGAIN_S)
        assert await refusals(pool) == ["at_capacity"] * 2
        economy.change(STEPS[:1])
        assert await refusals(pool) == []
    assert not economy._listeners
