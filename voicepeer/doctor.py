"""Looks at everything that has to be in order for the service, and says what to do where it is not.

Starts nothing, downloads nothing, and loads no model. It asks the STUN and TURN servers that
clients are given, and of TURN for a relay, which it gives back.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from engines import registry
from engines.api import EngineError
from voicepeer import config, surroundings
from voicepeer.config import Config
from voicepeer.core.errors import ConfigInvalid, VoicePeerError
from voicepeer.database import VoiceStoreUnusable
from voicepeer.finding import Finding, reason

MIN_PYTHON = (3, 11)
MIN_FREE_MB = 500
MIN_OPEN_FILES = 1024
MIN_FREE_FOR_DATA_MB = 100
MAX_REFERENCES = 100
"""So many are opened, of which each may be of some seconds."""

BASE_PACKAGES = (
    "aiohttp",
    "aiortc",
    "av",
    "msgspec",
    "numpy",
    "onnxruntime",
    "prometheus-client",
    "pyjwt",
    "soxr",
)
OPTIONAL_PACKAGES = (
    "openvino", "onnx", "misaki", "pypinyin", "pyopenjtalk-plus", "speechmos", "onnxruntime-gpu",
    "torch",
)  # fmt: skip


def examine(settings: Config, certificates: Sequence[str] = ()) -> list[Finding]:
    """All findings, in the order in which they depend on each other.

    ``certificates`` are PEM files and ``https://`` addresses, besides those of ``turns:``.
    """
    checks: tuple[Callable[[Config], Iterator[Finding]], ...] = (
        _python,
        _packages,
        _aiortc,
        _opus,
        _providers,
        _models,
        _cache,
        _voices,
        _references,
        _folders,
        surroundings.clock_is_set,
        surroundings.port_and_access,
        surroundings.media_addresses,
        surroundings.ice_servers,
        surroundings.redis_servers,
        _limits,
    )
    found = [finding for check in checks for finding in check(settings)]
    return found + list(surroundings.certificates(settings, certificates))


def explain(error: ConfigInvalid) -> Finding:
    """The finding for a configuration that cannot be read at all."""
    return Finding("config", "fault", str(error), "correct it where the message says")


def _python(_settings: Config) -> Iterator[Finding]:
    version = platform.python_version()
    fine = sys.version_info >= MIN_PYTHON
    wanted = ".".join(map(str, MIN_PYTHON))
    yield Finding(
        "python",
        "ok" if fine else "fault",
        f"{version} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "" if fine else f"install Python {wanted} or later",
    )


def _packages(_settings: Config) -> Iterator[Finding]:
    for name in BASE_PACKAGES:
        version = _version(name)
        if version is None:
            yield Finding("packages", "fault", f"{name} is missing", "pip install voicepeer")
        else:
            yield Finding("packages", "ok", f"{name} {version}")
    for name in OPTIONAL_PACKAGES:
        if version := _version(name):
            yield Finding("packages", "ok", f"{name} {version} (optional)")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _aiortc(_settings: Config) -> Iterator[Finding]:
    if importlib.util.find_spec("aiortc") is None:
        return
    from voicepeer import rtc

    try:
        rtc.self_test()
    except rtc.UnsupportedAiortc as error:
        yield Finding("webrtc", "fault", str(error), "pip install 'aiortc==1.16.*'")
    else:
        yield Finding("webrtc", "ok", "aiortc is a version whose inside we know")


def _opus(_settings: Config) -> Iterator[Finding]:
    from voicepeer import opus

    try:
        opus.load_library()
    except opus.OpusUnavailable as error:
        yield Finding("opus", "fault", str(error), "pip install --force-reinstall av")
    else:
        yield Finding("opus", "ok", "libopus is there")


def _providers(settings: Config) -> Iterator[Finding]:
    from engines import runtime

    found = runtime.available_providers()
    yield Finding("providers", "ok", ", ".join(found))
    wanted = settings.engine.provider
    if wanted not in ("auto", *found):
        extra = {"openvino": "openvino", "cuda": "gpu", "tensorrt": "gpu"}.get(wanted, "")
        yield Finding(
            "providers",
            "fault",
            f"engine.provider is {wanted}, which cannot be used here",
            f"pip install 'voicepeer[{extra}]', or set engine.provider=auto",
        )
    elif "openvino" not in found and not {"cuda", "tensorrt"} & set(found):
        yield Finding(
            "providers",
            "note",
            "speech is made by onnxruntime on the CPU",
            "pip install 'voicepeer[openvino]' makes it about twice as fast",
        )


def _models(settings: Config) -> Iterator[Finding]:
    engine = settings.engine
    chosen: tuple[tuple[registry.Kind, str], ...] = (
        ("speech", engine.speech),
        ("encoder", engine.encoder),
        ("vad", engine.vad),
    )
    known = {(one.kind, one.name): one for one in registry.describe()}
    for kind, name in chosen:
        try:
            registry.check(kind, name)
        except EngineError as error:
            found = known.get((kind, name))
            remedy = found.remedy if found else f"choose one of {', '.join(registry.names(kind))}"
            yield Finding("models", "fault", str(error), remedy)
        else:
            yield _weights(known[kind, name], engine.weights if kind == "speech" else "")


def _weights(model: registry.Description, file: str) -> Finding:
    """Whether a model that can be imported also has what it was trained to."""
    what = f"{model.kind}: {model.name}"
    if file and not Path(file).is_file():
        remedy = "name an existing file in engine.weights, or leave it out"
        return Finding("models", "fault", f"{what}: there is no weights file {file}", remedy)
    if model.weights_missing and not file:
        return Finding("models", "fault", f"{what}: its weights are not installed", model.remedy)
    return Finding("models", "ok", what)


def _cache(settings: Config) -> Iterator[Finding]:
    chosen = settings.engine.cache_dir
    folder = (Path(chosen) if chosen else config.cache_dir()).absolute()
    remedy = "make it writable, or name another folder in engine.cache_dir"
    try:
        above = _existing(folder)
        free_mb = shutil.disk_usage(above).free // 1_000_000
        in_the_way = not next(path for path in (folder, *folder.parents) if path.exists()).is_dir()
    except OSError as error:
        yield Finding("cache", "fault", f"no folder for engine files: {reason(error)}", remedy)
        return
    if in_the_way:
        yield Finding("cache", "fault", f"{folder} can be no folder: a file is there", remedy)
    elif not os.access(above, os.W_OK):
        yield Finding("cache", "fault", f"{folder} is not writable", remedy)
    elif free_mb < MIN_FREE_MB:
        remedy = f"free {MIN_FREE_MB} MB, or name another folder in engine.cache_dir"
        yield Finding("cache", "fault", f"{folder} has {free_mb} MB left", remedy)
    else:
        size_mb = _size_bytes(folder) // 1_000_000
        yield Finding("cache", "ok", f"{folder}: {size_mb} MB used, {free_mb} MB free")


def _existing(folder: Path) -> Path:
    """The folder itself, or the nearest one above it that is there."""
    return next(path for path in (folder, *folder.absolute().parents) if path.is_dir())


def _size_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _voices(settings: Config) -> Iterator[Finding]:
    from voicepeer.stores import open_stores

    try:
        with closing(open_stores(settings)) as stores:
            if stores.path is not None and not stores.path.exists():
                yield Finding("voices", "ok", f"{stores.name} will be made when a voice is saved")
                return
            there = {one.voice_id for one in stores.voices.summaries(time.time())}
            stores.serving.check()
    except VoicePeerError as error:
        yield Finding(
            "voices", "fault", str(error), "do what it says, or name another one in voices.store"
        )
    else:
        yield Finding("voices", "ok", f"{stores.name}: {len(there)} voices")
        for missing in set(settings.voices.pinned) - there:
            remedy = "take it out of voices.pinned; `voicepeer voices list` has all"
            yield Finding("voices", "fault", f"there is no saved voice {missing}", remedy)


def _references(settings: Config) -> Iterator[Finding]:
    """Whether the keys are there that reference audio is sealed with, and those it was."""
    from voicepeer.reference_keeper import keeper_of
    from voicepeer.stores import open_stores

    remedy = "give the keys in VOICEPEER_REFERENCE_KEYS, each ID=KEY, the one to seal with first"
    try:
        with closing(open_stores(settings)) as stores:
            keeper = keeper_of(settings, stores.references)
            if keeper is None:
                return
            if stores.path is not None and not stores.path.exists():
                refused: tuple[str, ...] = ()
            else:
                refused = keeper.unopened(MAX_REFERENCES)
    except VoiceStoreUnusable:
        return  # told of the voices
    except VoicePeerError as error:
        yield Finding("voices", "fault", str(error), remedy)
        return
    for one in refused:
        yield Finding("voices", "fault", one, remedy)
    if not refused:
        yield Finding("voices", "ok", "reference audio is kept, and its keys are there")


def _folders(settings: Config) -> Iterator[Finding]:
    """Whether what is kept can be written: full and read-only disks are found out before a call."""
    kept: dict[str, str | Path] = {
        "voices.database": _voice_file(settings),
        "ice.turn_database": settings.ice.turn_database,
        "audit.file": settings.audit.file,
        "recording.folder": settings.recording.folder,
    }
    for name, chosen in kept.items():
        if chosen:
            yield _folder(name, Path(chosen).expanduser())


def _voice_file(settings: Config) -> str | Path:
    """Where voices are kept if that is a file."""
    store = settings.voices.store
    if store.startswith(("redis:", "rediss:")):
        return ""
    return store.removeprefix("sqlite:") or config.database(settings)


def _folder(name: str, path: Path) -> Finding:
    remedy = f"give its user the right to write there, or name another place in {name}"
    try:
        above = _existing(path if name == "recording.folder" else path.parent)
        free_mb = shutil.disk_usage(above).free // 1_000_000
    except OSError as error:
        return Finding("disk", "fault", f"{path}: {reason(error)}", remedy)
    unwritable = next((one for one in (above, path) if one.exists() and not _writable(one)), None)
    if unwritable is not None:
        return Finding("disk", "fault", f"{unwritable} cannot be written ({name})", remedy)
    if free_mb < MIN_FREE_FOR_DATA_MB:
        remedy = f"free {MIN_FREE_FOR_DATA_MB} MB, or name another place in {name}"
        return Finding("disk", "fault", f"{above} has {free_mb} MB left ({name})", remedy)
    return Finding("disk", "ok", f"{path} can be written, {free_mb} MB free ({name})")


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK)


def _limits(_settings: Config) -> Iterator[Finding]:
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < MIN_OPEN_FILES:
        remedy = f"ulimit -n {MIN_OPEN_FILES}"
        yield Finding("limits", "note", f"only {soft} files may be open at once", remedy)
    else:
        yield Finding("limits", "ok", f"{soft} files may be open at once")
