"""The default speech engine: Kokoro-82M, split so that it streams and clones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engines.api import SpeechEngine, Voice


def create(options: Mapping[str, str]) -> SpeechEngine:
    """Open the engine; see ``engines.kokoro.engine.create`` for the options and the errors."""
    # Only now, so that naming the engine costs no model runtime.
    from engines.kokoro import engine

    return engine.create(options)


def mix_voices(parts: Sequence[tuple[Voice, float]]) -> Voice:
    """One voice of several by weights; see ``engines.kokoro.blending.mix_voices``."""
    from engines.kokoro import blending

    return blending.mix_voices(parts)
