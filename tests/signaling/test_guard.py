"""What stands before every endpoint: origins, floods, slow senders, and the form of errors."""

from __future__ import annotations

import asyncio
import gzip
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from aiohttp import ClientSession, web

from signaling import guard
from signaling.bodies import read_body, read_form
from signaling.config import SignalingConfig
from signaling.connections import create_runner
from signaling.gate import GATE, Gate
from signaling.limits import LimitReached, Rate
from signaling.principal import AccessRefused
from tests.signaling.conftest import eventually

pytestmark = pytest.mark.peer

KEY = "k" * 24
APP = "https://app.example"
EVIL = "https://evil.example"

Endpoint = Callable[[web.Request], Awaitable[web.StreamResponse]]


async def _echo(request: web.Request) -> web.Response:
    return web.json_response({"bytes": len(await request.read())}, headers={"ETag": '"1"'})


async def _json(request: web.Request) -> web.Response:
    return web.json_response({"bytes": len(await read_body(request, 100_000))})


async def _form(request: web.Request) -> web.Response:
    return web.json_response({"files": len((await read_form(request, 100_000)).files)})


async def _long(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    while True:
        await response.write(b"a" * 100_000)


async def _pipe(_request: web.Request) -> web.Response:
    raise BrokenPipeError("planted")


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
        "refuse": _refuse, "limit": _limit, "body": _json, "form": _form, "long": _long,
        "pipe": _pipe,
    }  # fmt: skip
    for name, endpoint in endpoints.items():
        app.router.add_post(f"/v1/{name}", endpoint)
    app.router.add_post("/page", _defect)
    runner = create_runner(app, config, shutdown_timeout_s=5.0)
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
        async with asyncio.timeout(30):
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
        answer = await raw(port, head + b"a" * 20_000 + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.0 431")
    assert msgspec.json.decode(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "too_large"
    assert b"aaaa" not in answer
    assert "Bearer" not in caplog.text


@pytest.mark.parametrize(
    "sent",
    [
        b"FOO /v1/echo HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer planted\r\n\r\n",
        b"POST /v1/echo HTTP/1.1\r\nAuthorization: Bearer planted\x00\r\n\r\n",
        b"POST /v1/echo HTTP/1.1\r\nAuthorization Bearer planted\r\n\r\n",
        b"POST /v1/echo HTTP/9.9 planted\r\n\r\n",
        b"\x16\x03\x01planted\r\n\r\n",
    ],
    ids=["method", "value", "header", "version", "TLS"],
)
async def test_what_is_no_request_is_told_so_without_a_quotation(
    sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with running() as (_, port):
        answer = await raw(port, sent)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b" 400 " in head.splitlines()[0]
    assert msgspec.json.decode(body)["error"]["code"] == "bad_request"
    assert b"Server: voicepeer" in head
    assert b"aiohttp" not in answer
    assert b"planted" not in answer
    assert "planted" not in caplog.text
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"POST /" + b"planted" * 2_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"POST / HTTP/1.1\r\n" + b"X-Planted: planted\r\n" * 200 + b"\r\n", 431),
        (b"POST / HTTP/1.1\r\n" + b"Planted" * 2_000 + b": 1\r\n\r\n", 431),
        (b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nExpect: planted\r\n\r\n", 417),
        (b"POST /page HTTP/1.1\r\nHost: localhost\r\nExpect: planted\r\n\r\n", 417),
    ],
    ids=["path", "headers", "name of a header", "expectation", "expectation of a page"],
)
async def test_what_asks_for_too_much_is_told_in_the_form_of_all_errors(
    sent: bytes, status: int
) -> None:
    async with running() as (_, port):
        answer = await raw(port, sent)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert f" {status} ".encode() in head.splitlines()[0]
    error = msgspec.json.decode(body)["error"]
    assert error["code"] in ("too_large", "expectation_failed")
    assert error["message"]
    assert b"nosniff" in head
    assert b"planted" not in answer


async def test_whoever_waits_for_a_word_before_the_body_gets_it() -> None:
    async with (
        running() as (http, _),
        http.post("/v1/body", data=b"abc", expect100=True) as answer,
    ):
        assert await answer.json() == {"bytes": 3}


# --- connections ------------------------------------------------------------------------------


@asynccontextmanager
async def held(
    port: int, count: int, said: bytes = b""
) -> AsyncIterator[list[asyncio.StreamReader]]:
    """Connections that say no more than this."""
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(count)]
    for _, writer in opened:
        writer.write(said)
    await asyncio.sleep(0.05)
    try:
        yield [reader for reader, _ in opened]
    finally:
        for _, writer in opened:
            writer.close()


