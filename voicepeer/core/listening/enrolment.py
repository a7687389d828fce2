"""Learns one speaker: collects speech, says which windows to embed, and when a voice is good.

The shell feeds it what the gate lets through, embeds the windows it asks for, and acts on its
events::

    enrolment = Enrolment(started_at=now)
    for event in enrolment.push(gate.push(window, probability, now), now): ...
    while (window := enrolment.take_window()) is not None:
        for event in enrolment.add(window, encoder.embed_window(window.pcm), now): ...
    for event in enrolment.tick(now, gate.level_dbfs): ...       # a few times a second
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from engines.api import Embedding, Reference
from voicepeer.core.listening.gate import (
    GateEvent,
    SpeechBegan,
    SpeechEnded,
    SpeechHeard,
    SpeechWithheld,
    WithheldReason,
)
from voicepeer.core.listening.partials import PartialWindow, SpeechBuffer, mean_embedding
from voicepeer.core.listening.quality import Quality, QualityFault, QualityMeter
from voicepeer.core.listening.surroundings import separation
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm

HintCode: TypeAlias = QualityFault | Literal["own_voice", "no_speech", "muted", "several_speakers"]
"""What a hint is about: for programs, and for people who do not read English."""

COMPANY = 0.3
"""Separation of the windows over which somebody else seems to speak.

Of 40 speakers alone 3 were over it within five seconds, of 40 pairs who took turns 31.
"""

MUTED_DBFS = -75.0
"""A microphone that is on in a quiet room is louder than this."""


@dataclass(frozen=True, slots=True)
class EnrolmentSettings:
    """How much speech makes a voice, and how often to talk about it."""

    usable_s: float = 3.0
    ready_s: float = 5.0
    max_s: float = 20.0
    """Speech beyond this is not kept: it no longer changes the voice."""
    first_hop_s: float = 0.4
    hop_s: float = 0.8
    """Between windows, until and after the voice is usable."""
    progress_every_s: float = 0.25
    """Of speech heard."""
    hint_after_s: float = 3.0
    """Without speech to learn from."""
    reject_after_s: float = 30.0
    """Without speech to learn from, while the voice is not yet usable."""
    improve_every_s: float = 3.0
    """Speech that must be new before another clone can be worthwhile."""
    improve_by: float = 0.6
    """The same, as a share of what the last clone was made of: more tells less and less."""
    improve_below_cosine: float = 0.99
    """A clone is worthwhile if the embedding has moved at least this far from the last clone's."""
    refine_s: float = 0.0
    """Work on making a ready voice better, while nobody speaks; 0 leaves it as it is."""
    match_channel: bool = False
    """Whether voices are to sound like their recording, see ``Reference.match_channel``."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How it is going; ``hint`` is for a person."""

    heard_s: float
    needed_s: float
    score: float
    quality: Quality
    hint: str | None
    code: HintCode | None = None
    """What the hint is about."""


@dataclass(frozen=True, slots=True)
class Usable:
    """There is speech enough to clone from; ``elapsed_ms`` runs from the first speech heard.

    ``needed_at`` is when the last sample that was needed came in.
    """

    heard_s: float
    score: float
    quality: Quality
    elapsed_ms: float
    needed_at: float


@dataclass(frozen=True, slots=True)
class Ready:
    """The voice is as good as ``ready_s`` of speech make it; fields as in ``Usable``."""

    heard_s: float
    score: float
    quality: Quality
    elapsed_ms: float
    needed_at: float


@dataclass(frozen=True, slots=True)
class Improved:
    """More speech has moved the voice: cloning again is worthwhile."""

    heard_s: float
    score: float
    quality: Quality


@dataclass(frozen=True, slots=True)
class Rejected:
    """Nothing came that can be cloned from; enrolment goes on if something comes after all."""

    message: str
    code: HintCode


EnrolmentEvent: TypeAlias = Progress | Usable | Ready | Improved | Rejected


