"""The one place that opens model runtimes: provider, precision, threads, and the way back to CPU.

Knows onnxruntime and, if installed, OpenVINO; knows nothing of any particular model.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import locale
import logging
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines.api import EngineError, ModelFilesCorrupt, ModelFilesMissing
from engines.courtesy import give_way

logger = logging.getLogger(__name__)

Tensor: TypeAlias = NDArray[Any]

PROVIDERS = ("tensorrt", "cuda", "openvino", "cpu")
"""Every provider known here, fastest first; ``cpu`` (onnxruntime) is always there."""

PRECISIONS = ("auto", "fp32", "fp16", "bf16", "int8")

_COMPUTES_IN: Mapping[str, tuple[str, ...]] = {
    "tensorrt": ("fp32", "fp16"),
    "cuda": ("fp32", "fp16"),
    "openvino": ("fp32", "fp16", "bf16"),
    "cpu": ("fp32", "int8"),
}

_ORT_NAMES = {
    "tensorrt": "TensorrtExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "cpu": "CPUExecutionProvider",
}

# An explicit TensorRT wish builds plans for minutes, so "auto" never picks it.
_AUTO_ORDER = ("cuda", "openvino", "cpu")

# ``y = x``, the smallest model that shows whether a provider can be started.
_PROBE = (
    b'\x08\t:;\n\x10\n\x01x\x12\x01y"\x08Identity\x12\x05probeZ\x0f\n\x01x\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01'
    b"b\x0f\n\x01y\x12\n\n\x08\x08\x01\x12\x04\n\x02\x08\x01B\x04\n\x00\x10\x14"
)

_fallbacks: Counter[str] = Counter()

_copying = threading.Lock()
"""One model is opened in several shapes at once, and copied for the first only."""


class ProviderUnavailable(EngineError):
    """The runtime behind a provider is not installed or has no device."""


class PrecisionUnsupported(EngineError):
    """A provider does not compute in the wanted precision on any machine."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a model is to be run.

    ``threads`` is the number of cores one call may use. ``precision`` is what convolutions and
    matrix products run in; ``auto`` is the fastest that the device has natively. ``cache_dir``
    keeps compiled programs between starts. ``fixed_shapes`` gives inputs their only shape, which
    lets a compiler do more.
    """

    provider: str = "cpu"
    precision: str = "fp32"
    threads: int = 1
    cache_dir: Path | None = None
    fixed_shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)


class Session(Protocol):
    """A model that is ready to run; calls from several threads are safe."""

    @property
    def provider(self) -> str:
        """The provider that really runs it, after any fallback."""
        ...

    @property
    def precision(self) -> str:
        """The precision that it really runs in."""
        ...

    def run(self, feeds: Mapping[str, Tensor]) -> list[Tensor]:
        """Outputs in the order of the model; the arrays belong to the caller."""
        ...


@functools.cache
def quiet_onnxruntime() -> Any:  # noqa: ANN401 - a module without types
    """onnxruntime, which is not to tell its makers of its use.

    Since 1.30 at the latest it keeps a database for that in the user's cache folder, unless this is
    in the environment when it is first imported. Whoever imports it calls this before.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime

    return onnxruntime


def available_providers() -> tuple[str, ...]:
    """Providers that can be opened here, fastest first."""
    present = set(quiet_onnxruntime().get_available_providers())
    found = {name for name, ort_name in _ORT_NAMES.items() if ort_name in present}
    if importlib.util.find_spec("openvino") is not None:
        found.add("openvino")
    return tuple(name for name in PROVIDERS if name in found)


def resolve_provider(wanted: str, precision: str = "auto") -> str:
    """The provider that ``auto`` stands for here; any other name stands for itself.

    Raises:
        PrecisionUnsupported: no provider that is here has the precision.
    """
    if wanted != "auto":
        return wanted
    present = _candidates(wanted)
    able = [name for name in present if precision in ("auto", *_COMPUTES_IN[name])]
    if not able:
        raise PrecisionUnsupported(f"no provider that is installed here runs {precision}")
    return able[0]


def check_precision(provider: str, precision: str) -> None:
    """See to it that nobody gets another precision than they asked for.

    Raises:
        PrecisionUnsupported: names the precisions that the provider has.
    """
    known = _COMPUTES_IN.get(provider, PRECISIONS)
    if precision not in ("auto", *known):
        raise PrecisionUnsupported(
            f"the provider {provider} does not run {precision}, only {_either(known)}: choose "
            "one of these, or another provider"
        )


