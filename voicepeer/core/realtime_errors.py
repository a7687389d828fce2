"""What clients of OpenAI's Realtime API are told of our errors, in the names of theirs."""

from __future__ import annotations

from typing import Final

from voicepeer.core.errors import (
    RateLimited,
    VoiceNotFound,
    VoiceNotReady,
    VoicePeerError,
    is_for_clients,
    told,
)
from voicepeer.core.realtime import ErrorDetails

_SERVER_FAULTS: Final = frozenset({"engine_failed", "shutting_down", "at_capacity", "internal"})

_VOICE: Final = "session.audio.output.voice"

_WORDING: Final[dict[type[VoicePeerError], str]] = {
    VoiceNotReady: (
        "there is no voice to say this with: name one in session.update, as "
        f"{_VOICE}, or in response.create, as response.audio.output.voice"
    ),
    VoiceNotFound: (
        "there is no such voice, or it was deleted: GET /v1/audio/voices lists those that there are"
    ),
}
"""Of errors whose own message names what is sent on our channel or done on the command line."""

_CODES: Final[dict[type[VoicePeerError], str]] = {RateLimited: "rate_limit_exceeded"}
"""As over HTTP."""

_PARAMS: Final[dict[type[VoicePeerError], str]] = {VoiceNotReady: _VOICE}
"""The field that would help, where it is not the one that was refused."""


def error_details(
    error: VoicePeerError, event_id: str | None = None, param: str | None = None
) -> ErrorDetails:
    """What ``error`` comes to; ``event_id`` is the client's, ``param`` the field that it is for."""
    code = _CODES.get(type(error), error.code)
    ours = code in _SERVER_FAULTS or not is_for_clients(error)
    return ErrorDetails(
        message=_WORDING.get(type(error)) or told(error),
        type="server_error" if ours else "invalid_request_error",
        code=code,
        param=_PARAMS.get(type(error)) or param or getattr(error, "param", None),
        event_id=event_id or getattr(error, "event_id", None),
    )
