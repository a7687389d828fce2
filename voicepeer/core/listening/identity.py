"""Whether two recordings are of one speaker, by the cosine of their embeddings."""

from __future__ import annotations

import numpy as np

from engines.api import Embedding

SAME_SPEAKER_COSINE = 0.78
"""From here on two embeddings count as of one speaker. ``python -m voicepeer.consent_trial``
measures how often that errs, and ``docs/http.md`` has the figures."""


def same_speaker(one: Embedding, other: Embedding) -> bool:
    """Whether both are of one speaker; embeddings of different encoders never are."""
    return one.shape == other.shape and float(np.dot(one, other)) >= SAME_SPEAKER_COSINE
