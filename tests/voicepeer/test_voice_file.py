"""Voice files: what comes back, and what a stranger's file may not do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import Voice
from voicepeer import voice_file
from voicepeer.voice_file import VoiceFileInvalid, decode, encode
from voicepeer.voice_store import ConsentRecord, VoiceRecord

pytestmark = pytest.mark.unit

RECORD = VoiceRecord(
    voice_id="0123456789abcdef" * 2,
    name="Ada",
    voice=Voice("fake", "1", {"style": np.arange(8, dtype=np.float32)}),
    consent=ConsentRecord("I agree.", "Ada", 1.5, consent_id="cons_1"),
    created=2.5,
    expires=300.0,
    embedding=np.full(4, 0.5, dtype=np.float32),
    quality=0.5,
    source="call 1",
)


def test_a_voice_travels_with_its_consent_and_without_its_expiry() -> None:
    back = decode(encode(RECORD))
    assert back.consent == RECORD.consent
    assert (back.voice_id, back.name, back.created, back.quality) == (
        RECORD.voice_id,
        "Ada",
        2.5,
        0.5,
    )
    assert (back.expires, back.source) == (None, "import")
    assert back.voice.to_bytes() == RECORD.voice.to_bytes()
    np.testing.assert_array_equal(back.embedding, RECORD.embedding)


def test_files_of_the_first_format_are_read_still() -> None:
    data = encode(RECORD)
    fields = msgspec.msgpack.decode(data.removeprefix(b"voicepeer voice\n"))
    del fields["consent_id"]
    first = b"voicepeer voice\n" + msgspec.msgpack.encode(fields | {"format": 1})
    assert decode(first).consent == replace(RECORD.consent, consent_id="")


def test_a_voice_without_embedding_travels_too() -> None:
    assert decode(encode(replace(RECORD, embedding=None))).embedding is None


@pytest.mark.parametrize("statement", ["", "  \n"])
def test_a_voice_without_consent_is_not_taken_in(statement: str) -> None:
    consent = ConsentRecord(statement, "Ada", 1.5)
    with pytest.raises(VoiceFileInvalid, match="consent"):
        decode(encode(replace(RECORD, consent=consent)))


@pytest.mark.parametrize("data", [b"", b"RIFF", b"PK\x03\x04", b"voicepeer voic"])
def test_other_files_are_told_from_voice_files(data: bytes) -> None:
    with pytest.raises(VoiceFileInvalid, match="not a voice file"):
        decode(data)


@given(st.integers(0, len(encode(RECORD)) - 1))
def test_a_cut_file_is_damaged(length: int) -> None:
    with pytest.raises(VoiceFileInvalid):
        decode(encode(RECORD)[:length])


@given(st.integers(16, len(encode(RECORD)) - 1), st.integers(1, 255))
def test_a_changed_byte_gives_a_record_or_the_documented_error(at: int, change: int) -> None:
    data = bytearray(encode(RECORD))
    data[at] ^= change
    try:
        decoded = decode(bytes(data))
    except VoiceFileInvalid:
        return
    assert isinstance(decoded, VoiceRecord)


@given(st.binary(max_size=200))
def test_any_bytes_after_the_magic_give_the_documented_error(data: bytes) -> None:
    with pytest.raises(VoiceFileInvalid):
        decode(b"voicepeer voice\n" + data)


def test_a_later_format_asks_for_an_update() -> None:
    data = encode(RECORD).replace(b"\xa6format\x02", b"\xa6format\x03")
    with pytest.raises(VoiceFileInvalid, match="update voicepeer"):
        decode(data)


def test_reading_explains_a_missing_and_a_huge_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(VoiceFileInvalid, match="cannot be read"):
        voice_file.read(tmp_path / "none.voice")
    path = tmp_path / "a.voice"
    path.write_bytes(encode(RECORD))
    assert voice_file.read(path).name == "Ada"
    monkeypatch.setattr(voice_file, "MAX_VOICE_FILE_BYTES", 100)
    with pytest.raises(VoiceFileInvalid, match="too large"):
        voice_file.read(path)
