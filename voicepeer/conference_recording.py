"""What of a conference is recorded: asks and tells those in it, and has the recorder do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from voicepeer.core.errors import RecordingUnavailable
from voicepeer.core.messages import Caption, Word
from voicepeer.core.room_messages import RoomNews, RoomRecording
from voicepeer.core.rooms.recording import Recording, RecordingEnd, RecordingState
from voicepeer.core.rooms.room import Participant, RecordingChanged, Room, RoomEvent
from voicepeer.forwarding import Publication
from voicepeer.room_recorder import Ended, RoomRecorder

StartRecording: TypeAlias = Callable[[Participant, Ended], RoomRecorder]
"""Takes who has asked for it, and who is to be told when it cannot go on."""


class ConferenceRecording:
    """The part of a conference that has to do with its recording.

    Args:
        room: of the conference.
        start: begins one; ``None`` where none can be made.
        carry_out: does what has come of something in the room.
        tell: tells one of the participants.
        publication: what one of them sends.
    """

    def __init__(
        self,
        room: Room,
        start: StartRecording | None,
        carry_out: Callable[[Sequence[RoomEvent]], None],
        tell: Callable[[str, RoomNews], None],
        publication: Callable[[str], Publication],
    ) -> None:
        self._room = room
        self._start = start
        self._carry_out = carry_out
        self._tell = tell
        self._publication = publication
        self._recorder: RoomRecorder | None = None
        self._told: dict[str, RoomRecording] = {}
        """What each of those in the room was told last."""

    @property
    def possible(self) -> bool:
        """Whether rooms can be recorded here."""
        return self._start is not None

    @property
    def recording_id(self) -> str | None:
        """Of the recording that goes on or is asked for, if there is one."""
        return None if self._room.recording is None else self._room.recording.recording_id

    def introduce(self, newcomer: Participant) -> None:
        """Tell somebody of the recording, if there is one."""
        if self._room.recording is not None:
            self._tell_state(newcomer)

    def record(self, by: str, on: bool) -> None:
        """Ask all for a recording, or end it; whoever asks is told of it in any case.

        Raises:
            RecordingUnavailable: nothing can be recorded here, or not now.
            NotPermitted: as ``Room.may_record`` says.
        """
        self._room.may_record(by)
        if not on:
            events = self._room.stop_recording(by)
        elif self._room.recording is None:
            events = self._begin(by)
        else:
            events = []
        self._carry_out(events)
        if not events:
            self._tell_state(self._room.participant(by))

    def _begin(self, by: str) -> list[RoomEvent]:
        if self._start is None:
            raise RecordingUnavailable(
                "this service records nothing: whoever runs it has to name a folder for that "
                "(recording.folder)"
            )
        recorder = self._start(
            self._room.participant(by), lambda reason: self._end(recorder, reason)
        )
        self._recorder = recorder
        return self._room.record(by, recorder.recording_id)

    def _end(self, recorder: RoomRecorder, reason: RecordingEnd) -> None:
        """It cannot go on; one that has ended already is not the one of now."""
        if recorder is self._recorder:
            self._carry_out(self._room.end_recording(reason))

    def consent(self, one: str, agrees: bool, keep: bool) -> None:
        """Record somebody from now on, or no more; what there is of them goes as by ``withdraw``.

        Raises:
            RecordingUnavailable: they have begun too many tracks.
            NotRecording, ParticipantNotFound: as ``Room.consent_recording`` says.
        """
        participant = self._room.participant(one)
        if agrees:
            changed = self._agree(participant)
        else:
            events = self._room.consent_recording(one, False)
            changed = self._withdraw(participant, keep, events)
        if not changed:
            self._tell_state(participant)

    def _agree(self, participant: Participant) -> bool:
        if self._recorder is not None and not self._recorder.has_place_for(participant):
            raise RecordingUnavailable(
                "you have begun and ended to be recorded too often: you are not in the rest of "
                "this recording"
            )
        events = self._room.consent_recording(participant.participant_id, True)
        if events and self._recorder is not None:
            self._recorder.agreed(participant)
        self._carry_out(events)
        return bool(events)

    def withdraw(self, absent: Participant, keep: bool) -> None:
        """Record a person no more who is out of the room, whoever they have been in it.

        What there is of them is deleted, unless they let it stay (``keep``).

        Raises:
            NotRecording: there is no recording, or it has ended.
        """
        self._withdraw(absent, keep, self._room.withdraw_recording(absent.person))

    def _withdraw(self, participant: Participant, keep: bool, events: Sequence[RoomEvent]) -> bool:
        recorder = self._recorder
        assert recorder is not None, "a recording has a recorder"
        self._carry_out(events)
        deleted = not keep and recorder.delete(participant)
        if events or deleted:
            recorder.withdrawn(participant, keep)
        return bool(events) or deleted

    def piece(self, one: str, piece: Caption) -> None:
        """Take a piece of text that somebody's session says next."""
        if self._recorder is not None:
            self._recorder.piece(one, piece)

    def word(self, one: str, word: Word) -> None:
        """Take a word that somebody's session says now; it counts if the room hears it."""
        if self._recorder is None:
            return
        participant = self._room.participant(one)
        if participant.publishing == "voice" and participant.heard:
            self._recorder.word(one, word)

    def follow(self, changed: RecordingChanged) -> None:
        """Have the recorder do what was decided, and tell all of it."""
        recorder = self._recorder
        assert recorder is not None, "a recording has a recorder"
        recorder.follow(
            {one: (self._room.participant(one), self._publication(one)) for one in changed.recorded}
        )
        if changed.end is not None:
            self._recorder = None
            recorder.end(changed.end)
        heard = self._heard(changed.recorded)
        before, self._told = self._told, {}
        for participant in self._room:
            one = participant.participant_id
            news = _as_told(changed.recording, participant, heard, changed.end)
            self._told[one] = news
            if news != before.get(one):
                self._tell(one, news)

    def _heard(self, recorded: Sequence[str]) -> list[str]:
        """Of those who have agreed, the ones whom there is anything of."""
        return [one for one in recorded if self._room.participant(one).publishes]

    def _tell_state(self, participant: Participant) -> None:
        """Tell one of the recording that there is, or that there is none."""
        recording = self._room.recording
        if recording is None:
            news = RoomRecording(state="off", recording_id="")
        else:
            news = _as_told(recording, participant, self._heard(self._room.recorded()))
        self._told[participant.participant_id] = news
        self._tell(participant.participant_id, news)


def _as_told(
    recording: Recording,
    participant: Participant,
    recorded: Sequence[str],
    end: RecordingEnd | None = None,
) -> RoomRecording:
    """A recording as one of those in the room may know it."""
    state: RecordingState = "off" if end else "on" if recorded else "asked"
    one, sees_others = participant.participant_id, participant.sees_others
    return RoomRecording(
        state=state,
        recording_id=recording.recording_id,
        by=recording.by if sees_others else None,
        recorded=[other for other in recorded if sees_others or other == one],
        answer=recording.answer_of(one),
        reason=end,
    )
