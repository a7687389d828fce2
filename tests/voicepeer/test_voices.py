"""Voices of a session: consent first, then learned, found, saved."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from engines.api import Voice
from tests.peers.caller import MemoryShelf
from tests.peers.engine import LocalEngine
from voicepeer.core.errors import PeerSentBadMessage, VoiceNotFound, VoiceNotReady
from voicepeer.database import VoiceStoreUnusable
from voicepeer.shelf import StoreShelf
from voicepeer.voice_store import AsyncVoiceStore, VoiceStore
from voicepeer.voices import MAX_NAME_CHARS, LearnedVoice, SessionVoices, VoiceShelf

pytestmark = pytest.mark.unit

EMBEDDING = np.full(4, 0.5, np.float32)


def made(tone_hz: float = 1.0) -> Voice:
    return Voice("fake", "1", {"tone_hz": np.array([tone_hz], np.float32)})


def voices(shelf: VoiceShelf | None = None) -> SessionVoices:
    return SessionVoices(LocalEngine(), shelf or MemoryShelf(), "session", "Ada")


async def test_a_learned_voice_is_kept_for_a_while_with_its_consent() -> None:
    shelf = MemoryShelf()
    session = voices(shelf)
    voice_id = session.begin("  I agree.  ", None)
    assert len(voice_id) == 32
    await session.learned(voice_id, made(), EMBEDDING, 0.9)
    kept = shelf.kept[voice_id]
    assert (kept.consent, kept.speaker, kept.name, kept.saved) == ("I agree.", "Ada", "Ada", False)
    assert (kept.quality, kept.session_id) == (0.9, "session")
    assert abs(time.time() - kept.consented_s) < 5
    assert (await session.find(voice_id))[0] == made()


async def test_a_saved_voice_stays_saved_while_it_improves() -> None:
    shelf = MemoryShelf()
    session = voices(shelf)
    voice_id = session.begin("I agree.", "Me")
    await session.learned(voice_id, made(1.0), EMBEDDING, 0.5)
    assert await session.save(" My voice ") == voice_id
    await session.learned(voice_id, made(2.0), EMBEDDING, 0.8)
    kept = shelf.kept[voice_id]
    assert (kept.name, kept.saved, kept.quality) == ("My voice", True, 0.8)


async def test_a_voice_that_was_begun_before_is_not_learned_any_more() -> None:
    shelf = MemoryShelf()
    session = voices(shelf)
    first = session.begin("I agree.", None)
    second = session.begin("I agree.", None)
    await session.learned(first, made(), EMBEDDING, 0.5)
    assert first != second
    assert shelf.kept == {}
    with pytest.raises(VoiceNotReady):
        await session.save("x")


@pytest.mark.parametrize(
    ("consent", "name"), [("", None), (" \n", None), ("x" * 2_001, None), ("ok", "x" * 101)]
)
def test_a_voice_begins_with_a_consent_of_reasonable_length(consent: str, name: str | None) -> None:
    with pytest.raises(PeerSentBadMessage):
        voices().begin(consent, name)


async def test_names_of_saved_voices_are_checked() -> None:
    session = voices()
    await session.learned(session.begin("I agree.", None), made(), None, 0.5)
    for name in ("", "  ", "x" * (MAX_NAME_CHARS + 1)):
        with pytest.raises(PeerSentBadMessage):
            await session.save(name)


async def test_stock_and_kept_voices_are_found_and_others_are_not() -> None:
    session = voices()
    voice, name = await session.find("mid")
    assert (voice.engine, name) == ("fake", "mid")
    with pytest.raises(VoiceNotFound):
        await session.find("nobody")


async def test_a_voice_that_cannot_be_saved_is_not_said_to_be() -> None:
    class FullDisk(MemoryShelf):
        async def put(self, learned: LearnedVoice) -> None:
            if learned.saved:
                raise VoiceStoreUnusable("the disk is full")
            await super().put(learned)

    shelf = FullDisk()
    session = voices(shelf)
    voice_id = session.begin("I agree.", "first")
    await session.learned(voice_id, made(), None, 0.5)
    with pytest.raises(VoiceStoreUnusable):
        await session.save("second")
    await session.learned(voice_id, made(), None, 0.5)
    assert (shelf.kept[voice_id].name, shelf.kept[voice_id].saved) == ("first", False)


async def test_on_the_real_store_unsaved_voices_expire_and_saved_ones_stay(
    tmp_path: Path,
) -> None:
    now = [1000.0]
    store = AsyncVoiceStore(VoiceStore(tmp_path / "voices.sqlite"))
    shelf = StoreShelf(store, ttl_s=300, now=lambda: now[0])
    session = voices(shelf)
    voice_id = session.begin("I agree.", "Me")
    await session.learned(voice_id, made(3.0), EMBEDDING, 0.75)
    found, name = await voices(shelf).find(voice_id)
    assert (name, float(found.arrays["tone_hz"][0])) == ("Me", 3.0)
    record = await store.get(voice_id, now[0])
    assert record.embedding is not None
    np.testing.assert_array_equal(record.embedding, EMBEDDING)
    assert (record.consent.statement, record.consent.who) == ("I agree.", "Me")
    now[0] += 301
    with pytest.raises(VoiceNotFound):
        await voices(shelf).find(voice_id)
    await session.save("Kept")
    now[0] += 10_000
    assert (await voices(shelf).find(voice_id))[1] == "Kept"
