"""The image's command as its user, with its environment and on a read-only root."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest

from tests.deploy.compose import DOCKERFILES, Image, services
from tests.deploy.container import CAN, WHY_NOT, contained
from tests.deploy.coturn import free_port
from tests.deploy.nginx import TCP
from tests.deploy.test_kubernetes import adapter_series
from voicepeer import rtc
from voicepeer.client import VoicePeerClient

pytestmark = [pytest.mark.e2e, pytest.mark.skipif(not CAN, reason=WHY_NOT)]

IMAGE = Image(DOCKERFILES[0])
FAKES = {f"VOICEPEER_ENGINE_{kind}": "fake" for kind in ("SPEECH", "ENCODER", "VAD")}
READY_WITHIN_S = 60.0


@dataclass
class Container:
    """A service as the image runs it."""

    process: asyncio.subprocess.Process
    port: int
    key: str
    environment: dict[str, str]
    scratch: Path

    @property
    def url(self) -> str:
        """Where it is reached."""
        return f"http://127.0.0.1:{self.port}"

    async def run(self, command: list[str]) -> tuple[int, str]:
        """Run something in another container of the same image; its exit code and output."""
        process = await asyncio.create_subprocess_exec(
            *contained(IMAGE, self.environment, self.scratch),
            *command,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await process.communicate()
        return process.returncode or 0, out.decode()


def environment(port: int) -> dict[str, str]:
    """What compose gives the service, but for its port, models and the media's address."""
    given: dict[str, str] = services()["voicepeer"]["environment"]
    of_the_test = {
        "VOICEPEER_SERVER_PORT": str(port),
        "VOICEPEER_ICE_MEDIA_ADDRESSES": ",".join(rtc.host_addresses()),
    }
    return given | of_the_test | FAKES


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Container]:
    """A service that is ready, and gone at the end."""
    port = free_port(TCP)
    given = environment(port)
    with (folder / "log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *contained(IMAGE, given, folder), *IMAGE.command, stdout=log, stderr=log
        )
    container = Container(process, port, given["VOICEPEER_SERVER_API_KEYS"], given, folder)
    try:
        await _until_ready(container)
        yield container
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _until_ready(container: Container) -> None:
    async with asyncio.timeout(READY_WITHIN_S), aiohttp.ClientSession(container.url) as client:
        while True:
            assert container.process.returncode is None, (container.scratch / "log").read_text()
            try:
                async with client.get("/readyz") as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientConnectionError:
                pass
            await asyncio.sleep(0.1)


async def test_the_service_runs_as_the_image_has_it_and_stops_in_time(tmp_path: Path) -> None:
    async with running(tmp_path) as container:
        assert {f"Uid:\t{IMAGE.user[0]}", "CapEff:\t0000000000000000", "NoNewPrivs:\t1"} <= set(
            facts(container.process.pid)
        )
        assert await container.run(IMAGE.health_check) == (0, "")
        async with VoicePeerClient(container.url, token=container.key) as client:
            await client.use_voice("low")
            assert (await client.say("Hello.")).audio_ms > 0
        assert adapter_series() <= await series(container)
        assert "voices.sqlite" in written_below(container.process.pid, IMAGE.volumes[0])
        began_s = time.monotonic()
        container.process.send_signal(signal.SIGTERM)
        assert await container.process.wait() == 0
        grace_s = int(services()["voicepeer"]["stop_grace_period"].removesuffix("s"))
        assert time.monotonic() - began_s < grace_s
        code, said = await container.run(IMAGE.health_check)
        assert code != 0
        assert "refused" in said
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["name"] for line in lines if "engine" in line] == ["listening", "ready"]
    assert not [line for line in lines if line.get("level") in ("warning", "error")]


async def series(container: Container) -> set[str]:
    """Names of all that Prometheus reads of it."""
    headers = {"Authorization": f"Bearer {container.key}"}
    async with (
        aiohttp.ClientSession(container.url, headers=headers) as client,
        client.get("/metrics") as answer,
    ):
        assert answer.status == 200
        return set(re.findall(r"^(\w+)[{ ]", await answer.text(), re.MULTILINE))


def facts(pid: int) -> list[str]:
    """What the kernel says of a process, each with its first value."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return ["\t".join(line.split("\t")[:2]) for line in lines]


def written_below(pid: int, folder: str) -> list[str]:
    """Files in a folder as the process sees it."""
    return [path.name for path in Path(f"/proc/{pid}/root{folder}").iterdir()]


async def test_nothing_but_its_folders_can_be_written(tmp_path: Path) -> None:
    given = environment(1)
    tried = ["/x", "/etc/x", "/opt/x", "/usr/x", *(f"{one}/x" for one in IMAGE.volumes)]
    script = "for file; do touch $file 2>/dev/null && echo $file; done; true"
    process = await asyncio.create_subprocess_exec(
        *contained(IMAGE, given, tmp_path), "bash", "-c", script, "bash", *tried,
        stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, _ = await process.communicate()
    assert out.decode().split() == [f"{one}/x" for one in IMAGE.volumes]
