"""The worker's rooms over a real socket, in this process: lanes, speaking, hearing."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

from engines.api import Chunk, Controls, EngineError, Pcm, Reference, Segment, StopFlag, Voice
from engines.fakes import FakeSpeakerEncoder, FakeSpeechEngine, FakeVad, Script
from engines.process import frames, refining
from engines.process.frames import (
    Cancel,
    Credit,
    Embed,
    Embedded,
    Ended,
    Enrol,
    Failed,
    FrameBuffer,
    ListVoices,
    Loaded,
    Made,
    Refine,
    Refined,
    Score,
    Scored,
    Speak,
    Spoken,
    ToHost,
    ToWorker,
    Voices,
)
from engines.process.hearing import HearingWorker, score
from engines.process.lane import Lane, Outbox
from engines.process.speaking import SpeakingWorker, checked_chunks
from tests.clips import clip

pytestmark = pytest.mark.unit

TEXT = "say this for some time if you please"
VOICE = FakeSpeechEngine().stock_voices()["mid"]
REFERENCE = Reference(np.random.default_rng(0).normal(0, 0.1, 32_000).astype(np.float32), 16_000)


class Host:
    """The other end of a worker's socket."""

    def __init__(self) -> None:
        self._ours, self.theirs = socket.socketpair()
        self._ours.settimeout(5.0)
        self._messages = self._read()

    def _read(self) -> Iterator[ToHost]:
        buffer = FrameBuffer()
        while data := self._ours.recv(1 << 16):
            for body in buffer.push(data):
                yield frames.unpack_to_host(body)

    def next(self) -> ToHost:
        return next(self._messages)

    def until_ended(self, id: int) -> list[ToHost]:
        """Messages up to the last one of a stream."""
        got = [self.next()]
        while not (isinstance(got[-1], Ended | Failed) and got[-1].id == id):
            got.append(self.next())
        return got

    def silent(self) -> bool:
        """Whether nothing comes for a while."""
        self._ours.settimeout(0.1)
        try:
            return not self._ours.recv(1)
        except TimeoutError:
            return True
        finally:
            self._ours.settimeout(5.0)

    def close(self) -> None:
        # Workers of finished tests wait for messages that never come; they hold no socket open.
        self._ours.close()


@pytest.fixture
def host() -> Iterator[Host]:
    opened = Host()
    yield opened
    opened.close()


def speaking(host: Host, script: Script | None = None) -> SpeakingWorker:
    worker = SpeakingWorker(FakeSpeechEngine(script), FakeSpeakerEncoder, Outbox(host.theirs))
    threading.Thread(target=worker.run, daemon=True).start()
    return worker


def speak(id: int, text: str = TEXT, credit: int = 1000) -> Speak:
    return Speak(id, Segment(text), VOICE, Controls(), credit)


def test_a_lane_answers_in_order(host: Host) -> None:
    lane = Lane(Outbox(host.theirs))
    for id in range(5):
        lane.submit(id, lambda id=id: Embedded(id, np.zeros(1, np.float32)))  # type: ignore[misc]
    lane.run_in_thread()
    answers = [host.next() for _ in range(5)]
    assert [answer.id for answer in answers if isinstance(answer, Embedded)] == [0, 1, 2, 3, 4]


def test_what_is_urgent_overtakes_the_rest_of_a_lane(host: Host) -> None:
    lane = Lane(Outbox(host.theirs))
    for id in range(6):
        lane.submit(id, lambda id=id: Made(id, VOICE), urgent=id % 2 == 1)  # type: ignore[misc]
    lane.run_in_thread()
    answers = [host.next() for _ in range(6)]
    assert [one.id for one in answers if isinstance(one, Made)] == [1, 3, 5, 0, 2, 4]


def test_a_lane_outlives_its_jobs_failures(host: Host) -> None:
    def fail() -> Made:
        raise EngineError("no")

    lane = Lane(Outbox(host.theirs))
    lane.run_in_thread()
    lane.submit(1, fail)
    lane.submit(2, lambda: Made(2, VOICE))
    assert host.next() == Failed(1, "EngineError", "no")
    assert isinstance(host.next(), Made)


def test_messages_of_several_threads_do_not_mix(host: Host) -> None:
    outbox = Outbox(host.theirs)
    chunk = Chunk(np.zeros(20_000, dtype=np.float32))

    def send(id: int) -> None:
        for _ in range(20):
            outbox.send(Spoken(id, chunk))

    threads = [threading.Thread(target=send, args=(id,), daemon=True) for id in range(4)]
    for thread in threads:
        thread.start()
    got = [host.next() for _ in range(80)]
    assert sorted(message.id for message in got if isinstance(message, Spoken)) == [
        id for id in range(4) for _ in range(20)
    ]


def test_speaks_to_the_end(host: Host) -> None:
    speaking(host).receive(speak(1))
    *chunks, last = host.until_ended(1)
    assert last == Ended(1)
    direct = FakeSpeechEngine().speak(Segment(TEXT), VOICE, Controls(), threading.Event())
    assert len(chunks) == len(list(direct))


