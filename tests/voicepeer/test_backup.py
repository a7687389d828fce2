"""All voices as one file: from any place to any, sound or refused, without what was withdrawn."""

from __future__ import annotations

import os
import secrets
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.voicepeer.conftest import IN_REDIS
from tests.voicepeer.test_consent_store import consent, voice_under
from tests.voicepeer.test_reference_keeper import BEFORE
from tests.voicepeer.test_voice_store import NOW, assert_same, record
from voicepeer.backup import BackupInvalid, BackupRefused, backup, read_head, restore
from voicepeer.consent_store import Consent, owned_copy
from voicepeer.core.errors import CannotWrite, ConsentWithdrawn, VoiceNotFound
from voicepeer.redis_link import RedisLink
from voicepeer.redis_store import RedisStore
from voicepeer.stores import Stores, in_file, in_redis
from voicepeer.voice_store import VoiceRecord

pytestmark = pytest.mark.unit


@pytest.fixture(params=["sqlite", IN_REDIS])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stores]:
    """Another place than ``place``, empty."""
    if request.param == "sqlite":
        yield in_file(tmp_path / "target" / "voices.sqlite")
        return
    server = request.getfixturevalue("redis_for_all")
    store = RedisStore(RedisLink.of(server.url, "test"), f"{{{secrets.token_hex(8)}}}:")
    yield in_redis(store.link, store)
    store.close()


def filled(place: Stores) -> tuple[Consent, list[VoiceRecord]]:
    """One consent, and two voices under it, of which the second has a reference."""
    given = consent()
    place.consents.put(given)
    made = [voice_under(given, name=name, owner="key-a") for name in ("Ada", "Grace")]
    for one in made:
        place.voices.put(one, consented=True)
    place.references.put(BEFORE.seal(made[1].voice_id, b"speech"))
    return given, made


def test_a_backup_brings_everything_back(place: Stores, target: Stores, tmp_path: Path) -> None:
    given, made = filled(place)
    place.voices.put(record("of a call", expires=NOW + 300))
    file, told = tmp_path / "voices.backup", list[tuple[int, int]]()
    head = backup(place, file, NOW, told=lambda done, of: told.append((done, of)))
    assert (head.voices, head.consents, head.references) == (2, 1, 1)
    assert told[-1][0] == told[-1][1]
    assert read_head(file) == head
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert restore(file, target, NOW) == head
    assert len(target.voices.records(NOW)) == 2
    for one in made:
        assert_same(target.voices.get(one.voice_id, NOW), one)
    assert target.consents.consents() == [given]
    sealed = target.references.get(made[1].voice_id)
    assert BEFORE.unseal(sealed) == b"speech"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []
    target.consents.withdraw(given.consent_id)
    assert target.voices.records(NOW) == []


def test_what_is_withdrawn_does_not_come_back(
    place: Stores, target: Stores, tmp_path: Path
) -> None:
    given, made = filled(place)
    other, gone = voice_under(consent()), consent()
    place.voices.put(other)
    place.consents.put(gone)
    place.consents.withdraw(gone.consent_id)
    file = tmp_path / "voices.backup"
    backup(place, file, NOW)
    target.consents.withdraw(given.consent_id)
    restore(file, target, NOW)
    assert [one.voice_id for one in target.voices.records(NOW)] == [other.voice_id]
    assert given not in target.consents.consents()
    assert {given.consent_id, gone.consent_id} <= set(target.consents.withdrawn())
    with pytest.raises(ConsentWithdrawn):
        target.consents.take_in(*owned_copy(made[0], "key-b"))


def test_nothing_is_overwritten_unless_that_is_said(
    place: Stores, target: Stores, tmp_path: Path
) -> None:
    _, made = filled(place)
    file = tmp_path / "voices.backup"
    backup(place, file, NOW)
    with pytest.raises(BackupRefused, match="--force"):
        backup(place, file, NOW)
    backup(place, file, NOW + 1, force=True)
    assert read_head(file).created == NOW + 1
    mine = record("mine")
    target.voices.put(mine)
    with pytest.raises(BackupRefused, match="has 1 voices"):
        restore(file, target, NOW)
    assert [one.name for one in target.voices.records(NOW)] == ["mine"]
    restore(file, target, NOW, force=True)
    restore(file, target, NOW, force=True)
    assert {one.voice_id for one in target.voices.records(NOW)} == {one.voice_id for one in made}
    with pytest.raises(VoiceNotFound):
        target.voices.get(mine.voice_id, NOW)