def _either(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def fallback_counts() -> dict[str, int]:
    """How often each provider could not be used and another took its place, since start."""
    return dict(_fallbacks)


def open_session(model: Path | bytes, options: SessionOptions | None = None) -> Session:
    """Open a model with the wanted provider, or with the next best one that works.

    Raises:
        ModelFilesMissing: there is no such file.
        ModelFilesCorrupt: no runtime can read the model.
        ValueError: the options name an unknown provider or precision.
    """
    options = options or SessionOptions()
    _check(options)
    if isinstance(model, Path):
        _check_readable(model)
    for provider in _candidates(options.provider):
        try:
            return _open_with(provider, model, options)
        except Exception as error:  # runtimes raise bare RuntimeError, and worse
            if provider == "cpu":
                raise ModelFilesCorrupt(
                    f"{_label(model)} is damaged, or no model: build the engine again "
                    "(voicepeer engines build)"
                ) from error
            _fall_back(provider, _label(model), error)
    raise AssertionError("the candidates always end with cpu")


def usable_provider(wanted: str, precision: str = "auto") -> tuple[str, str]:
    """The provider that will really run here, and the precision to run it in.

    It is ``wanted`` where that can be started, else the fastest other one at its best precision;
    which is logged and counted. To be asked before files are made, as those differ.

    Raises:
        PrecisionUnsupported: the wanted provider has the precision nowhere.
    """
    if wanted == "auto":
        return resolve_provider(wanted, precision), precision
    check_precision(wanted, precision)
    try:
        _open_with(wanted, _PROBE, SessionOptions(wanted))
    except Exception as error:  # runtimes raise bare RuntimeError, and worse
        _fall_back(wanted, "anything here", error)
        # Its precision was chosen for it; the other one knows its own best.
        return next(name for name in _candidates("auto") if name != wanted), "auto"
    return wanted, precision


def _fall_back(provider: str, what: str, error: Exception) -> None:
    _fallbacks[provider] += 1
    # Foreign messages are pages long and hold paths of the machine.
    reason = str(error) if isinstance(error, EngineError) else type(error).__name__
    logger.warning("provider %s cannot run %s: %s", provider, what, reason)
    logger.debug("provider %s cannot run %s", provider, what, exc_info=error)


def _check_readable(model: Path) -> None:
    try:
        with model.open("rb"):
            return
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ModelFilesMissing(
            f"there is no model file {model.name}: build the engine again (voicepeer engines build)"
        ) from error
    except OSError as error:
        reason = (error.strerror or type(error).__name__).lower()
        raise ModelFilesMissing(f"the model file {model.name} cannot be read: {reason}") from error


def _check(options: SessionOptions) -> None:
    if options.provider not in ("auto", *PROVIDERS):
        known = ", ".join(("auto", *PROVIDERS))
        raise ValueError(f"unknown provider {options.provider!r}: choose one of {known}")
    if options.precision not in PRECISIONS:
        known = ", ".join(PRECISIONS)
        raise ValueError(f"unknown precision {options.precision!r}: choose one of {known}")


def _candidates(wanted: str) -> tuple[str, ...]:
    if wanted == "auto":
        present = available_providers()
        return tuple(name for name in _AUTO_ORDER if name in present)
    return (wanted,) if wanted == "cpu" else (wanted, "cpu")


def _label(model: Path | bytes) -> str:
    return model.name if isinstance(model, Path) else "the model"


def _open_with(provider: str, model: Path | bytes, options: SessionOptions) -> Session:
    if provider not in available_providers():
        raise ProviderUnavailable(f"{provider} is not installed here")
    if provider == "openvino":
        return _OpenVinoSession(model, options)
    return _OrtSession(provider, model, options)


class _OrtSession:
    """onnxruntime; the graph itself decides the precision."""

    def __init__(self, provider: str, model: Path | bytes, options: SessionOptions) -> None:
        onnxruntime = quiet_onnxruntime()
        if provider in ("cuda", "tensorrt"):
            _preload_cuda(onnxruntime)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = options.threads
        settings.inter_op_num_threads = 1
        settings.log_severity_level = 3
        # Spinning threads burn the cores that the network loop and other streams need.
        settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(model) if isinstance(model, Path) else model,
            sess_options=settings,
            providers=_ort_providers(provider, options),
        )
        used = self._session.get_providers()[0]
        if used != _ORT_NAMES[provider]:
            raise ProviderUnavailable(f"onnxruntime has {provider} but could not start it")
        self.provider = provider
        half = provider in ("cuda", "tensorrt") and options.precision == "fp16"
        self.precision = "fp16" if half else "int8" if options.precision == "int8" else "fp32"

    def run(self, feeds: Mapping[str, Tensor]) -> list[Tensor]:
        give_way()
        return list(self._session.run(None, dict(feeds)))


@functools.cache
def _preload_cuda(onnxruntime: Any) -> None:  # noqa: ANN401  # the module, where it has this
    """Find CUDA and cuDNN where pip puts them, which the system's loader does not search."""
    if hasattr(onnxruntime, "preload_dlls"):
        # It tells what it misses on standard output, which belongs to programs.
        with contextlib.redirect_stdout(sys.stderr):
            onnxruntime.preload_dlls()


