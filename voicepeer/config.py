"""Every setting of the service, from a TOML file, the environment and flags, each over the last.

The only module that reads the environment. A setting is called ``section.name``; in a file it is
``name`` in the table ``[section]``, in the environment ``VOICEPEER_SECTION_NAME``.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args, get_origin

import msgspec
from msgspec import Meta

from voicepeer.core.errors import ConfigInvalid

ENV_PREFIX = "VOICEPEER_"
ENV_CONFIG_FILE = "VOICEPEER_CONFIG"
ENV_CACHE = "VOICEPEER_CACHE"
"""Read by the engines themselves; ``engine.cache_dir`` is the same setting."""
ENV_TOKEN = "VOICEPEER_TOKEN"
"""What a client of a service shows; a service itself has no use for it."""
ENV_JANUS_PIN = "VOICEPEER_JANUS_PIN"
ENV_JANUS_TOKEN = "VOICEPEER_JANUS_TOKEN"
ENV_JANUS_SECRET = "VOICEPEER_JANUS_SECRET"
"""What a bot shows to a Janus, for its room and for its interface."""
ENV_WHIP_TOKEN = "VOICEPEER_WHIP_TOKEN"
ENV_LIVEKIT_TOKEN = "VOICEPEER_LIVEKIT_TOKEN"
"""What a bot shows there."""
ENV_LIVEKIT_KEY = "LIVEKIT_API_KEY"
ENV_LIVEKIT_SECRET = "LIVEKIT_API_SECRET"
"""By the names that LiveKit's own tools have for them."""
ENV_REFERENCE_KEYS = "VOICEPEER_REFERENCE_KEYS"
"""What reference audio is sealed with."""
ENV_REDIS_PASSWORD = "VOICEPEER_REDIS_PASSWORD"
"""Of every Redis whose URL has none."""
ENV_LISTEN_TOKEN = "VOICEPEER_LISTEN_TOKEN"
"""What programs show to a bot that takes text from them."""

MAX_CONFIG_BYTES = 1_000_000