@pytest.mark.parametrize("cut", [0, 10, 40, 300, 5_000, -1])
def test_one_that_is_cut_off_or_changed_is_refused_and_nothing_is_touched(
    tmp_path: Path, cut: int
) -> None:
    source, there = in_file(tmp_path / "a.sqlite"), in_file(tmp_path / "b.sqlite")
    filled(source)
    file = tmp_path / "voices.backup"
    backup(source, file, NOW)
    data = file.read_bytes()
    file.write_bytes(data[:cut])
    with pytest.raises(BackupInvalid):
        restore(file, there, NOW)
    changed = bytearray(data)
    changed[cut] ^= 0x10
    file.write_bytes(bytes(changed))
    with pytest.raises(BackupInvalid):
        restore(file, there, NOW)
    assert there.voices.records(NOW) == []


def test_what_is_no_backup_or_of_a_later_version_is_refused(tmp_path: Path) -> None:
    stores, file = in_file(tmp_path / "a.sqlite"), tmp_path / "voices.backup"
    with pytest.raises(BackupInvalid, match="cannot be read"):
        restore(file, stores, NOW)
    file.write_bytes(b"something else" * 100)
    with pytest.raises(BackupInvalid, match="is no backup"):
        restore(file, stores, NOW)
    backup(stores, file, NOW, force=True)
    file.write_bytes(file.read_bytes().replace(b'"format":1', b'"format":9', 1))
    with pytest.raises(BackupInvalid, match="update voicepeer"):
        restore(file, stores, NOW)


def test_a_folder_that_is_not_there_is_explained(tmp_path: Path) -> None:
    stores = in_file(tmp_path / "a.sqlite")
    filled(stores)
    with pytest.raises(CannotWrite, match="cannot be used"):
        backup(stores, tmp_path / "nowhere" / "voices.backup", NOW)


def test_a_file_is_replaced_while_others_read_and_write_it(tmp_path: Path) -> None:
    source, busy = in_file(tmp_path / "a.sqlite"), in_file(tmp_path / "b.sqlite")
    _, made = filled(source)
    file = tmp_path / "voices.backup"
    backup(source, file, NOW)
    busy.voices.put(record("before"))
    assert busy.path is not None
    with sqlite3.connect(busy.path) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM voices").fetchone() == (1,)
        restore(file, busy, NOW, force=True)
        assert reader.execute("SELECT count(*) FROM voices").fetchone() == (1,), "its own moment"
        reader.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM voices").fetchone() == (2,)
        assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    busy.voices.put(replace(made[0], name="after"))
    assert busy.voices.get(made[0].voice_id, NOW).name == "after"


KILLED = """
import os, signal, sys
from pathlib import Path
from voicepeer.backup import backup
from voicepeer.stores import in_file
stores = in_file(Path(sys.argv[1]))
backup(stores, Path(sys.argv[2]), 0.0, told=lambda done, of: os.kill(os.getpid(), signal.SIGKILL))
"""


def test_what_a_killed_backup_leaves_the_next_one_removes_and_no_other_does(tmp_path: Path) -> None:
    source, file = in_file(tmp_path / "a.sqlite"), tmp_path / "out" / "voices.backup"
    filled(source)
    file.parent.mkdir()
    command = [sys.executable, "-c", KILLED, str(source.path), str(file)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    (left,) = file.parent.iterdir()
    assert left.name.startswith(".voicepeer-")

    seen = list[set[Path]]()

    def beside(done: int, of: int) -> None:
        if not seen:
            seen.append({*file.parent.iterdir()})
            backup(source, file.with_name("other"), NOW)
            seen.append({*file.parent.iterdir()})

    backup(source, file, NOW, told=beside)
    running, after = seen
    assert left not in running
    assert after == running | {file.with_name("other")}, "what is in use stays"
    assert {*file.parent.iterdir()} == {file, file.with_name("other")}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a read-only disk")
def test_a_backup_on_a_read_only_disk_is_restored(tmp_path: Path) -> None:
    source, folder = in_file(tmp_path / "a.sqlite"), tmp_path / "out"
    filled(source)
    folder.mkdir()
    backup(source, folder / "voices.backup", NOW)
    mounted = f'mount --bind -o ro {folder} {folder} && exec "$@"'
    command = [sys.executable, "-m", "voicepeer", "voices", "restore", f"{folder}/voices.backup"]
    place = ["--database", f"{tmp_path}/b.sqlite"]
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", mounted, "sh", *command, *place],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert len(in_file(tmp_path / "b.sqlite").voices.records(NOW)) == 2
    assert [one for one in tmp_path.iterdir() if one.name.startswith(".")] == []
