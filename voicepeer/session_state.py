"""What a session begins with: its settings, and what an earlier one of its client has left."""

from __future__ import annotations

from dataclasses import dataclass

from engines.api import Voice
from voicepeer.barge_in import BargeIn
from voicepeer.control import KnownClient
from voicepeer.core.listening.enrolment import EnrolmentSettings
from voicepeer.core.mixture import holds
from voicepeer.core.rooms.attendance import Attendance
from voicepeer.core.speaking.duration import MAX_AUDIO_S
from voicepeer.core.speaking.utterance import IDLE_S
from voicepeer.speech import Rest
from voicepeer.voices import KeptVoices

RESUMABLE = frozenset(
    {
        "channel_closed",
        "client_reads_nothing",
        "client_vanished",
        "connect_timeout",
        "connection_lost",
        "replaced",
        "signaling_lost",
    }
)
"""Reasons after which a client may come back and go on; all others are somebody's wish."""


@dataclass(frozen=True, slots=True)
class SessionState:
    """What goes over into the session of a client that was lost and came back."""

    voice: Voice | None
    voices: KeptVoices
    speaks_as_heard: bool
    barge_in: BargeIn
    rest: Rest
    client: KnownClient = KnownClient()
    may_stand_in: bool = True
    """Whether a voice of the engine may speak where there is no other."""
    attendance: Attendance = Attendance()
    """What it had of its room."""

    def has(self, voice_id: str) -> bool:
        """Whether it holds this voice."""
        begun = self.voices.begun.voice_id if self.voices.begun else None
        return holds(begun, voice_id) or is_said_in(self.rest, voice_id)


def is_said_in(rest: Rest, voice_id: str) -> bool:
    """Whether anything that was left to say was to be said in this voice."""
    named = {line.opening.voice_id for line in rest.lines}
    return any(holds(one, voice_id) for one in {*named, rest.voice_id})


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """How patient a session is, in seconds, and how much speech it wants."""

    connect_timeout_s: float = 10.0
    silence_timeout_s: float = 3.0
    """Of a client that used to ping: without any packet or message it has vanished."""
    max_audio_s: float = MAX_AUDIO_S
    """Of one utterance, as it is estimated."""
    idle_text_s: float = IDLE_S
    """Without more text for so long, a clause is spoken although it is not complete."""
    barge_in: BargeIn = BargeIn()
    """What a session begins with."""
    enrolment: EnrolmentSettings = EnrolmentSettings()
    similarity_share: float = 0.0
    """Of utterances that are compared with their speaker although no client asks, for metrics."""
