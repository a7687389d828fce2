"""One small tree of errors: the type says whose fault it is, the code goes on the wire."""

from __future__ import annotations

from typing import Literal, TypeAlias

from engines.api import (
    EngineBusy,
    EngineCrashed,
    LanguageUnsupported,
    PhonemesUnsupported,
    ReferenceRejected,
    VoiceIncompatible,
)


class VoicePeerError(Exception):
    """Base of all errors that a user may see; ``code`` is stable, the message is for a person.

    That person is whoever runs the program or the service: it may name files and settings.
    """

    code = "internal"
    fatal = False


class ClientError(VoicePeerError):
    """An error whose message is for clients, too: it is about what they have sent or may have."""


class PeerSentBadMessage(ClientError):
    """The other side sent something that cannot be understood; the session goes on."""

    code = "bad_message"


class ProtocolUnsupported(ClientError):
    """The client speaks a version of the protocol that is not known here."""

    code = "protocol_unsupported"
    fatal = True


class TextRejected(ClientError):
    """The text is too long or belongs to no utterance; nothing of it is spoken."""

    code = "text_rejected"


class TextTooLong(TextRejected):
    """The text is longer than one request may be, with numbers and signs as they are said."""

    code = "text_too_long"


class VoiceNotReady(ClientError):
    """There is no voice to speak with yet."""

    code = "voice_not_ready"


class VoiceNotFound(ClientError):
    """No saved voice has this id."""

    code = "voice_not_found"


class ConsentNotFound(ClientError):
    """There is no consent with this id, or it is somebody else's, or it was withdrawn."""

    code = "consent_not_found"


class ConsentWithdrawn(ConsentNotFound):
    """A voice comes as a file whose consent was withdrawn here."""

    code = "consent_withdrawn"


class ConsentOfAnother(ClientError):
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


class AudioRejected(ClientError):
    """A recording cannot be read or cloned from."""

    code = "audio_rejected"

    def __init__(self, message: str, fault: AudioFault = "unusable") -> None:
        super().__init__(message)
        self.fault: AudioFault = fault


class EngineFailed(ClientError):
    """The engine could not finish the utterance; the next one may be tried."""

    code = "engine_failed"


class AtCapacity(ClientError):
    """Too much is queued; try again later."""

    code = "at_capacity"


class NotPermitted(ClientError):
    """The client's key or token does not have the right to ask for this."""

    code = "forbidden"


class KeptOut(NotPermitted):
    """The client was put out of the room, and may not come back yet."""

    code = "kept_out"


class NotInRoom(ClientError):
    """The client asks for what is done in a room, and has not joined it."""

    code = "not_in_room"


class ParticipantNotFound(ClientError):
    """Nobody in the room has this id."""

    code = "participant_not_found"


class RecordingUnavailable(ClientError):
    """Rooms cannot be recorded here, or not now; the message says why."""

    code = "recording_unavailable"


class NotRecording(ClientError):
    """Somebody answers whether they may be recorded, and there is no recording."""

    code = "not_recording"


class NotRecorded(ClientError):
    """Nothing of the client is in a recording with this id."""

    code = "not_recorded"


class RecordedStill(ClientError):
    """The recording goes on, so that the room is the place to withdraw from it."""

    code = "recorded_still"


class RecordingNotFound(VoicePeerError):
    """No recording has this id, or it holds nothing that can be used."""

    code = "recording_not_found"


class RecordingGoesOn(RecordingNotFound):
    """Its tracks are not all there yet."""


class RateLimited(ClientError):
    """The client's key or address has asked for too much; the message says when to try again."""

    code = "rate_limited"


class ShuttingDown(ClientError):
    """The service is about to stop and takes nothing new; another one may."""

    code = "shutting_down"


class StoreUnavailable(ClientError):
    """Where voices are kept cannot be reached now; calls go on with what they have."""

    code = "store_unavailable"

    def __init__(self) -> None:
        super().__init__(
            "saved voices cannot be reached at present, which is not your fault: nothing was kept "
            "or changed, try again in a while"
        )


class ConfigInvalid(VoicePeerError):
    """A setting has the wrong name, type or range."""

    code = "config_invalid"


class CannotWrite(VoicePeerError):
    """A file cannot be written where the user wants it."""

    code = "cannot_write"


class RoomError(VoicePeerError):
    """A room of somebody else cannot be entered or stayed in; the message says whose fault it is.

    ``retryable`` is set where it may go away by itself, so that a bot that was in the room before
    tries again: the server is not there, or the room is full.
    """

    def __init__(self, code: str, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable


OUR_FAULT = "the service has failed, which is not your fault: its operator finds why in its log"

_FOR_CLIENTS = (
    ClientError,
    EngineBusy,
    EngineCrashed,
    LanguageUnsupported,
    PhonemesUnsupported,
    ReferenceRejected,
    VoiceIncompatible,
)


def is_for_clients(error: Exception) -> bool:
    """Whether a client may read the message of an error."""
    return isinstance(error, _FOR_CLIENTS)


def told(error: Exception) -> str:
    """What a client is told of an error, whatever it is: its message, or that it is our fault."""
    return str(error) if is_for_clients(error) else OUR_FAULT
