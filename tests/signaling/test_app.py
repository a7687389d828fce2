"""The application around the conversation: pages, health, metrics and who may call."""

from __future__ import annotations

import asyncio
import importlib.resources
import json

import pytest
from aiohttp import WSMsgType, WSServerHandshakeError

from signaling import guard
from signaling.app import Readiness
from signaling.config import AuthConfig
from signaling.health_routes import METRICS_CONTENT_TYPE
from signaling.messages import Bye, Fault, Join, Joined, Ping, Pong
from signaling.pages import load_pages
from tests.signaling.conftest import Service, eventually
from tests.signaling.tokens import TOKENS, token

pytestmark = pytest.mark.peer

KEY = "k" * 24


async def test_alive_even_when_not_ready(service: Service) -> None:
    service.state = Readiness(ready=False, reason="loading kokoro")
    client = await service.start()
    answer = await client.get("/healthz")
    assert (answer.status, await answer.json()) == (200, {"status": "ok"})


async def test_ready_follows_the_models(service: Service) -> None:
    service.state = Readiness(ready=False, reason="loading kokoro", retry_after_s=7)
    client = await service.start()
    cold = await client.get("/readyz")
    assert cold.status == 503
    assert cold.headers["Retry-After"] == "7"
    assert await cold.json() == {"status": "not_ready", "reason": "loading kokoro"}
    service.state = Readiness(ready=True)
    warm = await client.get("/readyz")
    assert warm.status == 200
    assert (await warm.json())["sessions"] == 0


async def test_a_full_service_is_not_ready_for_more(service: Service) -> None:
    client = await service.start(max_sessions=1)
    socket = await service.connect()
    await socket.ask(Join())
    full = await client.get("/readyz")
    assert (full.status, (await full.json())["status"]) == (503, "at_capacity")
    await socket.raw.close()
    await eventually(lambda: service.peer.opened[0].closed_with is not None)
    assert (await client.get("/readyz")).status == 200


async def test_metrics_are_passed_on_as_prometheus_text(service: Service) -> None:
    client = await service.start()
    answer = await client.get("/metrics")
    assert await answer.read() == service.metrics
    assert answer.headers["Content-Type"] == METRICS_CONTENT_TYPE


async def test_metrics_need_the_key_where_there_is_one(service: Service) -> None:
    client = await service.start(api_keys=(KEY,))
    assert (await client.get("/metrics")).status == 401
    wrong = await client.get("/metrics", headers={"Authorization": "Bearer nope"})
    assert wrong.status == 401
    right = await client.get("/metrics", headers={"Authorization": f"Bearer {KEY}"})
    assert right.status == 200


async def test_every_file_of_the_page_is_served_and_cacheable(service: Service) -> None:
    client = await service.start()
    pages = load_pages()
    assert "index.html" in pages
    for name, page in pages.items():
        answer = await client.get(f"/{name}")
        assert (answer.status, await answer.read()) == (200, page.body)
        assert answer.content_type == page.content_type
        again = await client.get(f"/{name}", headers={"If-None-Match": answer.headers["ETag"]})
        assert (again.status, await again.read()) == (304, b"")
    assert await (await client.get("/")).read() == pages["index.html"].body


@pytest.mark.parametrize(
    ("asked", "encoding"),
    [
        ("gzip", "gzip"),
        ("deflate, gzip;q=0.5, br", "gzip"),
        ("br", None),
        ("gzip;q=0", None),
        ("identity, gzip; q=0.00", None),
    ],
)
async def test_pages_are_packed_for_whoever_takes_that(
    service: Service, asked: str, encoding: str | None
) -> None:
    client = await service.start()
    headers = {"Accept-Encoding": asked}
    answer = await client.get("/app.js", headers=headers)
    assert answer.headers.get("Content-Encoding") == encoding
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert await answer.read() == load_pages()["app.js"].body, "as the client unpacks it"
    again = await client.get(
        "/app.js", headers={**headers, "If-None-Match": answer.headers["ETag"]}
    )
    assert again.status == 304
    plain = {"Accept-Encoding": "identity", "If-None-Match": answer.headers["ETag"]}
    other = await client.get("/app.js", headers=plain)
    assert other.status == (304 if encoding is None else 200), "another representation"


