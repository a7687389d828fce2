"""One room: who is in it, what each may do there, who is muted, who speaks, and how it ends.

Every input takes the moment ``now`` (seconds of one monotonic clock) where it matters and returns
what has come of it; ids are given by whoever calls.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from voicepeer.core.errors import KeptOut, NotPermitted, NotRecording, ParticipantNotFound
from voicepeer.core.rooms.exclusions import Exclusions
from voicepeer.core.rooms.loudness import Loudness, LoudnessSettings
from voicepeer.core.rooms.recording import Recording, RecordingEnd
from voicepeer.core.rooms.slots import Source

Publishing: TypeAlias = Literal["mic", "voice", "nothing"]
"""What the others hear of somebody: their microphone, what is said in their session's voice, or
nothing."""

Reason: TypeAlias = Literal["left", "kicked", "room_ended", "replaced", "token_expired"]
"""Why somebody is in a room no more."""


def person_of(user: str) -> str:
    """What stands for a user in all rooms and recordings; nothing else does that looks alike."""
    return f"user {user}"


@dataclass(frozen=True, slots=True)
class Participant:
    """One who is in a room.

    ``user`` tells users apart and is empty for those who are not known: a second participant of
    one user takes the place of the first. ``session`` tells those apart who are not known.
    ``expires_at`` is when their token does.
    """

    participant_id: str
    name: str = ""
    user: str = ""
    publishing: Publishing = "mic"
    muted: bool = False
    session: str = ""
    may_publish: bool = True
    may_listen: bool = True
    may_manage: bool = False
    expires_at: float | None = None

    @property
    def publishes(self) -> bool:
        """Whether there is anything of them to be heard."""
        return self.publishing != "nothing"

    @property
    def heard(self) -> bool:
        """Whether what they send goes to the others."""
        return self.publishes and not self.muted

    @property
    def sees_others(self) -> bool:
        """Whether they are told who else is there and what those do."""
        return self.may_listen or self.may_manage

    @property
    def marks(self) -> tuple[str, ...]:
        """By what they are known again when they come back."""
        if self.user:
            return (person_of(self.user),)
        marks = {"session": self.session, "name": self.name}
        return tuple(f"{kind} {given}" for kind, given in marks.items() if given)

    @property
    def person(self) -> str:
        """The same for all that one person has been in a room, as far as that can be known.

        It is by the user, or else by the session: unlike a name nobody can take either on.
        """
        if self.user:
            return person_of(self.user)
        return f"session {self.session}" if self.session else f"participant {self.participant_id}"

    def has_expired(self, now: float) -> bool:
        """Whether their token has."""
        return self.expires_at is not None and now >= self.expires_at


@dataclass(frozen=True, slots=True)
class Changed:
    """Somebody is there, or is there in another way."""

    participant: Participant


@dataclass(frozen=True, slots=True)
class Gone:
    """Somebody is there no more."""

    participant: Participant
    reason: Reason


@dataclass(frozen=True, slots=True)
class Speaking:
    """Those who speak now, in the order of their coming."""

    participant_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecordingChanged:
    """A recording was asked for, records others than before, or has ended for a reason."""

    recording: Recording
    recorded: tuple[str, ...]
    """Those who are recorded now."""
    end: RecordingEnd | None = None


RoomEvent: TypeAlias = Changed | Gone | Speaking | RecordingChanged


@dataclass(slots=True)
class _Seat:
    participant: Participant
    loudness: Loudness


@dataclass(slots=True)
class Room:
    """A room with its participants in the order of their coming."""

    settings: LoudnessSettings = field(default_factory=LoudnessSettings)
    exclusions: Exclusions = field(default_factory=Exclusions)
    """Outlast the room, if whoever makes a new one hands them in."""
    recording: Recording | None = None
    """The one that is asked for or goes on."""
    _seats: dict[str, _Seat] = field(default_factory=dict)
    _awaited: dict[str, float] = field(default_factory=dict)
    """Until when those who were lost may come back."""

    def __len__(self) -> int:
        return len(self._seats)

    def __iter__(self) -> Iterator[Participant]:
        return (seat.participant for seat in self._seats.values())

    def __contains__(self, participant_id: object) -> bool:
        return participant_id in self._seats

    def participant(self, participant_id: str) -> Participant:
        """The one with this id.

        Raises:
            ParticipantNotFound: there is none.
        """
        return self._seat(participant_id).participant

    @property
    def speaking(self) -> tuple[str, ...]:
        """Ids of those who speak."""
        return tuple(one for one, seat in self._seats.items() if seat.loudness.speaking)

    def sources(self) -> list[Source]:
        """Those who are heard, in the order of their coming."""
        return [
            Source(one, seat.loudness.speaking, seat.loudness.spoke_at)
            for one, seat in self._seats.items()
            if seat.participant.heard
        ]

    # --- coming and going -----------------------------------------------------------------------

    def enter(self, participant: Participant, now: float) -> list[RoomEvent]:
        """Let somebody in; whoever is there as the same user already goes.

        Raises:
            NotPermitted: they would publish, and may not; or their token has expired.
            KeptOut: they were put out a short while ago.
        """
        _check_publishing(participant, participant.publishing)
        if participant.has_expired(now):
            raise NotPermitted("your token has expired: connect again with a new one")
        remaining_s = self.exclusions.remaining_s(participant.marks, now)
        if remaining_s > 0:
            raise KeptOut(
                f"you were put out of this room: join it again in {math.ceil(remaining_s)} s"
            )
        self._awaited.pop(participant.participant_id, None)
        same = [one for one in self if participant.user and one.user == participant.user]
        # First in, then out: a recording ends when nobody is left.
        self._seats[participant.participant_id] = _Seat(participant, Loudness(self.settings))
        gone = self._take_out(same, "replaced")
        return [*gone, Changed(participant), *self._recorded_otherwise([*same, participant])]

    def renew(self, participant_id: str, expires_at: float | None) -> None:
        """Somebody's token is another one now, which expires at this moment, or never.

        Raises:
            ParticipantNotFound: they are not there.
        """
        seat = self._seat(participant_id)
        seat.participant = replace(seat.participant, expires_at=expires_at)

    def leave(self, participant_id: str, back_until: float | None = None) -> list[RoomEvent]:
        """Let somebody go; nothing comes of it when they have gone already.

        Whoever was lost may come back until ``back_until``: a recording goes on until then.
        """
        leaving = [one for one in self if one.participant_id == participant_id]
        if leaving and back_until is not None:
            self._awaited[participant_id] = back_until
        return self._remove(leaving, "left")

    def kick(self, by: str, target: str, now: float) -> list[RoomEvent]:
        """Put somebody out, and keep them out for a while.

        Raises:
            NotPermitted: ``by`` may not manage the room.
            ParticipantNotFound: one of both is not there.
        """
        self._manager(by, "put others out of")
        kicked = self.participant(target)
        self.exclusions.add(kicked.marks, now)
        return self._remove([kicked], "kicked")

    def end(self, by: str) -> list[RoomEvent]:
        """Put everybody out, who may come back at once; raises as ``kick`` does."""
        self._manager(by, "end")
        self._awaited.clear()
        return self._remove(list(self), "room_ended")

    def _remove(self, those: Sequence[Participant], reason: Reason) -> list[RoomEvent]:
        return [*self._take_out(those, reason), *self._recorded_otherwise(those)]

    def _take_out(self, those: Iterable[Participant], reason: Reason) -> list[RoomEvent]:
        before = self.speaking
        gone: list[RoomEvent] = []
        for one in those:
            del self._seats[one.participant_id]
            gone.append(Gone(one, reason))
        return [*gone, *self._spoken(before)]

    def _recorded_otherwise(self, those: Iterable[Participant]) -> list[RoomEvent]:
        """What comes of it for a recording that these came or went; the last one ends it."""
        recording = self.recording
        if recording is None:
            return []
        if not self._seats and not self._awaited:
            return self.end_recording("room_ended")
        agreed = recording.recorded(one.participant_id for one in those)
        return [self._as_recorded(recording)] if agreed else []

    # --- what is heard --------------------------------------------------------------------------

    def publish(
        self, participant_id: str, publishing: Publishing, name: str | None = None
    ) -> list[RoomEvent]:
        """Let the others hear something else of somebody, and see another ``name`` if one is given.

        Raises:
            NotPermitted: they may not publish.
            ParticipantNotFound: they are not there.
        """
        seat = self._seat(participant_id)
        _check_publishing(seat.participant, publishing)
        named = seat.participant.name if name is None else name
        return self._replace(seat, replace(seat.participant, publishing=publishing, name=named))

    def mute(self, by: str, target: str, muted: bool) -> list[RoomEvent]:
        """Let the others hear nothing of somebody, or hear them again.

        Whoever manages a room can silence the others, but only they themselves can open their
        microphone again: nobody is overheard who believes that they are muted.

        Raises:
            NotPermitted: ``by`` may not do that.
            ParticipantNotFound: one of both is not there.
        """
        seat = self._seat(target)
        if by != target:
            self._manager(by, "mute others in")
            if not muted:
                raise NotPermitted("only they themselves can end that they are muted: ask them")
        return self._replace(seat, replace(seat.participant, muted=muted))

    def _replace(self, seat: _Seat, participant: Participant) -> list[RoomEvent]:
        if participant == seat.participant:
            return []
        before, was = self.speaking, seat.participant
        seat.participant = participant
        if not participant.heard:
            seat.loudness.stop()
        appears = participant.publishes != was.publishes
        recorded = self._recorded_otherwise([participant]) if appears else []
        return [Changed(participant), *self._spoken(before), *recorded]

    # --- being recorded -------------------------------------------------------------------------

    def may_record(self, by: str) -> None:
        """Go on only if ``by`` may have the room recorded.

        Raises:
            NotPermitted: they may not manage the room.
            ParticipantNotFound: they are not there.
        """
        self._manager(by, "record")

    def record(self, by: str, recording_id: str) -> list[RoomEvent]:
        """Ask all for a recording; nothing comes of it where there is one. Raises as above."""
        self.may_record(by)
        if self.recording is not None:
            return []
        self.recording = Recording(recording_id, by)
        return [self._as_recorded(self.recording)]

    def stop_recording(self, by: str) -> list[RoomEvent]:
        """Record no more; nothing comes of it where there is no recording. Raises as above."""
        self.may_record(by)
        return self.end_recording("stopped")

    def end_recording(self, reason: RecordingEnd) -> list[RoomEvent]:
        """The recording has ended, if there is one."""
        recording, self.recording = self.recording, None
        return [] if recording is None else [RecordingChanged(recording, (), reason)]

    def consent_recording(self, participant_id: str, agrees: bool) -> list[RoomEvent]:
        """Somebody agrees to be recorded, or does not, or no longer.

        Raises:
            NotRecording: nobody has asked for a recording, or it has ended.
            ParticipantNotFound: they are not there.
        """
        person = self.participant(participant_id).person
        recording = self._asked()
        changed = recording.answer(participant_id, person, agrees)
        return [self._as_recorded(recording)] if changed else []

    def withdraw_recording(self, person: str) -> list[RoomEvent]:
        """Somebody agrees no longer, who may be in the room no more (``Participant.person``).

        Raises:
            NotRecording: as above.
        """
        recording = self._asked()
        return [self._as_recorded(recording)] if recording.withdraw(person) else []

    def _asked(self) -> Recording:
        if self.recording is None:
            raise NotRecording("this room is not being recorded: there is nothing to agree to")
        return self.recording

    def recorded(self) -> tuple[str, ...]:
        """Those who are recorded now."""
        return () if self.recording is None else self.recording.recorded(self._seats)

    def _as_recorded(self, recording: Recording) -> RecordingChanged:
        return RecordingChanged(recording, recording.recorded(self._seats))

    # --- time and levels ------------------------------------------------------------------------

    def push_level(
        self, participant_id: str, level_dbov: float, duration_s: float, now: float
    ) -> list[RoomEvent]:
        """Take the level of a packet; those of whoever is not heard or not there count nothing."""
        seat = self._seats.get(participant_id)
        if seat is None or not seat.participant.heard:
            return []
        changed = seat.loudness.push(level_dbov, duration_s, now)
        return [Speaking(self.speaking)] if changed else []

    def tick(self, now: float) -> list[RoomEvent]:
        """Let time pass: speech ends where nothing comes, tokens expire."""
        before = self.speaking
        for seat in self._seats.values():
            seat.loudness.tick(now)
        ended = self._spoken(before)
        expired = [one for one in self if one.has_expired(now)]
        return [*ended, *self._remove(expired, "token_expired"), *self._wait_no_longer(now)]

    def _wait_no_longer(self, now: float) -> list[RoomEvent]:
        """What comes of it that those who were lost do not come back."""
        late = [one for one, until in self._awaited.items() if until <= now]
        for one in late:
            del self._awaited[one]
        return self._recorded_otherwise([]) if late and not self._seats else []

    def next_deadline(self) -> float | None:
        """When ``tick`` has something to do at the earliest, ``None`` for never."""
        ends = [seat.loudness.next_deadline() for seat in self._seats.values()]
        expiries = [*(one.expires_at for one in self), *self._awaited.values()]
        return min((at for at in (*ends, *expiries) if at is not None), default=None)

    # --- inside ---------------------------------------------------------------------------------

    def _spoken(self, before: tuple[str, ...]) -> list[RoomEvent]:
        return [] if self.speaking == before else [Speaking(self.speaking)]

    def _seat(self, participant_id: str) -> _Seat:
        seat = self._seats.get(participant_id)
        if seat is None:
            raise ParticipantNotFound("nobody with this id is in the room: they may have just left")
        return seat

    def _manager(self, by: str, what: str) -> None:
        if not self.participant(by).may_manage:
            raise NotPermitted(
                f"to {what} a room takes the right to manage: ask for a token that has it"
            )


def _check_publishing(participant: Participant, publishing: Publishing) -> None:
    if publishing != "nothing" and not participant.may_publish:
        raise NotPermitted(
            "to be heard in a room takes the right to speak: ask for a token that has it, or "
            'join with "publish": "nothing"'
        )
