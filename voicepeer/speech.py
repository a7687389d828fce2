"""Everything that is being said in one session: text messages in, frames and events out.

Joins the pure parts: the queue decides what to say next, the engine says it, the pacer plays it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

import msgspec
import numpy as np

from engines.api import (
    EngineBusy,
    EngineCrashed,
    EngineError,
    LanguageUnsupported,
    PhonemesUnsupported,
    Voice,
    VoiceIncompatible,
)
from voicepeer.core.errors import (
    AtCapacity,
    EngineFailed,
    RateLimited,
    ShuttingDown,
    TextRejected,
    TextTooLong,
    VoiceNotReady,
    VoicePeerError,
    told,
)
from voicepeer.core.messages import (
    Accepted,
    Append,
    Cancel,
    Cancelled,
    Caption,
    Done,
    End,
    Failed,
    Flush,
    LexiconSet,
    ServerMessage,
    SetControls,
    SetLexicon,
    Speak,
    Started,
    Word,
)
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.rtvi import SendText
from voicepeer.core.speaking.beginning import BeginningClock
from voicepeer.core.speaking.delivery import Delivery, semitones_of
from voicepeer.core.speaking.duration import MAX_AUDIO_S, Length, extra_chars
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.language import AUTO, detect
from voicepeer.core.speaking.lexicon import Lexicon
from voicepeer.core.speaking.manuscript import Manuscript, Remainder
from voicepeer.core.speaking.order import DEFAULT_LANGUAGE, Abilities, Order
from voicepeer.core.speaking.pacer import (
    CueHeard,
    Pacer,
    PacerEvent,
    UtteranceHeard,
    UtterancePlayed,
)
from voicepeer.core.speaking.queue import UtteranceQueue
from voicepeer.core.speaking.utterance import IDLE_S, Event, Utterance
from voicepeer.cues import CueSheet
from voicepeer.ports import Engine, SessionObserver
from voicepeer.resample import SegmentResampler

logger = logging.getLogger(__name__)

PREFETCH_MS = 4_000.0
"""Speech made ahead of its playing; more would only be thrown away by an interruption."""

EVERYTHING = "*"
MAX_LEXICONS = 16


@dataclass(slots=True)
class _Playing:
    utterance: Utterance
    generation: int
    voice: Voice
    length: Length
    alone: bool
    """Whether nothing else was there to be said when it came."""
    counted: int = 0
    """Pieces that were paid for, and whose length is known."""
    clock: BeginningClock = field(default_factory=BeginningClock)


@dataclass(frozen=True, slots=True)
class Rest:
    """What a session still had to say, and how."""

    lines: tuple[Remainder, ...] = ()
    deliveries: Mapping[str, Delivery] = field(default_factory=dict)
    """Of those that were not over, as they were set last."""
    defaults: Delivery = Delivery()
    lexicons: Mapping[str | None, Lexicon] = field(default_factory=dict)
    voice_id: str | None = None


class SpeechQueue:
    """The utterances of one session; ``run`` has to run beside it.

    ``on_piece`` is told of each piece that the engine begins with, as a caption without a time;
    ``pay`` takes the characters that it has more as it is said than as it was written, and raises
    ``RateLimited``. An utterance lasts ``max_audio_s`` at most, as ``Length`` has it.
    """

    def __init__(
        self,
        engine: Engine,
        pacer: Pacer,
        emit: Callable[[ServerMessage], None],
        observer: SessionObserver,
        idle_s: float = IDLE_S,
        on_piece: Callable[[Caption], None] | None = None,
        pay: Callable[[int], Awaitable[None]] | None = None,
        max_audio_s: float = MAX_AUDIO_S,
    ) -> None:
        self.voice: Voice | None = None
        """What the next utterance is spoken with."""
        self.voice_id: str | None = None
        self.stand_in: Callable[[str], Voice | None] | None = None
        """Gives a voice for a language tag where there is no other."""
        self.utterances = 0
        """How many were accepted so far."""
        self._engine = engine
        self._pacer = pacer
        self._emit = emit
        self._on_piece = on_piece
        self._pay = pay
        self._max_audio_s = max_audio_s
        self._observer = observer
        self._queue = UtteranceQueue(idle_s=idle_s, abilities=Abilities.of(engine.info))
        self._defaults = Delivery()
        self._lexicons: dict[str | None, Lexicon] = {}
        self._idle_timer: asyncio.TimerHandle | None = None
        self._playing: dict[int, _Playing] = {}
        self._manuscript = Manuscript()
        self._closing_time = False
        self._work = asyncio.Event()
        self._over = asyncio.Event()
        self._job: tuple[_Playing, asyncio.Task[None]] | None = None
        self._stale_told = 0

    # --- what the client asks for ---------------------------------------------------------------

    def speak(self, message: Speak, voice: Voice | None = None) -> None:
        """Queue a whole text, to be spoken with a voice of its own or the selected one.

        Raises:
            VoiceNotReady: no voice is selected or usable yet.
            TextRejected: too long, its id was used before, or a control is out of range.
            AtCapacity: too much is queued.
        """
        order = self._order(message)
        spoken_as = self._accept(
            message,
            message.interrupt,
            lambda now: self._queue.speak(message.utterance_id, message.text, now, order),
            voice,
        )
        self._manuscript.note(message, spoken_as)

    def send_text(self, message: SendText) -> None:
        """Queue a whole text under an id of our own; raises like ``speak``."""
        self.speak(
            Speak(
                utterance_id=secrets.token_hex(8),
                text=message.content,
                interrupt=message.interrupts,
            )
        )

    def append(self, message: Append, voice: Voice | None = None) -> None:
        """Add text to an utterance, opening it if it is new; raises like ``speak``."""
        known = self._queue.get(message.utterance_id)
        order = self._order(message)
        spoken_as = self._accept(
            message,
            message.interrupt and known is None,
            lambda now: self._queue.append(message.utterance_id, message.text, now, order),
            voice,
        )
        self._manuscript.note(message, spoken_as)

    def _order(self, message: Speak | Append) -> Order:
        asked = _delivery(message).checked(self._engine.info.controls)
        return Order(
            language=message.language or DEFAULT_LANGUAGE,
            delivery=asked.over(self._defaults),
            priority=message.priority,
            lexicon=self._lexicon(message.voice_id or self.voice_id),
            ssml=message.ssml,
            visemes=message.visemes,
            captions=message.captions,
        )

    def _lexicon(self, voice_id: str | None) -> Lexicon:
        own = self._lexicons.get(voice_id, Lexicon()) if voice_id else Lexicon()
        return own.over(self._lexicons.get(None, Lexicon()))

    def set_lexicon(self, message: SetLexicon) -> None:
        """Say words in another way from the next utterance on.

        Raises:
            TextRejected: a word or what is said for it is empty or too long, there are too many,
                or there is IPA and the engine takes none.
        """
        lexicon = Lexicon.read(message.words)
        if not self._engine.info.ipa and any(one.ipa for one in lexicon.entries.values()):
            raise TextRejected("this engine takes no phonemes: give spellings")
        if len(self._lexicons) >= MAX_LEXICONS and message.voice_id not in self._lexicons:
            raise AtCapacity(f"a session has at most {MAX_LEXICONS} lexicons")
        self._lexicons[message.voice_id] = lexicon
        self._emit(LexiconSet(entries=len(lexicon.entries), voice_id=message.voice_id))

    def set_controls(self, message: SetControls) -> None:
        """Change how one utterance is spoken, or all of them and those to come.

        Raises:
            TextRejected: a control is out of range, or there is no such utterance.
        """
        asked = _delivery(message).checked(self._engine.info.controls)
        everything = message.utterance_id == EVERYTHING
        if not everything and self._queue.get(message.utterance_id) is None:
            raise TextRejected(f"there is no utterance {message.utterance_id!r}, or it is over")
        if everything:
            self._defaults = asked.over(self._defaults)
        for playing in self._playing.values():
            utterance = playing.utterance
            if everything or utterance.utterance_id == message.utterance_id:
                utterance.delivery = asked.over(utterance.delivery)
                self._pacer.set_gain(playing.generation, utterance.delivery.gain)

    def flush(self, message: Flush) -> None:
        """Say what was appended; raises TextRejected for an unknown utterance."""
        self._queue.flush(message.utterance_id, time.monotonic())
        self._work.set()

    def end(self, message: End) -> None:
        """No more text comes; raises TextRejected for an unknown utterance."""
        self._queue.end(message.utterance_id, time.monotonic())
        self._manuscript.end(message.utterance_id)
        self._settle()

    def cancel(self, message: Cancel) -> None:
        """Silence one utterance or all; harmless for what is over or was never there."""
        for playing in list(self._playing.values()):
            if message.utterance_id in (EVERYTHING, playing.utterance.utterance_id):
                self._silence(playing, Utterance.cancel)

    def begin_within(self, words: int) -> None:
        """Have so many words at most in the first piece of utterances to come."""
        self._queue.first_words = words

    @property
    def speed(self) -> float:
        """How fast is spoken what does not say so itself; 1 is the voice's own pace."""
        return 1.0 if self._defaults.speed is None else self._defaults.speed

    @property
    def speaking(self) -> bool:
        """Whether there is an utterance that is not over."""
        return bool(self._playing)

    def voice_of(self, utterance_id: str) -> Voice | None:
        """What an utterance that is not over is spoken with."""
        for playing in self._playing.values():
            if playing.utterance.utterance_id == utterance_id:
                return playing.voice
        return None

    async def finish(self) -> None:
        """Take no new utterances from now on, and wait until all that there are are over."""
        self._closing_time = True
        while self._playing:
            self._over.clear()
            await self._over.wait()

    def rest(self, as_of: float) -> Rest:
        """What was not heard by ``as_of``, to be continued in another session; before ``close``."""
        live = {utterance.utterance_id: utterance for utterance in self._queue}
        lines = {one.opening.utterance_id: one for one in self._manuscript.rest(as_of)}
        # Those that are over were sent first, the others come in the order of the queue.
        order = [name for name in lines if name not in live] + [*live]
        return Rest(
            tuple(lines[name] for name in order if name in lines),
            {name: utterance.delivery for name, utterance in live.items()},
            self._defaults,
            dict(self._lexicons),
            self.voice_id,
        )

    def recall(self, rest: Rest) -> None:
        """Speak as another session did, but for what has been asked for here already."""
        self._defaults = self._defaults.over(rest.defaults)
        self._lexicons = {**rest.lexicons, **self._lexicons}

    def resume(self, rest: Rest) -> None:
        """Go on with what another session could not say to its end; before anything new."""
        for one in rest.lines:
            self._manuscript.resume(one)
            try:
                self._resume(one, rest.deliveries.get(one.opening.utterance_id))
            except VoicePeerError as error:
                logger.warning("an utterance could not be continued: %s", error)
                self._manuscript.drop(one.opening.utterance_id)

    def _resume(self, one: Remainder, delivery: Delivery | None) -> None:
        # In the order that they were in; being urgent has done its work.
        opening = msgspec.structs.replace(one.opening, priority=0)
        if isinstance(opening, Speak):
            self.speak(opening, one.voice)
        else:
            self.append(opening, one.voice)
        utterance = self._queue.get(opening.utterance_id)
        if utterance is not None and delivery is not None:
            utterance.delivery = delivery
        if one.ended and isinstance(opening, Append):
            self.end(End(utterance_id=opening.utterance_id))

    def close(self) -> None:
        """Silence everything without a word; ``run`` has to be cancelled by its owner."""
        self._emit = _nobody
        self.cancel(Cancel())
        self._watch_idle()

    def _accept(
        self,
        message: Speak | Append,
        interrupt: bool,
        put: Callable[[float], list[Event]],
        voice: Voice | None,
    ) -> Voice:
        """Queue what ``put`` puts there; the voice that a new utterance gets."""
        if self._closing_time and self._queue.get(message.utterance_id) is None:
            raise ShuttingDown("the service is shutting down and says nothing new: join again soon")
        voice = voice or self.voice or self._standing_in(message)
        if voice is None:
            raise VoiceNotReady(
                "there is no voice yet: send enrol.start and speak for three seconds, "
                "or choose one with voice.use"
            )
        events = self._interrupt(put) if interrupt else put(time.monotonic())
        self._publish(events)
        queued = list(self._queue)
        for utterance, later in zip(queued, [*queued[1:], None], strict=True):
            if self._find(utterance) is None:
                self._open(utterance, later, voice)
        self._settle()
        return voice

    def _standing_in(self, message: Speak | Append) -> Voice | None:
        if self.stand_in is None:
            return None
        language = (message.language or DEFAULT_LANGUAGE).lower()
        if language == AUTO:
            language = detect(message.text, self._engine.info.languages) or DEFAULT_LANGUAGE
        return self.stand_in(language)

    def _open(self, utterance: Utterance, later: Utterance | None, voice: Voice) -> None:
        """Give a new utterance its place in what is played, before ``later``."""
        put_off = self._find(later) if later is not None else None
        generation = self._pacer.open(put_off.generation if put_off else None)
        self._pacer.set_gain(generation, utterance.delivery.gain, at_once=True)
        self._playing[generation] = _Playing(
            utterance, generation, voice, Length(self._max_audio_s), alone=not self._playing
        )
        self.utterances += 1
        if put_off and self._job and self._is_behind(self._job[0], put_off):
            self._start_over(*self._job)

    def _is_behind(self, playing: _Playing, other: _Playing) -> bool:
        order = list(self._queue)
        if playing.utterance not in order:
            return False  # it was silenced a moment ago
        return order.index(playing.utterance) >= order.index(other.utterance)

    def _start_over(self, playing: _Playing, task: asyncio.Task[None]) -> None:
        """Make an utterance anew later: something more urgent came before it was heard."""
        task.cancel()
        playing.utterance.rewind()
        playing.clock = BeginningClock()
        self._pacer.rewind(playing.generation)

    def _interrupt(self, put: Callable[[float], list[Event]]) -> list[Event]:
        """Replace everything by a new utterance; if that is refused, nothing was interrupted."""
        others = list(self._playing.values())
        try:
            events = put(time.monotonic())
        except AtCapacity:
            # The interruption itself makes room.
            self.cancel(Cancel())
            return put(time.monotonic())
        for playing in others:
            self._silence(playing, Utterance.cancel)
        return [
            msgspec.structs.replace(event, queued=0) if isinstance(event, Accepted) else event
            for event in events
        ]

    def _find(self, utterance: Utterance) -> _Playing | None:
        found = (p for p in self._playing.values() if p.utterance is utterance)
        return next(found, None)

    # --- what the track plays -------------------------------------------------------------------

    def on_played(self, events: Sequence[PacerEvent], now: float) -> None:
        """Take what the pacer played in a frame that was sent at ``now``."""
        for event in events:
            playing = self._playing.get(event.generation)
            if playing is None:
                continue
            match event:
                case UtteranceHeard():
                    self._publish(playing.utterance.heard(now))
                    self._observe_beginning(playing, now)
                case CueHeard(label=word):
                    self._emit(word)  # type: ignore[arg-type]
                    if isinstance(word, Word):
                        self._manuscript.word(word, now)
                case UtterancePlayed(played_samples=samples, underruns=underruns):
                    self._publish(playing.utterance.played_out(_ms(samples), underruns))
                    self._manuscript.done(playing.utterance.utterance_id, now)
                    self._forget(playing)

    # --- what the engine makes ------------------------------------------------------------------

    async def run(self) -> None:
        """Make speech, one piece after the other, until cancelled."""
        try:
            while True:
                self._work.clear()
                job = self._queue.take()
                if job is None:
                    self._drain()
                    await self._work.wait()
                    continue
                playing = self._find(job.utterance)
                if playing is None:
                    continue
                task = asyncio.create_task(self._attempt(job, playing), name="synthesis")
                self._job = (playing, task)
                await asyncio.wait([task])
                self._job = None
                self._settle()
        finally:
            if self._job:
                self._job[1].cancel()

    async def _attempt(self, job: Job, playing: _Playing) -> None:
        try:
            await self._count(job, playing)
            await self._synthesize(job, playing)
        except EngineError as error:
            self._fail(playing, _user_error(error), error.retryable)
        except (RateLimited, TextTooLong) as error:
            self._fail(playing, error, isinstance(error, RateLimited))
        except Exception:  # one utterance is lost, the session is not
            logger.exception("an utterance failed in an unforeseen way")
            self._fail(playing, EngineFailed("the speech engine had an internal error"), True)

    async def _count(self, job: Job, playing: _Playing) -> None:
        """What numbers and signs are in words is known only now; a piece made anew counts once."""
        if job.index < playing.counted:
            return
        playing.counted = job.index + 1
        playing.length.add(job)
        if (extra := extra_chars([job])) and self._pay is not None:
            await self._pay(extra)

    async def _synthesize(self, job: Job, playing: _Playing) -> None:
        if job.pause_ms:
            silent = np.zeros(round(job.pause_ms * WIRE_RATE_HZ / 1000), dtype=np.float32)
            self._pacer.push(playing.generation, silent)
            job.utterance.synthesized(job.pause_ms, 0.0)
            await self._wait_for_room(playing)
            return
        resampler = SegmentResampler(
            self._engine.info.sample_rate_hz, self._pacer.counters.note_repair
        )
        first_sample = self._pacer.pushed_samples(playing.generation)
        ahead_s = self._ahead_ms(playing) / 1000
        goes_on = first_sample > 0 or ahead_s > 0.0
        self._tell_piece(job)
        sheet = CueSheet(job, first_sample, self._manuscript.told)
        gain = np.float32(job.gain)
        samples, waited_s, started_s = 0, 0.0, time.monotonic()
        playing.clock.ask(started_s)
        stream = self._engine.speak(
            job.segment, playing.voice, job.controls, ahead_s if goes_on else None
        )
        try:
            async for chunk in stream:
                playing.clock.take(chunk, time.monotonic())
                pcm = resampler.push(chunk.pcm * gain)
                self._pacer.push(playing.generation, pcm, sheet.cues(chunk))
                samples += chunk.pcm.size
                waited_s += await self._wait_for_room(playing)
        finally:
            stream.cancel()
        self._pacer.push(playing.generation, resampler.finish())
        busy_s = time.monotonic() - started_s - waited_s
        audio_ms = samples * 1000 / self._engine.info.sample_rate_hz
        job.utterance.synthesized(audio_ms, busy_s * 1000)

    def _tell_piece(self, job: Job) -> None:
        if self._on_piece is not None:
            self._on_piece(self._manuscript.told(job.whole()))

    def _ahead_ms(self, playing: _Playing) -> float:
        """What is still to be played until there is no more of an utterance."""
        ahead_ms = 0.0
        for utterance in self._queue:
            before = self._find(utterance)
            ahead_ms += self._pacer.buffered_ms(before.generation) if before else 0.0
            if utterance is playing.utterance:
                break
        return ahead_ms

    async def _wait_for_room(self, playing: _Playing) -> float:
        excess_s = (self._ahead_ms(playing) - PREFETCH_MS) / 1000
        if excess_s <= 0:
            return 0.0
        # Playing takes exactly this long; an interruption cancels the whole task.
        await asyncio.sleep(excess_s)
        return excess_s

    def _drain(self) -> None:
        """Everything there is text for has been made: what is there may be played out."""
        for playing in self._playing.values():
            self._pacer.drain(playing.generation)

    def _settle(self) -> None:
        """Tell the pacer which utterances are complete, and wake the synthesis."""
        for playing in self._playing.values():
            if playing.utterance.all_synthesized:
                self._pacer.end(playing.generation)
        self._work.set()
        self._watch_idle()

    def _watch_idle(self) -> None:
        """Come back when text that waits for its clause has waited long enough."""
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        due_s = self._queue.next_deadline_s()
        if due_s is not None:
            loop = asyncio.get_running_loop()
            wait_s = max(0.0, due_s - time.monotonic())
            self._idle_timer = loop.call_later(wait_s, self._release_idle)

    def _release_idle(self) -> None:
        self._queue.release(time.monotonic())
        self._settle()

    # --- ends -----------------------------------------------------------------------------------

    def _fail(self, playing: _Playing, error: VoicePeerError, retryable: bool) -> None:
        self._silence(playing, lambda utterance, ms: utterance.fail(error, ms, retryable))

    def _silence(
        self, playing: _Playing, finish: Callable[[Utterance, float], list[Event]]
    ) -> None:
        played_ms = _ms(self._pacer.cancel(playing.generation))
        if self._job and self._job[0] is playing and self._job[1] is not asyncio.current_task():
            self._job[1].cancel()
        self._publish(finish(playing.utterance, played_ms))
        self._manuscript.drop(playing.utterance.utterance_id)
        self._forget(playing)

    def _forget(self, playing: _Playing) -> None:
        self._playing.pop(playing.generation, None)
        self._queue.remove(playing.utterance)
        self._work.set()
        self._over.set()

    def _publish(self, events: Sequence[Event]) -> None:
        for event in events:
            self._emit(self._manuscript.told(event))
            self._observe(event)

    def _observe(self, event: Event) -> None:
        match event:
            case Accepted():
                self._observer.utterance_accepted()
            case Done(audio_ms=audio_ms, rtf=rtf, underruns=underruns):
                self._observer.utterance_done(audio_ms, rtf, underruns)
            case Cancelled():
                self._observer.utterance_cancelled()
            case Failed(code=code):
                self._observer.utterance_failed(code)
            case Started() | Word():
                pass
            case _:
                assert_never(event)
        if isinstance(event, Done | Cancelled | Failed):
            self._observe_pace()

    def _observe_beginning(self, playing: _Playing, now: float) -> None:
        """Of what had nothing else to wait for, as the rest only tells how clients queue."""
        parts = playing.clock.read(playing.utterance.speakable_s, now)
        if playing.alone and parts is not None:
            self._observer.utterance_started(parts)

    def _observe_pace(self) -> None:
        stale = self._pacer.counters.stale_chunks
        self._observer.speech_paced(self._pacer.lead_ms, stale - self._stale_told)
        self._stale_told = stale


def _delivery(message: Speak | Append | SetControls) -> Delivery:
    semitones = message.pitch_semitones
    if semitones is None and message.pitch is not None:
        semitones = semitones_of(message.pitch)
    return Delivery(
        speed=message.speed,
        pitch_semitones=semitones,
        energy=message.energy,
        volume=message.volume,
        pauses=message.pauses,
        emotion=message.emotion,
        emotion_strength=message.emotion_strength,
    )


def _ms(wire_samples: int) -> float:
    return wire_samples * 1000 / WIRE_RATE_HZ


def _nobody(message: ServerMessage) -> None:
    """Where the events of a closed session go."""


def _user_error(error: EngineError) -> VoicePeerError:
    match error:
        case LanguageUnsupported() | PhonemesUnsupported():
            return TextRejected(str(error))
        case VoiceIncompatible():
            return VoiceNotReady(str(error))
        case EngineBusy():
            return AtCapacity(str(error))
        case EngineCrashed():
            return EngineFailed("the speech engine was restarted: send the text again")
        case _:
            return EngineFailed(told(error))
