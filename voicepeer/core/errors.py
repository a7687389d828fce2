"""One small tree of errors: the type says whose fault it is, the code goes on the wire."""

from __future__ import annotations

from typing import Literal, TypeAlias


class VoicePeerError(Exception):
    """Base of all errors that a user may see; ``code`` is stable, the message is for a person."""

    code = "internal"
    fatal = False


class PeerSentBadMessage(VoicePeerError):
    """The other side sent something that cannot be understood; the session goes on."""

    code = "bad_message"


class ProtocolUnsupported(VoicePeerError):
    """The client speaks a version of the protocol that is not known here."""

    code = "protocol_unsupported"
    fatal = True


class TextRejected(VoicePeerError):
    """The text is too long or belongs to no utterance; nothing of it is spoken."""

    code = "text_rejected"


class VoiceNotReady(VoicePeerError):
    """There is no voice to speak with yet."""

    code = "voice_not_ready"


class VoiceNotFound(VoicePeerError):
    """No saved voice has this id."""

    code = "voice_not_found"


class ConsentNotFound(VoicePeerError):
    """There is no consent with this id, or it is somebody else's, or it was withdrawn."""

    code = "consent_not_found"


class ConsentOfAnother(VoicePeerError):
    """Somebody else than the speaker has consented."""

    code = "consent_speaker"


AudioFault: TypeAlias = Literal[
    "unusable",
    "missing",
    "empty",
    "too_large",
    "unreadable",
    "no_audio",
    "sample_rate",
    "channels",
    "too_short",
    "silent",
    "not_numbers",
    "too_little_speech",
    "too_noisy",
    "clipped",
    "reverberant",
    "music",
    "several_speakers",
]
"""What is wrong with a recording, for programs."""


class AudioRejected(VoicePeerError):
    """A recording cannot be read or cloned from."""

    code = "audio_rejected"

    def __init__(self, message: str, fault: AudioFault = "unusable") -> None:
        super().__init__(message)
        self.fault: AudioFault = fault


class EngineFailed(VoicePeerError):
    """The engine could not finish the utterance; the next one may be tried."""

    code = "engine_failed"


class AtCapacity(VoicePeerError):
    """Too much is queued; try again later."""

    code = "at_capacity"


class NotPermitted(VoicePeerError):
    """The client's key or token does not have the right to ask for this."""

    code = "forbidden"


class RateLimited(VoicePeerError):
    """The client's key or address has asked for too much; the message says when to try again."""

    code = "rate_limited"


class ShuttingDown(VoicePeerError):
    """The service is about to stop and takes nothing new; another one may."""

    code = "shutting_down"


class ConfigInvalid(VoicePeerError):
    """A setting has the wrong name, type or range."""

    code = "config_invalid"


class CannotWrite(VoicePeerError):
    """A file cannot be written where the user wants it."""

    code = "cannot_write"
