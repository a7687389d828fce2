"""The state of a service at one moment, and how Prometheus is told of it when it asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from voicepeer.core.degradation.ladder import STEPS, Step
from voicepeer.core.degradation.severity import CAUSES, Cause
from voicepeer.core.rooms.room import Publishing
from voicepeer.gpu import GpuFigures
from voicepeer.machine import ProcessUsage
from voicepeer.room_figures import RoomFigures


@dataclass(frozen=True, slots=True)
class ServiceFigures:
    """What is known without having been counted; the defaults are a service that does nothing."""

    part: bool = False
    """Whether this is one process of several, of which another one tells of the whole service."""
    ready: bool = False
    max_sessions: int = 0
    engine_waiting: int = 0
    """Pieces of speech of which nothing has come from the engine yet."""
    workers: Mapping[str, ProcessUsage] = field(default_factory=dict)
    """Processes of models, by their role."""
    free_memory_share: float | None = None
    steps: Sequence[Step] = ()
    """What is done with less at present."""
    severities: Mapping[Cause, float] = field(default_factory=dict)
    baseline_s: float = 0.0
    """First audible latency of one utterance alone, measured at start."""
    gpus: Sequence[GpuFigures] = ()
    engine_restarts: int = 0
    """Of engine processes."""
    rooms: RoomFigures = field(default_factory=RoomFigures)


class ServiceCollector(Collector):
    """Asks for the figures whenever they are read; labels are fixed words or numbers of GPUs."""

    def __init__(self, read: Callable[[], ServiceFigures]) -> None:
        self._read = read

    def collect(self) -> Iterable[Metric]:
        """The service now."""
        now = self._read()
        if not now.part:
            yield from _whole(now)
        yield from _rooms(now.rooms)


def _whole(now: ServiceFigures) -> Iterable[Metric]:
    yield from _state(now)
    yield CounterMetricFamily(
        "voicepeer_engine_restarts",
        "Engine processes that had to be restarted.",
        value=now.engine_restarts,
    )
    yield from _degradation(now)
    yield from _workers(now)
    yield from _gpus(now.gpus)


def _gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(f"voicepeer_{name}", about, value=value)


def _state(now: ServiceFigures) -> Iterable[Metric]:
    yield _gauge("ready", "Whether sessions can be opened: 1 or 0.", float(now.ready))
    yield _gauge("max_sessions", "Sessions that may be open at once.", now.max_sessions)
    yield _gauge(
        "engine_waiting", "Pieces of speech that wait for their first sound.", now.engine_waiting
    )
    yield GaugeMetricFamily(
        "voicepeer_memory_free_ratio",
        "Share of memory left, of the machine or of the container, where that is known.",
        value=now.free_memory_share,
    )


def _degradation(now: ServiceFigures) -> Iterable[Metric]:
    yield _gauge(
        "degradation_step", "Steps in effect against an overload, 0 for none.", len(now.steps)
    )
    active = GaugeMetricFamily(
        "voicepeer_degradation_active", "Which steps are in effect: 1 or 0.", labels=["step"]
    )
    for step in STEPS:
        active.add_metric([step], float(step in now.steps))
    yield active
    bad = GaugeMetricFamily(
        "voicepeer_degradation_severity",
        "How bad a cause of an overload is: 1 at its limit.",
        labels=["cause"],
    )
    for cause in CAUSES:
        bad.add_metric([cause], now.severities.get(cause, 0.0))
    yield bad
    yield _gauge(
        "baseline_seconds", "First audible latency of one utterance alone.", now.baseline_s
    )


def _workers(now: ServiceFigures) -> Iterable[Metric]:
    cpu = CounterMetricFamily(
        "voicepeer_worker_cpu_seconds", "Processor time of model processes.", labels=["role"]
    )
    memory = GaugeMetricFamily(
        "voicepeer_worker_resident_memory_bytes", "Memory of model processes.", labels=["role"]
    )
    for role, usage in sorted(now.workers.items()):
        cpu.add_metric([role], usage.cpu_s)
        memory.add_metric([role], usage.resident_bytes)
    yield cpu
    yield memory


def _gpus(gpus: Sequence[GpuFigures]) -> Iterable[Metric]:
    busy = GaugeMetricFamily(
        "voicepeer_gpu_busy_ratio", "Share of time in which a GPU works.", labels=["gpu"]
    )
    used = GaugeMetricFamily(
        "voicepeer_gpu_memory_used_bytes", "Memory in use on a GPU.", labels=["gpu"]
    )
    total = GaugeMetricFamily(
        "voicepeer_gpu_memory_total_bytes", "Memory of a GPU.", labels=["gpu"]
    )
    for gpu in gpus:
        label = [str(gpu.index)]
        busy.add_metric(label, gpu.busy_share)
        used.add_metric(label, gpu.memory_used_bytes)
        total.add_metric(label, gpu.memory_total_bytes)
    yield from (busy, used, total)


def _rooms(now: RoomFigures) -> Iterable[Metric]:
    """No label names a room."""
    yield _gauge("rooms", "Rooms with participants.", now.rooms)
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
