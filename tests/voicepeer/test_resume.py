"""Sessions that end and go on: lost clients, resume tokens, vanishing and draining."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from engines.fakes import CHAR_MS
from signaling.messages import Join
from signaling.sessions import SessionRequest
from tests.peers.caller import Connected, MemoryShelf, connected
from tests.peers.clock import unhurried
from tests.peers.engine import LocalEngine
from tests.peers.leaks import nothing_left_behind
from tests.peers.service import LocalService, running
from voicepeer.benches.network import impair
from voicepeer.call import Call, CallEnded
from voicepeer.client import VoicePeerClient
from voicepeer.core.messages import (
    Accepted,
    Cancelled,
    Done,
    End,
    ServerMessage,
    SessionEnding,
    Speak,
    Started,
    Word,
)
from voicepeer.core.resumption import Resumptions
from voicepeer.core.rtvi import Error
from voicepeer.session import Session
from voicepeer.session_state import SessionSettings, SessionState
from voicepeer.signaling_client import SignalingClient

pytestmark = pytest.mark.peer

LONG = "one two three four five six seven eight nine ten eleven twelve."


@asynccontextmanager
async def keeping(client: VoicePeerClient) -> AsyncIterator[list[ServerMessage]]:
    """All messages of a client's present call while the block lasts."""
    messages: list[ServerMessage] = []
    with client.call.listening() as stream:

        async def keep() -> None:
            try:
                async for message in stream:
                    messages.append(message)
            except CallEnded:
                return

        task = asyncio.create_task(keep())
        try:
            yield messages
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def until(messages: list[ServerMessage], kind: type[ServerMessage], count: int = 1) -> None:
    async with asyncio.timeout(10):
        while sum(isinstance(message, kind) for message in messages) < count:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def words(messages: list[ServerMessage]) -> list[Word]:
    return [message for message in messages if isinstance(message, Word)]


@unhurried
async def test_voice_queue_and_settings_go_on_over_a_new_connection() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("high")
        await client.configure(barge_in=True, barge_in_min_ms=450)
        async with keeping(client) as before:
            client.call.send(Speak(utterance_id="a", text=LONG, speed=1.0))
            client.call.send(Speak(utterance_id="b", text="And then this."))
            client.append("c", "Not yet ended")
            await until(before, Word, 4)
        first = service.sessions[0]
        assert await client.reconnect() == ["a", "b", "c"]
        assert client.session_id != first.session_id
        async with keeping(client) as after:
            client.call.send(End(utterance_id="c"))
            await until(after, Done, 3)
            assert (await client.configure()).barge_in_min_ms == 450
        assert [m.utterance_id for m in after if isinstance(m, Done)] == ["a", "b", "c"]
        told = [word for word in words(before) + words(after) if word.utterance_id == "a"]
        assert " ".join(dict.fromkeys(word.text for word in told)) == LONG
        assert len(told) <= LONG.count(" ") + 3, "a word or two may be said again"
        assert all(LONG[word.char_start : word.char_end] == word.text for word in told)
        starts_ms = [word.start_ms for word in told]
        assert all(
            late > early - 100 for early, late in zip(starts_ms, starts_ms[1:], strict=False)
        )
        (done,) = [m for m in after if isinstance(m, Done) and m.utterance_id == "a"]
        assert done.audio_ms == pytest.approx(len(LONG) * CHAR_MS, rel=0.1)
        assert service.observer.told.count(("session_resumed", ())) == 1


@unhurried
async def test_who_has_vanished_gets_what_was_sent_into_the_void_said_again() -> None:
    settings = SessionSettings(silence_timeout_s=1.2)
    local = LocalService(settings=settings)
    async with running(local) as service, VoicePeerClient(service.url) as client:
        await client.use_voice("high")
        async with keeping(client) as before:
            client.call.send(Speak(utterance_id="a", text=LONG))
            await until(before, Word, 3)
            await asyncio.sleep(0.1)
            peer = service.sessions[0].peer
            assert peer is not None
            impair(client.call.peer).blackout = True
            impair(peer).blackout = True
            closed = asyncio.Event()
            service.sessions[0].on_closed(lambda reason: closed.set())
            async with asyncio.timeout(6):
                await closed.wait()
            heard = words(before)
        assert await client.reconnect() == ["a"]
        async with keeping(client) as after:
            await until(after, Done)
        said_again = [word.text for word in words(after)]
        # While nobody listened, the session has gone on for more than a second.
        assert said_again == LONG.split()[-len(said_again) :]
        assert len(heard) + len(said_again) in range(12, 16)


@unhurried
async def test_a_token_is_good_once_and_a_late_one_gives_a_new_session() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("high")
        token = client._resume_token
        await client.reconnect()
        client._resume_token = token
        with pytest.raises(CallEnded, match="new one"):
            await client.reconnect()
        assert not service.sessions[-1].resumed


