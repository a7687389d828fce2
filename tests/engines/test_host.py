"""The host with real worker processes: what it carries, and what it survives."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.api import (
    Chunk,
    Controls,
    EngineBusy,
    EngineCrashed,
    EngineError,
    LanguageUnsupported,
    Reference,
    ReferenceRejected,
    Segment,
    Voice,
    VoiceIncompatible,
)
from engines.fakes import (
    AMPLITUDE,
    REFINED_BY_HZ,
    FakeSpeakerEncoder,
    FakeSpeechEngine,
    FakeVad,
    Fault,
    Script,
)
from engines.host import EngineHost, HostSpec, SpeechStream
from engines.process import child
from engines.process.keeper import Limits
from engines.process.starvation import Starvation
from tests.clips import clip
from tests.engines.homes import Direct, collect, joined
from tests.processes import alive, holdings, wait_until

pytestmark = pytest.mark.peer

SENTENCE = "a sentence that goes on for a little while"
LONG = " ".join([SENTENCE] * 20)
QUICK = Limits(chunk_s=0.4, request_s=0.4)


def spec(script: Script | None = None, **changes: Any) -> HostSpec:  # noqa: ANN401
    plain = HostSpec("fake", "fake", "fake", options=(script or Script()).to_options())
    return replace(plain, **changes)


def voice(name: str = "mid") -> Voice:
    return FakeSpeechEngine().stock_voices()[name]


def reference() -> Reference:
    return Reference(clip("en_susan"), 16_000)


async def alone(text: str, name: str = "mid") -> list[Chunk]:
    """What the fake says without a host."""
    home = Direct(FakeSpeechEngine(), FakeSpeakerEncoder())
    return await collect(home.speak(Segment(text), voice(name)))


async def take(stream: SpeechStream, count: int) -> list[Chunk]:
    return [await anext(stream) for _ in range(count)]


@pytest.fixture
async def host() -> AsyncIterator[EngineHost]:
    async with EngineHost(spec()) as started:
        yield started


# What it carries


async def test_knows_its_models(host: EngineHost) -> None:
    assert host.ready
    assert host.info == FakeSpeechEngine.info
    assert host.restarts == 0
    assert host.encoder_window_samples == FakeSpeakerEncoder.window_samples
    assert host.encoder_rate_hz == FakeSpeakerEncoder.sample_rate_hz
    assert host.vad_window_samples == FakeVad.window_samples
    assert host.vad_rate_hz == FakeVad.sample_rate_hz
    assert set(host.worker_pids) == {"speech", "listening"}


async def test_speech_arrives_as_it_was_made(host: EngineHost) -> None:
    heard, expected = await collect(host.speak(Segment(SENTENCE), voice())), await alone(SENTENCE)
    assert [chunk.marks for chunk in heard] == [chunk.marks for chunk in expected]
    np.testing.assert_array_equal(joined(heard), joined(expected))


async def test_controls_arrive(host: EngineHost) -> None:
    heard = await collect(host.speak(Segment(SENTENCE), voice(), Controls(speed=2.0, energy=0.5)))
    assert joined(heard).size == pytest.approx(joined(await alone(SENTENCE)).size / 2, abs=1)
    assert np.abs(joined(heard)).max() == pytest.approx(AMPLITUDE / 2, rel=0.01)


async def test_stock_voices_are_asked_for_once(host: EngineHost) -> None:
    voices = await host.stock_voices()
    assert set(voices) == {"low", "mid", "high"}
    assert await host.stock_voices() is voices


async def test_listening_arrives_as_it_was_scored(host: EngineHost) -> None:
    pcm, vad, memory = clip("en_susan")[: 20 * 512], FakeVad(), FakeVad().memory()
    expected = []
    for window in pcm.reshape(-1, 512):
        probability, memory = vad.score(window, memory)
        expected.append(probability)
    first, after = await host.score(pcm[: 8 * 512])
    second, after = await host.score(pcm[8 * 512 :], after)
    assert first + second == expected
    np.testing.assert_array_equal(after, memory)


async def test_embeddings_arrive(host: EngineHost) -> None:
    pcm, encoder = clip("en_susan"), FakeSpeakerEncoder()
    window = pcm[: encoder.window_samples]
    np.testing.assert_array_equal(await host.embed(pcm), encoder.embed(pcm))
    np.testing.assert_array_equal(await host.embed_window(window), encoder.embed_window(window))


async def test_a_long_reference_arrives(host: EngineHost) -> None:
    long = np.resize(clip("en_susan"), 30 * 48_000)
    made = await host.enrol(Reference(long, 48_000))
    expected = await asyncio.to_thread(FakeSpeechEngine().enrol, Reference(long, 48_000))
    np.testing.assert_array_equal(made.arrays["tone_hz"], expected.arrays["tone_hz"])


async def test_wrong_sizes_never_leave(host: EngineHost) -> None:
    with pytest.raises(ValueError, match="25600"):
        await host.embed_window(np.zeros(100, dtype=np.float32))
    with pytest.raises(ValueError, match="512"):
        await host.score(np.zeros(513, dtype=np.float32))


async def test_errors_keep_their_type(host: EngineHost) -> None:
    with pytest.raises(LanguageUnsupported, match="de-de, en-us"):
        await collect(host.speak(Segment("hi", "xx-xx"), voice()))
    with pytest.raises(ReferenceRejected, match="too short"):
        await host.enrol(Reference(np.ones(100, dtype=np.float32), 16_000))
    with pytest.raises(ReferenceRejected, match="silent"):
        await host.embed(np.zeros(16_000, dtype=np.float32))


# Streams


async def test_made_chunks_are_bounded() -> None:
    async with EngineHost(spec(lead_chunks=4)) as host:
        stream = host.speak(Segment(LONG), voice())
        await take(stream, 1)
        await asyncio.sleep(0.2)
        assert len(stream._chunks) <= 4
        assert not stream.ended
        rest = await collect(stream)
        assert len(rest) == len(await alone(LONG)) - 1


@pytest.mark.parametrize("lead_chunks", [1, 2, 3, 5, 9])
async def test_any_lead_lets_a_stream_finish(lead_chunks: int) -> None:
    async with EngineHost(spec(lead_chunks=lead_chunks)) as host:
        heard = await collect(host.speak(Segment(SENTENCE), voice()))
        assert len(heard) == len(await alone(SENTENCE))


async def test_a_third_listener_hears_before_the_others_tenth_chunk() -> None:
    script = Script(first_chunk_delay_ms=10.0, chunk_delay_ms=10.0)
    async with EngineHost(spec(script)) as host:
        order: list[int] = []
        underway = asyncio.Event()

        async def listen(who: int) -> None:
            async for _ in host.speak(Segment(SENTENCE), voice()):
                order.append(who)
                if order.count(1) == 3:
                    underway.set()

        others = [asyncio.create_task(listen(who)) for who in (1, 2)]
        await underway.wait()
        third = asyncio.create_task(listen(3))
        await asyncio.gather(*others, third)
        before = order[: order.index(3)]
        assert max(before.count(1), before.count(2)) < 10
        # And from then on nobody is left behind: the listeners' buffers grow alike.
        middle = order[order.index(3) :][:30]
        assert middle.count(3) >= 10


async def test_cancelling_is_immediate_and_frees_the_engine() -> None:
    async with EngineHost(spec(Script(chunk_delay_ms=50.0), lead_chunks=1000)) as host:
        stream = host.speak(Segment(LONG), voice())
        await take(stream, 2)
        stream.cancel()
        stream.cancel()
        assert await collect(stream) == []
        began = time.monotonic()
        await take(host.speak(Segment(SENTENCE), voice()), 1)
        # What was being made is finished first; the other 300 chunks are not.
        assert time.monotonic() - began < 1.0


async def test_cancelling_wakes_who_waits() -> None:
    async with EngineHost(spec(Script(first_chunk_delay_ms=300.0))) as host:
        stream = host.speak(Segment(SENTENCE), voice())
        waiting = asyncio.create_task(collect(stream))
        await asyncio.sleep(0.02)
        stream.cancel()
        assert await asyncio.wait_for(waiting, 0.2) == []


async def test_closing_a_stream_early_cancels_it(host: EngineHost) -> None:
    async with contextlib.aclosing(host.speak(Segment(LONG), voice())) as stream:
        await take(stream, 1)
    assert stream.ended
    assert await collect(stream) == []


async def test_too_many_streams_are_refused(host: EngineHost) -> None:
    streams = [host.speak(Segment(LONG), voice()) for _ in range(host.spec.max_streams)]
    with pytest.raises(EngineBusy, match="16"):
        host.speak(Segment(SENTENCE), voice())
    streams[3].cancel()
    await collect(host.speak(Segment(SENTENCE), voice()))


async def test_many_streams_stay_apart(host: EngineHost) -> None:
    texts = [f"number {n} has something of its own to say" for n in range(16)]
    heard = await asyncio.gather(*(collect(host.speak(Segment(text), voice())) for text in texts))
    for text, chunks in zip(texts, heard, strict=True):
        np.testing.assert_array_equal(joined(chunks), joined(await alone(text)))


async def test_enrolling_does_not_hold_up_speech() -> None:
    async with EngineHost(spec(Script(enrol_delay_ms=1000.0))) as host:
        enrolling = asyncio.create_task(host.enrol(Reference(clip("en_susan"), 16_000)))
        await collect(host.speak(Segment(SENTENCE), voice()))
        assert not enrolling.done()
        assert (await enrolling).engine == "fake"


async def test_giving_up_an_enrolment_harms_nobody() -> None:
    async with EngineHost(spec(Script(enrol_delay_ms=100.0))) as host:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(host.enrol(Reference(clip("en_susan"), 16_000)), 0.02)
        assert (await host.enrol(Reference(clip("en_david"), 16_000))).engine == "fake"


# Engines that go wrong


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("refuse", "told to fail"),
        ("bug", r"ZeroDivisionError"),
        ("nan", "not numbers"),
        ("inf", "not numbers"),
        ("short", "wrong size"),
        ("empty", "wrong size"),
        ("huge", "wrong size"),
    ],
)
async def test_a_fault_ends_one_stream_only(fault: Fault, message: str) -> None:
    async with EngineHost(spec(Script(fault=fault, fault_after=3, fault_text="boom"))) as host:
        neighbour = asyncio.create_task(collect(host.speak(Segment(SENTENCE), voice())))
        stream = host.speak(Segment(f"boom {SENTENCE}"), voice())
        good = await take(stream, 3)
        assert all(np.isfinite(chunk.pcm).all() for chunk in good)
        with pytest.raises(EngineError, match=message):
            await collect(stream)
        assert len(await neighbour) == len(await alone(SENTENCE))
        assert host.restarts == 0


async def test_what_was_said_is_in_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    async with EngineHost(spec(Script(fault="bug", fault_text="secret"))) as host:
        with pytest.raises(EngineError) as caught:
            await collect(host.speak(Segment("a secret word"), voice()))
        for _ in range(100):
            if "ZeroDivisionError" in caplog.text:
                break
            await asyncio.sleep(0.02)
    assert "speech worker: " in caplog.text
    assert "fakes.py" in caplog.text, "the traceback says where"
    assert "secret" not in caplog.text + str(caught.value)


async def test_a_hanging_engine_is_restarted() -> None:
    async with EngineHost(spec(Script(fault="hang", fault_text="boom"), limits=QUICK)) as host:
        with pytest.raises(EngineCrashed):
            await asyncio.wait_for(collect(host.speak(Segment("boom"), voice())), 5.0)
        await collect(host.speak(Segment(SENTENCE), voice()))
        assert host.restarts == 1


class Starved(Starvation):
    """Says that a worker had no core at all, for as long as that is so."""

    lasts = True

    def since_last_s(self, pid: int) -> float:
        return 1e3 if self.lasts else 0.0


async def test_an_engine_without_a_core_is_waited_for_until_it_has_one() -> None:
    async with EngineHost(spec(Script(fault="hang", fault_text="boom"), limits=QUICK)) as host:
        starved = host.keeper("speech")._starvation = Starved()
        hanging = asyncio.create_task(collect(host.speak(Segment("boom"), voice())))
        await asyncio.sleep(5 * QUICK.chunk_s)
        assert not hanging.done()
        assert host.restarts == 0
        starved.lasts = False
        with pytest.raises(EngineCrashed):
            await asyncio.wait_for(hanging, 5.0)
        assert host.restarts == 1


async def test_an_engine_that_never_answers_is_not_waited_for_for_ever() -> None:
    async with EngineHost(spec(Script(fault="hang", fault_text="boom"), limits=QUICK)) as host:
        host.keeper("speech")._starvation = Starved()
        with pytest.raises(EngineCrashed):
            await asyncio.wait_for(collect(host.speak(Segment("boom"), voice())), 20.0)
        assert host.restarts == 1


async def test_a_cancelled_hanging_engine_is_restarted() -> None:
    async with EngineHost(spec(Script(fault="hang", fault_text="boom"), limits=QUICK)) as host:
        stream = host.speak(Segment("boom"), voice())
        await asyncio.sleep(0.05)
        stream.cancel()
        for _ in range(300):
            if host.restarts and host.ready:
                break
            await asyncio.sleep(0.02)
        await collect(host.speak(Segment(SENTENCE), voice()))
        assert host.restarts == 1


async def test_a_hanging_enrolment_is_restarted() -> None:
    async with EngineHost(spec(Script(enrol_delay_ms=1e7), limits=QUICK)) as host:
        with pytest.raises(EngineCrashed):
            await asyncio.wait_for(host.enrol(Reference(clip("en_susan"), 16_000)), 5.0)
        assert host.restarts == 1


async def stop(pid: int) -> None:
    """Stop a process, and wait until all its threads stand: the signal may be late."""
    os.kill(pid, signal.SIGSTOP)
    while any(") T " not in state for state in thread_states(pid)):  # noqa: ASYNC110 - no event
        await asyncio.sleep(0.01)


def thread_states(pid: int) -> list[str]:
    return [(task / "stat").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]


async def test_a_stopped_worker_is_restarted() -> None:
    async with EngineHost(spec(limits=QUICK)) as host:
        await stop(host.worker_pids["listening"])
        with pytest.raises(EngineCrashed):
            await asyncio.wait_for(host.embed(clip("en_susan")), 5.0)
        await host.embed(clip("en_susan"))


async def test_a_slow_listener_is_no_hang() -> None:
    async with EngineHost(spec(limits=QUICK, lead_chunks=2)) as host:
        stream = host.speak(Segment(LONG), voice())
        await take(stream, 1)
        await asyncio.sleep(1.2)
        assert len(await collect(stream)) == len(await alone(LONG)) - 1
        assert host.restarts == 0


# Processes that end


async def test_killing_the_engine_loses_that_sentence_only() -> None:
    async with EngineHost(spec(Script(chunk_delay_ms=20.0))) as host:
        pid = host.worker_pids["speech"]
        stream = host.speak(Segment(LONG), voice())
        await take(stream, 3)
        os.kill(pid, signal.SIGKILL)
        killed = time.monotonic()
        with pytest.raises(EngineCrashed, match="try again"):
            await collect(stream)
        assert time.monotonic() - killed < 1.0
        assert not host.ready
        embedding = await host.embed(clip("en_susan"))
        assert embedding.size == FakeSpeakerEncoder().embed(clip("en_susan")).size
        await collect(host.speak(Segment("the next one"), voice()))
        assert time.monotonic() - killed < 5.0
        assert host.ready
        assert host.restarts == 1
        assert host.worker_pids["speech"] != pid


async def test_killing_the_listener_loses_what_was_asked_only(host: EngineHost) -> None:
    os.kill(host.worker_pids["listening"], signal.SIGSTOP)
    asked = asyncio.create_task(host.embed(clip("en_susan")))
    await asyncio.sleep(0.02)
    os.kill(host.worker_pids["listening"], signal.SIGKILL)
    with pytest.raises(EngineCrashed):
        await asked
    probabilities, _ = await host.score(np.zeros(512, dtype=np.float32))
    assert probabilities[0] < 0.1


async def test_an_engine_that_ends_itself_is_restarted() -> None:
    async with EngineHost(spec(Script(fault="die", fault_after=2, fault_text="boom"))) as host:
        stream = host.speak(Segment(f"boom {SENTENCE}"), voice())
        assert len(await take(stream, 2)) == 2
        with pytest.raises(EngineCrashed):
            await anext(stream)
        assert len(await collect(host.speak(Segment(SENTENCE), voice()))) > 2


async def test_crash_after_crash_is_survived(host: EngineHost) -> None:
    for _ in range(3):
        os.kill(host.worker_pids["speech"], signal.SIGKILL)
        with contextlib.suppress(EngineCrashed):
            await collect(host.speak(Segment(SENTENCE), voice()))
        assert await collect(host.speak(Segment(SENTENCE), voice()))
    assert host.restarts == 3


async def test_a_restart_that_fails_is_told_and_tried_again(
    host: EngineHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> subprocess.Popen[bytes]:
        raise OSError("no more processes")

    with monkeypatch.context() as patch:
        patch.setattr(child.Child, "_launch", no_room)
        os.kill(host.worker_pids["speech"], signal.SIGKILL)
        with pytest.raises(EngineCrashed):
            await collect(host.speak(Segment(SENTENCE), voice()))
        with pytest.raises(EngineError, match="no more processes"):
            await asyncio.wait_for(collect(host.speak(Segment(SENTENCE), voice())), 5.0)
    assert await asyncio.wait_for(collect(host.speak(Segment(SENTENCE), voice())), 5.0)


async def test_a_stream_that_waits_for_a_restart_can_be_cancelled(host: EngineHost) -> None:
    os.kill(host.worker_pids["speech"], signal.SIGKILL)
    with pytest.raises(EngineCrashed):
        await host.enrol(Reference(clip("en_susan"), 16_000))
    assert not host.ready
    stream = host.speak(Segment(SENTENCE), voice())
    stream.cancel()
    assert await collect(stream) == []
    assert await collect(host.speak(Segment(SENTENCE), voice()))


# Start and end


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"speech": "fakr"}, "did you mean 'fake'"),
        ({"encoder": "fakr"}, "did you mean 'fake'"),
        ({"vad": "fakr"}, "did you mean 'fake'"),
        ({"options": {"fake.nonsense": "1"}}, r"no option fake\.nonsense"),
        ({"options": {"fake.load_fault": "die"}}, "ended while it loaded"),
        ({"options": {"fake.load_fault": "bug"}}, "ZeroDivisionError"),
        ({"options": {"fake.load_fault": "refuse"}}, "told to fail"),
        (
            {"options": {"fake.load_delay_ms": "60000"}, "limits": Limits(load_s=0.5)},
            "did not load within",
        ),
    ],
)
async def test_a_bad_start_says_why_and_leaves_nothing(
    changes: Mapping[str, Any], message: str
) -> None:
    before = holdings()
    with pytest.raises(EngineError, match=message):
        await EngineHost(spec(**changes)).start()
    await asyncio.sleep(0)
    assert holdings() == before


async def test_nothing_can_be_asked_before_the_start() -> None:
    host = EngineHost(spec())
    assert not host.ready
    with pytest.raises(RuntimeError, match="not been started"):
        host.speak(Segment(SENTENCE), voice())
    with pytest.raises(RuntimeError, match="not been started"):
        await host.embed(clip("en_susan"))
    await host.close()


async def test_closing_ends_what_goes_on() -> None:
    host = EngineHost(spec(Script(chunk_delay_ms=20.0)))
    await host.start()
    stream = host.speak(Segment(LONG), voice())
    await take(stream, 1)
    speaking = asyncio.create_task(collect(stream))
    await asyncio.sleep(0)
    await host.close()
    for call in (
        speaking,
        collect(host.speak(Segment("hi"), voice())),
        host.embed(clip("en_susan")),
    ):
        with pytest.raises(EngineError, match="closed") as caught:
            await asyncio.wait_for(call, 1.0)
        assert not caught.value.retryable
    await host.close()


async def test_giving_up_a_start_leaves_nothing() -> None:
    before = holdings()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(EngineHost(spec(Script(load_delay_ms=6e4))).start(), 0.5)
    await asyncio.sleep(0)
    assert holdings() == before


async def test_many_rounds_leave_nothing() -> None:
    before = holdings()
    for round_ in range(20):
        async with EngineHost(spec()) as host:
            pids = set(host.worker_pids.values())
            stream = host.speak(Segment(LONG), voice())
            await take(stream, 1 + round_ % 3)
        assert not any(alive(pid) for pid in pids)
    await asyncio.sleep(0)
    assert holdings() == before


async def test_closing_while_a_worker_is_restarted_leaves_nothing() -> None:
    before = holdings()
    for delay_s in (0.0, 0.01, 0.1):
        async with EngineHost(spec()) as host:
            os.kill(host.worker_pids["speech"], signal.SIGKILL)
            await asyncio.sleep(delay_s)
    await asyncio.sleep(0)
    assert holdings() == before


async def test_two_hosts_know_nothing_of_each_other(host: EngineHost) -> None:
    async with EngineHost(spec(Script(chunk_delay_ms=5.0))) as other:
        stream = other.speak(Segment(LONG), voice())
        await take(stream, 1)
        os.kill(host.worker_pids["speech"], signal.SIGKILL)
        assert len(await take(stream, 20)) == 20
        assert not set(host.worker_pids.values()) & set(other.worker_pids.values())
        assert other.restarts == 0
    assert await collect(host.speak(Segment(SENTENCE), voice()))


async def test_workers_are_nice_and_out_of_the_terminals_reach(host: EngineHost) -> None:
    for pid in host.worker_pids.values():
        own = os.getpriority(os.PRIO_PROCESS, 0)
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(own + host.spec.nice, 19)
        assert os.getsid(pid) != os.getsid(0)
        os.killpg(os.getpgid(pid), 0)
        assert os.getpgid(pid) != os.getpgid(0)


# A parent that is killed

PARENT = """
    import asyncio
    from engines.api import Segment
    from engines.fakes import FakeSpeechEngine, Script
    from engines.host import EngineHost, HostSpec

    async def main():
        options = Script(fault="hang", fault_text="boom").to_options()
        host = EngineHost(HostSpec("fake", "fake", "fake", options=options))
        await host.start()
        stream = host.speak(Segment("boom"), FakeSpeechEngine().stock_voices()["mid"])
        print(*host.worker_pids.values(), flush=True)
        await anext(stream)

    asyncio.run(main())
