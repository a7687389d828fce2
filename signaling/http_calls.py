"""Sessions that are opened over HTTP: a resource each, instead of a socket that stays.

Such a session lives by its media and its data channel: one that never connects ends by its own
timeout, one that vanishes by ICE's consent checks, and any by DELETE.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from aiohttp import web
from multidict import CIMultiDict

from signaling.bodies import media_type, read_body
from signaling.config import Readiness, SignalingConfig
from signaling.gate import ApiError, Visitor, allow, principal_of, refusal
from signaling.links import add_links
from signaling.messages import MAX_SDP_CHARS
from signaling.principal import AccessRefused, Principal
from signaling.registry import LiveSession, SessionRegistry
from signaling.relays import Relays
from signaling.sdpfrag import MEDIA_TYPE as FRAGMENT
from signaling.sdpfrag import BadFragment, Fragment, Trickled, ice_users, parse_fragment
from signaling.sessions import (
    RIGHTS,
    IceServer,
    Purpose,
    RoomElsewhere,
    SessionHandle,
    SessionRefused,
    SessionRequest,
)

SDP = "application/sdp"
MAX_FRAGMENT_BYTES = 64 * 1024
MAX_PAST = 1_000
"""Calls that have ended and may be gone on with; what they had to say is kept for a minute only."""

_STATUS = {
    "at_capacity": 503,
    "closed": 404,
    "engine_failed": 503,
    "forbidden": 403,
    "internal": 500,
    "new_connection": 409,
    "not_acceptable": 406,
    "not_ready": 503,
    "rate_limited": 429,
    "replaced": 409,
    "resumed_elsewhere": 409,
    "room_full": 503,
    "shutting_down": 503,
    "timeout": 503,
    "too_many_sessions": 429,
}
"""Of refusals, by their code; all others are 400."""


@dataclass(slots=True, eq=False)
class HttpCall:
    """One session that was opened over HTTP.

    ``etag`` stands for its ICE session, of which there is never another one; ``users`` are the ICE
    user names of the offer.
    """

    live: LiveSession
    purpose: Purpose
    users: frozenset[str]
    etag: str = field(default_factory=lambda: f'"{secrets.token_hex(8)}"')

    @property
    def call_id(self) -> str:
        """Random, 128 bits."""
        return self.live.handle.session_id


@dataclass(frozen=True, slots=True)
class Past:
    """What is needed to go on where a call was, also when it has ended already."""

    owner: str
    room: str
    name: str
    resume_token: str

    @classmethod
    def of(cls, live: LiveSession) -> Past:
        """That of a session."""
        place = live.participant
        return cls(place.owner, place.room, place.name, live.handle.resume_token)


class HttpCalls:
    """All of them, of one service."""

    def __init__(
        self,
        registry: SessionRegistry,
        config: SignalingConfig,
        readiness: Callable[[], Readiness],
        relays: Relays,
    ) -> None:
        self.relays = relays
        """What they may connect through."""
        self._registry = registry
        self._config = config
        self._readiness = readiness
        self._calls: dict[str, HttpCall] = {}
        self._past: OrderedDict[str, Past] = OrderedDict()
        """Of calls that have ended, the latest ones."""
        self._next: OrderedDict[str, str] = OrderedDict()
        """Ids of the calls that went on from others, by the tokens of those."""

    def __len__(self) -> int:
        return len(self._calls)

    async def open(self, request: SessionRequest, offer: str) -> tuple[HttpCall, str]:
        """Open a session and answer its offer.

        Raises:
            ApiError: see ``refused``; nothing is left of the session then.
            RoomElsewhere: it is to be opened there.
        """
        _check_length(offer)
        state = self._readiness()
        if not state.ready:
            raise self.refused(SessionRefused(state.code, f"no session now: {state.reason}"))
        answers: list[str] = []

        async def begin(handle: SessionHandle) -> None:
            answers.append(await self._answer(handle, offer))

        try:
            live = await self._registry.open(request, begin=begin)
        except RoomElsewhere:
            raise
        except SessionRefused as error:
            raise self.refused(error) from error
        call = HttpCall(live, request.purpose, ice_users(offer))
        self._calls[call.call_id] = call
        if live.handle.resumed and request.resume_token is not None:
            self._next[request.resume_token] = call.call_id
            _shorten(self._next)
        live.handle.on_closed(lambda _reason: self._forget(call))
        return call, answers[0]

    def _forget(self, call: HttpCall) -> None:
        self._calls.pop(call.call_id, None)
        self._past[call.call_id] = Past.of(call.live)
        _shorten(self._past)

    def past(self, principal: Principal, call_id: str) -> Past | None:
        """How to go on where a call of this principal's is or was, if it is remembered.

        Where another call went on from it and has ended as well, that is where it goes on.
        """
        past = self._remembered(call_id)
        if past is None or not principal.sees(past.owner, past.room):
            return None
        while (later := self._next.get(past.resume_token)) is not None and later in self._past:
            past = self._past[later]
        return past

    def _remembered(self, call_id: str) -> Past | None:
        call = self._calls.get(call_id)
        return self._past.get(call_id) if call is None else Past.of(call.live)

    async def answer(self, call: HttpCall, offer: str) -> str:
        """Answer the first or a later offer.

        Raises:
            ApiError: see ``refused``.
        """
        _check_length(offer)
        try:
            return await self._answer(call.live.handle, offer)
        except SessionRefused as error:
            raise self.refused(error) from error

    async def _answer(self, handle: SessionHandle, offer: str) -> str:
        try:
            async with asyncio.timeout(self._config.answer_timeout_s):
                return await handle.answer(offer)
        except TimeoutError:
            raise SessionRefused("timeout", "the offer could not be answered in time") from None

    def find(self, principal: Principal, call_id: str, purpose: Purpose | None = None) -> HttpCall:
        """A call of this principal's, and of this purpose where one is given.

        Raises:
            ApiError: 404; also for a call of somebody else.
        """
        call = self._calls.get(call_id)
        if (
            call is None
            or not principal.sees(call.live.participant.owner, call.live.participant.room)
            or purpose not in (None, call.purpose)
        ):
            raise ApiError(404, "not_found", "there is no such call: it has ended, or never was")
        return call

    def find_to_change(
        self, principal: Principal, call_id: str, purpose: Purpose | None = None
    ) -> HttpCall:
        """The same for whoever could have opened it.

        Raises:
            ApiError: as ``find``.
            AccessRefused: 403 ``forbidden``.
        """
        call = self.find(principal, call_id, purpose)
        principal.need_any(RIGHTS[call.purpose])
        return call

    def find_to_end(
        self, principal: Principal, call_id: str, purpose: Purpose | None = None
    ) -> HttpCall:
        """The same, or for whoever manages; raises as ``find_to_change`` does."""
        call = self.find(principal, call_id, purpose)
        principal.need_any(RIGHTS[call.purpose] | {"manage"})
        return call

    async def trickle(self, call: HttpCall, candidates: Iterable[Trickled]) -> None:
        """Add candidates; those that are of no use are ignored.

        Raises:
            ApiError: 400 ``bad_candidate`` for a malformed one; those before it were taken.
        """
        try:
            for one in candidates:
                await call.live.handle.add_candidate(one.candidate or None, one.mid, one.index)
        except SessionRefused as error:
            raise self.refused(error) from error

    async def hang_up(self, call: HttpCall) -> None:
        """End a call."""
        await self._registry.close(call.live, "client_left")

    async def ice_servers_of(self, call: HttpCall) -> list[IceServer]:
        """What the client of a call may connect through; the credentials are bound to it."""
        return await self.relays.for_session(call.live.handle, call.live.participant.room)

    def refused(self, error: SessionRefused) -> ApiError:
        """The answer to whoever was refused: 400, 403, 404, 406, 409; 429, 503 with Retry-After."""
        status = _STATUS.get(error.code, 400)
        headers = (
            {"Retry-After": str(self._readiness().retry_after_s)} if status in (429, 503) else {}
        )
        return ApiError(status, error.code, str(error), headers=headers)


def _shorten(table: OrderedDict[str, Any]) -> None:
    while len(table) > MAX_PAST:
        table.popitem(last=False)


def _check_length(offer: str) -> None:
    if len(offer) > MAX_SDP_CHARS:
        raise ApiError(413, "too_large", f"an offer may have {MAX_SDP_CHARS} characters")


HTTP_CALLS = web.AppKey("HTTP_CALLS", HttpCalls)


# --- what the endpoints share -------------------------------------------------------------------


async def wanted(request: web.Request, room: str | None, name: str = "") -> SessionRequest:
    """A session for whoever asks, in the room that they ask for or else in theirs.

    Raises:
        ApiError: 401, 403, or 429 ``rate_limit_exceeded``.
    """
    principal = principal_of(request)
    allow(request, principal, "sessions")
    try:
        room = principal.room_for(room)
    except AccessRefused as error:
        raise refusal(error) from error
    servers = await request.app[HTTP_CALLS].relays.for_service()
    return SessionRequest(
        room,
        name,
        servers,
        principal=principal,
        spend=Visitor.of(request).purse(principal),
        stands_in=True,
    )


async def going_on(request: web.Request, past: Past) -> SessionRequest:
    """The same, to go on where a call was; raises as ``wanted`` does."""
    return replace(await wanted(request, past.room, past.name), resume_token=past.resume_token)


async def read_sdp(request: web.Request) -> str:
    """A body of ``application/sdp``.

    Raises:
        ApiError: 415 for another media type, 413, or 400 for what is no text.
    """
    if media_type(request) != SDP:
        raise ApiError(415, "unsupported_media_type", f"send the offer with 'Content-Type: {SDP}'")
    return as_text(await read_body(request, 4 * MAX_SDP_CHARS))


def as_text(raw: bytes) -> str:
    """A body's text; raises ``ApiError`` where it is not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ApiError(400, "bad_sdp", "this is no SDP: it is not UTF-8") from error


