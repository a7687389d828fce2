"""Debian's nginx with our configuration before the service: TLS, streams, sizes and addresses."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from aiohttp import ClientSession, TCPConnector

from engines.api import Chunk, Controls, Segment, Voice
from signaling.audio_answers import MAX_UPLOAD_BYTES
from signaling.bodies import MAX_JSON_BYTES, MAX_OVERHEAD_BYTES
from signaling.config import SignalingConfig
from signaling.limits import DEFAULT_RATES, Rate
from signaling.messages import MAX_SIGNAL_BYTES, Join, Joined, decode_server, encode
from signaling.voice_routes import MAX_VOICE_FILE_BYTES
from tests.deploy.coturn import free_port
from tests.deploy.nginx import CONF, TCP, Nginx, nginx, written
from tests.peers.audio import AudioSetting, audio_service
from tests.peers.engine import LocalEngine, LocalStream
from tests.voicepeer.offers import offer_of, without
from voicepeer.config import Config, ServerConfig

pytestmark = [pytest.mark.peer, pytest.mark.needs("nginx")]

KEY = "the-key-of-this-test-0123"
PROXIED = SignalingConfig(
    api_keys=(KEY,),
    trusted_proxies=("127.0.0.1",),
    rates={**DEFAULT_RATES, "failures": (Rate(3),)},
)
WITHIN_S = 60.0
OFFER = "chromium_call"
SPEECH = {"input": "Hello there, this takes a while to say.", "voice": "mid", "model": "fake"}
TEXT = CONF.read_text()


@dataclass
class HeldStream(LocalStream):
    """Stops after its first chunks until it is let go on."""

    inner: LocalStream
    go_on: asyncio.Event

    async def __aiter__(self) -> AsyncIterator[Chunk]:
        count = 0
        async for chunk in self.inner:
            if count == 4:
                await self.go_on.wait()
            count += 1
            yield chunk

    def cancel(self) -> None:
        self.inner.cancel()

    @property
    def cancelled(self) -> bool:
        return self.inner.cancelled


class HeldEngine(LocalEngine):
    """Says the beginning of each text, and the rest when it may."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()

    def speak(
        self, segment: Segment, voice: Voice, controls: Controls, in_hand_s: float | None = None
    ) -> LocalStream:
        return HeldStream(super().speak(segment, voice, controls, in_hand_s), self.go_on)


@dataclass
class Site:
    """A service, the nginx before it, and a client with a key and an address of its own."""

    setting: AudioSetting
    proxy: Nginx
    clients: list[ClientSession] = field(default_factory=list)

    def client(self, address: str, url: str | None = None, key: str = KEY) -> ClientSession:
        """Somebody who comes from this address of loopback."""
        connector = TCPConnector(ssl=self.proxy.trust(), local_addr=(address, 0))
        headers = {"Authorization": f"Bearer {key}"}
        self.clients.append(
            ClientSession(url or self.proxy.url, connector=connector, headers=headers)
        )
        return self.clients[-1]


@pytest.fixture
def setting(tmp_path: Path) -> AudioSetting:
    return AudioSetting(tmp_path, config=PROXIED)


@asynccontextmanager
async def site(setting: AudioSetting) -> AsyncIterator[Site]:
    """All of it, and nothing of it afterwards."""
    async with audio_service(setting), nginx(setting.folder / "nginx", setting.url) as proxy:
        running = Site(setting, proxy)
        try:
            yield running
        finally:
            for client in running.clients:
                await client.close()


