"""What cannot be measured of a service is said, and what Linux has not counted is nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import aiohttp
import numpy as np
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from engines.host import HostSpec
from engines.progress import no_progress
from loadtests.model import measuring
from loadtests.model.parts import MeasuringFailed
from loadtests.model.service_meter import Effort, ServiceMeter, _ms
from loadtests.target import Target, target
from voicepeer.client import SignalingFailed
from voicepeer.core.pcm import WIRE_RATE_HZ

EFFORT = Effort(users=1, phase_s=0.2, settle_s=0.0)
SILENCE = np.zeros(WIRE_RATE_HZ, np.float32)
SERVING = ["--set=engine.speech=fake", "--set=engine.encoder=fake", "--set=engine.vad=fake"]
NOWHERE = "http://127.0.0.1:9"


def meter(url: str, pid: int | None) -> ServiceMeter:
    """Of a service at this address."""
    return ServiceMeter(Target(url, None, pid), ["Hello there."], SILENCE, EFFORT)


@pytest.mark.unit
def test_less_than_nothing_is_what_was_not_counted_in_time() -> None:
    assert _ms(-0.001) == 0.0
    assert _ms(0.0123456) == 12.35


@pytest.mark.peer
@pytest.mark.parametrize("ended", [True, False], ids=["ended", "of somebody else"])
async def test_without_a_process_there_is_nothing_to_count(ended: bool) -> None:
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await gone.wait()
    with pytest.raises(MeasuringFailed, match="has ended"):
        await meter(NOWHERE, gone.pid if ended else None).media()


@pytest.mark.peer
async def test_processor_time_is_that_of_a_tree_of_processes() -> None:
    burn = "import time\nwhile True: pass"
    nested = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}])"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", nested, start_new_session=True
    )
    try:
        spent = await meter(NOWHERE, process.pid)._phase()
        async with asyncio.timeout(60.0):
            while spent.workers_s <= spent.main_s:  # it is still being started
                spent = await meter(NOWHERE, process.pid)._phase()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    assert spent.seconds >= EFFORT.phase_s
    assert 0.0 <= spent.main_s < spent.workers_s


@asynccontextmanager
async def with_voices(data: Sequence[dict[str, str]]) -> AsyncIterator[str]:
    """A service that has these voices, and nothing else."""

    async def voices(_request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": list(data)})

    app = web.Application()
    app.router.add_get("/v1/audio/voices", voices)
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/")


@pytest.mark.peer
async def test_it_speaks_with_a_voice_of_the_service() -> None:
    mine = {"id": "learned", "type": "cloned"}
    async with with_voices([mine, {"id": "zf_one", "type": "stock"}]) as url:
        assert await meter(url, None)._voice() == "zf_one"
    async with with_voices([mine]) as url:
        with pytest.raises(MeasuringFailed, match="no voice of its own"):
            await meter(url, None)._voice()
    with pytest.raises(aiohttp.ClientError):
        await meter(NOWHERE, None)._voice()


@pytest.mark.peer
async def test_a_service_that_cannot_be_called_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    @asynccontextmanager
    async def nobody(*_asked: object) -> AsyncIterator[Target]:
        yield Target(NOWHERE, None, os.getpid())

    monkeypatch.setattr(measuring, "target", nobody)
    spec = HostSpec("fake", "fake", "fake")
    with pytest.raises(MeasuringFailed, match="call failed: no service at"):
        await measuring.measure(spec, [], ["Hello there, you two."] * 3, 1, EFFORT, no_progress)


@pytest.mark.e2e
async def test_one_alone_is_heard_until_the_service_ends() -> None:
    async with target(None, SERVING, 1) as service:
        assert service.pid is not None
        one = ServiceMeter(service, ["Hello there.", "Well then."], SILENCE, EFFORT)
        heard_ms = await one.single()
        assert len(heard_ms) == 2
        assert min(heard_ms) > 20.0
        os.kill(service.pid, signal.SIGKILL)
        with pytest.raises(SignalingFailed):
            await one.single()