def test_speaks_only_on_credit(host: Host) -> None:
    worker = speaking(host)
    worker.receive(speak(1, credit=2))
    assert [type(host.next()) for _ in range(2)] == [Spoken, Spoken]
    assert host.silent()
    worker.receive(Credit(1, 1000))
    assert host.until_ended(1)[-1] == Ended(1)


def test_a_stop_is_confirmed_without_another_chunk(host: Host) -> None:
    worker = speaking(host, Script(chunk_delay_ms=30.0))
    worker.receive(speak(1, TEXT * 20))
    host.next()
    worker.receive(Cancel(1))
    assert len(host.until_ended(1)) <= 2
    worker.receive(Cancel(1))
    worker.receive(Credit(1, 5))
    worker.receive(speak(2))
    assert host.until_ended(2)[-1] == Ended(2)


def test_a_newcomer_is_heard_within_a_step_or_two(host: Host) -> None:
    worker = speaking(host, Script(chunk_delay_ms=10.0))
    worker.receive(speak(1, TEXT * 20))
    worker.receive(speak(2, TEXT * 20))
    for _ in range(10):
        host.next()
    worker.receive(speak(3))
    soon = [message for message in (host.next() for _ in range(4)) if isinstance(message, Spoken)]
    assert 3 in [message.id for message in soon]


def spoken(host: Host, count: int) -> set[int]:
    """Which streams the next messages are of."""
    messages = [host.next() for _ in range(count)]
    return {message.id for message in messages if isinstance(message, Spoken)}


def test_the_next_piece_of_an_utterance_waits_for_who_has_less_in_hand(host: Host) -> None:
    worker = speaking(host, Script(chunk_delay_ms=10.0))
    worker.receive(speak(1, TEXT * 20))
    for _ in range(5):
        host.next()
    worker.receive(msgspec.structs.replace(speak(2, TEXT * 20), in_hand_s=60.0))
    assert spoken(host, 20) == {1}
    worker.receive(speak(3))
    assert 3 in spoken(host, 4)


def test_a_piece_that_goes_on_with_an_utterance_comes_before_others_windows(host: Host) -> None:
    worker = speaking(host, Script(chunk_delay_ms=60.0))
    going_on = msgspec.structs.replace(speak(1, "go"), segment=Segment("go", last=False))
    worker.receive(speak(2, TEXT * 5, credit=12))
    for _ in range(12):
        host.next()
    worker.receive(going_on)
    while host.next() != Ended(1):
        pass
    worker.receive(Credit(2, 1000))
    worker.receive(msgspec.structs.replace(speak(3, TEXT), in_hand_s=0.05))
    assert spoken(host, 1) == {3}


def test_what_never_comes_is_not_waited_for(host: Host) -> None:
    worker = speaking(host)
    worker.receive(msgspec.structs.replace(speak(1, "go"), segment=Segment("go", last=False)))
    assert host.until_ended(1)[-1] == Ended(1)
    worker.receive(speak(2))
    assert host.until_ended(2)[-1] == Ended(2)


def test_enrols_and_lists_voices_beside_speech(host: Host) -> None:
    worker = speaking(host, Script(chunk_delay_ms=5.0, enrol_delay_ms=50.0))
    worker.receive(Enrol(1, Reference(clip("en_susan"), 16_000)))
    worker.receive(ListVoices(2))
    worker.receive(speak(3, TEXT * 3))
    got = host.until_ended(3)
    kinds = [type(message) for message in got]
    assert kinds.index(Spoken) < kinds.index(Made) < kinds.index(Voices)


def order_of(host: Host, ended: int, made: int) -> list[type[ToHost]]:
    """Which of an utterance's end and a voice came first."""
    got: list[ToHost] = []
    while len(got) < 2:
        message = host.next()
        if message in (Ended(ended),) or (isinstance(message, Made) and message.id == made):
            got.append(message)
    return [type(one) for one in got]


def test_a_voice_that_may_wait_is_made_after_speech_that_hardly_keeps_up(host: Host) -> None:
    worker = speaking(host, Script(chunk_delay_ms=85.0))
    worker.receive(speak(1))
    assert isinstance(host.next(), Spoken)
    worker.receive(Enrol(2, REFERENCE, urgent=False))
    assert order_of(host, 1, 2) == [Ended, Made]


def test_a_voice_that_is_waited_for_is_made_beside_such_speech(host: Host) -> None:
    worker = speaking(host, Script(chunk_delay_ms=85.0))
    worker.receive(speak(1, TEXT * 3))
    assert isinstance(host.next(), Spoken)
    worker.receive(Enrol(2, REFERENCE))
    assert order_of(host, 1, 2) == [Made, Ended]


def test_a_voice_that_may_wait_is_hurried_on_for_one_behind_it(host: Host) -> None:
    worker = speaking(host, Script(chunk_delay_ms=85.0))
    worker.receive(speak(1, TEXT * 3))
    assert isinstance(host.next(), Spoken)
    worker.receive(Enrol(2, REFERENCE, urgent=False))
    worker.receive(Enrol(3, REFERENCE))
    assert order_of(host, 1, 3) == [Made, Ended]


