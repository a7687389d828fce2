"""One stay in a room of a Janus server, from the first request to the last, by messages and time.

    CREATING -> ATTACHING -> JOINING -> PUBLISHING -> STAYING -> LEAVING -> CLOSING -> OVER

Each step sends one request and waits for its answer; any of them may end in OVER. It knows neither
sockets nor media: descriptions come and go as text.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias, assert_never

from voicepeer.core.errors import RoomError
from voicepeer.core.janus import messages
from voicepeer.core.janus.messages import BadJanusMessage, Fields, ServerMessage, words_of
from voicepeer.core.janus.plugins import (
    PLUGINS,
    Entered,
    Entry,
    PutOut,
    WrongKind,
    of_api,
    room_ids,
)

ANSWER_S: Final = 10.0
"""For the server to answer a request."""

KEEPALIVE_S: Final = 20.0
"""Between two; a server that is not set otherwise forgets a session after a minute of silence."""

GOODBYE_S: Final = 2.0
"""For the server to confirm the end; it notices the closed socket by itself, too."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send this text to the server."""

    text: str


@dataclass(frozen=True, slots=True)
class Accepted:
    """The server takes the offer; what it says besides is for the connection of media."""

    participant: str
    answer_sdp: str


@dataclass(frozen=True, slots=True)
class Connected:
    """The server has the connection of media, and lets the room hear it."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The stay is over; ``error`` is why, ``None`` for our own leaving."""

    error: RoomError | None


Step: TypeAlias = Send | Accepted | Connected | Ended


class Stage(Enum):
    """How far it has come, with what is said of it where nothing more comes."""

    CREATING = "the server did not open a session in time"
    ATTACHING = "the server did not open its plugin in time"
    JOINING = "the room did not answer in time"
    PUBLISHING = "the room did not answer the offer in time"
    STAYING = "the server has not answered for some time"
    LEAVING = "the room did not confirm the end in time"
    CLOSING = "the server did not confirm the end in time"
    OVER = "it is over"


_AFTERWARDS: Final = (Stage.LEAVING, Stage.CLOSING, Stage.OVER)


