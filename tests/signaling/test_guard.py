"""What stands before every endpoint: origins, floods, slow senders, and the form of errors."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession, web

from signaling import guard
from signaling.config import SignalingConfig
from signaling.gate import GATE, Gate
from signaling.limits import LimitReached, Rate
from signaling.principal import AccessRefused

pytestmark = pytest.mark.peer

KEY = "k" * 24
APP = "https://app.example"
EVIL = "https://evil.example"

Endpoint = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def _echo(request: web.Request) -> web.Response:
    return web.json_response({"bytes": len(await request.read())}, headers={"ETag": '"1"'})


async def _slow_work(request: web.Request) -> web.Response:
    await request.read()
    await asyncio.sleep(0.3)
    return web.json_response({})


async def _defect(_request: web.Request) -> web.Response:
    raise ZeroDivisionError("planted")


async def _half(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    await response.write(b"half")
    raise ZeroDivisionError("planted")


async def _refuse(_request: web.Request) -> web.Response:
    raise AccessRefused(403, "forbidden", "not you")


async def _limit(_request: web.Request) -> web.Response:
    raise LimitReached("clones", 7)


@asynccontextmanager
async def running(
    config: SignalingConfig | None = None,
) -> AsyncIterator[tuple[ClientSession, int]]:
    """Some endpoints behind a guard; a client for them, and their port."""
    config = config or SignalingConfig()
    app = web.Application(client_max_size=100_000)
    app[GATE] = Gate.of(config)
    guard.install(app, config)
    endpoints: dict[str, Endpoint] = {
        "echo": _echo, "slow": _slow_work, "defect": _defect, "half": _half,
        "refuse": _refuse, "limit": _limit,
    }  # fmt: skip
    for name, endpoint in endpoints.items():
        app.router.add_post(f"/v1/{name}", endpoint)
    app.router.add_post("/page", _defect)
    runner = guard.create_runner(app, config, shutdown_timeout_s=5.0)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        port = runner.addresses[0][1]
        async with ClientSession(f"http://127.0.0.1:{port}") as http:
            yield http, port
    finally:
        await runner.cleanup()


async def raw(port: int, *pieces: bytes, pause_s: float = 0.05) -> bytes:
    """What comes back for bytes that are sent slowly, until the service hangs up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(pause_s)
        async with asyncio.timeout(10):
            return await reader.read()
    except ConnectionError:
        return b""  # cut off while something was still on its way
    finally:
        writer.close()


# --- origins ----------------------------------------------------------------------------------


async def test_a_foreign_page_can_change_nothing() -> None:
    async with running() as (http, _):
        async with http.post("/v1/echo", headers={"Origin": EVIL}) as answer:
            assert answer.status == 403
            assert (await answer.json())["error"]["code"] == "origin_not_allowed"
            assert "Access-Control-Allow-Origin" not in answer.headers
        preflight = {"Origin": EVIL, "Access-Control-Request-Method": "POST"}
        async with http.options("/v1/echo", headers=preflight) as answer:
            assert answer.status == 403
        async with http.post("/v1/echo", headers={"Origin": "null"}) as answer:
            assert answer.status == 403


@pytest.mark.parametrize("allowed", [APP, "*"])
async def test_a_page_that_is_allowed_reads_answers_and_their_headers(allowed: str) -> None:
    config = SignalingConfig(api_keys=(KEY,), allowed_origins=frozenset({allowed}))
    async with (
        running(config) as (http, _),
        http.post("/v1/echo", headers={"Origin": APP}, data=b"abc") as answer,
    ):
        assert await answer.json() == {"bytes": 3}
        assert answer.headers["Access-Control-Allow-Origin"] == APP
        assert answer.headers["Vary"] == "Origin"
        exposed = answer.headers["Access-Control-Expose-Headers"].split(", ")
        assert {"Location", "ETag", "Link", "Retry-After"} <= {*exposed}
        assert "Access-Control-Allow-Credentials" not in answer.headers


async def test_it_reads_errors_as_well() -> None:
    config = SignalingConfig(api_keys=(KEY,), allowed_origins=frozenset({APP}))
    async with running(config) as (http, _):
        for path in ("/v1/refuse", "/v1/nothing", "/v1/defect"):
            async with http.post(path, headers={"Origin": APP}) as answer:
                assert answer.status >= 400
                assert answer.headers["Access-Control-Allow-Origin"] == APP


async def test_a_preflight_is_answered_for_every_path() -> None:
    config = SignalingConfig(api_keys=(KEY,), allowed_origins=frozenset({APP}))
    asked = {
        "Origin": APP,
        "Access-Control-Request-Method": "PATCH",
        "Access-Control-Request-Headers": "authorization, content-type, if-match",
    }
    async with running(config) as (http, _), http.options("/v1/echo", headers=asked) as answer:
        assert answer.status == 204
        assert "PATCH" in answer.headers["Access-Control-Allow-Methods"]
        assert "if-match" in answer.headers["Access-Control-Allow-Headers"]
        assert int(answer.headers["Access-Control-Max-Age"]) > 0


async def test_programs_send_no_origin_and_get_no_headers_for_it() -> None:
    async with running() as (http, _), http.post("/v1/echo") as answer:
        assert answer.status == 200
        assert not [name for name in answer.headers if name.startswith("Access-Control")]


