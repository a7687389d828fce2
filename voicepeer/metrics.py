"""The service's figures in Prometheus form: an observer of sessions with a registry of its own."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    PlatformCollector,
    generate_latest,
)

from voicepeer.core.adaptation import LinkFigures
from voicepeer.core.degradation.vitals import Notes, Vitals
from voicepeer.core.speaking.beginning import PARTS, Beginning
from voicepeer.machine import watch_process
from voicepeer.service_figures import ServiceCollector, ServiceFigures
from voicepeer.spoken_file import SpokenText

FIRST_AUDIBLE_BUCKETS_S = (
    0.02, 0.04, 0.06, 0.08, 0.10, 0.12, 0.14, 0.16, 0.18, 0.20, 0.23, 0.26,
    0.30, 0.35, 0.40, 0.50, 0.65, 0.80, 1.0, 1.5, 2.0,
)  # fmt: skip
"""Fine around the 200 ms goal, so that a percentile read from them is off by 10 % at most there."""

PART_BUCKETS_S = (0.001, 0.002, 0.005, 0.01, *FIRST_AUDIBLE_BUCKETS_S)
"""Parts of it are shorter."""

LEAD_BUCKETS_S = (0.05, 0.08, 0.13, 0.18, 0.21, 0.26, 0.29, 0.32)
SHARE_BUCKETS = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)
JITTER_BUCKETS_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5)
ROUND_TRIP_BUCKETS_S = (0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0, 2.0)
BITRATE_BUCKETS_BPS = (12_000, 16_000, 24_000, 32_000, 40_000)
COSINE_BUCKETS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0)
SCORE_BUCKETS = (0.0, 0.5, 0.7, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99, 1.0)
CLONE_BUCKETS_S = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0)
ENROLMENT_BUCKETS_S = (2.0, 3.0, 3.5, 4.0, 5.0, 5.5, 6.0, 7.0, 8.0, 10.0, 15.0, 20.0, 30.0, 60.0)
AUDIO_BUCKETS_S = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0, 120.0)
RTF_BUCKETS = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5, 2.0, 4.0)

MAX_LABEL_VALUES = 32
"""A label that grew with its input would fill the memory of the service and of Prometheus."""

OTHER = "other"


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """What runs, as labels of ``voicepeer_build_info``."""

    version: str
    engine: str = ""
    engine_version: str = ""
    provider: str = ""
    precision: str = ""


class _Bounded:
    """Passes on the first ``MAX_LABEL_VALUES`` values of a label and calls the rest ``other``."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, value: str) -> str:
        if value not in self._seen:
            if len(self._seen) >= MAX_LABEL_VALUES:
                return OTHER
            self._seen.add(value)
        return value


OURS = frozenset({"engine_failed", "internal"})
"""Codes of failures that are the service's fault, and no sign of it sparing itself."""


