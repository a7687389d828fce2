"""A real Prometheus on loopback with our rules, whose times are made shorter for tests."""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import yaml

from tests.deploy.coturn import free_port

FOLDER = Path(__file__).parents[2] / "deploy" / "prometheus"
START_TIMEOUT_S = 30.0
WINDOW_S = 6
"""In place of the minutes that rules look back."""

_RANGE = re.compile(r"\[\d+[mh](:\d+s)?\]")


def hurried(rules: str) -> str:
    """Rules that look back and wait for seconds only."""
    text = _RANGE.sub(lambda found: f"[{WINDOW_S}s{':1s' if found[1] else ''}]", rules)
    return re.sub(r"for: \d+m", "for: 1s", text)


@dataclass(frozen=True)
class Prometheus:
    """One server, and a client to ask it."""

    url: str
    session: aiohttp.ClientSession

    async def get(self, path: str, **query: str) -> Any:  # noqa: ANN401 - whatever it answers
        """``data`` of an answer of its API."""
        async with self.session.get(f"{self.url}/api/v1/{path}", params=query) as answer:
            told = await answer.json()
        assert told["status"] == "success", told
        return told["data"]

    async def firing(self) -> set[str]:
        """Names of the alerts that are on."""
        alerts = (await self.get("alerts"))["alerts"]
        return {one["labels"]["alertname"] for one in alerts if one["state"] == "firing"}

    async def values(self, query: str) -> list[float]:
        """What a query gives now."""
        found = (await self.get("query", query=query))["result"]
        return [float(one["value"][1]) for one in found]


@asynccontextmanager
async def prometheus(folder: Path, target: str, key: str) -> AsyncIterator[Prometheus]:
    """Scrapes a service, with our configuration but for addresses and times, twice a second."""
    config = yaml.safe_load((FOLDER / "prometheus.yml").read_text())
    for name, every in (("scrape_interval", "500ms"), ("evaluation_interval", "500ms")):
        config["global"][name] = every
    config["global"]["scrape_timeout"] = "500ms"
    (job,) = config["scrape_configs"]
    job["static_configs"] = [{"targets": [target]}]
    job["authorization"]["credentials_file"] = str(folder / "key")
    (folder / "key").write_text(key)
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    (folder / "alerts.yml").write_text(hurried((FOLDER / "alerts.yml").read_text()))
    port = free_port(socket.SOCK_STREAM)
    process = await asyncio.create_subprocess_exec(
        "prometheus",
        f"--config.file={folder / 'prometheus.yml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=warn",
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with aiohttp.ClientSession() as session:
            server = Prometheus(f"http://127.0.0.1:{port}", session)
            await _until_ready(server, process)
            yield server
    finally:
        if process.returncode is None:
            process.terminate()
        await process.communicate()


async def _until_ready(server: Prometheus, process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(START_TIMEOUT_S):
        while True:
            assert process.returncode is None, "Prometheus has ended"
            try:
                async with server.session.get(f"{server.url}/-/ready") as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientError:
                pass
            await asyncio.sleep(0.05)
