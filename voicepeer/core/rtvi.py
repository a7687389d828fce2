"""RTVI's own messages: those that client libraries of Pipecat send and understand.

Names and fields are those of RTVI 2.1 as ``@pipecat-ai/client-js`` 1.13 types them; what we add
are optional fields, which other clients ignore.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import msgspec

from voicepeer.core.envelope import RTVI_VERSION, Native

SPOKEN_MAJORS: Final = frozenset({1, 2})
"""Protocol versions of clients that we can talk to; ``bot-output`` is for 2 and later."""

SpokenStatus: TypeAlias = Literal["new", "in-progress", "completed"]


# --- client to server -------------------------------------------------------------------------


class ClientReady(Native, frozen=True, tag="client-ready"):
    """The client has opened the channel; answered with ``bot-ready``, which has the same id.

    A client that knows our own ``utterance.*`` events turns off those of RTVI about speech
    (``bot-tts-*``, ``bot-*-speaking``, ``bot-output``, ``metrics``), which say the same again.
    """

    version: str | None = RTVI_VERSION
    """One that does not know its version is taken for one of ours."""
    about: dict[str, Any] | None = None
    """What the client is: ``library``, ``library_version``, ``platform``."""
    rtvi_events: bool = True


class SendTextOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How ``send-text`` is taken; the defaults are those of RTVI, also where there is ``null``."""

    run_immediately: bool | None = True
    """Interrupt what is being said, instead of waiting for its end."""
    audio_response: bool | None = True
    """Whether it is spoken at all; without, it only comes back as ``bot-output``."""


class SendText(Native, frozen=True, tag="send-text"):
    """Say this text as one utterance: there is no language model here that would answer it."""

    content: str
    options: SendTextOptions | None = None

    @property
    def interrupts(self) -> bool:
        """Whether it replaces what is being said."""
        return self.options is None or self.options.run_immediately is not False

    @property
    def is_spoken(self) -> bool:
        """Whether it is to be heard, and not only shown."""
        return self.options is None or self.options.audio_response is not False


class DisconnectBot(Native, frozen=True, tag="disconnect-bot"):
    """End the session; the client is told ``peerLeft`` before the connection closes."""


# --- server to client -------------------------------------------------------------------------


class BotReady(Native, frozen=True, tag="bot-ready"):
    """The session is up; says what the engine can do."""

    session_id: str
    engine: str
    provider: str
    precision: str
    languages: list[str]
    version: str = RTVI_VERSION
    about: dict[str, Any] = {}
    """What the service is: ``library`` and ``library_version``."""
    resumed: bool = False
    """This session goes on where one that was lost has ended."""
    utterances: list[str] = []
    """Ids of the utterances that go on, in their order."""
    controls: dict[str, list[float]] = {}
    """Least and largest value of each control that the engine has: ``speed`` and so on."""
    emotions: list[str] = []
    """What ``emotion`` may be."""


class UserStartedSpeaking(Native, frozen=True, tag="user-started-speaking"):
    """Somebody speaks into the microphone; sent where ``barge_in`` is on."""


class UserStoppedSpeaking(Native, frozen=True, tag="user-stopped-speaking"):
    """They are silent again."""


class BotInterrupted(Native, frozen=True, tag="bot-interrupted"):
    """What was being said was interrupted; ``utterance.cancelled`` told of each."""


class BotStartedSpeaking(Native, frozen=True, tag="bot-started-speaking"):
    """The first audible frame of an utterance was sent."""


class BotStoppedSpeaking(Native, frozen=True, tag="bot-stopped-speaking"):
    """An utterance that was heard is over, whether it came to its end or not."""


class BotTtsStarted(Native, frozen=True, tag="bot-tts-started"):
    """The engine begins with an utterance."""


class BotTtsText(Native, frozen=True, tag="bot-tts-text"):
    """A word that has just begun to be heard."""

    text: str


class BotTtsStopped(Native, frozen=True, tag="bot-tts-stopped"):
    """Nothing more comes of the utterance."""


class SpokenProgress(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a segment was heard, up to and including the word that has just begun."""

    accumulated_text: str
    remaining_text: str


class BotOutput(Native, frozen=True, tag="bot-output"):
    """A segment of what is said: a clause or a sentence, and how much of it was heard.

    It comes as ``new``, then with each word as ``in-progress``, and with the last as ``completed``.
    A segment that is cut short stays where it was.
    """

    text: str
    aggregated_by: str = "sentence"
    segment_id: int | None = None
    will_be_spoken: bool = True
    spoken_status: SpokenStatus | None = None
    spoken_progress: SpokenProgress | None = None


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of the engine with the name in ``processor``: seconds, or a number of characters."""

    processor: str
    value: float


class Metrics(Native, frozen=True, tag="metrics"):
    """Figures of one utterance: ``ttfb`` when it begins to be heard, the others at its end.

    ``ttfb`` is from the text to the first *audible* frame.
    """

    ttfb: list[Metric] | None = None
    processing: list[Metric] | None = None
    characters: list[Metric] | None = None


class BotAudioLevel(Native, frozen=True, tag="bot-audio-level"):
    """How loud the last 150 ms were that we sent: 0 to 1, which are -60 dBFS and full scale."""

    value: float


class UserAudioLevel(Native, frozen=True, tag="user-audio-level"):
    """How loud the last 150 ms of the microphone were, in the same way."""

    value: float


class ServerResponse(Native, frozen=True, tag="server-response"):
    """Answer to the ``client-message`` with the same id: it was done; ``t`` is its name.

    ``d`` has the fields of what answers it, where something does: of ``stats`` for ``stats.get``,
    of ``pong`` for ``ping``. A ``client-message`` without an id gets that as a ``server-message``.
    """

    t: str
    d: dict[str, Any] = {}


class ErrorResponse(Native, frozen=True, tag="error-response"):
    """Answer to the ``client-message`` with the same id: it was refused."""

    error: str
    code: str
    fatal: bool = False
    utterance_id: str | None = None


class Error(Native, frozen=True, tag="error"):
    """Something the client sent, or the session itself, is at fault.

    After a ``fatal`` one there is no point in going on. ``message`` says the same as ``error``, for
    clients of RTVI 1.
    """

    error: str
    code: str
    fatal: bool = False
    utterance_id: str | None = None
    message: str = ""

    def __post_init__(self) -> None:
        if not self.message:
            msgspec.structs.force_setattr(self, "message", self.error)


def major_of(version: str) -> int | None:
    """The first number of a protocol version such as ``2.1.0``; None where there is none."""
    first = version.partition(".")[0]
    return int(first) if first.isascii() and first.isdigit() and len(first) < 4 else None
