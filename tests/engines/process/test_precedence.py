"""How long work in the background lets speech go first."""

from __future__ import annotations

import threading
import time

import pytest

from engines.process.keeper import Limits
from engines.process.precedence import HURRIED, PATIENT, Limit, Patience, Precedence

pytestmark = pytest.mark.unit


def waited_s(patience: Patience) -> float:
    began_s = time.monotonic()
    patience.wait()
    return time.monotonic() - began_s


def busy() -> Precedence:
    precedence = Precedence()
    precedence.claim(True)
    return precedence


def test_nobody_waits_for_nothing() -> None:
    assert waited_s(Patience(Precedence(), Limit(20.0, 20.0))) < 1.0


def test_urgent_speech_is_waited_for_no_longer_than_is_allowed_at_a_time() -> None:
    assert 0.2 <= waited_s(Patience(busy(), Limit(0.2, 20.0))) < 2.0


def test_nor_than_is_allowed_in_all() -> None:
    patience = Patience(busy(), Limit(0.2, 0.3))
    assert 0.3 <= sum(waited_s(patience) for _ in range(20)) < 2.0


def test_it_goes_on_once_speech_is_not_urgent() -> None:
    precedence = busy()
    threading.Timer(0.2, lambda: precedence.claim(False)).start()
    assert 0.1 < waited_s(Patience(precedence, Limit(20.0, 20.0))) < 5.0


def test_who_is_waited_for_hurries_those_before() -> None:
    precedence = busy()
    threading.Timer(0.1, precedence.hasten).start()
    assert HURRIED.each_s <= waited_s(Patience(precedence, Limit(20.0, 20.0))) < 5.0


def test_there_is_time_again_when_nobody_is_waited_for() -> None:
    precedence = busy()
    precedence.hasten()
    assert precedence.hurried
    precedence.calm()
    assert not precedence.hurried
    assert waited_s(Patience(precedence, Limit(0.6, 20.0))) >= 0.6


def test_no_job_waits_until_the_host_takes_the_worker_for_stuck() -> None:
    for limit in (HURRIED, PATIENT):
        assert limit.each_s <= limit.all_s <= Limits().request_s / 3