@pytest.mark.parametrize(
    "bounds",
    [
        {"max_connections": 3, "max_connections_per_address": 9},
        {"max_connections": 9, "max_connections_per_address": 3},
        {"max_connections": 3, "trusted_proxies": ("127.0.0.0/8",)},
    ],
)
async def test_connections_that_nobody_uses_make_room(bounds: dict[str, Any]) -> None:
    async with running(SignalingConfig(**bounds)) as (http, port), held(port, 5) as readers:
        async with http.post("/v1/echo") as answer:
            assert answer.status == 200
        async with asyncio.timeout(30):
            gone = [await reader.read() for reader in readers[:3]]
        assert gone == [b""] * 3
        assert [reader.at_eof() for reader in readers[3:]] == [False] * 2


async def test_where_all_are_in_use_whoever_comes_is_told_so() -> None:
    config = SignalingConfig(max_connections=2)
    async with running(config) as (http, port):
        busy = [asyncio.create_task(_status(http)) for _ in range(2)]
        await asyncio.sleep(0.1)
        answer = await raw(port, b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head, _, body = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"Retry-After: 5" in head
        assert msgspec.json.decode(body)["error"]["code"] == "at_capacity"
        assert await asyncio.gather(*busy) == [200, 200]
        async with http.post("/v1/echo") as later:
            assert later.status == 200


STALLED = b"POST /v1/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"


@pytest.mark.parametrize(
    "bounds",
    [
        {"max_connections": 3, "max_connections_per_address": 9},
        {"max_connections": 9, "max_connections_per_address": 3},
        {"max_connections": 3, "trusted_proxies": ("127.0.0.0/8",)},
    ],
)
async def test_bodies_that_do_not_come_make_room(bounds: dict[str, Any]) -> None:
    async with (
        running(SignalingConfig(**bounds)) as (http, port),
        held(port, 3, STALLED) as stalled,
    ):
        for _ in range(3):
            async with http.post("/v1/slow", data=b"a" * 1_000) as answer:
                assert answer.status == 200
        async with asyncio.timeout(30):
            assert await stalled[0].read() == b""
        assert [reader.at_eof() for reader in stalled[1:]] == [False] * 2


async def test_a_body_that_comes_slowly_is_not_cut_off_for_one_that_stands_still() -> None:
    async with running(SignalingConfig(max_connections=3)) as (http, port):
        closing = STALLED.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        slow = asyncio.create_task(raw(port, closing, *[b"a" * 99] * 9, b"a" * 108, pause_s=0.1))
        await asyncio.sleep(0.05)
        async with held(port, 2, STALLED) as stalled:
            await asyncio.sleep(0.2)
            async with http.post("/v1/echo", data=b"a") as answer:
                assert answer.status == 200
            async with asyncio.timeout(30):
                assert await stalled[0].read() == b""
        assert (await slow).startswith(b"HTTP/1.1 200")


async def test_what_is_answered_before_its_body_has_come_holds_no_place_by_that() -> None:
    head = b"POST /v1/refuse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n"
    async with running(SignalingConfig(max_connections=2)) as (http, port):
        opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        for reader, writer in opened:
            writer.write(head)
            assert b"403" in await reader.readline()
            writer.write(b"late!")
        await asyncio.sleep(0.1)
        async with http.post("/v1/echo", data=b"a") as answer:
            assert answer.status == 200
        for _, writer in opened:
            writer.close()


async def _status(http: ClientSession) -> int:
    async with http.post("/v1/slow", data=b"a") as answer:
        return answer.status


async def test_bodies_have_a_size() -> None:
    async with running() as (http, _), http.post("/v1/echo", data=b"a" * 200_000) as answer:
        assert answer.status == 413
        assert (await answer.json())["error"]["code"] == "too_large"


# --- what comes out ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/v1/nothing", 404, "not_found"),
        ("BREW", "/v1/echo", 400, "bad_request"),
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


async def test_a_path_with_too_many_slashes_is_still_one_of_the_api() -> None:
    async with running() as (_, port):
        head = b"POST //v1/echo HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        answer = await raw(port, head)
    assert answer.startswith(b"HTTP/1.1 404")
    assert b'"code":"not_found"' in answer


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


# --- bodies that cannot be read, and clients that go ------------------------------------------


BOMB = gzip.compress(b"0" * 10_000_000)


@pytest.mark.parametrize("path", ["/v1/body", "/v1/form"])
@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "GZip", "gzip, identity", "x"])
@pytest.mark.parametrize(
    "body",
    [b"garbage", BOMB, gzip.compress(b"{}"), b""],
    ids=["garbage", "bomb", "json", "nothing"],  # a gzip header has the time
)
async def test_a_compressed_body_is_refused_unread(path: str, coding: str, body: bytes) -> None:
    kind = "multipart/form-data; boundary=b"
    headers = {"Content-Encoding": coding, "Content-Type": kind}
    async with running() as (http, _), http.post(path, data=body, headers=headers) as answer:
        assert answer.status == 415
        assert answer.headers["Accept-Encoding"] == "identity"
        assert "compressed" in (await answer.json())["error"]["message"]


