"""A connection that only sends Opus, to a peer that only hears it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.peers.clock import unhurried
from tests.peers.ears import FRAME_S, Ears, packets
from tests.peers.glitches import count, tone
from tests.peers.leaks import nothing_left_behind
from tests.peers.room import until
from voicepeer import rtc
from voicepeer.adapters.sender import NotConnected, OpusSender
from voicepeer.core.sdp import parse_offer

pytestmark = pytest.mark.peer


@asynccontextmanager
async def pair() -> AsyncIterator[tuple[OpusSender, Ears]]:
    rtc.install_patches()
    sender, ears = OpusSender(), Ears()
    try:
        yield sender, ears
    finally:
        await sender.close()
        await ears.close()


@unhurried
async def test_packets_are_heard_as_they_were_pushed() -> None:
    async with nothing_left_behind(), pair() as (sender, ears):
        spoken = packets(tone(0.6))
        sender.push(spoken[0])  # before there is a connection it is dropped
        await sender.accept(await ears.answer(await sender.offer()))
        for packet in spoken:
            sender.push(packet)
            await asyncio.sleep(FRAME_S)
        # A busy machine may lose some on the way; none comes twice or from before.
        await until(lambda: ears.recorder.receiver.counters.received > len(spoken) * 0.8, 20)
        assert ears.recorder.receiver.counters.received <= len(spoken)
        await until(lambda: count(ears.recorder.pcm()).tone_ms > 400, 20)


@unhurried
async def test_only_opus_is_offered_and_only_to_be_sent() -> None:
    async with pair() as (sender, _):
        sdp = await sender.offer()
        (section,) = parse_offer(sdp).sections
        assert section.direction == "sendonly"
        assert "opus/48000/2" in sdp
        assert sdp.count("a=rtpmap:") == 1
        assert "a=candidate:" in sdp


@unhurried
async def test_an_answer_that_is_of_no_use_is_said_so() -> None:
    async with nothing_left_behind():
        async with pair() as (sender, ears):
            answer = await ears.answer(await sender.offer())
            with pytest.raises(NotConnected, match="does not take Opus"):
                await sender.accept(answer.replace("a=recvonly", "a=inactive"))
        async with pair() as (sender, _):
            await sender.offer()
            with pytest.raises(NotConnected, match="malformed"):
                await sender.accept("v=0\r\nm=audio nonsense\r\n")


@unhurried
async def test_whoever_never_connects_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voicepeer.adapters.sender.CONNECT_TIMEOUT_S", 0.1)
    async with pair() as (sender, ears):
        answer = await ears.answer(await sender.offer())
        deaf = "\r\n".join(line for line in answer.split("\r\n") if "candidate" not in line)
        await ears.close()
        with pytest.raises(NotConnected, match="is UDP to the server open"):
            await sender.accept(deaf)
