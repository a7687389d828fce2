"""Models that one host lends to others: over real sockets, to hosts in this process."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

import numpy as np
import pytest

from engines.api import Controls, EngineBusy, EngineCrashed, Reference, Segment, Voice
from engines.fakes import FakeSpeechEngine, Script
from engines.host import EngineHost, HostSpec
from engines.lending import Lender
from engines.process.frames import FrameBuffer, ListVoices, Role, Speak, framed, pack
from tests.clips import clip
from tests.engines.homes import collect
from tests.peers.room import until

pytestmark = pytest.mark.peer

SPEC = HostSpec("fake", "fake", "fake", options=Script().to_options())
SLOW = replace(SPEC, options=Script(chunk_delay_ms=20.0).to_options())
TEXT = Segment("a sentence that goes on for a little while")
LONG = Segment(" ".join(["a sentence that goes on for a little while"] * 20))


def voice() -> Voice:
    return FakeSpeechEngine().stock_voices()["mid"]


@asynccontextmanager
async def borrowing(lender: Lender) -> AsyncIterator[EngineHost]:
    """A host without processes of its own."""
    lent: dict[Role, socket.socket] = {
        "speech": await lender.lend(),
        "listening": await lender.lend(),
    }
    async with EngineHost(SPEC, lent) as host:
        yield host


@pytest.fixture
async def own() -> AsyncIterator[EngineHost]:
    async with EngineHost(SPEC) as host:
        yield host


@pytest.fixture
async def lender(own: EngineHost) -> AsyncIterator[Lender]:
    lender = Lender(own)
    yield lender
    lender.close()


async def test_borrowed_models_do_what_ones_own_do(own: EngineHost, lender: Lender) -> None:
    async with borrowing(lender) as other:
        assert other.info == own.info
        assert other.ready
        assert dict(await other.stock_voices()).keys() == dict(await own.stock_voices()).keys()
        mine, theirs = await asyncio.gather(
            collect(own.speak(TEXT, voice())), collect(other.speak(TEXT, voice()))
        )
        assert [chunk.pcm.tobytes() for chunk in theirs] == [one.pcm.tobytes() for one in mine]
        assert theirs[0].pcm.size
        reference = Reference(clip("en_susan"), 16_000)
        made, same = await other.enrol(reference), await own.enrol(reference)
        assert made.to_bytes() == same.to_bytes()
        window = np.zeros(other.vad_window_samples, np.float32)
        assert (await other.score(window))[0] == (await own.score(window))[0]
        embedding = await other.embed(clip("en_susan"))
        assert np.array_equal(embedding, await own.embed(clip("en_susan")))


async def test_streams_are_bounded_over_all_who_use_the_engine() -> None:
    async with AsyncExitStack() as stack:
        own = await stack.enter_async_context(EngineHost(replace(SLOW, max_streams=2)))
        lender = Lender(own)
        stack.callback(lender.close)
        one = await stack.enter_async_context(borrowing(lender))
        two = await stack.enter_async_context(borrowing(lender))
        first, second = own.speak(LONG, voice()), one.speak(LONG, voice())
        await anext(first)
        await anext(second)
        with pytest.raises(EngineBusy):
            await collect(two.speak(TEXT, voice()))
        with pytest.raises(EngineBusy):
            own.speak(TEXT, voice())
        second.cancel()
        assert await collect(two.speak(TEXT, voice()))
        first.cancel()


async def test_who_begins_and_who_waits_is_counted_over_all_who_use_the_engine(
    own: EngineHost, lender: Lender
) -> None:
    begins, goes_on = replace(LONG, first=True), replace(LONG, first=False)
    async with borrowing(lender) as one, borrowing(lender) as two:
        own.max_begun = 2
        streams = [one.speak(begins, voice()), two.speak(begins, voice())]
        await until(lambda: own.keeper("speech").busy == 2)
        with pytest.raises(EngineBusy):
            await collect(one.speak(begins, voice()))
        with pytest.raises(EngineBusy):
            own.speak(begins, voice())
        streams.append(two.speak(goes_on, voice()))
        for stream in streams:
            await anext(stream)
        assert own.waiting == 0
        os.kill(own.worker_pids["speech"], signal.SIGSTOP)
        try:
            streams += [one.speak(goes_on, voice()), own.speak(goes_on, voice())]
            await until(lambda: own.waiting == 2)
            for stream in streams:
                stream.cancel()
            await until(lambda: own.waiting == 0)
        finally:
            os.kill(own.worker_pids["speech"], signal.SIGCONT)


async def test_what_a_borrower_no_longer_takes_is_given_up(own: EngineHost, lender: Lender) -> None:
    async with borrowing(lender) as other:
        stream = other.speak(LONG, voice())
        await anext(stream)
        assert own.keeper("speech").busy == 1
    # It has gone without a word, as a process that was killed does.
    await until(lambda: own.keeper("speech").busy == 0)
    assert await collect(own.speak(TEXT, voice()))


async def test_a_cancelled_stream_leaves_nothing_on_either_side(
    own: EngineHost, lender: Lender
) -> None:
    async with borrowing(lender) as other:
        for _ in range(5):
            stream = other.speak(LONG, voice())
            await anext(stream)
            stream.cancel()
        refinement = other.refine(voice(), Reference(clip("en_susan"), 16_000), 5.0)
        refinement.cancel()
        await until(lambda: other.keeper("speech").busy == own.keeper("speech").busy == 0)


async def test_a_crash_is_told_to_borrowers_who_then_go_on(own: EngineHost, lender: Lender) -> None:
    async with borrowing(lender) as other:
        stream = other.speak(LONG, voice())
        await anext(stream)
        os.kill(own.worker_pids["speech"], signal.SIGKILL)
        with pytest.raises(EngineCrashed):
            await collect(stream)
        assert await collect(other.speak(TEXT, voice()))
        assert (own.restarts, other.restarts) == (1, 0)


@pytest.mark.parametrize(
    "said",
    [
        framed(b"no message"),
        b"\xff\xff\xff\xff",
        pack(ListVoices(1)),
        pack(Speak(1, TEXT, Voice("fake", "1", {}), credit=1, controls=Controls())),
    ],
)
async def test_whoever_speaks_out_of_turn_is_cut_off_alone(
    own: EngineHost, lender: Lender, said: bytes
) -> None:
    lent = await lender.lend()
    with lent:
        lent.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(lent, said)
        async with asyncio.timeout(30):
            assert await end_of(lent)
    async with borrowing(lender) as other:
        assert await collect(other.speak(TEXT, voice()))


async def end_of(lent: socket.socket) -> bool:
    """Whether the other end closes the socket without an answer."""
    loop = asyncio.get_running_loop()
    try:
        data = await loop.sock_recv(lent, 4096)
    except ConnectionResetError:
        return True
    return not list(FrameBuffer().push(data)) and not data


async def test_a_borrower_sees_the_end_of_whoever_lends(own: EngineHost, lender: Lender) -> None:
    async with borrowing(lender) as other:
        stream = other.speak(LONG, voice())
        await anext(stream)
        lender.close()
        with pytest.raises(EngineCrashed):
            await collect(stream)
        assert not other.ready
