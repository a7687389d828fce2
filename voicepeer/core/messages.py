"""The data-channel schema: our own messages, and the unions of all that go either way.

The envelope is in ``envelope``, RTVI's own messages are in ``rtvi``, those about rooms in
``room_messages``; together these files are the
only place that knows the names on the wire.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import msgspec

from voicepeer.core.envelope import Envelope, Message, open_envelope, seal
from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.room_messages import (
    RoomConsentRecording,
    RoomEnd,
    RoomGone,
    RoomJoin,
    RoomJoined,
    RoomKick,
    RoomLeave,
    RoomLeft,
    RoomMute,
    RoomPublish,
    RoomRecord,
    RoomRecording,
    RoomRecordingWithdrawn,
    RoomRoster,
    RoomSlots,
    RoomSpeaking,
    RoomWithdrawRecording,
)
from voicepeer.core.rtvi import (
    BotAudioLevel,
    BotInterrupted,
    BotOutput,
    BotReady,
    BotStartedSpeaking,
    BotStoppedSpeaking,
    BotTtsStarted,
    BotTtsStopped,
    BotTtsText,
    ClientReady,
    DisconnectBot,
    Error,
    ErrorResponse,
    Metrics,
    SendText,
    ServerResponse,
    UserAudioLevel,
    UserStartedSpeaking,
    UserStoppedSpeaking,
)

UtteranceId: TypeAlias = str

# --- client to server -------------------------------------------------------------------------


class _Delivered(Message, frozen=True, kw_only=True):
    """How an utterance shall be spoken; ``None`` is as the session was told last."""

    language: str | None = None
    voice_id: str | None = None
    priority: int = 0
    speed: float | None = None
    pitch_semitones: float | None = None
    pitch: float | None = None
    energy: float | None = None
    volume: float | None = None
    pauses: float | None = None
    emotion: str | None = None
    emotion_strength: float | None = None
    ssml: bool = False
    visemes: bool = False
    captions: bool = False


class Speak(_Delivered, frozen=True, kw_only=True, tag="utterance.speak"):
    """Say a whole text as one utterance.

    ``priority`` 1 to 9 goes before all that is less urgent and not heard yet. ``pitch`` is
    ``pitch_semitones`` on a scale from -0.5 to 0.5. Values that are left out are those of the last
    ``controls.set``. ``language`` may be ``auto``. With ``ssml`` the text is markup; what offsets
    count in is the text without it. ``visemes`` and ``captions`` ask for these events.
    """

    utterance_id: UtteranceId
    text: str
    interrupt: bool = False


class Append(_Delivered, frozen=True, kw_only=True, tag="utterance.append"):
    """Add text to an utterance, opening it if it is new. Spoken as soon as a clause is complete.

    How it is delivered is settled by the message that opens it.
    """

    utterance_id: UtteranceId
    text: str
    interrupt: bool = False


class SetControls(Message, frozen=True, tag="controls.set"):
    """Speak differently from now on: one utterance, or with ``"*"`` all, later ones too.

    The volume changes with the next frame, the rest with the next piece that is made.
    """

    utterance_id: UtteranceId = "*"
    speed: float | None = None
    pitch_semitones: float | None = None
    pitch: float | None = None
    energy: float | None = None
    volume: float | None = None
    pauses: float | None = None
    emotion: str | None = None
    emotion_strength: float | None = None


class Flush(Message, frozen=True, tag="utterance.flush"):
    """Say what has been appended so far without waiting for the clause to end."""

    utterance_id: UtteranceId


class End(Message, frozen=True, tag="utterance.end"):
    """No more text will be appended."""

    utterance_id: UtteranceId


class Cancel(Message, frozen=True, tag="utterance.cancel"):
    """Fall silent: one utterance, or all of them with ``"*"``."""

    utterance_id: UtteranceId = "*"


class SetLexicon(Message, frozen=True, tag="lexicon.set"):
    """Words to be said in another way, in place of those set before; for utterances that follow.

    A value between slashes is IPA, any other a spelling. A word in small letters counts in any
    case. With ``voice_id`` they hold for that voice only, over those of the session.
    """

    words: dict[str, str]
    voice_id: str | None = None


class EnrolStart(Message, frozen=True, tag="enrol.start"):
    """Begin to learn the speaker of the microphone track, who has to agree to that.

    ``consent`` is their statement, ``consent_version`` which wording of yours it is. Or
    ``consent_id`` names a consent that was recorded over HTTP; if it was spoken, its speaker must
    be the one who is learned. With ``match_channel`` the voice sounds like the recording, its
    microphone and line included; without it, as the service is set up.
    """

    consent: str = ""
    name: str | None = None
    consent_id: str | None = None
    consent_version: int = 1
    match_channel: bool | None = None


class EnrolStop(Message, frozen=True, tag="enrol.stop"):
    """Stop learning; the voice stays as it is."""


class VoiceUse(Message, frozen=True, tag="voice.use"):
    """Speak with a saved or stock voice from the next utterance on."""

    voice_id: str


class VoiceMix(Message, frozen=True, tag="voice.mix"):
    """Speak with a mix of voices from the next utterance on; answered with ``voice.selected``.

    ``weights`` maps ids of voices to weights over 0. The id of the mix in the answer can be used
    wherever one of a voice can; a mix ends when one of its voices is deleted.
    """

    weights: dict[str, float]


class VoiceSave(Message, frozen=True, tag="voice.save"):
    """Keep the voice of this call after the call."""

    name: str


class StatsGet(Message, frozen=True, tag="stats.get"):
    """Ask for the session's counters; answered with ``stats``."""


