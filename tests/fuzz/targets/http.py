"""Whole HTTP requests, byte by byte as they come from a socket, to a running service."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from contextlib import contextmanager

from aiohttp import web

from signaling.app import Readiness, SignalingConfig, create_app
from signaling.connections import create_runner
from tests.fuzz.target import Fuzzed, Target
from tests.signaling.sessions import EchoPeer

_KEY = "fuzzed-plain-key-0123456789"
_CONFIG = SignalingConfig(
    api_keys=(_KEY,),
    allowed_origins=frozenset({"https://app.example"}),
    request_timeout_s=0.05,
    body_timeout_s=0.05,
    join_timeout_s=0.05,
    rates={},
    trusted_proxies=("127.0.0.0/8",),
)
_ANSWER_S = 5.0


class ServiceBroken(Exception):
    """The service answered with a defect, or not at all."""


async def _start(peer: EchoPeer) -> web.AppRunner:
    app = create_app(_CONFIG, peer.open, lambda: Readiness(True), lambda: b"")
    runner = create_runner(app, _CONFIG, 5.0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner


async def _ask(port: int, data: bytes) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        async with asyncio.timeout(_ANSWER_S):
            answer = await reader.read()
    except TimeoutError as error:
        raise ServiceBroken("the connection was neither answered nor closed") from error
    except ConnectionError:
        return  # closed with something of ours unread
    finally:
        writer.close()
    if b"HTTP/1.1 500" in answer or b"HTTP/1.0 500" in answer:
        raise ServiceBroken(answer[:300].decode("latin-1"))


@contextmanager
def _running() -> Iterator[Fuzzed]:
    peer = EchoPeer()
    with asyncio.Runner() as loop:
        runner = loop.run(_start(peer))
        port = int(runner.addresses[0][1])
        try:
            yield lambda data: loop.run(_ask(port, data))
        finally:
            with contextlib.suppress(asyncio.CancelledError):
                loop.run(runner.cleanup())


def _request(line: str, body: str = "", *headers: str) -> bytes:
    head = [
        line + " HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {_KEY}",
        *headers,
    ]
    if not any(one.startswith("Connection:") for one in headers):
        head.append("Connection: close")
    if body:
        head.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(head) + "\r\n\r\n" + body).encode()


_SDP = "v=0\r\no=- 1 2 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\n"
# Frames of RFC 6455 section 5.2, masked with zeros: a text, and the closing.
_TEXT = b'{"type":"join","room":"a"}'
_JOIN = bytes([0x81, 0x80 | len(_TEXT), 0, 0, 0, 0]) + _TEXT
_CLOSE = bytes([0x88, 0x80, 0, 0, 0, 0])
_JSON, _AS_SDP = "Content-Type: application/json", "Content-Type: application/sdp"

TARGETS = (
    Target(
        "http",
        (
            _request("GET /healthz"),
            _request("GET /openapi.json"),
            _request("GET /v1/admin/sessions?room=a"),
            _request("DELETE /v1/admin/sessions/0123456789abcdef0123456789abcdef"),
            _request(
                "POST /v1/realtime/client_secrets",
                '{"expires_after":{"anchor":"created_at","seconds":60},"rights":["speak"],'
                '"session":{"audio":{"output":{"voice":"af_heart"}}},"subject":"a","room":"b"}',
                _JSON,
            ),
            _request("POST /v1/realtime/calls?room=a&name=b", _SDP, _AS_SDP),
            _request("POST /whip/blue", _SDP, _AS_SDP, "If-Match: *"),
            _request("POST /api/offer", '{"sdp":"v=0","type":"offer","pc_id":null}', _JSON),
            _request(
                "OPTIONS /v1/realtime/calls",
                "",
                "Origin: https://app.example",
                "Access-Control-Request-Method: POST",
                "Access-Control-Request-Headers: authorization",
            ),
            _request(
                "GET /ws", "", "Connection: Upgrade",
                "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "X-Forwarded-For: 192.0.2.1",
            )
            + _JOIN
            + _CLOSE,
        ),
        _running,
        (
            b"\r\n", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 5\r\n", b"0\r\n\r\n",
            b"Origin: https://app.example\r\n", b"Expect: 100-continue\r\n", b"HTTP/1.1", b"%2e%2e",
            b"Content-Encoding: deflate\r\n", b"Upgrade: h2c\r\n", b"GET http://x/ HTTP/1.1\r\n",
        ),
    ),
)  # fmt: skip
