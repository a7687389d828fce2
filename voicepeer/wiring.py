"""Turns the configuration into what each part is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from engines.host import HostSpec
from signaling.address import networks
from signaling.auth import is_origin, refuse_bind, weak_key
from signaling.config import SignalingConfig
from signaling.ice_servers import IceConfig, IceConfigInvalid
from voicepeer import keys
from voicepeer.audit import Audit
from voicepeer.barge_in import BargeIn
from voicepeer.config import ENV_REDIS_PASSWORD, Config, recordings_folder, secret
from voicepeer.core.degradation.ladder import Pace
from voicepeer.core.degradation.severity import Limits
from voicepeer.core.errors import ConfigInvalid
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.degrader import DegradationSettings
from voicepeer.recording_store import RecordingStore
from voicepeer.recordings import Recordings
from voicepeer.redis_link import RedisLink, need_package
from voicepeer.room_recorder import RecordingLimits
from voicepeer.session_state import SessionSettings
from voicepeer.speech_service import SpeechLimits
from voicepeer.tracing import UtteranceTracer, open_tracer
from voicepeer.withdrawals import Withdrawals

if TYPE_CHECKING:
    from voicepeer.room_directory import RoomDirectory

MB = 1_000_000

MISSED_LOOKS = 10
"""So many in a row, and nothing is known of how the service did meanwhile."""


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
        spare=engine.spare,
    )


def session_settings(config: Config) -> SessionSettings:
    """How patient sessions are."""
    return SessionSettings(
        connect_timeout_s=config.session.connect_timeout_s,
        silence_timeout_s=config.session.silence_timeout_s,
        barge_in=BargeIn(config.session.barge_in, config.session.barge_in_min_ms),
        idle_text_s=config.speaking.idle_text_s,
        max_audio_s=config.speaking.max_audio_s,
        similarity_share=config.metrics.similarity_share,
        enrolment=EnrolmentSettings(
            refine_s=config.voices.refine_s, match_channel=config.voices.match_channel
        ),
    )


def degradation_settings(config: Config) -> DegradationSettings:
    """When to do with less."""
    chosen = config.degradation
    return DegradationSettings(
        enabled=chosen.enabled,
        limits=Limits(
            chosen.first_audible_ms,
            chosen.latency_factor,
            chosen.error_share,
            chosen.waiting,
            chosen.free_memory_share,
            chosen.embedding_ms,
            chosen.free_gpu_share,
        ),
        pace=Pace(
            chosen.up_s,
            chosen.down_s,
            max(chosen.down_s, chosen.max_down_s),
            max_gap_s=MISSED_LOOKS * chosen.every_s,
        ),
        window_s=chosen.window_s,
        min_utterances=chosen.min_utterances,
        every_s=chosen.every_s,
        retry_after_s=chosen.retry_after_s,
    )


def tracer(config: Config) -> UtteranceTracer | None:
    """Where traces go, if anywhere; raises ``ConfigInvalid`` where that needs what is not there."""
    chosen = config.tracing
    return open_tracer(chosen.otlp_url, chosen.share) if chosen.otlp_url else None


def audit(config: Config) -> Audit:
    """Where the audit log goes; raises ``ConfigInvalid`` where it cannot be written."""
    chosen = config.audit.file
    return Audit(Path(chosen).expanduser() if chosen else None)


def recordings(config: Config, audit: Audit) -> Recordings | None:
    """How rooms are recorded, ``None`` where they are not.

    Raises:
        ConfigInvalid: the folder cannot be made or written.
    """
    folder = recordings_folder(config)
    if folder is None:
        return None
    store, chosen = RecordingStore(folder), config.recording
    try:
        store.prepare()
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise ConfigInvalid(
            f"the folder {folder} of recordings cannot be written: {reason} (recording.folder)"
        ) from error
    limits = RecordingLimits(
        chosen.max_minutes * 60.0,
        chosen.max_mb * MB,
        chosen.min_free_mb * MB,
        chosen.keep_days,
    )
    return Recordings(store, limits, audit)


def withdrawals(config: Config, audit: Audit) -> Withdrawals | None:
    """How those in recordings have themselves deleted, ``None`` where nothing is recorded."""
    folder = recordings_folder(config)
    return None if folder is None else Withdrawals(RecordingStore(folder), audit)


def room_directory(config: Config) -> RoomDirectory | None:
    """Where rooms of all services are, if there are several.

    Raises:
        ConfigInvalid: it cannot be used as it is set.
    """
    rooms = config.rooms
    if not rooms.redis_url:
        return None
    link = RedisLink.of(rooms.redis_url, "rooms.redis_url", secret(ENV_REDIS_PASSWORD))
    need_package()
    for setting, url in [
        ("rooms.public_url", rooms.public_url),
        *(("rooms.replicas", one) for one in rooms.replicas),
    ]:
        if not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", url):
            raise ConfigInvalid(
                f"{url!r} is not where clients reach a service: write it like "
                f"https://a.example ({setting})"
            )
    # Only here, because the package is an extra.
    from voicepeer.room_directory import RoomDirectory

    return RoomDirectory(link, rooms.public_url, rooms.replicas, rooms.claim_ttl_s)


def speech_limits(config: Config) -> SpeechLimits:
    """How much HTTP clients may have said; half of the engine's streams are left to calls."""
    return SpeechLimits(
        input_chars=config.speaking.max_input_chars,
        at_once=max(1, config.engine.max_streams // 2),
        audio_s=config.speaking.max_audio_s,
    )


def ice_config(config: Config) -> IceConfig:
    """STUN and TURN servers for clients; raises ``ConfigInvalid`` where they cannot be used."""
    ice = config.ice
    try:
        return IceConfig(
            ice.stun_urls,
            ice.turn_urls,
            ice.turn_secret,
            ice.turn_ttl_s,
            turn_database=Path(ice.turn_database).expanduser() if ice.turn_database else None,
            turn_realm=ice.turn_realm,
            media_addresses=ice.media_addresses,
        )
    except IceConfigInvalid as error:
        raise ConfigInvalid(f"{error} (settings in [ice])") from error


def signaling_config(config: Config) -> SignalingConfig:
    """Addresses, limits and who may come in.

    Raises:
        ConfigInvalid: it would listen beyond this machine without a key, a key is too short, or
            an ICE server's address cannot be used.
    """
    server, servers = config.server, ice_config(config)
    made = SignalingConfig(
        host=server.host,
        port=server.port,
        max_sessions=server.max_sessions,
        max_per_room=server.max_per_room,
        api_keys=server.api_keys,
        allowed_origins=frozenset(server.allowed_origins),
        ice=servers,
        auth=keys.auth_config(config.auth),
        rates=keys.rates(config.limits),
        max_sessions_per_key=config.limits.sessions_per_key or None,
        max_speeches=speech_limits(config).at_once,
        trusted_proxies=_proxies(server.trusted_proxies),
        max_connections=server.max_connections,
        max_connections_per_address=server.max_connections_per_address,
        request_timeout_s=server.request_timeout_s,
        body_timeout_s=server.body_timeout_s,
    )
    _check_door(made)
    return made


def _check_door(made: SignalingConfig) -> None:
    """Refuse what would let strangers in."""
    if refusal := refuse_bind(made.host, is_open=made.is_open):
        raise ConfigInvalid(f"{refusal} (server.api_keys, server.host)")
    if reason := weak_key(made.api_keys):
        raise ConfigInvalid(f"{reason} (server.api_keys)")
    for origin in made.allowed_origins:
        if not is_origin(origin):
            raise ConfigInvalid(
                f"{origin!r} is no origin: write it like https://app.example "
                "(server.allowed_origins)"
            )
    if made.is_open and "*" in made.allowed_origins:
        raise ConfigInvalid(
            "without keys every page in the browser of this machine could use the service: set an "
            "API key, or name the pages that may (server.allowed_origins)"
        )


def _proxies(texts: tuple[str, ...]) -> tuple[str, ...]:
    try:
        networks(texts)
    except ValueError as error:
        raise ConfigInvalid(f"{error} (server.trusted_proxies)") from error
    return texts