class SessionConfigure(Message, frozen=True, tag="session.configure"):
    """Change settings of this session; what is absent stays. Answered with ``session.configured``.

    With ``barge_in`` whoever speaks into the microphone interrupts what is being said, after
    ``barge_in_min_ms`` (100 to 5000) of speech that is not our own echo.
    """

    barge_in: bool | None = None
    barge_in_min_ms: float | None = None
    audio_levels: bool | None = None
    """Send ``bot-audio-level`` and ``user-audio-level`` about seven times a second."""
    similarity: bool | None = None
    """Send ``utterance.similarity`` after utterances in the voice that was learned in the call."""


class Ping(Message, frozen=True, tag="ping"):
    """Answered with ``pong``, and lets both sides notice a dead peer: send one every second."""

    sent_ms: float = 0.0


ClientMessage: TypeAlias = (
    ClientReady
    | SendText
    | DisconnectBot
    | Speak
    | Append
    | Flush
    | End
    | Cancel
    | SetControls
    | SetLexicon
    | EnrolStart
    | EnrolStop
    | VoiceUse
    | VoiceMix
    | VoiceSave
    | StatsGet
    | SessionConfigure
    | RoomJoin
    | RoomLeave
    | RoomPublish
    | RoomMute
    | RoomKick
    | RoomEnd
    | RoomRecord
    | RoomConsentRecording
    | RoomWithdrawRecording
    | Ping
)

# --- server to client -------------------------------------------------------------------------


class VoiceProgress(Message, frozen=True, tag="voice.progress"):
    """How enrolment is going; ``quality`` is 0 to 1, ``hint`` is for a person."""

    heard_s: float
    needed_s: float
    score: float
    quality: float
    snr_db: float | None = None
    hint: str | None = None
    hint_code: str | None = None
    """The same for programs: ``too_quiet``, ``noisy``, ``clipping``, ``muffled``, ``own_voice``,
    ``no_speech``, ``muted`` or ``several_speakers``."""


class VoiceUsable(Message, frozen=True, tag="voice.usable"):
    """The voice can be spoken with; it will still get better."""

    voice_id: str
    heard_s: float
    score: float
    quality: float
    elapsed_ms: float
    """From the first speech heard to this event."""


class VoiceReady(Message, frozen=True, tag="voice.ready"):
    """The voice is as good as the needed seconds of speech make it."""

    voice_id: str
    heard_s: float
    score: float
    quality: float
    elapsed_ms: float
    clone_ms: float
    """From the last needed sample of speech to this event."""


class VoiceRefined(Message, frozen=True, tag="voice.refined"):
    """The voice has become more like its speaker; later utterances are spoken with it.

    It was judged by a part of the speech that the search for it had not seen. ``count`` says how
    often that has happened to this voice.
    """

    voice_id: str
    count: int


