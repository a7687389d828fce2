"""What clients and the service tell each other about a room; part of the schema in ``messages``."""

from __future__ import annotations

import msgspec

from voicepeer.core.envelope import Message
from voicepeer.core.rooms.recording import RecordingEnd, RecordingState
from voicepeer.core.rooms.room import Publishing, Reason

ParticipantId = str

# --- client to server -------------------------------------------------------------------------


class RoomJoin(Message, frozen=True, tag="room.join"):
    """Let those in the session's room hear you, and be told of them; answered with ``room.joined``.

    To hear them takes a second connection: another ``offer`` on ``/ws``, with ``connection`` set to
    ``room`` and as many audio sections as voices are to be heard at once.
    """

    publish: Publishing = "mic"
    """What they hear: your microphone, what your session says, or nothing."""
    name: str | None = None
    """Whom they see, in at most 64 characters; by default the name that the session has."""


class RoomLeave(Message, frozen=True, tag="room.leave"):
    """Leave the room; the session goes on. Answered with ``room.left``."""


class RoomPublish(Message, frozen=True, tag="room.publish"):
    """Let the others hear something else of you."""

    publish: Publishing


class RoomMute(Message, frozen=True, tag="room.mute"):
    """Let the others hear nothing of somebody, or hear them again.

    Without a ``participant`` it is yourself. Others can be muted with the right to manage, and
    only they can end it.
    """

    muted: bool
    participant: ParticipantId | None = None


class RoomKick(Message, frozen=True, tag="room.kick"):
    """Put somebody out of the room for a while, with the right to manage."""

    participant: ParticipantId


class RoomEnd(Message, frozen=True, tag="room.end"):
    """Put everybody out of the room, with the right to manage; they may come back at once."""


class RoomRecord(Message, frozen=True, tag="room.record"):
    """Have the room recorded, or no longer, with the right to manage.

    Everybody there is told and asked by ``room.recording``, you among them; whoever has not agreed
    is not recorded.
    """

    on: bool = True


class RoomConsentRecording(Message, frozen=True, tag="room.consent_recording"):
    """Say whether you may be recorded; told to all by ``room.recording``.

    You are recorded from this message on, or no longer from it on. What was recorded of you is
    deleted when you no longer agree, unless you let it stay.
    """

    agree: bool
    keep: bool = False
    """Whether what was recorded of you until now may stay; for when you no longer agree."""


class RoomWithdrawRecording(Message, frozen=True, tag="room.withdraw_recording"):
    """Have what was recorded of you deleted, also when the recording has ended.

    It is to agree no more; answered with ``room.recording_withdrawn``. You are the subject of your
    token, or without one the session, also after you have come back to it.
    """

    recording_id: str


RoomRequest = (
    RoomJoin
    | RoomLeave
    | RoomPublish
    | RoomMute
    | RoomKick
    | RoomEnd
    | RoomRecord
    | RoomConsentRecording
)

# --- server to client -------------------------------------------------------------------------


class RoomParticipant(msgspec.Struct, frozen=True, kw_only=True):
    """One who is in the room."""

    participant: ParticipantId
    name: str
    publish: Publishing
    muted: bool


class RoomSlot(msgspec.Struct, frozen=True, kw_only=True):
    """Whom you hear in one audio section of your connection to the room."""

    mid: str
    participant: ParticipantId | None


class RoomJoined(Message, frozen=True, tag="room.joined"):
    """You are in the room; ``room.roster`` tells who else is, if you may listen or manage."""

    participant: ParticipantId
    """Your own id there."""
    manages: bool = False
    """Whether you may mute and put out others."""
    records: bool = False
    """Whether you may have the room recorded, and the service can do that."""


class RoomRoster(Message, frozen=True, tag="room.roster"):
    """Participants who are new to you or have changed, yourself among them; the others stay."""

    participants: list[RoomParticipant]


class RoomGone(Message, frozen=True, tag="room.gone"):
    """Somebody is in the room no more."""

    participant: ParticipantId
    reason: Reason


class RoomSpeaking(Message, frozen=True, tag="room.speaking"):
    """Those who speak now; told whenever that changes."""

    participants: list[ParticipantId]


class RoomSlots(Message, frozen=True, tag="room.slots"):
    """Who is heard in which of your audio sections; told whenever that changes."""

    slots: list[RoomSlot]


class RoomLeft(Message, frozen=True, tag="room.left"):
    """You are in the room no more; the session goes on."""

    reason: Reason
    """``replaced`` is by a second participant of the same user."""


class RoomRecording(Message, frozen=True, tag="room.recording"):
    """Whether the room is recorded; told whenever that changes, and to whoever comes.

    Ask your user whether they agree while ``answer`` is ``null`` and the state is not ``off``, and
    let them see the state all the time. ``on`` is that somebody is recorded.
    """

    state: RecordingState
    recording_id: str
    by: ParticipantId | None = None
    """Who has asked for it, if you may know of others."""
    recorded: list[ParticipantId] = []
    """Who is recorded now; of the others, if you may know of them."""
    answer: bool | None = None
    """Your own answer; ``null`` as long as there is none."""
    reason: RecordingEnd | None = None
    """Why it has ended."""


class RoomRecordingWithdrawn(Message, frozen=True, tag="room.recording_withdrawn"):
    """What there was of you in a recording is deleted, and all that was mixed of it."""

    recording_id: str


RoomNews = (
    RoomJoined
    | RoomRoster
    | RoomGone
    | RoomSpeaking
    | RoomSlots
    | RoomLeft
    | RoomRecording
    | RoomRecordingWithdrawn
)
