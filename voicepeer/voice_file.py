"""A saved voice as one file, to carry it between machines together with its consent."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta

from engines import atomic
from engines.api import Embedding, Voice, VoiceIncompatible
from voicepeer.core.errors import ClientError
from voicepeer.core.naming import MAX_NAME_CHARS, is_name, is_plain
from voicepeer.voice_store import (
    ConsentRecord,
    VoiceRecord,
    pack_embedding,
    unpack_embedding,
)

MAX_VOICE_FILE_BYTES = 16 * 1024 * 1024
SUFFIX = ".voice"
_FORMAT = 3
"""2 added the consent's id, 3 a digest."""

_READABLE = (1, 2, 3)
_MAGIC = b"voicepeer voice\n"


class VoiceFileInvalid(ClientError):
    """A file is not a voice that voicepeer exported, or it cannot be read."""

    code = "voice_file_invalid"


MAX_STATEMENT_CHARS = 40_000
"""Of a consent: a mix has one of each of its people."""

_MAX_WHO_CHARS = 2_000
_MAX_EMBEDDING_BYTES = 16 * 1024
_LEAST_DIMENSIONS = 16
"""Of a speaker embedding; known encoders have from 128 on."""

_LENGTH_TOLERANCE = 0.01
"""Embeddings are of length 1, and kept in single precision."""

_END_OF_TIME_S = 253_402_300_800.0
"""The year 10000: no calendar of Python's goes on."""

_CONSENT_IDS = re.compile(r"(?:[0-9A-Za-z_-]{1,64}(?: [0-9A-Za-z_-]{1,64}){0,31})?")
_VOICE_ID = re.compile(r"[0-9a-f]{32}")

_Moment: TypeAlias = Annotated[float, Meta(ge=0.0, lt=_END_OF_TIME_S)]
"""Unix seconds. What is not a number is in no range."""


class _Head(msgspec.Struct):
    format: int


class _Stored(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    format: int
    voice_id: str
    name: str
    voice: bytes
    embedding: Annotated[bytes, Meta(max_length=_MAX_EMBEDDING_BYTES)] | None
    consent_statement: Annotated[str, Meta(max_length=MAX_STATEMENT_CHARS)]
    consent_who: Annotated[str, Meta(max_length=_MAX_WHO_CHARS)]
    consent_when: _Moment
    consent_version: Annotated[int, Meta(ge=0, le=1_000_000)]
    created: _Moment
    quality: Annotated[float, Meta(ge=0.0, le=1.0)] | None
    consent_id: str = ""
    """In the service that exported it."""
    digest: bytes = b""
    """Finds damage (SHA-256 of the same with an empty one), and is no signature."""


_encoder = msgspec.msgpack.Encoder()
_read_head = msgspec.msgpack.Decoder(_Head).decode
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
    stored.digest = _digest(stored)
    return _MAGIC + _encoder.encode(stored)


def _digest(stored: _Stored) -> bytes:
    return hashlib.sha256(_encoder.encode(msgspec.structs.replace(stored, digest=b""))).digest()


def decode(data: bytes) -> VoiceRecord:
    """Read what ``encode`` wrote.

    Whoever has a file could have made it: what it says of the consent is taken from whoever
    brings it, like a statement in writing.

    Raises:
        VoiceFileInvalid: anything else, a damaged one, or one without consent.
    """
    if not data.startswith(_MAGIC):
        raise VoiceFileInvalid("this is not a voice file: `voicepeer voices export` makes them")
    try:
        found = _read_head(data[len(_MAGIC) :]).format
        if found not in _READABLE:
            raise VoiceFileInvalid(
                f"this voice file has format {found}, this version reads {_FORMAT} "
                "and before: update voicepeer"
            )
        return _record(_decoder.decode(data[len(_MAGIC) :]))
    except (msgspec.MsgspecError, VoiceIncompatible, ValueError, RecursionError) as error:
        raise VoiceFileInvalid("this voice file is damaged: export it again") from error


def _record(stored: _Stored) -> VoiceRecord:
    if not stored.consent_statement.strip():
        raise VoiceFileInvalid("this voice file carries no consent, so it is not taken in")
    if stored.format >= _FORMAT and stored.digest != _digest(stored):
        raise ValueError("the digest is of other contents")
    if not (_VOICE_ID.fullmatch(stored.voice_id) and _CONSENT_IDS.fullmatch(stored.consent_id)):
        raise ValueError("no id is like this")
    _check_texts(stored)
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
        embedding=_embedding(stored.embedding),
        quality=stored.quality,
        source="import",
    )


def _check_texts(stored: _Stored) -> None:
    """Raises ``VoiceFileInvalid`` for names and statements that are none."""
    if not (is_name(stored.name) and is_plain(stored.consent_who)):
        raise VoiceFileInvalid(
            f"the voice in this file or its speaker has a name of over {MAX_NAME_CHARS} "
            "characters, or of ones that cannot be printed: rename it where it was exported"
        )
    if not stored.name.strip():
        raise VoiceFileInvalid(
            "the voice in this file has no name: save it under one where it was exported"
        )
    if not stored.consent_who.strip():
        raise VoiceFileInvalid(
            "this voice file does not say who agreed to be cloned: record the consent with a name"
        )
    if not is_plain(stored.consent_statement.replace("\n", " ")):
        raise VoiceFileInvalid(
            "the statement of consent in this voice file has characters that cannot be printed: "
            "record the consent again"
        )


def _embedding(data: bytes | None) -> Embedding | None:
    embedding = unpack_embedding(data)
    if embedding is None:
        return None
    if not (embedding.size and np.isfinite(embedding).all()):
        raise ValueError("an embedding is of numbers")
    length = float(np.linalg.norm(embedding))
    if embedding.size < _LEAST_DIMENSIONS or abs(length - 1.0) > _LENGTH_TOLERANCE:
        raise VoiceFileInvalid(
            f"the speaker embedding in this voice file is none (length {length:.3g}, "
            f"{embedding.size} numbers): clone the voice again"
        )
    return embedding


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
