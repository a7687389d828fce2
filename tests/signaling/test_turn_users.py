"""coturn's database of users, as the service writes it."""

from __future__ import annotations

import hashlib
import sqlite3
import stat
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from signaling.ice_servers import IceConfigInvalid, TurnCredentials
from signaling.turn_users import TurnUsers, long_term_key

pytestmark = pytest.mark.unit

ADA = TurnCredentials("2000000000:ada@lobby", "secret-of-ada")
BOB = TurnCredentials("2000000000:bob@lobby", "secret-of-bob")


def rows(path: Path) -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT * FROM turnusers_lt ORDER BY name").fetchall()


def test_a_user_is_a_row_as_coturn_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "turn.sqlite"
    with closing(TurnUsers(path, "example")) as users:
        users.add(ADA)
        digest = hashlib.md5(b"2000000000:ada@lobby:example:secret-of-ada").hexdigest()
        assert rows(path) == [("example", ADA.username, digest)]
        assert b"secret-of-ada" not in path.read_bytes()


def test_the_key_is_that_of_the_standard() -> None:
    # As by: printf 'user:realm:pass' | md5sum, the example of RFC 8489 section 9.2.2.
    user = TurnCredentials("user", "pass")
    assert long_term_key(user, "realm") == "8493fbc53ba582fb4c044c456bdc40eb"


def test_who_is_removed_is_gone_and_others_are_not(tmp_path: Path) -> None:
    with closing(TurnUsers(tmp_path / "turn.sqlite")) as users:
        users.add(ADA)
        users.add(ADA)
        users.add(BOB)
        users.remove([ADA.username, "9:nobody"])
        assert users.names() == [BOB.username]


def test_what_has_expired_is_swept_but_no_user_of_the_operator(tmp_path: Path) -> None:
    path = tmp_path / "turn.sqlite"
    with closing(TurnUsers(path)) as users, closing(TurnUsers(path, "another")) as others:
        for name in ("100:early@a", "200:late@a", "operator", "99-bottles"):
            users.add(TurnCredentials(name, "x"))
        others.add(TurnCredentials("100:early@a", "x"))
        assert users.sweep(150.0) == 1
        assert users.names() == ["200:late@a", "99-bottles", "operator"]
        assert others.names() == ["100:early@a"]


def test_a_service_that_died_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "turn.sqlite"
    died = TurnUsers(path)
    died.add(ADA)
    died.add(TurnCredentials("operator", "x"))
    died.close()  # as the kernel closes files of whoever is killed: without a word to anybody
    with closing(TurnUsers(path)) as users:
        assert users.names() == ["operator"]


def test_a_second_service_leaves_the_users_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "turn.sqlite"
    with closing(TurnUsers(path)) as first:
        first.add(ADA)
        first.add(TurnCredentials(f"{int(time.time()) - 5}:expired@a", "x"))
        with closing(TurnUsers(path)) as second:
            assert second.names() == [ADA.username]
            second.add(BOB)
        with closing(TurnUsers(path)) as third:
            assert third.names() == [ADA.username, BOB.username]


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "new" / "turn.sqlite"
    with closing(TurnUsers(path)) as users:
        users.add(ADA)
        files = list(path.parent.iterdir())
        assert len(files) >= 3, "the database, its log and its lock"
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_readers_do_not_wait_for_writers(tmp_path: Path) -> None:
    """coturn does not: it takes a database that is busy for one without the user."""
    path = tmp_path / "turn.sqlite"
    over = threading.Event()
    with closing(TurnUsers(path)) as users:
        users.add(ADA)

        def write() -> None:
            while not over.is_set():
                users.add(BOB)
                users.remove([BOB.username])

        writer = threading.Thread(target=write)
        writer.start()
        try:
            with closing(sqlite3.connect(path, timeout=0)) as reader:
                query = "SELECT hmackey FROM turnusers_lt WHERE name = ?"
                for _ in range(2_000):
                    assert reader.execute(query, (ADA.username,)).fetchone() is not None
        finally:
            over.set()
            writer.join()


def test_making_one_keeps_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "turn.sqlite"
    TurnUsers.create(path)
    with closing(TurnUsers(path)) as users:
        users.add(ADA)
        TurnUsers.create(path)
        assert users.names() == [ADA.username]


