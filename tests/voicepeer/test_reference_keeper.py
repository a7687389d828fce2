"""Reference audio in either place: kept with its voice, gone with it, and moved from key to key."""

from __future__ import annotations

import asyncio
import io
import secrets
import time
import wave
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engines.api import Reference
from tests.voicepeer.test_consent_store import consent, voice_under
from tests.voicepeer.test_voice_store import NOW, record
from voicepeer import reference_retention
from voicepeer.config import Config, VoicesConfig
from voicepeer.core.errors import ConfigInvalid, VoiceNotFound
from voicepeer.reference_keeper import ReferenceKeeper, Rekeyed, keeper_of
from voicepeer.reference_seal import ReferenceKeyMissing, ReferenceKeys, ReferenceKeyWrong
from voicepeer.reference_store import ReferenceNotFound
from voicepeer.stores import Stores, in_file

pytestmark = pytest.mark.unit

FIRST, SECOND = secrets.token_bytes(32), secrets.token_bytes(32)
BEFORE = ReferenceKeys("first", {"first": FIRST})
AFTER = ReferenceKeys("second", {"second": SECOND, "first": FIRST})
ONLY_AFTER = ReferenceKeys("second", {"second": SECOND})


def speech(seed: int = 0) -> Reference:
    samples = np.random.default_rng(seed).uniform(-0.5, 0.5, 4_000).astype(np.float32)
    return Reference(samples, 16_000)


def kept(place: Stores, count: int) -> list[str]:
    """Ids of voices with references, sealed with the first key, in order."""
    keeper, ids = ReferenceKeeper(place.references, BEFORE), []
    for seed in range(count):
        made = record(seed=seed)
        place.voices.put(made)
        keeper.keep(made.voice_id, speech(seed))
        ids.append(made.voice_id)
    return sorted(ids)


def test_it_comes_back_as_a_wav_file(place: Stores) -> None:
    (voice_id,) = kept(place, 1)
    with wave.open(io.BytesIO(ReferenceKeeper(place.references, AFTER).wav(voice_id))) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16_000, 1, 2)
        heard = np.frombuffer(file.readframes(10_000), "<i2") / 32_768
    np.testing.assert_allclose(heard, speech().pcm, atol=1e-4)
    sealed = place.references.get(voice_id)
    assert (sealed.voice_id, sealed.key_id) == (voice_id, "first")


def test_a_voice_that_is_not_there_has_none(place: Stores) -> None:
    with pytest.raises(ReferenceNotFound):
        place.references.get("0" * 32)
    with pytest.raises(VoiceNotFound):
        place.references.put(BEFORE.seal("0" * 32, b"speech"))
    ReferenceKeeper(place.references, BEFORE).keep("0" * 32, speech())
    assert place.references.voice_ids() == []


@pytest.mark.parametrize("how", ["delete", "purge", "withdraw"])
def test_it_goes_with_its_voice(place: Stores, how: str) -> None:
    given = consent()
    place.consents.put(given)
    gone, stays = voice_under(given, expires=NOW + 1), record()
    for one in (gone, stays):
        place.voices.put(one)
        ReferenceKeeper(place.references, BEFORE).keep(one.voice_id, speech())
    if how == "delete":
        place.voices.delete(gone.voice_id)
    elif how == "purge":
        place.voices.purge(NOW + 1)
    else:
        place.consents.withdraw(given.consent_id)
    with pytest.raises(ReferenceNotFound):
        place.references.get(gone.voice_id)
    assert place.references.voice_ids() == [stays.voice_id]


def test_it_is_deleted_after_its_time_and_its_voice_stays(place: Stores) -> None:
    keeper = ReferenceKeeper(place.references, BEFORE)
    old, new, without = (replace(record(), created=NOW - age_s) for age_s in (60, 10, 60))
    for one in (old, new, without):
        place.voices.put(one)
    for one in (old, new):
        keeper.keep(one.voice_id, speech())
    assert reference_retention.purge(place, NOW - 30, NOW) == 1
    assert place.references.voice_ids() == [new.voice_id]
    with pytest.raises(ReferenceNotFound):
        place.references.get(old.voice_id)
    assert {one.voice_id for one in place.voices.summaries(NOW)} == {
        old.voice_id,
        new.voice_id,
        without.voice_id,
    }
    assert reference_retention.purge(place, NOW - 30, NOW) == 0
    assert not place.references.drop("0" * 32)
    keeper.keep(old.voice_id, speech())
    assert place.references.voice_ids() == sorted([old.voice_id, new.voice_id])


def test_of_what_is_deleted_no_byte_stays_in_the_file(tmp_path: Path) -> None:
    place = in_file(tmp_path / "voices.sqlite")
    (voice_id,) = kept(place, 1)
    needle = place.references.get(voice_id).sealed[100:200]
    assert place.references.drop(voice_id)
    for file in tmp_path.iterdir():
        assert needle not in file.read_bytes()


