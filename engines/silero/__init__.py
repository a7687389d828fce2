"""Silero voice activity detection (MIT licence, https://github.com/snakers4/silero-vad) in ONNX.

The file is ``silero_vad_16k_sequence.onnx`` of silero-vad 6.2.3, unchanged; needs no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.api import VoiceActivityModel

__all__ = ["create"]


def create(options: Mapping[str, str]) -> VoiceActivityModel:
    """Open the model; see ``engines.silero.detector.create`` for the options."""
    from engines.silero import detector

    return detector.create(options)
