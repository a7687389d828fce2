"""GE2E speaker encoder (Wan et al., "Generalized End-to-End Loss for Speaker Verification",
arXiv:1710.10467) with Resemblyzer's weights, in ONNX; needs no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engines.api import SpeakerEncoder

__all__ = ["create"]


def create(options: Mapping[str, str]) -> SpeakerEncoder:
    """Open the encoder; see ``engines.ge2e.encoder.create`` for the options."""
    from engines.ge2e import encoder

    return encoder.create(options)
