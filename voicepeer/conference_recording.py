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
from voicepeer.room_recorder import RoomRecorder

StartRecording: TypeAlias = Callable[[Participant, Callable[[RecordingEnd], None]], RoomRecorder]
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

    @property
    def possible(self) -> bool:
        """Whether rooms can be recorded here."""
        return self._start is not None

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
        """Record somebody from now on, or no more; raises as ``Room.consent_recording`` does.

        What there is of whoever does not agree is deleted, unless they let it stay (``keep``).
        """
        events = self._room.consent_recording(one, agrees)
        recorder, participant = self._recorder, self._room.participant(one)
        assert recorder is not None, "a recording has a recorder"
        if events and agrees:
            recorder.agreed(participant)
        self._carry_out(events)
        if not agrees:
            recorder.withdraw(participant, keep)
        if not events:
            self._tell_state(participant)

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
        for participant in self._room:
            news = _as_told(changed.recording, participant, changed.recorded, changed.end)
            self._tell(participant.participant_id, news)

    def _tell_state(self, participant: Participant) -> None:
        """Tell one of the recording that there is, or that there is none."""
        recording = self._room.recording
        if recording is None:
            news = RoomRecording(state="off", recording_id="")
        else:
            news = _as_told(recording, participant, self._room.recorded())
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
