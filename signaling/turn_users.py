"""coturn's own SQLite database of users (its ``userdb``), in which the service adds and removes.

coturn looks a user up whenever a relay is opened, so whoever is removed opens none from then on.
It waits for no lock: with a rollback journal 4 % of 4,000 look-ups failed while somebody wrote as
often as they could, with a write-ahead log, which this switches on, none.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from signaling.ice_servers import DEFAULT_REALM, IceConfigInvalid, TurnCredentials
from signaling.sqlite_files import BUSY_TIMEOUT_S, make_private, switch_to_wal

_TABLES = """
    turn_users (realm varchar(127) default '', name varchar(512), hmackey char(128),
        PRIMARY KEY (realm, name));
    turn_secret (realm varchar(127) default '', value varchar(256), PRIMARY KEY (realm, value));
    allowed_peer_ip (realm varchar(127) default '', ip_range varchar(256),
        PRIMARY KEY (realm, ip_range));
    denied_peer_ip (realm varchar(127) default '', ip_range varchar(256),
        PRIMARY KEY (realm, ip_range));
    turn_origin_to_realm (origin varchar(127), realm varchar(127), PRIMARY KEY (origin));
    turn_realm_option (realm varchar(127) default '', opt varchar(32), value varchar(128),
        PRIMARY KEY (realm, opt));
    oauth_key (kid varchar(128), ikm_key varchar(256), timestamp bigint default 0,
        lifetime integer default 0, as_rs_alg varchar(64) default '', realm varchar(127),
        PRIMARY KEY (kid));
    admin_user (name varchar(32), realm varchar(127), password varchar(127), PRIMARY KEY (name))
"""
"""All that coturn 4.6 has. Those that are missing it would make when each of its threads first
looks a user up, and find nobody where somebody writes at that moment.

Only its users are in one of another name. coturn itself knows no expiry of them, so what it reads
as its table is a view of those that are good at that moment, whether or not anybody is there to
remove the others."""

_VIEW = """
    CREATE VIEW IF NOT EXISTS turnusers_lt AS SELECT realm, name, hmackey FROM turn_users
        WHERE NOT name GLOB '[0-9]*:*'
            OR CAST(name AS INTEGER) > CAST(strftime('%s', 'now') AS INTEGER)
"""
"""SQLite's cast takes the digits that a text begins with."""

_TRIGGERS = (
    """
    CREATE TRIGGER IF NOT EXISTS turnusers_lt_insert INSTEAD OF INSERT ON turnusers_lt BEGIN
        INSERT OR REPLACE INTO turn_users VALUES (NEW.realm, NEW.name, NEW.hmackey); END
    """,
    """
    CREATE TRIGGER IF NOT EXISTS turnusers_lt_delete INSTEAD OF DELETE ON turnusers_lt BEGIN
        DELETE FROM turn_users WHERE realm = OLD.realm AND name = OLD.name; END
    """,
)
"""For an operator's own users, by coturn's ``turnadmin``."""

_OURS = "realm = ? AND name GLOB '[0-9]*:*'"
"""An operator may have users of other names in the same file."""

_LATEST_S = 2.0**62
"""Later than every expiry."""


