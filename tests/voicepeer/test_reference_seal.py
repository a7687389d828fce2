"""Reference audio opens with its own key, for its own voice, as it was, and in no other way."""

from __future__ import annotations

import base64
import secrets
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.errors import ConfigInvalid
from voicepeer.reference_seal import (
    ReferenceKeyMissing,
    ReferenceKeys,
    ReferenceKeyWrong,
    ReferenceTampered,
)

pytestmark = pytest.mark.unit

OLD, NEW = secrets.token_bytes(32), secrets.token_bytes(32)
KEYS = ReferenceKeys("new", {"new": NEW, "old": OLD})


def text(key: bytes) -> str:
    return base64.b64encode(key).decode()


@given(st.binary(max_size=5_000), st.text(max_size=40))
def test_what_was_sealed_opens_and_is_never_the_same_twice(audio: bytes, voice_id: str) -> None:
    first, second = KEYS.seal(voice_id, audio), KEYS.seal(voice_id, audio)
    assert KEYS.unseal(first) == KEYS.unseal(second) == audio
    assert first.sealed != second.sealed
    assert first.head != second.head
    assert len(audio) < 8 or audio not in first.sealed


def test_a_key_that_was_current_opens_what_it_sealed() -> None:
    before = ReferenceKeys("old", {"old": OLD}).seal("v", b"speech")
    assert KEYS.unseal(before) == b"speech"
    assert KEYS.seal("v", b"speech").key_id == "new"


def test_a_key_that_is_not_there_is_named() -> None:
    sealed = KEYS.seal("v", b"speech")
    with pytest.raises(ReferenceKeyMissing, match="'new'"):
        ReferenceKeys("old", {"old": OLD}).unseal(sealed)


def test_another_key_of_the_same_name_is_told_from_tampering() -> None:
    sealed = KEYS.seal("v", b"speech")
    with pytest.raises(ReferenceKeyWrong, match="another key of the name 'new'"):
        ReferenceKeys("new", {"new": OLD}).unseal(sealed)


@given(st.data())
def test_whatever_is_changed_does_not_open(data: st.DataObject) -> None:
    sealed = KEYS.seal("v", b"the speech of somebody")
    at = data.draw(st.integers(0, len(sealed.sealed) - 1))
    bit = 1 << data.draw(st.integers(0, 7))
    changed = bytearray(sealed.sealed)
    changed[at] ^= bit
    with pytest.raises((ReferenceTampered, ReferenceKeyWrong)):
        KEYS.unseal(replace(sealed, sealed=bytes(changed)))
    cut = data.draw(st.integers(0, len(changed) - 1))
    with pytest.raises((ReferenceTampered, ReferenceKeyWrong)):
        KEYS.unseal(replace(sealed, sealed=sealed.sealed[:cut]))


def test_it_does_not_open_for_another_voice_or_under_another_name_of_the_key() -> None:
    sealed = KEYS.seal("v", b"speech")
    with pytest.raises(ReferenceTampered):
        KEYS.unseal(replace(sealed, voice_id="w"))
    twin = ReferenceKeys("twin", {"twin": NEW})
    with pytest.raises(ReferenceTampered):
        twin.unseal(replace(sealed, key_id="twin"))


def test_keys_are_read_the_first_of_them_for_sealing() -> None:
    read = ReferenceKeys.of(f" new={text(NEW)} , old={text(OLD)},", "X")
    assert (read.current, dict(read.keys)) == ("new", dict(KEYS.keys))
    assert text(NEW)[:8] not in repr(read)


@pytest.mark.parametrize(
    "wrong",
    ["", ",", "new", f"={text(NEW)}", f"new={text(NEW)}x", f"new={text(NEW[:16])}",
     f"a={text(NEW)},a={text(OLD)}", f"a b={text(NEW)}", "new=§§", f"{'x' * 65}={text(NEW)}"],
)  # fmt: skip
def test_what_are_no_keys_is_refused_and_not_quoted(wrong: str) -> None:
    with pytest.raises(ConfigInvalid, match="openssl rand -base64 32") as caught:
        ReferenceKeys.of(wrong, "SOME_SETTING")
    assert text(NEW)[:8] not in str(caught.value)
