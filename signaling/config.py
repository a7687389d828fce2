"""What the signaling service is told at start: addresses, limits, times and who may come in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from signaling.ice_servers import IceConfig
from signaling.limits import DEFAULT_RATES, LimitKind, Rate
from signaling.principal import Right
from signaling.tokens import TokenConfig

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080


@dataclass(frozen=True, slots=True)
class AuthConfig:
    """Keys beyond the plain ones: with names, with fewer rights, and those that sign tokens."""

    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    """By name; several while one takes the place of another."""
    rights: Mapping[str, frozenset[Right]] = field(default_factory=dict)
    """Of those keys, by name, that do not have all; they bound what a token says, too."""
    tokens: TokenConfig = field(default_factory=TokenConfig)
    client_secret_key: bytes | None = field(default=None, repr=False)
    """Signs client secrets. Without it each process makes its own, and knows only those it made."""


@dataclass(frozen=True, slots=True)
class SignalingConfig:
    """Settings of the HTTP and WebSocket service; the defaults are safe on a developer's machine.

    ``api_keys`` empty means that anyone who reaches the address may come in, which
    ``signaling.auth.refuse_bind`` allows on loopback only. ``allowed_origins`` are web origins
    (``https://host[:port]``) besides the service's own whose pages may connect.
    """

    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    max_sessions: int = 16
    max_per_room: int = 16
    api_keys: tuple[str, ...] = ()
    allowed_origins: frozenset[str] = frozenset()
    ice: IceConfig = field(default_factory=IceConfig)
    auth: AuthConfig = field(default_factory=AuthConfig)
    rates: Mapping[LimitKind, tuple[Rate, ...]] = field(default_factory=lambda: DEFAULT_RATES)
    """Of each key and each address, where there are keys at all."""
    max_sessions_per_key: int | None = None
    """``None`` where they share the places that there are."""
    max_speeches: int = 8
    """Texts that are said at once over HTTP."""
    trusted_proxies: tuple[str, ...] = ()
    """Networks (CIDR) whose ``X-Forwarded-For`` is believed."""

    max_connections: int = 512
    """TCP connections at once, WebSockets among them."""
    max_connections_per_address: int = 256

    request_timeout_s: float = 15.0
    """For the headers of a request to come, and for the next one on the same connection."""

    body_timeout_s: float = 60.0
    """For the body of a request to come."""

    join_timeout_s: float = 10.0
    """From the open socket to ``join``."""

    max_waiting: int = 256
    """Sockets before their ``join``; a client sends it within a round trip, so that few wait."""

    offer_timeout_s: float = 30.0
    """From ``join`` to the first answered offer; a browser may ask for the microphone meanwhile."""

    answer_timeout_s: float = 15.0
    """For the session to answer one offer."""

    heartbeat_s: float = 20.0
    """Interval of WebSocket pings; a socket that misses one is dead (RFC 6455 section 5.5.2)."""

    grace_s: float = 4.0
    """How long a session outlives a socket that broke without a closing handshake; less than the
    5 s in which everything of a client that was killed shall be free."""

    send_timeout_s: float = 5.0
    """For a client to take one message before its socket counts as stuck."""

    bad_message_burst: int = 10
    bad_messages_per_s: float = 0.5
    message_burst: int = 400
    """An offer with all its candidates trickled is about 50 messages."""

    messages_per_s: float = 50.0

    @property
    def is_open(self) -> bool:
        """Whether anybody may come in, because there are no keys."""
        return not (self.api_keys or self.auth.keys or self.auth.tokens.keys)


@dataclass(frozen=True, slots=True)
class Load:
    """How much there is to do, and what is done with less for that; the default is nothing."""

    steps: tuple[str, ...] = ()
    """In the order in which they were taken."""
    severities: Mapping[str, float] = field(default_factory=dict)
    """How bad each cause is: 1 is at its limit."""
    baseline_ms: float = 0.0
    """First audible latency of one utterance alone."""
    refuses: bool = False
    """Whether new sessions are sent elsewhere, but those that go on from others."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether sessions can be opened now; ``reason`` tells a person what is being waited for."""

    ready: bool
    reason: str = ""
    retry_after_s: int = 5
    code: str = "not_ready"
    load: Load = Load()
    notes: tuple[str, ...] = ()
    """What does not work at present, but is no reason to send clients elsewhere."""
