"""Turns the configuration into what each part is told."""

from __future__ import annotations

from engines.host import HostSpec
from signaling.auth import refuse_bind
from signaling.config import SignalingConfig
from signaling.ice_servers import IceConfig, IceConfigInvalid
from voicepeer.barge_in import BargeIn
from voicepeer.config import Config
from voicepeer.core.errors import ConfigInvalid
from voicepeer.session_state import SessionSettings


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


def signaling_config(config: Config) -> SignalingConfig:
    """Addresses, limits and who may come in.

    Raises:
        ConfigInvalid: it would listen beyond this machine without a key, a key is too short, or
            an ICE server's address cannot be used.
    """
    server, ice = config.server, config.ice
    if refusal := refuse_bind(server.host, server.api_keys):
        raise ConfigInvalid(f"{refusal} (server.api_keys, server.host)")
    try:
        servers = IceConfig(ice.stun_urls, ice.turn_urls, ice.turn_secret, ice.turn_ttl_s)
    except IceConfigInvalid as error:
        raise ConfigInvalid(f"{error} (settings in [ice])") from error
    return SignalingConfig(
        host=server.host,
        port=server.port,
        max_sessions=server.max_sessions,
        max_per_room=server.max_per_room,
        api_keys=server.api_keys,
        allowed_origins=frozenset(server.allowed_origins),
        ice=servers,
    )
