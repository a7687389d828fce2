"""Encoding follows the reports of a real connection, and what others lose."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from aiortc import RTCRtpTransceiver

from voicepeer import network, rtc
from voicepeer.core.adaptation import Encoding, ReceiverReport
from voicepeer.network import follow_network

pytestmark = pytest.mark.unit


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> list[ReceiverReport | None]:
    """What the other side says next; nothing more once all is said."""
    said: list[ReceiverReport | None] = []

    async def report(_sender: object) -> ReceiverReport | None:
        return said.pop(0) if said else None

    monkeypatch.setattr(rtc, "receiver_report", report)
    monkeypatch.setattr(network, "FOLLOW_EVERY_S", 0.0)
    return said


async def followed(sections: list[Any], further_loss: float = 0.0) -> list[Encoding]:
    """What was encoded as while these were the audio sections, the last one for good."""
    heard: list[Encoding] = []

    def audio() -> RTCRtpTransceiver | None:
        return sections.pop(0) if len(sections) > 1 else sections[0]  # type: ignore[no-any-return]

    task = asyncio.create_task(follow_network(audio, heard.append, lambda: further_loss))
    for _ in range(60):
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return heard


def lossy(fraction: float, at: float = 0.0) -> ReceiverReport:
    return ReceiverReport(fraction_lost=fraction, round_trip_s=0.05, at=at)


async def test_nothing_is_followed_until_there_is_audio_and_a_report(
    reports: list[ReceiverReport | None],
) -> None:
    reports += [None, lossy(0.0)]
    heard = await followed([None, None, SimpleNamespace(sender=object())])
    assert len(heard) == 1


async def test_whoever_loses_most_decides(reports: list[ReceiverReport | None]) -> None:
    section = SimpleNamespace(sender=object())
    reports += [lossy(0.0, at) for at in range(5)]
    alone = await followed([section])
    reports += [lossy(0.0, at) for at in range(5)]
    in_a_room = await followed([section], further_loss=0.2)
    assert in_a_room[-1].expected_loss_percent > alone[-1].expected_loss_percent
