"""The service's figures in Prometheus form: an observer of sessions with a registry of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from voicepeer.core.rooms.room import Publishing
from voicepeer.room_figures import RoomFigures
from voicepeer.spoken_file import SpokenText

FIRST_AUDIBLE_BUCKETS_S = (
    0.02, 0.04, 0.06, 0.08, 0.10, 0.12, 0.14, 0.16, 0.18, 0.20, 0.23, 0.26,
    0.30, 0.35, 0.40, 0.50, 0.65, 0.80, 1.0, 1.5, 2.0,
)  # fmt: skip
"""Fine around the 200 ms goal, so that a percentile read from them is off by 10 % at most there."""

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


class _Polled(Collector):
    """A counter that someone else keeps and that is asked for when the figures are read."""

    def __init__(self, name: str, help_text: str, read: Callable[[], int]) -> None:
        self._name = name
        self._help_text = help_text
        self._read = read

    def collect(self) -> Iterable[CounterMetricFamily]:
        """The counter now."""
        yield CounterMetricFamily(self._name, self._help_text, value=self._read())


class _Rooms(Collector):
    """Rooms, which are asked when the figures are read; no label names one of them."""

    def __init__(self, read: Callable[[], RoomFigures]) -> None:
        self._read = read

    def collect(self) -> Iterable[Metric]:
        """Those who are there now, and packets so far."""
        now = self._read()
        yield GaugeMetricFamily("voicepeer_rooms", "Rooms with participants.", value=now.rooms)
        participants = GaugeMetricFamily(
            "voicepeer_room_participants",
            "Participants of rooms, by what they publish.",
            labels=["publish"],
        )
        for kind in get_args(Publishing):
            participants.add_metric([kind], now.participants.get(kind, 0))
        yield participants
        yield CounterMetricFamily(
            "voicepeer_room_packets_forwarded",
            "Packets sent to listeners in rooms.",
            value=now.traffic.forwarded,
        )
        yield CounterMetricFamily(
            "voicepeer_room_packets_lost",
            "Packets lost on the way to listeners in rooms, by their reports.",
            value=now.traffic.lost,
        )


class Metrics:
    """Implements ``voicepeer.ports.SessionObserver``; ``text`` is what ``/metrics`` answers.

    ``engine_restarts`` and ``rooms`` are read whenever the figures are. Times come in milliseconds
    and are exported in seconds, Prometheus' base unit. Two instances share nothing.
    """

    def __init__(
        self,
        build: BuildInfo,
        engine_restarts: Callable[[], int] = lambda: 0,
        rooms: Callable[[], RoomFigures] = RoomFigures,
    ) -> None:
        self.registry = CollectorRegistry()
        self._close_reason, self._reject_reason, self._code = _Bounded(), _Bounded(), _Bounded()
        self._make_session_figures()
        self._make_voice_figures()
        self._make_utterance_figures()
        self._make_file_figures()
        self.registry.register(
            _Polled(
                "voicepeer_engine_restarts", "Engine processes that had to be restarted.",
                engine_restarts,
            )
        )  # fmt: skip
        self.registry.register(_Rooms(rooms))
        info = Info("voicepeer_build", "What runs.", registry=self.registry)
        info.info({name: str(getattr(build, name)) for name in BuildInfo.__slots__})

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

    def _make_utterance_figures(self) -> None:
        self._first_audible = Histogram(
            "voicepeer_first_audible_seconds",
            "Text received to the first audible frame sent; silence does not count.",
            buckets=FIRST_AUDIBLE_BUCKETS_S,
            registry=self.registry,
        )
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

    def utterance_started(self, latency_ms: float) -> None:
        """The first audible frame was sent, so long after the text came."""
        self._first_audible.observe(latency_ms / 1000)

    def utterance_done(self, audio_ms: float, rtf: float | None, underruns: int) -> None:
        """An utterance was sent to its end."""
        self._utterances.labels("done").inc()
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

    def utterance_failed(self, code: str) -> None:
        """An utterance could not be spoken; ``code`` as on the wire."""
        self._utterances.labels("failed").inc()
        self.error_sent(code)

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
