"""What the encoder is told as losses come and go."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.adaptation import (
    CLEAN_BPS,
    CONGESTED_BPS,
    EXPECTED_MAX_PERCENT,
    EXPECTED_MIN_PERCENT,
    LOSSY_BPS,
    Encoding,
    LossFollower,
)

pytestmark = pytest.mark.unit


def test_a_clean_network_needs_nothing_special() -> None:
    assert LossFollower().push(0.0) == Encoding() == Encoding(CLEAN_BPS, EXPECTED_MIN_PERCENT)


def test_a_loss_is_answered_at_once() -> None:
    assert LossFollower().push(0.10) == Encoding(LOSSY_BPS, 10)


def test_heavy_loss_lowers_the_bitrate() -> None:
    assert LossFollower().push(0.4) == Encoding(CONGESTED_BPS, EXPECTED_MAX_PERCENT)


def test_a_better_report_is_believed_slowly() -> None:
    follower = LossFollower()
    follower.push(0.2)
    percents = [follower.push(0.0).expected_loss_percent for _ in range(15)]
    assert percents[0] == 16
    assert percents == sorted(percents, reverse=True)
    assert follower.push(0.0) == Encoding()


@given(st.lists(st.floats(min_value=-1.0, max_value=2.0), max_size=50))
def test_settings_stay_in_their_range(reports: list[float]) -> None:
    follower = LossFollower()
    for report in reports:
        encoding = follower.push(report)
        assert 24_000 <= encoding.bitrate_bps <= 40_000
        assert EXPECTED_MIN_PERCENT <= encoding.expected_loss_percent <= EXPECTED_MAX_PERCENT
        assert math.isfinite(encoding.bitrate_bps)
