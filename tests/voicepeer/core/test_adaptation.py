"""What the encoder is told as losses and queues come and go."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.adaptation import (
    CALM_REPORTS,
    EXPECTED_STEPS_PERCENT,
    LOSSY_BPS,
    RUNGS_BPS,
    Encoding,
    NetworkFollower,
    ReceiverReport,
)

pytestmark = pytest.mark.unit


def follow(losses: Iterable[float], follower: NetworkFollower | None = None) -> list[Encoding]:
    follower = follower or NetworkFollower()
    return [
        follower.push(ReceiverReport(loss, 0.03, at=index)) for index, loss in enumerate(losses)
    ]


def rates(encodings: Iterable[Encoding]) -> list[int]:
    return [encoding.bitrate_bps for encoding in encodings]


def test_a_clean_network_needs_nothing_special() -> None:
    assert follow([0.0])[-1] == Encoding() == Encoding(32_000, 5)


def test_a_loss_is_answered_at_once() -> None:
    assert follow([0.08])[-1] == Encoding(LOSSY_BPS, 10)


def test_each_bad_report_lowers_the_bitrate_down_to_a_floor() -> None:
    assert rates(follow([0.4] * 5)) == [24_000, 16_000, 12_000, 12_000, 12_000]
    assert follow([0.4])[-1].expected_loss_percent == EXPECTED_STEPS_PERCENT[-1]


def test_a_bitrate_comes_back_step_by_step_when_the_link_is_calm() -> None:
    encodings = follow([0.4] * 3 + [0.0] * 4 * CALM_REPORTS)
    assert encodings[-1] == Encoding()
    after = rates(encodings)[3:]
    assert after == sorted(after), "never down again"
    assert [after.count(rate) for rate in (12_000, 16_000, 24_000)][1:] == [CALM_REPORTS] * 2


def test_after_a_failed_try_the_next_one_waits_longer() -> None:
    """A link that has room for 24 kb/s: each try of 32 kb/s loses packets."""
    follower, tries, rate = NetworkFollower(), [], 32_000
    for at in range(200):
        narrow = rate > 24_000
        encoding = follower.push(ReceiverReport(0.2 if narrow else 0.0, None, at=at))
        if encoding.bitrate_bps > 24_000 and rate <= 24_000:
            tries.append(at)
        rate = encoding.bitrate_bps
    apart = [later - earlier for earlier, later in itertools.pairwise(tries)]
    assert apart == sorted(apart)
    assert apart[-1] >= 40
    assert len(tries) < 9


def test_a_better_report_is_believed_slowly() -> None:
    percents = [one.expected_loss_percent for one in follow([0.14] + [0.0] * 15)]
    assert percents[:2] == [20, 20]
    assert percents == sorted(percents, reverse=True)
    assert percents[-1] == 5


def test_a_growing_queue_lowers_the_bitrate_without_any_loss() -> None:
    follower = NetworkFollower()
    trips_s = [0.05, 0.06, 0.12, 0.25, 0.4]
    made = [follower.push(ReceiverReport(0.0, trip, at=trip)) for trip in trips_s]
    assert rates(made) == [32_000, 32_000, 32_000, 24_000, 16_000]
    assert made[-1].expected_loss_percent == 5


def test_a_few_losses_on_a_short_queue_are_our_own_doing() -> None:
    follower = NetworkFollower()
    made = [
        follower.push(ReceiverReport(loss, trip, at=trip))
        for loss, trip in ((0.0, 0.05), (0.04, 0.12), (0.04, 0.13))
    ]
    assert rates(made) == [32_000, 24_000, 16_000]


def test_a_link_that_was_crowded_gets_no_more_bits_against_its_losses_for_a_while() -> None:
    assert LOSSY_BPS not in rates(follow([0.2] + [0.03] * 60))
    calm_again = follow([0.2] + [0.0] * 60 + [0.03] * 3)
    assert rates(calm_again)[-1] == LOSSY_BPS


def test_without_a_round_trip_losses_are_not_answered_with_more_bits() -> None:
    assert NetworkFollower().push(ReceiverReport(0.05, None, at=0.0)) == Encoding(32_000, 5)


def test_a_long_way_is_no_queue() -> None:
    follower = NetworkFollower()
    made = [follower.push(ReceiverReport(0.0, 0.4 + 0.01 * (n % 3), at=n)) for n in range(20)]
    assert set(rates(made)) == {32_000}


def test_a_report_that_is_read_again_counts_once() -> None:
    follower = NetworkFollower()
    again = [follower.push(ReceiverReport(0.3, None, at=7.0)) for _ in range(6)]
    assert set(rates(again)) == {24_000}


@given(
    st.lists(
        st.tuples(st.floats(min_value=-1.0, max_value=2.0), st.none() | st.floats(-1.0, 10.0)),
        max_size=50,
    )
)
def test_settings_stay_in_their_range(reports: list[tuple[float, float | None]]) -> None:
    follower = NetworkFollower()
    for index, (loss, trip_s) in enumerate(reports):
        encoding = follower.push(ReceiverReport(loss, trip_s, at=index))
        assert encoding.bitrate_bps in {*RUNGS_BPS, LOSSY_BPS}
        assert encoding.expected_loss_percent in EXPECTED_STEPS_PERCENT
        assert 0.0 <= follower.loss <= 1.0
