"""Services with a Redis: calls outlive its loss, and what was saved is there again."""

from __future__ import annotations

import asyncio
import secrets
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import aiohttp
import numpy as np
import pytest

from engines.api import Reference, Voice
from tests.peers.engine import LocalEngine
from tests.redis_server import RedisServer, redis_server
from tests.voicepeer.commandline import FAKE
from tests.voicepeer.test_voice_store import record
from voicepeer.audit import Audit
from voicepeer.child_service import running_service
from voicepeer.core.errors import StoreUnavailable
from voicepeer.core.messages import EnrolStart
from voicepeer.keeping import keeping_in
from voicepeer.redis_link import RedisLink
from voicepeer.reference_keeper import ReferenceKeeper
from voicepeer.reference_seal import ReferenceKeys
from voicepeer.reference_store import ReferenceNotFound
from voicepeer.shelf import StoreShelf
from voicepeer.stores import Stores, in_redis
from voicepeer.voices import SessionVoices

NEEDS = pytest.mark.needs("redis-server")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    with redis_server(tmp_path, durable=True) as running:
        yield running


@pytest.mark.peer
@NEEDS
async def test_a_call_goes_on_without_its_redis_and_saves_when_that_is_back(
    server: RedisServer,
) -> None:
    stores = in_redis(RedisLink.of(server.url, "test"))
    keeping = keeping_in(stores, Audit())
    session = SessionVoices(LocalEngine(), StoreShelf(keeping, 300.0), "session", "Ada")
    voice_id = await session.begin(EnrolStart(consent="I agree."))
    voice = Voice("fake", "1", {"tone_hz": np.array([300.0], np.float32)})
    await session.learned(voice_id, voice, None, 0.9, identity=None)
    await asyncio.to_thread(server.kill)
    assert (await session.find(voice_id)).voice is voice, "it speaks on"
    with pytest.raises(StoreUnavailable, match="try again"):
        await session.save("Ada")
    with pytest.raises(StoreUnavailable):
        await session.find("somebody else")
    better = Voice("fake", "1", {"tone_hz": np.array([310.0], np.float32)})
    with pytest.raises(StoreUnavailable):
        await session.learned(voice_id, better, None, 0.95, identity=None)
    assert (await session.find(voice_id)).voice is better, "and learns on"
    await asyncio.to_thread(server.start)
    async with asyncio.timeout(60):
        while True:
            try:
                assert await session.save("Ada") == voice_id
                break
            except StoreUnavailable:
                await asyncio.sleep(0.05)
    kept = await keeping.voices.get(voice_id, keeping.now())
    assert (kept.name, kept.expires) == ("Ada", None)
    assert kept.voice.arrays["tone_hz"] == [310.0]
    stores.close()


@pytest.mark.unit
@pytest.mark.parametrize("saved", [True, False])
async def test_only_saved_voices_of_calls_keep_what_was_said(place: Stores, saved: bool) -> None:
    keys = ReferenceKeys.of(f"k={b64encode(secrets.token_bytes(32)).decode()}", "test")
    keeping = keeping_in(place, Audit(), ReferenceKeeper(place.references, keys))
    session = SessionVoices(LocalEngine(), StoreShelf(keeping, 300.0), "session", "Ada")
    voice_id = await session.begin(EnrolStart(consent="I agree."))
    voice = Voice("fake", "1", {"tone_hz": np.array([300.0], np.float32)})
    said = Reference(np.full(1_000, 0.25, np.float32), 16_000)
    await session.learned(voice_id, voice, None, 0.9, identity=None, reference=said)
    if saved:
        await session.save("Ada")
        assert keys.unseal(place.references.get(voice_id)).startswith(b"RIFF")
    else:
        with pytest.raises(ReferenceNotFound):
            place.references.get(voice_id)


@pytest.mark.e2e
@NEEDS
async def test_a_service_goes_on_without_its_redis_and_finds_everything_there_again(
    server: RedisServer,
) -> None:
    speakable = Voice("fake", "1", {"tone_hz": np.array([300.0], np.float32)})
    kept, pinned = (replace(record(name), voice=speakable) for name in ("Ada", "Eve"))
    stores = in_redis(RedisLink.of(server.url, "test"))
    for one in (kept, pinned):
        await asyncio.to_thread(stores.voices.put, one)
    stores.close()
    said: list[str] = []
    options = [*FAKE, "--set", f"voices.store={server.url}"]
    options += ["--set", f"voices.pinned={pinned.voice_id}"]
    async with (
        running_service(options, said.append) as service,
        aiohttp.ClientSession(service.ready.url) as http,
    ):

        async def listed() -> tuple[int, set[str]]:
            async with http.get("/v1/audio/voices") as answer:
                body = await answer.json()
                if answer.status != 200:
                    assert int(answer.headers["Retry-After"]) > 0
                    return answer.status, {body["error"]["code"]}
                return 200, {voice["name"] for voice in body["data"]}

        async def speaks(voice: str) -> int:
            asked = {"input": "Hello.", "voice": voice, "response_format": "wav"}
            async with http.post("/v1/audio/speech", json=asked) as answer:
                assert len(await answer.read()) > 1_000 or answer.status != 200
                return answer.status

        status, names = await listed()
        assert status == 200
        assert "Ada" in names
        await asyncio.to_thread(server.kill)
        assert await listed() == (503, {"store_unavailable"})
        told = [await speaks(voice) for voice in (pinned.voice_id, "Eve", kept.voice_id)]
        assert told == [200, 200, 503]
        await asyncio.to_thread(server.start)
        async with asyncio.timeout(60):
            while (await listed())[0] != 200:  # noqa: ASYNC110 - it comes from elsewhere
                await asyncio.sleep(0.05)
        assert "Ada" in (await listed())[1]
        assert await speaks("alloy") == await speaks("Ada") == 200
    assert any("cannot be reached" in line and "calls go on" in line for line in said)
    assert not any("Traceback" in line for line in said)
