"""What a service uses and says of itself is looked at, whatever it answers or does not."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from engines.progress import no_progress
from loadtests import stage, watch
from loadtests.fleet import Fleet
from loadtests.stage import LoadtestFailed, Stage
from loadtests.target import Target
from loadtests.voices import http
from loadtests.watch import Watch

pytestmark = pytest.mark.peer

Answers = Callable[[web.Request], Awaitable[web.Response]]


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for seconds here."""
    monkeypatch.setattr(watch, "EVERY_S", 0.02)
    monkeypatch.setattr(watch, "ASK_EVERY_S", 0.02)


@pytest.fixture
async def process() -> AsyncIterator[Process]:
    """Something that runs until its input ends."""
    code = "import sys; sys.stdin.read()"
    made = await asyncio.create_subprocess_exec(sys.executable, "-S", "-c", code, stdin=PIPE)
    yield made
    await ended(made)


async def ended(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    await process.wait()


@asynccontextmanager
async def service(answer: Answers) -> AsyncIterator[str]:
    """Answers ``/readyz``; its URL."""
    app = web.Application()
    app.router.add_get("/readyz", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("")).rstrip("/")


@asynccontextmanager
async def watching(looks: Watch) -> AsyncIterator[None]:
    task = asyncio.create_task(looks.run())
    try:
        yield
    finally:
        await stage._ended(task)


async def until(is_so: Callable[[], bool]) -> None:
    for _ in range(1000):
        if is_so():
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never was so")


async def test_what_it_says_and_uses_is_kept(process: Process) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({"sessions": 3, "degraded": ["fec"], "more": 1})

    async with service(answer) as url:
        looks = Watch(Target(url, None, process.pid))
        async with watching(looks):
            await until(lambda: len(looks.samples) > 2 and len(looks.said) > 1)
    assert looks.said[0].sessions == 3
    assert looks.degraded(0.0, looks.said[-1].at_s) == {"fec"}
    assert looks.degraded(0.0, looks.said[0].at_s - 1) == set()
    # The first look may come before the program has begun.
    assert looks.samples[-1].rss_mb > 1
    assert looks.between(looks.samples[1].at_s, looks.samples[2].at_s) == looks.samples[1:3]


@pytest.mark.parametrize(
    "told", [b"[]", b"null", b"<html>", b'{"degraded": null}', b'{"sessions": "many"}', b""]
)
async def test_what_is_no_answer_is_passed_over(told: bytes) -> None:
    asked = 0

    async def answer(request: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        return web.Response(body=told)

    async with service(answer) as url:
        looks = Watch(Target(url, None, None))
        async with watching(looks):
            await until(lambda: asked > 2)
    assert looks.said == []


async def test_a_service_that_is_full_says_only_that() -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({"code": "at_capacity", "reason": "full"}, status=503)

    async with service(answer) as url:
        looks = Watch(Target(url, None, None))
        async with watching(looks):
            await until(lambda: len(looks.said) > 0)
    assert (looks.said[0].sessions, looks.said[0].degraded) == (None, ())


async def test_a_slow_answer_holds_up_no_samples(process: Process) -> None:
    asked, over = asyncio.Event(), asyncio.Event()

    async def answer(request: web.Request) -> web.Response:
        asked.set()
        await over.wait()
        return web.json_response({})

    async with service(answer) as url:
        looks = Watch(Target(url, None, process.pid))
        async with watching(looks):
            await asked.wait()
            before = len(looks.samples)
            await until(lambda: len(looks.samples) > before + 3)
            assert looks.said == []
            over.set()


async def test_an_answer_is_not_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "ANSWER_S", 0.05)
    asked = 0

    async def answer(request: web.Request) -> web.Response:
        nonlocal asked
        asked += 1
        await asyncio.sleep(5.0 if asked == 1 else 0.0)
        return web.json_response({})

    async with service(answer) as url:
        looks = Watch(Target(url, None, None))
        async with watching(looks):
            await until(lambda: len(looks.said) > 0)
    assert asked > 1


async def test_a_service_that_ends_by_itself_ends_the_measurement(process: Process) -> None:
    looks = Watch(Target("http://127.0.0.1:9", None, process.pid))
    staged = Stage(looks.target, Fleet([]), looks, no_progress)
    async with watching(looks):
        await until(lambda: len(looks.samples) > 0)
        await staged.wait("measuring", 0.1)
        await ended(process)
        async with asyncio.timeout(20):
            with pytest.raises(LoadtestFailed, match="ended by itself"):
                await staged.wait("measuring", 60.0)


async def test_of_a_service_elsewhere_no_process_is_missed() -> None:
    looks = Watch(Target("http://127.0.0.1:9", None, None))
    looks._look()
    assert not looks.has_ended
    assert looks.samples == []


async def test_a_service_elsewhere_that_refuses_again_and_again_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watch, "ASK_EVERY_S", 0.05)
    looks = Watch(Target("http://127.0.0.1:9", None, None))
    async with watching(looks):
        await until(lambda: looks.has_ended)
    assert looks._refused >= watch.REFUSED_MAX


async def test_one_answer_makes_up_for_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    async def answer(request: web.Request) -> web.Response:
        return web.json_response({})

    async with service(answer) as url, http(None) as session:
        looks = Watch(Target("http://127.0.0.1:9", None, None))
        for place in ("http://127.0.0.1:9", url, "http://127.0.0.1:9", "http://127.0.0.1:9"):
            looks.target = Target(place, None, None)
            await looks._ask(session)
    assert not looks.has_ended


async def test_a_fault_of_what_watches_is_not_kept_quiet() -> None:
    async def faulty() -> None:
        raise ZeroDivisionError

    task = asyncio.create_task(faulty())
    await asyncio.sleep(0)
    with pytest.raises(ZeroDivisionError):
        await stage._ended(task)
