"""When a client counts as gone, on a scripted clock."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.liveness import Liveness, LivenessSettings

pytestmark = pytest.mark.unit

SETTINGS = LivenessSettings(connect_timeout_s=10.0, silence_timeout_s=3.0)


def connected_at(now: float) -> Liveness:
    liveness = Liveness(SETTINGS, now)
    liveness.connected(now)
    return liveness


def test_a_client_that_never_connects_is_gone_on_time() -> None:
    liveness = Liveness(SETTINGS, 100.0)
    assert liveness.next_deadline() == 110.0
    assert liveness.gone(109.999) is None
    assert liveness.gone(110.0) == "connect_timeout"


def test_signs_of_life_do_not_excuse_from_connecting() -> None:
    liveness = Liveness(SETTINGS, 0.0)
    liveness.ping(9.9)
    assert liveness.gone(10.0) == "connect_timeout"


def test_who_pings_and_falls_silent_has_vanished_three_seconds_later() -> None:
    liveness = connected_at(0.0)
    for second in range(1, 6):
        liveness.ping(float(second))
        assert liveness.gone(second + 2.99) is None
    assert liveness.next_deadline() == 8.0
    assert liveness.gone(8.0) == "client_vanished"


def test_a_packet_or_message_is_as_good_as_a_ping() -> None:
    liveness = connected_at(0.0)
    liveness.ping(1.0)
    liveness.sign(3.5)
    assert liveness.gone(6.4) is None
    assert liveness.gone(6.5) == "client_vanished"


def test_who_never_pings_is_left_to_ice() -> None:
    liveness = connected_at(0.0)
    liveness.sign(1.0)
    assert liveness.next_deadline() is None
    assert liveness.gone(1e6) is None


def test_a_late_look_at_an_old_sign_changes_nothing() -> None:
    liveness = connected_at(5.0)
    liveness.ping(6.0)
    liveness.sign(2.0)
    liveness.connected(9.0)
    assert liveness.last_sign_s == 6.0


@given(
    st.lists(st.floats(0, 2.9), max_size=30),
    st.floats(0.001, 0.25),
)
def test_a_watchdog_that_looks_four_times_a_second_is_never_early_and_hardly_late(
    gaps_s: list[float], look_every_s: float
) -> None:
    liveness = connected_at(0.0)
    liveness.ping(0.0)
    last = 0.0
    for gap_s in gaps_s:
        last += gap_s
        assert liveness.gone(last) is None
        liveness.sign(last)
    now = last
    while liveness.gone(now) is None:
        deadline = liveness.next_deadline()
        assert deadline is not None
        now += min(look_every_s, max(deadline - now, 1e-9))
    assert 2.999 <= now - last <= 3.001
