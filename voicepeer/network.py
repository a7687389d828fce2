"""How we encode follows what the other side says of our packets."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

from aiortc import RTCRtpTransceiver

from voicepeer import rtc
from voicepeer.core.adaptation import Encoding, LinkFigures, NetworkFollower, link_figures

FOLLOW_EVERY_S = 1.0
"""About as often as receiver reports come."""


def _none() -> float:
    return 0.0


def _unheard(figures: LinkFigures) -> None:
    """Nobody is told of it."""


async def follow_network(
    audio: Callable[[], RTCRtpTransceiver | None],
    encode_as: Callable[[Encoding], None],
    further_loss: Callable[[], float] = _none,
    observe: Callable[[LinkFigures], None] = _unheard,
) -> None:
    """Until cancelled, set bitrate and FEC by the reports on an audio section, once there is one.

    ``further_loss`` is the share of packets, 0 to 1, that others lose of the same sound;
    ``observe`` is told of each report.
    """
    follower, before = NetworkFollower(), None
    while True:
        await asyncio.sleep(FOLLOW_EVERY_S)
        sending = audio()
        report = None if sending is None else await rtc.receiver_report(sending.sender)
        if report is not None:
            loss = max(report.fraction_lost, further_loss())
            encoding = follower.push(replace(report, fraction_lost=loss))
            encode_as(encoding)
            if before is None or report.at != before.at:
                observe(link_figures(before, report, encoding.bitrate_bps))
                before = report