async def _read_fragment(request: web.Request) -> Fragment:
    """A body of trickled candidates; raises ``ApiError`` like ``read_sdp``."""
    if media_type(request) != FRAGMENT:
        raise ApiError(
            415, "unsupported_media_type", f"send candidates with 'Content-Type: {FRAGMENT}'"
        )
    try:
        return parse_fragment(as_text(await read_body(request, MAX_FRAGMENT_BYTES)))
    except BadFragment as error:
        raise ApiError(400, "bad_candidate", str(error)) from error


async def take_fragment(request: web.Request, call: HttpCall, *, needs_tag: bool) -> web.Response:
    """Add the candidates of a body to a call; RFC 9725 wants the call's ETag with them.

    Raises:
        ApiError: like ``read_sdp``; 428 without a tag that is needed; 412 or 422 for a wrong one,
            422 for candidates of another ICE session.
    """
    fragment = await _read_fragment(request)
    tags = request.headers.get("If-Match")
    if tags is not None:
        _check_tags(call, tags)
    elif needs_tag:
        raise ApiError(
            428, "precondition_required", "send the session's ETag as If-Match (RFC 9725, 4.3.2)"
        )
    _check_generation(call, fragment)
    await request.app[HTTP_CALLS].trickle(call, fragment.candidates)
    return web.Response(status=204)


