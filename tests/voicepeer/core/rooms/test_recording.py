"""Who is recorded in a room: those who were asked and have agreed, for as long as they do."""

from __future__ import annotations

import pytest

from voicepeer.core.errors import NotPermitted, NotRecording, ParticipantNotFound
from voicepeer.core.rooms.room import Changed, Gone, Participant, RecordingChanged, Room, RoomEvent

pytestmark = pytest.mark.unit

CHAIR = Participant("chair", may_manage=True)
ADA = Participant("ada")


def recorded_by(events: list[RoomEvent]) -> list[tuple[str, ...]]:
    return [event.recorded for event in events if isinstance(event, RecordingChanged)]


@pytest.fixture
def room() -> Room:
    """A room with two in it, and a recording that was asked for."""
    room = Room()
    for one in (CHAIR, ADA):
        room.enter(one, 0.0)
    room.record("chair", "id")
    return room


def test_it_takes_the_right_to_manage() -> None:
    room = Room()
    room.enter(ADA, 0.0)
    refusal = "to record a room takes the right to manage"
    with pytest.raises(NotPermitted, match=refusal):
        room.record("ada", "id")
    with pytest.raises(NotPermitted, match=refusal):
        room.stop_recording("ada")
    assert room.recording is None


def test_nobody_is_recorded_before_they_agree_nor_whoever_asked_for_it(room: Room) -> None:
    assert room.recorded() == ()
    assert recorded_by(room.consent_recording("ada", True)) == [("ada",)]
    assert room.recording is not None
    answers = [room.recording.answer_of(one) for one in ("chair", "ada", "nobody")]
    assert answers == [None, True, None]


def test_asking_twice_changes_nothing(room: Room) -> None:
    assert room.record("chair", "another") == []
    assert room.recording is not None
    assert room.recording.recording_id == "id"
    room.consent_recording("ada", True)
    assert room.consent_recording("ada", True) == []


def test_whoever_no_longer_agrees_is_recorded_no_longer(room: Room) -> None:
    room.consent_recording("ada", True)
    assert recorded_by(room.consent_recording("ada", False)) == [()]
    assert recorded_by(room.consent_recording("ada", True)) == [("ada",)]


def test_it_ends_with_the_word_of_whoever_manages_and_answers_end_with_it(room: Room) -> None:
    room.consent_recording("ada", True)
    [ended] = room.stop_recording("chair")
    assert isinstance(ended, RecordingChanged)
    assert (ended.recorded, ended.end) == ((), "stopped")
    assert room.stop_recording("chair") == []
    room.record("chair", "next")
    assert room.recorded() == ()


def test_there_is_nothing_to_agree_to_without_a_recording(room: Room) -> None:
    room.stop_recording("chair")
    with pytest.raises(NotRecording):
        room.consent_recording("ada", True)
    with pytest.raises(ParticipantNotFound):
        room.consent_recording("nobody", True)


def test_whoever_goes_is_recorded_no_more_and_comes_back_as_agreed(room: Room) -> None:
    room.consent_recording("ada", True)
    gone = room.leave("ada")
    assert [type(event) for event in gone] == [Gone, RecordingChanged]
    assert recorded_by(gone) == [()]
    back = room.enter(ADA, 0.0)
    assert [type(event) for event in back] == [Changed, RecordingChanged]
    assert recorded_by(back) == [("ada",)]


def test_whoever_comes_anew_is_asked_also_as_the_same_user() -> None:
    room = Room()
    room.enter(Participant("old", user="k/u", may_manage=True), 0.0)
    room.record("old", "id")
    room.consent_recording("old", True)
    came = room.enter(Participant("new", user="k/u"), 0.0)
    assert recorded_by(came) == [()]
    assert room.recording is not None, "it goes on with whoever takes a place"
    assert room.recording.answer_of("new") is None


def test_the_last_one_to_go_ends_it(room: Room) -> None:
    room.leave("chair")
    [_, ended] = room.leave("ada")
    assert isinstance(ended, RecordingChanged)
    assert ended.end == "room_ended"
    assert room.recording is None


def test_an_end_of_the_room_ends_it(room: Room) -> None:
    ends = [event.end for event in room.end("chair") if isinstance(event, RecordingChanged)]
    assert ends == ["room_ended"]
