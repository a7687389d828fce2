"""What HTTP clients are told of our errors: whose fault it is as a status, and what to do."""

from __future__ import annotations

import logging

from engines.api import (
    EngineBusy,
    EngineError,
    LanguageUnsupported,
    PhonemesUnsupported,
    ReferenceRejected,
    VoiceIncompatible,
)
from signaling.audio_port import Refused
from voicepeer.core.errors import (
    AtCapacity,
    AudioFault,
    AudioRejected,
    ConsentNotFound,
    ConsentWithdrawn,
    NotRecorded,
    PeerSentBadMessage,
    RecordedStill,
    RecordingUnavailable,
    ShuttingDown,
    StoreUnavailable,
    TextRejected,
    VoiceNotFound,
    VoicePeerError,
    is_for_clients,
    told,
)
from voicepeer.voice_file import VoiceFileInvalid
from voicepeer.voice_store import VoiceAmbiguous

logger = logging.getLogger(__name__)

BUSY_RETRY_S = 1
DOWN_RETRY_S = 5

_STATUS: dict[type[VoicePeerError], int] = {
    TextRejected: 400,
    PeerSentBadMessage: 400,
    VoiceFileInvalid: 400,
    VoiceNotFound: 404,
    ConsentNotFound: 404,
    NotRecorded: 404,
    ConsentWithdrawn: 409,
    VoiceAmbiguous: 409,
    RecordedStill: 409,
    AtCapacity: 503,
    ShuttingDown: 503,
    StoreUnavailable: 503,
    RecordingUnavailable: 503,
}
"""Of our own errors; of all others it is our fault."""

_AUDIO_STATUS: dict[AudioFault, int] = {
    "too_large": 413,
    "unreadable": 415,
    "no_audio": 415,
}
"""Of recordings; most can be read, and nothing be cloned from them (RFC 9110 section 15.5.21)."""

_CANNOT_BE_CLONED = 422


def refusal(error: VoicePeerError | EngineError) -> Refused:
    """The refusal that an error comes to; what is not for clients goes to the log instead."""
    if not is_for_clients(error):
        logger.error("a request has failed: %s", error, exc_info=error)
    if isinstance(error, EngineError):
        return _of_engine(error)
    if isinstance(error, AudioRejected):
        status = _AUDIO_STATUS.get(error.fault, _CANNOT_BE_CLONED)
        return Refused(status, f"audio_{error.fault}", str(error))
    status = next((_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS), 500)
    retry_s = DOWN_RETRY_S if status == 503 else None
    return Refused(status, error.code, told(error), retry_after_s=retry_s)


def _of_engine(error: EngineError) -> Refused:
    match error:
        case EngineBusy():
            return Refused(503, "at_capacity", str(error), retry_after_s=BUSY_RETRY_S)
        case LanguageUnsupported():
            return Refused(400, "language_unsupported", str(error), "language")
        case PhonemesUnsupported():
            return Refused(400, "text_rejected", str(error), "input")
        case ReferenceRejected():
            return Refused(_CANNOT_BE_CLONED, "audio_unusable", str(error))
        case VoiceIncompatible():
            return Refused(409, "voice_incompatible", str(error), "voice")
        case _ if error.retryable:
            return Refused(503, "engine_failed", told(error), retry_after_s=BUSY_RETRY_S)
        case _:
            return Refused(500, "engine_failed", told(error))