@unhurried
async def test_a_client_that_left_on_purpose_leaves_nothing() -> None:
    async with running() as service:
        async with VoicePeerClient(service.url) as client:
            await client.use_voice("high")
        async with asyncio.timeout(5):
            while len(service.observer.names()) < 2:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert len(service.resumptions) == 0


@unhurried
async def test_the_same_client_joining_again_replaces_its_session_and_may_go_on_there() -> None:
    async with running() as service, VoicePeerClient(service.url) as client:
        await client.use_voice("high")
        second = SignalingClient(service.url, lambda reason: None)
        join = Join(client_id=client._join.client_id, resume_token=client._resume_token)
        joined = await second.join(join)
        assert joined.restored
        async with asyncio.timeout(5):
            async for _ in client.events():
                pass
        assert service.observer.told.count(("session_closed", ("replaced",))) == 1
        await second.close()


@unhurried
async def test_a_session_that_was_resumed_but_never_connected_can_be_resumed_again() -> None:
    kept: Resumptions[SessionState] = Resumptions()
    engine, shelf = LocalEngine(), MemoryShelf()

    async def session(token: str | None) -> Session:
        request = SessionRequest("room", "name", resume_token=token)
        settings = SessionSettings(connect_timeout_s=0.2)
        made = Session(request, engine, shelf, settings, resumptions=kept)
        await made.take_over()
        return made

    first = await session(None)
    call = Call()
    try:
        await first.answer(await call.offer())
        async with asyncio.timeout(5):
            while not len(kept):  # noqa: ASYNC110 - the watchdog closes it
                await asyncio.sleep(0.01)
        second = await session(first.resume_token)
        assert second.resumed
        await second.close("signaling_lost")
        third = await session(second.resume_token)
        assert third.resumed
        await third.close("client_left")
        assert len(kept) == 0
    finally:
        await call.close()
        await first.close("test over")


# --- vanishing --------------------------------------------------------------------------------


@unhurried
async def test_a_vanished_client_is_given_up_right_after_its_patience_has_ended() -> None:
    settings = SessionSettings(silence_timeout_s=1.0)
    async with nothing_left_behind(), connected(settings=settings) as both:
        await both.use_stock_voice()
        closed = asyncio.Event()
        both.session.on_closed(lambda reason: closed.set())
        impair(both.call.peer).blackout = True
        last_s = time.monotonic()
        async with asyncio.timeout(8):
            await closed.wait()
        took_s = time.monotonic() - last_s
        assert both.closed_for == ["client_vanished"]
        # Early would be a fault; late is a matter of the machine, and still far from 5 s.
        assert 0.9 <= took_s <= 3.0


@unhurried
async def test_a_vanished_client_that_never_pinged_is_noticed_by_ice() -> None:
    """Its consent runs out (RFC 7675), for which nobody has to send a message."""
    async with connected(settings=SessionSettings(silence_timeout_s=60.0)) as both:
        assert both.call.peer.sctp is not None
        gone_s = time.monotonic()
        await both.call.peer.sctp.transport.transport.stop()
        async with asyncio.timeout(15):
            while not both.closed_for:  # noqa: ASYNC110 - ICE closes it
                await asyncio.sleep(0.02)
        assert both.closed_for == ["connection_lost"]
        assert 2.0 <= time.monotonic() - gone_s <= 10.0


@unhurried
async def test_what_cannot_be_sent_any_more_is_no_error_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with connected() as both:
        assert both.call.peer.sctp is not None
        await both.call.peer.sctp.transport.stop()
        both.call.channel.send("too late")
        await asyncio.sleep(0.1)
        gc.collect()
    # Tasks that failed and were awaited by nobody are told of when they are collected.
    assert [record.getMessage() for record in caplog.records if record.name == "asyncio"] == []


# --- draining ---------------------------------------------------------------------------------


async def drained(both: Connected, within_s: float) -> float:
    started_s = time.monotonic()
    await both.session.drain(within_s)
    return time.monotonic() - started_s


@unhurried
async def test_draining_says_so_and_lets_what_is_being_said_end() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text="This may end."))
        await both.wait_for(Started)
        draining = asyncio.create_task(drained(both, 30.0))
        ending = await both.wait_for(SessionEnding)
        assert (ending.reason, ending.within_s) == ("shutting_down", 30.0)
        both.send(Speak(utterance_id="b", text="This comes too late."))
        error = await both.wait_for(Error)
        assert (error.code, error.utterance_id) == ("shutting_down", "b")
        await both.wait_for(Done)
        assert await draining < 15
        assert not both.got(Cancelled)
        assert len(both.got(Accepted)) == 1


@unhurried
async def test_draining_has_a_limit() -> None:
    async with connected() as both:
        await both.use_stock_voice()
        both.send(Speak(utterance_id="a", text=LONG * 20))
        await both.wait_for(Started)
        assert 0.25 <= await drained(both, 0.3) < 5
        await both.session.close("shutting_down")
        assert both.closed_for == ["shutting_down"]


@unhurried
async def test_a_session_with_nothing_to_say_is_drained_at_once() -> None:
    async with connected() as both:
        assert await drained(both, 30.0) < 5
