"""One builder at a time."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from engines.build.lock import BuildBusy, exclusive
from engines.cache import CacheUnwritable

pytestmark = pytest.mark.unit

_HOLD = """
import sys, time
from pathlib import Path
from engines.build.lock import exclusive
with exclusive(Path(sys.argv[1])):
    sys.stdout.write("held"); sys.stdout.flush()
    time.sleep(60)
"""


def test_can_be_taken_again_once_free(tmp_path: Path) -> None:
    for _ in range(2):
        with exclusive(tmp_path / "engine"):
            assert (tmp_path / ".engine.lock").exists()


def test_a_second_builder_is_told(tmp_path: Path) -> None:
    with (
        exclusive(tmp_path / "engine"),
        pytest.raises(BuildBusy, match="engine"),
        exclusive(tmp_path / "engine"),
    ):
        pass


def test_other_engines_do_not_wait(tmp_path: Path) -> None:
    with exclusive(tmp_path / "one"), exclusive(tmp_path / "other"):
        pass


def test_a_patient_builder_waits(tmp_path: Path) -> None:
    order: list[str] = []

    def first() -> None:
        with exclusive(tmp_path / "engine"):
            started.set()
            time.sleep(0.3)
            order.append("first")

    started = threading.Event()
    thread = threading.Thread(target=first)
    thread.start()
    started.wait()
    with exclusive(tmp_path / "engine", wait_s=10.0):
        order.append("second")
    thread.join()
    assert order == ["first", "second"]


def test_a_lock_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / ".engine.lock").mkdir()
    with pytest.raises(CacheUnwritable, match="VOICEPEER_CACHE"), exclusive(tmp_path / "engine"):
        pass


def test_a_killed_builder_holds_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _HOLD, str(tmp_path / "engine")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(4) == b"held"
        with pytest.raises(BuildBusy), exclusive(tmp_path / "engine"):
            pass
        process.kill()
    with exclusive(tmp_path / "engine", wait_s=5.0):
        pass
