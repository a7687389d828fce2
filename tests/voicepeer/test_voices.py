"""Voices of a session: consent first, then learned, found, saved."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from engines.api import Voice
from signaling.principal import Principal
from tests.peers.caller import MemoryShelf
from tests.peers.engine import LocalEngine
from voicepeer import voice_file
from voicepeer.audit import Audit
from voicepeer.consent_store import AsyncConsentStore, ConsentStore
from voicepeer.core.errors import (
    ConsentNotFound,
    ConsentOfAnother,
    PeerSentBadMessage,
    VoiceNotFound,
    VoiceNotReady,
)
from voicepeer.core.messages import EnrolStart
from voicepeer.core.naming import MAX_NAME_CHARS
from voicepeer.database import VoiceStoreUnusable
from voicepeer.keeping import Keeping
from voicepeer.revocations import Revocations
from voicepeer.shelf import StoreShelf
from voicepeer.voice_store import AsyncVoiceStore, VoiceStore
from voicepeer.voices import (
    UNNAMED_SPEAKER,
    Agreement,
    LearnedVoice,
    SessionVoices,
    VoiceShelf,
)

pytestmark = pytest.mark.unit

EMBEDDING = np.full(4, 0.5, np.float32)


def kept_in(folder: Path, now: Callable[[], float]) -> Keeping:
    path = folder / "voices.sqlite"
    return Keeping(
        AsyncVoiceStore(VoiceStore(path)),
        AsyncConsentStore(ConsentStore(path)),
        Audit(),
        Revocations(),
        now,
    )


def made(tone_hz: float = 1.0) -> Voice:
    return Voice("fake", "1", {"tone_hz": np.array([tone_hz], np.float32)})


def voices(shelf: VoiceShelf | None = None) -> SessionVoices:
    return SessionVoices(LocalEngine(), shelf or MemoryShelf(), "session", "Ada")


async def test_a_learned_voice_is_kept_for_a_while_with_its_consent() -> None:
    shelf = MemoryShelf()
    session = voices(shelf)
    voice_id = await session.begin(EnrolStart(consent="  I agree.  "))
    assert len(voice_id) == 32
    await session.learned(voice_id, made(), EMBEDDING, 0.9, identity=None)
    kept = shelf.kept[voice_id]
    assert (kept.consent.statement, kept.consent.who) == ("I agree.", "Ada")
    assert (kept.name, kept.saved) == ("Ada", False)
    assert (kept.quality, kept.session_id) == (0.9, "session")
    assert abs(time.time() - kept.consent.when) < 5
    assert (await session.find(voice_id)).voice == made()


async def test_a_voice_of_a_speaker_without_a_name_can_leave_as_a_file_and_come_back(
    tmp_path: Path,
) -> None:
    keeping = kept_in(tmp_path, time.time)
    session = SessionVoices(LocalEngine(), StoreShelf(keeping, ttl_s=300), "session", "")
    voice_id = await session.begin(EnrolStart(consent="I agree."))
    await session.learned(voice_id, made(), np.full(16, 0.25, np.float32), 0.9, identity=None)
    await session.save("Kept")
    record = await keeping.voices.get(voice_id, time.time())
    assert record.consent.who == UNNAMED_SPEAKER
    assert voice_file.decode(voice_file.encode(record)).consent.who == UNNAMED_SPEAKER


async def test_a_saved_voice_stays_saved_while_it_improves() -> None:
    shelf = MemoryShelf()
    session = voices(shelf)
    voice_id = await session.begin(EnrolStart(consent="I agree.", name="Me"))
    await session.learned(voice_id, made(1.0), EMBEDDING, 0.5, identity=None)
    assert await session.save(" My voice ") == voice_id
    await session.learned(voice_id, made(2.0), EMBEDDING, 0.8, identity=None)
    kept = shelf.kept[voice_id]
    assert (kept.name, kept.saved, kept.quality) == ("My voice", True, 0.8)


async def test_a_voice_that_improves_while_it_is_saved_is_saved_and_keeps_its_name() -> None:
    class SlowDisk(MemoryShelf):
        async def put(self, learned: LearnedVoice) -> None:
            await asyncio.sleep(0)
            await super().put(learned)

    shelf = SlowDisk()
    session = voices(shelf)
    voice_id = await session.begin(EnrolStart(consent="I agree."))
    await session.learned(voice_id, made(), EMBEDDING, 0.9, identity=None)
    await asyncio.gather(
        session.save("Ada"),
        session.learned(voice_id, made(2.0), EMBEDDING, 0.95, identity=None),
    )
    kept = shelf.kept[voice_id]
    assert (kept.name, kept.saved, kept.voice) == ("Ada", True, made(2.0))
    assert (await session.find(voice_id)).voice == made(2.0)


async def test_a_voice_that_was_begun_before_is_not_learned_any_more() -> None:
    shelf = MemoryShelf()
    session = voices(shelf)
    first = await session.begin(EnrolStart(consent="I agree."))
    second = await session.begin(EnrolStart(consent="I agree."))
    await session.learned(first, made(), EMBEDDING, 0.5, identity=None)
    assert first != second
    assert shelf.kept == {}
    with pytest.raises(VoiceNotReady):
        await session.save("x")


@pytest.mark.parametrize(
    ("consent", "name"), [("", None), (" \n", None), ("x" * 2_001, None), ("ok", "x" * 101)]
)
async def test_a_voice_begins_with_a_consent_of_reasonable_length(
    consent: str, name: str | None
) -> None:
    with pytest.raises(PeerSentBadMessage):
        await voices().begin(EnrolStart(consent=consent, name=name))


async def test_names_of_saved_voices_are_checked() -> None:
    session = voices()
    await session.learned(
        await session.begin(EnrolStart(consent="I agree.")), made(), None, 0.5, identity=None
    )
    for name in ("", "  ", "x" * (MAX_NAME_CHARS + 1), "\x1b[2J"):
        with pytest.raises(PeerSentBadMessage):
            await session.save(name)


async def test_who_gives_up_learning_anew_can_still_save_what_was_learned_before() -> None:
    session = voices()
    first = await session.begin(EnrolStart(consent="I agree."))
    await session.learned(first, made(), EMBEDDING, 0.9, identity=None)
    await session.begin(EnrolStart(consent="I agree again."))
    await session.begin(EnrolStart(consent="And again."))
    with pytest.raises(VoiceNotReady):
        await session.save("Nobody yet")
    session.give_up()
    assert (await session.save("Ada"), session.begun_id) == (first, first)


async def test_giving_up_brings_back_nothing_that_is_older_or_was_deleted() -> None:
    session = voices()
    first = await session.begin(EnrolStart(consent="I agree."))
    await session.learned(first, made(), EMBEDDING, 0.9, identity=None)
    second = await session.begin(EnrolStart(consent="I agree again."))
    await session.learned(second, made(), EMBEDDING, 0.9, identity=None)
    session.give_up()
    assert await session.save("Ada") == second
    await session.begin(EnrolStart(consent="Once more."))
    assert session.forget(second)
    session.give_up()
    with pytest.raises(VoiceNotReady):
        await session.save("Gone")


async def test_stock_and_kept_voices_are_found_and_others_are_not() -> None:
    session = voices()
    found = await session.find("mid")
    voice, name = found.voice, found.name
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
    voice_id = await session.begin(EnrolStart(consent="I agree.", name="first"))
    await session.learned(voice_id, made(), None, 0.5, identity=None)
    with pytest.raises(VoiceStoreUnusable):
        await session.save("second")
    await session.learned(voice_id, made(), None, 0.5, identity=None)
    assert (shelf.kept[voice_id].name, shelf.kept[voice_id].saved) == ("first", False)


async def test_on_the_real_store_unsaved_voices_expire_and_saved_ones_stay(
    tmp_path: Path,
) -> None:
    now = [1000.0]
    keeping = kept_in(tmp_path, lambda: now[0])
    store, shelf = keeping.voices, StoreShelf(keeping, ttl_s=300)
    session = voices(shelf)
    voice_id = await session.begin(EnrolStart(consent="I agree.", name="Me"))
    await session.learned(voice_id, made(3.0), EMBEDDING, 0.75, identity=None)
    kept = await voices(shelf).find(voice_id)
    found, name = kept.voice, kept.name
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
    assert (await voices(shelf).find(voice_id)).name == "Kept"


async def test_a_voice_that_was_renamed_meanwhile_keeps_its_new_name(tmp_path: Path) -> None:
    keeping = kept_in(tmp_path, lambda: 1000.0)
    session = voices(StoreShelf(keeping, ttl_s=300))
    voice_id = await session.begin(EnrolStart(consent="I agree.", name="Me"))
    await session.learned(voice_id, made(1.0), EMBEDDING, 0.7, identity=None)
    await keeping.voices.rename(voice_id, "Somebody")
    await session.learned(voice_id, made(2.0), EMBEDDING, 0.9, identity=None)
    record = await keeping.voices.get(voice_id, 1000.0)
    assert (record.name, float(record.voice.arrays["tone_hz"][0])) == ("Somebody", 2.0)
    await session.save("Kept")
    assert (await keeping.voices.get(voice_id, 1000.0)).name == "Kept"


async def test_a_consent_of_the_call_is_put_on_record_with_its_version_and_key(
    tmp_path: Path,
) -> None:
    keeping = kept_in(tmp_path, lambda: 1000.0)
    shelf = StoreShelf(keeping, 300).of(Principal("key-a", subject="ada"))
    session = voices(shelf)
    asked = EnrolStart(consent="I agree.", name="Ada", consent_version=4)
    voice_id = await session.begin(asked)
    (given,) = await keeping.consents.consents()
    assert (given.kind, given.version, given.key_id) == ("live", 4, "key-a")
    assert given.owner == "key-a/ada"
    await session.learned(voice_id, made(), EMBEDDING, 0.9, identity=None)
    record = await keeping.voices.get(voice_id, 1000.0)
    assert record.consent == given.record
    assert record.owner == "key-a/ada"
    with pytest.raises(VoiceNotFound):
        await voices(shelf.of(Principal("key-b"))).find(voice_id)


async def test_a_consent_that_is_on_record_is_enough(tmp_path: Path) -> None:
    keeping = kept_in(tmp_path, lambda: 1000.0)
    shelf = StoreShelf(keeping, 300)
    earlier = await shelf.agree("I agree to be cloned.", "Ada", 2)
    session = voices(shelf)
    voice_id = await session.begin(EnrolStart(consent_id=earlier.record.consent_id))
    await session.learned(voice_id, made(), EMBEDDING, 0.9, identity=None)
    assert (await keeping.voices.get(voice_id, 1000.0)).consent == earlier.record
    assert len(await keeping.consents.consents()) == 1
    with pytest.raises(ConsentNotFound):
        await voices(shelf).begin(EnrolStart(consent_id="cons_of_nobody"))
    other = shelf.of(Principal("key-b"))
    with pytest.raises(ConsentNotFound):
        await voices(other).begin(EnrolStart(consent_id=earlier.record.consent_id))


async def test_whoever_is_heard_must_be_who_spoke_the_consent() -> None:
    shelf = MemoryShelf()
    given = (await shelf.agree("I agree.", "Ada", 1)).record
    spoken = np.array([1.0, 0.0], np.float32)
    shelf.agreements[given.consent_id] = Agreement(given, spoken)
    for heard, same in [(spoken, True), (spoken[::-1].copy(), False)]:
        session = voices(shelf)
        voice_id = await session.begin(EnrolStart(consent_id=given.consent_id))
        if same:
            await session.learned(voice_id, made(), 1.0 - heard, 0.9, identity=heard)
            assert voice_id in shelf.kept
            continue
        with pytest.raises(ConsentOfAnother):
            await session.learned(voice_id, made(), 1.0 - heard, 0.9, identity=heard)
        assert voice_id not in shelf.kept
        with pytest.raises(VoiceNotFound):
            await session.find(voice_id)


async def test_a_withdrawn_consent_ends_the_learning(tmp_path: Path) -> None:
    keeping = kept_in(tmp_path, lambda: 1000.0)
    session = voices(StoreShelf(keeping, 300))
    voice_id = await session.begin(EnrolStart(consent="I agree."))
    await session.learned(voice_id, made(), EMBEDDING, 0.5, identity=None)
    (given,) = await keeping.consents.consents()
    await keeping.consents.withdraw(given.consent_id)
    with pytest.raises(ConsentNotFound):
        await session.learned(voice_id, made(), EMBEDDING, 0.9, identity=None)
    with pytest.raises(VoiceNotFound):
        await session.find(voice_id)
    with pytest.raises(VoiceNotReady):
        await session.save("mine")


async def test_what_is_forgotten_was_learned_or_spoken_with(tmp_path: Path) -> None:
    shelf = StoreShelf(kept_in(tmp_path, lambda: 1000.0), 300)
    session, other = voices(shelf), voices(shelf)
    voice_id = await session.begin(EnrolStart(consent="I agree."))
    await session.learned(voice_id, made(), EMBEDDING, 0.5, identity=None)
    await other.find(voice_id)
    assert not voices(shelf).forget(voice_id)
    assert session.forget(voice_id)
    assert other.forget(voice_id)
    assert not other.forget(voice_id)
    assert session.begun_id is None


async def test_the_audit_log_tells_once_of_a_voice_that_improves(tmp_path: Path) -> None:
    keeping = replace(kept_in(tmp_path, lambda: 0.0), audit=Audit(tmp_path / "audit"))
    session = voices(StoreShelf(keeping, 300))
    voice_id = await session.begin(EnrolStart(consent="I agree."))
    for quality in (0.5, 0.6, 0.7):
        await session.learned(voice_id, made(), EMBEDDING, quality, identity=None)
    await voices(StoreShelf(keeping, 300)).find(voice_id)
    keeping.audit.close()
    lines = (tmp_path / "audit").read_text().splitlines()
    assert [msgspec.json.decode(line)["event"] for line in lines] == ["consent", "clone", "use"]


async def shelf_with(*names: str) -> MemoryShelf:
    """A shelf with saved voices; the id of each begins with ``id of``."""
    shelf = MemoryShelf()
    agreement = await shelf.agree("I agree.", "Ada", 1)
    for number, name in enumerate(names):
        kept = LearnedVoice(
            f"id of {name}", name, made(200.0 + number), None, None, agreement.record, "s", True
        )
        await shelf.put(kept)
    return shelf


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("ALLOY", "id of ALLOY"),
        ("alloy", "alloy"),
        ("Alloy", "Alloy"),
        ("nova", "id of nova"),
        ("NOVA", "NOVA"),
        ("mid", "mid"),
        ("id of mid", "id of mid"),
    ],
)
async def test_a_saved_voice_of_that_name_comes_before_one_that_stands_for_it(
    asked: str, found: str
) -> None:
    session = voices(await shelf_with("ALLOY", "nova", "mid"))
    assert (await session.find(asked)).voice_id == found


async def test_names_in_a_mix_are_known_by_their_ids() -> None:
    session = voices(await shelf_with("Ada", "Bob"))
    mixed = await session.find("mix:Ada=1,Bob=3")
    assert mixed.voice_id == "mix:id of Ada=0.25,id of Bob=0.75"
    assert session.forget("id of Bob")
    same = await session.find("mix:Ada=0.5,id of Ada=0.5")
    assert same.voice_id == "id of Ada"