async def test_a_name_that_only_leads_here_is_turned_away() -> None:
    async with (
        running() as (http, _),
        http.post("/v1/echo", headers={"Host": "rebound.example"}) as answer,
    ):
        assert answer.status == 421


# --- floods and slow senders ------------------------------------------------------------------


async def test_an_address_has_a_limit_before_anything_is_read() -> None:
    config = SignalingConfig(api_keys=(KEY,), rates={"requests": (Rate(3),)})
    async with running(config) as (http, _):
        seen = []
        for _ in range(5):
            async with http.post("/v1/echo", data=b"a") as answer:
                seen.append(answer.status)
        assert seen == [200, 200, 200, 429, 429]


async def test_clients_of_a_trusted_proxy_have_limits_of_their_own() -> None:
    config = SignalingConfig(
        api_keys=(KEY,), rates={"requests": (Rate(1),)}, trusted_proxies=("127.0.0.0/8",)
    )
    async with running(config) as (http, _):
        seen = []
        for address in ("198.51.100.1", "198.51.100.2", "198.51.100.1"):
            async with http.post("/v1/echo", headers={"X-Forwarded-For": address}) as answer:
                seen.append(answer.status)
        assert seen == [200, 200, 429]


async def test_a_proxy_that_is_not_trusted_is_one_client() -> None:
    config = SignalingConfig(api_keys=(KEY,), rates={"requests": (Rate(1),)})
    async with running(config) as (http, _):
        seen = []
        for address in ("198.51.100.1", "198.51.100.2"):
            async with http.post("/v1/echo", headers={"X-Forwarded-For": address}) as answer:
                seen.append(answer.status)
        assert seen == [200, 429]


@pytest.mark.parametrize(
    "pieces",
    [
        (),
        (b"POST /v1/echo HTTP/1.1\r\n",),
        (b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\n", *[b"X: 1\r\n"] * 12),
    ],
    ids=["says nothing", "stops in its headers", "drips its headers"],
)
async def test_slow_headers_are_cut_off(pieces: tuple[bytes, ...]) -> None:
    async with running(SignalingConfig(request_timeout_s=0.3)) as (_, port):
        assert await raw(port, *pieces) == b""


async def test_a_slow_body_is_told_and_cut_off() -> None:
    async with running(SignalingConfig(body_timeout_s=0.3)) as (_, port):
        head = b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        answer = await asyncio.wait_for(raw(port, head, *[b"a"] * 8), 15)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b'"code":"timeout"' in answer


async def test_a_body_may_come_after_its_request_was_answered(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running() as (_, port):
        head = b"POST /v1/refuse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
        answer = await raw(port, head + b"Connection: close\r\n\r\n", b"late!")
    assert answer.startswith(b"HTTP/1.1 403")
    assert caplog.records == []


async def test_work_may_take_longer_than_its_body() -> None:
    async with (
        running(SignalingConfig(body_timeout_s=0.1)) as (http, _),
        http.post("/v1/slow", data=b"a" * 1_000) as answer,
    ):
        assert answer.status == 200


async def test_headers_have_a_size_and_are_not_quoted_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running() as (_, port):
        head = b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        assert (await raw(port, head + b"a" * 20_000 + b"\r\n\r\n")).startswith(b"HTTP/1.0 400")
    assert "Bearer" not in caplog.text


async def test_bodies_have_a_size() -> None:
    async with running() as (http, _), http.post("/v1/echo", data=b"a" * 200_000) as answer:
        assert answer.status == 413
        assert (await answer.json())["error"]["code"] == "too_large"


# --- what comes out ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/v1/nothing", 404, "not_found"),
        ("GET", "/v1/echo", 405, "method_not_allowed"),
        ("POST", "/v1/refuse", 403, "forbidden"),
        ("POST", "/v1/limit", 429, "rate_limit_exceeded"),
        ("POST", "/v1/defect", 500, "internal"),
    ],
)
async def test_errors_of_the_api_have_one_form(
    method: str, path: str, status: int, code: str
) -> None:
    async with running() as (http, _), http.request(method, path) as answer:
        error = (await answer.json())["error"]
        assert (answer.status, error["code"]) == (status, code)
        assert error["message"]
        assert answer.headers.get("Allow") == ("POST" if status == 405 else None)
        assert answer.headers.get("Retry-After") == ("7" if status == 429 else None)


async def test_a_defect_is_logged_with_its_place_and_says_nothing_to_the_client(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR, logger="signaling.guard"):
        async with running() as (http, _), http.post("/v1/defect?key=planted-secret") as answer:
            assert "planted" not in await answer.text()
    (record,) = caplog.records
    assert record.exc_info
    assert "planted-secret" not in record.getMessage()


async def test_a_page_gets_no_json() -> None:
    async with running() as (http, _), http.post("/page") as answer:
        assert (answer.status, answer.content_type) == (500, "text/plain")


async def test_an_answer_that_has_begun_is_cut_and_not_mixed_with_an_error(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running() as (_, port):
        got = await raw(port, b"POST /v1/half HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert b"half" in got
    assert b"error" not in got.lower()
