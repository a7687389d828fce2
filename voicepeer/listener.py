"""Everything that is heard in one session: the microphone in, a voice and its events out.

Joins the pure parts with the models: blocks are cut into windows, the windows compared with what
we said and scored for speech. The gate decides what to learn from, enrolment says when there is
enough to clone, and whoever speaks over us is told of.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from engines.api import (
    Embedding,
    EngineCrashed,
    EngineError,
    Pcm,
    Reference,
    ReferenceRejected,
    VadMemory,
    Voice,
)
from voicepeer.core.listening.echo import NO_ECHO, EchoDetector, EchoVerdict
from voicepeer.core.listening.enrolment import (
    Enrolment,
    EnrolmentEvent,
    EnrolmentSettings,
    Improved,
    Progress,
    Ready,
    Rejected,
    Usable,
)
from voicepeer.core.listening.gate import SpeechGate
from voicepeer.core.listening.interruption import (
    Interruption,
    InterruptionEvent,
    InterruptionSettings,
)
from voicepeer.core.messages import (
    ServerMessage,
    VoiceProgress,
    VoiceReady,
    VoiceRefined,
    VoiceRejected,
    VoiceUsable,
)
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm16, from_pcm16
from voicepeer.jitter import Block
from voicepeer.ports import Engine, SessionObserver, VoiceStream
from voicepeer.speaker_identity import identity_of
from voicepeer.tracks import MicReader

logger = logging.getLogger(__name__)

BACKLOG_WINDOWS = 960
"""Half a minute of microphone that may wait for a busy engine; older windows are dropped."""

BATCH_WINDOWS = 32
TICK_S = 0.25
CLONE_ATTEMPTS = 3
CLONE_RETRY_S = 1.0


@dataclass(frozen=True, slots=True)
class MadeVoice:
    """A voice that was just made from what the microphone gave so far."""

    voice_id: str
    voice: Voice
    embedding: Embedding | None
    quality: float
    """Of the speech, 0 to 1."""
    identity: Embedding | None
    """What is compared with that of a spoken consent."""
    reference: Reference


@dataclass(frozen=True, slots=True)
class _Window:
    pcm: Pcm
    at: float
    own_voice: bool
    echo: EchoVerdict


@dataclass(frozen=True, slots=True)
class _Wish:
    """A clone that is due, since when."""

    event: Usable | Ready | Improved
    at: float


@dataclass(slots=True)
class _Learning:
    """One enrolment; a new one has a new voice id."""

    voice_id: str
    enrolment: Enrolment
    gate: SpeechGate
    wishes: list[_Wish] = field(default_factory=list)
    refined: int = 0
    """How often a refinement made it better."""


class Listener:
    """Learns the speaker of one microphone; ``run`` has to run beside it.

    Args:
        hears_us: whether our own voice may be in what the microphone picks up now.
        on_voice: awaited with each voice made, before the client is told.
        on_user: told when somebody begins and ends to speak, once ``listen_for_user`` was called.
    """

    def __init__(
        self,
        engine: Engine,
        mic: MicReader,
        emit: Callable[[ServerMessage], None],
        observer: SessionObserver,
        hears_us: Callable[[], bool],
        on_voice: Callable[[MadeVoice], Awaitable[None]],
        settings: EnrolmentSettings | None = None,
        on_user: Callable[[InterruptionEvent], None] | None = None,
    ) -> None:
        self.frames = 0
        """Blocks of 20 ms that came from the microphone."""
        self._engine = engine
        self._mic = mic
        self._emit = emit
        self._observer = observer
        self._hears_us = hears_us
        self._on_voice = on_voice
        self._settings = settings
        self._on_user = on_user
        self._learning: _Learning | None = None
        self._interruption: Interruption | None = None
        self._echo: EchoDetector | None = None
        self._memory: VadMemory | None = None
        self._windows: deque[_Window] = deque(maxlen=BACKLOG_WINDOWS)
        self._heard = asyncio.Event()
        self._cloning = asyncio.Event()
        self._refining: VoiceStream | None = None
        self._sparing = False

    def start(self, voice_id: str, match_channel: bool | None = None) -> None:
        """Begin to learn a voice; what was learned of another one before is forgotten.

        ``match_channel`` stands in for that of the settings where it is not ``None``.
        """
        settings = self._settings or EnrolmentSettings()
        if match_channel is not None:
            settings = replace(settings, match_channel=match_channel)
        enrolment = Enrolment(
            settings,
            started_at=time.monotonic(),
            window_samples=self._engine.encoder_window_samples,
        )
        gate = SpeechGate(window_samples=self._engine.vad_window_samples)
        self._windows.clear()
        self._memory = None
        self._refine_no_more()
        enrolment.spare(self._sparing)
        self._learning = _Learning(voice_id, enrolment, gate)
        self._listen()

    def stop(self) -> None:
        """Learn no more; the voice stays as it is."""
        self._learning = None
        self._refine_no_more()
        self._listen()

    def spare(self, on: bool) -> None:
        """Embed less and make no ready voice better, or do as usual again."""
        self._sparing = on
        if on:
            self._refine_no_more()
        if self._learning is not None:
            self._learning.enrolment.spare(on)

    @property
    def needs_speech(self) -> bool:
        """Whether somebody was asked to speak, so that it is no interruption if they do."""
        return self._learning is not None and not self._learning.enrolment.ready

    def listen_for_user(self, settings: InterruptionSettings | None) -> None:
        """Tell ``on_user`` of speech that is not our own echo, or with ``None`` no more of it."""
        self._interruption = None if settings is None else Interruption(settings)
        self._listen()

    def sent(self, frame: Pcm16) -> None:
        """Take what was just sent to whoever has the microphone, 48 kHz."""
        if self._echo is not None:
            self._echo.sent(frame)

    @property
    def listens(self) -> bool:
        """Whether anything is learned or waited for, so that the microphone matters."""
        return self._learning is not None or self._interruption is not None

    def _listen(self) -> None:
        """Know echoes from now on, or spare the work where nobody asks."""
        if not self.listens:
            self._echo = None
        elif self._echo is None:
            self._echo = EchoDetector()

    async def run(self) -> None:
        """Listen until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._collect(), name="microphone")
            tasks.create_task(self._learn(), name="enrolment")
            tasks.create_task(self._clone(), name="cloning")

    # --- from the microphone --------------------------------------------------------------------

    async def _collect(self) -> None:
        """Cut what comes into windows; never waits for a model."""
        rest = np.zeros(0, np.float32)
        size = self._engine.vad_window_samples
        async for block in self._mic.blocks():
            self.frames += 1
            if not self.listens:
                rest = rest[:0]
                continue
            rest = np.concatenate([rest, from_pcm16(block.pcm)])
            whole = rest.size // size * size
            for start in range(0, whole, size):
                self._keep(rest[start : start + size], block)
            rest = rest[whole:]

    def _keep(self, pcm: Pcm, block: Block) -> None:
        echo = NO_ECHO if self._echo is None else self._echo.heard(pcm)
        own_voice = self._hears_us() or echo.likely
        self._windows.append(_Window(pcm, block.received_s, own_voice, echo))
        if self._is_urgent or len(self._windows) >= BATCH_WINDOWS:
            self._heard.set()

    @property
    def _is_urgent(self) -> bool:
        """Whether somebody waits for what is heard. A voice that is ready only gets better by it,
        so windows may go through the model several at once, each ``TICK_S``, which costs less."""
        return self._interruption is not None or self.needs_speech

    # --- through the models ---------------------------------------------------------------------

    async def _learn(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(TICK_S):
                    await self._heard.wait()
            self._heard.clear()
            try:
                await self._advance()
            except EngineError as error:
                logger.warning("a model could not listen: %s", error)
                self._memory = None
                await asyncio.sleep(TICK_S)

    async def _advance(self) -> None:
        learning = self._learning
        while self._windows and learning is self._learning:
            count = min(BATCH_WINDOWS, len(self._windows))
            batch = [self._windows.popleft() for _ in range(count)]
            await self._score(learning, batch)
            if learning is not None:
                await self._embed(learning)
        if learning is not None:
            now = time.monotonic()
            self._handle(learning, learning.enrolment.tick(now, learning.gate.level_dbfs))

    async def _score(self, learning: _Learning | None, batch: list[_Window]) -> None:
        if not self.listens:
            return
        windows = np.concatenate([window.pcm for window in batch])
        scores, self._memory = await self._engine.score(windows, self._memory)
        for window, score in zip(batch, scores, strict=True):
            self._notice(window, score)
            if learning is not None:
                self._learn_from(learning, window, score)

    def _notice(self, window: _Window, score: float) -> None:
        """Tell of somebody who speaks, before anything slower is done with the window."""
        if self._interruption is None or self._on_user is None:
            return
        window_ms = window.pcm.size * 1000 / LISTEN_RATE_HZ
        for event in self._interruption.push(score, window.echo, window_ms, window.at):
            self._on_user(event)

    def _learn_from(self, learning: _Learning, window: _Window, score: float) -> None:
        events = learning.gate.push(window.pcm, score, window.at, own_voice=window.own_voice)
        snr_db = learning.gate.snr_db
        self._handle(learning, learning.enrolment.push(events, window.at, snr_db))

    async def _embed(self, learning: _Learning) -> None:
        while (window := learning.enrolment.take_window()) is not None:
            began_s = time.monotonic()
            embedding = await self._engine.embed_window(window.pcm)
            now = time.monotonic()
            self._observer.embedded((now - began_s) * 1000.0)
            self._handle(learning, learning.enrolment.add(window, embedding, now))

    def _handle(self, learning: _Learning, events: list[EnrolmentEvent]) -> None:
        if learning is not self._learning:
            return
        for event in events:
            match event:
                case Progress(quality=quality):
                    self._emit(
                        VoiceProgress(
                            heard_s=event.heard_s,
                            needed_s=event.needed_s,
                            score=event.score,
                            quality=quality.score,
                            snr_db=quality.snr_db,
                            hint=event.hint,
                            hint_code=event.code,
                        )
                    )
                case Rejected(message=message, code=code):
                    self._reject("nothing_heard", message, code)
                case Usable() | Ready() | Improved():
                    learning.wishes.append(_Wish(event, time.monotonic()))
                    self._refine_no_more()
                    self._cloning.set()

    # --- to a voice -----------------------------------------------------------------------------

    async def _clone(self) -> None:
        """Make the voices that enrolment asks for, one at a time and beside the listening."""
        while True:
            await self._cloning.wait()
            self._cloning.clear()
            learning = self._learning
            while learning and learning is self._learning and learning.wishes:
                wishes, learning.wishes = learning.wishes, []
                made = await self._made(learning, wishes)
                if made is not None and learning is self._learning:
                    await self._on_voice(made)
                    if learning is self._learning:
                        for wish in wishes:
                            self._announce(learning, wish)
                        await self._refine(learning, made)

    async def _made(self, learning: _Learning, wishes: Sequence[_Wish]) -> MadeVoice | None:
        """One voice for all that is due, of everything that was heard until now."""
        reference = learning.enrolment.reference()
        urgent = not all(isinstance(wish.event, Improved) for wish in wishes)
        voice = await self._make(reference, urgent=urgent)
        if voice is None:
            return None
        # The spectrum of 20 s would hold everybody's packets up.
        encoder = self._engine.info.encoder
        identity = await asyncio.to_thread(identity_of, reference, encoder)
        quality = wishes[-1].event.quality.score
        return MadeVoice(
            learning.voice_id, voice, reference.embedding, quality, identity, reference
        )

    async def _refine(self, learning: _Learning, made: MadeVoice) -> None:
        """Make the voice better until more speech makes a new one, or nothing more is found."""
        budget_s = learning.enrolment.settings.refine_s
        if not learning.enrolment.ready or learning.wishes or budget_s <= 0.0 or self._sparing:
            return
        refining = self._refining = self._engine.refine(made.voice, made.reference, budget_s)
        try:
            async for voice in refining:
                await self._on_voice(replace(made, voice=voice))
                if learning is self._learning:
                    learning.refined += 1
                    self._emit(VoiceRefined(voice_id=made.voice_id, count=learning.refined))
        except EngineError as error:
            logger.warning("a voice could not be refined: %s", error)
        finally:
            refining.cancel()

    def _refine_no_more(self) -> None:
        if self._refining is not None:
            self._refining.cancel()
            self._refining = None

    async def _make(self, reference: Reference, *, urgent: bool) -> Voice | None:
        for attempt in range(CLONE_ATTEMPTS):
            try:
                return await self._engine.enrol(reference, urgent=urgent)
            except ReferenceRejected as error:
                self._reject("reference_rejected", str(error))
                return None
            except EngineCrashed:
                logger.warning("the engine was lost while cloning, attempt %d", attempt + 1)
                await asyncio.sleep(CLONE_RETRY_S)
            except EngineError as error:
                logger.warning("cloning failed: %s", error)
                break
        self._reject("engine_failed", "the voice could not be made: send enrol.start again")
        return None

    def _reject(self, reason: str, message: str, code: str | None = None) -> None:
        self._emit(VoiceRejected(message=message, code=code or reason))
        self._observer.voice_rejected(code or reason)

    def _announce(self, learning: _Learning, wish: _Wish) -> None:
        milestone, now = wish.event, time.monotonic()
        if isinstance(milestone, Improved):
            return
        self._observer.voice_scored(milestone.score)
        elapsed_ms = milestone.elapsed_ms + (now - wish.at) * 1000
        usable = VoiceUsable(
            voice_id=learning.voice_id,
            heard_s=milestone.heard_s,
            score=milestone.score,
            quality=milestone.quality.score,
            elapsed_ms=elapsed_ms,
        )
        if isinstance(milestone, Usable):
            self._emit(usable)
            self._observer.voice_usable(elapsed_ms)
        else:
            clone_ms = (now - milestone.needed_at) * 1000
            self._emit(VoiceReady(**msgspec.structs.asdict(usable), clone_ms=clone_ms))
            self._observer.voice_ready(elapsed_ms, clone_ms)
