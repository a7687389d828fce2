"""What every HTTP endpoint asks before it does anything: who is it, may they, and how often.

Refusals have the form that clients of OpenAI's API read:
``{"error": {"message", "type", "code", "param"}}``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
from aiohttp import web

from signaling.access import Access, AccessRefused, Principal, Right
from signaling.address import Network, address_block, client_address, networks
from signaling.auth import bearer_token
from signaling.config import SignalingConfig
from signaling.limits import KEY, LimitKind, LimitReached, Limits, Spend

_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}
"""Of errors, by status; 5xx are ``server_error`` and all others ``invalid_request_error``."""


@dataclass(slots=True)
class Gate:
    """Who may come in to one service, and how often; without ``limits`` as often as they like."""

    access: Access
    limits: Limits | None = field(default_factory=Limits)
    trusted_proxies: tuple[Network, ...] = ()

    @classmethod
    def of(cls, config: SignalingConfig) -> Gate:
        """The gate of a service; one that is open to all is on loopback and has no limits."""
        limits = None if config.is_open else Limits(config.rates)
        return cls(Access(config), limits, networks(config.trusted_proxies))

    def spend(self, kind: LimitKind, names: tuple[str, ...], cost: float) -> None:
        """Take so much from the limits of all these names; raises ``LimitReached``."""
        if self.limits is not None:
            self.limits.take(kind, names, cost, time.monotonic())


GATE = web.AppKey("GATE", Gate)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Whoever has opened a connection: where from, and with which key in its header."""

    gate: Gate
    address: str
    bearer: str | None

    @classmethod
    def of(cls, request: web.Request) -> Visitor:
        """The sender of a request."""
        bearer = bearer_token(request.headers.get("Authorization"))
        return cls(request.app[GATE], address_of(request), bearer)

    def show(self, bearer: str | None) -> Principal:
        """Who it is, by another key than that of the header, if there is one.

        Raises:
            AccessRefused: it is wrong.
            LimitReached: so were too many before.
        """
        try:
            return self.gate.access.principal(bearer or self.bearer, time.time())
        except AccessRefused:
            self.gate.spend("failures", (self.address_name,), 1)
            raise

    def spend(self, principal: Principal, kind: LimitKind, cost: float) -> None:
        """Take from the limits of their key and of their address; raises ``LimitReached``."""
        # Of the key as a whole: whoever mints subjects for it gets no more by that.
        self.gate.spend(kind, (f"{KEY}{principal.tenant}", self.address_name), cost)

    def purse(self, principal: Principal) -> Spend:
        """What does that for a session."""

        async def spend(kind: LimitKind, cost: float) -> None:
            self.spend(principal, kind, cost)

        return spend

    @property
    def address_name(self) -> str:
        """What the limits of this address are kept under."""
        return f"address {address_block(self.address)}"


_PRINCIPAL = web.RequestKey("_PRINCIPAL", Principal)


class ApiError(web.HTTPException):
    """Raised by an endpoint to answer with an error in OpenAI's form; any status from 400 on."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        param: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status_code = status
        self.code = code
        kind = "server_error" if status >= 500 else _TYPES.get(status, "invalid_request_error")
        error = {"message": message, "type": kind, "code": code, "param": param}
        super().__init__(
            text=msgspec.json.encode({"error": error}).decode(),
            content_type="application/json",
            headers=dict(headers or {}),
        )


def principal_of(request: web.Request) -> Principal:
    """Who sent a request, by its ``Authorization: Bearer`` header (RFC 6750 section 2.1).

    Raises:
        ApiError: 401 with ``WWW-Authenticate``; 429 after too many wrong keys.
    """
    known = request.get(_PRINCIPAL)
    if known is None:
        known = _let_in(request)
        request[_PRINCIPAL] = known
    return known


def _let_in(request: web.Request) -> Principal:
    try:
        return Visitor.of(request).show(None)
    except AccessRefused as error:
        raise refusal(error) from error
    except LimitReached as error:
        raise too_much(error) from error


def require(request: web.Request, right: Right) -> Principal:
    """Who sent a request, if they have this right.

    Raises:
        ApiError: 401 as ``principal_of``, 403 ``forbidden``.
    """
    return require_any(request, frozenset({right}))


def require_any(request: web.Request, rights: frozenset[Right]) -> Principal:
    """Who sent a request, if they have one of these rights; raises as ``require`` does."""
    principal = principal_of(request)
    try:
        principal.need_any(rights)
    except AccessRefused as error:
        raise refusal(error) from error
    return principal


def allow(request: web.Request, principal: Principal, kind: LimitKind, cost: float = 1.0) -> None:
    """Go on only within the limits of the key and of the address.

    Raises:
        ApiError: 429 ``rate_limit_exceeded`` with ``Retry-After``.
    """
    try:
        Visitor.of(request).spend(principal, kind, cost)
    except LimitReached as error:
        raise too_much(error) from error


def too_much(error: LimitReached) -> ApiError:
    """The answer to whoever asked for too much (RFC 6585 section 4)."""
    headers = {"Retry-After": str(error.retry_after_s)}
    return ApiError(429, "rate_limit_exceeded", str(error), headers=headers)


def refusal(error: AccessRefused) -> ApiError:
    """The answer to whoever was refused (RFC 6750 section 3)."""
    challenge = {
        401: 'Bearer realm="voicepeer"',
        403: 'Bearer realm="voicepeer", error="insufficient_scope"',
    }.get(error.status)
    headers = {"WWW-Authenticate": challenge} if challenge else {}
    return ApiError(error.status, error.code, str(error), headers=headers)


def address_of(request: web.Request) -> str:
    """The address of the client, through the proxies that are trusted; ``unknown`` if any."""
    forwarded = request.headers.getall("X-Forwarded-For", [])
    return client_address(request.remote, forwarded, request.app[GATE].trusted_proxies)
