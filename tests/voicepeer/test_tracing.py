"""Traces of how utterances begin: the right times, nothing of what is said, sent to a collector."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from voicepeer import config, tracing, wiring
from voicepeer.core.errors import ConfigInvalid
from voicepeer.core.speaking.beginning import PARTS, Beginning
from voicepeer.metrics import BuildInfo, Metrics
from voicepeer.tracing import ROOT, UtteranceTracer, open_tracer

pytestmark = pytest.mark.unit

PARTS_MS = Beginning(text_ms=3.0, wait_ms=1.0, front_ms=60.0, first_chunk_ms=30.0, send_ms=56.0)
HEARD_NS = 1_800_000_000_000_000_000


def traced(parts: Beginning, share: float = 1.0, times: int = 1) -> list[ReadableSpan]:
    """The spans of an utterance that is heard at ``HEARD_NS``."""
    kept = InMemorySpanExporter()
    tracer = UtteranceTracer(SimpleSpanProcessor(kept), share, lambda: HEARD_NS)
    for _ in range(times):
        tracer.began(parts)
    spans = [*kept.get_finished_spans()]
    tracer.close()
    return spans


def took_ms(span: ReadableSpan) -> float:
    assert span.start_time is not None
    assert span.end_time is not None
    return (span.end_time - span.start_time) / 1e6


def test_the_parts_follow_each_other_within_the_whole() -> None:
    *parts, root = traced(PARTS_MS)
    assert [span.name for span in parts] == [*PARTS]
    assert root.name == ROOT
    assert took_ms(root) == pytest.approx(150.0)
    assert root.end_time == HEARD_NS
    assert [took_ms(span) for span in parts] == pytest.approx([3.0, 1.0, 60.0, 30.0, 56.0])
    edges = [root.start_time, *(span.end_time for span in parts)]
    assert [span.start_time for span in parts] == edges[:-1]
    assert edges[-1] == HEARD_NS
    assert root.context is not None
    assert {span.parent.span_id for span in parts if span.parent} == {root.context.span_id}


def test_spans_say_who_we_are_and_nothing_else() -> None:
    for span in traced(PARTS_MS):
        assert not span.attributes
        assert not span.events
        assert span.resource.attributes["service.name"] == "voicepeer"


def test_processes_are_told_apart() -> None:
    ids = {traced(PARTS_MS)[0].resource.attributes["service.instance.id"] for _ in range(2)}
    assert len(ids) == 2


def test_a_share_of_utterances_is_traced() -> None:
    assert traced(PARTS_MS, share=0.0) == []
    spans = traced(PARTS_MS, share=0.5, times=200)
    assert 0.25 < len(spans) / (200 * (len(PARTS) + 1)) < 0.75


def test_metrics_hand_latencies_on() -> None:
    seen: list[Beginning] = []
    Metrics(BuildInfo("1"), trace=seen.append).utterance_started(PARTS_MS)
    assert seen == [PARTS_MS]


async def test_a_collector_gets_them() -> None:
    bodies: list[bytes] = []

    async def take(request: web.Request) -> web.Response:
        bodies.append(await request.read())
        return web.Response()

    app = web.Application()
    app.router.add_post("/v1/traces", take)
    async with TestServer(app) as collector:
        tracer = open_tracer(str(collector.make_url("/v1/traces")), 1.0)
        tracer.began(PARTS_MS)
        await asyncio.to_thread(tracer.close)
    request = ExportTraceServiceRequest.FromString(b"".join(bodies))
    (of_service,) = request.resource_spans
    names = [span.name for scope in of_service.scope_spans for span in scope.spans]
    assert sorted(names) == sorted([ROOT, *PARTS])


def test_without_the_packages_it_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace.export", None)
    with pytest.raises(ConfigInvalid, match=r"pip install 'voicepeer\[otel\]'"):
        open_tracer("http://localhost:4318/v1/traces", 1.0)


def test_it_is_off_unless_somebody_asks(tmp_path: Path) -> None:
    bare = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert wiring.tracer(config.load({}, environ=bare)) is None
    asked = config.load({"tracing.otlp_url": "http://localhost:9/v1/traces"}, environ=bare)
    tracer = wiring.tracer(asked)
    assert tracer is not None
    tracer.close()
    assert tracing.EXPORT_TIMEOUT_S < 10.0
