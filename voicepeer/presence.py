"""One session's part in its room: what the others hear of it, and the connection that hears them.

Rooms themselves are in ``conference``; this joins one of their participants with a session's
microphone, its speech and its client.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from typing import assert_never, cast

from aiortc import RTCRtpReceiver, RTCRtpTransceiver

from signaling.allowance import Allowance
from signaling.principal import Principal
from signaling.rooms import MAX_NAME_CHARS
from signaling.sessions import SessionRefused, SessionRequest
from voicepeer import rtc
from voicepeer.conference import Conferences, Member, joined
from voicepeer.core.errors import KeptOut, NotPermitted, PeerSentBadMessage, RateLimited
from voicepeer.core.messages import Caption, ServerMessage, Word
from voicepeer.core.pcm import Pcm16, from_pcm16, level_dbfs
from voicepeer.core.room_messages import (
    RoomConsentRecording,
    RoomEnd,
    RoomJoin,
    RoomKick,
    RoomLeave,
    RoomLeft,
    RoomMute,
    RoomNews,
    RoomPublish,
    RoomRecord,
    RoomRecording,
    RoomRequest,
)
from voicepeer.core.rooms.attendance import Attendance
from voicepeer.core.rooms.room import Gone, Participant, Publishing
from voicepeer.core.rooms.splice import FRAME_TICKS, SEQUENCES, TICKS
from voicepeer.forwarding import Forwarder, MediaPacket
from voicepeer.negotiation import Negotiation
from voicepeer.outlet import Outlet, ReceivedPacket, pass_on_loss, received
from voicepeer.room_voices import RoomKey
from voicepeer.rtc import RtpPacket
from voicepeer.tracks import MicReader, SpeechTrack

logger = logging.getLogger(__name__)

PARTICIPANT_ID_BYTES = 8

COMMAND_BURST = 30
COMMANDS_PER_S = 5.0
"""By which one participant can have something sent to all others. To fall silent or to leave counts
nothing: it can be done again only after a command that counts."""

LOOK_EVERY_S = 1.0
"""About as often as receiver reports come."""

SILENT_LEVEL = 127
"""Digital silence as the byte of a level extension (RFC 6464 section 3)."""

OUR_SSRC = 0
"""Of what we say ourselves, which comes from no network."""


class Ear:
    """The connection by which one participant hears the others, one section each."""

    def __init__(self, request: SessionRequest, on_lost: Callable[[Ear], None]) -> None:
        self.forwarders: dict[str, Forwarder] = {}
        """By the mid of their section."""
        self._outlets: list[Outlet] = []
        self._lost: dict[str, int] = {}
        """Packets that were ever lost, by the mid of their section."""
        self.negotiation = Negotiation(
            request.ice_servers,
            None,
            lambda peer: None,
            self._on_section,
            "room",
            on_lost=lambda: on_lost(self),
        )

    def _on_section(self, section: RTCRtpTransceiver) -> None:
        outlet = Outlet(section)
        self._outlets.append(outlet)
        self.forwarders[outlet.mid] = Forwarder(outlet)

    async def read_reports(self) -> int:
        """Note what the listener says of each stream's losses; packets lost since it last did."""
        before = sum(self._lost.values())
        for outlet in self._outlets:
            report = await rtc.receiver_report(outlet.sender)
            if report is not None:
                self.forwarders[outlet.mid].loss = report.fraction_lost
                # It goes down where packets come late or twice (RFC 3550 section 6.4.1).
                earlier = self._lost.get(outlet.mid, 0)
                self._lost[outlet.mid] = max(earlier, report.packets_lost)
        return sum(self._lost.values()) - before

    async def close(self) -> None:
        """End the connection."""
        await self.negotiation.close()
        for outlet in self._outlets:
            await outlet.close()


