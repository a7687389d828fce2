"""Marks of services: seen by others, gone with their service, and no use where nothing is kept."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.voicepeer.test_backup import filled
from tests.voicepeer.test_voice_store import NOW
from voicepeer.backup import BackupRefused, backup, restore
from voicepeer.database import VoiceStoreUnavailable
from voicepeer.redis_store import RedisStore
from voicepeer.serving import FileServing, RedisServing
from voicepeer.stores import Stores, in_file

pytestmark = pytest.mark.unit

HOLD = """
import sys
from pathlib import Path
from voicepeer.serving import FileServing
serving = FileServing(Path(sys.argv[1]))
serving.renew()
print("held", flush=True)
sys.stdin.read()
"""


def another(place: Stores) -> Stores:
    """The same place as another process has it."""
    if isinstance(place.serving, RedisServing):
        return replace(place, serving=RedisServing(place.serving.store))
    assert place.path is not None
    return in_file(place.path)


def test_a_place_is_used_from_the_first_mark_until_it_is_taken_away(place: Stores) -> None:
    asking = another(place).serving
    assert not asking.by_others()
    place.serving.renew()
    place.serving.renew()
    assert asking.by_others()
    place.serving.leave()
    place.serving.leave()
    assert not asking.by_others()


@pytest.mark.needs("redis-server")
def test_a_service_is_none_of_the_others_of_itself(redis_store: RedisStore) -> None:
    own = RedisServing(redis_store)
    own.renew()
    assert not own.by_others()
    own.leave()


def test_several_services_use_one_file_and_the_last_one_counts(tmp_path: Path) -> None:
    path = tmp_path / "voices.sqlite"
    first, second, asking = FileServing(path), FileServing(path), FileServing(path)
    first.renew()
    second.renew()
    first.leave()
    assert asking.by_others()
    second.leave()
    assert not asking.by_others()


def test_a_mark_goes_with_a_process_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "voices.sqlite"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == b"held\n"
        assert FileServing(path).by_others()
        service.kill()
    assert not FileServing(path).by_others()


def test_it_shows_that_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serving = FileServing(tmp_path / "voices.sqlite")
    serving.renew()
    total = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: total._replace(free=0))
    with pytest.raises(VoiceStoreUnavailable, match="the disk is full"):
        serving.renew()
    serving.leave()


def test_nothing_is_restored_beside_a_service_unless_that_is_said(
    place: Stores, tmp_path: Path
) -> None:
    source = in_file(tmp_path / "source.sqlite")
    filled(source)
    file = tmp_path / "voices.backup"
    backup(source, file, NOW)
    asking = another(place)
    place.serving.renew()
    with pytest.raises(BackupRefused, match="stop it first, or say --beside-service"):
        restore(file, asking, NOW, force=True)
    assert place.voices.records(NOW) == []
    assert restore(file, asking, NOW, beside_service=True).voices == 2
    place.serving.leave()
    assert restore(file, asking, NOW, force=True).voices == 2


def test_a_mark_tells_nobody_anything(tmp_path: Path) -> None:
    serving = FileServing(tmp_path / "voices.sqlite")
    serving.renew()
    mark = tmp_path / "voices.sqlite-served"
    assert (mark.stat().st_size, mark.stat().st_mode & 0o777) == (0, 0o600)
    serving.leave()
