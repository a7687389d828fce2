"""How to encode for the network there is; knows neither the encoder nor how reports come."""

from __future__ import annotations

from dataclasses import dataclass

CLEAN_BPS = 32_000
LOSSY_BPS = 40_000
"""In-band FEC takes its bits from the same budget, so a little more keeps the speech as it was."""

RUNGS_BPS = (12_000, 16_000, 24_000, CLEAN_BPS)
"""Steps that a crowded link makes us climb down, one for each bad report."""

LOSSY_LOSS = 0.02
CONGESTED_LOSS = 0.15
"""Beyond this the loss is probably our own traffic's, and FEC would add to it."""

CONGESTED_QUEUE_S = 0.15
"""A round trip longer than the shortest one by this is time spent in a queue that we fill."""

CROWDED_QUEUE_S = 0.05
"""The same, together with losses: a short queue that overflows."""

CALM_REPORTS = 5
"""Good reports in a row, one a second, before the next rung up is tried."""

CALM_REPORTS_MAX = 40
"""After each try that failed the next one waits twice as long, up to this."""

EXPECTED_STEPS_PERCENT = (5, 10, 20, 30)
"""What the encoder is told, so that listeners with about the same loss share one encoder. FEC is
there before the first loss is reported, which takes a second or more."""

FORGET_SHARE = 0.2
"""How much of the difference to a better report is believed; worse ones are believed at once."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """Settings of a speech encoder."""

    bitrate_bps: int = CLEAN_BPS
    expected_loss_percent: int = EXPECTED_STEPS_PERCENT[0]


@dataclass(frozen=True, slots=True)
class ReceiverReport:
    """What a listener says of our packets (RFC 3550 section 6.4.1).

    ``fraction_lost`` is the share lost since the report before, 0 to 1; ``at`` is different for
    each report, so that one that is read twice counts once.
    """

    fraction_lost: float
    round_trip_s: float | None
    at: float
    packets_lost: int = 0
    """Since the beginning."""
    jitter_s: float = 0.0
    packets_sent: int = 0
    """Since the beginning, by us."""


@dataclass(frozen=True, slots=True)
class LinkFigures:
    """What one report tells of the way to its listener; packets are those since the one before."""

    sent: int
    lost: int
    loss: float
    """Share, 0 to 1."""
    jitter_s: float
    round_trip_s: float | None
    bitrate_bps: int


def link_figures(
    before: ReceiverReport | None, report: ReceiverReport, bitrate_bps: int
) -> LinkFigures:
    """The figures of a report; packets that came twice can make the count of the lost fall."""
    sent, lost = (0, 0) if before is None else (before.packets_sent, before.packets_lost)
    return LinkFigures(
        sent=max(0, report.packets_sent - sent),
        lost=max(0, report.packets_lost - lost),
        loss=min(max(report.fraction_lost, 0.0), 1.0),
        jitter_s=report.jitter_s,
        round_trip_s=report.round_trip_s,
        bitrate_bps=bitrate_bps,
    )


class NetworkFollower:
    """Turns receiver reports into settings, without jumping up and down."""

    def __init__(self) -> None:
        self._loss = 0.0
        self._shortest_s = float("inf")
        self._queue_s: float | None = None
        self._rung = len(RUNGS_BPS) - 1
        self._calm = 0
        self._patience = CALM_REPORTS
        self._since_climb = CALM_REPORTS_MAX
        self._since_congestion = CALM_REPORTS_MAX
        self._last_at: float | None = None

    @property
    def loss(self) -> float:
        """The loss that is reckoned with at present, 0 to 1."""
        return self._loss

    def push(self, report: ReceiverReport) -> Encoding:
        """Take a report; one that was taken before changes nothing."""
        if report.at != self._last_at:
            self._last_at = report.at
            self._note_loss(report.fraction_lost)
            self._climb(self._is_congested(report))
        return self._encoding()

    def _note_loss(self, fraction_lost: float) -> None:
        loss = min(max(fraction_lost, 0.0), 1.0)
        if loss < self._loss:
            loss = self._loss + FORGET_SHARE * (loss - self._loss)
        self._loss = loss

    def _is_congested(self, report: ReceiverReport) -> bool:
        self._queue_s = None
        if report.round_trip_s is not None:
            round_trip_s = max(report.round_trip_s, 0.0)
            self._shortest_s = min(self._shortest_s, round_trip_s)
            self._queue_s = round_trip_s - self._shortest_s
        queue_s = self._queue_s or 0.0
        # Losses that begin with more bits are answered by fewer, whatever the queue.
        suspect = queue_s > CROWDED_QUEUE_S or self._since_climb < CALM_REPORTS
        crowded = report.fraction_lost >= LOSSY_LOSS and suspect
        return crowded or report.fraction_lost >= CONGESTED_LOSS or queue_s > CONGESTED_QUEUE_S

    def _climb(self, congested: bool) -> None:
        self._since_climb += 1
        self._since_congestion += 1
        if congested:
            self._since_congestion = 0
            if self._since_climb <= CALM_REPORTS:
                self._patience = min(2 * self._patience, CALM_REPORTS_MAX)
            self._rung, self._calm = max(self._rung - 1, 0), 0
            return
        self._calm += 1
        if self._rung == len(RUNGS_BPS) - 1:
            if self._calm >= CALM_REPORTS_MAX:
                self._patience = CALM_REPORTS
        elif self._calm >= self._patience:
            self._rung, self._calm, self._since_climb = self._rung + 1, 0, 0

    def _encoding(self) -> Encoding:
        percent = self._loss * 100
        expected = next(
            (step for step in EXPECTED_STEPS_PERCENT if percent <= step + 0.5),
            EXPECTED_STEPS_PERCENT[-1],
        )
        bitrate_bps = RUNGS_BPS[self._rung]
        # More bits against losses, but only where they are known not to fill a queue.
        free = self._queue_s is not None and self._queue_s < CROWDED_QUEUE_S
        free = free and self._since_congestion >= CALM_REPORTS_MAX
        if bitrate_bps == CLEAN_BPS and self._loss >= LOSSY_LOSS and free:
            bitrate_bps = LOSSY_BPS
        return Encoding(bitrate_bps, expected)
