"""What every HTTP endpoint asks before it does anything: who is it, may they, and how often.

Refusals have the form that clients of OpenAI's API read:
``{"error": {"message", "type", "code", "param"}}``.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec
from aiohttp import web

from signaling.access import Access, AccessRefused, Principal, Right
from signaling.auth import bearer_token
from signaling.limits import LimitKind, Limits

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


GATE = web.AppKey("GATE", Gate)
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
        known = _let_in(request, bearer_token(request.headers.get("Authorization")))
        request[_PRINCIPAL] = known
    return known


def _let_in(request: web.Request, bearer: str | None) -> Principal:
    gate = request.app[GATE]
    address = address_of(request)
    try:
        return gate.access.principal(bearer, time.time())
    except AccessRefused as error:
        _spend(gate, "failures", (address,), 1.0)
        raise refusal(error) from error


def require(request: web.Request, right: Right) -> Principal:
    """Who sent a request, if they have this right.

    Raises:
        ApiError: 401 as ``principal_of``, 403 ``forbidden``.
    """
    principal = principal_of(request)
    try:
        principal.need(right)
    except AccessRefused as error:
        raise refusal(error) from error
    return principal


def allow(request: web.Request, principal: Principal, kind: LimitKind, cost: float = 1.0) -> None:
    """Go on only within the limits of the key and of the address.

    Raises:
        ApiError: 429 ``rate_limit_exceeded`` with ``Retry-After``.
    """
    names = (f"key {principal.owner}", f"address {address_of(request)}")
    _spend(request.app[GATE], kind, names, cost)


def _spend(gate: Gate, kind: LimitKind, names: tuple[str, ...], cost: float) -> None:
    if gate.limits is None:
        return
    wait_s = gate.limits.take(kind, names, cost, time.monotonic())
    if wait_s > 0:
        retry_s = math.ceil(wait_s)
        raise ApiError(
            429,
            "rate_limit_exceeded",
            f"too many {kind}: try again in {retry_s} s",
            headers={"Retry-After": str(retry_s)},
        )


def refusal(error: AccessRefused) -> ApiError:
    """The answer to whoever was refused (RFC 6750 section 3)."""
    challenge = {
        401: 'Bearer realm="voicepeer"',
        403: 'Bearer realm="voicepeer", error="insufficient_scope"',
    }.get(error.status)
    headers = {"WWW-Authenticate": challenge} if challenge else {}
    return ApiError(error.status, error.code, str(error), headers=headers)


def address_of(request: web.Request) -> str:
    """The address of the client, as far as it can be known."""
    return request.remote or "unknown"
