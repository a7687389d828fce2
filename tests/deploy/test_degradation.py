"""A planted slow engine: seen by a real Prometheus, answered by steps, and got over."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
import pytest

from tests.deploy.prometheus import prometheus
from tests.deploy.test_prometheus import exposed, metrics_in
from tests.voicepeer.commandline import FAKE
from voicepeer.child_service import running_service
from voicepeer.client import VoicePeerClient
from voicepeer.core.messages import ServiceStatus

pytestmark = [pytest.mark.e2e, pytest.mark.needs("prometheus")]

KEY = "the-key-of-this-test-0123"
SLOW, QUICK = "slowly", "At once."
SETTINGS = {
    "server.api_keys": KEY,
    "engine.options": f"fake.slow_ms=2100,fake.slow_text={SLOW}",
    # Alone it would take no time at all; on a busy machine it takes some, which is not to count.
    "degradation.enabled": "true",
    "degradation.first_audible_ms": "350",
    "degradation.free_memory_share": "0",
    "degradation.min_utterances": "1",
    "degradation.window_s": "6",
    "degradation.every_s": "0.2",
    "degradation.up_s": "0.4",
    # Longer than one slow utterance takes, of which each step needs one more.
    "degradation.down_s": "4",
    "degradation.max_down_s": "4",
}
PATIENCE_S = 90.0


async def until(condition: Callable[[], Awaitable[bool]], what: str) -> None:
    """Wait for something to become true."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not await condition():  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise AssertionError(f"not within {PATIENCE_S:g} s: {what}") from None


@pytest.mark.timeout(300)
async def test_a_slow_engine_is_seen_answered_and_got_over(tmp_path: Path) -> None:
    database = {"voices.database": str(tmp_path / "voices.sqlite")}
    flags = [f"--set={name}={value}" for name, value in (SETTINGS | database).items()]
    async with (
        running_service([*FAKE, *flags]) as service,
        prometheus(tmp_path, service.ready.url.partition("//")[2], KEY) as watching,
        aiohttp.ClientSession(service.ready.url, headers={"Authorization": f"Bearer {KEY}"}) as api,
        VoicePeerClient(service.ready.url, token=KEY) as client,
    ):
        await client.use_voice("mid")
        texts = [f"{SLOW}."]

        async def go_on_speaking() -> None:
            while True:
                await client.say(texts[0])

        async def step() -> int:
            async with api.get("/v1/admin/degradation") as answer:
                assert answer.status == 200
                return int((await answer.json())["step"])

        async def is_step(wanted: int) -> bool:
            return await step() == wanted

        async def scraped(query: str, wanted: float) -> bool:
            return await watching.values(query) == [wanted]

        told: list[int] = []

        async def listen() -> None:
            async for event in client.events():
                if isinstance(event, ServiceStatus):
                    told.append(event.step)

        assert await step() == 0
        beside = [asyncio.create_task(go_on_speaking()), asyncio.create_task(listen())]
        try:
            await until(lambda: is_step(4), "all steps")
            await until(lambda: scraped("voicepeer_degradation_step", 4), "the steps, scraped")
            await until(
                lambda: _contains(watching.firing(), "VoicePeerFirstAudioVerySlow"), "the alert"
            )
            await until(lambda: _contains(watching.firing(), "VoicePeerRefusesSessions"), "another")
            await until(lambda: _refuses(api), "new sessions being sent away")
            async with api.get("/metrics") as answer:
                there = exposed(await answer.text())
            rules = (await watching.get("rules"))["groups"]
            asked = metrics_in(" ".join(rule["query"] for one in rules for rule in one["rules"]))
            assert asked <= there
            assert not [rule for one in rules for rule in one["rules"] if rule["health"] == "err"]

            texts[0] = QUICK
            await until(lambda: is_step(0), "recovery")
            await until(lambda: scraped("voicepeer_degradation_step", 0), "recovery, scraped")
            await until(
                lambda: _lacks(watching.firing(), "VoicePeerFirstAudioVerySlow"), "the alert's end"
            )
            async with api.get("/readyz") as answer:
                assert answer.status == 200
        finally:
            for task in beside:
                task.cancel()
            ended = await asyncio.gather(*beside, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in ended)
        assert (told[0], max(told), told[-1]) == (1, 4, 0)
        assert all(
            abs(later - earlier) == 1 for earlier, later in zip(told, told[1:], strict=False)
        )


async def _refuses(api: aiohttp.ClientSession) -> bool:
    """Whether new sessions are sent away, with when to come again."""
    offer = {"sdp": "v=0\r\n", "type": "offer"}
    async with api.get("/readyz") as ready, api.post("/api/offer", json=offer) as answer:
        if (ready.status, answer.status) != (503, 503):
            return False  # nobody was heard for a while, on a machine that does other things
        assert ready.headers["Retry-After"] == answer.headers["Retry-After"] == "15"
        assert (await answer.json())["error"]["code"] == "at_capacity"
        return True


async def _contains(found: Awaitable[set[str]], name: str) -> bool:
    return name in await found


async def _lacks(found: Awaitable[set[str]], name: str) -> bool:
    return name not in await found
