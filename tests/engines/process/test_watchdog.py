"""Stuck or idle, at literal times."""

from __future__ import annotations

import pytest

from engines.process.watchdog import Watchdog

pytestmark = pytest.mark.unit


def test_who_owes_nothing_is_never_late() -> None:
    watchdog = Watchdog(limit_s=10.0)
    assert not watchdog.late(1e9)


def test_late_when_nothing_comes() -> None:
    watchdog = Watchdog(limit_s=10.0)
    watchdog.owe(1, 5, now=100.0)
    assert not watchdog.late(110.0)
    assert watchdog.late(110.1)


def test_each_answer_begins_the_wait_anew() -> None:
    watchdog = Watchdog(limit_s=10.0)
    watchdog.owe(1, 5, now=0.0)
    watchdog.paid(1, now=9.0)
    assert not watchdog.late(18.0)
    assert watchdog.late(20.0)


def test_serving_one_is_not_forgetting_the_other() -> None:
    watchdog = Watchdog(limit_s=10.0)
    watchdog.owe(1, 100, now=0.0)
    watchdog.owe(2, 1, now=0.0)
    for now in range(50):
        watchdog.paid(1, now=float(now))
        assert not watchdog.late(float(now))


def test_new_debts_do_not_excuse_old_ones() -> None:
    watchdog = Watchdog(limit_s=10.0)
    watchdog.owe(1, 1, now=0.0)
    watchdog.owe(2, 1, now=9.0)
    assert watchdog.late(11.0)


def test_debts_after_idleness_are_not_late_at_once() -> None:
    watchdog = Watchdog(limit_s=10.0)
    watchdog.owe(1, 1, now=0.0)
    watchdog.paid(1, now=1.0)
    watchdog.owe(1, 1, now=1000.0)
    assert not watchdog.late(1009.0)


def test_paid_in_full_is_not_late() -> None:
    watchdog = Watchdog(limit_s=10.0)
    watchdog.owe(1, 2, now=0.0)
    watchdog.paid(1, now=1.0)
    watchdog.paid(1, now=2.0)
    watchdog.paid(1, now=3.0)
    assert not watchdog.late(1000.0)


def test_settled_is_not_late() -> None:
    watchdog = Watchdog(limit_s=10.0)
    watchdog.owe(1, 16, now=0.0)
    watchdog.settle(1, now=1.0)
    assert not watchdog.late(1000.0)


def test_settling_a_stranger_excuses_nobody() -> None:
    watchdog = Watchdog(limit_s=10.0)
    watchdog.owe(1, 1, now=0.0)
    watchdog.settle(2, now=9.0)
    assert watchdog.late(11.0)


def test_excused_and_forgotten() -> None:
    watchdog = Watchdog(limit_s=10.0)
    watchdog.owe(1, 1, now=0.0)
    watchdog.excuse(now=50.0)
    assert not watchdog.late(59.0)
    assert watchdog.late(61.0)
    watchdog.forget()
    assert not watchdog.late(61.0)
