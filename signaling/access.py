"""From a bearer token to a principal, or a refusal. Pure: the time is handed in."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import replace

from signaling.client_secrets import PREFIX, ClientSecrets
from signaling.config import SignalingConfig
from signaling.principal import (
    ALL_RIGHTS,
    ANONYMOUS,
    DEFAULT_ROOM,
    AccessRefused,
    Principal,
    Right,
    tenant_of_key,
)
from signaling.tokens import Tokens

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
    """Knows all keys of one service, and reads the tokens and client secrets that they sign."""

    def __init__(self, config: SignalingConfig) -> None:
        auth = config.auth
        self._open = config.is_open
        self._bounds = _bounds(auth.rights)
        self._tokens = Tokens(auth.tokens)
        self.client_secrets = ClientSecrets(auth.client_secret_key)
        plain = {key: key_id_of(key) for key in config.api_keys}
        named = {key: name for name, keys in auth.keys.items() for key in keys}
        mark = self.client_secrets.mark
        self._keys = {
            key: Principal(key_id, mark=mark(key_id, key.encode()))
            for key, key_id in (plain | named).items()
        }
        self._token_marks = {kid: mark(kid, key.material) for kid, key in auth.tokens.keys.items()}
        self._marks = {one.mark for one in self._keys.values()} | {*self._token_marks.values()}
        if self._open:
            self._marks.add(ANONYMOUS.mark)
        key_ids = {*(one.key_id for one in self._keys.values()), *self._token_marks}
        self.tenants = frozenset(map(tenant_of_key, key_ids))
        """All keys that there are, without their versions."""

    def principal(self, bearer: str | None, now_s: float) -> Principal:
        """Who has this key, token or client secret at ``now_s`` (Unix time).

        Raises:
            AccessRefused: 401 ``invalid_api_key``, ``invalid_token`` or ``token_expired``.
        """
        if bearer is not None and bearer.startswith(PREFIX):
            return self._by_client_secret(bearer, now_s)
        if self._open:
            return ANONYMOUS
        if not bearer or len(bearer) > MAX_BEARER_CHARS:
            raise _unknown_key()
        known = self._match(bearer)
        if known is not None:
            return self._bounded(known)
        if bearer.count(".") == 2:
            by_token = self._tokens.principal(bearer, now_s)
            return self._bounded(replace(by_token, mark=self._token_marks[by_token.key_id]))
        raise _unknown_key()

    def _match(self, bearer: str) -> Principal | None:
        wanted = bearer.encode("utf-8", "surrogatepass")
        found = None
        for key, principal in self._keys.items():
            # No early exit: which key matched must not show in the time.
            found = principal if hmac.compare_digest(wanted, key.encode()) else found
        return found

    def _by_client_secret(self, value: str, now_s: float) -> Principal:
        principal = self.client_secrets.principal(value, now_s)
        if principal.mark not in self._marks:
            # The key that it was minted with has been taken out.
            raise _unknown_key()
        return self._bounded(principal)

    def _bounded(self, principal: Principal) -> Principal:
        bound = self._bounds.get(principal.tenant, ALL_RIGHTS)
        return replace(principal, rights=principal.rights & bound)


def _bounds(rights: Mapping[str, frozenset[Right]]) -> dict[str, frozenset[Right]]:
    """What each key may do at most; what is said of one of its versions holds for all."""
    bounds: dict[str, frozenset[Right]] = {}
    for key_id, bound in rights.items():
        tenant = tenant_of_key(key_id)
        bounds[tenant] = bounds.get(tenant, ALL_RIGHTS) & bound
    return bounds


def _unknown_key() -> AccessRefused:
    return AccessRefused(
        401,
        "invalid_api_key",
        "the key or token is missing or wrong: send 'Authorization: Bearer …' with one from the "
        "operator of this service",
    )