"""


@pytest.mark.parametrize("stopped", [False, True], ids=["in a long step", "stopped"])
def test_a_killed_parent_leaves_no_orphan(stopped: bool) -> None:
    """In a long step the reading thread sees it; a stopped worker needs the system's help."""
    script = textwrap.dedent(PARENT)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        assert all(alive(pid) for pid in pids)
        if stopped:
            for pid in pids:
                os.kill(pid, signal.SIGSTOP)
        parent.kill()
        wait_until(lambda: not any(alive(pid) for pid in pids))


async def test_voices_are_mixed_by_their_weights() -> None:
    async with EngineHost(spec()) as host:
        mixed = await host.mix([(voice("low"), 3.0), (voice("high"), 1.0)])
        assert float(mixed.arrays["tone_hz"][0]) == pytest.approx(0.75 * 110.0 + 0.25 * 440.0)
        with pytest.raises(VoiceIncompatible):
            await host.mix([(voice("low"), 1.0), (Voice("other", "1", {}), 1.0)])
        assert host.restarts == 0


async def test_better_voices_come_one_by_one_and_end() -> None:
    async with EngineHost(spec(Script(refinements=2))) as host:
        found = [better async for better in host.refine(voice(), reference(), 60.0)]
        tones = [float(better.arrays["tone_hz"][0]) for better in found]
        own = float(voice().arrays["tone_hz"][0])
        assert tones == pytest.approx([own + REFINED_BY_HZ, own + 2 * REFINED_BY_HZ])


