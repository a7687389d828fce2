"""Speak, interrupt, speak again, at random moments: is a wrong sample ever sent, and how soon is
there silence?

Every text is spoken once undisturbed first. After that each frame that leaves has to be the next
one of the utterance that may be heard, its fade, or silence; nothing is judged by ear.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from voicepeer.benches import session
from voicepeer.benches.figures import spread_ms
from voicepeer.benches.session import Line
from voicepeer.core.messages import Cancel, Cancelled, Done, Speak
from voicepeer.core.pcm import FRAME_SAMPLES, WIRE_RATE_HZ, Pcm16
from voicepeer.core.speaking.pacer import FADE_SAMPLES
from voicepeer.ports import Engine

TEXTS = (
    "First comes this text",
    "The words do not matter",
    "Whatever these words say",
    "Nobody waits for the end",
)
"""Each is one segment, and each sounds different."""

PAUSE_S = 0.3
LATEST_S = 0.9
"""An interruption comes up to so long after the text."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A frame that was sent, and when."""

    pcm: Pcm16
    at_s: float


@dataclass(slots=True)
class Round:
    """One text, and when the caller interrupted it."""

    utterance_id: str
    text: str
    interrupted_s: float | None = None


@dataclass(slots=True)
class Verdict:
    """What became of all rounds."""

    wrong_samples: int = 0
    begun: list[int] = field(default_factory=list)
    """Rounds of which something was sent, in order."""
    last_sample_s: dict[int, float] = field(default_factory=dict)
    """When the last sample of each was sent that is not silent."""
    sent_samples: dict[int, int] = field(default_factory=dict)


async def measure(engine: Engine, rounds: int, seed: int = 1) -> dict[str, Any]:
    """So many rounds in one call; the figures."""
    chance = random.Random(seed)
    async with session.connected(engine) as line:
        sent = _record(line)
        references = {text: await _reference(line, text, sent) for text in TEXTS}
        if len({reference[:FRAME_SAMPLES].tobytes() for reference in references.values()}) < len(
            TEXTS
        ):
            raise ValueError("two texts begin alike, so nobody could tell them apart")
        sent.clear()
        played = await _play(line, rounds, chance)
        verdict = Judge(references, played).judge(sent)
        cancelled = [message for message in line.told if isinstance(message, Cancelled)]
    silent_s = [
        max(0.0, verdict.last_sample_s[index] - one.interrupted_s)
        for index, one in enumerate(played)
        if one.interrupted_s is not None and index in verdict.last_sample_s
    ]
    return {
        "rounds": rounds,
        "heard": len(verdict.begun),
        "interrupted_while_heard": len(silent_s),
        "wrong_samples": verdict.wrong_samples,
        "cancel_to_silence_ms": spread_ms(silent_s),
        "played_ms_off": _off_ms(played, verdict, cancelled),
    }


def _record(line: Line) -> list[Outgoing]:
    """Note every frame from now on, beside whoever wants them already."""
    sent: list[Outgoing] = []
    listener: Callable[[Pcm16], None] | None = line.session.track.on_frame

    def note(pcm: Pcm16) -> None:
        sent.append(Outgoing(pcm.copy(), time.monotonic()))
        if listener is not None:
            listener(pcm)

    line.session.track.on_frame = note
    return sent


async def _reference(line: Line, text: str, sent: list[Outgoing]) -> Pcm16:
    """The text as it is sent when nobody interrupts, without silence at its ends."""
    sent.clear()
    line.call.send(Speak(utterance_id=text[:5], text=text))
    await line.wait_for(Done, utterance_id=text[:5])
    await asyncio.sleep(0.1)
    whole = np.concatenate([frame.pcm for frame in sent])
    audible = np.flatnonzero(whole)
    return whole[audible[0] : audible[-1] + 1]


