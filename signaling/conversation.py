"""One WebSocket's conversation: join, offers and candidates in order, until either side ends it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

from aiohttp import WSCloseCode, WSMsgType, web

from signaling.access import AccessRefused, Principal
from signaling.allowance import Allowance
from signaling.config import Readiness, SignalingConfig
from signaling.gate import Visitor
from signaling.limits import LimitReached
from signaling.messages import (
    Answer,
    BadSignal,
    Bye,
    Candidate,
    ClientSignal,
    Fault,
    Join,
    Joined,
    Leave,
    Offer,
    Ping,
    Pong,
    Redirect,
    ServerSignal,
    decode_client,
    encode,
)
from signaling.registry import LiveSession, SessionRegistry
from signaling.relays import Relays
from signaling.sessions import RoomElsewhere, SessionRefused, SessionRequest

logger = logging.getLogger(__name__)

_CLEAN_CLOSE = frozenset({1000, 1001, 1005})
"""Codes of a client that left on purpose: done, page gone, no code given (RFC 6455 7.4.1)."""

_END = frozenset({WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED, WSMsgType.ERROR})

_COME_BACK_LATER = frozenset(
    {
        "at_capacity",
        "not_ready",
        "rate_limited",
        "room_full",
        "shutting_down",
        "too_many_sessions",
    }
)


class _Over(Exception):  # noqa: N818 - an outcome: it leaves the read loop
    """The service ends the conversation; ``last`` is the last thing that the client is told."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.last: ServerSignal = Fault(code=code, message=message, fatal=True)

    @classmethod
    def elsewhere(cls, error: RoomElsewhere) -> _Over:
        """The client goes to another service."""
        over = cls(error.code, str(error))
        over.last = Redirect(url=error.url)
        return over

    @property
    def close_code(self) -> int:
        if isinstance(self.last, Redirect):
            return WSCloseCode.OK
        if self.code in _COME_BACK_LATER:
            return WSCloseCode.TRY_AGAIN_LATER
        if self.code == "internal":
            return WSCloseCode.INTERNAL_ERROR
        return WSCloseCode.POLICY_VIOLATION


