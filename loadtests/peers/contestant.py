"""Has one of the compared say the script, and keeps what was measured."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

import numpy as np

from loadtests.peers import calls
from loadtests.peers.calls import Conversation
from loadtests.peers.heard import STEP_S, Heard, Sound, Steps, hear, silent_after_ms
from loadtests.peers.install import PeerUnavailable
from loadtests.peers.process import BotProcess
from loadtests.peers.protocol import Audio, Say, Spoken
from loadtests.peers.redundancy import Copies
from loadtests.peers.script import Line, Script
from loadtests.peers.usage import memory_mb, settle, usage_of
from voicepeer.core.pcm import from_pcm16

LOSS = 0.05
ANSWER_TIMEOUT_S = 60.0
"""For a text to be heard, or to have been said."""

QUIET_S = 0.4
"""A pause that is longer than those between sentences ends an utterance."""

_LOOK_S = 0.04


@dataclass(frozen=True, slots=True)
class Watched:
    """A stretch of a call in which the processors were watched."""

    seconds: float
    cpu_s: float
    speech_s: float


@dataclass(frozen=True, slots=True)
class Lossy:
    """What came of a call that lost packets."""

    heard: tuple[Heard, ...]
    lost: int
    restored: int
    """Lost frames of which the next packet had a copy (RFC 6716 section 2.1.7)."""
    concealed: int
    """Lost frames that had to be made up."""


@dataclass
class Samples:
    """All that was measured of one of the compared."""

    heard: list[tuple[str, Heard]] = field(default_factory=list)
    """With the names of the lines."""
    cancelled_ms: list[float] = field(default_factory=list)
    spoken: list[Spoken] = field(default_factory=list)
    watched: list[Watched] = field(default_factory=list)
    connected_ms: list[float] = field(default_factory=list)
    memory_mb: list[float] = field(default_factory=list)
    """In calls."""
    session_mb: list[float] = field(default_factory=list)
    """What calls have added to it."""
    lossy: list[Lossy] = field(default_factory=list)
    idle_cores: float | None = None
    failure: str | None = None
    """Why there is no more."""


class Contestant(Protocol):
    """One of the compared, running and warm or not."""

    @property
    def name(self) -> str:
        """Of the peer."""
        ...

    @property
    def pid(self) -> int:
        """Of the process that all of its processes come from."""
        ...

    async def perform(self, script: Script, samples: Samples) -> None:
        """Say a script once."""
        ...

    async def perform_lossy(self, script: Script, samples: Samples, seed: int) -> None:
        """Say something over a bad network; nothing where there is none."""
        ...


OpenCall: TypeAlias = Callable[[], AbstractAsyncContextManager[Conversation]]


@dataclass
class Caller:
    """Measures somebody who takes calls."""

    name: str
    pid: int
    open_call: OpenCall

    async def perform(self, script: Script, samples: Samples) -> None:
        """One call: the lines with slots are watched, then the others are cut off."""
        memory_before_mb, began_s = memory_mb(self.pid), time.monotonic()
        async with self.open_call() as call:
            samples.connected_ms.append((time.monotonic() - began_s) * 1000)
            await settle(self.pid, script.settle_s)
            with _watching(self.pid, samples) as heard:
                for line in script.watched:
                    heard.append(await _say(call, line))
                    samples.heard.append((line.name, heard[-1]))
            samples.memory_mb.append(memory_mb(self.pid))
            samples.session_mb.append(samples.memory_mb[-1] - memory_before_mb)
            for line in script.cut:
                await _say_and_cut(call, line, script, samples)
            samples.spoken += call.spoken()
        await settle(self.pid, script.settle_s)

    async def perform_lossy(self, script: Script, samples: Samples, seed: int) -> None:
        """A call of which every twentieth packet of media is lost on the way to the listener."""
        async with self.open_call() as call:
            await settle(self.pid, script.settle_s)
            copies, recorder, began_s = Copies(), call.recorder, time.monotonic()
            recorder.receiver.on_packet = copies.note
            losses, missing = calls.lose(call.peer, LOSS, seed), recorder.frames_lost
            heard = tuple([await _say(call, line) for line in script.lossy])
            missing = recorder.frames_lost - missing
            restored = copies.restored(recorder.blocks(began_s))
            samples.lossy.append(Lossy(heard, losses.lost, restored, missing - restored))
        await settle(self.pid, script.settle_s)


@dataclass
class Reader:
    """Measures somebody who only gives samples."""

    bot: BotProcess

    @property
    def name(self) -> str:
        """Of the bot."""
        return self.bot.name

    @property
    def pid(self) -> int:
        """Of the bot."""
        return self.bot.pid

    async def perform(self, script: Script, samples: Samples) -> None:
        """Each text as soon as the one before it is done; time counts as if it had been a call."""
        before = usage_of(self.pid)
        heard = [await self._say(line, samples) for line in script.watched]
        after = usage_of(self.pid)
        speech_s = sum(one.speech_ms for one in heard) / 1000
        samples.watched.append(Watched(script.slots_s, after.cpu_s - before.cpu_s, speech_s))
        for line in script.cut:
            await self._say(line, samples)
        samples.memory_mb.append(memory_mb(self.pid))

    async def perform_lossy(self, script: Script, samples: Samples, seed: int) -> None:
        """There is no network."""

    async def _say(self, line: Line, samples: Samples) -> Heard:
        sent_s, sounds = time.monotonic(), list[Sound]()
        self.bot.send(Say(line.text))
        while isinstance(event := await self.bot.next_event(ANSWER_TIMEOUT_S), Audio):
            pcm = from_pcm16(np.frombuffer(event.samples(), np.int16))
            sounds.append(Sound(pcm, event.at_s, event.rate_hz))
        if not isinstance(event, Spoken):
            raise PeerUnavailable(f"{self.name}: it said something else than speech")
        heard = hear(sounds, sent_s)
        samples.spoken.append(event)
        samples.heard.append((line.name, heard))
        return heard


@contextmanager
def _watching(pid: int, samples: Samples) -> Iterator[list[Heard]]:
    """Watch the processors during the block, which keeps what is heard in the list."""
    heard: list[Heard] = []
    before = usage_of(pid)
    yield heard
    after = usage_of(pid)
    speech_s = sum(one.speech_ms for one in heard) / 1000
    samples.watched.append(Watched(after.at_s - before.at_s, after.cpu_s - before.cpu_s, speech_s))


async def _say(call: Conversation, line: Line) -> Heard:
    """A line to its end, and to the end of its slot."""
    sent_s = time.monotonic()
    call.say(line.text)
    await asyncio.sleep(line.slot_s or 0.0)
    await _first_audible(call, sent_s)
    await _quiet(call)
    return hear(calls.sounds(call.recorder, sent_s), sent_s)


async def _say_and_cut(call: Conversation, line: Line, script: Script, samples: Samples) -> None:
    """A line until it has been heard for a moment, and then the silence."""
    sent_s = time.monotonic()
    call.say(line.text)
    await _first_audible(call, sent_s)
    await asyncio.sleep(script.cut_after_s)
    asked_s = time.monotonic()
    call.cancel()
    await asyncio.sleep(script.after_cancel_s)
    await _quiet(call)
    samples.heard.append((line.name, hear(calls.sounds(call.recorder, sent_s, asked_s), sent_s)))
    samples.cancelled_ms.append(silent_after_ms(calls.sounds(call.recorder, asked_s), asked_s))


async def _first_audible(call: Conversation, sent_s: float) -> None:
    """Wait until something is heard.

    Raises:
        PeerUnavailable: nothing is.
    """
    looked_s = sent_s
    while time.monotonic() < sent_s + ANSWER_TIMEOUT_S:
        now_s = time.monotonic()
        if Steps.of(calls.sounds(call.recorder, looked_s)).audible.size:
            return
        looked_s = max(sent_s, now_s - _LOOK_S)
        await asyncio.sleep(_LOOK_S)
    raise PeerUnavailable("nothing was heard of a text")


async def _quiet(call: Conversation) -> None:
    """Wait until nothing has been heard for a moment, but not forever."""
    ends_s = time.monotonic() + ANSWER_TIMEOUT_S
    while time.monotonic() < ends_s:
        steps = Steps.of(calls.sounds(call.recorder, time.monotonic() - QUIET_S - 1.0))
        heard_s = steps.at_s[steps.audible].max(initial=0.0) + STEP_S
        if heard_s < time.monotonic() - QUIET_S:
            return
        await asyncio.sleep(_LOOK_S)