async def _play(line: Line, rounds: int, chance: random.Random) -> list[Round]:
    """Each round but the last is interrupted, by the next text or by a cancel before it."""
    played: list[Round] = []
    for index in range(rounds):
        others = [text for text in TEXTS if not played or text != played[-1].text]
        current = Round(f"round-{index}", chance.choice(others))
        by_text = bool(played) and played[-1].interrupted_s is None
        if by_text:
            played[-1].interrupted_s = time.monotonic()
        line.call.send(
            Speak(utterance_id=current.utterance_id, text=current.text, interrupt=by_text)
        )
        played.append(current)
        await asyncio.sleep(chance.random() * LATEST_S)
        if chance.random() < 0.5 and index < rounds - 1:
            current.interrupted_s = time.monotonic()
            line.call.send(Cancel(utterance_id=current.utterance_id))
            await asyncio.sleep(chance.choice([0.0, chance.random() * PAUSE_S]))
    await line.wait_for(Done, utterance_id=played[-1].utterance_id)
    await asyncio.sleep(0.1)
    return played


def _off_ms(played: list[Round], verdict: Verdict, cancelled: list[Cancelled]) -> float:
    """The largest difference between ``played_ms`` as told and as sent."""
    told = {message.utterance_id: message.played_ms for message in cancelled}
    differences = [
        abs(told[one.utterance_id] - verdict.sent_samples.get(index, 0) * 1000 / WIRE_RATE_HZ)
        for index, one in enumerate(played)
        if one.utterance_id in told
    ]
    return round(max(differences, default=0.0), 2)


class Judge:
    """Walks through all frames that were sent and tells where each sample comes from."""

    def __init__(self, references: dict[str, Pcm16], rounds: list[Round]) -> None:
        self._references = [references[one.text] for one in rounds]
        self._verdict = Verdict()
        self._current = -1
        self._at = 0
        """Samples of the current round that were sent."""

    def judge(self, sent: list[Outgoing]) -> Verdict:
        """Judge all frames, in order."""
        for frame in sent:
            rest, offset = frame.pcm, 0
            if self._current >= 0:
                offset = self._continue(rest, frame.at_s)
            self._begin(rest[offset:], offset, frame.at_s)
        return self._verdict

    def _continue(self, pcm: Pcm16, at_s: float) -> int:
        """Take what goes on of the current round; how many samples that are."""
        ahead = self._references[self._current][self._at : self._at + FRAME_SAMPLES]
        if ahead.size and np.array_equal(pcm[: ahead.size], ahead):
            self._sent(ahead.size, at_s, ahead.size)
            return ahead.size
        fading = ahead[:FADE_SAMPLES]
        ramp = np.linspace(1.0, 0.0, fading.size, dtype=np.float32)
        faded = np.rint(fading * ramp).astype(np.int16)
        if fading.size and np.array_equal(pcm[: fading.size], faded):
            self._sent(fading.size, at_s, fading.size)
            self._at = self._references[self._current].size
            return int(fading.size)
        return 0

    def _begin(self, pcm: Pcm16, offset: int, at_s: float) -> None:
        """After silence only a later round may begin, or the current one go on."""
        audible = np.flatnonzero(pcm)
        if not audible.size:
            return
        begin = int(audible[0])
        speech = pcm[begin:]
        for index in range(self._current + 1, len(self._references)):
            head = self._references[index][: speech.size]
            if np.array_equal(speech[: head.size], head) and not speech[head.size :].any():
                self._current, self._at = index, 0
                self._verdict.begun.append(index)
                self._sent(head.size, at_s, offset + begin + head.size)
                return
        if self._resume(speech, at_s, offset + begin):
            return
        self._verdict.wrong_samples += int(audible.size)

    def _resume(self, speech: Pcm16, at_s: float, offset: int) -> bool:
        """Whether the current round goes on after an underrun."""
        if self._current < 0:
            return False
        rest = self._references[self._current][self._at :]
        skipped = int(np.flatnonzero(rest)[0]) if rest.any() else 0
        ahead = rest[skipped : skipped + speech.size]
        if not (ahead.size and np.array_equal(speech[: ahead.size], ahead)):
            return False
        self._at += skipped
        self._sent(ahead.size, at_s, offset + ahead.size)
        return True

    def _sent(self, samples: int, at_s: float, until: int) -> None:
        self._at += samples
        counts = self._verdict.sent_samples
        counts[self._current] = counts.get(self._current, 0) + samples
        self._verdict.last_sample_s[self._current] = at_s + until / WIRE_RATE_HZ
