"""Pinned voices are there while their place is lost, and gone when they are deleted."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import pytest

from tests.voicepeer.test_voice_store import NOW, record
from voicepeer import pinned_voices
from voicepeer.audit import Audit
from voicepeer.core.errors import StoreUnavailable, VoiceNotFound
from voicepeer.database import VoiceStoreUnavailable
from voicepeer.keeping import keeping_in
from voicepeer.owners import EVERYBODY, Owners
from voicepeer.pinned_voices import PinnedVoices
from voicepeer.stores import in_file
from voicepeer.voice_store import VoiceRecord, VoiceStore

pytestmark = pytest.mark.unit

ACME, OTHERS = Owners(("acme",)), Owners(("others",))
PINNED = replace(record("Ada"), owner="acme")
OTHER = replace(record("Bob", seed=1), owner="acme")


class Losable(VoiceStore):
    """A store that can be cut off."""

    lost = False

    def get(self, voice_id: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        self._reach()
        return super().get(voice_id, now, owners)

    def find(self, key: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        self._reach()
        return super().find(key, now, owners)

    def _reach(self) -> None:
        if self.lost:
            raise VoiceStoreUnavailable("it is lost")


@pytest.fixture
def store(tmp_path: Path) -> Losable:
    store = Losable(tmp_path / "voices.sqlite")
    for one in (PINNED, OTHER):
        store.put(one)
    return store


@pytest.fixture
async def voices(store: Losable) -> PinnedVoices:
    voices = PinnedVoices(store, [PINNED.voice_id])
    await voices.load(NOW)
    return voices


@pytest.mark.parametrize("key", [PINNED.voice_id, "Ada"])
async def test_it_is_found_while_its_place_is_lost_by_whom_it_belongs_to(
    voices: PinnedVoices, store: Losable, key: str
) -> None:
    store.lost = True
    found = await voices.find(key, NOW, ACME)
    assert found.voice.to_bytes() == PINNED.voice.to_bytes()
    with pytest.raises(StoreUnavailable):
        await voices.find(key, NOW, OTHERS)
    store.lost = False
    with pytest.raises(VoiceNotFound):
        await voices.find(key, NOW, OTHERS)


async def test_others_are_asked_for_as_always(voices: PinnedVoices, store: Losable) -> None:
    assert (await voices.find("Bob", NOW)).voice_id == OTHER.voice_id
    store.lost = True
    for key in ("Bob", OTHER.voice_id, "nobody"):
        with pytest.raises(StoreUnavailable):
            await voices.find(key, NOW)
    with pytest.raises(StoreUnavailable):
        await voices.get(OTHER.voice_id, NOW)


async def test_of_two_with_one_name_none_is_guessed(store: Losable) -> None:
    twin = replace(record("Ada", seed=2), owner="acme")
    store.put(twin)
    voices = PinnedVoices(store, [PINNED.voice_id, twin.voice_id])
    await voices.load(NOW)
    store.lost = True
    with pytest.raises(StoreUnavailable):
        await voices.find("Ada", NOW)
    assert (await voices.find(twin.voice_id, NOW)).voice_id == twin.voice_id


async def test_it_goes_when_it_is_deleted_here_or_elsewhere(store: Losable) -> None:
    voices = PinnedVoices(store, [PINNED.voice_id, OTHER.voice_id])
    keeping = keeping_in(in_file(store.path), Audit(), voices=voices)
    await voices.load(NOW)
    await voices.delete(PINNED.voice_id)
    with pytest.raises(VoiceNotFound):
        await voices.find(PINNED.voice_id, NOW)
    store.lost = True
    keeping.revocations.revoke(OTHER.voice_id)
    with pytest.raises(StoreUnavailable):
        await voices.find(OTHER.voice_id, NOW)


async def test_one_that_is_deleted_while_it_is_read_does_not_come_back(store: Losable) -> None:
    voices = PinnedVoices(store, [PINNED.voice_id])
    reading = asyncio.create_task(voices.load(NOW))
    await asyncio.sleep(0)
    voices.forget(PINNED.voice_id)
    await reading
    store.lost = True
    with pytest.raises(StoreUnavailable):
        await voices.get(PINNED.voice_id, NOW)
    store.lost = False
    await voices.load(NOW)
    assert (await voices.get(PINNED.voice_id, NOW)).name == "Ada"


async def test_what_is_changed_here_is_changed_in_memory(voices: PinnedVoices) -> None:
    await voices.rename(PINNED.voice_id, "Countess")
    assert (await voices.get(PINNED.voice_id, NOW)).name == "Countess"
    better = replace(record("Ada", seed=3), voice_id=PINNED.voice_id, owner="acme")
    await voices.put(better)
    assert (await voices.get(PINNED.voice_id, NOW)).voice.to_bytes() == better.voice.to_bytes()


async def test_what_others_change_is_seen_in_a_while(
    voices: PinnedVoices, store: Losable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pinned_voices, "READ_EVERY_S", 0.01)
    store.give(PINNED.voice_id, "others")
    running = asyncio.create_task(voices.run())
    async with asyncio.timeout(10):
        while (await voices.get(PINNED.voice_id, NOW)).owner != "others":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    running.cancel()


async def test_what_is_not_there_is_told_once_and_what_cannot_be_read_stays(
    voices: PinnedVoices, store: Losable, caplog: pytest.LogCaptureFixture
) -> None:
    store.lost = True
    await voices.load(NOW)
    assert (await voices.get(PINNED.voice_id, NOW)).name == "Ada"
    store.lost = False
    store.delete(PINNED.voice_id)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await voices.load(NOW)
    assert [one.getMessage() for one in caplog.records] == [
        f"there is no saved voice {PINNED.voice_id}, which is pinned"
    ]
    with pytest.raises(VoiceNotFound):
        await voices.get(PINNED.voice_id, NOW)


async def test_one_that_ends_by_itself_ends_in_memory_too(store: Losable) -> None:
    ending = replace(record("Eve", expires=NOW + 1.0, seed=4), owner="acme")
    store.put(ending)
    voices = PinnedVoices(store, [ending.voice_id])
    await voices.load(NOW)
    store.lost = True
    assert (await voices.get(ending.voice_id, NOW)).name == "Eve"
    with pytest.raises(StoreUnavailable):
        await voices.get(ending.voice_id, NOW + 2.0)


async def test_without_any_nothing_is_read_again(store: Losable) -> None:
    async with asyncio.timeout(5):
        await PinnedVoices(store).run()
