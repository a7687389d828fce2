"""When a client counts as gone; knows no clock and no connection, signs of life are handed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

GoneReason: TypeAlias = Literal["connect_timeout", "client_vanished"]


@dataclass(frozen=True, slots=True)
class LivenessSettings:
    """How patient we are, in seconds."""

    connect_timeout_s: float = 10.0
    """From the answered offer to a connection."""
    silence_timeout_s: float = 3.0
    """Of a client that pings: without any packet or message for so long it has vanished."""


class Liveness:
    """Follows one client from its answered offer on; times are of any one steady clock.

    A client that never pings is left to ICE, whose consent checks it has to answer (RFC 7675):
    its microphone may be off for good reasons.
    """

    def __init__(self, settings: LivenessSettings, now: float) -> None:
        self._settings = settings
        self._opened_s = self._last_s = now
        self._connected = False
        self._pings = False

    @property
    def last_sign_s(self) -> float:
        """When there was last a sign of life."""
        return self._last_s

    def connected(self, now: float) -> None:
        """The connection has come about."""
        if not self._connected:
            self._connected = True
            self.sign(now)

    def sign(self, at: float) -> None:
        """A packet or a message came in; older signs than the last one change nothing."""
        self._last_s = max(self._last_s, at)

    def ping(self, at: float) -> None:
        """A ping came in: from now on silence means something."""
        self._pings = True
        self.sign(at)

    def gone(self, now: float) -> GoneReason | None:
        """Why the client counts as gone at ``now``, or ``None`` if it does not."""
        deadline_s = self.next_deadline()
        if deadline_s is None or now < deadline_s:
            return None
        return "client_vanished" if self._connected else "connect_timeout"

    def next_deadline(self) -> float | None:
        """When ``gone`` may change without any further sign; ``None`` for never."""
        if not self._connected:
            return self._opened_s + self._settings.connect_timeout_s
        return self._last_s + self._settings.silence_timeout_s if self._pings else None
