"""From a bearer token to a principal, or a refusal. Pure: the time is handed in."""

from __future__ import annotations

import hashlib
import hmac

from signaling.config import SignalingConfig
from signaling.principal import (
    ALL_RIGHTS,
    ANONYMOUS,
    DEFAULT_ROOM,
    AccessRefused,
    Principal,
    Right,
)

__all__ = [
    "ALL_RIGHTS",
    "ANONYMOUS",
    "DEFAULT_ROOM",
    "Access",
    "AccessRefused",
    "Principal",
    "Right",
    "key_id_of",
]

MAX_BEARER_CHARS = 8_192
"""Far above any key or token; longer ones are refused unread."""

_KEY_ID_CHARS = 10


def key_id_of(key: str) -> str:
    """A short name for a key that has none, from which the key cannot be told."""
    return "key-" + hashlib.sha256(b"voicepeer key id\0" + key.encode()).hexdigest()[:_KEY_ID_CHARS]


class Access:
    """Knows all keys of one service."""

    def __init__(self, config: SignalingConfig) -> None:
        self._open = not config.api_keys
        self._keys = {key: Principal(key_id_of(key)) for key in config.api_keys}

    def principal(self, bearer: str | None, now_s: float) -> Principal:
        """Who has this key or token at ``now_s`` (Unix time).

        Raises:
            AccessRefused: 401 ``invalid_api_key``.
        """
        if self._open:
            return ANONYMOUS
        if not bearer or len(bearer) > MAX_BEARER_CHARS:
            raise _unknown_key()
        return self._by_key(bearer)

    def _by_key(self, bearer: str) -> Principal:
        wanted = bearer.encode("utf-8", "surrogatepass")
        found = None
        for key, principal in self._keys.items():
            # No early exit: which key matched must not show in the time.
            found = principal if hmac.compare_digest(wanted, key.encode()) else found
        if found is None:
            raise _unknown_key()
        return found


def _unknown_key() -> AccessRefused:
    return AccessRefused(
        401,
        "invalid_api_key",
        "the key or token is missing or wrong: send 'Authorization: Bearer …' with one from the "
        "operator of this service",
    )