Port: TypeAlias = Annotated[int, Meta(ge=0, le=65_535)]
Count: TypeAlias = Annotated[int, Meta(ge=1, le=10_000)]
Amount: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000_000)]
Seconds: TypeAlias = Annotated[float, Meta(gt=0, le=365 * 24 * 3600)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
Text: TypeAlias = Annotated[str, Meta(min_length=1, max_length=4_096)]


class _Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all sections."""


class ServerConfig(_Section, frozen=True):
    """Where the service listens, who may come in, and how many.

    Without any key, here or in ``[auth]``, it listens on loopback only. ``port`` 0 takes any free
    one. ``allowed_origins`` are pages elsewhere that may call; ``*`` is any. ``trusted_proxies``
    are networks (CIDR) whose ``X-Forwarded-For`` is believed.
    """

    host: Text = "127.0.0.1"
    port: Port = 8080
    api_keys: tuple[Text, ...] = ()
    allowed_origins: tuple[Text, ...] = ()
    media_processes: Annotated[int, Meta(ge=1, le=64)] = 1
    """With more than one, calls are spread over so many processes, and what takes one of them down
    leaves the others alone. Rooms stay together; see docs/scaling.md."""
    max_sessions: Count = 16
    max_per_room: Count = 16
    kept_out_s: Annotated[float, Meta(ge=0, le=86_400)] = 60.0
    """Whoever is put out of a room may not come back for so long."""
    trusted_proxies: tuple[Text, ...] = ()
    max_connections: Count = 512
    """Of TCP, at once, those of WebSockets among them."""
    max_connections_per_address: Count = 256
    """Addresses of ``trusted_proxies`` may have all."""
    request_timeout_s: Annotated[float, Meta(gt=0, le=3600)] = 15.0
    """For the headers of a request to come, and the next one on the same connection."""
    body_timeout_s: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    """For the body of a request to come."""
    drain_timeout_s: Annotated[float, Meta(ge=0, le=3600)] = 8.0
    """For what is being said to end when the service is stopped; new sessions are refused."""

    def __repr__(self) -> str:
        return (
            f"ServerConfig(host={self.host!r}, port={self.port}, api_keys=[{len(self.api_keys)}])"
        )


class AuthSection(_Section, frozen=True):
    """Keys with names and rights, and those that sign tokens; see docs/auth.md.

    ``keys`` maps a name to its key, or to two or more with spaces between while one takes the
    place of another. ``rights`` maps a name to ``speak listen enrol clone manage``, or to some of
    them. ``token_keys`` maps a ``kid`` to ``HS256:secret`` or ``EdDSA:public key``. With
    ``client_secret_key`` several processes know each other's client secrets.
    """

    keys: dict[str, str] = {}
    rights: dict[str, str] = {}
    token_keys: dict[str, str] = {}
    audience: Text = "voicepeer"
    issuer: str = ""
    leeway_s: Annotated[float, Meta(ge=0, le=300)] = 30.0
    """How far the clocks of signer and service may differ."""
    max_token_life_s: Seconds = 24 * 3600.0
    client_secret_key: str = ""

    def __repr__(self) -> str:
        return f"AuthSection(keys={sorted(self.keys)}, token_keys={sorted(self.token_keys)})"


class LimitsConfig(_Section, frozen=True):
    """How much each key and each address may ask for; 0 is as much as they like.

    They hold where there are keys. A ``..._per_minute`` may be used up at once, and comes back
    within a minute. Characters are those of text to say.
    """

    requests_per_minute: Amount = 1_200
    sessions_per_minute: Amount = 60
    sessions_per_key: Amount = 0
    """At once. With 0 one of several keys may have all but some places, which are for others."""
    characters_per_minute: Amount = 60_000
    characters_per_day: Amount = 0
    clones_per_minute: Amount = 20
    clones_per_day: Amount = 0
    failures_per_minute: Amount = 20
    """Requests with a wrong key, from one address."""


class RoomsConfig(_Section, frozen=True):
    """Rooms of several services, which find each other's by a directory; see docs/scaling.md.

    Without ``redis_url`` each has its own. The password of the Redis may be in the environment, as
    ``VOICEPEER_REDIS_PASSWORD``.
    """

    redis_url: str = ""
    """Such as ``redis://redis.example:6379/0``, or ``rediss`` for TLS."""
    public_url: str = ""
    """Where clients reach this very service, and no other one."""
    replicas: tuple[Text, ...] = ()
    """``public_url`` of all services. Clients are sent to no others."""
    claim_ttl_s: Annotated[float, Meta(ge=0.5, le=3600)] = 15.0
    """After so long without a sign of life of a service its rooms are opened elsewhere."""

    def __repr__(self) -> str:
        return f"RoomsConfig(public_url={self.public_url!r}, replicas={self.replicas!r})"


class AuditConfig(_Section, frozen=True):
    """Who made, used, exported or deleted which voice, and who had a room recorded: JSON lines,
    without any content.

    Without ``file`` nothing is written. The file may be moved away while the service runs.
    """

    file: str = ""


class RecordingConfig(_Section, frozen=True):
    """Recordings of rooms, for those who manage one and of those who agree; see docs/rooms.md.

    Without ``folder`` nothing is recorded. MB are millions of bytes.
    """

    folder: str = ""
    max_minutes: Annotated[int, Meta(ge=1, le=720)] = 240
    """Of one recording."""
    max_mb: Annotated[int, Meta(ge=1, le=100_000)] = 1_000
    """Of all tracks of one; an hour of one that talks has about 15."""
    min_free_mb: Amount = 1_000
    """Of the disk. With less nothing is recorded."""
    keep_days: Annotated[float, Meta(ge=0, le=3_650)] = 30.0
    """After so long a recording is removed; 0 is never."""


class IceSection(_Section, frozen=True):
    """STUN and TURN servers for clients; see docs/turn.md.

    Either ``turn_database``, the SQLite file that is coturn's ``userdb``, with which credentials
    end with their session; or ``turn_secret``, which is coturn's ``static-auth-secret``.
    """

    stun_urls: tuple[Text, ...] = ()
    turn_urls: tuple[Text, ...] = ()
    turn_database: str = ""
    turn_secret: str = ""
    turn_ttl_s: Annotated[int, Meta(ge=60, le=7 * 24 * 3600)] = 600
    turn_realm: Text = "voicepeer"
    """As in coturn's configuration."""
    media_addresses: tuple[Text, ...] = ()
    """Where media reaches the service, as addresses or networks (CIDR). With them `voicepeer
    turn-config` lets relays lead nowhere else, and the service takes none for itself."""

    def __repr__(self) -> str:
        return f"IceSection(stun_urls={self.stun_urls!r}, turn_urls={self.turn_urls!r})"


class EngineConfig(_Section, frozen=True):
    """Which models run, and how. ``options`` go to the models as they are."""

    speech: Text = "kokoro"
    encoder: Text = "ge2e"
    vad: Text = "silero"
    provider: Literal["auto", "cpu", "openvino", "cuda", "tensorrt"] = "auto"
    precision: Literal["auto", "fp32", "fp16", "bf16", "int8"] = "auto"
    threads: Annotated[int, Meta(ge=0, le=256)] = 0
    """Cores that one model call may use; 0 lets the engine choose."""
    nice: Annotated[int, Meta(ge=0, le=19)] = 10
    max_streams: Count = 16
    spare: bool = False
    """Whether another speech process waits, warm, to take over at once when the one at work ends;
    it takes as much memory again."""
    cache_dir: str = ""
    """Where engine files are built; empty is the user's cache folder."""
    weights: str = ""
    """A weights file to use in place of the installed ones."""
    options: dict[str, str] = {}


class VoicesConfig(_Section, frozen=True):
    """Where voices are kept, and for how long those of a call that nobody saved."""

    database: str = ""
    """Path of the SQLite file; empty is the user's data folder."""
    store: str = ""
    """``redis://host:6379/0`` for one that several services share, or ``rediss://`` by TLS; its
    password is in VOICEPEER_REDIS_PASSWORD. ``sqlite:FILE`` is the same as ``database``."""
    keep_reference: bool = False
    """Whether the speech that a saved voice was made from is kept with it, sealed with the keys in
    VOICEPEER_REFERENCE_KEYS."""
    reference_days: Annotated[float, Meta(ge=0, le=3_650)] = 0.0
    """For how long that is kept after the voice was made; 0 is as long as the voice."""
    ttl_s: Seconds = 300.0
    pinned: tuple[str, ...] = ()
    """Ids of saved voices that are read at the start and kept in memory: they can be spoken with
    while their place cannot be reached."""
    refine_s: Annotated[float, Meta(ge=0, le=600)] = 0.0
    """Work on making the voice of a call better, after it is ready and while nobody speaks. What
    that brings, and what it may cost, is in docs/cloning.md."""
    match_channel: bool = False
    """Whether voices sound like their recording, telephone lines and microphones included, where
    nobody says what they want."""

    def __repr__(self) -> str:
        return f"VoicesConfig(database={self.database!r}, ttl_s={self.ttl_s})"


class SessionConfig(_Section, frozen=True):
    """How patient a session is with its client, and who may interrupt it.

    ``barge_in`` is what sessions begin with; a client may change it for its own.
    """

    connect_timeout_s: Seconds = 10.0
    silence_timeout_s: Seconds = 3.0
    """Of a client that pings: without any packet or message for so long it has vanished."""
    resume_ttl_s: Seconds = 60.0
    """How long a client that was lost may come back with its token and go on."""
    barge_in: bool = False
    """Whether speech into the microphone interrupts what is being said."""
    barge_in_min_ms: Annotated[float, Meta(ge=100, le=5_000)] = 300.0
    """Of speech, before it interrupts."""


class SpeakingConfig(_Section, frozen=True):
    """How text that is streamed becomes speech."""

    idle_text_s: Annotated[float, Meta(gt=0, le=60)] = 0.4
    """A clause without its end is spoken after so long without more text. One that may end in
    half a number, address or abbreviation waits three times as long."""
    max_input_chars: Annotated[int, Meta(ge=1, le=50_000)] = 4_096
    """Of one request to ``/v1/audio/speech``."""
    max_audio_s: Annotated[float, Meta(gt=0, le=86_400)] = 400.0
    """Of one such request, and of one utterance in a call, as it is estimated before it is said. A
    text whose letters alone take longer, as 4,096 Chinese characters do, may last as long as they
    do."""


class MetricsConfig(_Section, frozen=True):
    """What is counted beyond what comes by the way."""

    similarity_share: Share = 0.05
    """Of utterances in voices that were learned in their call, how many are compared with their
    speaker while nobody speaks; each costs about 0.1 s of one core."""


class TracingConfig(_Section, frozen=True):
    """Where OpenTelemetry's spans of how utterances begin go; needs the extra ``otel``."""

    otlp_url: str = ""
    """Of a collector, as http://localhost:4318/v1/traces; empty is no tracing."""
    share: Share = 1.0
    """Of utterances that are traced."""


class DegradationConfig(_Section, frozen=True):
    """When the service makes do with less, see docs/monitoring.md.

    It takes one step more after ``up_s`` over a limit, and one less after ``down_s`` well under it,
    which doubles with each relapse up to ``max_down_s``. Figures are of the last ``window_s``.
    """

    enabled: bool = True
    first_audible_ms: Annotated[float, Meta(gt=0, le=60_000)] = 200.0
    """95th percentile of what a session's first sound takes after its text, in the service."""
    latency_factor: Annotated[float, Meta(ge=1, le=100)] = 1.5
    """The limit is never under so many times what the engine took when it was warmed up."""
    error_share: Annotated[float, Meta(gt=0, le=1)] = 0.05
    waiting: Count = 4
    """Pieces of speech that wait for the engine all the time."""
    free_memory_share: Share = 0.08
    free_gpu_share: Share = 0.05
    """Of the memory of a GPU, where models run on one."""
    embedding_ms: Annotated[float, Meta(gt=0, le=60_000)] = 100.0
    window_s: Seconds = 30.0
    min_utterances: Count = 8
    """Of fewer in that time nothing is concluded."""
    every_s: Annotated[float, Meta(ge=0.05, le=60)] = 1.0
    up_s: Annotated[float, Meta(gt=0, le=3600)] = 5.0
    down_s: Annotated[float, Meta(gt=0, le=3600)] = 30.0
    max_down_s: Annotated[float, Meta(gt=0, le=86_400)] = 480.0
    retry_after_s: Annotated[int, Meta(ge=1, le=3600)] = 15
    """What those are told who are refused."""


class LogConfig(_Section, frozen=True):
    """What is logged to standard error, and as what."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["text", "json"] = "text"


class Config(_Section, frozen=True):
    """All settings; every one has a default that is safe on a developer's machine."""

    server: ServerConfig = ServerConfig()
    auth: AuthSection = AuthSection()
    limits: LimitsConfig = LimitsConfig()
    rooms: RoomsConfig = RoomsConfig()
    audit: AuditConfig = AuditConfig()
    recording: RecordingConfig = RecordingConfig()
    ice: IceSection = IceSection()
    engine: EngineConfig = EngineConfig()
    voices: VoicesConfig = VoicesConfig()
    session: SessionConfig = SessionConfig()
    speaking: SpeakingConfig = SpeakingConfig()
    metrics: MetricsConfig = MetricsConfig()
    tracing: TracingConfig = TracingConfig()
    degradation: DegradationConfig = DegradationConfig()
    log: LogConfig = LogConfig()


@dataclass(frozen=True, slots=True)
class Setting:
    """One value somebody gave: for which setting, and where it was found."""

    name: str
    value: Any
    source: str
    textual: bool
    """Whether it came as text, from which numbers and lists are still to be read."""


def _types() -> dict[str, Any]:
    return {
        f"{section.name}.{field.name}": field.type
        for section in msgspec.structs.fields(Config)
        for field in msgspec.structs.fields(section.type)
    }


TYPES: Mapping[str, Any] = _types()
"""Type of every setting by its dotted name."""


def env_name(setting: str) -> str:
    """The environment variable of a setting: ``server.port`` is ``VOICEPEER_SERVER_PORT``."""
    return ENV_PREFIX + setting.replace(".", "_").upper()


_BY_ENV = {env_name(name): name for name in TYPES}
_OTHERS = (
    ENV_CONFIG_FILE,
    ENV_CACHE,
    ENV_TOKEN,
    ENV_JANUS_PIN,
    ENV_JANUS_TOKEN,
    ENV_JANUS_SECRET,
    ENV_WHIP_TOKEN,
    ENV_LIVEKIT_TOKEN,
    ENV_LISTEN_TOKEN,
    ENV_REDIS_PASSWORD,
    ENV_REFERENCE_KEYS,
)


def load(
    flags: Mapping[str, str] | None = None,
    environ: Mapping[str, str] | None = None,
    file: Path | None = None,
    defaults: Mapping[str, str] | None = None,
) -> Config:
    """Read all sources and check them together; flags win over environment over file.

    ``flags`` maps dotted names to text, as do ``defaults``, which any source
    overrides. ``file`` defaults to the one that ``VOICEPEER_CONFIG``
    names, or else to ``voicepeer/config.toml`` in the user's configuration folder if it is there.

    Raises:
        ConfigInvalid: an unknown name (with the nearest known one), a wrong type or a value out
            of range, each with where it came from; or a file that cannot be read.
    """
    environ = os.environ if environ is None else environ
    path = file or _named_file(environ)
    settings = [
        *(Setting(name, value, "the program", True) for name, value in (defaults or {}).items()),
        *(_from_file(path) if path else ()),
        *_from_environ(environ),
        *(Setting(name, value, "the command line", True) for name, value in (flags or {}).items()),
    ]
    merged: dict[str, dict[str, Any]] = {}
    for setting in settings:
        section, name = _known(setting).split(".")
        merged.setdefault(section, {})[name] = _value(setting)
    return msgspec.convert(merged, Config)


def data_dir(environ: Mapping[str, str] | None = None) -> Path:
    """The user's data folder (XDG Base Directory Specification, ``XDG_DATA_HOME``)."""
    return _xdg(environ, "XDG_DATA_HOME", ".local/share")


def cache_dir(environ: Mapping[str, str] | None = None) -> Path:
    """Where engine files live unless ``engine.cache_dir`` says otherwise."""
    chosen = (os.environ if environ is None else environ).get(ENV_CACHE)
    return Path(chosen) if chosen else _xdg(environ, "XDG_CACHE_HOME", ".cache")


def database(config: Config, environ: Mapping[str, str] | None = None) -> Path:
    """The SQLite file of saved voices."""
    chosen = config.voices.database
    return Path(chosen).expanduser() if chosen else data_dir(environ) / "voices.sqlite"


def recordings_folder(config: Config) -> Path | None:
    """The folder of recordings, where there is one."""
    chosen = config.recording.folder
    return Path(chosen).expanduser() if chosen else None


def client_token(environ: Mapping[str, str] | None = None) -> str | None:
    """What a client shows to a service unless it is told otherwise."""
    return secret(ENV_TOKEN, environ)


def secret(name: str, environ: Mapping[str, str] | None = None) -> str | None:
    """A secret of a client, which the environment keeps from other users of the machine."""
    return (os.environ if environ is None else environ).get(name) or None


def environ_without_settings() -> dict[str, str]:
    """The environment for a process that is told its settings, with no secrets but of stores."""
    kept = (ENV_CACHE, ENV_REDIS_PASSWORD, ENV_REFERENCE_KEYS)
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(ENV_PREFIX) or name in kept
    }


