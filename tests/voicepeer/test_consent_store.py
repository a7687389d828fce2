"""Consents in a real SQLite file, and what becomes of voices without them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from signaling.principal import Principal
from tests.voicepeer.test_voice_store import NOW, bytes_on_disk, record
from voicepeer.consent_store import (
    AsyncConsentStore,
    Consent,
    ConsentKind,
    new_consent_id,
    owned_copy,
)
from voicepeer.core.errors import ConsentNotFound, ConsentWithdrawn, VoiceNotFound
from voicepeer.owners import owned_by
from voicepeer.stores import Consents, Stores, Voices
from voicepeer.voice_store import (
    UNUSED_CONSENT_S,
    VoiceExists,
    VoiceRecord,
    VoiceStore,
    new_voice_id,
)

pytestmark = pytest.mark.unit

ADA, BOB = Principal("key-a"), Principal("key-b")


def consent(kind: ConsentKind = "statement", owner: str = "key-a") -> Consent:
    return Consent(
        consent_id=new_consent_id(),
        name="Ada",
        statement="I am Ada and agree to be cloned.",
        given=NOW - 10,
        owner=owner,
        kind=kind,
        language="de-DE",
        version=3,
        key_id="key-a",
    )


@pytest.fixture
def voices(place: Stores) -> Voices:
    return place.voices


@pytest.fixture
def consents(place: Stores) -> Consents:
    return place.consents


def voice_under(given: Consent, **changes: object) -> VoiceRecord:
    return replace(record(), consent=given.record, **changes)  # type: ignore[arg-type]


def test_a_consent_comes_back_as_it_was(consents: Consents) -> None:
    spoken = replace(
        consent("recording"), embedding=np.arange(8, dtype=np.float32), words_checked=False
    )
    for kept in (consent(), spoken):
        consents.put(kept)
        found = consents.get(kept.consent_id)
        assert replace(found, embedding=None) == replace(kept, embedding=None)
        if kept.embedding is not None:
            np.testing.assert_array_equal(found.embedding, kept.embedding)


def test_a_voice_remembers_its_consent(voices: Voices, consents: Consents) -> None:
    given = consent()
    consents.put(given)
    kept = voice_under(given, owner="key-a")
    voices.put(kept)
    found = voices.get(kept.voice_id, NOW)
    assert found.consent == given.record
    assert (found.consent.consent_id, found.consent.key_id) == (given.consent_id, "key-a")
    assert [one.consent for one in voices.summaries(NOW)] == [given.record]


def test_others_find_neither_voice_nor_consent(voices: Voices, consents: Consents) -> None:
    given = consent()
    consents.put(given)
    kept = voice_under(given, owner="key-a")
    voices.put(kept)
    assert consents.get(given.consent_id, owned_by(ADA)).name == "Ada"
    assert voices.find("Ada", NOW, owned_by(ADA)).voice_id == kept.voice_id
    with pytest.raises(ConsentNotFound):
        consents.get(given.consent_id, owned_by(BOB))
    with pytest.raises(VoiceNotFound):
        voices.find("Ada", NOW, owned_by(BOB))
    with pytest.raises(VoiceNotFound):
        voices.get(kept.voice_id, NOW, owned_by(BOB))
    assert voices.summaries(NOW, owned_by(BOB)) == []
    assert consents.consents(owned_by(BOB)) == []


def test_a_consent_is_renamed_by_its_owner_and_never_brought_back(consents: Consents) -> None:
    given = consent()
    consents.put(given)
    consents.rename(given.consent_id, "Ada's", owned_by(ADA))
    assert consents.get(given.consent_id) == replace(given, name="Ada's")
    with pytest.raises(ConsentNotFound):
        consents.rename(given.consent_id, "mine", owned_by(BOB))
    consents.withdraw(given.consent_id)
    with pytest.raises(ConsentNotFound):
        consents.rename(given.consent_id, "again")
    assert consents.consents() == []


def test_withdrawing_removes_the_voices_and_every_byte(voices: Voices, consents: Consents) -> None:
    given, other = replace(consent(), statement="Withdrawable " * 9), consent()
    consents.put(given)
    consents.put(other)
    gone = [voice_under(given), voice_under(given)]
    stays = voice_under(other)
    for one in (*gone, stays):
        voices.put(one)
    told = consents.withdraw(given.consent_id)
    assert sorted(told) == sorted(one.voice_id for one in gone)
    assert all(voice is not None for voice in told.values())
    assert [one.voice_id for one in voices.summaries(NOW)] == [stays.voice_id]
    assert [one.consent_id for one in consents.consents()] == [other.consent_id]
    if isinstance(voices, VoiceStore):
        assert b"Withdrawable" not in bytes_on_disk(voices)
    assert consents.withdraw(given.consent_id) == {}


def test_no_voice_is_kept_under_a_consent_that_was_withdrawn(
    voices: Voices, consents: Consents
) -> None:
    given = consent()
    consents.put(given)
    early, late = voice_under(given), voice_under(given)
    voices.put(early, consented=True)
    consents.withdraw(given.consent_id)
    with pytest.raises(ConsentNotFound, match="withdrawn"):
        voices.put(late, consented=True)
    with pytest.raises(ConsentNotFound):
        voices.put(early, consented=True)
    assert voices.records(NOW) == []


@pytest.mark.parametrize(
    ("kind", "stays"),
    [("statement", True), ("recording", True), ("live", False), ("import", False)],
)
def test_a_consent_for_one_voice_goes_with_it(
    voices: Voices, consents: Consents, kind: ConsentKind, stays: bool
) -> None:
    given = consent(kind)
    consents.put(given)
    kept, twin = voice_under(given), voice_under(given)
    voices.put(kept)
    voices.put(twin)
    voices.delete(kept.voice_id)
    assert len(consents.consents()) == 1
    voices.delete(twin.voice_id)
    assert len(consents.consents()) == stays


def test_the_consent_of_a_call_waits_for_its_voice(voices: Voices, consents: Consents) -> None:
    consents.put(consent("live"))
    voices.purge(NOW)
    assert len(consents.consents()) == 1
    voices.purge(NOW + UNUSED_CONSENT_S)
    assert consents.consents() == []


def test_an_expired_voice_takes_its_consent_along(voices: Voices, consents: Consents) -> None:
    given = replace(consent("live"), given=NOW - UNUSED_CONSENT_S)
    consents.put(given)
    voices.put(voice_under(given, expires=NOW + 300))
    assert voices.purge(NOW + 299) == 0
    assert len(consents.consents()) == 1
    assert voices.purge(NOW + 300) == 1
    assert consents.consents() == []


def test_a_voice_can_be_given_to_another_owner(voices: Voices, consents: Consents) -> None:
    given = consent()
    consents.put(given)
    kept = voice_under(given, owner="key-a")
    voices.put(kept)
    voices.give(kept.voice_id, BOB.owner)
    assert voices.get(kept.voice_id, NOW, owned_by(BOB)).name == "Ada"
    assert consents.get(given.consent_id, owned_by(BOB)).name == "Ada"
    with pytest.raises(VoiceNotFound):
        voices.get(kept.voice_id, NOW, owned_by(ADA))
    with pytest.raises(VoiceNotFound):
        voices.give("0" * 32, BOB.owner)


async def test_the_async_store_does_the_same(consents: Consents) -> None:
    asynchronous, kept = AsyncConsentStore(consents), consent()
    await asynchronous.put(kept)
    assert await asynchronous.get(kept.consent_id) == kept
    assert await asynchronous.consents(owned_by(ADA)) == [kept]
    assert await asynchronous.withdraw(kept.consent_id) == {}
    with pytest.raises(ConsentNotFound):
        await asynchronous.get(kept.consent_id)


def taken_in(consents: Consents, exported: VoiceRecord, owner: str = "key-b") -> VoiceRecord:
    copy, given = owned_copy(replace(exported, voice_id=new_voice_id()), owner)
    consents.take_in(copy, given)
    return copy


def test_a_voice_under_a_withdrawn_consent_is_not_taken_in_again(
    voices: Voices, consents: Consents
) -> None:
    given = consent()
    consents.put(given)
    exported = voice_under(given)
    voices.put(exported)
    consents.withdraw(given.consent_id)
    for owner in ("key-a", "key-b"):
        with pytest.raises(ConsentWithdrawn):
            taken_in(consents, exported, owner)
    assert (voices.records(NOW), consents.consents()) == ([], [])


def test_copies_of_a_voice_go_with_the_consent_that_it_was_made_under(
    voices: Voices, consents: Consents
) -> None:
    given, other = consent(), consent()
    for one in (given, other):
        consents.put(one)
        voices.put(voice_under(one))
    copy = taken_in(consents, voice_under(given))
    copy_of_copy = taken_in(consents, copy, "key-c")
    mixed = voice_under(given)
    both = f"{other.consent_id} {given.consent_id}"
    mix = taken_in(consents, replace(mixed, consent=replace(mixed.consent, consent_id=both)))
    told = consents.withdraw(given.consent_id)
    assert {copy.voice_id, copy_of_copy.voice_id, mix.voice_id} < set(told)
    assert [one.consent.consent_id for one in voices.records(NOW)] == [other.consent_id]
    assert consents.consents() == [other]
    for gone in (copy, copy_of_copy, mix):
        with pytest.raises(ConsentWithdrawn):
            taken_in(consents, gone)


def test_withdrawing_a_copy_ends_the_file_it_came_from_but_not_the_original(
    voices: Voices, consents: Consents
) -> None:
    elsewhere, here = voice_under(consent()), consent()
    consents.withdraw(taken_in(consents, elsewhere).consent.consent_id)
    with pytest.raises(ConsentWithdrawn):
        taken_in(consents, elsewhere)
    consents.put(here)
    original = voice_under(here)
    voices.put(original)
    consents.withdraw(taken_in(consents, original).consent.consent_id)
    assert [one.voice_id for one in voices.records(NOW)] == [original.voice_id]
    taken_in(consents, original)


def test_a_voice_that_was_only_deleted_may_come_back(voices: Voices, consents: Consents) -> None:
    given = consent("clone")
    consents.put(given)
    exported = voice_under(given)
    voices.put(exported)
    voices.delete(exported.voice_id)
    assert voices.get(taken_in(consents, exported).voice_id, NOW).name == exported.name


def test_a_voice_is_taken_in_with_its_consent_or_not_at_all(
    voices: Voices, consents: Consents
) -> None:
    copy, given = owned_copy(record(), "key-a")
    voices.put(copy)
    with pytest.raises(VoiceExists):
        consents.take_in(copy, given, replace=False)
    assert consents.consents() == []


def test_deleting_a_voice_leaves_the_consents_of_others_that_have_no_voice_yet(
    voices: Voices, consents: Consents
) -> None:
    """They are of microphones that are being listened to."""
    mine, theirs = consent("live"), consent("live", "key-b")
    consents.put(mine)
    consents.put(theirs)
    made = voice_under(mine)
    voices.put(made, consented=True)
    voices.delete(made.voice_id)
    assert consents.consents() == [theirs]
    voices.put(voice_under(theirs, owner="key-b"), consented=True)
