"""Figures of several processes on one page."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from voicepeer.merged_metrics import MediaFigures, merged
from voicepeer.metrics import BuildInfo, Metrics

pytestmark = pytest.mark.unit


def page(calls: int, sessions: int, waits_s: list[float]) -> str:
    registry = CollectorRegistry()
    Counter("calls", "Calls.", ["how"], registry=registry).labels('odd "one"\n').inc(calls)
    Gauge("sessions", "Sessions now.", registry=registry).set(sessions)
    wait = Histogram("wait_seconds", "A wait.", buckets=(0.1, 1.0), registry=registry)
    for wait_s in waits_s:
        wait.observe(wait_s)
    return generate_latest(registry).decode()


def samples(text: bytes) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    return {
        (one.name, frozenset(one.labels.items())): one.value
        for family in text_string_to_metric_families(text.decode())
        for one in family.samples
    }


def test_every_sample_is_there_once_for_each_process_with_its_value() -> None:
    pages = {"entry": page(3, 5, [0.05, 2.0]), "media-0": page(4, 0, [])}
    found = samples(merged(pages))
    for process, text in pages.items():
        for (name, labels), value in samples(text.encode()).items():
            assert found.pop((name, labels | {("process", process)})) == value
    assert not found


def test_every_figure_is_described_once() -> None:
    text = merged({"a": page(1, 1, [1.0]), "b": page(2, 2, [])}).decode()
    for name, kind in (
        ("calls_total", "counter"),
        ("sessions", "gauge"),
        ("wait_seconds", "histogram"),
    ):
        assert text.count(f"# TYPE {name} {kind}\n") == 1
    assert 'calls_total{how="odd \\"one\\"\\n",process="b"} 2.0' in text


def test_all_that_a_service_tells_can_be_merged() -> None:
    metrics = Metrics(BuildInfo("1"))
    metrics.session_opened()
    metrics.voice_usable(120.0)
    found = samples(merged({"media-0": metrics.text().decode()}))
    assert found["voicepeer_sessions", frozenset({("process", "media-0")})] == 1.0
    assert len(found) == len(samples(metrics.text()))


def test_a_page_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="Invalid|could not|invalid"):
        merged({"a": "sessions{ 3"})


@dataclass
class Two:
    live: int = 2
    restarts: int = 5


def test_the_processes_are_counted() -> None:
    registry = CollectorRegistry()
    registry.register(MediaFigures(Two()))
    text = generate_latest(registry).decode()
    assert "voicepeer_media_processes 2.0" in text
    assert "voicepeer_media_process_restarts_total 5.0" in text