def test_nginx_takes_the_configuration_without_a_warning(tmp_path: Path) -> None:
    server = written(tmp_path / "nginx", "http://127.0.0.1:8080")
    done = subprocess.run([*server.command(), "-t"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr


def test_sizes_and_times_are_those_of_the_service() -> None:
    server, default = Config().server, SignalingConfig()
    assert sizes() == [
        max(MAX_JSON_BYTES, MAX_SIGNAL_BYTES),
        MAX_UPLOAD_BYTES + MAX_OVERHEAD_BYTES,
        MAX_VOICE_FILE_BYTES,
    ]
    assert seconds("client_header_timeout") == server.request_timeout_s
    assert seconds("client_body_timeout") == server.body_timeout_s
    assert seconds("keepalive_timeout") < server.request_timeout_s
    assert seconds("proxy_read_timeout") > 2 * default.heartbeat_s
    assert limit("limit_conn addresses") == ServerConfig().max_connections_per_address


def sizes() -> list[int]:
    """Bodies that are let through, in the order of the file."""
    units = {"k": 1024, "m": 1024 * 1024}
    found = re.findall(r"client_max_body_size (\d+)([km]);", TEXT)
    return [int(number) * units[unit] for number, unit in found]


def limit(name: str) -> int:
    """The number that a directive has."""
    (number,) = re.findall(rf"^\s*{name} (\d+);", TEXT, re.MULTILINE)
    return int(number)


def seconds(name: str) -> int:
    """The time that a directive has."""
    (number,) = re.findall(rf"^\s*{name} (\d+)s;", TEXT, re.MULTILINE)
    return int(number)


async def test_the_first_sound_comes_before_the_last_is_made(setting: AudioSetting) -> None:
    setting.engine = engine = HeldEngine()
    async with site(setting) as running, asyncio.timeout(WITHIN_S):
        client = running.client("127.0.0.2")
        request = client.post("/v1/audio/speech", json=SPEECH | {"response_format": "pcm"})
        async with request as answer:
            assert answer.status == 200
            first = await answer.content.readany()
            assert first
            assert not answer.content.at_eof()
            engine.go_on.set()
            rest = await answer.content.read()
        # 60 ms for each character of the fake's speech, in 16 bit at 24 kHz
        assert len(first) + len(rest) > len(SPEECH["input"]) * 60 * 24 * 2 * 0.9


async def test_websockets_whip_and_the_page_come_through(setting: AudioSetting) -> None:
    async with site(setting) as running, asyncio.timeout(WITHIN_S):
        client = running.client("127.0.0.2")
        origin = {"Origin": running.proxy.url}
        async with client.ws_connect("/ws", headers=origin) as socket:
            await socket.send_str(encode(Join(token=KEY)))
            assert isinstance(decode_server(await socket.receive_str()), Joined)
        offer = without(await asyncio.to_thread(offer_of, OFFER), "video", "application")
        sdp = {"Content-Type": "application/sdp"}
        published = client.post("/whip/hall", data=offer, headers=sdp)
        async with published as answer:
            assert answer.status == 201, await answer.text()
            location = answer.headers["Location"]
        async with client.delete(location) as answer:
            assert answer.status == 200
        async with client.get("/") as answer:
            assert "VoicePeer" in await answer.text()
            assert "max-age" in answer.headers["Strict-Transport-Security"]
        async with client.get("/metrics") as answer:
            assert answer.status == 404


async def test_what_comes_without_tls_is_sent_to_it(setting: AudioSetting) -> None:
    async with site(setting) as running, asyncio.timeout(WITHIN_S):
        challenge = running.proxy.folder / "acme/.well-known/acme-challenge"
        challenge.mkdir(parents=True)
        (challenge / "token").write_text("answer")
        plain = f"http://localhost:{running.proxy.plain_port}"
        client = running.client("127.0.0.2", plain)
        async with client.get("/v1/models", allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (
                308,
                "https://localhost/v1/models",
            )
        async with client.get("/.well-known/acme-challenge/token") as answer:
            assert await answer.text() == "answer"


MOST = {
    "/v1/audio/speech": MAX_JSON_BYTES,
    "/v1/audio/voices": MAX_UPLOAD_BYTES + MAX_OVERHEAD_BYTES,
    "/v1/audio/voice_consents": MAX_UPLOAD_BYTES + MAX_OVERHEAD_BYTES,
    "/v1/audio/voices/import": MAX_VOICE_FILE_BYTES,
}


async def test_a_body_as_large_as_the_service_takes_gets_there_and_no_larger_one(
    setting: AudioSetting,
) -> None:
    async with site(setting) as running, asyncio.timeout(WITHIN_S):
        for path, most in MOST.items():
            assert await announced(running, path, most) == "the service"
            assert await announced(running, path, most + 1) == "too large"


async def announced(running: Site, path: str, size: int) -> str:
    """Who answers to a body of which only the length is known yet, and no type."""
    reader, writer = await asyncio.open_connection(
        "localhost", running.proxy.port, ssl=running.proxy.trust(), family=socket.AF_INET
    )
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n"
    writer.write(
        f"{head}Authorization: Bearer {KEY}\r\nContent-Type: application/x-none\r\n\r\n".encode()
    )
    answer = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    with suppress(ConnectionError, ssl.SSLError):
        await writer.wait_closed()
    if answer.startswith(b"HTTP/1.1 413"):
        assert b"Content-Type: application/json" in answer
        return "too large"
    assert b"content-security-policy" in answer.lower(), answer
    return "the service"


async def test_limits_are_of_the_real_address_whatever_a_client_says(setting: AudioSetting) -> None:
    async with site(setting) as running, asyncio.timeout(WITHIN_S):
        liar = running.client("127.0.0.2", key="wrong-key-0123456789abcd")
        told = [await models(liar, f"203.0.113.{n}") for n in range(5)]
        assert told == [401, 401, 401, 429, 429]
        other = running.client("127.0.0.3", key="wrong-key-0123456789abcd")
        assert await models(other, "127.0.0.2") == 401
        past_the_proxy = running.client(
            "127.0.0.4", running.setting.url, key="wrong-key-0123456789abcd"
        )
        assert await models(past_the_proxy, "127.0.0.2") == 401


async def models(client: ClientSession, claims_to_be: str) -> int:
    """The status of a request from somebody who says that they are somebody else."""
    async with client.get("/v1/models", headers={"X-Forwarded-For": claims_to_be}) as answer:
        return answer.status


async def test_a_service_that_is_away_is_told_in_the_form_of_the_api(tmp_path: Path) -> None:
    nobody = f"http://127.0.0.1:{free_port(TCP)}"
    async with nginx(tmp_path / "nginx", nobody) as proxy, asyncio.timeout(WITHIN_S):
        connector = TCPConnector(ssl=proxy.trust())
        async with (
            ClientSession(proxy.url, connector=connector) as client,
            client.get("/v1/models") as answer,
        ):
            assert (answer.status, answer.headers["Retry-After"]) == (503, "5")
            assert (await answer.json())["error"]["code"] == "not_ready"
