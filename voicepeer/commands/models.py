"""Loads models into this process, for commands that need no service."""

from __future__ import annotations

from engines import registry
from engines.api import EngineError, SpeechEngine
from voicepeer import console
from voicepeer.config import Config
from voicepeer.offline import Ears
from voicepeer.wiring import engine_options


def load_speech(config: Config) -> SpeechEngine:
    """The configured speech engine; raises ``EngineError``."""
    name = config.engine.speech
    registry.check("speech", name)
    console.note(f"loading {name} …")
    return registry.create_speech(name, engine_options(config))


def load_ears(config: Config, engine: SpeechEngine | None = None) -> Ears:
    """The configured encoder and voice activity model; raises ``EngineError``."""
    wanted = engine.info.encoder if engine else None
    if engine and wanted not in (None, config.engine.encoder):
        raise EngineError(
            f"{engine.info.name} clones from embeddings of the {wanted} encoder: "
            f"set engine.encoder={wanted}"
        )
    options = engine_options(config)
    return Ears(
        registry.create_encoder(config.engine.encoder, options),
        registry.create_vad(config.engine.vad, options),
    )
