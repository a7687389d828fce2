"""How to encode for a network that loses packets; knows neither the encoder nor the reports."""

from __future__ import annotations

from dataclasses import dataclass

CLEAN_BPS = 32_000
LOSSY_BPS = 40_000
"""In-band FEC takes its bits from the same budget, so a little more keeps the speech as it was."""

CONGESTED_BPS = 24_000
"""Beyond ``CONGESTED_LOSS`` the loss is probably our own traffic's, and FEC would add to it."""

LOSSY_LOSS = 0.02
CONGESTED_LOSS = 0.15
EXPECTED_MIN_PERCENT = 5
"""FEC is there before the first loss is reported, which takes a second or more."""

EXPECTED_MAX_PERCENT = 30
FORGET_SHARE = 0.2
"""How much of the difference to a better report is believed; worse ones are believed at once."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """Settings of a speech encoder."""

    bitrate_bps: int = CLEAN_BPS
    expected_loss_percent: int = EXPECTED_MIN_PERCENT


class LossFollower:
    """Turns the loss that the other side reports into settings, without jumping up and down."""

    def __init__(self) -> None:
        self._loss = 0.0

    def push(self, fraction_lost: float) -> Encoding:
        """Take the share of packets lost since the last report, 0 to 1."""
        loss = min(max(fraction_lost, 0.0), 1.0)
        if loss < self._loss:
            loss = self._loss + FORGET_SHARE * (loss - self._loss)
        self._loss = loss
        expected = min(max(round(loss * 100), EXPECTED_MIN_PERCENT), EXPECTED_MAX_PERCENT)
        if loss >= CONGESTED_LOSS:
            return Encoding(CONGESTED_BPS, expected)
        return Encoding(LOSSY_BPS if loss >= LOSSY_LOSS else CLEAN_BPS, expected)
