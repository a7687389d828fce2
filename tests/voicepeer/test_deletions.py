"""Voices that another process deletes: seen soon, and told from those that have expired."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engines.api import Voice
from voicepeer import deletions
from voicepeer.core.errors import VoicePeerError
from voicepeer.deletions import DeletionLog, watch_deletions
from voicepeer.voice_store import ConsentRecord, VoiceRecord, VoiceStore

pytestmark = pytest.mark.peer

VOICE = Voice("fake", "1", {"tone_hz": np.array([300.0], np.float32)})


def record(voice_id: str, expires: float | None = None) -> VoiceRecord:
    return VoiceRecord(voice_id, "Ada", VOICE, ConsentRecord("Yes.", "Ada", 1.0), 1.0, expires)


@pytest.fixture
def store(tmp_path: Path) -> VoiceStore:
    made = VoiceStore(tmp_path / "voices.sqlite")
    for voice_id in ("a", "b"):
        made.put(record(voice_id))
    return made


@pytest.fixture
def log(store: VoiceStore) -> DeletionLog:
    """One that has had its first look."""
    made = DeletionLog(store.path)
    assert made.deleted(0.0) == set()
    return made


def test_what_is_deleted_is_told_once(store: VoiceStore, log: DeletionLog) -> None:
    store.delete("a")
    assert log.deleted(10.0) == {"a"}
    assert log.deleted(10.0) == set()
    store.put(record("c"))
    assert log.deleted(10.0) == set()
    for voice_id in ("b", "c"):
        store.delete(voice_id)
    assert log.deleted(10.0) == {"b", "c"}
    log.close()


def test_what_is_replaced_or_renamed_is_not_gone(store: VoiceStore, log: DeletionLog) -> None:
    store.put(record("a", expires=50.0))
    store.rename("b", "Bob")
    assert log.deleted(10.0) == set()
    log.close()


def test_what_has_expired_is_not_deleted(store: VoiceStore, log: DeletionLog) -> None:
    store.put(record("short", expires=20.0))
    store.put(record("long", expires=90.0))
    assert log.deleted(10.0) == set()
    assert store.purge(30.0) == 1
    assert log.deleted(30.0) == set()
    store.delete("long")
    assert log.deleted(30.0) == {"long"}
    log.close()


def test_nothing_is_read_where_nobody_has_written(
    store: VoiceStore, log: DeletionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert log._opened is not None
    seen: list[str] = []
    log._opened.set_trace_callback(seen.append)
    for _ in range(5):
        log.deleted(10.0)
    assert seen == ["PRAGMA data_version"] * 5
    log.close()


def test_a_database_that_cannot_be_read_is_told_and_looked_at_again(
    store: VoiceStore, log: DeletionLog
) -> None:
    assert log._opened is not None
    log._opened.close()
    with pytest.raises(VoicePeerError):
        log.deleted(10.0)
    store.delete("a")
    assert log.deleted(10.0) == {"a"}, "nothing was missed meanwhile"
    log.close()


async def eventually(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not what():  # noqa: ASYNC110 - it lies in a thread
            await asyncio.sleep(0.02)


async def test_the_command_line_of_another_process_is_heard_of(store: VoiceStore) -> None:
    gone: list[str] = []
    watching = asyncio.create_task(watch_deletions(store.path, gone.append))
    await asyncio.sleep(0.3)
    command = [sys.executable, "-m", "voicepeer", "voices", "delete", "a", "--database"]
    await asyncio.to_thread(subprocess.run, [*command, str(store.path)], check=True)
    await eventually(lambda: gone == ["a"])
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)


async def test_watching_goes_on_through_faults_and_tells_the_log_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(deletions, "LOOK_EVERY_S", 0.01)
    path = tmp_path / "voices.sqlite"
    await asyncio.to_thread(path.write_bytes, b"no database" * 1_000)
    gone: list[str] = []
    watching = asyncio.create_task(watch_deletions(path, gone.append))
    await eventually(lambda: bool(caplog.records))
    await asyncio.sleep(0.1)
    assert len(caplog.records) == 1
    await asyncio.to_thread(path.unlink)
    store = VoiceStore(path)
    await asyncio.to_thread(store.put, record("a"))
    await asyncio.sleep(0.3)
    await asyncio.to_thread(store.delete, "a")
    await eventually(lambda: gone == ["a"])
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
