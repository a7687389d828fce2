"""Consents to be cloned, in the same SQLite file as the voices made under them."""

from __future__ import annotations

import secrets
import sqlite3
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from engines.api import Embedding, Voice, VoiceIncompatible
from signaling.principal import ANONYMOUS_KEY
from voicepeer.core.errors import ConsentNotFound, ConsentWithdrawn
from voicepeer.database import connection, empty_log, reading
from voicepeer.owners import EVERYBODY, Owners
from voicepeer.voice_store import (
    CONSENT_VERSION,
    ConsentRecord,
    VoiceRecord,
    in_thread,
    keep,
    pack_embedding,
    under,
    unpack_embedding,
)

if TYPE_CHECKING:
    from voicepeer.stores import Consents

ConsentKind: TypeAlias = Literal["statement", "recording", "live", "clone", "import"]
"""In writing, spoken, for the microphone of a call, on the command line with a recording, or come
with a voice file. The latter three are forgotten with their voice, the others when somebody
withdraws them."""

_COLUMNS = (
    "consent_id, owner, name, language, kind, statement, version, given, key_id, embedding, "
    "words_checked, origin"
)


def new_consent_id() -> str:
    """A random 128-bit id behind a prefix that tells what it is of."""
    return f"cons_{secrets.token_hex(16)}"


@dataclass(frozen=True, slots=True)
class Consent:
    """Who agreed to what, when (Unix seconds), and through which key.

    ``embedding`` is of the voice that spoke the consent, ``words_checked`` whether the phrase was
    heard; ``None`` is not known.
    """

    consent_id: str
    name: str
    """Of the speaker."""
    statement: str
    given: float
    owner: str = ANONYMOUS_KEY
    kind: ConsentKind = "statement"
    language: str = "en-US"
    version: int = CONSENT_VERSION
    key_id: str = ""
    embedding: Embedding | None = None
    words_checked: bool | None = None
    origin: str = ""
    """Of one that came with a voice file: its id where the file was made, for a mix several."""

    @property
    def record(self) -> ConsentRecord:
        """What a voice remembers of it."""
        return ConsentRecord(
            self.statement, self.name, self.given, self.version, self.consent_id, self.key_id
        )


def owned_copy(record: VoiceRecord, owner: str, key_id: str = "") -> tuple[VoiceRecord, Consent]:
    """A voice that came as a file, as somebody's own, and a record of the consent it carries."""
    given = record.consent
    consent = Consent(
        consent_id=new_consent_id(),
        name=given.who,
        statement=given.statement,
        given=given.when,
        owner=owner,
        kind="import",
        language="und",
        version=given.version,
        key_id=key_id,
        origin=given.consent_id,
    )
    return replace(record, owner=owner, consent=consent.record), consent


class ConsentStore:
    """The synchronous store; every call opens and closes its own connection.

    All methods raise ``VoiceStoreUnusable`` where the database cannot be used. Consents of others
    than ``owners`` are as if they were not there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, consent: Consent) -> None:
        """Keep a consent, in place of an earlier state of it."""
        with connection(self.path) as opened, opened:
            _insert(opened, consent)

    def take_in(self, record: VoiceRecord, consent: Consent, replace: bool = True) -> None:
        """Keep a voice that came as a file, and its consent; both or neither.

        Raises:
            ConsentWithdrawn: the consent in the file was withdrawn here.
            VoiceExists: it would replace one although ``replace`` is false.
        """
        with connection(self.path) as opened, opened:
            _insert(opened, consent)  # writes, so that no withdrawal comes after the look
            for origin in consent.origin.split():
                query = "SELECT 1 FROM withdrawals WHERE consent_id = ?"
                if opened.execute(query, (origin,)).fetchone():
                    raise withdrawn_file()
            keep(opened, record, replace, consented=True)

    def get(self, consent_id: str, owners: Owners = EVERYBODY) -> Consent:
        """The consent with this id; raises ``ConsentNotFound``."""
        found = self._select("consent_id = ?", (consent_id,), owners)
        if not found:
            raise not_found(consent_id)
        return found[0]

    def consents(self, owners: Owners = EVERYBODY) -> list[Consent]:
        """All consents, the newest first."""
        return self._select("TRUE", (), owners)

    def rename(self, consent_id: str, name: str, owners: Owners = EVERYBODY) -> None:
        """Label a consent anew; raises ``ConsentNotFound``, and brings none back."""
        condition, values = owners.condition()
        query = f"UPDATE consents SET name = ? WHERE consent_id = ? AND {condition}"
        with connection(self.path) as opened, opened:
            if not opened.execute(query, (name, consent_id, *values)).rowcount:
                raise not_found(consent_id)

    def withdraw(self, consent_id: str) -> dict[str, Voice | None]:
        """Remove a consent and the voices made under it, their bytes too; harmless if gone.

        A mix goes with the consent of any of its people, and a copy that was exported and taken
        in again with the consent that it was made under. None of them is taken in any more.

        Gives those voices by their ids, so that whoever has them in memory can be told; ``None``
        for one that cannot be read.
        """
        with connection(self.path) as opened:
            with opened:
                gone = [row for one in _ended(opened, consent_id) for row in _remove(opened, one)]
            empty_log(opened)
        return {voice_id: readable(data) for voice_id, data in sorted(gone)}

    def withdrawn(self) -> list[str]:
        """Ids of all consents that were withdrawn, for good."""
        with reading(self.path) as opened:
            return [one for (one,) in opened.execute("SELECT consent_id FROM withdrawals")]

    def _select(self, where: str, values: tuple[Any, ...], owners: Owners) -> list[Consent]:
        condition, names = owners.condition()
        query = (
            f"SELECT {_COLUMNS} FROM consents WHERE ({where}) AND {condition}"
            " ORDER BY given DESC, consent_id"
        )
        with reading(self.path) as opened:
            return [_from_row(row) for row in opened.execute(query, (*values, *names))]


def _insert(opened: sqlite3.Connection, consent: Consent) -> None:
    row = _to_row(consent)
    marks = ", ".join("?" * len(row))
    opened.execute(f"INSERT OR REPLACE INTO consents ({_COLUMNS}) VALUES ({marks})", row)


_COPIES = """
    WITH RECURSIVE ended (consent_id) AS (
        VALUES (?)
        UNION
        SELECT consents.consent_id FROM consents JOIN ended
        ON instr(' ' || consents.origin || ' ', ' ' || ended.consent_id || ' ')
    )
    SELECT consent_id FROM ended