class TurnUsers:
    """The users of one realm, each a name and a key; every call blocks for a moment.

    Several services may share one file. What ended services have left there is removed by the
    first that is alone with it; ``keep`` are there from the beginning. Whoever else writes is
    waited for, ``busy_s`` at the most.

    Raises:
        IceConfigInvalid: the file cannot be used, and why.
    """

    def __init__(
        self,
        path: Path,
        realm: str = DEFAULT_REALM,
        keep: Iterable[TurnCredentials] = (),
        busy_s: float = BUSY_TIMEOUT_S,
    ) -> None:
        self._realm = realm
        with ExitStack() as opened, _explained(path):
            self._database = opened.enter_context(closing(_open_private(path, busy_s)))
            lock = Path(f"{path}.lock")
            self._lock = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
            opened.callback(os.close, self._lock)
            self._files = {file: _identity(file) for file in (path, lock)}
            self._begin(keep)
            self._opened = opened.pop_all()

    @classmethod
    def create(cls, path: Path) -> None:
        """Make a database that coturn and services can share; harmless where there is one.

        Raises:
            IceConfigInvalid: as ever.
        """
        with _explained(path):
            _open_private(path, BUSY_TIMEOUT_S).close()

    def _begin(self, keep: Iterable[TurnCredentials]) -> None:
        """Remove all of ours where no other service is running, which a lock of each shows."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            gone_s = float("inf")
        except BlockingIOError:
            gone_s = time.time()
        with self._database:
            self._remove_until(gone_s)
            self._add(keep)
        fcntl.flock(self._lock, fcntl.LOCK_SH)

    @property
    def in_place(self) -> bool:
        """Whether the files that are written are those that others find; they may be deleted.

        SQLite does not see that: it goes on to write a file that has no name any more.
        """
        return all(_identity(file) == known for file, known in self._files.items())

    def add(self, user: TurnCredentials, instead_of: Iterable[str] = ()) -> None:
        """Let a user open relays, and at the same moment others open no more."""
        with self._database:
            self._add([user])
            self._remove(instead_of)

    def _add(self, users: Iterable[TurnCredentials]) -> None:
        self._database.executemany(
            "INSERT OR REPLACE INTO turn_users VALUES (?, ?, ?)",
            [(self._realm, user.username, long_term_key(user, self._realm)) for user in users],
        )

    def remove(self, names: Iterable[str]) -> None:
        """Let users open no more relays; harmless for those that are not there."""
        with self._database:
            self._remove(names)

    def _remove(self, names: Iterable[str]) -> None:
        self._database.executemany(
            "DELETE FROM turn_users WHERE realm = ? AND name = ?",
            [(self._realm, name) for name in names],
        )

    def sweep(self, now_s: float) -> int:
        """Remove those whose names say that they have expired, of whatever service; how many."""
        with self._database:
            return self._remove_until(now_s)

    def _remove_until(self, now_s: float) -> int:
        gone = self._database.execute(
            f"DELETE FROM turn_users WHERE {_OURS} AND CAST(name AS INTEGER) <= ?",
            (self._realm, min(now_s, _LATEST_S)),
        )
        return gone.rowcount

    def names(self) -> list[str]:
        """All users of the realm, in order, with those that have expired but are not removed."""
        found = self._database.execute(
            "SELECT name FROM turn_users WHERE realm = ? ORDER BY name", (self._realm,)
        )
        return [name for (name,) in found]

    def close(self) -> None:
        """Leave the file to others."""
        self._opened.close()


def long_term_key(user: TurnCredentials, realm: str) -> str:
    """The key of long-term credentials in hexadecimal digits (RFC 8489 section 9.2.2)."""
    text = f"{user.username}:{realm}:{user.credential}"
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason = getattr(error, "strerror", None) or error
        raise IceConfigInvalid(
            f"the TURN database {path} cannot be used: {reason}; it is coturn's userdb, an SQLite "
            "file in a folder that both may write"
        ) from error


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file a path leads to now, if any."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open_private(path: Path, busy_s: float) -> sqlite3.Connection:
    """Open it, and make it what coturn and services can share."""
    make_private(path)
    # Used by one thread at a time, which need not be the one that opened it.
    database = sqlite3.connect(path, timeout=busy_s, check_same_thread=False)
    try:
        switch_to_wal(database)
        # Users need not outlive a loss of power, and keys are not to stay in free pages.
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA secure_delete = ON")
        with database:
            _make_tables(database)
    except BaseException:
        database.close()
        raise
    return database


def _make_tables(database: sqlite3.Connection) -> None:
    database.execute("BEGIN IMMEDIATE")
    for table in _TABLES.split(";"):
        database.execute(f"CREATE TABLE IF NOT EXISTS {table}")
    query = "SELECT type FROM sqlite_master WHERE name = 'turnusers_lt'"
    if database.execute(query).fetchone() == ("table",):  # coturn's own, with users perhaps
        database.execute("INSERT OR REPLACE INTO turn_users SELECT * FROM turnusers_lt")
        database.execute("DROP TABLE turnusers_lt")
    for statement in (_VIEW, *_TRIGGERS):
        database.execute(statement)
