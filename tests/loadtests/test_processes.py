"""What a process and its descendants use."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadtests.processes import tree, tree_usage

pytestmark = pytest.mark.peer

PARENT = """
import subprocess, sys, threading
file = open("/dev/null")
if sys.argv[1:]:
    waits = "import sys; print(1, flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    child = subprocess.Popen([sys.executable, "-c", waits], **pipes)
    child.stdout.readline()
    burnt = subprocess.run([sys.executable, "-c", "sum(range(10_000_000))"])
threading.Thread(target=sys.stdin.read).start()
print("there", flush=True)
"""


@pytest.fixture
def family() -> Iterator[int]:
    """A process with two threads and a child, which has had another child."""
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, "with a child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"
        yield process.pid


def test_children_belong_to_the_tree(family: int) -> None:
    assert len(tree(family)) == 2
    assert tree(family)[0] == family


def test_all_of_the_tree_is_counted(family: int) -> None:
    usage = tree_usage(family)
    assert usage is not None
    assert usage.threads == 3
    assert usage.fds >= 8
    assert usage.rss_mb > 10
    assert usage.main_cpu_s <= usage.cpu_s


def test_what_a_child_took_that_is_gone_is_counted(family: int) -> None:
    usage = tree_usage(family)
    assert usage is not None
    # Adding up ten million numbers takes longer than starting two interpreters.
    assert usage.cpu_s - usage.main_cpu_s > 0.05


def test_a_thread_that_ends_meanwhile_hides_nobody(tmp_path: Path) -> None:
    for path, children in (("1/task/1", "2 "), ("1/task/7", "3 4 "), ("2/task/2", "5 ")):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "children").write_text(children)
    (tmp_path / "1/task/8").mkdir()  # listed, and gone before it was read
    assert sorted(tree(1, tmp_path)) == [1, 2, 3, 4, 5]


def test_nobody_is_no_tree() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
        assert tree_usage(process.pid) is None


def test_this_process_is_a_tree() -> None:
    usage = tree_usage(os.getpid())
    assert usage is not None
    assert usage.threads >= 1
