"""All tests in parts at once: nothing is left out, and no failure is lost."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest.mark.expression import Expression

from tests import parts
from tests.processes import wait_until

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[1]
RUN: dict[str, Any] = {
    "cwd": ROOT,
    "env": os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
}
"""Of a small suite, which needs none of the plugins of this one."""

KINDS = ("unit", "peer", "engine", "e2e")
MARKS = (*KINDS, "whole")


def chooses(choice: str, kinds: set[str]) -> bool:
    """Whether pytest's ``-m`` would take a test of these kinds."""

    def has(name: str, /, **_: str | int | bool | None) -> bool:
        return name in kinds

    return Expression.compile(choice).evaluate(has)


@pytest.mark.parametrize("chosen", [*itertools.product([False, True], repeat=len(MARKS) - 1)])
def test_every_test_is_in_one_part(chosen: tuple[bool, ...]) -> None:
    kinds = {mark for mark, has in zip(MARKS, chosen, strict=False) if has}
    assert [chooses(part.choice, kinds) for part in parts.KINDS].count(True) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_who_runs_a_kind_reads_its_files(kind: str) -> None:
    assert [part for part in parts.KINDS if kind in part.marks] == [
        part for part in parts.KINDS if chooses(part.choice, {kind})
    ]


def test_what_looks_at_a_whole_run_is_in_every_part() -> None:
    for part in parts.KINDS:
        assert chooses(part.choice, {"unit", "whole"})


@dataclass(frozen=True)
class File:
    """What is asked of a test of this file."""

    path: Path
    whole: bool = False

    def get_closest_marker(self, name: str) -> bool:
        return name == "whole" and self.whole


@pytest.mark.parametrize("files", [1, 2, 7, 30])
def test_every_file_is_begun_once_and_what_looks_at_a_run_by_all(
    tmp_path: Path, files: int
) -> None:
    # In no order, as pytest leaves them that brings together what needs the same fixture.
    items: list[Any] = [File(Path(f"/tests/test_{nth % files}.py")) for nth in range(3 * files)]
    last: Any = File(Path("/tests/test_private.py"), whole=True)
    running = [parts.not_begun([*items, last], tmp_path) for _ in range(3)]
    taken: list[list[Any]] = [[], [], []]
    for turn in itertools.zip_longest(*running):
        for tests, test in zip(taken, turn, strict=True):
            tests.extend([test] if test else [])
    assert all(tests.pop() is last for tests in taken)
    assert sorted(one.path for tests in taken for one in tests) == sorted(one.path for one in items)
    paths = [{one.path for one in tests} for tests in taken]
    assert sum(map(len, paths)) == len(set().union(*paths)) == files


@pytest.mark.parametrize(
    ("codes", "code"),
    [([0, 0, 0], 0), ([0, 5, 0], 0), ([0, 1, 0], 1), ([5, 0, 1], 1), ([5, 5, 5], 5), ([2, 1, 0], 2),
     ([0, -9, 0], -9)],
)  # fmt: skip
def test_one_failure_is_a_failure_of_all(codes: list[int], code: int) -> None:
    assert parts.verdict(codes) == code


TESTS = """
import pathlib, pytest
HERE = pathlib.Path(__file__).parent
def ran(name):
    with (HERE / "ran").open("a") as file:
        file.write(name + " ")
    # As many runs of it fail as FAILING says.
    times = (HERE / "ran").read_text().split().count(name)
    assert times > FAILING.get(name, 0), "planted"
@pytest.mark.unit
def test_pure(): ran("pure")
@pytest.mark.peer
def test_peer(): ran("peer")
@pytest.mark.peer
@pytest.mark.parametrize("which", range(11))
def test_peers(which): ran("peers")
@pytest.mark.e2e
def test_service(): ran("service")
@pytest.mark.e2e
def test_page(): ran("page")
@pytest.mark.engine
def test_engine(): ran("engine")
@pytest.mark.unit
@pytest.mark.whole
def test_whole(): ran("whole")
"""
PURE = """
import pathlib, pytest
with (pathlib.Path(__file__).parent / "ran").open("a") as file:
    file.write("read ")
@pytest.mark.unit
def test_more(): pass
"""
"""Nothing that waits: it is read by those only that compute."""

