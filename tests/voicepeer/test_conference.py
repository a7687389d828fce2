"""The rooms of a process, by what their participants are told and get to hear."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from tests.peers.clock import unhurried
from tests.peers.leaks import nothing_left_behind
from tests.voicepeer.test_forwarding import Left
from voicepeer.conference import ROSTER_PART, Conferences, Member, joined
from voicepeer.core.envelope import MAX_MESSAGE_BYTES
from voicepeer.core.errors import NotInRoom, NotPermitted
from voicepeer.core.messages import encode_server
from voicepeer.core.room_messages import (
    RoomGone,
    RoomJoined,
    RoomLeft,
    RoomNews,
    RoomRoster,
    RoomSlots,
    RoomSpeaking,
)
from voicepeer.core.rooms.room import Participant, Reason
from voicepeer.forwarding import Forwarder, MediaPacket

pytestmark = pytest.mark.peer

HALL = ("key", "hall")
LOUD, QUIET = 20, 127
NewsT = TypeVar("NewsT", bound=RoomNews)


@dataclass
class Person:
    """Somebody in a room, with their streams and all that they were told."""

    member: Member
    news: list[RoomNews]
    gone: list[Reason]
    outlets: dict[str, Left] = field(default_factory=dict)
    sent: int = 0

    @property
    def id(self) -> str:
        return self.member.participant_id

    def got(self, kind: type[NewsT]) -> list[NewsT]:
        return [one for one in self.news if isinstance(one, kind)]

    def listen(self, voices: int) -> None:
        self.outlets = {str(at): Left() for at in range(voices)}
        streams = [(mid, Forwarder(outlet)) for mid, outlet in self.outlets.items()]
        self.member.conference.listen(self.id, streams)

    def say(self, text: bytes, level: int = LOUD) -> None:
        """Send a packet of 20 ms with a text for each of its bytes."""
        for byte in text:
            self.sent += 1
            packet = MediaPacket(1, self.sent, self.sent * 960, bytes((0x08, byte)), level=level)
            self.member.conference.push(self.id, "mic", packet)

    def heard(self, mid: str = "0") -> bytes:
        return bytes(packet[3][1] for packet in self.outlets[mid].packets)

    @property
    def slots(self) -> list[str | None]:
        return [slot.participant for slot in self.got(RoomSlots)[-1].slots]


class Rooms:
    """Rooms under test."""

    def __init__(self, kept_out_s: float = 60.0) -> None:
        self.conferences = Conferences(kept_out_s)

    def enter(self, participant: Participant, key: tuple[str, str] = HALL) -> Person:
        news: list[RoomNews] = []
        gone: list[Reason] = []
        member = self.conferences.enter(
            key, participant, news.append, lambda one: gone.append(one.reason)
        )
        return Person(member, news, gone)


@pytest.fixture
def rooms() -> Rooms:
    return Rooms()


def ids(roster: list[RoomRoster]) -> list[str]:
    return [one.participant for part in roster for one in part.participants]


@unhurried
async def test_whoever_comes_is_told_who_is_there_and_they_of_them(rooms: Rooms) -> None:
    ada = rooms.enter(Participant("ada", name="Ada", may_manage=True))
    bob = rooms.enter(Participant("bob", name="Bob"))
    assert ada.got(RoomJoined) == [RoomJoined(participant="ada", manages=True)]
    assert bob.got(RoomJoined) == [RoomJoined(participant="bob", manages=False)]
    assert set(ids(ada.got(RoomRoster))) == set(ids(bob.got(RoomRoster))) == {"ada", "bob"}
    ada.member.conference.leave("ada")
    assert ada.got(RoomLeft) == [RoomLeft(reason="left")]
    assert bob.got(RoomGone) == [RoomGone(participant="ada", reason="left")]
    bob.member.conference.leave("bob")


@unhurried
async def test_a_room_is_there_while_somebody_is_in_it(rooms: Rooms) -> None:
    async with nothing_left_behind():
        ada, bob = rooms.enter(Participant("ada")), rooms.enter(Participant("bob"))
        other = rooms.enter(Participant("ada"), ("other", "hall"))
        assert len(rooms.conferences) == 2
        for one in (ada, bob, other):
            one.member.conference.leave(one.id)
            one.member.conference.leave(one.id)
            assert one.gone == ["left"]
        assert len(rooms.conferences) == 0
        again = rooms.enter(Participant("cat"))
        ada.member.conference.leave("ada")
        assert len(rooms.conferences) == 1
        again.member.conference.leave("cat")


@unhurried
async def test_rooms_of_two_keys_do_not_hear_each_other(rooms: Rooms) -> None:
    ada = rooms.enter(Participant("ada"))
    stranger = rooms.enter(Participant("stranger"), ("other", "hall"))
    stranger.listen(1)
    ada.say(b"x")
    assert (stranger.slots, stranger.heard()) == ([None], b"")
    for one in (ada, stranger):
        one.member.conference.leave(one.id)


@unhurried
async def test_who_may_not_come_in_leaves_no_room(rooms: Rooms) -> None:
    with pytest.raises(NotPermitted):
        rooms.enter(Participant("x", may_publish=False))
    assert len(rooms.conferences) == 0


@unhurried
async def test_a_place_goes_to_a_speaker_before_their_packet(rooms: Rooms) -> None:
    ada = rooms.enter(Participant("ada", publishing="nothing"))
    ada.listen(1)
    bob, cat = rooms.enter(Participant("bob")), rooms.enter(Participant("cat"))
    assert ada.slots == ["bob"]
    bob.say(b"a", QUIET)
    cat.say(b"-", QUIET)
    cat.say(b"--c")
    assert ada.slots == ["cat"]
    bob.say(b"-", QUIET)
    cat.say(b"d")
    assert ada.heard() == b"acd"
    assert ada.outlets["0"].numbers == [0, 1, 2]
    assert ada.got(RoomSpeaking)[-1].participants == ["cat"]
    for one in (ada, bob, cat):
        one.member.conference.leave(one.id)


@unhurried
async def test_speech_ends_while_nothing_comes(rooms: Rooms) -> None:
    ada = rooms.enter(Participant("ada"))
    ada.say(b"xxx")
    assert ada.got(RoomSpeaking)[-1].participants == ["ada"]
    await asyncio.sleep(1.0)
    assert ada.got(RoomSpeaking)[-1].participants == []
    ada.member.conference.leave("ada")


@unhurried
async def test_only_what_somebody_publishes_goes_out(rooms: Rooms) -> None:
    ada, bob = rooms.enter(Participant("ada")), rooms.enter(Participant("bob"))
    ada.listen(1)
    room = bob.member.conference
    bob.say(b"a")
    room.publish("bob", "voice")
    bob.say(b"-")
    room.push("bob", "voice", MediaPacket(0, 1, 1, b"\x08b", level=LOUD))
    room.mute("bob", "bob", True)
    room.push("bob", "voice", MediaPacket(0, 2, 2, b"\x08-", level=LOUD))
    room.mute("bob", "bob", False)
    room.push("bob", "voice", MediaPacket(0, 3, 3, b"\x08c", level=LOUD))
    assert ada.heard() == b"abc"
    room.push("stranger", "mic", MediaPacket(0, 1, 1, b"\x08-"))
    for one in (ada, bob):
        room.leave(one.id)


@unhurried
async def test_a_listener_who_comes_anew_keeps_nothing_of_the_old_streams(rooms: Rooms) -> None:
    ada, bob = rooms.enter(Participant("ada")), rooms.enter(Participant("bob"))
    ada.listen(2)
    old = ada.outlets
    bob.say(b"a")
    ada.listen(1)
    bob.say(b"b")
    assert (bytes(old["0"].packets[0][3][1:]), len(old["0"].packets)) == (b"a", 1)
    assert (ada.slots, ada.heard()) == (["bob"], b"b")
    ada.listen(0)
    assert ada.slots == []
    for one in (ada, bob):
        one.member.conference.leave(one.id)


@unhurried
async def test_a_kick_frees_all_streams(rooms: Rooms) -> None:
    ada = rooms.enter(Participant("ada", may_manage=True))
    bob, cat = rooms.enter(Participant("bob")), rooms.enter(Participant("cat"))
    bob.listen(2)
    room = ada.member.conference
    room.kick("ada", "bob")
    assert bob.gone == ["kicked"]
    ada.say(b"-")
    bob.say(b"-")
    assert bob.heard() == b""
    room.end("ada")
    assert (ada.gone, cat.gone) == (["room_ended"], ["room_ended"])
    assert len(rooms.conferences) == 0


@pytest.mark.parametrize("stays", [True, False])
@unhurried
async def test_who_was_put_out_is_kept_out_also_when_the_room_was_empty_meanwhile(
    stays: bool,
) -> None:
    rooms = Rooms(0.2)
    ada = rooms.enter(Participant("ada", may_manage=True))
    rooms.enter(Participant("bob", name="Bob"))
    ada.member.conference.kick("ada", "bob")
    if not stays:
        ada.member.conference.leave("ada")
    for key in (HALL, HALL):
        with pytest.raises(NotPermitted, match="put out"):
            rooms.enter(Participant("bob", name="Bob"), key)
    other = rooms.enter(Participant("bob", name="Bob"), ("key", "elsewhere"))
    await asyncio.sleep(0.25)
    bob = rooms.enter(Participant("bob", name="Bob"))
    for one in (ada, bob, other):
        one.member.conference.leave(one.id)
    assert (len(rooms.conferences), rooms.conferences._exclusions) == (0, {})


@unhurried
async def test_with_no_time_to_stay_out_for_whoever_was_put_out_may_come_back() -> None:
    rooms = Rooms(0.0)
    ada = rooms.enter(Participant("ada", may_manage=True))
    rooms.enter(Participant("bob", name="Bob"))
    ada.member.conference.kick("ada", "bob")
    rooms.enter(Participant("bob", name="Bob"))
    ada.member.conference.end("ada")


@unhurried
async def test_who_may_not_listen_is_told_of_themselves_only(rooms: Rooms) -> None:
    ada = rooms.enter(Participant("ada", may_manage=True))
    deaf = rooms.enter(Participant("deaf", may_listen=False))
    chair = rooms.enter(Participant("chair", may_listen=False, may_manage=True))
    room = ada.member.conference
    ada.say(b"xxx")
    room.mute("ada", "deaf", True)
    room.introduce("deaf")
    room.publish("chair", "nothing")
    room.kick("ada", "chair")
    room.leave("ada")
    room.leave("deaf")
    assert [type(one) for one in deaf.news] == [
        *(RoomJoined, RoomRoster),
        RoomRoster,
        *(RoomJoined, RoomRoster),
        RoomLeft,
    ]
    assert set(ids(deaf.got(RoomRoster))) == {"deaf"}
    assert [part.participants[0].muted for part in deaf.got(RoomRoster)] == [False, True, True]
    assert set(ids(chair.got(RoomRoster))) == {"ada", "deaf", "chair"}
    assert ada.got(RoomGone) == [RoomGone(participant="chair", reason="kicked")]
    assert deaf.gone == ["left"]


@unhurried
async def test_the_worst_off_listener_of_somebody_counts(rooms: Rooms) -> None:
    ada, bob = rooms.enter(Participant("ada")), rooms.enter(Participant("bob"))
    room = bob.member.conference
    forwarder = Forwarder(Left())
    forwarder.loss = 0.2
    room.listen("ada", [("0", forwarder)])
    assert (room.downstream_loss("bob"), room.downstream_loss("ada")) == (0.2, 0.0)
    for one in (ada, bob):
        room.leave(one.id)
    assert room.downstream_loss("bob") == 0.0


@unhurried
async def test_a_large_room_fits_into_messages_and_everybody_hears_the_speakers(
    rooms: Rooms,
) -> None:
    """Fifty with the longest of names, five of whom speak."""
    people = [rooms.enter(Participant(f"{n:016x}", name="\U0001f600" * 64)) for n in range(50)]
    assert len(people[-1].got(RoomRoster)[0].participants) == ROSTER_PART
    assert len(ids(people[-1].got(RoomRoster))) == 50
    for one in people:
        one.listen(5)
    speakers = people[10:15]
    for _ in range(5):
        for one in speakers:
            one.say(b"x")
    for one in people:
        others = {speaker.id for speaker in speakers if speaker is not one}
        assert others <= set(one.slots)
        for news in one.news:
            assert len(encode_server(news).encode()) <= MAX_MESSAGE_BYTES
    for one in people:
        one.member.conference.leave(one.id)
    assert len(rooms.conferences) == 0


@unhurried
async def test_two_hundred_who_come_at_once_are_all_told_of(rooms: Rooms) -> None:
    people = []
    for n in range(200):
        people.append(rooms.enter(Participant(str(n), publishing="nothing")))
        people[-1].listen(5)
        await asyncio.sleep(0)
    assert set(ids(people[0].got(RoomRoster))) == {str(n) for n in range(200)}
    assert set(ids(people[-1].got(RoomRoster))) == {str(n) for n in range(200)}
    for one in people:
        one.member.conference.leave(one.id)
        await asyncio.sleep(0)
    assert len(people[-1].got(RoomGone)) == 199


def test_whoever_is_in_no_room_is_told_so() -> None:
    with pytest.raises(NotInRoom, match="room.join"):
        joined(None)
