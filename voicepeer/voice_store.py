"""Voices that outlive a call, in one SQLite file: the voice, its consent, and when it ends.

Time is an argument: Unix seconds.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from engines.api import Embedding, Voice
from signaling.principal import ANONYMOUS_KEY
from voicepeer.core.errors import (
    ClientError,
    ConsentNotFound,
    StoreUnavailable,
    VoiceNotFound,
)
from voicepeer.database import VoiceStoreUnavailable, connection, empty_log, reading
from voicepeer.owners import EVERYBODY, Owners

if TYPE_CHECKING:
    from voicepeer.stores import Voices

logger = logging.getLogger(__name__)

T = TypeVar("T")

CONSENT_VERSION = 1
"""Raised when what a speaker is asked to agree to changes."""

_COLUMNS = (
    "voice_id, name, voice, embedding, consent_statement, consent_version, consent_who, "
    "consent_when, created, expires, quality, source, owner, consent_id, consent_key"
)
_WITHOUT_VOICE = _COLUMNS.replace("voice, embedding, ", "")

UNUSED_CONSENT_S = 3600.0
"""How long the consent of a live microphone is kept that no voice came of."""


def under(consent_id: str) -> str:
    """SQL: whether a voice was made under a consent, be it one of several."""
    return f"instr(' ' || voices.consent_id || ' ', ' ' || {consent_id} || ' ')"


_FORGET_CONSENTS = (
    "DELETE FROM consents WHERE kind IN ('live', 'clone', 'import') AND NOT EXISTS "
    f"(SELECT 1 FROM voices WHERE {under('consents.consent_id')}) AND "
)
"""Those that came with a voice, and whose voice is gone; an end of the condition has to follow."""


class VoiceAmbiguous(ClientError):
    """Several saved voices have this name; one has to be called by its id."""

    code = "voice_ambiguous"


class VoiceExists(ClientError):
    """A voice with this id is there already."""

    code = "voice_exists"


@dataclass(frozen=True, slots=True)
class ConsentRecord:
    """Who agreed to what, and when (Unix seconds)."""

    statement: str
    who: str
    when: float
    version: int = CONSENT_VERSION
    consent_id: str = ""
    """Of the record in ``consent_store``, for a mix several with spaces between them; empty while
    there is none yet."""
    key_id: str = ""
    """Of the key that it was given through; empty on the command line."""


@dataclass(frozen=True, slots=True)
class VoiceRecord:
    """A voice as it is kept; times are Unix seconds, ``expires`` ``None`` is for good."""

    voice_id: str
    name: str
    voice: Voice
    consent: ConsentRecord
    created: float
    expires: float | None = None
    embedding: Embedding | None = None
    quality: float | None = None
    """Of the recording, 0 to 1."""
    source: str = ""
    """How it came to be: ``call <session id>``, ``file <name>``, ``upload`` or ``import``."""
    owner: str = ANONYMOUS_KEY
    """Who may use it, as ``Principal.owner``; services without keys have one owner."""


@dataclass(frozen=True, slots=True)
class VoiceSummary:
    """What can be told of a voice without reading it."""

    voice_id: str
    name: str
    consent: ConsentRecord
    created: float
    expires: float | None
    quality: float | None
    source: str
    owner: str


def new_voice_id() -> str:
    """A random 128-bit id, 32 hexadecimal digits."""
    return secrets.token_hex(16)


def pack_embedding(embedding: Embedding | None) -> bytes | None:
    """An embedding as it is stored: little-endian float32."""
    return None if embedding is None else np.asarray(embedding, dtype="<f4").tobytes()


def unpack_embedding(data: bytes | None) -> Embedding | None:
    """What ``pack_embedding`` was given; raises ``ValueError`` for a broken length."""
    return None if data is None else np.frombuffer(data, dtype="<f4").astype(np.float32)


class VoiceStore:
    """The synchronous store; every call opens and closes its own connection.

    All methods raise ``VoiceStoreUnusable`` where the database cannot be used. Voices of others
    than ``owners`` are as if they were not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, record: VoiceRecord, replace: bool = True, consented: bool = False) -> None:
        """Keep a voice, in place of an earlier one with its id.

        Args:
            record: what to keep.
            replace: whether there may be an earlier one.
            consented: whether the consent has to be on record still.

        Raises:
            VoiceExists: it would replace one although ``replace`` is false.
            ConsentNotFound: the consent was withdrawn.
        """
        with connection(self.path) as opened, opened:
            keep(opened, record, replace, consented)

    def get(self, voice_id: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """The voice with this id; raises ``VoiceNotFound``, also for one that has expired."""
        found = self._select("voice_id = ?", (voice_id,), now, owners)
        if not found:
            raise not_found(voice_id)
        return found[0]

    def find(self, key: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """The voice with this id or else this name.

        Raises:
            VoiceNotFound: there is none.
            VoiceAmbiguous: the name belongs to several.
        """
        found = self._select("voice_id = ?", (key,), now, owners)
        found = found or self._select("name = ?", (key,), now, owners)
        if not found:
            raise none_called(key)
        if len(found) > 1:
            ids = ", ".join(record.voice_id for record in found)
            raise VoiceAmbiguous(f"{len(found)} voices are called {key!r}, give an id: {ids}")
        return found[0]

    def records(self, now: float) -> list[VoiceRecord]:
        """All voices that have not expired, the newest first."""
        return self._select("TRUE", (), now, EVERYBODY)

    def summaries(self, now: float, owners: Owners = EVERYBODY) -> list[VoiceSummary]:
        """The same without the voices themselves."""
        query, values = _query(_WITHOUT_VOICE, "TRUE", (), now, owners)
        with reading(self.path) as opened:
            return [_summary(row) for row in opened.execute(query, values)]

    def delete(self, voice_id: str) -> None:
        """Remove a voice for good, its bytes too; raises ``VoiceNotFound``.

        A consent that was given for this voice alone goes with it.
        """
        with connection(self.path) as opened:
            with opened:
                gone = opened.execute(
                    "DELETE FROM voices WHERE voice_id = ? RETURNING consent_id", (voice_id,)
                ).fetchall()
                for consent_id in (one for (ids,) in gone for one in ids.split()):
                    # No others: of a live microphone's consent the voice is yet to come.
                    opened.execute(f"{_FORGET_CONSENTS} consent_id = ?", (consent_id,))
            if not gone:
                raise not_found(voice_id)
            empty_log(opened)

    def rename(self, voice_id: str, name: str, owners: Owners = EVERYBODY) -> None:
        """Call a voice something else; raises ``VoiceNotFound``, and brings none back."""
        condition, values = owners.condition()
        query = f"UPDATE voices SET name = ? WHERE voice_id = ? AND {condition}"
        with connection(self.path) as opened, opened:
            if not opened.execute(query, (name, voice_id, *values)).rowcount:
                raise not_found(voice_id)

    def give(self, voice_id: str, owner: str) -> None:
        """Make a voice and its consent somebody else's; raises ``VoiceNotFound``."""
        with connection(self.path) as opened, opened:
            changed = opened.execute(
                "UPDATE voices SET owner = ? WHERE voice_id = ?", (owner, voice_id)
            )
            if changed.rowcount == 0:
                raise not_found(voice_id)
            opened.execute(
                "UPDATE consents SET owner = ? WHERE consent_id IN "
                "(SELECT consent_id FROM voices WHERE voice_id = ?)",
                (owner, voice_id),
            )

    def purge(self, now: float) -> int:
        """Remove what has expired, its bytes too; how many voices that was."""
        with connection(self.path) as opened:
            with opened:
                gone = opened.execute("DELETE FROM voices WHERE expires <= ?", (now,))
                also = opened.execute(f"{_FORGET_CONSENTS} given <= ?", (now - UNUSED_CONSENT_S,))
            if gone.rowcount or also.rowcount:
                empty_log(opened)
            return gone.rowcount

    def _select(
        self, where: str, values: tuple[Any, ...], now: float, owners: Owners
    ) -> list[VoiceRecord]:
        query, values = _query(_COLUMNS, where, values, now, owners)
        with reading(self.path) as opened:
            return [_from_row(row) for row in opened.execute(query, values)]


def keep(opened: sqlite3.Connection, record: VoiceRecord, replace: bool, consented: bool) -> None:
    """Do what ``VoiceStore.put`` says within a transaction."""
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    row = _to_row(record)
    # In one statement, so that no withdrawal comes between the look and the leap.
    query = (
        f"{verb} INTO voices ({_COLUMNS}) SELECT {', '.join('?' * len(row))} WHERE NOT ? OR "
        "EXISTS (SELECT 1 FROM consents WHERE consent_id = ?)"
    )
    try:
        kept = opened.execute(query, (*row, consented, record.consent.consent_id)).rowcount
    except sqlite3.IntegrityError as error:
        raise VoiceExists(f"there is a voice {record.voice_id} already") from error
    if not kept:
        raise consent_gone()


def none_called(key: str) -> VoiceNotFound:
    """No voice has this id or name."""
    return VoiceNotFound(
        f"no saved voice is called {key[:64]!r}: GET /v1/audio/voices shows a list of all, and on "
        "the machine of the service 'voicepeer voices list' does"
    )


def not_found(voice_id: str) -> VoiceNotFound:
    """What is raised where there is no such voice."""
    return VoiceNotFound(f"there is no saved voice {voice_id[:64]!r}")


def consent_gone() -> ConsentNotFound:
    """What is raised where the consent that a voice is to be kept under is not on record."""
    return ConsentNotFound(
        "the consent to this voice is not on record any more, because it was withdrawn or what was "
        "kept is lost: nothing was kept, give consent again"
    )


def _query(
    columns: str, where: str, values: tuple[Any, ...], now: float, owners: Owners
) -> tuple[str, tuple[Any, ...]]:
    condition, names = owners.condition()
    query = (
        f"SELECT {columns} FROM voices WHERE ({where}) AND {condition}"
        " AND (expires IS NULL OR expires > ?) ORDER BY created DESC, voice_id"
    )
    return query, (*values, *names, now)


def _to_row(record: VoiceRecord) -> tuple[Any, ...]:
    consent = record.consent
    return (
        record.voice_id,
        record.name,
        record.voice.to_bytes(),
        pack_embedding(record.embedding),
        consent.statement,
        consent.version,
        consent.who,
        consent.when,
        record.created,
        record.expires,
        record.quality,
        record.source,
        record.owner,
        consent.consent_id,
        consent.key_id,
    )


def _from_row(row: tuple[Any, ...]) -> VoiceRecord:
    about = _summary((*row[:2], *row[4:]))
    return VoiceRecord(
        voice_id=about.voice_id,
        name=about.name,
        voice=Voice.from_bytes(row[2]),
        embedding=unpack_embedding(row[3]),
        consent=about.consent,
        created=about.created,
        expires=about.expires,
        quality=about.quality,
        source=about.source,
        owner=about.owner,
    )


def _summary(row: tuple[Any, ...]) -> VoiceSummary:
    voice_id, name, statement, version, who, when, *others, consent_id, key_id = row
    created, expires, quality, source, owner = others
    consent = ConsentRecord(statement, who, when, version, consent_id, key_id)
    return VoiceSummary(voice_id, name, consent, created, expires, quality, source, owner)


class AsyncVoiceStore:
    """The same store for an event loop: each call runs in a thread."""

    def __init__(self, store: Voices) -> None:
        self._store = store

    async def put(self, record: VoiceRecord, replace: bool = True, consented: bool = False) -> None:
        """See ``VoiceStore.put``."""
        await in_thread(self._store.put, record, replace, consented)

    async def get(self, voice_id: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """See ``VoiceStore.get``."""
        return await in_thread(self._store.get, voice_id, now, owners)

    async def find(self, key: str, now: float, owners: Owners = EVERYBODY) -> VoiceRecord:
        """See ``VoiceStore.find``."""
        return await in_thread(self._store.find, key, now, owners)

    async def records(self, now: float) -> list[VoiceRecord]:
        """See ``VoiceStore.records``."""
        return await in_thread(self._store.records, now)

    async def summaries(self, now: float, owners: Owners = EVERYBODY) -> list[VoiceSummary]:
        """See ``VoiceStore.summaries``."""
        return await in_thread(self._store.summaries, now, owners)

    async def rename(self, voice_id: str, name: str, owners: Owners = EVERYBODY) -> None:
        """See ``VoiceStore.rename``."""
        await in_thread(self._store.rename, voice_id, name, owners)

    async def delete(self, voice_id: str) -> None:
        """See ``VoiceStore.delete``."""
        await in_thread(self._store.delete, voice_id)

    async def purge(self, now: float) -> int:
        """See ``VoiceStore.purge``."""
        return await in_thread(self._store.purge, now)


async def in_thread(work: Callable[..., T], *arguments: Any) -> T:  # noqa: ANN401
    """Ask a store without holding up the loop, for a client of the service.

    Raises:
        StoreUnavailable: it cannot be reached, which has been logged.
    """
    try:
        return await asyncio.to_thread(work, *arguments)
    except VoiceStoreUnavailable as error:
        if isinstance(error.__cause__, sqlite3.Error | OSError):
            logger.warning("%s", error)  # of a Redis it is told once that it is lost
        raise StoreUnavailable from error