def test_a_file_that_is_no_database_is_told_of(tmp_path: Path) -> None:
    path = tmp_path / "turn.sqlite"
    path.write_text("no database at all, " * 100)
    for attempt in (TurnUsers, TurnUsers.create):
        with pytest.raises(IceConfigInvalid, match=r"turn\.sqlite.*not a database"):
            attempt(path)
    with pytest.raises(IceConfigInvalid, match="cannot be used"):
        TurnUsers(tmp_path)


def test_one_takes_the_place_of_others_at_once(tmp_path: Path) -> None:
    with closing(TurnUsers(tmp_path / "turn.sqlite")) as users:
        users.add(ADA)
        users.add(BOB, instead_of=[ADA.username, "9:nobody"])
        assert users.names() == [BOB.username]


def test_whoever_is_kept_is_there_from_the_beginning(tmp_path: Path) -> None:
    path = tmp_path / "turn.sqlite"
    died = TurnUsers(path)
    died.add(ADA)
    died.close()
    with closing(TurnUsers(path, keep=[BOB])) as users:
        assert users.names() == [BOB.username]
        with closing(TurnUsers(path, keep=[ADA])):
            assert users.names() == [ADA.username, BOB.username], "of two services"


@pytest.mark.parametrize("name", ["turn.sqlite", "turn.sqlite.lock"])
def test_a_file_that_was_deleted_or_replaced_is_noticed(tmp_path: Path, name: str) -> None:
    path, one = tmp_path / "turn.sqlite", tmp_path / name
    with closing(TurnUsers(path)) as users:
        users.add(ADA)
        assert users.in_place
        one.rename(tmp_path / "away")
        assert not users.in_place
        one.write_bytes(b"")
        assert not users.in_place
    (tmp_path / "away").rename(one)
    with closing(TurnUsers(path)) as users:
        assert users.in_place


def test_no_longer_than_it_is_told_does_it_wait_for_others(tmp_path: Path) -> None:
    path = tmp_path / "turn.sqlite"
    with closing(TurnUsers(path, busy_s=0.1)) as users, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        began_s = time.monotonic()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            users.add(ADA)
        assert time.monotonic() - began_s < 3.0
        other.rollback()
        users.add(ADA)


def test_who_has_expired_is_not_seen_by_coturn_though_nobody_removes_them(tmp_path: Path) -> None:
    """As where a service was killed and does not come back."""
    path, soon = tmp_path / "turn.sqlite", TurnCredentials(f"{int(time.time()) + 1}:ada@a", "x")
    with closing(TurnUsers(path, "example")) as users:
        for user in (soon, BOB, TurnCredentials("operator", "x"), TurnCredentials("1-of-us", "x")):
            users.add(user)
    assert soon.username in {name for _, name, _ in rows(path)}
    time.sleep(1.1)
    assert [name for _, name, _ in rows(path)] == ["1-of-us", BOB.username, "operator"]


def test_users_of_coturns_own_table_are_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "turn.sqlite"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE turnusers_lt (realm varchar(127) default '', name varchar(512), "
            "hmackey char(128), PRIMARY KEY (realm, name))"
        )
        database.execute("INSERT INTO turnusers_lt VALUES ('voicepeer', 'operator', 'key')")
    for _ in range(2):
        TurnUsers.create(path)
        assert rows(path) == [("voicepeer", "operator", "key")]


def test_what_is_written_to_coturns_table_is_written(tmp_path: Path) -> None:
    """By the statements of ``turnadmin`` 4.6.1, with which operators keep users of their own."""
    path = tmp_path / "turn.sqlite"
    TurnUsers.create(path)
    with closing(sqlite3.connect(path)) as database, database:
        for key in ("old", "new"):
            statement = (
                "INSERT OR REPLACE INTO turnusers_lt (realm,name,hmackey) VALUES ('r','o',?)"
            )
            database.execute(statement, (key,))
        database.execute("INSERT INTO turnusers_lt VALUES ('r', 'other', 'key')")
    assert rows(path) == [("r", "o", "new"), ("r", "other", "key")]
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM turnusers_lt WHERE name = 'o' AND realm = 'r'")
    assert rows(path) == [("r", "other", "key")]
