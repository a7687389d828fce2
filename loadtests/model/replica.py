"""One service with its users, event by event, on a clock of its own: pure and seeded.

Turns of the engine are given by the schedule of ``engines.process``, and what is done with less by
the ladder of ``voicepeer.core.degradation``: the ones that a service runs. Left out are the
network, the time to cut and read a text, and what else takes as long for one user as for many.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random

from engines.api import CHUNK_MS
from engines.host import HostSpec
from engines.process.schedule import Schedule
from loadtests.model.crowd import Crowd, Script
from loadtests.model.outcome import Outcome
from loadtests.model.parts import Parts, Said
from loadtests.model.playback import Lead, Playback, delivered_ms
from voicepeer.core.degradation.ladder import Ladder
from voicepeer.core.degradation.severity import Limits, severities
from voicepeer.core.degradation.vitals import Vitals
from voicepeer.core.timeline import FRAME_S
from voicepeer.degrader import SENDING_MS
from voicepeer.media import FEWER
from voicepeer.speech import PREFETCH_MS

_CHUNK_S = CHUNK_MS / 1000.0
_LEAST_SHARE = 0.05
"""Of the cores is what an engine gets however much there is to do before it."""

_DEFAULTS = HostSpec("", "", "")


@dataclass(frozen=True, slots=True)
class Plant:
    """What a replica runs on and takes; ``…_cores`` are processor time a second.

    Network and listening go before the engine, as they do in a service, where it is niced.
    """

    cores: float
    step_cores: float = 1.0
    """What a step of an engine keeps busy while it has all that it wants."""
    idle_cores: float = 0.0
    """Of a service without sessions."""
    session_cores: float = 0.0
    speaking_cores: float = 0.0
    """More, for a user who is spoken to."""
    other_cores: float = 0.0
    """Taken by programs beside the service, as clients on the same machine are."""
    engines: int = 1
    rate_hz: int = 24_000
    max_streams: int = _DEFAULTS.max_streams
    lead_chunks: int = _DEFAULTS.lead_chunks
    baseline_ms: float = 0.0
    degrades: bool = True

    @classmethod
    def of(cls, parts: Parts, *, other_cores: float = 0.0, mic: float = 0.0) -> Plant:
        """As it was measured, with users who speak themselves for a share ``mic`` of the time."""
        media, engine = parts.media, parts.engine
        session_ms = media.silent_ms + mic * (media.heard_ms + media.listening_ms)
        return cls(
            cores=parts.cores,
            step_cores=engine.cores,
            idle_cores=media.idle_ms / 1000.0,
            session_cores=session_ms / 1000.0,
            speaking_cores=media.speaking_ms / 1000.0,
            other_cores=other_cores,
            rate_hz=engine.rate_hz,
            baseline_ms=engine.first_chunk_ms + SENDING_MS,
        )


@dataclass(eq=False, slots=True)
class _Utterance:
    sent_s: float
    pieces: Sequence[Said]
    playback: Playback
    place: int
    """Of the session that it is heard in."""
    said: int = 0
    """How many pieces were made."""

    @property
    def audio_s(self) -> float:
        return sum(piece.audio_ms for piece in self.pieces) / 1000.0


@dataclass(eq=False, slots=True)
class _Stream:
    id: int
    utterance: _Utterance
    said: Said
    delivered_ms: Sequence[float]
    asked_s: float
    allowed: int
    """Chunks that may be made before the listener takes more."""
    made: int = 0


@dataclass(slots=True)
class _Economy:
    """What is done with less at present, decided as ``voicepeer.degrader`` does."""

    plant: Plant
    vitals: Vitals = field(default_factory=Vitals)
    ladder: Ladder = field(default_factory=Ladder)

    def look(self, now: float, waiting: int) -> None:
        """Judge how it is."""
        reading = self.vitals.read(now, waiting)
        causes = severities(reading, Limits(), self.plant.baseline_ms)
        if self.ladder.push(max(causes.values()), now) > 0:
            self.vitals.forget_speech()

    @property
    def early(self) -> bool:
        """Whether first pieces are short."""
        return "short_first_piece" in self.ladder.steps

    def most(self, first: bool) -> int:
        """How many streams there may be before another is begun."""
        fewer = first and "fewer_utterances" in self.ladder.steps
        return max(1, self.plant.max_streams // FEWER) if fewer else self.plant.max_streams


class Replica:
    """Run it once; the same seed gives the same outcome."""

    def __init__(self, plant: Plant, crowd: Crowd, script: Script, seed: int = 1) -> None:
        self._plant = plant
        self._crowd = crowd
        self._script = script
        self._random = Random(seed)
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._order = itertools.count()
        self._schedule = Schedule()
        self._streams: dict[int, _Stream] = {}
        self._idle = plant.engines
        self._speaking = 0
        self._economy = _Economy(plant)
        self._leads: list[Lead] = []
        self._free_leads: list[int] = []
        self._outcome = Outcome(0.0, crowd.users)
        self._counted_from_s = 0.0

    def run(self, seconds: float, warm_up_s: float = 0.0) -> Outcome:
        """Let the users talk for so long after a warm-up that does not count."""
        self._outcome.seconds = seconds
        self._counted_from_s = warm_up_s
        until_s = warm_up_s + seconds
        for at_s in self._crowd.begin_s():
            self._at(at_s, self._send)
        if self._plant.degrades:
            self._at(1.0, self._look)
        while self._events and self._events[0][0] < until_s:
            now, _, act = heapq.heappop(self._events)
            act(now)
        self._outcome.engine_busy /= seconds * self._plant.engines
        self._outcome.engine_cores /= seconds
        spoken_cores = self._plant.speaking_cores * self._outcome.spoken_s / seconds
        self._outcome.media_cores = self._silent_cores + spoken_cores
        self._outcome.steps = self._economy.ladder.steps
        return self._outcome

    def _at(self, at_s: float | None, act: Callable[[float], None]) -> None:
        if at_s is not None:
            heapq.heappush(self._events, (at_s, next(self._order), act))

    def _counts(self, at_s: float) -> bool:
        return at_s >= self._counted_from_s

    @property
    def _silent_cores(self) -> float:
        return self._plant.idle_cores + self._crowd.users * self._plant.session_cores

    # --- users ----------------------------------------------------------------------------------

    def _send(self, now: float) -> None:
        self._at(self._crowd.after_sent_s(now), self._send)
        place = self._free_leads.pop() if self._free_leads else len(self._leads)
        if place == len(self._leads):
            self._leads.append(Lead())
        playback = Playback(self._leads[place], now + self._random.uniform(0.0, FRAME_S))
        pieces = self._script.draw(self._economy.early)
        self._outcome.texts += self._counts(now)
        self._ask(_Utterance(now, pieces, playback, place), now)

    def _ask(self, utterance: _Utterance, now: float) -> None:
        """Have the next piece made."""
        if len(self._streams) >= self._economy.most(first=utterance.said == 0):
            self._outcome.refused += self._counts(utterance.sent_s)
            self._speaking -= utterance.playback.heard_s is not None
            self._economy.vitals.ended(now, failed=False)
            self._leave(utterance, self._crowd.after_refused_s(now))
            return
        said = utterance.pieces[utterance.said]
        given_ms = delivered_ms(self._plant.rate_hz, len(said.made_ms), said.last_ms)
        id = next(self._order)
        stream = _Stream(id, utterance, said, given_ms, now, self._plant.lead_chunks)
        self._streams[id] = stream
        in_hand_s = utterance.playback.buffered_ms(now) / 1000.0 if utterance.said else None
        self._schedule.add(id, 1, now, in_hand_s)
        self._step(now)

    def _leave(self, utterance: _Utterance, next_s: float | None) -> None:
        self._free_leads.append(utterance.place)
        self._at(next_s, self._send)

    def _over(self, utterance: _Utterance, now: float) -> None:
        self._speaking -= utterance.playback.heard_s is not None
        self._economy.vitals.ended(now, failed=False)
        if self._counts(utterance.sent_s):
            self._outcome.underruns += utterance.playback.underruns
            self._outcome.spoken_s += utterance.audio_s
        self._leave(utterance, self._crowd.after_over_s(now, utterance.audio_s))

    # --- engines --------------------------------------------------------------------------------

    def _step(self, now: float) -> None:
        """Let engines that have nothing to do begin with what is next."""
        while self._idle and (id := self._schedule.next(now)) is not None:
            stream = self._streams[id]
            self._schedule.grant(id, -1)  # nobody else may take it meanwhile
            self._idle -= 1
            if stream.made == 0 and self._counts(stream.asked_s):
                self._outcome.waited_s.append(now - stream.asked_s)
            work_s = stream.said.made_ms[stream.made] / 1000.0
            took_s = work_s * self._slowed()
            if self._counts(now):
                self._outcome.engine_busy += took_s
                self._outcome.engine_cores += work_s * self._plant.step_cores
            self._at(now + took_s, partial(self._made, stream))

    def _slowed(self) -> float:
        """How much longer a step takes than alone: what is left of the cores is shared."""
        plant = self._plant
        before = plant.other_cores + self._silent_cores + self._speaking * plant.speaking_cores
        left = max(plant.cores - before, _LEAST_SHARE * plant.cores)
        wanted = (plant.engines - self._idle) * plant.step_cores
        return max(1.0, wanted / left)

    def _made(self, stream: _Stream, now: float) -> None:
        self._idle += 1
        self._schedule.said(stream.id, _CHUNK_S, now)
        stream.allowed -= 1
        excess_s = self._deliver(stream.utterance, stream.delivered_ms[stream.made], now)
        stream.made += 1
        # Back to where it was before this step; one more where the next chunk may follow.
        self._schedule.grant(stream.id, 2 if stream.allowed > 0 else 1)
        if stream.made == len(stream.said.made_ms):
            self._end(stream, excess_s, now)
        elif excess_s > 0.0:
            self._at(now + excess_s, partial(self._take, stream))
        else:
            self._take(stream, now)
        self._step(now)

    def _end(self, stream: _Stream, excess_s: float, now: float) -> None:
        self._schedule.remove(stream.id)
        del self._streams[stream.id]
        if excess_s > 0.0:
            self._at(now + excess_s, partial(self._piece_over, stream.utterance))
        else:
            # Before the engine turns to others: a worker waits for the next piece.
            self._piece_over(stream.utterance, now)

    def _take(self, stream: _Stream, now: float) -> None:
        """The session takes a chunk, so that one more may be made."""
        stream.allowed += 1
        if stream.allowed == 1 and stream.id in self._streams:
            self._schedule.grant(stream.id, 1)
            self._step(now)

    def _deliver(self, utterance: _Utterance, audio_ms: float, now: float) -> float:
        """Hand speech to the pacer; how long the session then waits for room in it."""
        playback = utterance.playback
        silent = playback.heard_s is None
        playback.push(audio_ms, now)
        if silent:
            self._hear(utterance, now)
        return max(0.0, playback.buffered_ms(now) - PREFETCH_MS) / 1000.0

    def _hear(self, utterance: _Utterance, now: float) -> None:
        if utterance.playback.heard_s is None:
            return
        self._speaking += 1
        after_s = utterance.playback.heard_s - utterance.sent_s
        self._economy.vitals.first_audible(after_s * 1000.0, now)
        if self._counts(utterance.sent_s):
            self._outcome.heard_after_s.append(after_s)

    def _piece_over(self, utterance: _Utterance, now: float) -> None:
        utterance.said += 1
        if utterance.said < len(utterance.pieces):
            self._ask(utterance, now)
            return
        silent = utterance.playback.heard_s is None
        over_s = utterance.playback.end(now)
        if silent:
            self._hear(utterance, now)
        self._at(max(now, over_s), partial(self._over, utterance))

    def _look(self, now: float) -> None:
        waiting = sum(stream.made == 0 for stream in self._streams.values())
        self._economy.look(now, waiting)
        self._at(now + 1.0, self._look)