@pytest.mark.parametrize("path", ["/", "/healthz", "/nothing", "/metrics"])
async def test_every_response_keeps_the_page_to_itself(service: Service, path: str) -> None:
    answer = await (await service.start()).get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "http" not in policy
    assert "unsafe" not in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_pages_of_any_origin_may_load_the_client_and_nothing_else(service: Service) -> None:
    client = await service.start(api_keys=(KEY,))
    foreign = {"Origin": "https://app.example"}
    answer = await client.get("/client.js", headers=foreign)
    assert answer.status == 200
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    for path in ("/app.js", "/", "/readyz", "/client.js/"):
        other = await client.get(path, headers=foreign)
        assert "Access-Control-Allow-Origin" not in other.headers, path


@pytest.mark.parametrize("path", ["/../pyproject.toml", "/%2e%2e%2fpyproject.toml", "/web", "/a/b"])
async def test_nothing_but_the_page_is_served(service: Service, path: str) -> None:
    assert (await (await service.start()).get(path)).status == 404


async def test_a_foreign_page_may_not_connect(service: Service) -> None:
    with pytest.raises(WSServerHandshakeError) as refused:
        await service.connect(Origin="https://evil.example")
    assert refused.value.status == 403


@pytest.mark.parametrize("key", ["", "short", "dGhlIHNhbXBsZSBub25jZ😀", "é" * 24, "=" * 24])
async def test_a_malformed_handshake_is_the_clients_fault(service: Service, key: str) -> None:
    client = await service.start()
    lines = [
        "GET /ws HTTP/1.1", f"Host: 127.0.0.1:{client.port}", "Connection: Upgrade",
        "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}",
    ]  # fmt: skip
    reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
    writer.write("\r\n".join([*lines, "", ""]).encode())
    async with asyncio.timeout(30):
        assert (await reader.readline()).startswith(b"HTTP/1.1 400")
    writer.close()


async def test_the_own_page_and_listed_pages_may_connect(service: Service) -> None:
    client = await service.start(allowed_origins=frozenset({"https://app.example"}))
    for origin in (f"http://127.0.0.1:{client.port}", "https://app.example"):
        socket = await service.connect(Origin=origin)
        assert isinstance(await socket.ask(Join()), Joined)
        await socket.raw.close()


async def test_an_open_service_is_not_reached_by_a_rebound_name(service: Service) -> None:
    client = await service.start()
    answer = await client.get("/healthz", headers={"Host": "evil.example"})
    assert answer.status == 421


async def test_who_has_no_key_keeps_nobody_out(service: Service) -> None:
    await service.start(api_keys=(KEY,), max_sessions=2, max_waiting=4)
    guest = await service.connect()
    assert isinstance(await guest.ask(Join(token=KEY)), Joined)
    idle = [await service.connect() for _ in range(12)]
    assert isinstance(await (await service.connect()).ask(Join(token=KEY)), Joined)
    cut = [await one.raw.receive(5) for one in idle[:8]]
    assert {one.type for one in cut} <= {WSMsgType.CLOSED, WSMsgType.ERROR}
    assert isinstance(await idle[-1].ask(Ping()), Pong)
    assert isinstance(await guest.ask(Ping()), Pong)


async def test_a_full_service_still_says_that_it_is_full(service: Service) -> None:
    await service.start(max_sessions=1)
    await (await service.connect()).ask(Join())
    for _ in range(20):
        refused = await (await service.connect()).ask(Join())
        assert isinstance(refused, Fault)
        assert refused.code == "at_capacity"


async def test_shutdown_does_not_wait_for_those_who_never_joined(service: Service) -> None:
    client = await service.start(join_timeout_s=60)
    socket = await service.connect()
    stopping = asyncio.create_task(client.runner.cleanup())
    assert await socket.closed() == 1001
    async with asyncio.timeout(30):
        await stopping


