"""Consents in a Redis: ``stores.Consents``, as ``ConsentStore`` keeps them in a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import msgspec

from engines.api import Voice
from voicepeer.consent_store import Consent, ConsentKind, not_found, readable, withdrawn_file
from voicepeer.owners import EVERYBODY, Owners
from voicepeer.redis_store import MAX_DELETIONS, RedisStore
from voicepeer.redis_voices import asked_by, check_new, fields_of, ids_of
from voicepeer.voice_store import VoiceRecord, pack_embedding, unpack_embedding


class _About(msgspec.Struct, kw_only=True, frozen=True):
    """What is kept of a consent in one piece, because nothing changes it alone."""

    statement: str
    given: float
    kind: str
    language: str
    version: int
    key_id: str
    embedding: bytes | None
    words_checked: bool | None
    origin: str


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_About).decode


@dataclass(frozen=True, slots=True)
class RedisConsents:
    """The consents of one Redis. What is raised is what ``stores.Consents`` says."""

    store: RedisStore

    def put(self, consent: Consent) -> None:
        """See ``ConsentStore.put``."""
        self.store.write("put_consent", consent=_fields(consent))

    def take_in(self, record: VoiceRecord, consent: Consent, replace: bool = True) -> None:
        """See ``ConsentStore.take_in``."""
        answer = self.store.write(
            "take_in", voice=fields_of(record), consent=_fields(consent), replace=replace
        )
        if answer == b"withdrawn":
            raise withdrawn_file()
        check_new(answer, record.voice_id)

    def get(self, consent_id: str, owners: Owners = EVERYBODY) -> Consent:
        """See ``ConsentStore.get``."""
        found = self._load([consent_id], owners)
        if not found:
            raise not_found(consent_id)
        return found[0]

    def consents(self, owners: Owners = EVERYBODY) -> list[Consent]:
        """See ``ConsentStore.consents``."""
        found = self._load(ids_of(self.store, "consents", owners), owners)
        return sorted(found, key=lambda one: (-one.given, one.consent_id))

    def rename(self, consent_id: str, name: str, owners: Owners = EVERYBODY) -> None:
        """See ``ConsentStore.rename``."""
        asked = asked_by(owners)
        answer = self.store.write("rename_consent", consent_id=consent_id, name=name, **asked)
        if answer == b"none":
            raise not_found(consent_id)

    def withdraw(self, consent_id: str) -> dict[str, Voice | None]:
        """See ``ConsentStore.withdraw``."""
        gone = self.store.write("withdraw", consent_id=consent_id, most=MAX_DELETIONS)
        pairs = zip(gone[::2], gone[1::2], strict=True)
        return {voice_id.decode(): readable(data) for voice_id, data in sorted(pairs)}

    def withdrawn(self) -> list[str]:
        """See ``ConsentStore.withdrawn``."""
        (found,) = self.store.ask_for_all([("SMEMBERS", self.store.key("withdrawn"))])
        return sorted(one.decode() for one in found)

    def _load(self, ids: list[str], owners: Owners) -> list[Consent]:
        there = self.store.each("consent", ids, "name", "owner", "about")
        found = (_consent(consent_id, fields) for consent_id, fields in there)
        return [one for one in found if one is not None and owners.includes(one.owner)]


def _fields(consent: Consent) -> dict[str, Any]:
    about = _About(
        statement=consent.statement,
        given=consent.given,
        kind=consent.kind,
        language=consent.language,
        version=consent.version,
        key_id=consent.key_id,
        embedding=pack_embedding(consent.embedding),
        words_checked=consent.words_checked,
        origin=consent.origin,
    )
    return {
        "consent_id": consent.consent_id,
        "name": consent.name,
        "owner": consent.owner,
        "about": _encode(about),
        "kind": consent.kind,
        "given": repr(consent.given),
        "origin": consent.origin,
    }


def _consent(consent_id: str, fields: list[bytes | None]) -> Consent | None:
    name, owner, packed = fields
    if name is None or owner is None or packed is None:
        return None
    about = _decode(packed)
    return Consent(
        consent_id=consent_id,
        name=name.decode(),
        statement=about.statement,
        given=about.given,
        owner=owner.decode(),
        kind=cast(ConsentKind, about.kind),
        language=about.language,
        version=about.version,
        key_id=about.key_id,
        embedding=unpack_embedding(about.embedding),
        words_checked=about.words_checked,
        origin=about.origin,
    )
