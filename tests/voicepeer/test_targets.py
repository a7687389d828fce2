"""What commands must not replace, under whatever name it comes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.voicepeer.test_voice_store import NOW, record
from voicepeer import targets
from voicepeer.backup import backup
from voicepeer.core.errors import CannotWrite
from voicepeer.stores import in_file

pytestmark = pytest.mark.unit


def hard_link(folder: Path, database: Path) -> Path:
    (folder / "linked").hardlink_to(database)
    return folder / "linked"


def soft_link(folder: Path, database: Path) -> Path:
    (folder / "linked").symlink_to(database)
    return folder / "linked"


def roundabout(folder: Path, database: Path) -> Path:
    (folder / "below").mkdir()
    return folder / "below" / ".." / database.name


def beside(end: str) -> Callable[[Path, Path], Path]:
    return lambda folder, database: folder / f"{database.name}{end}"


@pytest.mark.parametrize(
    "name",
    [hard_link, soft_link, roundabout, beside(""), beside("-wal"), beside("-shm")],
)
def test_the_database_in_use_is_not_replaced(
    tmp_path: Path, name: Callable[[Path, Path], Path]
) -> None:
    stores = in_file(tmp_path / "voices.sqlite")
    stores.voices.put(record())
    assert stores.path is not None
    target = name(tmp_path, stores.path)
    with pytest.raises(CannotWrite, match="database in use"):
        targets.check(target, stores.path)
    with pytest.raises(CannotWrite, match="database in use"):
        backup(stores, target, NOW, force=True)
    assert [one.name for one in stores.voices.records(NOW)] == ["Ada"]


def test_what_is_no_regular_file_is_not_replaced(tmp_path: Path) -> None:
    link, folder = tmp_path / "link", tmp_path / "folder"
    # Nothing writes to this device here: a check that let it pass would only look.
    link.symlink_to("/dev/null")
    folder.mkdir()
    for target in (link, folder, Path("/dev/null")):
        with pytest.raises(CannotWrite, match="no regular file"):
            targets.check(target, None)
    with pytest.raises(CannotWrite):
        targets.check(tmp_path / ("x" * 300), None)


def test_any_other_file_may_be_written(tmp_path: Path) -> None:
    database = tmp_path / "voices.sqlite"
    there = tmp_path / "there"
    there.touch()
    targets.check(there, database)
    targets.check(tmp_path / "new", database)
    targets.check(tmp_path / "new", None)
