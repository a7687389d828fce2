"""Notices a client that never connects or silently vanishes, by the loop's clock."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable

from voicepeer.core.liveness import Liveness, LivenessSettings

WATCH_S = 0.25
"""How late a sign of life or a connection may be noticed; being gone is noticed on time."""


class Watchdog:
    """Begins to watch when it is made.

    Args:
        connected: whether the connection stands now.
        signs: times of the last signs of life of each kind.
        on_gone: told once, with the reason.
    """

    def __init__(
        self,
        settings: LivenessSettings,
        connected: Callable[[], bool],
        signs: Callable[[], Iterable[float]],
        on_gone: Callable[[str], None],
    ) -> None:
        self._liveness = Liveness(settings, time.monotonic())
        self._connected, self._signs, self._on_gone = connected, signs, on_gone

    def ping(self) -> None:
        """A ping came in: from now on silence means something."""
        self._liveness.ping(time.monotonic())

    def last_sign_s(self) -> float:
        """When the client last gave a sign of life."""
        for at in self._signs():
            self._liveness.sign(at)
        return self._liveness.last_sign_s

    async def run(self) -> None:
        """Watch until the client is gone."""
        while True:
            now = time.monotonic()
            if self._connected():
                self._liveness.connected(now)
            self.last_sign_s()
            if reason := self._liveness.gone(now):
                self._on_gone(reason)
                return
            deadline_s = self._liveness.next_deadline()
            await asyncio.sleep(WATCH_S if deadline_s is None else min(WATCH_S, deadline_s - now))