class Metrics:
    """Implements ``voicepeer.ports.SessionObserver``; ``text`` is what ``/metrics`` answers.

    ``read`` is called whenever the figures are read; ``notes`` gets a part of what is counted at
    once, and ``trace`` each latency. Times come in milliseconds and are exported in seconds,
    Prometheus' base unit. Two instances share nothing but what the process uses.
    """

    def __init__(
        self,
        build: BuildInfo,
        read: Callable[[], ServiceFigures] = ServiceFigures,
        notes: Notes | None = None,
        trace: Callable[[Beginning], None] = lambda parts: None,
    ) -> None:
        self.registry = CollectorRegistry()
        self._notes = notes if notes is not None else Vitals()
        self._trace = trace
        self._close_reason, self._reject_reason, self._code = _Bounded(), _Bounded(), _Bounded()
        self._make_session_figures()
        self._make_voice_figures()
        self._make_utterance_figures()
        self._make_pace_figures()
        self._make_file_figures()
        self._make_network_figures()
        self.registry.register(ServiceCollector(read))
        watch_process(self.registry)
        PlatformCollector(registry=self.registry)
        self._build = Info("voicepeer_build", "What runs.", registry=self.registry)
        self.describe(build)

    def describe(self, build: BuildInfo) -> None:
        """Say what runs, once that is known."""
        self._build.info({name: str(value) for name, value in asdict(build).items()})

    def _make_session_figures(self) -> None:
        self._sessions = Gauge("voicepeer_sessions", "Sessions open now.", registry=self.registry)
        self._opened = Counter(
            "voicepeer_sessions_opened", "Sessions opened.", registry=self.registry
        )
        self._closed = Counter(
            "voicepeer_sessions_closed", "Sessions ended.", ["reason"], registry=self.registry
        )
        self._resumed = Counter(
            "voicepeer_sessions_resumed",
            "Sessions in which a lost client went on.",
            registry=self.registry,
        )
        self._errors = Counter(
            "voicepeer_errors", "Errors told to clients.", ["code"], registry=self.registry
        )
        self._damage = Counter(
            "voicepeer_speech_damaged",
            "Frames skipped after a stall or failed to encode, and engine chunks repaired.",
            ["kind"],
            registry=self.registry,
        )
        for kind in ("skipped", "failed", "repaired"):
            self._damage.labels(kind)
        self._mic_lost = Counter(
            "voicepeer_mic_frames_lost",
            "20 ms frames of microphones that never came.",
            registry=self.registry,
        )

    def _make_pace_figures(self) -> None:
        self._queued = Gauge(
            "voicepeer_queued_utterances",
            "Utterances that are not over, those being said among them.",
            registry=self.registry,
        )
        self._lead = Histogram(
            "voicepeer_lead_seconds",
            "Speech in hand before an utterance begins, at the end of each.",
            buckets=LEAD_BUCKETS_S,
            registry=self.registry,
        )
        self._stale = Counter(
            "voicepeer_stale_chunks",
            "Chunks of speech that came too late to be said, after an interruption.",
            registry=self.registry,
        )
        self._late = Histogram(
            "voicepeer_event_loop_late_seconds",
            "How much later than it should the event loop wakes somebody, once a second.",
            buckets=PART_BUCKETS_S,
            registry=self.registry,
        )
        self._degraded = Counter(
            "voicepeer_degradation_changes",
            "Steps taken against an overload, and steps back.",
            ["direction"],
            registry=self.registry,
        )
        for direction in ("down", "up"):
            self._degraded.labels(direction)

    def _make_network_figures(self) -> None:
        """By the reports of clients on what they receive, about one a second from each."""
        self._packets_sent = Counter(
            "voicepeer_packets_sent", "Packets of speech sent to clients.", registry=self.registry
        )
        self._packets_lost = Counter(
            "voicepeer_packets_lost", "Of these, lost by their reports.", registry=self.registry
        )
        self._loss = Histogram(
            "voicepeer_network_loss_ratio",
            "Share of packets lost since the report before.",
            buckets=SHARE_BUCKETS,
            registry=self.registry,
        )
        self._jitter = Histogram(
            "voicepeer_network_jitter_seconds",
            "Jitter at the client.",
            buckets=JITTER_BUCKETS_S,
            registry=self.registry,
        )
        self._round_trip = Histogram(
            "voicepeer_network_round_trip_seconds",
            "Round trip to the client.",
            buckets=ROUND_TRIP_BUCKETS_S,
            registry=self.registry,
        )
        self._bitrate = Histogram(
            "voicepeer_network_bitrate_bits_per_second",
            "What speech is encoded with.",
            buckets=BITRATE_BUCKETS_BPS,
            registry=self.registry,
        )

    def _make_file_figures(self) -> None:
        self._texts = Counter(
            "voicepeer_http_texts",
            "Texts said over HTTP, by format and how they ended.",
            ["format", "outcome"],
            registry=self.registry,
        )
        self._first_bytes = Histogram(
            "voicepeer_http_first_bytes_seconds",
            "A text's request to the first bytes of its file.",
            buckets=FIRST_AUDIBLE_BUCKETS_S,
            registry=self.registry,
        )

    def _make_voice_figures(self) -> None:
        self._usable = Histogram(
            "voicepeer_voice_usable_seconds",
            "First speech heard to a voice that can be spoken with.",
            buckets=ENROLMENT_BUCKETS_S,
            registry=self.registry,
        )
        self._ready = Histogram(
            "voicepeer_voice_ready_seconds",
            "First speech heard to a complete voice.",
            buckets=ENROLMENT_BUCKETS_S,
            registry=self.registry,
        )
        self._clone = Histogram(
            "voicepeer_voice_clone_seconds",
            "Last needed sample of speech to a complete voice.",
            buckets=CLONE_BUCKETS_S,
            registry=self.registry,
        )
        self._rejected = Counter(
            "voicepeer_voice_rejected",
            "Speakers whose microphone gave nothing to clone from.",
            ["reason"],
            registry=self.registry,
        )
        self._score = Histogram(
            "voicepeer_voice_score",
            "How much at one the windows of a voice are when it is usable or ready, 0 to 1.",
            buckets=SCORE_BUCKETS,
            registry=self.registry,
        )
        self._embedding = Histogram(
            "voicepeer_embedding_seconds",
            "A window of a microphone to its speaker embedding, with the wait for others.",
            buckets=PART_BUCKETS_S,
            registry=self.registry,
        )
        self._cosine = Histogram(
            "voicepeer_similarity",
            "Cosine of an utterance to the speech its voice was learned from; a sample of them.",
            buckets=COSINE_BUCKETS,
            registry=self.registry,
        )

    def _make_utterance_figures(self) -> None:
        self._first_audible = Histogram(
            "voicepeer_first_audible_seconds",
            "Text received to the first audible frame sent, of utterances that had no other before "
            "them; silence does not count.",
            buckets=FIRST_AUDIBLE_BUCKETS_S,
            registry=self.registry,
        )
        self._parts = Histogram(
            "voicepeer_first_audible_part_seconds",
            "Where that time went: reading the text, waiting for the engine, its front, its first "
            "chunk, sending.",
            ["part"],
            buckets=PART_BUCKETS_S,
            registry=self.registry,
        )
        for part in PARTS:
            self._parts.labels(part)
        self._utterances = Counter(
            "voicepeer_utterances", "Utterances ended.", ["outcome"], registry=self.registry
        )
        self._interruptions = Counter(
            "voicepeer_user_interruptions",
            "Times that somebody spoke over us and we fell silent.",
            registry=self.registry,
        )
        for outcome in ("done", "cancelled", "failed"):
            self._utterances.labels(outcome)
        self._audio = Histogram(
            "voicepeer_utterance_audio_seconds",
            "Speech sent for one whole utterance.",
            buckets=AUDIO_BUCKETS_S,
            registry=self.registry,
        )
        self._rtf = Histogram(
            "voicepeer_real_time_factor",
            "Time to make an utterance's speech over its length.",
            buckets=RTF_BUCKETS,
            registry=self.registry,
        )
        self._underruns = Counter(
            "voicepeer_underruns",
            "Times that speech did not come in time and silence was sent.",
            registry=self.registry,
        )

    def text(self) -> bytes:
        """All figures in Prometheus' text format, version 0.0.4."""
        return generate_latest(self.registry)

    def session_opened(self) -> None:
        """A session exists."""
        self._opened.inc()
        self._sessions.inc()

    def session_closed(self, reason: str) -> None:
        """A session has ended; the reason is one of a few fixed words."""
        self._closed.labels(self._close_reason(reason)).inc()
        self._sessions.dec()

    def voice_usable(self, elapsed_ms: float) -> None:
        """A voice can be spoken with, so long after its first speech was heard."""
        self._usable.observe(elapsed_ms / 1000)

    def voice_ready(self, elapsed_ms: float, clone_ms: float) -> None:
        """A voice is complete; ``clone_ms`` from its last needed sample."""
        self._ready.observe(elapsed_ms / 1000)
        self._clone.observe(clone_ms / 1000)

    def voice_rejected(self, reason: str) -> None:
        """A microphone gave nothing to clone from."""
        self._rejected.labels(self._reject_reason(reason)).inc()

    def voice_scored(self, score: float) -> None:
        """How much at one the windows of a voice are."""
        self._score.observe(score)

    def embedded(self, took_ms: float) -> None:
        """A window of a microphone was embedded."""
        self._embedding.observe(took_ms / 1000)
        self._notes.embedded(took_ms, time.monotonic())

    def resembled(self, cosine: float) -> None:
        """An utterance was compared with its speaker."""
        self._cosine.observe(cosine)

    def heard_back(self, figures: LinkFigures) -> None:
        """A client reported on what it receives."""
        self._packets_sent.inc(figures.sent)
        self._packets_lost.inc(figures.lost)
        self._loss.observe(figures.loss)
        self._jitter.observe(figures.jitter_s)
        self._bitrate.observe(figures.bitrate_bps)
        if figures.round_trip_s is not None:
            self._round_trip.observe(figures.round_trip_s)

    def utterance_accepted(self) -> None:
        """An utterance is queued."""
        self._queued.inc()

    def utterance_started(self, parts: Beginning) -> None:
        """The first audible frame was sent of an utterance that had to wait for no other."""
        self._first_audible.observe(parts.total_ms / 1000)
        for part, took_ms in parts.parts_ms():
            self._parts.labels(part).observe(took_ms / 1000)
        self._notes.first_audible(parts.total_ms, time.monotonic())
        self._trace(parts)

    def speech_paced(self, lead_ms: float, stale_chunks: int) -> None:
        """The lead at the end of an utterance, and chunks dropped as stale."""
        self._lead.observe(lead_ms / 1000)
        self._stale.inc(max(0, stale_chunks))

    def loop_late(self, late_s: float) -> None:
        """The event loop woke somebody so much later than it should have."""
        self._late.observe(max(0.0, late_s))

    def degraded(self, moved: int) -> None:
        """So many steps more are in effect, or, below 0, fewer."""
        self._degraded.labels("down" if moved > 0 else "up").inc(abs(moved))

    def utterance_done(self, audio_ms: float, rtf: float | None, underruns: int) -> None:
        """An utterance was sent to its end."""
        self._ended("done", failed=False)
        self._audio.observe(audio_ms / 1000)
        self._underruns.inc(max(0, underruns))
        if rtf is not None:
            self._rtf.observe(rtf)

    def text_spoken(self, told: SpokenText) -> None:
        """A text was said over HTTP, to its end or not."""
        self._texts.labels(told.form, told.outcome).inc()
        if told.first_bytes_ms is not None:
            self._first_bytes.observe(told.first_bytes_ms / 1000)

    def utterance_cancelled(self) -> None:
        """An utterance ended because someone asked for it."""
        self._utterances.labels("cancelled").inc()
        self._queued.dec()

    def utterance_failed(self, code: str) -> None:
        """An utterance could not be spoken; ``code`` as on the wire."""
        self._ended("failed", failed=code in OURS)
        self.error_sent(code)

    def _ended(self, outcome: str, *, failed: bool) -> None:
        self._utterances.labels(outcome).inc()
        self._queued.dec()
        self._notes.ended(time.monotonic(), failed=failed)

    def user_interrupted(self) -> None:
        """Somebody spoke over us, and we fell silent."""
        self._interruptions.inc()

    def session_resumed(self) -> None:
        """A client that was lost has come back, and its session goes on."""
        self._resumed.inc()

    def error_sent(self, code: str) -> None:
        """A client was told of an error; ``code`` as on the wire."""
        self._errors.labels(self._code(code)).inc()

    def speech_damaged(self, skipped: int, failed: int, repaired: int) -> None:
        """Frames never sent after a stall, frames replaced by silence, and chunks repaired."""
        for kind, count in (("skipped", skipped), ("failed", failed), ("repaired", repaired)):
            self._damage.labels(kind).inc(max(0, count))

    def mic_frames_lost(self, frames: int) -> None:
        """So many more frames of a microphone never came."""
        self._mic_lost.inc(max(0, frames))
