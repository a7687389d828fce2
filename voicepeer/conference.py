"""The rooms of one process: what ``core.rooms`` decides is done here, to real connections."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias, assert_never

from voicepeer.conference_recording import ConferenceRecording, StartRecording
from voicepeer.core.errors import NotInRoom, NotRecorded, NotRecording
from voicepeer.core.jitter import packet_samples
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.room_messages import (
    RoomGone,
    RoomJoined,
    RoomLeft,
    RoomNews,
    RoomParticipant,
    RoomRoster,
    RoomSlot,
    RoomSlots,
    RoomSpeaking,
)
from voicepeer.core.rooms.exclusions import KEPT_OUT_S, Exclusions
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
from voicepeer.core.rooms.slots import Slots, Sources
from voicepeer.forwarding import Forwarder, MediaPacket, Publication
from voicepeer.recordings import Recordings
from voicepeer.room_figures import RoomFigures, RoomTraffic
from voicepeer.room_voices import RoomKey

TICK_S = 0.1
"""Between two looks at what ends by time alone, while somebody is in a room."""

ROSTER_PART = 16
"""Participants in one message: with the longest of names they stay far below its limit."""

Tell: TypeAlias = Callable[[RoomNews], None]


@dataclass(slots=True, eq=False)
class _Seat:
    """What somebody in a room sends and hears."""

    tell: Tell
    on_gone: Callable[[Gone], None]
    sees_others: bool = True
    publication: Publication = field(default_factory=Publication)
    slots: Slots = field(default_factory=lambda: Slots(0))
    forwarders: dict[str, Forwarder] = field(default_factory=dict)
    """By the mid of their section; the order is that of the slots."""


class Conference:
    """One room with its connections; on one event loop.

    ``on_empty`` is told when all are gone, and nobody is awaited whom a recording goes on for;
    ``exclusions`` are those of the room before this one.
    Without ``start_recording`` it cannot be recorded.
    """

    def __init__(
        self,
        on_empty: Callable[[], None],
        exclusions: Exclusions | None = None,
        start_recording: StartRecording | None = None,
    ) -> None:
        self._room = Room(exclusions=Exclusions() if exclusions is None else exclusions)
        self._seats: dict[str, _Seat] = {}
        self._on_empty = on_empty
        self.traffic = RoomTraffic()
        """Where packets are counted."""
        self.recording = ConferenceRecording(
            self._room, start_recording, self._carry_out, self._tell, self._publication
        )
        """What of the room is recorded."""
        self._timer: asyncio.TimerHandle | None = None

    def enter(
        self, participant: Participant, tell: Tell, on_gone: Callable[[Gone], None]
    ) -> Member:
        """Let somebody in; ``on_gone`` is told once when they are out again, for whatever reason.

        Raises:
            NotPermitted: as ``Room.enter`` says.
        """
        events = self._room.enter(participant, time.monotonic())
        one = participant.participant_id
        self._seats[one] = seat = _Seat(tell, on_gone, participant.sees_others)
        self._introduce(seat, participant, [other for other in self._room if other != participant])
        self._carry_out(events)
        self._keep_ticking()
        return Member(self, one)

    def participant(self, one: str) -> Participant:
        """Somebody who is in the room; raises as ``Room.participant`` does."""
        return self._room.participant(one)

    def has_user(self, user: str) -> bool:
        """Whether one of the participants is this user; nobody is the unknown one."""
        return bool(user) and any(one.user == user for one in self._room)

    @property
    def exclusions(self) -> Exclusions:
        """Who may not come in for a while."""
        return self._room.exclusions

    def published(self) -> Iterator[Publishing]:
        """What each of the participants publishes."""
        return (one.publishing for one in self._room)

    def introduce(self, one: str) -> None:
        """Tell somebody who is in the room again where they are, and with whom."""
        self._introduce(self._seats[one], self._room.participant(one), list(self._room))

    def _introduce(self, seat: _Seat, own: Participant, roster: Sequence[Participant]) -> None:
        one, manages = own.participant_id, own.may_manage
        records = manages and self.recording.possible
        seat.tell(RoomJoined(participant=one, manages=manages, records=records))
        if not seat.sees_others:
            roster = [one for one in roster if one == own]
        for start in range(0, len(roster), ROSTER_PART):
            seat.tell(_roster(roster[start : start + ROSTER_PART]))
        if seat.sees_others and (speaking := self._room.speaking):
            seat.tell(RoomSpeaking(participants=list(speaking)))
        self.recording.introduce(own)

    def push(self, one: str, kind: Publishing, packet: MediaPacket) -> None:
        """Take a packet of somebody's microphone or voice."""
        seat = self._seats.get(one)
        if seat is None:
            return
        participant = self._room.participant(one)
        if participant.publishing != kind or not participant.heard:
            return
        now = time.monotonic()
        # Whoever begins to speak gets a place before the packet that tells so is sent on.
        if events := self._room.push_level(one, packet.level_dbov, _duration_s(packet), now):
            self._carry_out(events)
        self.traffic.forwarded += seat.publication.push(packet, now)

    def listen(self, one: str, forwarders: Iterable[tuple[str, Forwarder]]) -> None:
        """Let somebody hear others by these streams, each with the mid of its section."""
        seat = self._seats[one]
        for forwarder in seat.forwarders.values():
            forwarder.hear(None)
        seat.forwarders = dict(forwarders)
        seat.slots.resize(len(seat.forwarders))
        self._assign(one, seat, Sources(self._room.sources()), anyway=True)

    def downstream_loss(self, one: str) -> float:
        """Share of somebody's packets that the worst-off of those who hear them loses, 0 to 1."""
        seat = self._seats.get(one)
        return 0.0 if seat is None else seat.publication.loss

    # --- what a participant may ask for ---------------------------------------------------------

    def leave(self, one: str, back_within_s: float = 0.0) -> None:
        """Let somebody go, who may come back for so long; harmless when they have gone already."""
        back_until = time.monotonic() + back_within_s if back_within_s else None
        self._carry_out(self._room.leave(one, back_until))

    def publish(self, one: str, publishing: Publishing, name: str | None = None) -> None:
        """Let the others hear something else of somebody; raises as ``Room.publish`` does."""
        self._carry_out(self._room.publish(one, publishing, name))

    def mute(self, by: str, target: str, muted: bool) -> None:
        """Silence somebody or end that; raises as ``Room.mute`` does."""
        self._carry_out(self._room.mute(by, target, muted))

    def renew(self, one: str, expires_at: float | None) -> None:
        """Let somebody stay for longer or less long; see ``Room.renew``."""
        self._room.renew(one, expires_at)

    def kick(self, by: str, target: str) -> None:
        """Put somebody out; raises as ``Room.kick`` does."""
        self._carry_out(self._room.kick(by, target, time.monotonic()))

    def end(self, by: str) -> None:
        """Put everybody out; raises as ``Room.end`` does."""
        self._carry_out(self._room.end(by))

    # --- inside ---------------------------------------------------------------------------------

    def _carry_out(self, events: Sequence[RoomEvent]) -> None:
        for event in events:
            match event:
                case Changed(participant):
                    self._seats[participant.participant_id].publication.cut()
                    self._tell_all(_roster([participant]), participant.participant_id)
                case Gone():
                    self._see_off(event)
                case Speaking(participant_ids):
                    self._tell_all(RoomSpeaking(participants=list(participant_ids)))
                case RecordingChanged():
                    self.recording.follow(event)
                case _:
                    assert_never(event)
        if events:
            sources = Sources(self._room.sources())
            for one, seat in self._seats.items():
                self._assign(one, seat, sources)
            if not self._is_needed:
                self._stop_ticking()
                self._on_empty()

    @property
    def _is_needed(self) -> bool:
        return bool(self._seats) or self._room.recording is not None

    def _see_off(self, gone: Gone) -> None:
        one, reason = gone.participant.participant_id, gone.reason
        seat = self._seats.pop(one)
        seat.publication.close()
        for forwarder in seat.forwarders.values():
            forwarder.hear(None)
        seat.tell(RoomLeft(reason=reason))
        seat.on_gone(gone)
        self._tell_all(RoomGone(participant=one, reason=reason))

    def _assign(
        self, listener: str, seat: _Seat, sources: Sources, *, anyway: bool = False
    ) -> None:
        """Give somebody's places to those whom they are to hear now, and tell if that is new."""
        if not seat.forwarders and not anyway:
            return
        changed = seat.slots.assign(sources, listener)
        if not changed and not anyway:
            return
        placed = list(zip(seat.forwarders.items(), seat.slots.held, strict=True))
        for (_, forwarder), held in placed:
            forwarder.hear(None if held is None else self._seats[held].publication)
        slots = [RoomSlot(mid=mid, participant=held) for (mid, _), held in placed]
        seat.tell(RoomSlots(slots=slots))

    def _tell(self, one: str, news: RoomNews) -> None:
        self._seats[one].tell(news)

    def _publication(self, one: str) -> Publication:
        return self._seats[one].publication

    def _tell_all(self, news: RoomNews, about: str = "") -> None:
        """Tell those who may know of others, and whomever it is about."""
        for one, seat in self._seats.items():
            if one == about or seat.sees_others:
                seat.tell(news)

    def _keep_ticking(self) -> None:
        if self._timer is None and self._is_needed:
            self._timer = asyncio.get_running_loop().call_later(TICK_S, self._tick)

    def _tick(self) -> None:
        self._timer = None
        self._carry_out(self._room.tick(time.monotonic()))
        self._keep_ticking()

    def _stop_ticking(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


@dataclass(frozen=True, slots=True)
class Member:
    """One participant's part in a conference."""

    conference: Conference
    participant_id: str


class Conferences:
    """All rooms of one process; a room exists while somebody is in it.

    Whoever is put out of one is kept out for ``kept_out_s``; with ``recordings`` rooms can be
    recorded.
    """

    def __init__(
        self, kept_out_s: float = KEPT_OUT_S, recordings: Recordings | None = None
    ) -> None:
        self._kept_out_s = kept_out_s
        self._recordings = recordings
        self._rooms: dict[RoomKey, Conference] = {}
        self.traffic = RoomTraffic()
        """Of all rooms together."""
        self._exclusions: dict[RoomKey, Exclusions] = {}
        """Of rooms that somebody was put out of, also when nobody is left in them."""

    def __len__(self) -> int:
        return len(self._rooms)

    def enter(
        self,
        key: RoomKey,
        participant: Participant,
        tell: Tell,
        on_gone: Callable[[Gone], None],
    ) -> Member:
        """Let somebody into a room; see ``Conference.enter``."""
        room = self._rooms.get(key)
        if room is None:
            exclusions = self._exclusions.get(key, Exclusions(self._kept_out_s))
            recordings = self._recordings
            start = None if recordings is None else partial(recordings.start, key)
            room = Conference(lambda: self._forget(key), exclusions, start)
        member = room.enter(participant, tell, on_gone)
        room.traffic = self.traffic
        self._rooms[key] = room
        return member

    def figures(self) -> RoomFigures:
        """What there is to count now."""
        published = Counter(kind for room in self._rooms.values() for kind in room.published())
        return RoomFigures(len(self._rooms), published, self.traffic)

    def withdraw(self, key: RoomKey, absent: Participant, keep: bool) -> None:
        """Record somebody no more who is out of a room; see ``ConferenceRecording.withdraw``.

        Raises:
            NotRecording: the room is not being recorded.
        """
        room = self._rooms.get(key)
        if room is None:
            raise NotRecording(
                "this room is not being recorded any more: to be deleted from a recording that has "
                "ended, send room.withdraw_recording"
            )
        room.recording.withdraw(absent, keep)

    def recording_of(self, key: RoomKey) -> str | None:
        """The id of the recording of a room that goes on or is asked for, if there is one."""
        room = self._rooms.get(key)
        return None if room is None else room.recording.recording_id

    async def withdraw_ended(self, key: RoomKey, person: str, recording_id: str) -> None:
        """Delete what there is of somebody in a recording that has ended.

        Raises:
            NotRecorded, RecordedStill, RecordingUnavailable: as ``Withdrawals.withdraw_person``
                says.
        """
        if self._recordings is None:
            raise NotRecorded("this service records nothing, so that there is nothing of you")
        await self._recordings.written(recording_id)
        await self._recordings.withdrawals.withdraw_person(key, person, recording_id)

    def keeps_out(self, key: RoomKey, one: Participant) -> bool:
        """Whether somebody was put out of a room, and may not come back yet."""
        room = self._rooms.get(key)
        exclusions = self._exclusions.get(key) if room is None else room.exclusions
        return exclusions is not None and exclusions.remaining_s(one.marks, time.monotonic()) > 0

    def has_user(self, key: RoomKey, user: str) -> bool:
        """Whether somebody in a room is this user; see ``Conference.has_user``."""
        room = self._rooms.get(key)
        return room is not None and room.has_user(user)

    def _forget(self, key: RoomKey) -> None:
        room = self._rooms.pop(key, None)
        if room is not None:
            self._exclusions[key] = room.exclusions
        now = time.monotonic()
        for exclusions in self._exclusions.values():
            exclusions.expire(now)
        self._exclusions = {key: some for key, some in self._exclusions.items() if len(some)}


def joined(member: Member | None) -> Member:
    """The member, for what takes one.

    Raises:
        NotInRoom: there is none.
    """
    if member is None:
        raise NotInRoom("you are in no room: send room.join first")
    return member


def _roster(participants: Iterable[Participant]) -> RoomRoster:
    return RoomRoster(
        participants=[
            RoomParticipant(
                participant=one.participant_id,
                name=one.name,
                publish=one.publishing,
                muted=one.muted,
            )
            for one in participants
        ]
    )


def _duration_s(packet: MediaPacket) -> float:
    """By its table of contents; 20 ms where that is not sound, which is the receiver's affair."""
    try:
        return packet_samples(packet.payload) / WIRE_RATE_HZ
    except ValueError:
        return 0.02
