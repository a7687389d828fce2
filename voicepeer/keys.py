"""Keys, rights and limits as the configuration has them, turned into what signaling is told."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from signaling.auth import weak_key
from signaling.config import AuthConfig
from signaling.limits import DAY_S, LimitKind, Rate
from signaling.principal import ALL_RIGHTS, ANONYMOUS, Right, tenant_of_key
from signaling.tokens import MIN_SECRET_BYTES, KeyInvalid, TokenConfig, TokenKey, read_key
from voicepeer.config import AuthSection, LimitsConfig
from voicepeer.core.errors import ConfigInvalid

_KEY_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_.-]{1,32})?")


def auth_config(auth: AuthSection) -> AuthConfig:
    """Named keys, their rights, and what signs tokens.

    Raises:
        ConfigInvalid: a name, a key or a right that cannot be used.
    """
    keys = {_key_name(name): tuple(text.split()) for name, text in auth.keys.items()}
    for name, several in keys.items():
        if reason := weak_key(several) if several else "it is empty":
            raise ConfigInvalid(f"the key of {name!r}: {reason} (auth.keys)")
    secret = auth.client_secret_key.encode() or None
    if secret is not None and len(secret) < MIN_SECRET_BYTES:
        raise ConfigInvalid(f"auth.client_secret_key needs {MIN_SECRET_BYTES} bytes")
    tokens = TokenConfig(
        {_key_name(kid): _token_key(kid, text) for kid, text in auth.token_keys.items()},
        auth.audience,
        auth.issuer or None,
        auth.leeway_s,
        auth.max_token_life_s,
    )
    known = keys.keys() | tokens.keys.keys()
    rights = {name: _rights(name, text, known) for name, text in auth.rights.items()}
    return AuthConfig(keys, rights, tokens, secret)


def _key_name(name: str) -> str:
    if not _KEY_NAME.fullmatch(name) or name.partition(".")[0] == ANONYMOUS.key_id:
        raise ConfigInvalid(
            f"{name!r} cannot be the name of a key: use letters, digits, dashes and underscores, "
            "and after a dot its version"
        )
    return name


def _token_key(kid: str, text: str) -> TokenKey:
    try:
        return read_key(text)
    except KeyInvalid as error:
        raise ConfigInvalid(f"the token key {kid!r}: {error} (auth.token_keys)") from error


def _rights(name: str, text: str, known: Collection[str]) -> frozenset[Right]:
    if tenant_of_key(name) not in map(tenant_of_key, known):
        raise ConfigInvalid(f"auth.rights names the key {name!r}, which there is not")
    given = frozenset(text.split())
    if unknown := given - ALL_RIGHTS:
        raise ConfigInvalid(
            f"the key {name!r} cannot have the right {min(unknown)!r}: there are "
            f"{', '.join(sorted(ALL_RIGHTS))} (auth.rights)"
        )
    return frozenset(right for right in ALL_RIGHTS if right in given)


def rates(limits: LimitsConfig) -> Mapping[LimitKind, tuple[Rate, ...]]:
    """What keys and addresses are held to."""
    chosen: Mapping[LimitKind, tuple[Rate, ...]] = {
        "requests": (Rate(limits.requests_per_minute),),
        "sessions": (Rate(limits.sessions_per_minute),),
        "characters": (
            Rate(limits.characters_per_minute),
            Rate(limits.characters_per_day, DAY_S),
        ),
        "clones": (Rate(limits.clones_per_minute), Rate(limits.clones_per_day, DAY_S)),
        "failures": (Rate(limits.failures_per_minute),),
    }
    return {kind: tuple(one for one in some if one.amount) for kind, some in chosen.items()}
