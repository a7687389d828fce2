"""The machine's clock."""

from __future__ import annotations

import ctypes
import time
from pathlib import Path

import pytest

from voicepeer import clock

pytestmark = pytest.mark.unit


def test_asking_changes_nothing_and_gives_the_same_twice() -> None:
    assert clock.is_kept() in (True, False, None)
    assert clock.is_kept() == clock.is_kept()


@pytest.mark.parametrize(("state", "kept"), [(0, True), (1, True), (5, False), (-1, None)], ids=str)
def test_what_the_kernel_says_is_understood(
    monkeypatch: pytest.MonkeyPatch, state: int, kept: bool | None
) -> None:
    class Library:
        def adjtimex(self, _buffer: object) -> int:
            return state

    monkeypatch.setattr(ctypes, "CDLL", lambda _name: Library())
    assert clock.is_kept() is kept


def test_a_system_that_has_no_such_call_cannot_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: object())
    assert clock.is_kept() is None


def test_a_clock_before_this_software_is_behind() -> None:
    installed_s = Path(clock.__file__).stat().st_mtime
    assert not clock.is_behind(time.time())
    assert not clock.is_behind(installed_s)
    assert clock.is_behind(installed_s - 2 * clock.LEEWAY_S)
    assert clock.is_behind(0.0)