async def test_old_ones_are_deleted_while_a_service_runs(
    place: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference_retention, "LOOK_EVERY_S", 0.01)
    made = replace(record(), created=time.time() - 3 * 86_400)
    place.voices.put(made)
    ReferenceKeeper(place.references, BEFORE).keep(made.voice_id, speech())
    await reference_retention.keep_for(place, 0.0)
    for days, left in ((4.0, [made.voice_id]), (2.0, [])):
        keeping = asyncio.create_task(reference_retention.keep_for(place, days))
        async with asyncio.timeout(10):
            while place.references.voice_ids() != left:  # noqa: ASYNC110 - in a thread
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
        keeping.cancel()
        assert place.references.voice_ids() == left


def test_a_later_state_of_its_voice_leaves_it_there(place: Stores) -> None:
    made = record()
    place.voices.put(made)
    keeper = ReferenceKeeper(place.references, BEFORE)
    keeper.keep(made.voice_id, speech())
    place.voices.put(replace(made, name="Grace"))
    place.voices.rename(made.voice_id, "Hopper")
    before = keeper.wav(made.voice_id)
    keeper.keep(made.voice_id, speech(1))
    assert keeper.wav(made.voice_id) != before
    assert place.references.voice_ids() == [made.voice_id]


def test_keys_are_changed_and_the_old_one_is_needed_no_more(place: Stores) -> None:
    ids = kept(place, 3)
    audio = [ReferenceKeeper(place.references, BEFORE).wav(one) for one in ids]
    told: list[tuple[int, int]] = []
    keeper = ReferenceKeeper(place.references, AFTER)
    assert keeper.rekey(lambda done, of: told.append((done, of))) == Rekeyed(3, 0)
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert [ReferenceKeeper(place.references, ONLY_AFTER).wav(one) for one in ids] == audio
    assert keeper.rekey() == Rekeyed(0, 3)


def test_changing_keys_goes_on_where_it_was_interrupted(place: Stores) -> None:
    ids = kept(place, 4)

    def interrupt(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    keeper = ReferenceKeeper(place.references, AFTER)
    with pytest.raises(KeyboardInterrupt):
        keeper.rekey(interrupt)
    found = [place.references.get(one).key_id for one in ids]
    assert found == ["second", "second", "first", "first"]
    assert keeper.rekey() == Rekeyed(2, 2)


def test_what_cannot_be_opened_is_left_as_it_is(place: Stores) -> None:
    (voice_id,) = kept(place, 1)
    before = place.references.get(voice_id)
    keeper = ReferenceKeeper(place.references, ONLY_AFTER)
    with pytest.raises(ReferenceKeyMissing):
        keeper.wav(voice_id)
    (missing,) = keeper.rekey().refused
    assert "'first', which is not among those given" in missing
    mistaken = ReferenceKeys("second", {"second": SECOND, "first": SECOND})
    with pytest.raises(ReferenceKeyWrong):
        ReferenceKeeper(place.references, mistaken).wav(voice_id)
    (wrong,) = ReferenceKeeper(place.references, mistaken).rekey().refused
    assert "another key of the name 'first'" in wrong
    assert place.references.get(voice_id) == before


def test_one_that_is_damaged_holds_up_no_other(place: Stores) -> None:
    ids = kept(place, 3)
    whole = place.references.get(ids[1])
    place.references.put(replace(whole, sealed=whole.sealed[:-1] + b"?"))
    done = ReferenceKeeper(place.references, AFTER).rekey()
    assert (done.changed, done.current) == (2, 0)
    (told,) = done.refused
    assert ids[1] in told
    assert "is damaged" in told
    assert [place.references.get(one).key_id for one in ids] == ["second", "first", "second"]


def test_one_that_is_replaced_meanwhile_is_not_overwritten_by_the_older(place: Stores) -> None:
    (voice_id,) = kept(place, 1)
    before = place.references.get(voice_id)
    newer = BEFORE.seal(voice_id, b"newer speech")
    place.references.put(newer)
    assert not place.references.swap(before, AFTER.seal(voice_id, b"older speech"))
    assert place.references.get(voice_id) == newer


def test_it_is_kept_only_where_that_is_wanted_and_there_are_keys(
    place: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = Config(voices=VoicesConfig(keep_reference=True))
    assert keeper_of(Config(), place.references) is None
    with pytest.raises(ConfigInvalid, match="VOICEPEER_REFERENCE_KEYS"):
        keeper_of(wanted, place.references)
    monkeypatch.setenv("VOICEPEER_REFERENCE_KEYS", "k=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    assert keeper_of(Config(), place.references) is None
    keeper = keeper_of(wanted, place.references)
    assert keeper is not None
    assert keeper.keys.current == "k"
