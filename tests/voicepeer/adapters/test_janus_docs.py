"""The examples of docs/bots.md for rooms of a Janus work as they stand there."""

from __future__ import annotations

import asyncio
import json
import os
import textwrap
from pathlib import Path

import pytest

from tests.peers.service import running
from tests.test_documents import BIN, ROOT, blocks, run_shell
from tests.voicepeer.adapters.janus_room import ROOMS
from voicepeer.benches.janus_server import JanusServer

pytestmark = [pytest.mark.e2e, pytest.mark.needs("janus")]

PAGE = (ROOT / "docs/bots.md").read_text(encoding="utf-8")


async def test_the_examples_work(tmp_path: Path) -> None:
    (shell,), (python,) = blocks(PAGE, how="janus"), blocks(PAGE, how="janus_client")
    (tmp_path / "janus").mkdir()
    rooms: dict[str, dict[str, dict[str, object]]] = {
        plugin: {str(number): {"pin": "sesame", "sampling_rate": 48_000}}
        for plugin, number in ROOMS.items()
    }
    server = JanusServer(tmp_path / "janus", rooms)
    await asyncio.to_thread(server.start)
    try:
        async with running() as service:
            # The service has no saved voices: a stock one takes their place.
            here = {
                "ws://localhost:8188": server.url,
                "http://localhost:8080": service.url,
                "--voice Ada": "--voice high",
                'voice("Ada")': 'voice("high")',
            }
            for words, replacement in here.items():
                assert words in shell + python
                shell, python = (one.replace(words, replacement) for one in (shell, python))
            fake = {"VOICEPEER_ENGINE_SPEECH": "fake", "VOICEPEER_ENGINE_ENCODER": "fake"}
            fake |= {"VOICEPEER_ENGINE_VAD": "fake"}
            path = f"{BIN}:{os.environ['PATH']}"
            told = await run_shell(shell, tmp_path, PATH=path, **fake)
            names: dict[str, object] = {}
            source = f"async def example():\n{textwrap.indent(python, '    ')}"
            exec(compile(source, "docs/bots.md", "exec"), names)
            async with asyncio.timeout(30):
                await names["example"]()  # type: ignore[operator]
    finally:
        server.kill()
    events = [json.loads(line)["event"] for line in told.splitlines()]
    assert events == ["joined", "said", "left"]
