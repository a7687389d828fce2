"""What endpoints ask before they do anything, over real HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession, web

from signaling.access import Access
from signaling.auth import bearer_token
from signaling.config import SignalingConfig
from signaling.gate import GATE, ApiError, Gate, allow, principal_of, require
from signaling.limits import Limits, Rate

pytestmark = pytest.mark.peer

KEY = "k" * 24
AUTH = {"Authorization": f"Bearer {KEY}"}


async def _who(request: web.Request) -> web.Response:
    assert principal_of(request) is principal_of(request)
    return web.json_response({"key_id": principal_of(request).key_id})


async def _speak(request: web.Request) -> web.Response:
    principal = require(request, "speak")
    allow(request, principal, "characters", float(request.query["cost"]))
    return web.json_response({})


async def _broken(request: web.Request) -> web.Response:
    raise ApiError(418, "teapot", 'it is "one"', param="cup", headers={"X-Pot": "1"})


@asynccontextmanager
async def running(gate: Gate) -> AsyncIterator[ClientSession]:
    """Three endpoints behind a gate."""
    app = web.Application()
    app[GATE] = gate
    app.router.add_get("/who", _who)
    app.router.add_get("/speak", _speak)
    app.router.add_get("/broken", _broken)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as http:
        yield http
    await runner.cleanup()


def gate(limits: Limits | None = None) -> Gate:
    return Gate(Access(SignalingConfig(api_keys=(KEY,))), limits)


async def test_without_keys_everybody_is_anonymous() -> None:
    async with running(Gate(Access(SignalingConfig()), None)) as http, http.get("/who") as answer:
        assert await answer.json() == {"key_id": "anonymous"}


@pytest.mark.parametrize(
    "header", [None, "", "Bearer", "Bearer ", "Bearer wrong", f"Basic {KEY}", KEY, "Bearer \u00fc"]
)
async def test_a_wrong_key_is_told_how_to_come_in(header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    async with running(gate()) as http, http.get("/who", headers=headers) as answer:
        assert answer.status == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        error = (await answer.json())["error"]
        assert (error["code"], error["type"]) == ("invalid_api_key", "authentication_error")
        assert error["param"] is None
        assert "Authorization: Bearer" in error["message"]


async def test_the_key_is_known_by_a_name_that_does_not_tell_it() -> None:
    async with running(gate()) as http, http.get("/who", headers=AUTH) as answer:
        key_id = (await answer.json())["key_id"]
    assert key_id.startswith("key-")
    assert KEY[:4] not in key_id


async def test_too_much_is_told_when_to_come_again() -> None:
    limits = Limits({"characters": (Rate(10, 10.0),)})
    async with running(gate(limits)) as http:
        async with http.get("/speak?cost=10", headers=AUTH) as answer:
            assert answer.status == 200
        async with http.get("/speak?cost=5", headers=AUTH) as answer:
            assert answer.status == 429
            assert 1 <= int(answer.headers["Retry-After"]) <= 5
            assert (await answer.json())["error"]["code"] == "rate_limit_exceeded"


async def test_wrong_keys_are_limited_and_right_ones_are_not_held_up_by_them() -> None:
    limits = Limits({"failures": (Rate(3),)})
    async with running(gate(limits)) as http:
        wrong = {"Authorization": "Bearer wrong"}
        seen = []
        for _ in range(5):
            async with http.get("/who", headers=wrong) as answer:
                seen.append(answer.status)
        assert seen == [401, 401, 401, 429, 429]
        async with http.get("/who", headers=AUTH) as answer:
            assert answer.status == 200


async def test_any_error_has_the_form_that_clients_read() -> None:
    async with running(gate()) as http, http.get("/broken") as answer:
        assert (answer.status, answer.headers["X-Pot"]) == (418, "1")
        error = (await answer.json())["error"]
        assert error == {
            "message": 'it is "one"',
            "type": "invalid_request_error",
            "code": "teapot",
            "param": "cup",
        }


@pytest.mark.parametrize(
    ("header", "token"),
    [("Bearer abc", "abc"), ("bearer  abc ", "abc"), ("Basic abc", None), (None, None)],
)
def test_bearer_headers(header: str | None, token: str | None) -> None:
    read: Callable[[str | None], str | None] = bearer_token
    assert read(header) == token