class RoomPresence:
    """What a session does in its room; ``run`` has to run beside it.

    Args:
        may_hear: whether the client may be sent what others say.
    """

    def __init__(
        self,
        request: SessionRequest,
        conferences: Conferences,
        tell: Callable[[RoomNews], None],
        mic: MicReader,
        track: SpeechTrack,
        may_hear: bool,
    ) -> None:
        self._request = request
        self._expires_at_s = request.principal.expires_at_s
        self._mark = secrets.token_hex(PARTICIPANT_ID_BYTES)
        """Stands for this session in rooms, and for those that go on with it."""
        self._muted = False
        """Whether the client was muted when it left its room."""
        self._withdrawals = Allowance(COMMAND_BURST, COMMANDS_PER_S)
        self._louder = Allowance(COMMAND_BURST, COMMANDS_PER_S)
        self._conferences = conferences
        self._tell = tell
        self._mic = mic
        self._track = track
        self._may_hear = may_hear
        self._member: Member | None = None
        self._recalled: Participant | None = None
        """As whom the client was in the room, until it is there to hear that it is again."""
        self._ear: Ear | None = None
        self._closed = False
        self._one_at_a_time = asyncio.Lock()
        self._closing: set[asyncio.Task[None]] = set()
        self._frames_sent = 0
        self._mic_tells = False
        """Whether the client's packets have a level; if not, it comes from what they decode to."""
        self._sent_level = self._heard_level = SILENT_LEVEL

    # --- what the client asks for ---------------------------------------------------------------

    def handle(self, message: RoomRequest) -> None:
        """Do what a message asks for.

        Raises:
            NotInRoom: it takes to be in the room.
            NotPermitted: the client's rights are not enough.
            NotRecording: they answer what nobody asks.
            PeerSentBadMessage: a name cannot be shown.
            ParticipantNotFound: it is about somebody who is not there.
            RecordingUnavailable: the room cannot be recorded.
            RateLimited: there were too many before it.
        """
        if not self._may_come(message):
            raise _too_fast()
        if isinstance(message, RoomJoin):
            self._join(message.publish, _checked(message.name))
            return
        if isinstance(message, RoomConsentRecording) and self._member is None and not message.agree:
            self._withdraw(message.keep)
            return
        member = joined(self._member)
        room, me = member.conference, member.participant_id
        match message:
            case RoomLeave():
                room.leave(me)
            case RoomPublish(publish=publish):
                room.publish(me, publish)
            case RoomMute(muted=muted, participant=target):
                room.mute(me, target or me, muted)
            case RoomKick(participant=target):
                room.kick(me, target)
            case RoomEnd():
                room.end(me)
            case RoomRecord(on=on):
                room.recording.record(me, on)
            case RoomConsentRecording(agree=agree, keep=keep):
                room.recording.consent(me, agree, keep)
            case _:
                assert_never(message)

    async def withdraw(self, recording_id: str) -> None:
        """Delete all that there is of the client in a recording, also when it has ended.

        Raises:
            NotRecorded: there is nothing of them in it.
            RecordedStill: it is of another room, and goes on.
            RecordingUnavailable: it cannot be changed.
            RateLimited: there were too many before it.
        """
        take_back = RoomConsentRecording(agree=False)
        if recording_id == self._conferences.recording_of(self._key):
            self.handle(take_back)
        elif self._may_come(take_back):
            person = self._own_part("nothing").person
            await self._conferences.withdraw_ended(self._key, person, recording_id)
        else:
            raise _too_fast()

    def _may_come(self, message: RoomRequest) -> bool:
        """Whether there were not too many before it; to withdraw counts by itself."""
        now = time.monotonic()
        if isinstance(message, RoomConsentRecording) and not message.agree:
            return self._withdrawals.take(now)
        return _quiets(message) or self._louder.take(now)

    def _withdraw(self, keep: bool) -> None:
        """Somebody who has left the room, or was put out, agrees to a recording no more."""
        absent = replace(self._own_part("nothing"), participant_id="")
        self._conferences.withdraw(self._key, absent, keep)
        self._tell(RoomRecording(state="off", recording_id="", answer=False))

    def _join(self, publish: Publishing, name: str | None) -> None:
        if not self._request.meets_others:
            raise NotPermitted(
                "the others in this room are in another process: join a room with a name of its own"
            )
        member = self._member
        if member is not None:
            member.conference.publish(member.participant_id, publish, name)
            member.conference.introduce(member.participant_id)
            return
        own = self._own_part(publish)
        self._enter(own if name is None else replace(own, name=name))

    @property
    def _key(self) -> RoomKey:
        return (self._request.principal.tenant, self._request.room)

    def _own_part(self, publish: Publishing) -> Participant:
        own = participant_of(
            self._request,
            publish,
            self._expires_at_s,
            time.time(),
            time.monotonic(),
            self._mark,
        )
        return replace(own, muted=self._muted)

    def _enter(self, participant: Participant) -> None:
        enter = self._conferences.enter
        self._member = enter(self._key, participant, self._tell, self._on_gone)
        self._recalled = None
        self._mic.on_packet(self._on_mic)
        self._track.on_packet = self._on_speech
        self._hear()

    def renew(self, expires_at_s: float | None) -> None:
        """The client may be in the room until this Unix time, or always."""
        self._expires_at_s = expires_at_s
        if self._member is not None:
            expires_at = _monotonic(expires_at_s, time.time(), time.monotonic())
            self._member.conference.renew(self._member.participant_id, expires_at)

    def _on_gone(self, gone: Gone) -> None:
        self._member, self._muted = None, gone.participant.muted
        self._mic.on_packet(None)
        self._track.on_packet = None
        self._sent_level = self._heard_level = SILENT_LEVEL
        logger.info("a participant left their room: %s", gone.reason)

    # --- when the client is lost and comes back -------------------------------------------------

    @property
    def attendance(self) -> Attendance:
        """What there is to go on with."""
        there = self._participant
        return Attendance(self._mark, self._muted if there is None else there.muted, there)

    @property
    def _participant(self) -> Participant | None:
        """As whom the client is in the room, or will be when it has come back."""
        member = self._member
        if member is None:
            return self._recalled
        return member.conference.participant(member.participant_id)

    @property
    def is_withheld(self) -> bool:
        """Whether those who listen by other ways are to hear nothing of what the session says.

        Of one that is in the room they hear no more than the others there.
        """
        there = self._participant
        if there is not None:
            return there.publishing != "voice" or not there.heard
        return self._conferences.keeps_out(self._key, self._own_part("nothing"))

    def recall(self, earlier: Attendance) -> None:
        """Be in the room as an earlier session was, from ``go_on`` on."""
        self._mark = earlier.mark or self._mark
        self._muted, self._recalled = earlier.muted, earlier.participant

    def go_on(self) -> None:
        """Enter the room again, once: the client is there now to be told.

        It has the id that it had, and stays muted if it was. Where the same user has come in by
        another way meanwhile, that one stays.
        """
        earlier, self._recalled = self._recalled, None
        if earlier is None or self._member is not None:
            return
        own = self._own_part(earlier.publishing)
        if self._conferences.has_user(self._key, own.user):
            self._tell(RoomLeft(reason="replaced"))
            return
        try:
            as_before = replace(
                own,
                participant_id=earlier.participant_id,
                name=earlier.name,
                muted=earlier.muted,
            )
            self._enter(as_before)
        except KeptOut:
            self._tell(RoomLeft(reason="kicked"))
        except NotPermitted:
            # The new token has other rights than the earlier one.
            self._tell(RoomLeft(reason="left"))

    # --- what the others hear -------------------------------------------------------------------

    def attach(self, receiver: RTCRtpReceiver) -> None:
        """Tell whoever sends the microphone's packets also of losses on the way to the others."""
        pass_on_loss(receiver, lambda: self.loss)

    @property
    def loss(self) -> float:
        """Share of what we send on that the worst-off listener loses, 0 to 1."""
        member = self._member
        if member is None:
            return 0.0
        return member.conference.downstream_loss(member.participant_id)

    def sent(self, frame: Pcm16) -> None:
        """Take the frame of the speech packet that comes next."""
        if self._member is not None:
            self._sent_level = _level(frame)

    @property
    def needs_sound(self) -> bool:
        """Whether the level of the microphone has to come from its sound."""
        return self._member is not None and not self._mic_tells

    def heard(self, pcm: Pcm16) -> None:
        """Take what the microphone's last packets were decoded to."""
        if self.needs_sound:
            self._heard_level = _level(pcm)

    def _on_mic(self, packet: RtpPacket) -> None:
        media = received(cast(ReceivedPacket, packet))
        self._mic_tells = media.level is not None
        if not self._mic_tells:
            media = replace(media, level=self._heard_level)
        self._push("mic", media)

    def _on_speech(self, payload: bytes) -> None:
        self._frames_sent += 1
        packet = MediaPacket(
            OUR_SSRC,
            self._frames_sent % SEQUENCES,
            self._frames_sent * FRAME_TICKS % TICKS,
            payload,
            level=self._sent_level,
        )
        self._push("voice", packet)

    def _push(self, kind: Publishing, packet: MediaPacket) -> None:
        if self._member is not None:
            self._member.conference.push(self._member.participant_id, kind, packet)

    # --- what is recorded of what is said -------------------------------------------------------

    def piece(self, piece: Caption) -> None:
        """Take a piece of text that is said next."""
        if self._member is not None:
            self._member.conference.recording.piece(self._member.participant_id, piece)

    def told(self, message: ServerMessage) -> None:
        """Take what the client is told of its speech, when it is heard."""
        if self._member is not None and isinstance(message, Word):
            self._member.conference.recording.word(self._member.participant_id, message)

    # --- hearing the others ---------------------------------------------------------------------

    async def answer(self, offer_sdp: str) -> str:
        """Answer an offer of the connection that hears the room; a later one may add sections.

        One of another connection takes the place of the first.

        Raises:
            SessionRefused: ``forbidden`` without the right to listen, ``closed`` after the end of
                the session; else see ``Negotiation.answer``.
        """
        if not self._may_hear:
            raise SessionRefused(
                "forbidden", "to hear a room takes the right to listen: ask for a token that has it"
            )
        async with self._one_at_a_time:
            if self._closed:
                raise SessionRefused("closed", "this session has ended: join again")
            if self._ear is not None:
                try:
                    answer = await self._ear.negotiation.answer(offer_sdp)
                except SessionRefused as error:
                    if error.code not in ("new_connection", "closed"):
                        raise
                else:
                    self._hear()
                    return answer
            return await self._hear_anew(offer_sdp)

    async def _hear_anew(self, offer_sdp: str) -> str:
        ear = Ear(self._request, self._lose)
        try:
            answer = await ear.negotiation.answer(offer_sdp)
        except BaseException:
            await ear.close()
            raise
        old, self._ear = self._ear, ear
        self._hear()
        if old is not None:
            await old.close()
        return answer

    async def add_candidate(
        self, candidate: str | None, sdp_mid: str | None, sdp_mline_index: int | None
    ) -> None:
        """Add a trickled candidate; raises as ``Negotiation.add_candidate`` does."""
        if self._ear is not None:
            await self._ear.negotiation.add_candidate(candidate, sdp_mid, sdp_mline_index)

    def _hear(self) -> None:
        if self._member is not None and self._ear is not None:
            member = self._member
            member.conference.listen(member.participant_id, self._ear.forwarders.items())

    def _lose(self, ear: Ear) -> None:
        """A connection has ended: the room needs to send nothing there."""
        if ear is not self._ear:
            return
        self._ear = None
        if self._member is not None:
            self._member.conference.listen(self._member.participant_id, ())
        task = asyncio.create_task(ear.close(), name="close ear")
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    # --- life -----------------------------------------------------------------------------------

    async def run(self) -> None:
        """Read reports until cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            if self._ear is not None:
                self._conferences.traffic.lost += await self._ear.read_reports()

    async def close(self, back_within_s: float = 0.0) -> None:
        """Leave the room and end the connection to it, for good.

        Another session may go on with what there was of it for so long.
        """
        self._closed = True
        if self._member is not None:
            self._member.conference.leave(self._member.participant_id, back_within_s)
        async with self._one_at_a_time:
            ear, self._ear = self._ear, None
            if ear is not None:
                await ear.close()
        await asyncio.gather(*self._closing)


def _too_fast() -> RateLimited:
    return RateLimited("messages about the room come too fast: try again in 1 s")


def _checked(name: str | None) -> str | None:
    if name is not None and (len(name) > MAX_NAME_CHARS or not name.isprintable()):
        raise PeerSentBadMessage(f"a name has at most {MAX_NAME_CHARS} printable characters")
    return name


def _quiets(message: RoomRequest) -> bool:
    """Whether nobody is heard or recorded after it who was not before."""
    match message:
        case RoomLeave() | RoomKick() | RoomEnd():
            return True
        case RoomMute(muted=muted):
            return muted
        case RoomPublish(publish=publish):
            return publish == "nothing"
        case RoomRecord(on=on):
            return not on
        case RoomJoin() | RoomConsentRecording():
            return False
        case _:
            assert_never(message)


def participant_of(
    request: SessionRequest,
    publish: Publishing,
    expires_at_s: float | None,
    unix_s: float,
    now: float,
    session: str = "",
) -> Participant:
    """Who a session's client is in its room, until ``expires_at_s`` (Unix time).

    ``session`` stands for the session; ``unix_s`` and ``now`` are the same moment.
    """
    principal: Principal = request.principal
    return Participant(
        participant_id=secrets.token_hex(PARTICIPANT_ID_BYTES),
        name=request.name,
        user=principal.owner if principal.subject else "",
        publishing=publish,
        session=session,
        may_publish="speak" in principal.rights,
        may_listen="listen" in principal.rights,
        may_manage="manage" in principal.rights,
        expires_at=_monotonic(expires_at_s, unix_s, now),
    )


def is_kept_out(request: SessionRequest, conferences: Conferences) -> bool:
    """Whether a session's client was put out of its room, and may not come back yet."""
    key = (request.principal.tenant, request.room)
    return conferences.keeps_out(key, participant_of(request, "nothing", None, 0.0, 0.0))


def _monotonic(at_s: float | None, unix_s: float, now: float) -> float | None:
    """A Unix time by the clock of rooms."""
    return None if at_s is None else now + at_s - unix_s


def _level(pcm: Pcm16) -> int:
    """The byte of a level extension for some sound."""
    return min(SILENT_LEVEL, max(0, round(-level_dbfs(from_pcm16(pcm)))))
