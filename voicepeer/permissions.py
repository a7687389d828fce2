"""Which right each message of a client needs, and what it takes from their limits."""

from __future__ import annotations

from collections.abc import Mapping

from signaling.limits import LimitReached, Spend, spend_freely
from signaling.principal import ANONYMOUS, AccessRefused, Principal, Right
from voicepeer.core.errors import NotPermitted, RateLimited
from voicepeer.core.messages import (
    Append,
    Cancel,
    ClientMessage,
    End,
    EnrolStart,
    EnrolStop,
    Flush,
    Ping,
    SessionConfigure,
    SetControls,
    SetLexicon,
    Speak,
    StatsGet,
    VoiceMix,
    VoiceSave,
    VoiceUse,
)
from voicepeer.core.room_messages import (
    RoomConsentRecording,
    RoomEnd,
    RoomJoin,
    RoomKick,
    RoomLeave,
    RoomMute,
    RoomPublish,
    RoomRecord,
    RoomWithdrawRecording,
)
from voicepeer.core.rtvi import ClientReady, DisconnectBot, SendText

RIGHTS: Mapping[type, Right | None] = {
    **dict.fromkeys((SendText, Speak, Append, Flush, End), "speak"),
    **dict.fromkeys((SetControls, SetLexicon, VoiceMix, VoiceUse), "speak"),
    **dict.fromkeys((EnrolStart, EnrolStop, VoiceSave), "enrol"),
    **dict.fromkeys((ClientReady, DisconnectBot, Cancel, Ping, SessionConfigure, StatsGet), None),
    **dict.fromkeys((RoomJoin, RoomLeave, RoomPublish, RoomMute), None),
    **dict.fromkeys((RoomConsentRecording, RoomWithdrawRecording), None),
    **dict.fromkeys((RoomKick, RoomEnd, RoomRecord), "manage"),
}
"""Of every message; ``None`` is for what tells or asks about the session itself, which whoever is
in it may do. Falling silent is among it. What it takes to be heard in a room and to mute others
there is decided in the room (``core.rooms``)."""


class Permissions:
    """What one client may do in its session."""

    def __init__(self, principal: Principal = ANONYMOUS, spend: Spend = spend_freely) -> None:
        self._principal = principal
        self._spend = spend

    @property
    def hears(self) -> bool:
        """Whether they may be sent what is said."""
        return "listen" in self._principal.rights

    async def check(self, message: ClientMessage) -> None:
        """Go on only with what they may send, and only within their limits.

        Raises:
            NotPermitted: their key or token has not the right.
            RateLimited: it was too much in too short a time.
        """
        right = RIGHTS[type(message)]
        try:
            if right is not None:
                self._principal.need(right)
            await self._pay(message)
        except AccessRefused as error:
            raise NotPermitted(str(error)) from error
        except LimitReached as error:
            raise RateLimited(str(error)) from error

    async def pay_for_more(self, chars: int) -> None:
        """So many characters more were to be said than they had written.

        Raises:
            RateLimited: it was too much in too short a time.
        """
        try:
            await self._spend("characters", chars)
        except LimitReached as error:
            raise RateLimited(str(error)) from error

    async def _pay(self, message: ClientMessage) -> None:
        match message:
            case SendText(content=text) | Speak(text=text) | Append(text=text):
                await self._spend("characters", len(text))
            case EnrolStart():
                await self._spend("clones", 1)
            case _:
                pass
