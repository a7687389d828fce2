"""Rules for every test: it says what kind it is, and it never sees the settings of this machine."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import os
import re
import shutil
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.peers.blocking import nothing_blocks
from tests.peers.leaks import nothing_left_behind
from tests.private import Tap
from voicepeer import child_service

CI = Path(__file__).parents[1] / ".ci" / "run"

# What an example takes is the machine's time as well, and it has much else to do.
settings.register_profile("patient", settings.default, deadline=None)
settings.load_profile("patient")

KINDS = frozenset({"unit", "peer", "engine", "e2e"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse tests without a kind, so that each can be chosen or left out by it."""
    unmarked = [
        item.nodeid for item in items if not KINDS & {mark.name for mark in item.iter_markers()}
    ]
    if unmarked:
        kinds = ", ".join(sorted(KINDS))
        raise pytest.UsageError(f"mark these as one of {kinds}: {', '.join(unmarked[:5])}")
    if strange := _programs_without_ci(items):
        raise pytest.UsageError(f"{CI} has to install for these tests: {', '.join(strange)}")
    # The look at the log of the whole run comes after everything that writes to it.
    items.sort(key=lambda item: "logged" in getattr(item, "fixturenames", ()))
    for item in items:
        if item.get_closest_marker("peer") and isinstance(item, pytest.Function):
            _guard(item)


def _programs_without_ci(items: list[pytest.Item]) -> list[str]:
    """Programs of which CI looks for none, so that it would fail there."""
    looked_for = set(re.split(r"[\s;:]+", CI.read_text()))
    needed = {mark.args for item in items for mark in item.iter_markers("needs")}
    # Of those that have several names, the first is Debian's.
    return sorted(names[0] for names in needed if names and names[0] not in looked_for)


_TAP = Tap()


def pytest_configure(config: pytest.Config) -> None:
    """Keep what is logged from now on, in this process and by services that tests start."""
    _TAP.install()
    read_log = child_service._read_log

    async def tapped(
        process: asyncio.subprocess.Process, last_lines: deque[str], log: Callable[[str], None]
    ) -> None:
        def both(line: str) -> None:
            _TAP.lines.add(line)
            log(line)

        await read_log(process, last_lines, both)

    child_service._read_log = tapped


@pytest.fixture
def logged() -> Tap:
    """What was logged in this run so far."""
    return _TAP


def _guard(item: pytest.Function) -> None:
    """Check every test with real peers for leaks and blocking calls, as its outermost fixture.

    Tests that share a loop share what runs in it as well, so they are left alone.
    """
    loop = item.get_closest_marker("asyncio")
    if loop and loop.kwargs.get("loop_scope", "function") != "function":
        return
    if inspect.iscoroutinefunction(item.function) and "clean" not in item.fixturenames:
        item.fixturenames.insert(0, "clean")


@pytest.fixture
async def clean() -> AsyncIterator[None]:
    """Fail a test that leaves something behind or holds up the loop; peer tests have it anyway."""
    async with nothing_left_behind():
        with nothing_blocks():
            yield


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a program that is not here; where CI promises it, that is a failure."""
    for mark in item.iter_markers("needs"):
        if any(shutil.which(name) for name in mark.args):
            continue
        wanted = " or ".join(mark.args)
        if os.environ.get("CI"):
            pytest.fail(f"{wanted} is not installed, and CI must not skip this", pytrace=False)
        pytest.skip(f"{wanted} is not installed")


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that nobody has made yet: for ``mktemp``, each would look through all before it."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, homes: Iterator[Path]) -> Path:
    """Configuration and data of its own for each test; the engines' cache is shared."""
    home = next(homes)
    for name in os.environ:
        if name.startswith("VOICEPEER_") and name != "VOICEPEER_CACHE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    return home