def _xdg(environ: Mapping[str, str] | None, variable: str, fallback: str) -> Path:
    base = (os.environ if environ is None else environ).get(variable)
    return (Path(base) if base else Path.home() / fallback) / "voicepeer"


def _named_file(environ: Mapping[str, str]) -> Path | None:
    if named := environ.get(ENV_CONFIG_FILE):
        return Path(named)
    usual = _xdg(environ, "XDG_CONFIG_HOME", ".config") / "config.toml"
    return usual if usual.is_file() else None


def _from_file(path: Path) -> Iterator[Setting]:
    try:
        with path.open("rb") as file:
            text = file.read(MAX_CONFIG_BYTES + 1)
        if len(text) > MAX_CONFIG_BYTES:
            raise ConfigInvalid(f"{path} is larger than {MAX_CONFIG_BYTES} bytes: is it a config?")
        tables = tomllib.loads(text.decode())
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise ConfigInvalid(f"the config file {path} cannot be read: {reason}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"{path} is not valid TOML: {error}") from error
    for section, table in tables.items():
        if not isinstance(table, dict):
            raise ConfigInvalid(_unknown(section, str(path), _nearest_bare(section)))
        for name, value in table.items():
            yield Setting(f"{section}.{name}", value, str(path), False)


def _from_environ(environ: Mapping[str, str]) -> Iterator[Setting]:
    if cache := environ.get(ENV_CACHE):
        yield Setting("engine.cache_dir", cache, ENV_CACHE, True)
    for variable, value in environ.items():
        if not variable.startswith(ENV_PREFIX) or variable in _OTHERS:
            continue
        if variable not in _BY_ENV:
            near = _nearest(variable, [*_BY_ENV, *_OTHERS])
            raise ConfigInvalid(_unknown(variable, "the environment", near))
        yield Setting(_BY_ENV[variable], value, variable, True)


def _known(setting: Setting) -> str:
    if setting.name not in TYPES:
        if (table := _table_of(setting.name)) and setting.textual:
            raise ConfigInvalid(
                f"{table} from {setting.source} is a table, and is given as one: "
                f"--set '{table}=NAME=VALUE', with commas between several; names may have dots, "
                "without quotes"
            )
        near = _nearest_bare(setting.name.rpartition(".")[2], full=setting.name)
        raise ConfigInvalid(_unknown(setting.name, setting.source, near))
    return setting.name


def _table_of(name: str) -> str | None:
    """The setting that a name with a key behind it, as TOML has them, is a part of."""
    table = ".".join(name.split(".")[:2])
    is_table = getattr(TYPES.get(table), "__origin__", None) is dict
    return table if is_table else None


def _unknown(name: str, source: str, near: str) -> str:
    return f"unknown setting {name!r} in {source}: did you mean {near!r}?"


def _nearest_bare(bare: str, full: str = "") -> str:
    """The nearest setting: one whose name alone agrees comes before one that looks alike."""
    same = [name for name in TYPES if name.endswith(f".{bare}")]
    return _nearest(full or bare, same or list(TYPES))


def _nearest(name: str, known: list[str]) -> str:
    return difflib.get_close_matches(name, known, n=1, cutoff=0.0)[0]


def _value(setting: Setting) -> Any:  # noqa: ANN401 - of the setting's own type
    wanted = TYPES[setting.name]
    raw = _from_text(setting.value, wanted) if setting.textual else setting.value
    try:
        return msgspec.convert(raw, wanted, strict=not setting.textual)
    except msgspec.ValidationError as error:
        # The value is not quoted: it may be a secret.
        choices = get_args(wanted) if get_origin(wanted) is Literal else ()
        reason = f"choose one of {', '.join(map(str, choices))}" if choices else str(error)
        raise ConfigInvalid(f"{setting.name} from {setting.source}: {reason}") from error


def _from_text(text: str, wanted: Any) -> Any:  # noqa: ANN401 - text, or a collection of text
    origin = getattr(wanted, "__origin__", None)
    items = [item.strip() for item in text.split(",") if item.strip()]
    if origin is tuple:
        return items
    if origin is dict:
        pairs = [item.partition("=") for item in items]
        return {name.strip(): value.strip() for name, _, value in pairs}
    return text
