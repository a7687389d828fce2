"""Voice files: what comes back, and what a stranger's file may not do."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

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
    embedding=np.full(64, 0.125, dtype=np.float32),
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


def fields_of(data: bytes) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.msgpack.decode(data.removeprefix(b"voicepeer voice\n"))
    return fields


def file_of(fields: dict[str, Any]) -> bytes:
    """A file that holds together: whoever can write one can write its digest."""
    fields = {**fields, "digest": b""} if "digest" in fields else fields
    body = msgspec.msgpack.encode(fields)
    if "digest" in fields:
        body = msgspec.msgpack.encode(fields | {"digest": hashlib.sha256(body).digest()})
    return b"voicepeer voice\n" + body


def test_files_of_earlier_formats_are_read_still() -> None:
    data = encode(RECORD)
    fields = fields_of(data)
    del fields["digest"]
    assert decode(file_of(fields | {"format": 2})).consent == RECORD.consent
    del fields["consent_id"]
    assert decode(file_of(fields | {"format": 1})).consent == replace(RECORD.consent, consent_id="")


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
def test_a_changed_byte_is_found_wherever_it_is(at: int, change: int) -> None:
    data = bytearray(encode(RECORD))
    data[at] ^= change
    with pytest.raises(VoiceFileInvalid):
        decode(bytes(data))


@pytest.mark.parametrize(
    "forged",
    [
        {"name": "x" * 101},
        {"name": "\x1b]0;title\x07"},
        {"name": "a\nb"},
        {"name": "\u202eadA"},
        {"consent_who": "x" * 2_001},
        {"consent_who": "\x1b[2J"},
        {"consent_statement": "x" * 40_001},
        {"consent_when": math.inf},
        {"consent_when": -math.inf},
        {"consent_when": math.nan},
        {"consent_when": 1e12},
        {"consent_when": -1.0},
        {"consent_version": 2**64 - 1},
        {"consent_version": -1},
        {"created": math.nan},
        {"created": 1e300},
        {"quality": math.nan},
        {"quality": 1.5},
        {"embedding": np.full(64, np.nan, "<f4").tobytes()},
        {"embedding": b""},
        {"embedding": b"123"},
        {"embedding": bytes(1_000_000)},
        {"voice_id": "../" * 10 + "xx"},
        {"consent_id": "x" * 65},
        {"consent_id": "a\tb"},
        {"unknown": 1},
    ],
    ids=str,
)
def test_a_file_with_what_no_voice_has_is_refused(forged: dict[str, Any]) -> None:
    fields = fields_of(encode(RECORD))
    assert decode(file_of(fields)).name == "Ada"
    with pytest.raises(VoiceFileInvalid) as caught:
        decode(file_of(fields | forged))
    assert len(str(caught.value)) < 200
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("forged", "message"),
    [
        ({"name": ""}, "has no name"),
        ({"name": " \u3000"}, "cannot be printed|has no name"),
        ({"consent_who": ""}, "does not say who agreed"),
        ({"consent_who": "  "}, "does not say who agreed"),
        ({"consent_statement": "I agree\x1b[2J"}, "statement of consent .* cannot be printed"),
        ({"consent_statement": "I agree\x00"}, "statement of consent .* cannot be printed"),
        ({"embedding": np.zeros(64, "<f4").tobytes()}, r"embedding .* is none \(length 0, 64"),
        ({"embedding": np.ones(1, "<f4").tobytes()}, r"embedding .* is none \(length 1, 1 n"),
        ({"embedding": np.ones(64, "<f4").tobytes()}, r"embedding .* is none \(length 8, 64"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_no_service_writes_is_refused_with_its_own_reason(
    forged: dict[str, Any], message: str
) -> None:
    with pytest.raises(VoiceFileInvalid, match=message):
        decode(file_of(fields_of(encode(RECORD)) | forged))


def test_the_statements_of_a_mix_stand_in_lines() -> None:
    both = ConsentRecord("I agree.\nSo do I.", "Ada and Bob", 1.5)
    assert decode(encode(replace(RECORD, consent=both))).consent == both


@pytest.mark.parametrize("name", ["Łódź 3", "क्‍ष", "👩\u200d🚀"])
def test_any_name_that_can_be_printed_travels(name: str) -> None:
    assert decode(encode(replace(RECORD, name=name))).name == name


@given(st.binary(max_size=200))
def test_any_bytes_after_the_magic_give_the_documented_error(data: bytes) -> None:
    with pytest.raises(VoiceFileInvalid):
        decode(b"voicepeer voice\n" + data)


def test_a_file_that_is_nested_without_end_is_damaged() -> None:
    nested = b"\x82\xa6format\x03\xa1x" + b"\x91" * 100_000 + b"\xc0"
    with pytest.raises(VoiceFileInvalid, match="damaged"):
        decode(b"voicepeer voice\n" + nested)


def test_a_later_format_asks_for_an_update() -> None:
    data = encode(RECORD).replace(b"\xa6format\x03", b"\xa6format\x04")
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