class Dialogue:
    """The stay of one participant who only sends; ``start`` begins it.

    Each method gives what is to be done, in this order. After ``Ended`` nothing more comes.
    """

    def __init__(self, entry: Entry, offer_sdp: str) -> None:
        self._entry = entry
        self._offer_sdp = offer_sdp
        self._plugin = PLUGINS[entry.plugin]
        self._rooms = list(room_ids(entry.room))
        self._stage = Stage.CREATING
        self._session: int | None = None
        self._handle: int | None = None
        self._participant = ""
        self._transactions = map(str, itertools.count(1))
        self._awaited = ""
        """Transaction of the request whose answer leads on."""
        self._deadline: float | None = None
        """For that answer."""
        self._keepalive_at: float | None = None

    @property
    def stage(self) -> Stage:
        """How far it has come."""
        return self._stage

    def start(self, now: float) -> list[Step]:
        """The first request."""
        return [self._request("create", now)]

    def leave(self, now: float) -> list[Step]:
        """Leave the room and end the session; before there is one, that is all of it."""
        if self._stage in _AFTERWARDS:
            return []
        if self._session is None:
            return self._end(None)
        if self._handle is None:
            return self._close(now)
        self._stage = Stage.LEAVING
        return [self._request("message", now, GOODBYE_S, body={"request": "leave"})]

    def next_deadline(self) -> float | None:
        """When ``tick`` is due."""
        due = [at for at in (self._deadline, self._keepalive_at) if at is not None]
        return min(due, default=None)

    def tick(self, now: float) -> list[Step]:
        """What time brings: a request that nobody answers, or a sign of life to be sent."""
        if self._deadline is not None and now >= self._deadline:
            return self._end(self._unless_leaving(_lost("timeout", self._stage.value)))
        if self._keepalive_at is not None and now >= self._keepalive_at:
            return [self._request("keepalive", now)]
        return []

    def take(self, data: str | bytes, now: float) -> list[Step]:
        """A message of the server; what cannot be read ends it."""
        if self._stage is Stage.OVER:
            return []
        try:
            message = messages.read(data)
        except BadJanusMessage as error:
            return self._end(RoomError("not_janus", f"the server sent {error}"))
        if message.transaction and message.transaction == self._awaited:
            return self._answered(message, now)
        if message.sender and message.sender == self._handle or message.janus == "timeout":
            return self._told(message)
        return []

    def closed(self) -> list[Step]:
        """The connection to the server is gone."""
        if self._stage is Stage.OVER:
            return []
        message = "the server has closed the connection: it may have been stopped"
        return self._end(self._unless_leaving(_lost("lost", message)))

    # --- inside ---------------------------------------------------------------------------------

    def _request(self, kind: str, now: float, within_s: float = ANSWER_S, **fields: object) -> Send:
        self._awaited = next(self._transactions)
        self._deadline, self._keepalive_at = now + within_s, None
        text = messages.write(
            kind,
            self._awaited,
            session_id=self._session,
            handle_id=self._handle if kind == "message" else None,
            token=self._entry.token,
            apisecret=self._entry.api_secret,
            **fields,
        )
        return Send(text)

    def _answered(self, message: ServerMessage, now: float) -> list[Step]:
        if message.janus == "error":
            return self._end(self._unless_leaving(of_api(message.error)))
        if message.janus == "ack" and self._stage is not Stage.STAYING:
            return []  # the answer itself comes later
        match self._stage:
            case Stage.CREATING:
                return self._opened(message.data.id, now)
            case Stage.ATTACHING:
                return self._attached(message.data.id, now)
            case Stage.JOINING:
                return self._joined(message.plugindata.data, now)
            case Stage.PUBLISHING:
                return self._published(message, now)
            case Stage.STAYING:
                self._rest(now)
                return []
            case Stage.LEAVING:
                return self._close(now)
            case Stage.CLOSING | Stage.OVER:
                return self._end(None)
            case _:
                assert_never(self._stage)

    def _opened(self, session: int, now: float) -> list[Step]:
        self._session, self._stage = session, Stage.ATTACHING
        return [self._request("attach", now, plugin=self._plugin.package)]

    def _attached(self, handle: int, now: float) -> list[Step]:
        self._handle, self._stage = handle, Stage.JOINING
        return [self._join(now)]

    def _join(self, now: float) -> Send:
        return self._request("message", now, body=self._plugin.join(self._entry, self._rooms[0]))

    def _joined(self, data: Fields, now: float) -> list[Step]:
        match self._plugin.read(data):
            case Entered(participant):
                self._participant, self._stage = participant, Stage.PUBLISHING
                # All candidates are in the offer; the server puts all of its own in the answer.
                jsep = {"type": "offer", "sdp": self._offer_sdp, "trickle": False}
                return [self._request("message", now, body=self._plugin.publish(), jsep=jsep)]
            case WrongKind() if len(self._rooms) > 1:
                del self._rooms[0]
                return [self._join(now)]
            case RoomError() as error:
                return self._end(error)
            case PutOut(error):
                return self._end(error)
            case _:
                message = "no room of the server can have this id: are its ids whole numbers?"
                return self._end(RoomError("no_such_room", message))

    def _published(self, message: ServerMessage, now: float) -> list[Step]:
        match self._plugin.read(message.plugindata.data):
            case RoomError() as error:
                return self._end(error)
            case PutOut(error):
                return self._end(error)
            case _:
                pass
        if message.jsep is None or message.jsep.type != "answer":
            return self._end(_lost("janus_refused", "the room did not answer the offer"))
        self._stage = Stage.STAYING
        self._rest(now)
        return [Accepted(self._participant, message.jsep.sdp)]

    def _rest(self, now: float) -> None:
        """Wait for nothing but the next sign of life."""
        self._awaited, self._deadline, self._keepalive_at = "", None, now + KEEPALIVE_S

    def _told(self, message: ServerMessage) -> list[Step]:
        """What the server says of itself, or of our handle."""
        if self._stage in _AFTERWARDS:
            return []
        match message.janus:
            case "event":
                told = self._plugin.read(message.plugindata.data)
                return self._end(told.error) if isinstance(told, PutOut) else []
            case "webrtcup":
                return [Connected()]
            case "hangup":
                reason = words_of(message.reason) or "no reason given"
                return self._end(_lost("lost", f"the server has ended the connection: {reason}"))
            case "detached" | "timeout":
                return self._end(_lost("lost", "the server has ended the session"))
            case _:
                return []

    def _close(self, now: float) -> list[Step]:
        self._stage = Stage.CLOSING
        return [self._request("destroy", now, GOODBYE_S)]

    def _unless_leaving(self, error: RoomError) -> RoomError | None:
        """Whoever leaves does not mind how."""
        return None if self._stage in _AFTERWARDS else error

    def _end(self, error: RoomError | None) -> list[Step]:
        self._stage = Stage.OVER
        self._deadline = self._keepalive_at = None
        return [Ended(error)]


def _lost(code: str, message: str) -> RoomError:
    return RoomError(code, message, retryable=True)
