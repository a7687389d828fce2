"""A participant of a room who says what it is given: a bot.

It has a session of our service, which makes its speech, and speaks in a room of that service or,
through an adapter, in one of somebody else.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

from voicepeer.adapters import RoomAdapter, RoomError
from voicepeer.client import (
    CallEnded,
    RequestFailed,
    SessionLost,
    SignalingFailed,
    VoicePeerClient,
)
from voicepeer.core.backoff import Backoff
from voicepeer.core.errors import AtCapacity, VoicePeerError
from voicepeer.core.messages import (
    Accepted,
    Cancelled,
    ClientMessage,
    Done,
    Failed,
    ServerMessage,
    Speak,
)
from voicepeer.core.room_messages import RoomLeft
from voicepeer.core.rooms.room import Reason
from voicepeer.core.rtvi import Error

logger = logging.getLogger(__name__)

GIVE_UP_S: Final = 60.0
"""As long as a service keeps what a lost client has left, unless it is set otherwise."""

FIRST_JOIN_S: Final = 30.0
"""For a service to have models loaded and processes started."""

FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 8.0
"""Between two attempts to come back, at most; each wait is twice the one before."""

MAX_WAITING: Final = 1_000
"""Messages that wait for a lost connection."""

COMES_BACK_AFTER: Final = frozenset(
    {
        "channel_closed",
        "client_reads_nothing",
        "client_vanished",
        "connect_timeout",
        "connection_lost",
        "shutting_down",
        "signaling_lost",
    }
)
"""Of the reasons that a service says goodbye with; after others nobody is wanted back."""

REFUSED_FOR_GOOD: Final = frozenset(
    {"bad_name", "forbidden", "invalid_api_key", "invalid_token", "token_expired"}
)
"""Of the reasons that a service refuses a session for: asking again would not help."""

NOT_YET: Final = frozenset({"not_ready"})
"""Of those reasons, what is tried again from the very beginning. A service that cannot be reached
is rather a wrong address."""

_PUT_OUT: Final[dict[Reason, str]] = {
    "left": "it has left the room",
    "kicked": "somebody who manages the room has put it out",
    "room_ended": "somebody who manages the room has ended it",
    "replaced": (
        "another participant of the same user has taken its place: give each a token of its own, "
        "or one without a subject"
    ),
    "token_expired": "its token has expired: start it again with a new one",
}


class BotFailed(VoicePeerError):
    """A bot cannot be in its room, or can no more; the message says which bot and why."""

    code = "bot_failed"


@dataclass(frozen=True, slots=True)
class Place:
    """Where bots go: the service's URL, the room, and the token if the service asks for one.

    ``elsewhere`` makes each bot its place in somebody else's room, where it speaks instead.
    """

    url: str
    room: str
    token: str | None = None
    elsewhere: Callable[[], RoomAdapter] | None = None


@dataclass(frozen=True, slots=True)
class Joined:
    """A bot is in the room; told again when it has come back as somebody new."""

    bot: str
    participant: str


@dataclass(frozen=True, slots=True)
class Said:
    """A bot has said a text to its end; ``audio_ms`` is not known of one that ended while the
    connection was lost."""

    bot: str
    line: int
    audio_ms: float | None


@dataclass(frozen=True, slots=True)
class Refused:
    """The service did not let a bot say a text; ``message`` is for a person."""

    bot: str
    line: int
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A bot's connection is lost, and it tries to come back."""

    bot: str
    message: str


@dataclass(frozen=True, slots=True)
class Back:
    """A bot has come back; what it was saying goes on."""

    bot: str


@dataclass(frozen=True, slots=True)
class Listening:
    """Bots take text over WebSockets at ``url``."""

    url: str


BotNews: TypeAlias = Joined | Said | Refused | Lost | Back | Listening
Tell: TypeAlias = Callable[[BotNews], None]


@dataclass(slots=True, eq=False)
class _Text:
    """What is being said."""

    message: Speak
    done: asyncio.Future[float | None]
    accepted: bool = False