class VoiceRejected(Message, frozen=True, tag="voice.rejected"):
    """The microphone gave nothing to clone from; the message says what to change."""

    message: str
    code: str = ""
    """A ``hint_code``, ``reference_rejected``, ``engine_failed`` or one about the consent."""


class VoiceSelected(Message, frozen=True, tag="voice.selected"):
    """The voice that the next utterance will be spoken with."""

    voice_id: str
    name: str


class VoiceSaved(Message, frozen=True, tag="voice.saved"):
    """The voice of this call now outlives it."""

    voice_id: str
    name: str


class Accepted(Message, frozen=True, tag="utterance.accepted"):
    """The utterance is queued, ``queued`` utterances are before it."""

    utterance_id: UtteranceId
    queued: int


class Started(Message, frozen=True, tag="utterance.started"):
    """The first audible frame of the utterance was sent."""

    utterance_id: UtteranceId
    latency_ms: float
    """From the text's arrival to this frame."""


class Word(Message, frozen=True, tag="utterance.word"):
    """A word that has just begun to be heard; times from the utterance's first frame."""

    utterance_id: UtteranceId
    text: str
    start_ms: float
    end_ms: float
    char_start: int
    char_end: int


class Viseme(Message, frozen=True, tag="utterance.viseme"):
    """A sound that has just begun to be heard, for lips: the mouth's shape and the sound in IPA.

    ``viseme`` is one of ``sil PP FF TH DD kk CH SS nn RR aa E ih oh ou``.
    """

    utterance_id: UtteranceId
    viseme: str
    ipa: str
    start_ms: float
    end_ms: float


class Caption(Message, frozen=True, tag="utterance.caption"):
    """A caption that has just begun to be heard: what was written, in one or two lines.

    It stands until the next one, or until the utterance is over.
    """

    utterance_id: UtteranceId
    text: str
    start_ms: float
    char_start: int
    char_end: int


class LexiconSet(Message, frozen=True, tag="lexicon.accepted"):
    """The words were taken; ``entries`` of them."""

    entries: int
    voice_id: str | None = None


class Done(Message, frozen=True, tag="utterance.done"):
    """All of the utterance was sent. ``audio_ms`` is 0 where there was nothing to say."""

    utterance_id: UtteranceId
    audio_ms: float
    first_audible_ms: float | None
    rtf: float | None
    underruns: int


class Cancelled(Message, frozen=True, tag="utterance.cancelled"):
    """The utterance ended early; ``played_ms`` of it were sent."""

    utterance_id: UtteranceId
    played_ms: float


class Failed(Message, frozen=True, tag="utterance.failed"):
    """The utterance could not be (wholly) spoken; ``retryable`` says whether to send it again."""

    utterance_id: UtteranceId
    code: str
    message: str
    played_ms: float
    retryable: bool


class Similarity(Message, frozen=True, tag="utterance.similarity"):
    """How like its speaker an utterance was; comes after its end, when nothing is being said.

    ``cosine`` is between speaker embeddings: of up to ten seconds of what was sent, and of the
    speech that the voice was learned from, which it was made to be like: against other speech of
    the same person it would be lower.
    """

    utterance_id: UtteranceId
    cosine: float


class SessionConfigured(Message, frozen=True, tag="session.configured"):
    """The session's settings, as they are now."""

    barge_in: bool
    barge_in_min_ms: float
    audio_levels: bool = False
    similarity: bool = False


class SessionEnding(Message, frozen=True, tag="session.ending"):
    """The session will end soon: what is being said may end, new text is refused."""

    reason: str
    """``shutting_down``."""
    within_s: float


class ServiceStatus(Message, frozen=True, tag="service.status"):
    """The service has too much to do and makes do with less, or with other things than before.

    Sent when that changes, and to whoever joins meanwhile. ``step`` is how much, 0 being nothing;
    ``steps`` are some of ``short_first_piece``, ``light_listening``, ``fewer_utterances`` and
    ``no_new_sessions``.
    """

    step: int
    steps: list[str]


