"""How long work in the background lets speech go first."""

from __future__ import annotations

import threading
import time

import pytest

from engines.process.precedence import Precedence

pytestmark = pytest.mark.unit

LONG_S, SHORT_S = 20.0, 0.2


def waited_s(precedence: Precedence, patience_s: float, hasty_s: float = SHORT_S) -> float:
    began_s = time.monotonic()
    precedence.wait(patience_s, hasty_s)
    return time.monotonic() - began_s


def test_nobody_waits_for_nothing() -> None:
    assert waited_s(Precedence(), LONG_S) < 1.0


def test_urgent_speech_is_waited_for_no_longer_than_patience_lasts() -> None:
    precedence = Precedence()
    precedence.claim(True)
    assert SHORT_S <= waited_s(precedence, SHORT_S, 0.0) < 2.0


def test_it_goes_on_once_speech_is_not_urgent() -> None:
    precedence = Precedence()
    precedence.claim(True)
    threading.Timer(0.2, lambda: precedence.claim(False)).start()
    assert 0.1 < waited_s(precedence, LONG_S) < 5.0


def test_who_is_waited_for_shortens_the_patience_of_those_before() -> None:
    precedence = Precedence()
    precedence.claim(True)
    threading.Timer(0.1, precedence.hasten).start()
    assert SHORT_S <= waited_s(precedence, LONG_S) < 5.0


def test_patience_comes_back_when_nobody_is_waited_for() -> None:
    precedence = Precedence()
    precedence.claim(True)
    precedence.hasten()
    precedence.calm()
    assert waited_s(precedence, 3 * SHORT_S) >= 3 * SHORT_S
