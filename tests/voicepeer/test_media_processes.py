"""A service with two media processes: rooms, what is told, and what one of them takes along."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
import numpy as np
import pytest
import pytest_asyncio

from engines.api import Voice
from signaling.principal import ANONYMOUS
from tests.peers.room import until
from tests.voicepeer.commandline import FAKE
from tests.voicepeer.test_service import announced, descendants, fetch, gone, serving, told
from voicepeer.child_service import ChildService, running_service
from voicepeer.client import (
    CallEnded,
    RequestFailed,
    SessionLost,
    SignalingFailed,
    VoicePeerClient,
)
from voicepeer.core.messages import Cancelled, Done, ServiceStatus, Started
from voicepeer.core.placement import Placement
from voicepeer.core.room_messages import RoomRoster
from voicepeer.core.rtvi import Error
from voicepeer.voice_store import ConsentRecord, VoiceRecord, VoiceStore

pytestmark = pytest.mark.e2e

TWO = ("--media-processes", "2")
LONG = "A sentence that is long. " * 4
LONG_MS = 60.0 * len(LONG)
AGAIN_S = 30.0
"""In which a busy machine has started another process."""

SLOW = "slowly"
HASTY = {
    "engine.options": f"fake.slow_ms=2000,fake.slow_text={SLOW}",
    "degradation.enabled": "true",
    "degradation.first_audible_ms": "1500",
    "degradation.free_memory_share": "0",
    "degradation.waiting": "1000",
    "degradation.min_utterances": "2",
    "degradation.every_s": "0.1",
    "degradation.up_s": "0.1",
    "degradation.down_s": "1",
}
"""A service that takes one step for every two texts that are said slowly, and soon gives it up."""

_READY = re.compile(r"media process (\d+) is ready as process (\d+)")


def room_in(process: int, tenant: str = ANONYMOUS.tenant) -> str:
    """The name of a room that is opened in this one of two processes."""
    names = (f"room-{number}" for number in range(100))
    return next(one for one in names if Placement(1.0).home((tenant, one), (0, 1)) == process)


@dataclass
class Running:
    """A service, and what it has said of its processes."""

    service: ChildService
    lines: list[str] = field(default_factory=list)
    database: Path = Path()

    @property
    def url(self) -> str:
        return self.service.ready.url

    @property
    def pids(self) -> dict[int, int]:
        """Of the media processes that were ready last, by their numbers."""
        found = (_READY.search(line) for line in self.lines)
        return {int(one[1]): int(one[2]) for one in found if one}

    async def figure(self, name: str) -> float:
        """One of ``/metrics``."""
        _, text = await fetch(f"{self.url}/metrics")
        return next(float(line.split()[-1]) for line in text.splitlines() if line.startswith(name))

    async def restarted(self, process: int, pid: int) -> None:
        """Wait until another one has taken the place of a process."""
        await until(lambda: self.pids[process] != pid, AGAIN_S)
        status, _ = await fetch(f"{self.url}/readyz")
        assert status == 200


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    return [*FAKE, *TWO, "--database", str(tmp_path / "voices.sqlite")]


@asynccontextmanager
async def running(arguments: list[str]) -> AsyncIterator[Running]:
    lines: list[str] = []
    async with running_service(arguments, lines.append) as service:
        yield Running(service, lines)


async def meet(stack: AsyncExitStack, url: str, room: str) -> None:
    """Two participants come to a room, of whom the second is told of the first."""
    ada = await stack.enter_async_context(VoicePeerClient(url, room=room, name="Ada"))
    bob = await stack.enter_async_context(VoicePeerClient(url, room=room, name="Bob"))
    await ada.join_room("nothing")
    with bob.call.listening() as messages:
        await bob.join_room("nothing")
        roster = await told(messages, RoomRoster)
    assert [one.name for one in roster.participants] == ["Ada"]


async def hears(listener: VoicePeerClient, speaker: VoicePeerClient) -> None:
    """Both come to the room that they are in, and one says what the other hears there."""
    await listener.join_room("nothing", voices=1)
    await speaker.join_room("voice")
    await speaker.use_voice("low")
    since_s = time.monotonic()
    assert (await speaker.say("Can you hear me?")).audio_ms > 0
    assert listener.ears is not None
    [heard] = listener.ears.recorders.values()
    await until(lambda: float(np.abs(heard.pcm(since_s)).max(initial=0.0)) > 0.05, AGAIN_S)


async def sessions_of(url: str) -> list[dict[str, Any]]:
    """Those that an operator sees."""
    _, text = await fetch(f"{url}/v1/admin/sessions")
    data: list[dict[str, Any]] = msgspec.json.decode(text)["data"]
    return data


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Running]:
    """A service for those tests that leave it as it was."""
    database = tmp_path_factory.mktemp("shared") / "voices.sqlite"
    hasty = [f"--set={name}={value}" for name, value in HASTY.items()]
    recording = ["--set=recording.min_free_mb=0", f"--set=recording.folder={database.parent}"]
    async with running([*FAKE, *TWO, *hasty, *recording, "--database", str(database)]) as service:
        service.database = database
        yield service


@pytest.mark.asyncio(loop_scope="module")
async def test_rooms_stay_together_and_calls_without_one_are_spread(shared: Running) -> None:
    async with AsyncExitStack() as stack:
        url = shared.url
        await meet(stack, url, room_in(0))
        await meet(stack, url, room_in(1))
        first = await stack.enter_async_context(VoicePeerClient(url))
        second = await stack.enter_async_context(VoicePeerClient(url))
        for process in (0, 1):
            assert await shared.figure(f'voicepeer_sessions{{process="media-{process}"}}') == 3
        assert await shared.figure("voicepeer_media_processes{") == 2
        async with asyncio.timeout(AGAIN_S):
            # It is told within a moment.
            while not all(one["connected"] for one in await sessions_of(url)):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert len(await sessions_of(url)) == 6
        with pytest.raises(RequestFailed, match="a name of its own"):
            await first.join_room("voice")
        await second.use_voice("low")
        # What is left of a call is in the process that it was in.
        await second.reconnect()
        assert (await second.say("Hello again.")).audio_ms > 0
        async with aiohttp.ClientSession() as http:
            headers = {"Content-Type": "application/sdp"}
            async with http.post(f"{url}/whep/default", headers=headers, data="v=0") as refused:
                assert refused.status == 406
            sid = second.session_id
            async with http.delete(f"{url}/v1/admin/sessions/{sid}") as ended:
                assert ended.status == 204
        with pytest.raises(CallEnded):
            await second.say("Nobody says this.")
        assert second.bye_reason == "ended_by_operator"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_deleted_voice_falls_silent_in_every_process(shared: Running) -> None:
    store = VoiceStore(shared.database)
    voice = Voice("fake", "1", {"tone_hz": np.array([300.0], np.float32)})
    consent = ConsentRecord("I agree.", "Ada", 1.0)
    await asyncio.to_thread(store.put, VoiceRecord("v", "Ada", voice, consent, 1.0))
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(VoicePeerClient(shared.url, room=room_in(process)))
            for process in (0, 1)
        ]
        heard = [stack.enter_context(client.call.listening()) for client in clients]
        for client, messages in zip(clients, heard, strict=True):
            await client.use_voice("v")
            client.speak(LONG * 12)
            await told(messages, Started)
        deleting = f"{shared.url}/v1/audio/voices/v"
        async with aiohttp.ClientSession() as http, http.delete(deleting) as deleted:
            assert deleted.status == 200
        for client, messages in zip(clients, heard, strict=True):
            await told(messages, Cancelled)
            client.speak("Nobody says this.")
            assert (await told(messages, Error)).code == "voice_not_ready"


@pytest.mark.asyncio(loop_scope="module")
async def test_what_one_process_has_recorded_is_withdrawn_there_and_at_the_entry(
    shared: Running,
) -> None:
    url = f"{shared.url}/v1/recordings"
    async with (
        VoicePeerClient(shared.url, room=room_in(1)) as client,
        aiohttp.ClientSession() as http,
    ):
        await client.use_voice("low")
        await client.join_room("voice")
        first = await record_something(client)
        recording_id, me = await recorded_of(url)
        assert recording_id == first
        async with http.delete(f"{url}/{first}/participants/{me}") as deleted:
            assert deleted.status == 200
        second = await record_something(client)
        assert (await recorded_of(url))[0] == second, "and the first is gone"
        await client.withdraw_from_recording(second)
        _, text = await fetch(url)
        assert msgspec.json.decode(text)["data"] == []


async def record_something(client: VoicePeerClient) -> str:
    """A recording with what somebody says; its id."""
    asked = await client.record_room()
    await client.agree_to_recording()
    await client.say("This is on record.")
    await client.record_room(False)
    return asked.recording_id


async def recorded_of(url: str) -> tuple[str, str]:
    """The only recording, once it has ended and is written, and who is in it."""
    async with asyncio.timeout(AGAIN_S):
        while True:
            _, text = await fetch(url)
            found = msgspec.json.decode(text)["data"]
            if found and all(one["ended_at"] is not None for one in found):
                [only] = found
                [who] = only["participants"]
                return only["id"], who
            await asyncio.sleep(0.05)


@pytest.mark.asyncio(loop_scope="module")
async def test_steps_against_an_overload_are_of_the_whole_service(shared: Running) -> None:
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(VoicePeerClient(shared.url, room=room_in(process)))
            for process in (0, 1)
        ]
        heard = [stack.enter_context(client.call.listening()) for client in clients]
        for client in clients:
            await client.use_voice("low")
        # One in each process: too few for any of them to conclude anything.
        await asyncio.gather(*(client.say(SLOW) for client in clients))
        for messages in heard:
            assert (await told(messages, ServiceStatus)).steps == ["short_first_piece"]
        for messages in heard:
            assert (await told(messages, ServiceStatus)).steps == []
        _, text = await fetch(f"{shared.url}/metrics")
        took = [line for line in text.splitlines() if line.startswith("voicepeer_degradation_ch")]
        assert 'voicepeer_degradation_changes_total{direction="down",process="entry"} 1.0' in took
        # What is of the whole service is told once, what is of sessions by each process.
        for name, processes in (
            ("voicepeer_degradation_step", {"entry"}),
            ("voicepeer_ready", {"entry"}),
            ("voicepeer_engine_waiting", {"entry"}),
            ("voicepeer_worker_resident_memory_bytes", {"entry"}),
            ("voicepeer_sessions", {"entry", "media-0", "media-1"}),
            ("voicepeer_event_loop_late_seconds_count", {"entry", "media-0", "media-1"}),
        ):
            lines = re.findall(rf"^{name}{{(.*)}}", text, re.MULTILINE)
            found = [re.search(r'process="([\w-]+)"', line) for line in lines]
            assert {one[1] for one in found if one} == processes, name


async def test_a_killed_process_takes_its_own_calls_along_and_no_others(
    arguments: list[str],
) -> None:
    async with running(arguments) as service, AsyncExitStack() as stack:
        url, pids = service.url, service.pids
        lost = await stack.enter_async_context(VoicePeerClient(url, room=room_in(0)))
        mate = await stack.enter_async_context(VoicePeerClient(url, room=room_in(0)))
        await hears(lost, mate)
        other = await stack.enter_async_context(VoicePeerClient(url, room=room_in(1)))
        await other.use_voice("low")
        with other.call.listening() as messages:
            other.speak(LONG)
            await told(messages, Started)
            os.kill(pids[0], signal.SIGKILL)
            await until(lambda: lost.bye_reason == "connection_lost", AGAIN_S)
            with pytest.raises(CallEnded):
                await lost.say("Nobody says this.")
            # At once, in the process that is left: the room is empty, so nobody is parted by that.
            for one in (lost, mate):
                with pytest.raises(SessionLost):
                    await one.reconnect()
            await hears(lost, mate)
            done = await told(messages, Done)
            assert done.audio_ms == pytest.approx(LONG_MS, rel=0.1)
        await service.restarted(0, pids[0])
        assert service.pids[1] == pids[1]
        assert await service.figure("voicepeer_media_process_restarts_total") == 1
        # The room is not split: it stays where those who were in it have gone.
        late = await stack.enter_async_context(VoicePeerClient(url, room=room_in(0)))
        await hears(late, mate)
        assert await service.figure('voicepeer_sessions{process="media-0"}') == 0


async def test_nobody_gets_more_by_the_number_of_processes(arguments: list[str]) -> None:
    key, text, rate = "correct-horse-battery-staple", "x" * 50, 200
    limited = [
        *("--set", f"auth.keys=acme={key}"),
        *("--set", f"limits.characters_per_minute={rate}"),
    ]
    async with running([*arguments, *limited]) as service, AsyncExitStack() as stack:
        said, since_s = [0, 0, 0, 0], time.monotonic()
        # New sessions begin with what is left, too.
        for number in range(len(said)):
            room = room_in(number % 2, "acme")
            client = VoicePeerClient(service.url, room=room, token=key)
            await stack.enter_async_context(client)
            await client.use_voice("low")
            with client.call.listening() as messages:
                for _ in range(2 * rate // len(text)):
                    client.speak(text, interrupt=True)
                    async with asyncio.timeout(20):
                        answer = await anext(
                            one async for one in messages if isinstance(one, Started | Error)
                        )
                    if isinstance(answer, Error):
                        assert answer.code == "rate_limited"
                        break
                    said[number] += len(text)
                else:
                    pytest.fail("nothing was refused")
        assert said[0] >= rate
        assert sum(said) <= rate * (1 + (time.monotonic() - since_s) / 60.0)


async def test_what_is_being_said_may_end_although_all_processes_are_told_to(
    arguments: list[str],
) -> None:
    async with serving("--port", "0", *arguments) as process:
        url = (await announced(process)).url
        assert (await announced(process)).name == "ready"
        below = descendants(process.pid)
        assert len(below) == 4
        async with VoicePeerClient(url) as client:
            await client.use_voice("low")
            with client.call.listening() as messages:
                spoken = client.speak("This may go on to its end.")
                await told(messages, Started)
                # As systemd does it: to every process of the service.
                for pid in (process.pid, *_media(below)):
                    os.kill(pid, signal.SIGTERM)
                assert (await told(messages, Done)).utterance_id == spoken
            async with asyncio.timeout(20):
                assert await process.wait() == 0
        await gone(below)


def _media(pids: set[int]) -> list[int]:
    """Those of them that are media processes."""
    commands = {pid: Path(f"/proc/{pid}/cmdline").read_bytes() for pid in pids}
    return [pid for pid, command in commands.items() if b"media_worker" in command]


async def test_a_service_without_its_processes_waits_for_others_and_they_end_with_it(
    arguments: list[str],
) -> None:
    async with running(arguments) as service:
        pids = service.pids
        for pid in pids.values():
            os.kill(pid, signal.SIGKILL)
        # That is the entry's.
        asked = {"input": "Hello.", "voice": "low", "response_format": "wav"}
        async with (
            aiohttp.ClientSession() as http,
            http.post(f"{service.url}/v1/audio/speech", json=asked) as spoken,
        ):
            assert spoken.status == 200
            assert len(await spoken.read()) > 44
        status, text = await fetch(f"{service.url}/readyz")
        if status == 503:  # the processes may be back, or not be missed yet
            assert "media processes" in text
            with pytest.raises(SignalingFailed) as refused:
                async with VoicePeerClient(service.url):
                    pass
            assert refused.value.code == "not_ready"
        for number, pid in pids.items():
            await service.restarted(number, pid)
        async with VoicePeerClient(service.url) as client:
            assert client.session_id
            below = descendants(service.service.pid)
            assert set(service.pids.values()) < below
            os.kill(service.service.pid, signal.SIGKILL)
            await gone(below)
