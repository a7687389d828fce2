"""Errors in the names of OpenAI's Realtime API."""

from __future__ import annotations

import pytest

from voicepeer.core.errors import (
    OUR_FAULT,
    AtCapacity,
    ConfigInvalid,
    NotPermitted,
    RateLimited,
    TextRejected,
    VoiceNotFound,
    VoiceNotReady,
    VoicePeerError,
)
from voicepeer.core.realtime import BadEvent
from voicepeer.core.realtime_errors import error_details

pytestmark = pytest.mark.unit

OURS = ("enrol.start", "voice.use", "controls.set", "voicepeer voices")


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (
            VoiceNotReady("send enrol.start"),
            "voice_not_ready",
            "invalid_request_error",
        ),
        (VoiceNotFound("see `voicepeer voices`"), "voice_not_found", "invalid_request_error"),
        (RateLimited("too much"), "rate_limit_exceeded", "invalid_request_error"),
        (NotPermitted("no right"), "forbidden", "invalid_request_error"),
        (TextRejected("too long"), "text_rejected", "invalid_request_error"),
        (AtCapacity("full"), "at_capacity", "server_error"),
        (ConfigInvalid("/etc/secret"), "config_invalid", "server_error"),
    ],
)
def test_each_has_a_code_a_type_and_words_of_theirs(
    error: VoicePeerError, code: str, kind: str
) -> None:
    details = error_details(error, "e1", "response")
    assert (details.code, details.type, details.event_id) == (code, kind, "e1")
    assert details.message
    assert not any(word in details.message for word in OURS)


def test_what_would_help_is_named_before_what_was_refused() -> None:
    assert error_details(VoiceNotReady("x"), None, "response").param == "session.audio.output.voice"
    assert error_details(TextRejected("x"), None, "response").param == "response"
    assert error_details(BadEvent("x", param="item_id", event_id="e")).param == "item_id"
    assert error_details(BadEvent("x", event_id="e")).event_id == "e"


def test_files_and_settings_are_not_told() -> None:
    assert error_details(ConfigInvalid("/etc/secret")).message == OUR_FAULT
