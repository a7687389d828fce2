"""The figures of several processes as those of one service, told apart by a label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

LABEL = "process"


def merged(texts: Mapping[str, str]) -> bytes:
    """All figures of these processes, each with ``process``, in Prometheus' text format.

    Args:
        texts: of each process what it tells, in the same format.

    Raises:
        ValueError: one of them is not in that format.
    """
    families: dict[str, Metric] = {}
    for process, text in texts.items():
        for family in text_string_to_metric_families(text):
            known = families.setdefault(
                family.name, Metric(family.name, family.documentation, family.type)
            )
            for sample in family.samples:
                labels = {LABEL: process} | sample.labels
                known.add_sample(sample.name, labels, sample.value)
    registry = CollectorRegistry()
    registry.register(_Read(families.values()))
    return generate_latest(registry)


class _Read(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


class MediaProcesses(Protocol):
    """What is counted of them."""

    @property
    def live(self) -> int:
        """How many can have sessions now."""
        ...

    restarts: int
    """How often one has ended by itself."""


class Directory(Protocol):
    """What is counted of the directory of rooms."""

    up: bool
    redirects: int
    splits: int

    @property
    def claimed(self) -> int:
        """How many rooms are ours."""
        ...


class DirectoryFigures(Collector):
    """The directory of rooms, as one service sees it."""

    def __init__(self, directory: Directory) -> None:
        self._directory = directory

    def collect(self) -> Iterable[Metric]:
        """Whether it answers, and what came of it."""
        now = self._directory
        yield GaugeMetricFamily(
            "voicepeer_room_directory_up", "Whether the directory of rooms answers.", value=now.up
        )
        yield GaugeMetricFamily(
            "voicepeer_room_directory_claims", "Rooms that are at this service.", value=now.claimed
        )
        yield CounterMetricFamily(
            "voicepeer_room_redirects", "Clients sent to other services.", value=now.redirects
        )
        yield CounterMetricFamily(
            "voicepeer_room_splits",
            "Rooms found open at two services, because the directory was lost.",
            value=now.splits,
        )


class MediaFigures(Collector):
    """The media processes themselves."""

    def __init__(self, processes: MediaProcesses) -> None:
        self._processes = processes

    def collect(self) -> Iterable[Metric]:
        """How many there are, and how often one had to be started anew."""
        yield GaugeMetricFamily(
            "voicepeer_media_processes",
            "Media processes that can have sessions.",
            value=self._processes.live,
        )
        yield CounterMetricFamily(
            "voicepeer_media_process_restarts",
            "Media processes that had to be restarted.",
            value=self._processes.restarts,
        )
