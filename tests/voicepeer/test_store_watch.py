"""A lost place of voices, and an audit log that cannot be written, are seen and told."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterable
from pathlib import Path

import aiohttp
import pytest
from prometheus_client import CollectorRegistry

from tests.redis_server import redis_server
from tests.voicepeer.commandline import FAKE, voicepeer
from tests.voicepeer.test_backup import filled
from tests.voicepeer.test_voice_store import NOW
from voicepeer.audit import Audit
from voicepeer.backup import backup
from voicepeer.child_service import running_service
from voicepeer.redis_link import RedisLink
from voicepeer.store_watch import AuditFigures, StoreWatch
from voicepeer.stores import in_file, in_redis

pytestmark = pytest.mark.peer


def figure(collector: StoreWatch | AuditFigures, name: str) -> float | None:
    registry = CollectorRegistry()
    registry.register(collector)
    return registry.get_sample_value(name)


@pytest.mark.needs("redis-server")
async def test_a_redis_that_hangs_is_seen_and_that_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="voicepeer.store_watch")
    monkeypatch.setattr("voicepeer.redis_link.ANSWER_TIMEOUT_S", 1.0)
    with redis_server(tmp_path) as server:
        stores = in_redis(RedisLink.of(server.url, "test"))
        watch = StoreWatch(stores.serving, Audit())
        await watch.look()
        assert (watch.up, [*watch.notes], figure(watch, "voicepeer_store_up")) == (True, [], 1.0)
        with server.hanging():
            await watch.look()
            await watch.look()
            assert figure(watch, "voicepeer_store_up") == 0.0
            assert [*watch.notes] == ["saved voices cannot be reached or kept"]
        async with asyncio.timeout(30):
            while not watch.up:  # noqa: ASYNC110 - it is left alone for a while
                await asyncio.sleep(0.05)
                await watch.look()
        assert [*watch.notes] == []
        stores.close()
    said = [line.getMessage() for line in caplog.records if line.name == "voicepeer.store_watch"]
    assert len(said) == 2
    assert "does not answer" in said[0]


async def test_the_mark_goes_when_the_watch_ends(tmp_path: Path) -> None:
    path = tmp_path / "voices.sqlite"
    watch = StoreWatch(in_file(path).serving, Audit(), every_s=0.01)
    running = asyncio.create_task(watch.run())
    async with asyncio.timeout(20):
        while not await asyncio.to_thread(in_file(path).serving.by_others):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    running.cancel()
    await asyncio.wait([running])
    assert not await asyncio.to_thread(in_file(path).serving.by_others)


def test_lines_of_the_audit_log_that_are_lost_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit = Audit(tmp_path / "audit.log")
    watch = StoreWatch(in_file(tmp_path / "voices.sqlite").serving, audit)
    figures = AuditFigures(audit)
    write = os.write

    def fail(file: int, data: Iterable[int]) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", fail)
    for _ in range(2):
        audit.record("use", key_id="key")
    monkeypatch.setattr(os, "write", write)
    assert [*watch.notes] == ["the audit log cannot be written"]
    assert figure(figures, "voicepeer_audit_lines_lost_total") == 2.0
    audit.record("use", key_id="key")
    assert [*watch.notes] == []
    assert figure(figures, "voicepeer_audit_lines_lost_total") == 2.0
    audit.close()


async def test_a_running_service_tells_of_its_store_and_keeps_a_backup_out(
    tmp_path: Path,
) -> None:
    path, file = tmp_path / "voices.sqlite", tmp_path / "voices.backup"
    there = in_file(path)
    await asyncio.to_thread(filled, there)
    await asyncio.to_thread(backup, there, file, NOW)
    restore = ("voices", "restore", "--force", str(file), "--database", str(path))
    async with (
        running_service([*FAKE, "--database", str(path)]) as service,
        aiohttp.ClientSession(service.ready.url) as api,
    ):
        async with asyncio.timeout(60):
            while not await asyncio.to_thread(there.serving.by_others):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        async with api.get("/metrics") as answer:
            text = await answer.text()
        assert "\nvoicepeer_store_up 1.0\n" in text
        assert "\nvoicepeer_audit_lines_lost_total 0.0\n" in text
        refused = await asyncio.to_thread(voicepeer, *restore)
        assert refused.code != 0
        assert "stop it first" in refused.complaint
    assert (await asyncio.to_thread(voicepeer, *restore)).code == 0
