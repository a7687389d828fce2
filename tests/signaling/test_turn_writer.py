"""The thread that writes coturn's database: in order, never waited for long, and back by itself."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from signaling import turn_writer
from signaling.ice_servers import IceConfigInvalid, TurnCredentials
from signaling.turn_writer import TurnDown, TurnWriter

pytestmark = pytest.mark.unit

ADA = TurnCredentials("2000000000:ada@lobby", "secret-of-ada")
BOB = TurnCredentials("2000000000:bob@lobby", "secret-of-bob")
EVE = TurnCredentials("2000000000:eve@lobby", "secret-of-eve")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "turn.sqlite"


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_writer, "BUSY_S", 0.2)


@asynccontextmanager
async def writing(path: Path) -> AsyncIterator[TurnWriter]:
    writer = TurnWriter(path, "example")
    await writer.open()
    try:
        yield writer
    finally:
        await writer.close([])


def names(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT name FROM turnusers_lt ORDER BY name").fetchall()
    return [name for (name,) in found]


def drop(path: Path) -> None:
    """Make whatever is written next fail."""
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE turn_users")


def nobody() -> list[TurnCredentials]:
    return []


async def test_what_is_asked_for_is_done_in_order(path: Path) -> None:
    async with writing(path) as writer:
        asked = [writer.add(ADA), writer.add(BOB, [ADA.username]), writer.remove([BOB.username])]
        await asyncio.gather(*asked, writer.add(EVE))
        assert names(path) == [EVE.username]
        await writer.sweep(float(EVE.username.partition(":")[0]))
        assert names(path) == []


async def test_a_file_that_cannot_be_used_is_told_of_at_once(tmp_path: Path) -> None:
    writer = TurnWriter(tmp_path, "example")
    with pytest.raises(IceConfigInvalid, match="cannot be used"):
        await writer.open()


async def test_one_who_is_given_up_stops_nobody(path: Path) -> None:
    async with writing(path) as writer:
        held = threading.Event()
        writer._thread.submit(held.wait, 5)
        given_up = asyncio.create_task(writer.add(ADA))
        after = asyncio.create_task(writer.add(BOB))
        await asyncio.sleep(0.05)
        given_up.cancel()
        await asyncio.wait([given_up])
        held.set()
        await after
        assert names(path) == [BOB.username]
        assert given_up.cancelled()


async def test_down_it_is_until_it_is_looked_after(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with writing(path) as writer:
        await writer.add(ADA)
        await asyncio.to_thread(drop, path)
        for _ in range(3):
            with pytest.raises(TurnDown):
                await writer.add(BOB)
        assert writer.down
        await writer.look_after(lambda: [ADA, EVE])
        assert not writer.down
        assert names(path) == [ADA.username, EVE.username]
    assert len(caplog.records) == 2, "that it is down, and that it is back"


async def test_while_it_fails_on_nothing_more_is_said(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with writing(path) as writer:
        with closing(sqlite3.connect(path)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(TurnDown):
                await writer.add(ADA)
            for _ in range(2):
                with pytest.raises(TurnDown):
                    await writer.look_after(nobody)
            other.rollback()
        assert len(caplog.records) == 1
        await writer.look_after(nobody)
        await writer.add(ADA)
        assert names(path) == [ADA.username]


async def test_where_all_is_well_nothing_is_opened_anew(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with writing(path) as writer:
        users = writer._users
        await writer.look_after(lambda: pytest.fail("nobody is to be asked"))
        assert writer._users is users
    assert not caplog.records


async def test_a_folder_that_was_deleted_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "turn" / "turn.sqlite"
    async with writing(path) as writer:
        await writer.add(ADA)
        await asyncio.to_thread(path.parent.rename, tmp_path / "away")
        await writer.look_after(lambda: [ADA])
        assert names(path) == [ADA.username]


async def test_a_thread_that_hangs_is_not_waited_for(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    writer = TurnWriter(path, "example")
    await writer.open()
    monkeypatch.setattr(turn_writer, "WAIT_S", 0.1)
    held = threading.Event()
    began_s = time.monotonic()
    writer._thread.submit(held.wait, 20)
    try:
        for user in (ADA, BOB):
            with pytest.raises(TurnDown):
                await writer.add(user)
        with pytest.raises(TurnDown):
            await writer.look_after(nobody)
        with pytest.raises(TurnDown):
            await writer.close([ADA.username])
        assert time.monotonic() - began_s < 5.0
    finally:
        held.set()
    assert len(caplog.records) == 1
    assert "does not answer" in caplog.text


async def test_closed_it_leaves_nobody_whom_it_is_told_of(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer = TurnWriter(path, "example")
    await writer.open()
    await writer.add(ADA)
    await writer.add(BOB)
    with caplog.at_level(logging.DEBUG):
        await writer.close([ADA.username])
    assert names(path) == [BOB.username]
    assert "secret" not in caplog.text


async def test_closing_one_that_fails_says_so(path: Path) -> None:
    writer = TurnWriter(path, "example")
    await writer.open()
    await writer.add(ADA)
    await asyncio.to_thread(drop, path)
    with pytest.raises(TurnDown):
        await writer.close([ADA.username])
    assert writer._users is None
