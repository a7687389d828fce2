"""Bots with routes of their own are there when they say so, and end with their input."""

from __future__ import annotations

import asyncio
import sys
from urllib.parse import urlsplit

import pytest

from loadtests.peers.install import environment
from loadtests.peers.process import running_bot

pytestmark = pytest.mark.peer

PROGRAM = """
import asyncio, sys, types

class Config:
    def __init__(self, app, **options):
        self.app = app

class Server:
    def __init__(self, config):
        self.app, self.should_exit = config.app, False

    async def serve(self, sockets):
        # Much later than anybody may ask.
        await asyncio.sleep(0.3)
        async with await asyncio.start_server(self.app, sock=sockets[0]):
            while not self.should_exit:
                await asyncio.sleep(0.01)
        print("shut down", file=sys.stderr)

uvicorn = types.ModuleType("uvicorn")
uvicorn.Config, uvicorn.Server = Config, Server
sys.modules["uvicorn"] = uvicorn

from loadtests.peers.bots import harness, web

async def app(reader, writer):
    writer.write(await reader.readline())
    writer.close()

asyncio.run(web.serve(app, "/offer", harness.Teller(), {"web": "1.0"}))
"""


async def test_it_takes_offers_from_when_it_is_ready_until_its_input_ends() -> None:
    async with running_bot("web", (sys.executable, "-c", PROGRAM), environment()) as bot:
        assert bot.ready.versions == {"web": "1.0"}
        assert bot.ready.offer_url is not None
        url = urlsplit(bot.ready.offer_url)
        assert (url.scheme, url.hostname, url.path) == ("http", "127.0.0.1", "/offer")
        reader, writer = await asyncio.open_connection(url.hostname, url.port)
        writer.write(b"hello\n")
        assert await reader.read() == b"hello\n"
        writer.close()
    assert bot._process.returncode == 0
    assert list(bot._log) == ["shut down"]
    with pytest.raises(ConnectionError):
        await asyncio.open_connection(url.hostname, url.port)


async def test_each_has_a_port_of_its_own() -> None:
    command = (sys.executable, "-c", PROGRAM)
    async with (
        running_bot("one", command, environment()) as one,
        running_bot("another", command, environment()) as another,
    ):
        assert one.ready.offer_url != another.ready.offer_url
