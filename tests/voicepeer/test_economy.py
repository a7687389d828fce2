"""What sessions do with less, and what they tell their clients of it."""

from __future__ import annotations

import pytest

from engines.api import Controls, EngineBusy, Segment, Voice
from tests.peers.caller import connected
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine, LocalStream
from voicepeer.core.degradation.ladder import Step
from voicepeer.core.messages import (
    Append,
    Done,
    Failed,
    ServiceStatus,
    Speak,
    Started,
)
from voicepeer.core.rtvi import BotReady, ClientReady
from voicepeer.core.speaking.beginning import Beginning
from voicepeer.core.speaking.segment import FIRST_MAX_WORDS, SHORT_FIRST_WORDS
from voicepeer.economy import Economy

pytestmark = pytest.mark.peer

LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
SHORT_FIRST: tuple[Step, ...] = ("short_first_piece",)


class FullEngine(LocalEngine):
    """An engine that has no room for another utterance."""

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, in_hand_s: float | None = None
    ) -> LocalStream:
        raise EngineBusy("16 are speaking already: try again later")


@unhurried
async def test_first_pieces_are_shorter_while_there_is_too_much_to_do() -> None:
    economy, engine = Economy(), LocalEngine()
    async with connected(engine, economy=economy) as both:
        await both.use_stock_voice()
        for number, steps in enumerate([(), SHORT_FIRST, ()]):
            economy.change(steps)
            both.send(Speak(utterance_id=f"u{number}", text=LONG, interrupt=True))
            await both.wait_for(Started, number + 1)
        usual, short, again = (segment.text for segment in engine.segments if segment.first)
    assert usual == again
    assert SHORT_FIRST_WORDS < len(usual.split()) <= FIRST_MAX_WORDS
    assert len(short.split()) <= SHORT_FIRST_WORDS


@unhurried
async def test_clients_are_told_of_each_change_and_of_how_it_is_when_they_come() -> None:
    economy = Economy()
    economy.change(SHORT_FIRST)
    async with connected(economy=economy) as both:
        both.send(ClientReady(version="2.0.0"))
        await both.wait_for(BotReady)
        assert await both.wait_for(ServiceStatus) == ServiceStatus(1, [*SHORT_FIRST])
        both.send(ClientReady(version="2.0.0"))
        economy.change(["short_first_piece", "light_listening"])
        economy.change([])
        await both.wait_for(ServiceStatus, 3)
        assert [status.step for status in both.got(ServiceStatus)] == [1, 2, 0]


@unhurried
async def test_without_anything_to_tell_nothing_is_told() -> None:
    async with connected(economy=Economy()) as both:
        both.send(ClientReady(version="2.0.0"))
        await both.wait_for(BotReady)
        await both.use_stock_voice()
        assert both.got(ServiceStatus) == []


@unhurried
async def test_a_closed_session_is_told_no_more() -> None:
    economy = Economy()
    async with connected(economy=economy) as both:
        await both.session.close("client_left")
        economy.change(SHORT_FIRST)
        assert economy._listeners == set()


@unhurried
async def test_an_utterance_without_a_place_fails_so_that_it_can_be_sent_again() -> None:
    async with connected(FullEngine()) as both:
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text="Hello there."))
        failed = await both.wait_for(Failed)
        assert (failed.code, failed.retryable) == ("at_capacity", True)


@unhurried
async def test_only_what_had_to_wait_for_nothing_else_counts_as_latency() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        for name in ("a", "b", "c"):
            both.send(Speak(utterance_id=name, text="Hi you."))
        await both.wait_for(Done, 3)
        both.send(Append(utterance_id="d", text="Me too. "))
        await both.wait_for(Started, 4)
        told = [what for name, what in both.observer.told if name == "utterance_started"]
        started = both.got(Started)
    assert len(told) == 2
    for (parts,), event in zip(told, (started[0], started[3]), strict=True):
        assert isinstance(parts, Beginning)
        assert parts.total_ms == pytest.approx(event.latency_ms, abs=1.0)
        assert parts.send_ms > 0.0
