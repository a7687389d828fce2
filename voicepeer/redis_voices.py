"""Voices in a Redis: ``stores.Voices``, as ``VoiceStore`` keeps them in a file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from engines.api import Voice
from voicepeer.owners import EVERYBODY, Owners
from voicepeer.redis_store import BATCH, MAX_DELETIONS, RedisStore
from voicepeer.voice_store import (
    UNUSED_CONSENT_S,
    ConsentRecord,
    VoiceAmbiguous,
    VoiceExists,
    VoiceRecord,
    VoiceSummary,
    consent_gone,
    none_called,
    not_found,
    pack_embedding,
    unpack_embedding,
)

_MOST_NAMED = 20
"""Ids of voices with one name that a message lists."""


class _About(msgspec.Struct, kw_only=True, frozen=True):
    """What is kept of a voice in one piece, because nothing changes it alone."""

    statement: str
    who: str
    when: float
    version: int
    consent_id: str
    key_id: str
    created: float
    expires: float | None
    quality: float | None
    source: str


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(_About).decode

_SUMMARY = ("name", "owner", "about")


@dataclass(frozen=True, slots=True)
class RedisVoices:
    """The voices of one Redis. What is raised is what ``stores.Voices`` says."""

    store: RedisStore

    def put(self, record: VoiceRecord, replace: bool = True, consented: bool = False) -> None:
        """See ``VoiceStore.put``."""
        voice = fields_of(record)
        answer = self.store.write("put", voice=voice, replace=replace, consented=consented)
        if answer == b"withdrawn":
            raise consent_gone()
        check_new(answer, record.voice_id)

    def get(self, voice_id: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """See ``VoiceStore.get``."""
        found = self._get(voice_id, now, owners)
        if found is None:
            raise not_found(voice_id)
        return found

    def find(self, key: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """See ``VoiceStore.find``."""
        if found := self._get(key, now, owners):
            return found
        questions = [
            ("SMEMBERS", self.store.key("named", f"{scope}:{key}")) for scope in scopes(owners)
        ]
        ids = {one.decode() for answer in self.store.ask_for_all(questions) for one in answer}
        named = [one for one in self._summaries(sorted(ids), now, owners) if one.name == key]
        if len(named) > 1:
            listed = ", ".join(one.voice_id for one in named[:_MOST_NAMED])
            raise VoiceAmbiguous(f"{len(named)} voices are called {key!r}, give an id: {listed}")
        found = self._get(named[0].voice_id, now, owners) if named else None
        if found is None:
            raise none_called(key)
        return found

    def records(self, now: float) -> list[VoiceRecord]:
        """See ``VoiceStore.records``."""
        ids = ids_of(self.store, "voices", EVERYBODY)
        found = (self._get(voice_id, now, EVERYBODY) for voice_id in ids)
        return sorted((one for one in found if one is not None), key=_newest_first)

    def summaries(self, now: float, owners: Owners = EVERYBODY) -> list[VoiceSummary]:
        """See ``VoiceStore.summaries``."""
        ids = ids_of(self.store, "voices", owners)
        return sorted(self._summaries(ids, now, owners), key=_newest_first)

    def delete(self, voice_id: str) -> None:
        """See ``VoiceStore.delete``."""
        answer = self.store.write("delete", voice_id=voice_id, most=MAX_DELETIONS)
        _check_found(answer, voice_id)

    def rename(self, voice_id: str, name: str, owners: Owners = EVERYBODY) -> None:
        """See ``VoiceStore.rename``."""
        answer = self.store.write("rename", voice_id=voice_id, name=name, **asked_by(owners))
        _check_found(answer, voice_id)

    def give(self, voice_id: str, owner: str) -> None:
        """See ``VoiceStore.give``."""
        _check_found(self.store.write("give", voice_id=voice_id, owner=owner), voice_id)

    def purge(self, now: float) -> int:
        """See ``VoiceStore.purge``. What has ended Redis itself has removed, but for its name."""
        unused, gone = repr(now - UNUSED_CONSENT_S), 0
        while True:
            answer: list[int] = self.store.write("purge", now=repr(now), unused=unused, most=BATCH)
            gone += answer[0]
            if max(answer) < BATCH:
                return gone

    def _get(self, voice_id: str, now: float, owners: Owners) -> VoiceRecord | None:
        names = (*_SUMMARY, "voice", "embedding")
        ((*head, voice, embedding),) = self.store.ask_for_all(
            [("HMGET", self.store.key("voice", voice_id), *names)]
        )
        about = _summary(voice_id, head, now, owners)
        if about is None:
            return None
        return VoiceRecord(
            voice_id=voice_id,
            name=about.name,
            voice=Voice.from_bytes(voice),
            consent=about.consent,
            created=about.created,
            expires=about.expires,
            embedding=unpack_embedding(embedding),
            quality=about.quality,
            source=about.source,
            owner=about.owner,
        )

    def _summaries(self, ids: list[str], now: float, owners: Owners) -> Iterator[VoiceSummary]:
        there = self.store.each("voice", ids, *_SUMMARY)
        found = (_summary(voice_id, fields, now, owners) for voice_id, fields in there)
        return (one for one in found if one is not None)


def scopes(owners: Owners) -> list[str]:
    """Names of the indexes that together hold all that somebody may see, and maybe more."""
    if owners.everybody:
        return ["*"]
    found = [f"={owner}" for owner in owners.exact]
    return [*found, f"/{owners.prefix.partition('/')[0]}"] if owners.prefix else found


def ids_of(store: RedisStore, index: str, owners: Owners) -> list[str]:
    """What an index has in these scopes, in order."""
    questions = [("ZRANGE", store.key(index, scope), 0, -1) for scope in scopes(owners)]
    answers = store.ask_for_all(questions)
    return sorted({one.decode() for answer in answers for one in answer})


def asked_by(owners: Owners) -> dict[str, Any]:
    """Whose it has to be, for the script."""
    return {"everybody": owners.everybody, "exact": owners.exact, "prefix": owners.prefix}


def fields_of(record: VoiceRecord) -> dict[str, Any]:
    """A voice as the script takes it."""
    consent, expires = record.consent, record.expires
    about = _About(
        statement=consent.statement,
        who=consent.who,
        when=consent.when,
        version=consent.version,
        consent_id=consent.consent_id,
        key_id=consent.key_id,
        created=record.created,
        expires=expires,
        quality=record.quality,
        source=record.source,
    )
    fields: dict[str, Any] = {
        "voice_id": record.voice_id,
        "name": record.name,
        "owner": record.owner,
        "consent_id": consent.consent_id,
        "created": repr(record.created),
        "about": _encode(about),
        "voice": record.voice.to_bytes(),
    }
    if record.embedding is not None:
        fields["embedding"] = pack_embedding(record.embedding)
    if expires is not None:
        fields |= {"expires": repr(expires), "expires_ms": str(math.ceil(expires * 1000))}
    return fields


def check_new(answer: bytes, voice_id: str) -> None:
    """Raises ``VoiceExists`` if that is the script's answer."""
    if answer == b"exists":
        raise VoiceExists(f"there is a voice {voice_id} already")


def _check_found(answer: bytes, voice_id: str) -> None:
    if answer == b"none":
        raise not_found(voice_id)


def _newest_first(voice: VoiceRecord | VoiceSummary) -> tuple[float, str]:
    return -voice.created, voice.voice_id


def _summary(
    voice_id: str, fields: list[bytes | None], now: float, owners: Owners
) -> VoiceSummary | None:
    """What is there of a voice, unless it is gone, has ended, or is somebody else's."""
    name, owner, packed = fields
    if name is None or owner is None or packed is None or not owners.includes(owner.decode()):
        return None
    about = _decode(packed)
    if about.expires is not None and about.expires <= now:
        return None
    consent = ConsentRecord(
        about.statement, about.who, about.when, about.version, about.consent_id, about.key_id
    )
    return VoiceSummary(
        voice_id=voice_id,
        name=name.decode(),
        consent=consent,
        created=about.created,
        expires=about.expires,
        quality=about.quality,
        source=about.source,
        owner=owner.decode(),
    )