"""
"""A consent, and those that came of it by export and import, over any number of steps."""


def _ended(opened: sqlite3.Connection, consent_id: str) -> list[str]:
    """All consents that end with this one; where there are any, it is noted that they have."""
    found = opened.execute("SELECT origin FROM consents WHERE consent_id = ?", (consent_id,))
    for (origin,) in found.fetchall():
        # The file it came from would bring it back, unless that consent is on record here itself.
        for one in origin.split():
            opened.execute(
                "INSERT OR IGNORE INTO withdrawals SELECT ? WHERE NOT EXISTS "
                "(SELECT 1 FROM consents WHERE consent_id = ?)",
                (one, one),
            )
    ended = [one for (one,) in opened.execute(_COPIES, (consent_id,))]
    opened.executemany("INSERT OR IGNORE INTO withdrawals VALUES (?)", [(one,) for one in ended])
    return ended


def _remove(opened: sqlite3.Connection, consent_id: str) -> list[tuple[str, bytes]]:
    opened.execute("DELETE FROM consents WHERE consent_id = ?", (consent_id,))
    query = f"DELETE FROM voices WHERE {under('?')} RETURNING voice_id, voice"
    return opened.execute(query, (consent_id,)).fetchall()


def readable(data: bytes) -> Voice | None:
    """A voice that is about to be forgotten, if it can be read."""
    try:
        return Voice.from_bytes(data)
    except VoiceIncompatible:
        return None


def not_found(consent_id: str) -> ConsentNotFound:
    """What is raised where there is no such consent."""
    return ConsentNotFound(
        f"there is no consent {consent_id[:64]!r}: it was withdrawn, or never recorded"
    )


def withdrawn_file() -> ConsentWithdrawn:
    """What is raised where a voice file brings a consent that was withdrawn."""
    return ConsentWithdrawn(
        "the consent in this file was withdrawn: its voice is not taken in again"
    )


def _to_row(consent: Consent) -> tuple[Any, ...]:
    checked = consent.words_checked
    return (
        consent.consent_id,
        consent.owner,
        consent.name,
        consent.language,
        consent.kind,
        consent.statement,
        consent.version,
        consent.given,
        consent.key_id,
        pack_embedding(consent.embedding),
        None if checked is None else int(checked),
        consent.origin,
    )


def _from_row(row: tuple[Any, ...]) -> Consent:
    return Consent(
        consent_id=row[0],
        owner=row[1],
        name=row[2],
        language=row[3],
        kind=row[4],
        statement=row[5],
        version=row[6],
        given=row[7],
        key_id=row[8],
        embedding=unpack_embedding(row[9]),
        words_checked=None if row[10] is None else bool(row[10]),
        origin=row[11],
    )


class AsyncConsentStore:
    """The same store for an event loop: each call runs in a thread."""

    def __init__(self, store: Consents) -> None:
        self._store = store

    async def put(self, consent: Consent) -> None:
        """See ``ConsentStore.put``."""
        await in_thread(self._store.put, consent)

    async def take_in(self, record: VoiceRecord, consent: Consent) -> None:
        """See ``ConsentStore.take_in``."""
        await in_thread(self._store.take_in, record, consent)

    async def get(self, consent_id: str, owners: Owners = EVERYBODY) -> Consent:
        """See ``ConsentStore.get``."""
        return await in_thread(self._store.get, consent_id, owners)

    async def consents(self, owners: Owners = EVERYBODY) -> list[Consent]:
        """See ``ConsentStore.consents``."""
        return await in_thread(self._store.consents, owners)

    async def rename(self, consent_id: str, name: str, owners: Owners = EVERYBODY) -> None:
        """See ``ConsentStore.rename``."""
        await in_thread(self._store.rename, consent_id, name, owners)

    async def withdraw(self, consent_id: str) -> dict[str, Voice | None]:
        """See ``ConsentStore.withdraw``."""
        return await in_thread(self._store.withdraw, consent_id)
