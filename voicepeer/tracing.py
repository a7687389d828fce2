"""Traces of how utterances begin, by OpenTelemetry, where that is configured.

The packages are of the extra ``otel`` and are imported only then. Spans have times and nothing of
what is said, by whom or to whom.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING

from voicepeer import __version__
from voicepeer.core.errors import ConfigInvalid
from voicepeer.core.speaking.beginning import Beginning

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor
    from opentelemetry.trace import Tracer

ROOT = "utterance.first_audible"
"""The span from a text's arrival to its first audible frame; its parts are spans within it."""

EXPORT_TIMEOUT_S = 5.0
"""For the last spans to be taken when the service ends."""


class UtteranceTracer:
    """Makes spans afterwards, of what an utterance's beginning was measured to be.

    ``share`` is the part of utterances that are traced, 0 to 1.
    """

    def __init__(
        self,
        processor: SpanProcessor,
        share: float = 1.0,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.sampling import TraceIdRatioBased

        self._clock_ns = clock_ns
        resource = Resource.create(
            {
                "service.name": "voicepeer",
                "service.version": __version__,
                # A service may have several processes with sessions.
                "service.instance.id": str(uuid.uuid4()),
            }
        )
        self._provider = TracerProvider(
            sampler=TraceIdRatioBased(share), resource=resource, shutdown_on_exit=False
        )
        self._provider.add_span_processor(processor)
        self._tracer: Tracer = self._provider.get_tracer("voicepeer", __version__)

    def began(self, parts: Beginning) -> None:
        """An utterance has just been heard for the first time."""
        from opentelemetry.trace import set_span_in_context

        heard_ns = self._clock_ns()
        at_ns = heard_ns - _ns(parts.total_ms)
        root = self._tracer.start_span(ROOT, start_time=at_ns)
        for part, took_ms in parts.parts_ms():
            span = self._tracer.start_span(part, set_span_in_context(root), start_time=at_ns)
            at_ns += _ns(took_ms)
            span.end(at_ns)
        root.end(heard_ns)

    def close(self) -> None:
        """Have the last spans taken; blocks for ``EXPORT_TIMEOUT_S`` at most."""
        self._provider.force_flush(round(EXPORT_TIMEOUT_S * 1000))
        self._provider.shutdown()


def open_tracer(otlp_url: str, share: float) -> UtteranceTracer:
    """A tracer that sends to a collector by OTLP over HTTP, in a thread of its own.

    Raises:
        ConfigInvalid: the packages are not there.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise ConfigInvalid(
            "tracing.otlp_url needs OpenTelemetry: run `pip install 'voicepeer[otel]'`"
        ) from error
    exporter = OTLPSpanExporter(endpoint=otlp_url, timeout=EXPORT_TIMEOUT_S)
    return UtteranceTracer(BatchSpanProcessor(exporter), share)


def _ns(ms: float) -> int:
    return round(ms * 1e6)