class Conversation:
    """Talks with one client over an open socket; ``run`` returns when the socket is closed.

    ``visitor`` is whoever opened the socket; ``let_in`` is told once they have shown a good key;
    ``abort`` cuts the connection.
    """

    def __init__(
        self,
        socket: web.WebSocketResponse,
        registry: SessionRegistry,
        config: SignalingConfig,
        readiness: Readiness,
        relays: Relays,
        visitor: Visitor,
        let_in: Callable[[], None],
        abort: Callable[[], None],
    ) -> None:
        self._socket = socket
        self._registry = registry
        self._config = config
        self._readiness = readiness
        self._relays = relays
        self._visitor = visitor
        self._was_let_in = let_in
        self._abort = abort
        self._live: LiveSession | None = None
        self._answered = False
        self._deadline = asyncio.timeout(config.join_timeout_s)
        self._farewell: asyncio.Task[None] | None = None
        self._messages = Allowance(config.message_burst, config.messages_per_s)
        self._bad_messages = Allowance(config.bad_message_burst, config.bad_messages_per_s)

    async def run(self) -> None:
        """Converse to the end; a session whose socket merely broke may linger."""
        broke = True
        try:
            broke = await self._converse()
        except _Over as over:
            self._release(linger=False)
            await self._end(over)
        except Exception:
            logger.exception("a conversation failed")
            self._release(linger=False)
            await self._end(_Over("internal", "closing: a defect of the service, see its log"))
        finally:
            self._release(linger=broke and self._answered)
            if self._farewell is not None:
                await self._farewell

    async def _converse(self) -> bool:
        """Read to the end; whether the socket broke instead of being closed."""
        try:
            async with self._deadline:
                while (message := await self._socket.receive()).type not in _END:
                    await self._receive(message.type, message.data)
                return message.type is not WSMsgType.CLOSE or message.data not in _CLEAN_CLOSE
        except TimeoutError:
            awaited = "an offer" if self._live else "join"
            raise _Over("timeout", f"closing: {awaited} did not come in time") from None

    async def _receive(self, kind: WSMsgType, data: object) -> None:
        now = time.monotonic()
        if not self._messages.take(now):
            raise _Over("flood", "closing: too many messages")
        try:
            if kind is not WSMsgType.TEXT or not isinstance(data, str):
                raise BadSignal("bad_message", "a signaling message is text, not binary")
            await self._handle(decode_client(data))
        except (BadSignal, SessionRefused) as error:
            await self._send(Fault(code=error.code, message=str(error)))
            if not self._bad_messages.take(now):
                raise _Over("flood", "closing: too many bad messages") from None

    async def _handle(self, signal: ClientSignal) -> None:
        match signal:
            case Ping():
                await self._send(Pong())
            case Join():
                await self._join(signal)
            case Offer():
                await self._offer(signal)
            case Candidate():
                await self._joined().handle.add_candidate(
                    signal.candidate or None,
                    signal.sdp_mid,
                    signal.sdp_mline_index,
                    signal.connection,
                )
            case Leave():
                await self._registry.close(self._joined(), "client_left")

    def _joined(self) -> LiveSession:
        if self._live is None:
            raise BadSignal("out_of_order", "send join first")
        return self._live

    async def _join(self, join: Join) -> None:
        if self._live is not None:
            raise BadSignal("out_of_order", "this connection has joined already")
        principal, room = self._let_in(join)
        self._was_let_in()
        earlier = self._registry.find(room, join.client_id, principal.owner)
        live = earlier if join.resume and earlier and earlier.may_go_on_with(principal) else None
        resumed = live is not None
        if live is None:
            live = await self._open(join, room, principal)
        else:
            live.renew(principal)
        self._live = live
        live.attach(self._part)
        self._answered = resumed
        self._allow(None if resumed else self._config.offer_timeout_s)
        servers = await self._relays.for_session(live.handle, live.participant.room)
        await self._send(
            Joined(
                session_id=live.handle.session_id,
                ice_servers=servers,
                resumed=resumed,
                resume_token=live.handle.resume_token,
                restored=live.handle.resumed and not resumed,
            )
        )

    def _let_in(self, join: Join) -> tuple[Principal, str]:
        """Who it is, and the room that they may enter."""
        try:
            principal = self._visitor.show(join.token)
            return principal, principal.room_for(join.room)
        except AccessRefused as error:
            code = "unauthorized" if error.status == 401 else error.code
            raise _Over(code, str(error)) from error
        except LimitReached as error:
            raise _Over("rate_limited", str(error)) from error

    async def _open(self, join: Join, room: str, principal: Principal) -> LiveSession:
        if not self._readiness.ready:
            code, reason = self._readiness.code, self._readiness.reason
            raise _Over(code, f"no session now: {reason}; try again soon")
        try:
            self._visitor.spend(principal, "sessions", 1)
            request = SessionRequest(
                room,
                join.name,
                await self._relays.for_service(),
                join.resume_token,
                principal=principal,
                spend=self._visitor.purse(principal),
            )
            return await self._registry.open(request, join.client_id)
        except LimitReached as error:
            raise _Over("rate_limited", str(error)) from error
        except RoomElsewhere as error:
            raise _Over.elsewhere(error) from error
        except SessionRefused as error:
            if error.code == "bad_name":
                raise
            raise _Over(error.code, str(error)) from error

    async def _offer(self, offer: Offer) -> None:
        live = self._joined()
        if offer.connection != "call" and not self._answered:
            raise BadSignal("out_of_order", "send the offer of the call first")
        try:
            async with asyncio.timeout(self._config.answer_timeout_s):
                sdp = await live.handle.answer(offer.sdp, offer.connection)
        except TimeoutError:
            raise SessionRefused("timeout", "the offer could not be answered in time") from None
        self._answered = True
        self._allow(None)
        await self._send(Answer(sdp=sdp, connection=offer.connection))

    def _allow(self, timeout_s: float | None) -> None:
        now = asyncio.get_running_loop().time()
        self._deadline.reschedule(None if timeout_s is None else now + timeout_s)

    async def _send(self, signal: ServerSignal) -> None:
        """Send; a client that does not take it in time has a stuck socket, which is given up."""
        if self._socket.closed:
            return
        try:
            async with asyncio.timeout(self._config.send_timeout_s):
                await self._socket.send_str(encode(signal))
        except TimeoutError:
            raise _Over("timeout", "closing: messages are not read") from None
        except ConnectionError:
            logger.debug("the socket broke while a message was being sent")

    def _part(self, reason: str) -> None:
        """The session has ended or has gone to another socket: it is no longer ours."""
        self._live = None
        self._farewell = asyncio.get_running_loop().create_task(self._say_bye(reason))

    async def _say_bye(self, reason: str) -> None:
        await self._close_with(Bye(reason=reason), WSCloseCode.OK)

    async def _end(self, over: _Over) -> None:
        await self._close_with(over.last, over.close_code)

    async def _close_with(self, last: ServerSignal, code: int) -> None:
        try:
            async with asyncio.timeout(self._config.send_timeout_s):
                await self._send(last)
                await self._socket.close(code=code)
        except (TimeoutError, _Over):
            logger.debug("a client does not read: cutting its connection")
            self._abort()

    def _release(self, *, linger: bool) -> None:
        live, self._live = self._live, None
        if live is not None and linger:
            self._registry.linger(live)
        elif live is not None:
            live.listener = None
            self._registry.close_soon(live, "client_left")
