"""A consent that was spoken: whose voice it is, and whether the phrase was said."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from engines.api import Embedding
from voicepeer import words
from voicepeer.audio import Recording
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.offline import Ears
from voicepeer.references import clone_reference
from voicepeer.speaker_identity import identity_of

logger = logging.getLogger(__name__)

PHRASE = "I am the owner of this voice and I agree that it is cloned to speak other words."
"""What a speaker is asked to say; ``CONSENT_VERSION`` counts its wordings."""

MIN_SPEECH_S = 1.6
"""Of a consent: one window of the encoder."""

WORDS_SHARE = 0.6
"""Of the phrase, that a recogniser which misses much has to hear in its order."""


@dataclass(frozen=True, slots=True)
class SpokenConsent:
    """What was heard of a consent; ``words_checked`` is ``None`` where nobody can tell.

    ``embedding`` is what recordings are compared with, see ``speaker_identity``.
    """

    embedding: Embedding
    words_checked: bool | None


def hear_consent(recording: Recording, language: str, ears: Ears) -> SpokenConsent:
    """Listen to a spoken consent; blocks for a second or more.

    Raises:
        AudioRejected: too little speech, or none that can be used.
        EngineError: a model could not listen.
    """
    pcm = recording.at(LISTEN_RATE_HZ)
    source = clone_reference(pcm, ears.vad, ears.encoder, min_speech_s=MIN_SPEECH_S)
    embedding = identity_of(source.reference, ears.encoder.name)
    assert embedding is not None, "clone_reference gives one"
    english = language.lower().partition("-")[0] == "en"
    return SpokenConsent(embedding, _said(source.reference.pcm) if english else None)


def _said(pcm16k: Pcm) -> bool | None:
    try:
        return words.keyword_check(pcm16k, PHRASE) >= WORDS_SHARE
    except words.RecogniserMissing:
        logger.debug("no recogniser is installed: the words of a consent are not checked")
        return None
