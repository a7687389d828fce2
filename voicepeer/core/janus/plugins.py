"""The two room plugins of Janus: how a speaker enters, publishes and leaves, and what they answer.

AudioBridge mixes what its participants say (https://janus.conf.meetecho.com/docs/audiobridge.html),
VideoRoom forwards it (https://janus.conf.meetecho.com/docs/videoroom.html).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from voicepeer.core.errors import RoomError
from voicepeer.core.janus.messages import Fields, JanusFault, words_of

RoomId: TypeAlias = int | str
PluginName: TypeAlias = Literal["audiobridge", "videoroom"]

MAX_ID_DIGITS: Final = 19
"""Ids of rooms are whole numbers of 64 bits, unless the server is set to use text."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a bot goes and as whom; ``token`` and ``api_secret`` are those of the server's API."""

    plugin: PluginName
    room: str
    name: str
    pin: str | None = None
    token: str | None = None
    api_secret: str | None = None


@dataclass(frozen=True, slots=True)
class Entered:
    """The room was entered; the own id there."""

    participant: str


@dataclass(frozen=True, slots=True)
class PutOut:
    """Somebody has ended the stay."""

    error: RoomError


@dataclass(frozen=True, slots=True)
class WrongKind:
    """The server has rooms with ids of the other kind: text or numbers."""


PluginNews: TypeAlias = Entered | PutOut | WrongKind | RoomError


@dataclass(frozen=True, slots=True)
class Plugin:
    """One of the two; the numbers are those of its errors that are told apart."""

    name: PluginName
    missing_element: int
    invalid_element: int
    no_such_room: int
    unauthorized: int
    publishers_full: int | None

    @property
    def package(self) -> str:
        """What a handle is attached to."""
        return f"janus.plugin.{self.name}"

    def join(self, entry: Entry, room: RoomId) -> Fields:
        """Enter the room as somebody who publishes."""
        asked = {"request": "join", "room": room, "display": entry.name}
        optional = {"pin": entry.pin, "token": entry.token}
        asked |= {name: value for name, value in optional.items() if value is not None}
        return asked if self.name == "audiobridge" else asked | {"ptype": "publisher"}

    def publish(self) -> Fields:
        """Begin to send; an offer goes with it."""
        if self.name == "audiobridge":
            return {"request": "configure", "muted": False}
        return {"request": "publish"}

    def read(self, data: Mapping[str, object]) -> PluginNews | None:
        """What an event of the plugin says about ourselves, ``None`` for all else."""
        match data.get("error_code"), data.get("error"):
            case int(code), str(text):
                return self._fault(code, text)
            case int(code), _:
                return self._fault(code, "")
            case _:
                pass
        kind = data.get(self.name)
        if kind == "destroyed":
            return PutOut(RoomError("room_ended", "the room has been closed at the server"))
        if self._kicks(data):
            message = "somebody who manages the room has put the bot out"
            return PutOut(RoomError("kicked", message))
        participant = data.get("id")
        if kind == "joined" and isinstance(participant, int | str):
            return Entered(str(participant))
        return None

    def _kicks(self, data: Mapping[str, object]) -> bool:
        # VideoRoom tells those who stay of a "kicked" as well; whoever goes is told of "leaving".
        if self.name == "videoroom":
            return data.get("leaving") == "ok" and data.get("reason") == "kicked"
        return "kicked" in data

    def _fault(self, code: int, text: str) -> RoomError | WrongKind:
        words, lower = words_of(text), text.lower()
        if code == self.invalid_element and "(room " in lower:
            return WrongKind()
        if code == self.no_such_room:
            return RoomError("no_such_room", "the server has no such room", retryable=True)
        if code == self.missing_element and "(pin)" in lower:
            return RoomError("wrong_pin", "the room asks for a PIN, and none was given")
        if code == self.unauthorized and "pin" in lower:
            return RoomError("wrong_pin", "the PIN is not that of the room")
        if code == self.unauthorized:
            return RoomError("not_allowed", f"the room does not admit this token: {words}")
        if code == self.publishers_full:
            message = "as many speak in the room as it has places for"
            return RoomError("room_full", message, retryable=True)
        return RoomError("room_refused", f"the room refuses: {words} ({code})", retryable=True)


PLUGINS: Final[Mapping[PluginName, Plugin]] = {
    "audiobridge": Plugin("audiobridge", 483, 484, 485, 489, None),
    "videoroom": Plugin("videoroom", 429, 430, 426, 433, 432),
}
"""The numbers are those of ``janus_audiobridge.c`` and ``janus_videoroom.c``, Janus 1.x."""


def room_ids(room: str) -> tuple[RoomId, ...]:
    """What a room may be called at the server, the likelier first."""
    if room.isascii() and room.isdecimal() and len(room) <= MAX_ID_DIGITS:
        return int(room), room
    return (room,)


_FOR_GOOD: Final[Mapping[int, tuple[str, str]]] = {
    403: ("unauthorized", "the server refuses: its API secret or token is wrong or missing"),
    405: ("unauthorized", "the token does not allow this plugin of the server"),
    460: ("plugin_missing", "the server does not have this plugin, or has not loaded it"),
}
"""Numbers of the Janus API, as in ``apierror.h``."""


def of_api(fault: JanusFault) -> RoomError:
    """What a refusal of the server itself means."""
    if fault.code in _FOR_GOOD:
        return RoomError(*_FOR_GOOD[fault.code])
    words = words_of(fault.reason)
    return RoomError("janus_refused", f"the server refuses: {words} ({fault.code})", retryable=True)