async def test_ws_is_for_websockets(service: Service) -> None:
    client = await service.start(max_sessions=1, max_waiting=4)
    for _ in range(12):
        assert (await client.get("/ws")).status == 400
    assert isinstance(await (await service.connect()).ask(Join()), Joined)


async def test_shutdown_says_bye_and_closes_every_session(service: Service) -> None:
    client = await service.start()
    sockets = [await service.connect() for _ in range(3)]
    for socket in sockets:
        await socket.ask(Join())
    stopping = asyncio.create_task(client.runner.cleanup())
    for socket in sockets:
        assert await socket.receive() == Bye(reason="shutting_down")
        assert await socket.closed() == 1000
    async with asyncio.timeout(2):
        await stopping
    reasons = {session.closed_with for session in service.peer.opened}
    assert reasons == {"shutting_down"}


def test_pages_refer_to_nothing_outside() -> None:
    for name, page in load_pages().items():
        text = page.body.decode()
        assert "https://" not in text, name
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), name


def test_an_installed_page_is_preferred() -> None:
    installed = importlib.resources.files("signaling") / "web"
    if installed.is_dir():
        names = {entry.name for entry in installed.iterdir()}
        assert set(load_pages()) <= names


async def test_health_is_json_for_machines(service: Service) -> None:
    answer = await (await service.start()).get("/readyz")
    assert json.loads(await answer.text())["status"] == "ready"


async def test_the_document_tells_what_stands_before_every_endpoint(service: Service) -> None:
    client = await service.start()
    described = await (await client.get("/openapi.json")).json()
    operations = {
        f"{method} {path}": told
        for path, methods in described["paths"].items()
        for method, told in methods.items()
    }
    with_body = {name for name, told in operations.items() if "requestBody" in told}
    assert {"post /v1/realtime/calls", "patch /api/offer", "post /whip/{room}"} <= with_body
    for name in with_body:
        assert {"408", "413", "415"} <= operations[name]["responses"].keys(), name
    limited = {name for name in operations if name.split()[1].startswith(guard.API)}
    assert {"get /ws", "post /start", "get /metrics"} <= limited
    for name in limited:
        assert {"403", "429"} <= operations[name]["responses"].keys(), name


async def test_no_endpoint_takes_a_compressed_body(service: Service) -> None:
    client = await service.start()
    described = await (await client.get("/openapi.json")).json()
    bodies = {
        path: [*told["post"]["requestBody"]["content"]]
        for path, told in described["paths"].items()
        if "requestBody" in told.get("post", {})
    }
    assert {"/v1/realtime/calls", "/api/offer", "/whip/{room}"} <= bodies.keys()
    for path, kinds in bodies.items():
        for kind in kinds:
            headers = {"Content-Type": f"{kind}; boundary=b", "Content-Encoding": "gzip"}
            place = path.replace("{room}", "lab").replace("{session_id}", "1")
            answer = await client.http.post(place, data=b"garbage", headers=headers)
            assert (answer.status, place) == (415, place)
            assert "compressed" in (await answer.json())["error"]["message"]
    assert service.peer.opened == []


async def test_figures_of_all_rooms_are_not_for_a_token_of_one(service: Service) -> None:
    client = await service.start(auth=AuthConfig(tokens=TOKENS))
    for claims, status in (
        ({"room": "blue"}, 403),
        ({"room": "blue", "sub": None}, 403),
        ({}, 200),
    ):
        bearer = f"Bearer {token(rights=['manage'], **claims)}"
        answer = await client.get("/metrics", {"Authorization": bearer})
        assert answer.status == status
        assert (service.metrics in await answer.read()) == (status == 200)


@pytest.mark.parametrize("rights", [[], ["clone", "manage"]])
async def test_who_may_neither_speak_nor_hear_nor_enrol_gets_no_place(
    service: Service, rights: list[str]
) -> None:
    client = await service.start(auth=AuthConfig(tokens=TOKENS))
    refused = await (await service.connect()).ask(Join(token=token(rights=rights)))
    assert isinstance(refused, Fault)
    assert (refused.code, refused.fatal) == ("forbidden", True)
    assert "enrol or listen or speak" in refused.message
    assert len(client.registry) == 0
