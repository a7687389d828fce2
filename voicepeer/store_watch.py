"""Whether a service can keep voices and the audit log at present, for whoever runs it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from voicepeer.audit import Audit
from voicepeer.core.errors import VoicePeerError
from voicepeer.serving import MARK_S, Serving

logger = logging.getLogger(__name__)

LOOK_EVERY_S = MARK_S / 4


class StoreWatch(Collector):
    """Renews the mark of a service, which shows whether the place can be written.

    ``run`` has to run beside the service.
    """

    def __init__(self, serving: Serving, audit: Audit, every_s: float = LOOK_EVERY_S) -> None:
        self.up = True
        """As of the last look."""
        self._serving = serving
        self._audit = audit
        self._every_s = every_s

    @property
    def notes(self) -> tuple[str, ...]:
        """What does not work, for a person; nothing in there is secret."""
        lost = () if self.up else ("saved voices cannot be reached or kept",)
        return (*lost, "the audit log cannot be written") if self._audit.failing else lost

    async def run(self) -> None:
        """Look every so often until cancelled, and take the mark away then."""
        try:
            while True:
                await self.look()
                await asyncio.sleep(self._every_s)
        finally:
            await asyncio.to_thread(self._leave)

    async def look(self) -> None:
        """See once whether it can be written; the log has it when that changes."""
        try:
            await asyncio.to_thread(self._serving.renew)
        except VoicePeerError as error:
            if self.up:
                logger.warning("saved voices cannot be reached or kept: %s", error)
            self.up = False
        else:
            if not self.up:
                logger.info("saved voices can be reached and kept again")
            self.up = True

    def collect(self) -> Iterable[Metric]:
        """The place, as of the last look."""
        yield GaugeMetricFamily(
            "voicepeer_store_up", "Whether voices can be kept: 1 or 0.", value=self.up
        )

    def _leave(self) -> None:
        try:
            self._serving.leave()
        except VoicePeerError:
            logger.warning("the mark of this service stays for some seconds", exc_info=True)


class AuditFigures(Collector):
    """The audit log of one process."""

    def __init__(self, audit: Audit) -> None:
        self._audit = audit

    def collect(self) -> Iterable[Metric]:
        """What could not be written."""
        yield CounterMetricFamily(
            "voicepeer_audit_lines_lost",
            "Lines of the audit log that could not be written.",
            value=self._audit.lost,
        )