class Bot:
    """One participant; an async context manager that is in the room while the block lasts.

    ``attend`` has to run beside it. Without a ``voice`` it speaks with the one of its token.

    Raises, on entering:
        BotFailed: the service or the room cannot be entered, or there is no such voice.
    """

    def __init__(self, place: Place, name: str, voice: str | None, tell: Tell) -> None:
        self.name = name
        self._voice = voice
        self._tell = tell
        self._text: _Text | None = None
        self._place = place
        self._client = self._new_client()
        self._elsewhere = None if place.elsewhere is None else place.elsewhere()
        self._participant: str | None = None
        """The own id in somebody else's room, while connected there."""
        self._waiting: list[ClientMessage] = []
        """What was to be sent while the connection was lost."""
        self.on_message: Callable[[ServerMessage], None] = lambda message: None
        """Gets all that the service says while ``attend`` runs; must not block."""
        self.on_back: Callable[[Collection[str], Collection[str]], None] = lambda on, unsent: None
        """Told when a lost connection is back, with the ids of utterances that go on, and of those
        that messages have waited for."""

    async def __aenter__(self) -> Self:
        try:
            await self._explained(self._come_in())
            await self._explained(self._settle())
        except BaseException:
            await self._leave()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._leave()

    async def say(self, text: str) -> float | None:
        """Say a text to its end; how many milliseconds of speech that were, if that is known.

        Raises:
            RequestFailed: the service does not say this text.
        """
        message = Speak(utterance_id=secrets.token_hex(8), text=text)
        self._text = _Text(message, asyncio.get_running_loop().create_future())
        try:
            self._send()
            return await self._text.done
        finally:
            self._text = None

    def send(self, message: ClientMessage) -> None:
        """Send a message to the service; while the connection is lost it waits for the next one.

        Raises:
            AtCapacity: too many wait already.
        """
        try:
            if not self._waiting:
                self._client.call.send(message)
                return
        except CallEnded:
            logger.info("a message has to wait until the connection is back")
        if len(self._waiting) >= MAX_WAITING:
            raise AtCapacity("the bot's connection is lost: send it again when it is back")
        self._waiting.append(message)

    async def attend(self) -> None:
        """Follow what happens to the bot, and come back when its connection is lost.

        Raises:
            BotFailed: it is out of the room for good.
        """
        while True:
            reason = await self._until_lost()
            self._tell(Lost(self.name, reason))
            await self._come_back()

    # --- inside ---------------------------------------------------------------------------------

    def _new_client(self) -> VoicePeerClient:
        place = self._place
        return VoicePeerClient(place.url, room=place.room, name=self.name, token=place.token)

    async def _come_in(self) -> None:
        """Get the first session, of a service that may be about to be ready."""
        backoff = Backoff(FIRST_WAIT_S, LONGEST_WAIT_S, FIRST_JOIN_S, time.monotonic())
        while True:
            try:
                await self._client.__aenter__()
                return
            except SignalingFailed as error:
                wait_s = backoff.wait_s(time.monotonic())
                if error.code not in NOT_YET or wait_s is None:
                    raise
                logger.info("%s is not in yet: %s", self.name, error)
            await asyncio.sleep(wait_s)
            self._client = self._new_client()

    async def _settle(self) -> None:
        """Do in a new session what makes a bot of it."""
        if self._voice is not None:
            await self._client.use_voice(self._voice)
        if self._elsewhere is None:
            joined = await self._client.join_room("voice")
            self._tell(Joined(self.name, joined.participant))
        elif self._participant is None:
            await self._enter(self._elsewhere)

    async def _enter(self, elsewhere: RoomAdapter) -> None:
        """Be in somebody else's room, for the first time or again."""
        self._client.on_speech = elsewhere.push
        self._participant = await elsewhere.join(self.name)
        self._tell(Joined(self.name, self._participant))

    async def _leave(self) -> None:
        try:
            if self._elsewhere is not None:
                await self._elsewhere.leave()
        finally:
            await self._client.close()

    async def _explained(self, step: Coroutine[Any, Any, object]) -> None:
        try:
            await step
        except (SignalingFailed, CallEnded, RequestFailed, RoomError) as error:
            raise self._failed(str(error)) from error
        except TimeoutError as error:
            raise self._failed("the service did not answer in time") from error

    def _failed(self, why: str) -> BotFailed:
        return BotFailed(f"{self.name}: {why}")

    async def _until_lost(self) -> str:
        """Follow both connections, or the only one, until one of them is lost; why it is."""
        if self._elsewhere is None:
            return await self._follow()
        following = asyncio.create_task(self._follow(), name="bot's session")
        staying = asyncio.create_task(self._elsewhere.lost(), name="bot's room")
        try:
            await asyncio.wait({following, staying}, return_when=asyncio.FIRST_COMPLETED)
            if not staying.done():
                return await following
            reason = await staying
        except RoomError as error:
            raise self._failed(str(error)) from error
        finally:
            for task in (following, staying):
                task.cancel()
            await asyncio.gather(following, staying, return_exceptions=True)
        self._participant = None
        # What nobody hears is not said: it goes on from here when the room is back.
        await self._client.suspend()
        return reason

    async def _follow(self) -> str:
        """Take what the service says until the call is over; why it is."""
        try:
            with self._client.listening() as messages:
                async for message in messages:
                    self._note(message)
                    self.on_message(message)
        except CallEnded as error:
            return str(error)
        raise AssertionError("messages end with CallEnded only")

    def _note(self, message: ServerMessage) -> None:
        if isinstance(message, RoomLeft):
            raise self._failed(_PUT_OUT[message.reason])
        text = self._text
        if text is None or text.done.done():
            return
        if getattr(message, "utterance_id", None) != text.message.utterance_id:
            return
        match message:
            case Accepted():
                text.accepted = True
            case Done(audio_ms=audio_ms):
                text.done.set_result(audio_ms)
            case Error(code=code, error=why) | Failed(code=code, message=why):
                text.done.set_exception(RequestFailed(code, why))
            case Cancelled():
                text.done.set_exception(RequestFailed("cancelled", "somebody cancelled it"))
            case _:
                pass

    async def _come_back(self) -> None:
        backoff = Backoff(FIRST_WAIT_S, LONGEST_WAIT_S, GIVE_UP_S, time.monotonic())
        while (wait_s := backoff.wait_s(time.monotonic())) is not None:
            await asyncio.sleep(wait_s)
            # The goodbye takes another way than the call, and may come after its end.
            bye = self._client.bye_reason
            if bye is not None and bye not in COMES_BACK_AFTER:
                raise self._failed(f"the service has ended the call: {bye}")
            try:
                await self._return()
                return
            except (SignalingFailed, CallEnded, TimeoutError, RequestFailed, RoomError) as error:
                if _is_for_good(error):
                    raise self._failed(str(error)) from error
                logger.info("not back yet: %s", error)
        raise self._failed(f"no way back for {GIVE_UP_S:.0f} s: is {self._where()} running?")

    def _where(self) -> str:
        if self._elsewhere is not None and self._participant is None:
            return "the server of the room"
        return "the service"

    async def _return(self) -> None:
        if self._elsewhere is not None and self._participant is None:
            await self._enter(self._elsewhere)
        try:
            utterances = await self._client.reconnect()
        except SessionLost:
            await self._settle()
            self._say_again()
        else:
            self._go_on(utterances)

    def _go_on(self, utterances: Sequence[str]) -> None:
        """Go on in the same session, which still has these texts to say."""
        self._tell(Back(self.name))
        self._send_waiting(utterances)
        text = self._text
        if text is None or text.done.done() or text.message.utterance_id in utterances:
            return
        if text.accepted:
            text.done.set_result(None)
        else:
            self._send()

    def _send_waiting(self, utterances: Sequence[str]) -> None:
        waiting, self._waiting = self._waiting, []
        unsent = {str(getattr(message, "utterance_id", "")) for message in waiting}
        self.on_back(utterances, unsent)
        for message in waiting:
            self.send(message)

    def _say_again(self) -> None:
        self._tell(Back(self.name))
        self._waiting.clear()  # it belongs to utterances that nobody knows any more
        self.on_back((), ())
        if self._text is not None and not self._text.done.done():
            self._text.accepted = False
            self._send()

    def _send(self) -> None:
        assert self._text is not None
        try:
            self._client.call.send(self._text.message)
        except CallEnded:
            logger.info("a text has to wait until the connection is back")


def _is_for_good(error: Exception) -> bool:
    """Whether asking again would not help."""
    match error:
        case RoomError(retryable=retryable):
            return not retryable
        case SignalingFailed(code=code):
            return code in REFUSED_FOR_GOOD
        case _:
            return isinstance(error, RequestFailed)
