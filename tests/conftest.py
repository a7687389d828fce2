"""Rules for every test: it says what kind it is, and it never sees the settings of this machine."""

from __future__ import annotations

import os
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
