"""What a reference is compared by where it matters who speaks, not how the voice is to sound."""

from __future__ import annotations

import numpy as np

from engines.api import Embedding, Reference
from engines.cleaning import cleaned
from voicepeer.core.pcm import LISTEN_RATE_HZ

_CLEANED = "ge2e"
"""The encoder that ``engines.cleaning`` was fitted on."""


def identity_of(reference: Reference, encoder: str | None) -> Embedding | None:
    """The embedding of a reference at 16 kHz less what its line, room and noise did to it.

    ``encoder`` is the name of the one that heard it: embeddings of any but GE2E stay as they are.
    ``None`` where the reference has none.
    """
    embedding, speech = reference.embedding, reference.pcm
    if embedding is None or encoder != _CLEANED or not np.isfinite(speech).all():
        return embedding
    if reference.sample_rate_hz != LISTEN_RATE_HZ:
        raise ValueError(f"a reference is compared at {LISTEN_RATE_HZ} Hz")
    return cleaned(embedding, speech)
