"""A saved voice as one file, to carry it between machines together with its consent."""

from __future__ import annotations

from pathlib import Path

import msgspec

from engines import atomic
from engines.api import Voice, VoiceIncompatible
from voicepeer.core.errors import VoicePeerError
from voicepeer.voice_store import (
    ConsentRecord,
    VoiceRecord,
    pack_embedding,
    unpack_embedding,
)

MAX_VOICE_FILE_BYTES = 16 * 1024 * 1024
SUFFIX = ".voice"
_FORMAT = 2
"""2 added the consent's id, and nothing that a reader of 1 could understand."""

_READABLE = (1, 2)
_MAGIC = b"voicepeer voice\n"


class VoiceFileInvalid(VoicePeerError):
    """A file is not a voice that voicepeer exported, or it cannot be read."""

    code = "voice_file_invalid"


class _Stored(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    format: int
    voice_id: str
    name: str
    voice: bytes
    embedding: bytes | None
    consent_statement: str
    consent_who: str
    consent_when: float
    consent_version: int
    created: float
    quality: float | None
    consent_id: str = ""
    """In the service that exported it."""


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(_Stored)


def encode(record: VoiceRecord) -> bytes:
    """The contents of a voice file; when the voice would expire is left out."""
    consent = record.consent
    stored = _Stored(
        format=_FORMAT,
        voice_id=record.voice_id,
        name=record.name,
        voice=record.voice.to_bytes(),
        embedding=pack_embedding(record.embedding),
        consent_statement=consent.statement,
        consent_who=consent.who,
        consent_when=consent.when,
        consent_version=consent.version,
        created=record.created,
        quality=record.quality,
        consent_id=consent.consent_id,
    )
    return _MAGIC + _encoder.encode(stored)


def decode(data: bytes) -> VoiceRecord:
    """Read what ``encode`` wrote.

    Raises:
        VoiceFileInvalid: anything else, or a file without consent.
    """
    if not data.startswith(_MAGIC):
        raise VoiceFileInvalid("this is not a voice file: `voicepeer voices export` makes them")
    try:
        stored = _decoder.decode(data[len(_MAGIC) :])
        if stored.format not in _READABLE:
            raise VoiceFileInvalid(
                f"this voice file has format {stored.format}, this version reads {_FORMAT} "
                "and before: update voicepeer"
            )
        return _record(stored)
    except (msgspec.MsgspecError, VoiceIncompatible, ValueError) as error:
        raise VoiceFileInvalid("this voice file is damaged: export it again") from error


def _record(stored: _Stored) -> VoiceRecord:
    if not stored.consent_statement.strip() or len(stored.voice_id) != 32:
        raise VoiceFileInvalid("this voice file carries no consent, so it is not taken in")
    return VoiceRecord(
        voice_id=stored.voice_id,
        name=stored.name,
        voice=Voice.from_bytes(stored.voice),
        consent=ConsentRecord(
            statement=stored.consent_statement,
            who=stored.consent_who,
            when=stored.consent_when,
            version=stored.consent_version,
            consent_id=stored.consent_id,
        ),
        created=stored.created,
        embedding=unpack_embedding(stored.embedding),
        quality=stored.quality,
        source="import",
    )


def read(path: Path) -> VoiceRecord:
    """Read a voice file; raises ``VoiceFileInvalid``."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_VOICE_FILE_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise VoiceFileInvalid(f"{path} cannot be read: {reason}") from error
    if len(data) > MAX_VOICE_FILE_BYTES:
        raise VoiceFileInvalid(f"{path} is too large to be a voice file")
    return decode(data)


def write(path: Path, record: VoiceRecord) -> None:
    """Write a voice file for its owner only; raises ``OSError`` where that is not possible."""
    with atomic.writing(path) as file:
        file.write(encode(record))
