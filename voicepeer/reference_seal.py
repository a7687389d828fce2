"""Reference audio under lock and key: AES-256-GCM (NIST SP 800-38D), with keys that can be changed.

A sealed reference is bound to its voice: under the id of another, or of another key, it stays shut.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from voicepeer.core.errors import ConfigInvalid, VoicePeerError

VERSION = 1
KEY_BYTES = 32
_NONCE_BYTES = 12
_MARK_BYTES = 8
_HEAD_BYTES = 1 + _MARK_BYTES + _NONCE_BYTES
_KEY_ID = re.compile(r"[0-9A-Za-z_.-]{1,64}")
_HOW = (
    "write it as ID=KEY, with commas between several and the one to seal with first; "
    "`openssl rand -base64 32` makes a key"
)


class ReferenceKeyMissing(VoicePeerError):
    """A reference was sealed with a key that is not among those given."""

    code = "reference_key_missing"


class ReferenceKeyWrong(VoicePeerError):
    """A key has the name of the one that a reference was sealed with, and is another."""

    code = "reference_key_wrong"


class ReferenceTampered(VoicePeerError):
    """A sealed reference was changed, is damaged, or is another voice's."""

    code = "reference_tampered"


@dataclass(frozen=True, slots=True)
class SealedReference:
    """The reference audio of a voice, for nobody without the key."""

    voice_id: str
    key_id: str
    sealed: bytes
    """Version (1 byte), mark of the key (8), nonce (12), then the audio and its tag (16)."""

    @property
    def head(self) -> bytes:
        """What is another one whenever it is sealed again."""
        return self.sealed[:_HEAD_BYTES]


@dataclass(frozen=True, slots=True)
class ReferenceKeys:
    """Keys by their ids; new references are sealed with ``current``."""

    current: str
    keys: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def of(cls, text: str, source: str) -> ReferenceKeys:
        """Read ``ID=KEY,ID=KEY``, each key 32 bytes in base64; the first one is ``current``.

        Raises:
            ConfigInvalid: it is anything else; no key is quoted.
        """
        keys: dict[str, bytes] = {}
        for pair in filter(None, (one.strip() for one in text.split(","))):
            key_id, _, encoded = pair.partition("=")
            if not _KEY_ID.fullmatch(key_id) or key_id in keys:
                raise ConfigInvalid(f"an id of a key in {source} is none, or there twice: {_HOW}")
            try:
                key = base64.b64decode(encoded, validate=True)
            except ValueError:  # binascii.Error is one
                key = b""
            if len(key) != KEY_BYTES:
                raise ConfigInvalid(f"the key {key_id} in {source} is not of 32 bytes: {_HOW}")
            keys[key_id] = key
        if not keys:
            raise ConfigInvalid(f"there is no key in {source}: {_HOW}")
        return cls(next(iter(keys)), keys)

    def seal(self, voice_id: str, audio: bytes) -> SealedReference:
        """Lock a reference away."""
        key, nonce = self.keys[self.current], secrets.token_bytes(_NONCE_BYTES)
        locked = AESGCM(key).encrypt(nonce, audio, _bound_to(voice_id, self.current))
        head = bytes([VERSION]) + _mark(key) + nonce
        return SealedReference(voice_id, self.current, head + locked)

    def unseal(self, reference: SealedReference) -> bytes:
        """The audio of a reference.

        Raises:
            ReferenceKeyMissing: its key is not here.
            ReferenceKeyWrong: another key goes by the name of its key.
            ReferenceTampered: it is not what was sealed.
        """
        key_id, voice_id = reference.key_id, reference.voice_id
        key = self.keys.get(key_id)
        if key is None:
            raise ReferenceKeyMissing(
                f"the reference of {voice_id} was sealed with the key {key_id[:64]!r}, which is "
                "not among those given: add it behind the others"
            )
        version, mark, nonce = _taken_apart(reference.head)
        if version != VERSION or len(nonce) < _NONCE_BYTES:
            raise _tampered(voice_id)
        if mark != _mark(key):
            raise ReferenceKeyWrong(
                f"the reference of {voice_id} was sealed with another key of the name {key_id!r}: "
                "give the one that had this name before"
            )
        try:
            locked = reference.sealed[_HEAD_BYTES:]
            return AESGCM(key).decrypt(nonce, locked, _bound_to(voice_id, key_id))
        except InvalidTag as error:
            raise _tampered(voice_id) from error


def _taken_apart(head: bytes) -> tuple[int, bytes, bytes]:
    return (head[0] if head else 0), head[1 : 1 + _MARK_BYTES], head[1 + _MARK_BYTES :]


def _bound_to(voice_id: str, key_id: str) -> bytes:
    """Associated data: sealed for this voice, with this key, in this way."""
    return f"voicepeer reference {VERSION}\n{key_id}\n{voice_id}".encode()


def _mark(key: bytes) -> bytes:
    """Tells two keys apart, and nothing of either: they are random."""
    return hashlib.sha256(b"voicepeer reference key\n" + key).digest()[:_MARK_BYTES]


def _tampered(voice_id: str) -> ReferenceTampered:
    return ReferenceTampered(
        f"the reference of {voice_id} is damaged or was changed: restore it from a backup, or "
        "delete the voice"
    )
