"""A room as those in it see it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from voicepeer.core.errors import NotPermitted, NotRecording, ParticipantNotFound
from voicepeer.core.rooms.room import (
    Changed,
    Gone,
    Participant,
    Publishing,
    RecordingChanged,
    Room,
    RoomEvent,
    Speaking,
)

pytestmark = pytest.mark.unit

ADA = Participant("ada", name="Ada")
BOB = Participant("bob", name="Bob")
CHAIR = Participant("chair", may_manage=True)


def room_of(*participants: Participant) -> Room:
    room = Room()
    for one in participants:
        room.enter(one, 0.0)
    return room


def ids(room: Room) -> list[str]:
    return [one.participant_id for one in room]


def talk(room: Room, who: str, begin: float = 0.0, packets: int = 3) -> list[RoomEvent]:
    """Loud packets, 20 ms apart."""
    return [
        event
        for n in range(packets)
        for event in room.push_level(who, -20.0, 0.02, begin + n * 0.02)
    ]


# --- coming and going -------------------------------------------------------------------------


def test_whoever_enters_is_told_of() -> None:
    room = Room()
    assert room.enter(ADA, 0.0) == [Changed(ADA)]
    assert room.enter(BOB, 0.0) == [Changed(BOB)]
    assert (ids(room), len(room), "ada" in room) == (["ada", "bob"], 2, True)
    assert room.participant("ada") == ADA


def test_whoever_leaves_is_gone_once() -> None:
    room = room_of(ADA, BOB)
    assert room.leave("ada") == [Gone(ADA, "left")]
    assert room.leave("ada") == []
    assert ids(room) == ["bob"]
    with pytest.raises(ParticipantNotFound):
        room.participant("ada")


def test_the_same_user_is_there_once() -> None:
    first, second = Participant("1", user="k/ada"), Participant("2", user="k/ada")
    room = room_of(first, BOB)
    assert room.enter(second, 0.0) == [Gone(first, "replaced"), Changed(second)]
    assert ids(room) == ["bob", "2"]


def test_users_who_are_not_known_are_all_different() -> None:
    assert ids(room_of(ADA, BOB, Participant("c"))) == ["ada", "bob", "c"]


def test_who_may_not_publish_can_only_listen() -> None:
    guest = Participant("guest", publishing="nothing", may_publish=False)
    room = room_of(ADA, guest)
    with pytest.raises(NotPermitted):
        room.publish("guest", "mic")
    with pytest.raises(NotPermitted):
        room.enter(Participant("other", publishing="voice", may_publish=False), 0.0)
    assert ids(room) == ["ada", "guest"]
    assert [one.participant_id for one in room.sources()] == ["ada"]


# --- what a manager may do --------------------------------------------------------------------

MANAGING: list[Callable[[Room, str], list[RoomEvent]]] = [
    lambda room, by: room.kick(by, "bob", 0.0),
    lambda room, by: room.mute(by, "bob", True),
    lambda room, by: room.end(by),
]


@pytest.mark.parametrize("act", MANAGING)
def test_only_a_manager_decides_over_others(act: Callable[[Room, str], list[RoomEvent]]) -> None:
    room = room_of(ADA, BOB, CHAIR)
    with pytest.raises(NotPermitted):
        act(room, "ada")
    assert list(room) == [ADA, BOB, CHAIR]
    assert act(room, "chair")


@pytest.mark.parametrize("act", MANAGING)
def test_nobody_decides_from_outside(act: Callable[[Room, str], list[RoomEvent]]) -> None:
    room = room_of(ADA, BOB)
    with pytest.raises(ParticipantNotFound):
        act(room, "chair")


def test_a_kick_puts_out_one_and_an_end_all() -> None:
    room = room_of(ADA, BOB, CHAIR)
    assert room.kick("chair", "bob", 0.0) == [Gone(BOB, "kicked")]
    with pytest.raises(ParticipantNotFound):
        room.kick("chair", "bob", 0.0)
    assert room.end("chair") == [Gone(ADA, "room_ended"), Gone(CHAIR, "room_ended")]
    assert len(room) == 0


@pytest.mark.parametrize(
    ("kicked", "comes"),
    [
        (Participant("1", name="Bob", user="k/bob"), Participant("2", name="Eve", user="k/bob")),
        (Participant("1", name="Bob"), Participant("2", name="Bob")),
        (Participant("1", session="s"), Participant("2", session="s")),
        (Participant("1", name="Bob", session="s"), Participant("2", name="Eve", session="s")),
    ],
    ids=["user", "name", "session", "session with another name"],
)
def test_who_was_put_out_is_kept_out_for_a_while(kicked: Participant, comes: Participant) -> None:
    room = room_of(CHAIR, kicked)
    room.kick("chair", "1", 100.0)
    for now, left_s in ((100.0, 60), (159.5, 1)):
        with pytest.raises(NotPermitted, match=f"join it again in {left_s} s"):
            room.enter(comes, now)
    assert room.enter(comes, 160.0) == [Changed(comes)]


@pytest.mark.parametrize(
    ("kicked", "comes"),
    [
        (Participant("1", name="Bob", user="k/bob"), Participant("2", name="Bob", user="k/eve")),
        (Participant("1", name="Bob", user="k/bob"), Participant("2", name="Bob")),
        (Participant("1"), Participant("2")),
        (Participant("1", session="s"), Participant("2", session="t")),
    ],
    ids=["another user", "somebody unknown", "nobody", "another session"],
)
def test_nobody_else_is_kept_out(kicked: Participant, comes: Participant) -> None:
    room = room_of(CHAIR, kicked)
    room.kick("chair", "1", 100.0)
    assert room.enter(comes, 100.0) == [Changed(comes)]


def test_after_an_end_all_may_come_back() -> None:
    room = room_of(BOB, CHAIR)
    room.end("chair")
    assert room.enter(BOB, 0.0) == [Changed(BOB)]


@pytest.mark.parametrize(
    ("one", "sees"),
    [
        (Participant("a", may_listen=False), False),
        (Participant("a", may_listen=False, may_manage=True), True),
        (Participant("a", may_publish=False), True),
    ],
)
def test_who_may_not_listen_sees_nobody_unless_they_manage(one: Participant, sees: bool) -> None:
    assert one.sees_others is sees


# --- muting -----------------------------------------------------------------------------------


def test_a_manager_can_mute_but_not_unmute() -> None:
    room = room_of(ADA, CHAIR)
    muted = Participant("ada", name="Ada", muted=True)
    assert room.mute("chair", "ada", True) == [Changed(muted)]
    assert room.mute("chair", "ada", True) == []
    with pytest.raises(NotPermitted):
        room.mute("chair", "ada", False)
    assert room.mute("ada", "ada", False) == [Changed(ADA)]


def test_one_who_is_muted_speaks_no_more_and_is_no_source() -> None:
    room = room_of(ADA, BOB)
    assert talk(room, "ada") == [Speaking(("ada",))]
    [changed, speaking] = room.mute("ada", "ada", True)
    assert isinstance(changed, Changed)
    assert speaking == Speaking(())
    assert talk(room, "ada", 1.0) == []
    assert [one.participant_id for one in room.sources()] == ["bob"]


def test_what_is_published_can_change() -> None:
    room = room_of(ADA)
    assert room.publish("ada", "voice") == [Changed(Participant("ada", "Ada", publishing="voice"))]
    assert room.publish("ada", "voice") == []
    with pytest.raises(ParticipantNotFound):
        room.publish("bob", "voice")


# --- speaking ---------------------------------------------------------------------------------


def test_those_who_speak_are_named_in_the_order_of_their_coming() -> None:
    room = room_of(ADA, BOB)
    assert talk(room, "bob") == [Speaking(("bob",))]
    assert talk(room, "ada", 0.1) == [Speaking(("ada", "bob"))]
    assert room.leave("bob") == [Gone(BOB, "left"), Speaking(("ada",))]


def test_speech_ends_by_time_alone() -> None:
    room = room_of(ADA)
    assert room.next_deadline() is None
    talk(room, "ada")
    deadline = room.next_deadline()
    assert deadline is not None
    assert room.tick(deadline - 0.01) == []
    assert room.tick(deadline) == [Speaking(())]
    assert room.next_deadline() is None


def test_levels_of_strangers_count_nothing() -> None:
    room = room_of(ADA)
    assert talk(room, "stranger") == []


def test_sources_are_told_with_when_they_spoke_last() -> None:
    room = room_of(ADA, BOB, Participant("c", publishing="voice"))
    talk(room, "bob")
    assert [one.participant_id for one in room.sources()] == ["ada", "bob", "c"]
    [bob] = [one for one in room.sources() if one.participant_id == "bob"]
    assert bob.speaking
    assert bob.spoke_at == pytest.approx(0.04)


# --- tokens -----------------------------------------------------------------------------------


def test_a_token_ends_in_mid_call() -> None:
    guest = Participant("guest", expires_at=10.0)
    room = room_of(ADA, guest)
    talk(room, "guest", 9.5)
    assert room.tick(9.99) == []
    assert room.tick(10.0) == [Gone(guest, "token_expired"), Speaking(())]
    assert ids(room) == ["ada"]


@pytest.mark.parametrize("now", [10.0, 10.01, 99.0])
def test_who_has_an_expired_token_does_not_come_in(now: float) -> None:
    room = room_of(ADA)
    guest = Participant("guest", user="k/guest", expires_at=10.0)
    with pytest.raises(NotPermitted, match="connect again with a new one"):
        room.enter(guest, now)
    assert ids(room) == ["ada"]
    assert room.enter(guest, 9.99) == [Changed(guest)]
    with pytest.raises(NotPermitted):
        room.enter(replace(guest, participant_id="again"), now)
    assert ids(room) == ["ada", "guest"], "who is there is not replaced by who may not come in"


def test_a_new_token_counts_in_place_of_the_old_one() -> None:
    room = room_of(Participant("guest", expires_at=10.0))
    room.renew("guest", 20.0)
    assert (room.tick(10.0), room.next_deadline()) == ([], 20.0)
    room.renew("guest", None)
    assert (room.tick(20.0), room.next_deadline()) == ([], None)
    room.renew("guest", 15.0)
    assert room.tick(20.0) == [Gone(Participant("guest", expires_at=15.0), "token_expired")]
    with pytest.raises(ParticipantNotFound):
        room.renew("guest", 30.0)


def test_the_next_deadline_is_the_first_of_all() -> None:
    room = room_of(Participant("a", expires_at=9.0), Participant("b", expires_at=5.0), ADA)
    assert room.next_deadline() == 5.0
    room.tick(5.0)
    assert room.next_deadline() == 9.0


# --- whatever happens -------------------------------------------------------------------------

NAMES = st.sampled_from([f"p{n}" for n in range(6)])
PUBLISHINGS: list[Publishing] = ["mic", "voice", "nothing"]


class AnyRoom(RuleBasedStateMachine):
    """Keeps a roster from events alone, as a client does, and compares."""

    def __init__(self) -> None:
        super().__init__()
        self.room = Room()
        self.roster: dict[str, Participant] = {}
        self.speaking: tuple[str, ...] = ()
        self.recorded: tuple[str, ...] = ()
        self.recording = False
        self.now = 0.0

    def take(self, events: list[RoomEvent]) -> None:
        for event in events:
            match event:
                case Changed(participant):
                    self.roster[participant.participant_id] = participant
                case Gone(participant):
                    del self.roster[participant.participant_id]
                case Speaking(participant_ids):
                    assert participant_ids != self.speaking
                    self.speaking = participant_ids
                case RecordingChanged(recording, recorded, end):
                    assert set(recorded) <= set(self.roster)
                    assert all(recording.answer_of(one) for one in recorded)
                    self.recorded = recorded
                    self.recording = end is None

    @rule(
        who=NAMES,
        user=st.sampled_from(["", "", "k/u"]),
        publishing=st.sampled_from(PUBLISHINGS),
        chair=st.booleans(),
        lasts_s=st.none() | st.floats(-1.0, 3.0),
    )
    def enter(
        self, who: str, user: str, publishing: Publishing, chair: bool, lasts_s: float | None
    ) -> None:
        if who not in self.room:
            expires_at = None if lasts_s is None else self.now + lasts_s
            one = Participant(who, "", user, publishing, may_manage=chair, expires_at=expires_at)
            self.attempt(lambda: self.room.enter(one, self.now))

    @rule(who=NAMES)
    def leave(self, who: str) -> None:
        self.take(self.room.leave(who))

    @rule(by=NAMES, whom=NAMES, muted=st.booleans())
    def mute(self, by: str, whom: str, muted: bool) -> None:
        self.attempt(lambda: self.room.mute(by, whom, muted))

    @rule(by=NAMES, whom=NAMES)
    def kick(self, by: str, whom: str) -> None:
        self.attempt(lambda: self.room.kick(by, whom, self.now))

    @rule(who=NAMES, publishing=st.sampled_from(PUBLISHINGS))
    def publish(self, who: str, publishing: Publishing) -> None:
        self.attempt(lambda: self.room.publish(who, publishing))

    def attempt(self, act: Callable[[], list[RoomEvent]]) -> None:
        before = list(self.room), self.room.speaking
        try:
            self.take(act())
        except (NotPermitted, NotRecording, ParticipantNotFound):
            assert (list(self.room), self.room.speaking) == before

    @rule(by=NAMES, on=st.booleans())
    def record(self, by: str, on: bool) -> None:
        def act() -> list[RoomEvent]:
            return self.room.record(by, "id") if on else self.room.stop_recording(by)

        self.attempt(act)

    @rule(who=NAMES, agrees=st.booleans())
    def answer(self, who: str, agrees: bool) -> None:
        self.attempt(lambda: self.room.consent_recording(who, agrees))

    @rule(who=NAMES, packets=st.integers(1, 6))
    def speak(self, who: str, packets: int) -> None:
        self.take(talk(self.room, who, self.now, packets))
        self.now += packets * 0.02

    @precondition(lambda self: self.room.next_deadline() is not None)
    @rule()
    def wait(self) -> None:
        deadline = self.room.next_deadline()
        assert deadline is not None
        self.now = max(self.now, deadline)
        self.take(self.room.tick(self.now))
        later = self.room.next_deadline()
        assert later is None or later > self.now

    @invariant()
    def events_tell_all(self) -> None:
        assert self.roster == {one.participant_id: one for one in self.room}
        assert self.speaking == self.room.speaking

    @invariant()
    def nobody_outstays_their_token(self) -> None:
        self.take(self.room.tick(self.now))
        assert not any(one.has_expired(self.now) for one in self.room)

    @invariant()
    def only_those_who_are_heard_speak(self) -> None:
        assert all(self.room.participant(one).heard for one in self.room.speaking)

    @invariant()
    def events_tell_who_is_recorded(self) -> None:
        assert self.recorded == self.room.recorded()
        assert self.recording == (self.room.recording is not None)
        assert len(self.room) or not self.recording, "nothing goes on in an empty room"

    @invariant()
    def no_user_is_there_twice(self) -> None:
        users = [one.user for one in self.room if one.user]
        assert len(users) == len(set(users))


TestAnyRoom = AnyRoom.TestCase
TestAnyRoom.settings = settings(max_examples=50, stateful_step_count=25)
