"""Three minutes of load beside the other tests: begun before them, looked at after them."""

from __future__ import annotations

import subprocess

import pytest

from tests.loadtests.commandline import fake, started

SOAK_TEST = "test_three_minutes_of_all_leave_nothing_behind"

_soaking = pytest.StashKey[subprocess.Popen[str]]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Look at it last, but for what looks at all the tests."""
    items.sort(key=lambda item: (item.get_closest_marker("whole") is not None, _is_soak(item)))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Begin, if it is among the tests that are to be run."""
    if not session.config.option.collectonly and any(map(_is_soak, session.items)):
        command = fake(["soak", "--minutes", "3", "--users", "2"], "--json")
        session.config.stash[_soaking] = started(*command)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End it, where the run of the tests ended before."""
    process = config.stash.get(_soaking, None)
    if process is not None and process.poll() is None:
        process.terminate()
        try:
            process.communicate(timeout=60.0)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def _is_soak(item: pytest.Item) -> bool:
    return item.name == SOAK_TEST


@pytest.fixture
def soaking(request: pytest.FixtureRequest) -> subprocess.Popen[str]:
    """The soak that was begun with the run."""
    return request.config.stash[_soaking]
