"""Rules for every test: it says what kind it is, and it never sees the settings of this machine."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

KINDS = frozenset({"unit", "peer", "engine", "e2e"})


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse tests without a kind, so that each can be chosen or left out by it."""
    unmarked = [
        item.nodeid for item in items if not KINDS & {mark.name for mark in item.iter_markers()}
    ]
    if unmarked:
        kinds = ", ".join(sorted(KINDS))
        raise pytest.UsageError(f"mark these as one of {kinds}: {', '.join(unmarked[:5])}")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what needs a program that is not here; where CI promises it, that is a failure."""
    for mark in item.iter_markers("needs"):
        if any(shutil.which(name) for name in mark.args):
            continue
        wanted = " or ".join(mark.args)
        if os.environ.get("CI"):
            pytest.fail(f"{wanted} is not installed, and CI must not skip this", pytrace=False)
        pytest.skip(f"{wanted} is not installed")


@pytest.fixture(autouse=True)
def own_settings(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Configuration and data of its own for each test; the engines' cache is shared."""
    home = tmp_path_factory.mktemp("home")
    for name in os.environ:
        if name.startswith("VOICEPEER_") and name != "VOICEPEER_CACHE":
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    return home