_WITHHELD_CODES: dict[WithheldReason, HintCode] = {
    "own_voice": "own_voice",
    "clipped": "clipping",
    "noisy": "noisy",
}
_COMPLAINTS: dict[HintCode, str] = {
    "own_voice": "I do not learn while I am speaking: speak when I am silent",
    "clipping": "too loud: turn the microphone down or step back",
    "noisy": "too much background noise: find a quieter place or come closer to the microphone",
    "no_speech": "I hear no speech: please speak",
    "muted": "the microphone sends silence: check that it is on and not muted",
    "several_speakers": "more than one person seems to speak: only the one to be learned should",
}


class Enrolment:
    """One speaker being learned; see the module for how to drive it."""

    def __init__(
        self,
        settings: EnrolmentSettings | None = None,
        *,
        started_at: float,
        window_samples: int = 25_600,
        rate_hz: int = LISTEN_RATE_HZ,
    ) -> None:
        """``window_samples`` is the speaker encoder's, at ``rate_hz``."""
        self._settings = settings or EnrolmentSettings()
        self._speech = SpeechBuffer(
            rate_hz,
            window_samples,
            max_s=self._settings.max_s,
            first_hop_s=self._settings.first_hop_s,
            hop_s=self._settings.hop_s,
            milestones_s=(self._settings.usable_s, self._settings.ready_s),
        )
        self._rate_hz = rate_hz
        self._meter = QualityMeter(rate_hz)
        self._snr_db: float | None = None
        self._embedded: list[tuple[PartialWindow, Embedding]] = []
        self._first_speech_at: float | None = None
        self._needed_at: dict[float, float] = {}
        self._reported_s = 0.0
        self._cloned: tuple[float, Embedding] | None = None
        self._usable = self._ready = False
        self._last_heard_at = self._last_hint_at = started_at
        self._rejected = False
        self._withheld: WithheldReason | None = None

    def spare(self, on: bool) -> None:
        """Ask for half as many windows to embed, or for all again."""
        self._speech.sparing = on

    @property
    def settings(self) -> EnrolmentSettings:
        """How much speech it wants."""
        return self._settings

    @property
    def heard_s(self) -> float:
        """Speech learned from so far, at most ``max_s``."""
        return self._speech.heard_s

    @property
    def usable(self) -> bool:
        """Whether ``Usable`` has been said."""
        return self._usable

    @property
    def ready(self) -> bool:
        """Whether ``Ready`` has been said."""
        return self._ready

    @property
    def full(self) -> bool:
        """Whether ``max_s`` of speech are kept and more changes nothing."""
        return self._speech.full

    def quality(self) -> Quality:
        """Quality of the speech so far."""
        return self._meter.report(self._snr_db)

    def embedding(self) -> Embedding | None:
        """Unit mean of all windows embedded so far; ``None`` before the first one."""
        return mean_embedding(self._embedded) if self._embedded else None

    def score(self) -> float:
        """How settled the embedding is: cosine between it and that of its newer half, 0 to 1.

        0 before there are two windows. One speaker reaches 0.95 and more.
        """
        if len(self._embedded) < 2:
            return 0.0
        newer = self._embedded[len(self._embedded) // 2 :]
        return max(0.0, float(mean_embedding(self._embedded) @ mean_embedding(newer)))

    def reference(self) -> Reference:
        """What a voice can be made from: a levelled copy of the speech, and its embedding."""
        return Reference(
            self._speech.pcm(), self._rate_hz, self.embedding(), self._settings.match_channel
        )

    def push(
        self, events: Iterable[GateEvent], now: float, snr_db: float | None = None
    ) -> list[EnrolmentEvent]:
        """Take what the gate said at ``now``, and its ``snr_db``."""
        self._snr_db = snr_db
        for event in events:
            match event:
                case SpeechHeard(pcm=pcm):
                    self._learn(pcm, now)
                case SpeechWithheld(reason=reason):
                    self._withheld = reason
                case SpeechBegan() | SpeechEnded():
                    pass
                case _:
                    assert_never(event)
        return self._progress()

    def take_window(self) -> PartialWindow | None:
        """The next window to embed, ``None`` if there is none yet; each is given out once."""
        return self._speech.take()

    def add(self, window: PartialWindow, embedding: Embedding, now: float) -> list[EnrolmentEvent]:
        """Take the embedding of a window; windows may be added in any order."""
        self._embedded.append((window, embedding))
        self._embedded.sort(key=lambda item: item[0].end_s)
        embedded_s = max(item[0].end_s for item in self._embedded)
        events: list[EnrolmentEvent] = []
        if not self._usable and embedded_s >= self._settings.usable_s:
            self._usable = True
            events.append(Usable(*self._milestone(self._settings.usable_s, now)))
        if not self._ready and embedded_s >= self._settings.ready_s:
            self._ready = True
            events.append(Ready(*self._milestone(self._settings.ready_s, now)))
        return events or self._improvement()

    def tick(self, now: float, level_dbfs: float) -> list[EnrolmentEvent]:
        """Let time pass: says what is wrong while nothing comes that can be learned from.

        ``level_dbfs`` is that of the microphone during the last second.
        """
        settings = self._settings
        if self.full or now - self._last_heard_at < settings.hint_after_s:
            return []
        code = self._complaint(level_dbfs)
        hint = _COMPLAINTS[code]
        waited_s = now - self._last_heard_at
        if not self._usable and not self._rejected and waited_s >= settings.reject_after_s:
            self._rejected = True
            return [Rejected(hint, code)]
        if self._ready or now - self._last_hint_at < settings.hint_after_s:
            return []
        self._last_hint_at = now
        quality = self.quality()
        return [Progress(self.heard_s, settings.ready_s, self.score(), quality, hint, code)]

    def _complaint(self, level_dbfs: float) -> HintCode:
        if self._withheld is not None:
            return _WITHHELD_CODES[self._withheld]
        return "muted" if level_dbfs < MUTED_DBFS else "no_speech"

    def _learn(self, pcm: Pcm, now: float) -> None:
        self._last_heard_at = self._last_hint_at = now
        self._rejected = False
        self._withheld = None
        if self._first_speech_at is None:
            self._first_speech_at = now - pcm.size / self._rate_hz
        self._meter.push(self._speech.push(pcm))
        for needed_s in (self._settings.usable_s, self._settings.ready_s):
            if self.heard_s >= needed_s:
                self._needed_at.setdefault(needed_s, now)

    def _milestone(self, needed_s: float, now: float) -> tuple[float, float, Quality, float, float]:
        first_at = now if self._first_speech_at is None else self._first_speech_at
        self._remember_clone()
        return (
            self.heard_s,
            self.score(),
            self.quality(),
            (now - first_at) * 1000.0,
            self._needed_at.get(needed_s, now),
        )

    def _improvement(self) -> list[EnrolmentEvent]:
        if not self._ready or self._cloned is None:
            return []
        cloned_s, cloned = self._cloned
        more_s = self.heard_s - cloned_s
        settings = self._settings
        needed_s = max(settings.improve_every_s, settings.improve_by * cloned_s)
        if more_s < needed_s and not (self.full and more_s > 0):
            return []
        if float(mean_embedding(self._embedded) @ cloned) >= settings.improve_below_cosine:
            return []
        self._remember_clone()
        return [Improved(self.heard_s, self.score(), self.quality())]

    def _remember_clone(self) -> None:
        self._cloned = (self.heard_s, mean_embedding(self._embedded))

    def _progress(self) -> list[EnrolmentEvent]:
        if self._ready or self.heard_s - self._reported_s < self._settings.progress_every_s:
            return []
        self._reported_s = self.heard_s
        quality = self.quality()
        hint: str | None = quality.hint
        code: HintCode | None = quality.fault
        if code is None and self._in_company():
            hint, code = _COMPLAINTS["several_speakers"], "several_speakers"
        return [Progress(self.heard_s, self._settings.ready_s, self.score(), quality, hint, code)]

    def _in_company(self) -> bool:
        apart = separation([embedding for _, embedding in self._embedded])
        return apart is not None and apart > COMPANY