class Stats(Message, frozen=True, tag="stats"):
    """Counters of the session so far."""

    frames_sent: int
    underruns: int
    stale_dropped: int
    mic_frames: int
    mic_frames_lost: int
    mic_frames_concealed: int
    lead_ms: float
    utterances: int
    chunks_repaired: int = 0
    """Of speech, with samples that were no numbers or out of range."""
    frames_skipped: int = 0
    """Not sent because the service stood still for longer than can be caught up with."""
    frames_failed: int = 0
    """That could not be encoded; silence was sent."""
    bitrate_bps: int = 0
    """What speech is encoded with at present; follows your receiver reports."""
    loss_expected_percent: int = 0
    """What its forward error correction is made for."""


class Pong(Message, frozen=True, tag="pong"):
    """Answer to ``ping`` with the same ``sent_ms``."""

    sent_ms: float = 0.0


ServerMessage: TypeAlias = (
    BotReady
    | VoiceProgress
    | VoiceUsable
    | VoiceReady
    | VoiceRefined
    | VoiceRejected
    | VoiceSelected
    | VoiceSaved
    | Accepted
    | Started
    | Word
    | Viseme
    | Caption
    | LexiconSet
    | Done
    | Cancelled
    | Failed
    | Similarity
    | SessionConfigured
    | SessionEnding
    | ServiceStatus
    | RoomJoined
    | RoomRoster
    | RoomGone
    | RoomSpeaking
    | RoomSlots
    | RoomLeft
    | RoomRecording
    | RoomRecordingWithdrawn
    | UserStartedSpeaking
    | UserStoppedSpeaking
    | BotInterrupted
    | BotStartedSpeaking
    | BotStoppedSpeaking
    | BotTtsStarted
    | BotTtsText
    | BotTtsStopped
    | BotOutput
    | Metrics
    | BotAudioLevel
    | UserAudioLevel
    | ServerResponse
    | ErrorResponse
    | Error
    | Stats
    | Pong
)

AnswerT = TypeVar("AnswerT", bound=ServerMessage)


def _tags(union: Any) -> dict[str, type[Any]]:  # noqa: ANN401 - a typing union has no better type
    return {str(cls.__struct_config__.tag): cls for cls in union.__args__}


_CLIENT_TAGS = _tags(ClientMessage)
_SERVER_TAGS = _tags(ServerMessage)
_FROM_CLIENT = "client-message"
_FROM_SERVER = "server-message"


def encode_server(message: ServerMessage, request_id: str = "") -> str:
    """JSON text of a message to a client; ``request_id`` is of the message that it answers."""
    return seal(message, _FROM_SERVER, request_id)


def encode_client(message: ClientMessage, request_id: str = "") -> str:
    """JSON text of a message to the service, which answers one with an id under the same."""
    return seal(message, _FROM_CLIENT, request_id)


def open_client(data: str | bytes) -> Envelope:
    """Take a client's message out of its envelope, to be read with ``read_client``.

    Raises:
        PeerSentBadMessage: too large, not JSON or not RTVI.
    """
    return open_envelope(data, _FROM_CLIENT)


def read_client(envelope: Envelope) -> ClientMessage:
    """What is in a client's envelope.

    Raises:
        PeerSentBadMessage: of an unknown type or with wrong fields.
    """
    message: ClientMessage = envelope.read(_CLIENT_TAGS)
    return message


def decode_client(data: str | bytes) -> ClientMessage:
    """Read a message from a client; raises like ``open_client`` and ``read_client``."""
    return read_client(open_client(data))


def open_server(data: str | bytes) -> Envelope:
    """Take a message of the service out of its envelope; raises like ``open_client``."""
    return open_envelope(data, _FROM_SERVER)


def read_server(envelope: Envelope) -> ServerMessage:
    """What is in an envelope of the service; raises like ``read_client``."""
    message: ServerMessage = envelope.read(_SERVER_TAGS)
    return message


def decode_server(data: str | bytes) -> ServerMessage:
    """Read a message from the service; raises like ``decode_client``."""
    return read_server(open_server(data))


def read_answer(response: ServerResponse, kind: type[AnswerT]) -> AnswerT:
    """What a response answers with, for whoever knows its type; raises like ``read_client``."""
    try:
        return msgspec.convert({**response.d, "t": kind.__struct_config__.tag}, kind)
    except msgspec.ValidationError as error:
        raise PeerSentBadMessage(f"{response.t} was answered with something else") from error
