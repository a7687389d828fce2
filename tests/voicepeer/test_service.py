"""The whole service in its own process: start, refusals, shutdown, and what it leaves behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sqlite3
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TypeVar

import aiohttp
import msgspec
import numpy as np
import pytest

from engines.api import Voice
from tests.processes import alive, wait_until
from tests.voicepeer.commandline import FAKE
from voicepeer.child_service import Announcement, ServiceFailed, running_service
from voicepeer.client import CallEnded, RequestFailed, SignalingFailed, VoicePeerClient
from voicepeer.core.messages import Cancelled, Done, ServerMessage, SessionEnding, Started
from voicepeer.core.rtvi import Error
from voicepeer.voice_store import ConsentRecord, VoiceRecord, VoiceStore, new_voice_id

pytestmark = pytest.mark.e2e

MessageT = TypeVar("MessageT", bound=ServerMessage)


def descendants(pid: int) -> set[int]:
    """All processes below one that are there now."""
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found |= {int(child), *descendants(int(child))}
    return found


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    return [*FAKE, "--database", str(tmp_path / "voices.sqlite")]


@contextlib.asynccontextmanager
async def serving(*arguments: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A bare ``voicepeer serve``, killed at the end if it still runs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "voicepeer", "serve", "--json", *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()


async def announced(process: asyncio.subprocess.Process) -> Announcement:
    assert process.stdout is not None
    return msgspec.json.decode(await process.stdout.readline(), type=Announcement)


async def told(messages: AsyncIterator[ServerMessage], kind: type[MessageT]) -> MessageT:
    """The next message of a kind."""
    async with asyncio.timeout(20):
        async for message in messages:
            if isinstance(message, kind):
                return message
    raise AssertionError("unreachable: the iterator raises at its end")


async def fetch(url: str, **headers: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as http, http.get(url, headers=headers) as response:
        return response.status, await response.text()


async def gone(pids: set[int]) -> None:
    await asyncio.to_thread(wait_until, lambda: not any(alive(pid) for pid in pids), 40.0)


async def test_a_ready_service_answers_and_speaks(arguments: list[str]) -> None:
    async with running_service(arguments) as service:
        url = service.ready.url
        assert url.startswith("http://127.0.0.1:")
        assert service.ready.engine == "fake"
        assert (await fetch(f"{url}/healthz"))[0] == 200
        assert (await fetch(f"{url}/readyz"))[0] == 200
        async with VoicePeerClient(url) as client:
            await client.use_voice("low")
            said = await client.say("hello")
        assert said.audio_ms == pytest.approx(300, abs=20)
        assert said.first_audible_ms is not None
        _, metrics = await fetch(f"{url}/metrics")
    assert 'voicepeer_utterances_total{outcome="done"} 1.0' in metrics
    assert 'engine="fake"' in metrics
    assert "voicepeer_rooms 0.0" in metrics


async def test_a_service_is_gone_with_its_models_when_its_user_leaves(arguments: list[str]) -> None:
    async with running_service(arguments) as service:
        family = {service.pid, *descendants(service.pid)}
        assert len(family) == 3
    assert not any(alive(pid) for pid in family)


async def test_a_call_in_progress_is_told_of_the_shutdown(arguments: list[str]) -> None:
    async with contextlib.AsyncExitStack() as stack:
        service = await stack.enter_async_context(running_service(arguments))
        client = await stack.enter_async_context(VoicePeerClient(service.ready.url))
        os.kill(service.pid, signal.SIGTERM)
        async with asyncio.timeout(30):
            async for _ in client.events():
                pass
        await gone({service.pid})


async def test_what_is_being_said_may_end_before_the_service_does(arguments: list[str]) -> None:
    async with serving("--port", "0", *arguments) as process:
        url = (await announced(process)).url
        assert (await announced(process)).name == "ready"
        async with VoicePeerClient(url) as client:
            await client.use_voice("low")
            with client.call.listening() as messages:
                spoken = client.speak("This sentence is said to its end whatever happens.")
                await told(messages, Started)
                process.send_signal(signal.SIGTERM)
                ending = await told(messages, SessionEnding)
                assert (ending.reason, ending.within_s) == ("shutting_down", 8.0)
                client.speak("This one comes too late.")
                assert (await told(messages, Error)).code == "shutting_down"
                status, body = await fetch(f"{url}/readyz")
                assert (status, "shutting_down" in body) == (503, True)
                with pytest.raises(SignalingFailed, match="shutting down") as refused:
                    async with VoicePeerClient(url):
                        pass
                assert refused.value.code == "shutting_down"
                assert (await told(messages, Done)).utterance_id == spoken
        async with asyncio.timeout(30):
            assert await process.wait() == 0


async def test_draining_has_a_limit_and_nobody_is_waited_for_longer(arguments: list[str]) -> None:
    limit = ("--set", "server.drain_timeout_s=0.5")
    async with serving("--port", "0", *arguments, *limit) as process:
        url = (await announced(process)).url
        assert (await announced(process)).name == "ready"
        async with VoicePeerClient(url) as client:
            await client.use_voice("low")
            with client.call.listening() as messages:
                client.speak("This would go on for more than a minute. " * 40)
                await told(messages, Started)
                process.send_signal(signal.SIGTERM)
                with pytest.raises(CallEnded):
                    await told(messages, Done)
            async with asyncio.timeout(30):
                assert await process.wait() == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_a_signal_ends_the_service_cleanly(
    arguments: list[str], number: signal.Signals, code: int
) -> None:
    async with serving("--port", "0", *arguments) as process:
        assert (await announced(process)).name == "listening"
        assert (await announced(process)).name == "ready"
        below = descendants(process.pid)
        process.send_signal(number)
        async with asyncio.timeout(30):
            assert await process.wait() == code
        await gone(below)
        assert process.stderr is not None
        assert b"Traceback" not in await process.stderr.read()


async def test_a_signal_while_models_load_ends_the_service_at_once(arguments: list[str]) -> None:
    slow = ("--set", "engine.options=fake.load_delay_ms=60000")
    async with serving("--port", "0", *arguments, *slow) as process:
        url = (await announced(process)).url
        status, text = await fetch(f"{url}/readyz")
        assert (status, "being loaded" in text) == (503, True)
        assert (await fetch(f"{url}/healthz"))[0] == 200
        with pytest.raises(SignalingFailed, match="loaded"):
            async with VoicePeerClient(url):
                pass
        below = descendants(process.pid)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(30):
            assert await process.wait() == 0
        await gone(below)


async def test_a_killed_service_leaves_no_model_process(arguments: list[str]) -> None:
    async with serving("--port", "0", *arguments) as process:
        await announced(process)
        await announced(process)
        below = descendants(process.pid)
        assert below
        process.kill()
        await gone(below)


async def failure(arguments: list[str]) -> str:
    with pytest.raises(ServiceFailed) as caught:
        async with running_service(arguments):
            pass
    return str(caught.value)


async def test_a_port_in_use_is_named_with_what_to_do(arguments: list[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        message = await failure([*arguments, f"--set=server.port={port}", "--port", str(port)])
    assert f"port {port} on 127.0.0.1 is in use" in message
    assert "--port" in message


@pytest.mark.parametrize(
    ("extra", "parts"),
    [
        (["--host", "0.0.0.0"], ["without authentication"]),
        (["--host", "203.0.113.7", "--set", f"server.api_keys={'k' * 20}"], ["cannot listen on"]),
        (["--engine", "fke"], ["did you mean 'fake'?"]),
        (["--set", "engine.options=fake.fault=sleepy"], ["fake.fault is one of"]),
        (["--set", "engine.weights=/nonexistent.onnx", "--engine", "kokoro",
          "--set", "engine.encoder=ge2e"], ["/nonexistent.onnx"]),
    ],
)  # fmt: skip
async def test_a_service_that_cannot_start_says_why(
    arguments: list[str], extra: list[str], parts: list[str], tmp_path: Path
) -> None:
    message = await failure([*arguments, *extra, "--set", f"engine.cache_dir={tmp_path}"])
    for part in parts:
        assert part in message


async def test_a_damaged_weights_file_is_refused_by_name(
    arguments: list[str], tmp_path: Path
) -> None:
    weights = tmp_path / "weights.onnx"
    weights.write_bytes(b"not a model" * 1000)
    settings = [f"engine.weights={weights}", f"engine.cache_dir={tmp_path}", "engine.encoder=ge2e"]
    flags = [part for setting in settings for part in ("--set", setting)]
    message = await failure([*arguments, "--engine", "kokoro", *flags])
    assert "weights.onnx is not the published" in message


async def test_a_broken_voice_database_keeps_the_service_from_starting(tmp_path: Path) -> None:
    path = tmp_path / "voices.sqlite"
    path.write_bytes(b"no database" * 1000)
    assert "move it away" in await failure([*FAKE, "--database", str(path)])


async def test_expired_voices_are_gone_after_a_start(tmp_path: Path) -> None:
    path = tmp_path / "voices.sqlite"
    consent = ConsentRecord("yes", "me", 1.0)
    VoiceStore(path).put(
        VoiceRecord(new_voice_id(), "old", Voice("fake", "1", {}), consent, 1.0, expires=2.0)
    )
    async with running_service([*FAKE, "--database", str(path)]):
        with sqlite3.connect(path) as connection:
            assert connection.execute("SELECT count(*) FROM voices").fetchone() == (0,)


async def test_with_a_key_only_its_holders_may_enter(arguments: list[str]) -> None:
    key = "correct-horse-battery-staple"
    async with running_service([*arguments, "--set", f"server.api_keys={key}"]) as service:
        url = service.ready.url
        assert (await fetch(f"{url}/metrics"))[0] == 401
        assert (await fetch(f"{url}/metrics", Authorization=f"Bearer {key}"))[0] == 200
        with pytest.raises(SignalingFailed):
            async with VoicePeerClient(url, token="wrong-horse-battery-staple"):
                pass
        async with VoicePeerClient(url, token=key) as client:
            assert client.session_id


async def test_what_is_said_and_heard_is_not_in_the_log(arguments: list[str]) -> None:
    lines: list[str] = []
    async with contextlib.AsyncExitStack() as stack:
        debugging = [*arguments, "--set", "log.level=debug"]
        service = await stack.enter_async_context(running_service(debugging, lines.append))
        client = await stack.enter_async_context(VoicePeerClient(service.ready.url))
        await client.use_voice("low")
        await client.say("xylophone zebra")
        client.speak("xylophone quagga")
        client.cancel()
        with pytest.raises(RequestFailed):
            await client.say("xylophone. " * 6_000)
    log = "\n".join(lines).lower()
    assert "session" in log
    for secret in ("xylophone", "zebra", "quagga", "candidate:", "a=fingerprint", "ice-pwd"):
        assert secret not in log


async def test_json_logs_are_json(arguments: list[str]) -> None:
    lines: list[str] = []
    async with running_service([*arguments, "--log-format", "json"], lines.append):
        pass
    assert lines
    for line in lines:
        entry = msgspec.json.decode(line)
        assert {"time", "level", "logger", "message"} <= entry.keys()


async def test_a_voice_that_is_deleted_beside_the_service_falls_silent(
    arguments: list[str], tmp_path: Path
) -> None:
    store = VoiceStore(tmp_path / "voices.sqlite")
    voice = Voice("fake", "1", {"tone_hz": np.array([300.0], np.float32)})
    consent = ConsentRecord("I agree.", "Ada", 1.0)
    await asyncio.to_thread(store.put, VoiceRecord("v", "Ada", voice, consent, 1.0))
    async with contextlib.AsyncExitStack() as stack:
        service = await stack.enter_async_context(running_service(arguments))
        client = await stack.enter_async_context(VoicePeerClient(service.ready.url))
        await client.use_voice("v")
        with client.call.listening() as messages:
            client.speak("A sentence that is long. " * 40)
            await told(messages, Started)
            await asyncio.sleep(1.2)
            await asyncio.to_thread(store.delete, "v")
            deleted_s = time.monotonic()
            cancelled = await told(messages, Cancelled)
            assert time.monotonic() - deleted_s < 5.0
            assert cancelled.played_ms > 0
            client.speak("Nobody says this.")
            assert (await told(messages, Error)).code == "voice_not_ready"
