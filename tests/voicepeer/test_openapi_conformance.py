"""What ``/openapi.json`` promises is what the service does: schemathesis asks for all of it."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import ClientSession

from signaling.openapi import undocumented
from tests.peers.audio import AudioSetting, audio_service

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
EXAMPLES = 4
"""Of each operation, besides those that follow from its schema."""

NOT_CHECKED = (
    # A schema cannot say what a session description, a recording or the id of a consent is.
    "positive_data_acceptance",
)


@pytest.fixture
def parts(tmp_path: Path) -> AudioSetting:
    return AudioSetting(tmp_path)


@pytest.fixture
async def setting(parts: AudioSetting) -> AsyncIterator[AudioSetting]:
    async with audio_service(parts) as running:
        yield running


async def document(setting: AudioSetting) -> dict[str, Any]:
    async with ClientSession() as http, http.get(f"{setting.url}/openapi.json") as answer:
        assert answer.status == 200
        made: dict[str, Any] = msgspec.json.decode(await answer.read())
        return made


async def test_every_endpoint_but_the_page_is_in_the_document(setting: AudioSetting) -> None:
    assert undocumented(setting.app) == ["GET /", "GET /{name}"]
    made = await document(setting)
    assert made["openapi"] == "3.1.0"
    for path in ("/v1/audio/speech", "/v1/realtime/calls", "/whip/{room}", "/v1/models", "/readyz"):
        assert path in made["paths"]
    assert "/v1/recordings" in made["paths"]


async def test_every_operation_has_words_of_its_own(setting: AudioSetting) -> None:
    made = await document(setting)
    operations = [one for methods in made["paths"].values() for one in methods.values()]
    ids = [one["operationId"] for one in operations]
    assert sorted(set(ids)) == sorted(ids)
    assert all(one["summary"] and one["description"] for one in operations)


async def test_schemathesis_finds_no_fault(setting: AudioSetting, tmp_path: Path) -> None:
    checking = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "schemathesis.cli", "run", f"{setting.url}/openapi.json"),
        *("--phases", "coverage,fuzzing", "--max-examples", str(EXAMPLES), "--seed", "1"),
        *("--exclude-checks", ",".join(NOT_CHECKED), "--exclude-path", "/ws"),
        *("--request-timeout", "20", "--suppress-health-check", "all"),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        cwd=tmp_path,
        env=os.environ
        | {"SCHEMATHESIS_HOOKS": "tests.schemathesis_hooks", "PYTHONPATH": str(ROOT)},
    )
    told, _ = await checking.communicate()
    assert checking.returncode == 0, told.decode()[-6_000:]
