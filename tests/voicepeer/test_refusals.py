"""Whose fault an error is, as a status, and what a program can tell it by."""

from __future__ import annotations

from typing import get_args

import pytest

from engines.api import (
    EngineBusy,
    EngineCrashed,
    EngineError,
    LanguageUnsupported,
    PhonemesUnsupported,
    ReferenceRejected,
    VoiceIncompatible,
)
from voicepeer.core.errors import (
    OUR_FAULT,
    AtCapacity,
    AudioFault,
    AudioRejected,
    ConsentNotFound,
    ConsentWithdrawn,
    PeerSentBadMessage,
    ShuttingDown,
    StoreUnavailable,
    TextRejected,
    TextTooLong,
    VoiceNotFound,
    VoicePeerError,
)
from voicepeer.database import VoiceStoreUnusable
from voicepeer.refusals import refusal
from voicepeer.voice_file import VoiceFileInvalid
from voicepeer.voice_store import VoiceAmbiguous

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("error", "status", "code", "again"),
    [
        (TextRejected("t"), 400, "text_rejected", False),
        (PeerSentBadMessage("m"), 400, "bad_message", False),
        (VoiceFileInvalid("f"), 400, "voice_file_invalid", False),
        (LanguageUnsupported("l"), 400, "language_unsupported", False),
        (PhonemesUnsupported("p"), 400, "text_rejected", False),
        (VoiceNotFound("v"), 404, "voice_not_found", False),
        (ConsentNotFound("c"), 404, "consent_not_found", False),
        (ConsentWithdrawn("w"), 409, "consent_withdrawn", False),
        (TextTooLong("t"), 400, "text_too_long", False),
        (VoiceAmbiguous("v"), 409, "voice_ambiguous", False),
        (VoiceIncompatible("v"), 409, "voice_incompatible", False),
        (ReferenceRejected("r"), 422, "audio_unusable", False),
        (EngineError("e"), 500, "engine_failed", False),
        (VoiceStoreUnusable("s"), 500, "voice_store_unusable", False),
        (AtCapacity("a"), 503, "at_capacity", True),
        (EngineBusy("b"), 503, "at_capacity", True),
        (EngineCrashed("c"), 503, "engine_failed", True),
        (ShuttingDown("s"), 503, "shutting_down", True),
        (StoreUnavailable(), 503, "store_unavailable", True),
    ],
)
def test_every_error_has_a_status_a_code_and_its_own_words(
    error: VoicePeerError | EngineError, status: int, code: str, again: bool
) -> None:
    refused = refusal(error)
    assert (refused.status, refused.code) == (status, code)
    assert str(refused) == (OUR_FAULT if status == 500 else str(error))
    assert (refused.retry_after_s is not None) == again


@pytest.mark.parametrize("fault", get_args(AudioFault))
def test_every_fault_of_a_recording_has_a_code_of_its_own(fault: AudioFault) -> None:
    refused = refusal(AudioRejected("words", fault))
    assert refused.code == f"audio_{fault}"
    assert refused.status in {413, 415, 422}


def test_what_is_not_for_clients_is_in_the_log_instead(caplog: pytest.LogCaptureFixture) -> None:
    refused = refusal(VoiceStoreUnusable("/srv/voices.sqlite: NOT NULL constraint failed"))
    assert str(refused) == OUR_FAULT
    (line,) = caplog.records
    assert "/srv/voices.sqlite" in line.getMessage()
    assert line.exc_info is not None
