from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest

from voicepeer.core.liveness import LivenessSettings
from voicepeer.watchdog import Watchdog

pytestmark = pytest.mark.unit

PATIENCE = LivenessSettings(connect_timeout_s=0.2, silence_timeout_s=0.3)
LONG_S = 30.0


class Client:
    """What a watchdog sees of a client."""

    def __init__(self, *, connected: bool = False) -> None:
        self.connected = connected
        self.signs: list[float] = []
        self.gone: list[str] = []

    def watch(self) -> Watchdog:
        return Watchdog(PATIENCE, lambda: self.connected, self._signs, self.gone.append)

    def _signs(self) -> Iterator[float]:
        yield from self.signs


async def test_a_client_that_never_connects_is_given_up() -> None:
    client = Client()
    await asyncio.wait_for(client.watch().run(), LONG_S)
    assert client.gone == ["connect_timeout"]


async def test_a_client_that_pinged_and_fell_silent_has_vanished() -> None:
    client = Client(connected=True)
    watchdog = client.watch()
    watchdog.ping()
    began = time.monotonic()
    await asyncio.wait_for(watchdog.run(), LONG_S)
    assert client.gone == ["client_vanished"]
    assert time.monotonic() - began >= 0.25


async def test_signs_of_any_kind_keep_it() -> None:
    client = Client(connected=True)
    watchdog = client.watch()
    watchdog.ping()
    ahead = time.monotonic() + LONG_S
    client.signs = [0.0, ahead]
    assert watchdog.last_sign_s() == ahead
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(watchdog.run(), 0.6)
    assert client.gone == []


async def test_a_client_that_never_pinged_may_be_silent() -> None:
    client = Client(connected=True)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(client.watch().run(), 0.6)
    assert client.gone == []
