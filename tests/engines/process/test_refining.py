"""Voices made better in the worker: in turn, within their budget, and only while it is quiet."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from engines.api import EngineError, Reference, SpeakerEncoder, Voice
from engines.fakes import REFINED_BY_HZ, FakeSpeakerEncoder, FakeSpeechEngine, Script
from engines.process import refining
from engines.process.frames import Ended, Failed, Refine, Refined
from engines.process.lane import Outbox
from engines.process.refining import Quiet, Refinements
from tests.engines.process.test_workers import REFERENCE, Host

pytestmark = pytest.mark.unit

VOICE = FakeSpeechEngine().stock_voices()["mid"]


@pytest.fixture
def host() -> Iterator[Host]:
    opened = Host()
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refining, "QUIET_S", 0.05)
    monkeypatch.setattr(refining, "_LOOK_S", 0.01)


class Endless(FakeSpeechEngine):
    """Never ends by itself, and counts the parts of its work."""

    parts = 0

    def refine(
        self, voice: Voice, reference: Reference, encoder: SpeakerEncoder
    ) -> Iterator[Voice | None]:
        while True:
            self.parts += 1
            time.sleep(0.01)
            yield None


class Broken(FakeSpeechEngine):
    """Fails in the middle of its work."""

    def refine(
        self, voice: Voice, reference: Reference, encoder: SpeakerEncoder
    ) -> Iterator[Voice | None]:
        yield voice
        raise EngineError("out of tune")


def started(host: Host, engine: FakeSpeechEngine, quiet: Quiet | None = None) -> Refinements:
    rooms = Refinements(engine, FakeSpeakerEncoder, Outbox(host.theirs), quiet or Quiet())
    rooms.run_in_thread(0)
    return rooms


def refine(id: int, budget_s: float = 60.0) -> Refine:
    return Refine(id, VOICE, REFERENCE, budget_s)


def tone_hz(message: object) -> float:
    assert isinstance(message, Refined)
    return float(message.voice.arrays["tone_hz"][0])


def test_each_better_voice_is_told_and_then_the_end(host: Host) -> None:
    started(host, FakeSpeechEngine(Script(refinements=3))).submit(refine(7))
    *voices, last = host.until_ended(7)
    own_hz = float(VOICE.arrays["tone_hz"][0])
    assert np.allclose([tone_hz(one) - own_hz for one in voices], REFINED_BY_HZ * np.arange(1, 4))
    assert isinstance(last, Ended)


def test_work_ends_when_the_budget_is_used_up(host: Host) -> None:
    engine = Endless()
    began = time.monotonic()
    started(host, engine).submit(refine(1, budget_s=0.1))
    assert isinstance(host.until_ended(1)[-1], Ended)
    assert time.monotonic() - began >= 0.1
    done = engine.parts
    time.sleep(0.05)
    assert engine.parts == done <= 11


def test_a_cancelled_refinement_ends_and_the_next_one_begins(host: Host) -> None:
    rooms = started(host, Endless())
    rooms.submit(refine(1))
    rooms.submit(refine(2, budget_s=0.02))
    rooms.cancel(1)
    assert isinstance(host.until_ended(1)[-1], Ended)
    assert isinstance(host.until_ended(2)[-1], Ended)
    rooms.cancel(1)


def test_nothing_is_done_while_somebody_speaks(host: Host) -> None:
    quiet, engine = Quiet(), FakeSpeechEngine(Script(refinements=1))
    quiet.disturb(5)
    quiet.disturb(6)
    started(host, engine, quiet).submit(refine(1))
    quiet.settle(5)
    assert host.silent()
    quiet.settle(6)
    assert [type(one) for one in host.until_ended(1)] == [Refined, Ended]


def test_a_pause_is_not_yet_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refining, "QUIET_S", 3600.0)
    quiet = Quiet()
    quiet.disturb(1)
    quiet.settle(1)
    assert not quiet.lasts()
    monkeypatch.setattr(refining, "QUIET_S", 0.0)
    assert quiet.lasts()


def test_a_failure_is_told_with_its_reason_and_the_next_one_begins(host: Host) -> None:
    rooms = started(host, Broken())
    rooms.submit(refine(1))
    first, last = host.until_ended(1)
    assert isinstance(first, Refined)
    assert isinstance(last, Failed)
    assert last.message == "out of tune"
    rooms.submit(refine(2))
    assert isinstance(host.until_ended(2)[0], Refined)


def test_an_engine_that_cannot_refine_gives_no_voice(host: Host) -> None:
    class Plain:
        info = FakeSpeechEngine.info
        stock_voices = FakeSpeechEngine.stock_voices
        enrol = FakeSpeechEngine.enrol
        speak = FakeSpeechEngine.speak

    opened = threading.Event()

    def encoder() -> FakeSpeakerEncoder:
        opened.set()
        return FakeSpeakerEncoder()

    rooms = Refinements(Plain(), encoder, Outbox(host.theirs), Quiet())
    rooms.run_in_thread(0)
    rooms.submit(refine(1))
    assert isinstance(host.next(), Ended)
    assert not opened.is_set()