def _ort_providers(provider: str, options: SessionOptions) -> list[tuple[str, dict[str, str]]]:
    chain: list[tuple[str, dict[str, str]]] = []
    if provider == "tensorrt":
        plan = {"trt_fp16_enable": str(options.precision == "fp16")}
        if options.cache_dir is not None:
            plan |= {"trt_engine_cache_enable": "True"}
            plan |= {"trt_engine_cache_path": str(options.cache_dir)}
        chain.append((_ORT_NAMES["tensorrt"], plan))
    if provider in ("tensorrt", "cuda"):
        # Exhaustive search for the best convolution would stall every new window size.
        chain.append((_ORT_NAMES["cuda"], {"cudnn_conv_algo_search": "HEURISTIC"}))
    return [*chain, (_ORT_NAMES["cpu"], {})]


class _OpenVinoSession:
    """OpenVINO on the CPU."""

    provider = "openvino"

    def __init__(self, model: Path | bytes, options: SessionOptions) -> None:
        with _locale_kept:
            self._open(model, options)

    def _open(self, model: Path | bytes, options: SessionOptions) -> None:
        import openvino

        core = openvino.Core()
        native = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        self.precision = _openvino_precision(options.precision, native)
        settings: dict[str, Any] = {
            "INFERENCE_PRECISION_HINT": {"bf16": "bf16", "fp16": "f16"}.get(self.precision, "f32"),
            "INFERENCE_NUM_THREADS": options.threads,
            "PERFORMANCE_HINT": "LATENCY",
            "ENABLE_CPU_PINNING": False,
        }
        folder = _writable(options.cache_dir)
        if folder is not None:
            settings["CACHE_DIR"] = str(folder)
        graph = _read(core, model, folder if self.precision in ("bf16", "fp16") else None)
        if options.fixed_shapes:
            graph.reshape({name: list(shape) for name, shape in options.fixed_shapes.items()})
        self._request = core.compile_model(graph, "CPU", settings).create_infer_request()
        self._lock = threading.Lock()

    def run(self, feeds: Mapping[str, Tensor]) -> list[Tensor]:
        give_way()
        with self._lock:
            # Input arrays outlive the call, so they need no copy; the outputs are copied.
            outputs = self._request.infer(dict(feeds), share_inputs=True)
            return [np.asarray(value) for value in outputs.values()]


class _LocaleKept:
    """Brings back the locale of the process, which OpenVINO leaves as "C" when it has read a model.

    Python would then take files and pipes for ASCII. Models are opened side by side, so the first
    who comes in remembers and the last who goes restores.
    """

    def __init__(self) -> None:
        self._lock, self._inside, self._locale = threading.Lock(), 0, ""

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._locale = locale.setlocale(locale.LC_ALL)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                locale.setlocale(locale.LC_ALL, self._locale)


_locale_kept = _LocaleKept()


def _writable(folder: Path | None) -> Path | None:
    """The folder for compiled programs, if there is one that can be written."""
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        logger.warning(
            "compiled programs cannot be kept (%s): every start takes longer",
            (error.strerror or type(error).__name__).lower(),
        )
        return None


def _read(core: Any, model: Path | bytes, folder: Path | None) -> Any:  # noqa: ANN401
    """The graph of a model, from its copy with half weights where a folder for it is given."""
    if isinstance(model, Path) and folder is not None:
        try:
            return core.read_model(str(_half_copy(core, model, folder)))
        except (OSError, RuntimeError) as error:
            # A full disk or a damaged copy: the model itself is still there.
            logger.warning("no copy of %s can be used: %s", model.name, type(error).__name__)
            logger.debug("no copy of %s can be used", model.name, exc_info=error)
    return core.read_model(str(model) if isinstance(model, Path) else model)


def _half_copy(core: Any, model: Path, folder: Path) -> Path:  # noqa: ANN401
    """The same model with fp16 weights, made once; it takes half of the memory when it runs.

    Convolutions in bf16 round the weights further than that anyway.
    """
    import openvino

    found = model.stat()
    name = f"{model.parent.name}-{model.stem}-{found.st_size}-{found.st_mtime_ns}"
    copy = folder / f"{name}.xml"
    with _copying:
        if copy.is_file():
            return copy
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            made = Path(scratch) / copy.name
            openvino.save_model(core.read_model(str(model)), str(made), compress_to_fp16=True)
            # Whoever sees the graph must find its weights.
            for part in (made.with_suffix(".bin"), made):
                part.replace(folder / part.name)
    return copy


def _openvino_precision(wanted: str, native: Sequence[str]) -> str:
    """bf16 only where the CPU computes in it; emulation would cost quality and save nothing."""
    if wanted == "auto":
        return "bf16" if "BF16" in native else "fp32"
    needed = {"bf16": "BF16", "fp16": "FP16"}.get(wanted)
    return wanted if needed is None or needed in native else "fp32"