def test_strange_messages_are_refused(host: Host) -> None:
    pcm = np.zeros(512, dtype=np.float32)
    for worker, message in (
        (speaking(host), Score(1, pcm, None)),
        (HearingWorker(FakeSpeakerEncoder(), FakeVad(), Outbox(host.theirs)), Cancel(1)),
    ):
        with pytest.raises(TypeError, match=type(message).__name__):
            worker.receive(message)


def test_hears(host: Host) -> None:
    worker = HearingWorker(FakeSpeakerEncoder(), FakeVad(), Outbox(host.theirs))
    threading.Thread(target=worker.run, daemon=True).start()
    pcm, encoder = clip("en_susan"), FakeSpeakerEncoder()
    requests: list[tuple[ToWorker, type[ToHost]]] = [
        (Score(1, pcm[:1024], None), Scored),
        (Embed(2, pcm, window=False), Embedded),
        (Embed(3, pcm[: encoder.window_samples], window=True), Embedded),
        (Embed(4, pcm, window=True), Failed),
    ]
    for request, kind in requests:
        worker.receive(request)
        assert type(host.next()) is kind


def test_scoring_carries_the_memory_on() -> None:
    vad, pcm = FakeVad(), clip("en_david")[: 6 * 512]
    whole = score(vad, Score(1, pcm, None))
    first = score(vad, Score(2, pcm[:1024], None))
    rest = score(vad, Score(3, pcm[1024:], first.memory))
    assert first.probabilities + rest.probabilities == whole.probabilities
    np.testing.assert_array_equal(rest.memory, whole.memory)


def test_no_windows_score_nothing() -> None:
    memory = np.array([0.5], dtype=np.float32)
    scored = score(FakeVad(), Score(1, np.zeros(0, dtype=np.float32), memory))
    assert scored.probabilities == []
    np.testing.assert_array_equal(scored.memory, memory)


class Odd(FakeSpeechEngine):
    """Gives chunks of any samples."""

    def __init__(self, *pcms: Pcm) -> None:
        super().__init__()
        self._pcms = pcms

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, stop: StopFlag
    ) -> Iterator[Chunk]:
        yield from (Chunk(pcm) for pcm in self._pcms)


FULL = np.zeros(1920, dtype=np.float32)


@pytest.mark.parametrize("pcms", [(), (FULL,), (FULL, FULL), (FULL, FULL[:1])])
def test_kept_promises_pass(pcms: tuple[Pcm, ...]) -> None:
    chunks = list(checked_chunks(Odd(*pcms), speak(1), threading.Event()))
    assert [chunk.pcm.size for chunk in chunks] == [pcm.size for pcm in pcms]


@pytest.mark.parametrize(
    ("pcms", "message"),
    [
        ((FULL[:5], FULL), "wrong size"),
        ((FULL, FULL[:0]), "wrong size"),
        ((np.resize(FULL, 1921),), "wrong size"),
        ((FULL * np.nan,), "not numbers"),
        ((FULL + np.inf,), "not numbers"),
        ((FULL.astype(np.float64),), "float32"),
        ((FULL.reshape(-1, 2),), "float32"),
    ],
)
def test_broken_promises_end_the_stream(pcms: tuple[Pcm, ...], message: str) -> None:
    with pytest.raises(EngineError, match=message):
        list(checked_chunks(Odd(*pcms), speak(1), threading.Event()))


@pytest.mark.parametrize("speed", [0.0, -1.0, 1e9, float("nan"), float("inf")])
def test_a_control_that_the_engine_cannot_follow_is_named(speed: float) -> None:
    request = msgspec.structs.replace(speak(1), controls=Controls(speed=speed))
    with pytest.raises(EngineError, match="speed must be"):
        list(checked_chunks(FakeSpeechEngine(), request, threading.Event()))


def test_a_long_step_does_not_delay_a_stop_beyond_it(host: Host) -> None:
    worker = speaking(host, Script(first_chunk_delay_ms=200.0))
    worker.receive(speak(1))
    time.sleep(0.05)
    worker.receive(Cancel(1))
    assert host.until_ended(1) == [Ended(1)]


def test_a_voice_is_refined_only_after_speech_and_cloning_have_ended(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refining, "QUIET_S", 0.1)
    worker = speaking(host, Script(refinements=2, enrol_delay_ms=100.0))
    worker.receive(speak(1))
    worker.receive(Enrol(2, REFERENCE))
    worker.receive(Refine(3, VOICE, REFERENCE, 60.0))
    got = host.until_ended(3)
    order = [(type(one), one.id) for one in got if not isinstance(one, Spoken | Loaded)]
    assert sorted(order[:2], key=str) == sorted([(Ended, 1), (Made, 2)], key=str)
    assert order[2:] == [(Refined, 3), (Refined, 3), (Ended, 3)]


def test_a_refinement_can_be_cancelled(host: Host) -> None:
    worker = speaking(host, Script(refinements=1_000_000, refine_delay_ms=10.0))
    worker.receive(Refine(1, VOICE, REFERENCE, 3600.0))
    assert isinstance(host.next(), Refined)
    worker.receive(Cancel(1))
    assert isinstance(host.until_ended(1)[-1], Ended)
