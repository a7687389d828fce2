"""What the signaling service is told at start: addresses, limits, times and who may come in."""

from __future__ import annotations

from dataclasses import dataclass, field

from signaling.ice_servers import IceConfig

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8080


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

    join_timeout_s: float = 10.0
    """From the open socket to ``join``."""

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


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether sessions can be opened now; ``reason`` tells a person what is being waited for."""

    ready: bool
    reason: str = ""
    retry_after_s: int = 5
    code: str = "not_ready"