async def test_a_refinement_that_was_cancelled_ends_and_lets_others_be_heard() -> None:
    endless = Script(refinements=1_000_000, refine_delay_ms=20.0)
    async with EngineHost(spec(endless, limits=QUICK)) as host:
        refinement = host.refine(voice(), reference(), 3600.0)
        await anext(aiter(refinement))
        refinement.cancel()
        refinement.cancel()
        assert len([one async for one in refinement]) <= 2, "what had come already"
        said = joined(await collect(host.speak(Segment("hello"), voice())))
        assert np.array_equal(said, joined(await alone("hello")))
        assert host.restarts == 0


async def test_a_refinement_that_waits_for_quiet_is_no_stuck_worker() -> None:
    """It may wait for as long as others speak: far longer than a request may take."""
    async with EngineHost(spec(Script(refinements=1), limits=QUICK)) as host:
        stream = host.speak(Segment(LONG), voice())
        refinement = host.refine(voice(), reference(), 60.0)
        await asyncio.sleep(3 * QUICK.request_s)
        stream.cancel()
        assert len([one async for one in refinement]) == 1
        assert host.restarts == 0


async def test_a_refinement_that_a_crash_takes_down_says_so() -> None:
    endless = Script(refinements=1_000_000, refine_delay_ms=20.0)
    async with EngineHost(spec(endless)) as host:
        refinement = aiter(host.refine(voice(), reference(), 3600.0))
        await anext(refinement)
        os.kill(host.worker_pids["speech"], signal.SIGKILL)
        with pytest.raises(EngineCrashed):
            async for _ in refinement:
                pass