async def test_identity_is_no_compression() -> None:
    headers = {"Content-Encoding": "identity"}
    async with (
        running() as (http, _),
        http.post("/v1/body", data=b"abc", headers=headers) as answer,
    ):
        assert await answer.json() == {"bytes": 3}


@pytest.mark.parametrize("path", [b"/v1/body", b"/v1/echo", b"/v1/form"])
async def test_a_malformed_body_is_the_clients_fault(
    path: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    head = (
        b"POST %s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        b"Content-Type: multipart/form-data; boundary=b\r\n\r\n" % path
    )
    async with running() as (_, port):
        answer = await raw(port, head + b"3\r\nabc\r\nplanted\r\n\r\n")
    assert answer.startswith(b"HTTP/1.0 400")
    assert b'"error"' in answer
    assert b"planted" not in answer
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


@pytest.mark.parametrize("path", ["body", "echo", "form", "long"])
async def test_a_client_that_goes_is_no_error(path: str, caplog: pytest.LogCaptureFixture) -> None:
    form = b'--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n'
    head = (
        f"POST /v1/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n"
        "Content-Type: multipart/form-data; boundary=b\r\n\r\n"
    )
    with caplog.at_level(logging.INFO):
        async with running() as (_, port):
            for _ in range(3):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.write(head.encode() + form + b"a" * 50_000)
                await writer.drain()
                if path == "long":
                    await reader.read(1_000)
                await asyncio.sleep(0.1)
                writer.transport.abort()
            await eventually(lambda: len(caplog.records) >= 3, 10)
    assert {one.getMessage() for one in caplog.records} == {f"POST /v1/{path}: the client has gone"}
    assert not any(one.exc_info for one in caplog.records)


async def test_a_pipe_that_breaks_on_our_side_is_a_defect(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running() as (http, _), http.post("/v1/pipe") as answer:
        assert (answer.status, (await answer.json())["error"]["code"]) == (500, "internal")
    assert [one.levelname for one in caplog.records] == ["ERROR"]


async def test_a_program_without_a_host_header_is_answered() -> None:
    async with running() as (_, port):
        answer = await raw(port, b"POST /v1/echo HTTP/1.0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.0 200")
