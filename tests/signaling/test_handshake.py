"""Handshakes of WebSockets, with whatever may be offered in them."""

from __future__ import annotations

import json
import logging

import pytest
from aiohttp import ClientSession

from tests.signaling.conftest import Service

pytestmark = pytest.mark.unit

SECRET = "planted-in-a-subprotocol-that-nobody-may-log"
UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}

OFFERS = [
    f"bearer.{SECRET}",
    f"voicepeer, bearer.{SECRET}",
    f"realtime, openai-insecure-api-key.{SECRET}",
    f"{SECRET},,, {SECRET}",
    f"bearer.{SECRET}, bearer.{SECRET}",
    f"  {SECRET}\t",
    f"\x80\xff{SECRET}",
    f'"{SECRET}", =',
    "",
    ",",
]
ODD = [
    {},
    {"Sec-WebSocket-Version": "99"},
    {"Sec-WebSocket-Key": SECRET},
    {"Sec-WebSocket-Key": f"{SECRET}é"},
    {"Upgrade": SECRET},
    {"Connection": SECRET},
    {"Sec-WebSocket-Extensions": f"permessage-deflate; {SECRET}"},
]


async def status(http: ClientSession, offer: str, odd: dict[str, str]) -> tuple[int, str]:
    """How a handshake is answered, without the connection that it may open."""
    headers = UPGRADE | {"Sec-WebSocket-Protocol": offer} | odd
    async with http.get("/ws", headers=headers) as answer:
        text = "" if answer.status == 101 else await answer.text()
        answer.close()
        return answer.status, text


async def test_nothing_that_was_offered_is_logged_or_answered(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    running = await service.start()
    statuses = set()
    for offer in OFFERS:
        for odd in ODD:
            code, text = await status(running.http, offer, odd)
            statuses.add(code)
            assert SECRET not in text
            assert code == 101 or json.loads(text)["error"]["code"] == "bad_request"
    assert statuses == {101, 400}
    assert SECRET not in caplog.text
    assert "overlap" not in caplog.text


@pytest.mark.parametrize(
    ("offer", "code"),
    [
        (f"bearer.{SECRET}", 400),
        (f"bearer.{SECRET},bearer.x", 400),
        (f"bearer.{SECRET}, other", 101),
        ("other", 101),
        ("", 101),
    ],
)
async def test_a_token_alone_is_no_subprotocol(service: Service, offer: str, code: int) -> None:
    running = await service.start()
    answered, text = await status(running.http, offer, {})
    assert answered == code
    assert code == 101 or "first message" in text