def _check_generation(call: HttpCall, fragment: Fragment) -> None:
    """Refuse an ICE restart, which there is not: the call goes on as it was (RFC 9725, 4.3.3).

    Raises:
        ApiError: 422 ``ice_restart_unsupported``.
    """
    if fragment.users - call.users:
        raise no_restart()


def _check_tags(call: HttpCall, tags: str) -> None:
    """Go on only if this names the call's ICE session (RFC 9110 section 13.1.1).

    Raises:
        ApiError: 412; or 422 for ``*``, by which RFC 9725 asks for an ICE restart.
    """
    given = {tag.strip() for tag in tags.split(",")}
    if given & {"*", '"*"'}:
        raise no_restart()
    if call.etag not in given:
        hint = "; a weak tag (W/…) never matches: send it as it was given" if "W/" in tags else ""
        raise ApiError(
            412, "precondition_failed", f"If-Match names another ICE session than this{hint}"
        )


def no_restart() -> ApiError:
    """The answer to whoever wants to restart ICE."""
    return ApiError(
        422,
        "ice_restart_unsupported",
        "ICE cannot be restarted: open a new session, and end this one",
    )


def created(call: HttpCall, answer: str, location: str, servers: list[IceServer]) -> web.Response:
    """The answer to an offer: 201 with the call's own address and the ICE servers to use."""
    headers: CIMultiDict[str] = CIMultiDict(
        {"Location": location, "ETag": call.etag, "Accept-Patch": FRAGMENT}
    )
    add_links(headers, servers)
    return web.Response(status=201, text=answer, content_type=SDP, headers=headers)