ALL_ONCE = [
    *["read"] * parts.COMPUTING.processes,
    "engine",
    "peer",
    *["peers"] * 11,
    "pure",
    "service",
    "page",
    *["whole"] * sum(part.processes for part in parts.KINDS),
]


def suite_in(folder: Path, failing: dict[str, int]) -> list[str]:
    """A suite of its own, and the command to run it."""
    (folder / "test_some.py").write_text(f"FAILING = {failing}\n{TESTS}")
    (folder / "test_pure.py").write_text(PURE)
    markers = "".join(f"    {name}: a kind\n" for name in MARKS)
    (folder / "pytest.ini").write_text(f"[pytest]\nmarkers =\n{markers}")
    options = ["-q", "-p", "no:cacheprovider", "-c", str(folder / "pytest.ini"), str(folder)]
    return [sys.executable, "-m", "tests.parts", *options]


@pytest.mark.parametrize(
    ("failing", "again", "code"),
    [
        pytest.param({"peer": 1, "service": 1}, ["peer", "service"], 0, id="beside-others"),
        pytest.param({"service": 2}, ["service"], 1, id="beside-others-and-alone"),
        pytest.param({"peers": 11}, [], 1, id="more-than-a-few"),
        pytest.param({"whole": 9}, [], 1, id="what-looks-at-a-whole-run"),
        pytest.param({"peer": 1, "engine": 1}, ["peer"], 1, id="where-nothing-waits"),
    ],
)
def test_what_fails_beside_others_may_pass_alone(
    tmp_path: Path, failing: dict[str, int], again: list[str], code: int
) -> None:
    ran = subprocess.run(
        suite_in(tmp_path, failing), **RUN, capture_output=True, text=True, check=False
    )
    assert sorted((tmp_path / "ran").read_text().split()) == sorted([*ALL_ONCE, *again])
    assert ran.returncode == code, ran.stdout
    assert ("planted" in ran.stdout) == bool(failing), "the output of each part is there"
    assert (f"{len(again)} failed beside others" in ran.stdout) == bool(again)


def test_a_file_that_cannot_be_read_is_no_failure_of_a_busy_machine(tmp_path: Path) -> None:
    command = suite_in(tmp_path, {"peer": 1})
    (tmp_path / "test_broken.py").write_text("import nothing  # mark.peer\n")
    ran = subprocess.run(command, **RUN, capture_output=True, text=True, check=False)
    assert ran.returncode == 2, ran.stdout
    assert "No module named 'nothing'" in ran.stdout


def test_what_failed_under_a_name_that_it_had_once_is_not_lost(tmp_path: Path) -> None:
    command = suite_in(tmp_path, {})
    (tmp_path / "test_named.py").write_text(
        "import os, pytest\n@pytest.mark.peer\n@pytest.mark.parametrize('pid', [os.getpid()])\n"
        "def test_once(pid): assert False\n"
    )
    ran = subprocess.run(command, **RUN, capture_output=True, text=True, check=False)
    assert ran.returncode != 0, ran.stdout
    assert "not there again" in ran.stdout + ran.stderr


def test_who_is_interrupted_leaves_nobody_running(tmp_path: Path) -> None:
    command = suite_in(tmp_path, {})
    slow = 'import time\n    (HERE / "pid").write_text(str(__import__("os").getpid()))\n'
    made = (tmp_path / "test_some.py").read_text()
    (tmp_path / "test_some.py").write_text(
        made.replace(
            'def test_pure(): ran("pure")', f"def test_pure():\n    {slow}    time.sleep(60)"
        )
    )
    running = subprocess.Popen(command, **RUN, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: (tmp_path / "pid").exists() and bool((tmp_path / "pid").read_text()), 60)
        aside = int((tmp_path / "pid").read_text())
        running.send_signal(signal.SIGINT)
        assert running.wait(100) != 0
        wait_until(lambda: not Path(f"/proc/{aside}").exists(), 60)
    finally:
        running.kill()
        running.wait()
