"""Turns the configuration into what each part is told."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path

from engines.host import HostSpec
from signaling.address import networks
from signaling.auth import refuse_bind, weak_key
from signaling.config import AuthConfig, SignalingConfig
from signaling.ice_servers import IceConfig, IceConfigInvalid
from signaling.limits import DAY_S, LimitKind, Rate
from signaling.principal import ALL_RIGHTS, ANONYMOUS, Right
from signaling.tokens import MIN_SECRET_BYTES, KeyInvalid, TokenConfig, TokenKey, read_key
from voicepeer.audit import Audit
from voicepeer.barge_in import BargeIn
from voicepeer.config import Config
from voicepeer.core.errors import ConfigInvalid
from voicepeer.session_state import SessionSettings
from voicepeer.speech_service import SpeechLimits

_KEY_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_.-]{1,32})?")


def engine_options(config: Config) -> dict[str, str]:
    """What models are told of how to run; absent is for the model to choose."""
    engine = config.engine
    chosen = {
        "provider": engine.provider,
        "precision": engine.precision,
        "threads": str(engine.threads) if engine.threads else "",
        "cache": engine.cache_dir,
        "weights": engine.weights,
    }
    return {name: value for name, value in chosen.items() if value} | engine.options


def host_spec(config: Config) -> HostSpec:
    """The models to run and how."""
    engine = config.engine
    return HostSpec(
        speech=engine.speech,
        encoder=engine.encoder,
        vad=engine.vad,
        options=engine_options(config),
        nice=engine.nice,
        max_streams=engine.max_streams,
    )


def session_settings(config: Config) -> SessionSettings:
    """How patient sessions are."""
    return SessionSettings(
        connect_timeout_s=config.session.connect_timeout_s,
        silence_timeout_s=config.session.silence_timeout_s,
        barge_in=BargeIn(config.session.barge_in, config.session.barge_in_min_ms),
        idle_text_s=config.speaking.idle_text_s,
    )


def audit(config: Config) -> Audit:
    """Where the audit log goes; raises ``ConfigInvalid`` where it cannot be written."""
    chosen = config.audit.file
    return Audit(Path(chosen).expanduser() if chosen else None)


def speech_limits(config: Config) -> SpeechLimits:
    """How much HTTP clients may have said; half of the engine's streams are left to calls."""
    return SpeechLimits(
        input_chars=config.speaking.max_input_chars,
        at_once=max(1, config.engine.max_streams // 2),
    )


def signaling_config(config: Config) -> SignalingConfig:
    """Addresses, limits and who may come in.

    Raises:
        ConfigInvalid: it would listen beyond this machine without a key, a key is too short, or
            an ICE server's address cannot be used.
    """
    server, ice = config.server, config.ice
    try:
        servers = IceConfig(ice.stun_urls, ice.turn_urls, ice.turn_secret, ice.turn_ttl_s)
    except IceConfigInvalid as error:
        raise ConfigInvalid(f"{error} (settings in [ice])") from error
    made = SignalingConfig(
        host=server.host,
        port=server.port,
        max_sessions=server.max_sessions,
        max_per_room=server.max_per_room,
        api_keys=server.api_keys,
        allowed_origins=frozenset(server.allowed_origins),
        ice=servers,
        auth=auth_config(config),
        rates=rates(config),
        max_sessions_per_key=config.limits.sessions_per_key or None,
        trusted_proxies=_proxies(server.trusted_proxies),
        request_timeout_s=server.request_timeout_s,
        body_timeout_s=server.body_timeout_s,
    )
    if refusal := refuse_bind(server.host, is_open=made.is_open):
        raise ConfigInvalid(f"{refusal} (server.api_keys, server.host)")
    if reason := weak_key(server.api_keys):
        raise ConfigInvalid(f"{reason} (server.api_keys)")
    if made.is_open and "*" in made.allowed_origins:
        raise ConfigInvalid(
            "without keys every page in the browser of this machine could use the service: set an "
            "API key, or name the pages that may (server.allowed_origins)"
        )
    return made


def auth_config(config: Config) -> AuthConfig:
    """Named keys, their rights, and what signs tokens.

    Raises:
        ConfigInvalid: a name, a key or a right that cannot be used.
    """
    auth = config.auth
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
    if name not in known:
        raise ConfigInvalid(f"auth.rights names the key {name!r}, which there is not")
    given = frozenset(text.split())
    if unknown := given - ALL_RIGHTS:
        raise ConfigInvalid(
            f"the key {name!r} cannot have the right {min(unknown)!r}: there are "
            f"{', '.join(sorted(ALL_RIGHTS))} (auth.rights)"
        )
    return frozenset(right for right in ALL_RIGHTS if right in given)


def rates(config: Config) -> Mapping[LimitKind, tuple[Rate, ...]]:
    """What keys and addresses are held to."""
    limits = config.limits
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


def _proxies(texts: tuple[str, ...]) -> tuple[str, ...]:
    try:
        networks(texts)
    except ValueError as error:
        raise ConfigInvalid(f"{error} (server.trusted_proxies)") from error
    return texts
