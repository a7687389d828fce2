"""The doctor's questions to a real coturn, and its answers where there is none or a wrong one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.ice_servers import IceConfig
from signaling.turn_users import TurnUsers
from tests.deploy.certificates import certificate
from tests.deploy.coturn import Coturn, coturn, free_port, sharing
from tests.deploy.test_turn import allocation, credentials
from tests.voicepeer.commandline import voicepeer
from voicepeer import relay_check
from voicepeer.relay_check import RelayRefused, ServerAddress, mapped_address, relayed_address

pytestmark = [pytest.mark.peer, pytest.mark.needs("turnserver")]


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for servers as long as a busy machine takes."""
    monkeypatch.setattr(relay_check, "TIMEOUT_S", 60.0)


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("stun:stun.example.org", ServerAddress("stun.example.org", 3478, "udp", False)),
        ("turn:[2001:db8::1]:99", ServerAddress("2001:db8::1", 99, "udp", False)),
        ("turn:t.example?transport=tcp", ServerAddress("t.example", 3478, "tcp", False)),
        ("turns:t.example", ServerAddress("t.example", 5349, "tcp", True)),
    ],
)
def test_where_a_url_leads(url: str, wanted: ServerAddress) -> None:
    assert ServerAddress.of(url) == wanted


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"), "not known"),
        (OSError(101, "Network is unreachable"), "unreachable"),
        (ConnectionResetError(), "no answer"),
    ],
)
def test_what_the_system_says_becomes_advice(error: OSError, words: str) -> None:
    server = ServerAddress.of("turn:nobody.example")
    with pytest.raises(RelayRefused, match=words) as refused, relay_check._explained(server):
        raise error
    assert refused.value.remedy


async def asked(url: str, config: IceConfig) -> str:
    """What a server says to the doctor, whose questions block."""
    return await asyncio.to_thread(relayed_address, url, config)


@pytest.mark.parametrize("transport", ["udp", "tcp"])
async def test_a_relay_is_opened_and_given_back(tmp_path: Path, transport: str) -> None:
    async with coturn(tmp_path) as server:
        config = server.ice(transport)
        relayed = await asked(config.turn_urls[0], config)
        assert relayed.startswith("127.0.0.1 port ")
        await server.until(r"refreshed, .*lifetime=0|deleted|delete: ")
        seen = await asyncio.to_thread(mapped_address, f"stun:127.0.0.1:{server.port}")
        assert seen.startswith("127.0.0.1 port ")


async def test_a_user_of_the_shared_database_is_there_for_the_question_only(
    tmp_path: Path,
) -> None:
    async with sharing(tmp_path) as server:
        config = server.ice()
        assert (await asked(config.turn_urls[0], config)).startswith("127.0.0.1 port ")
        assert await asyncio.to_thread(_users, server) == []


def _users(server: Coturn) -> list[str]:
    assert server.shared is not None
    assert server.shared.turn_database is not None
    with closing(TurnUsers(server.shared.turn_database)) as users:
        return users.names()


async def test_another_secret_is_told_as_such(tmp_path: Path) -> None:
    async with coturn(tmp_path) as server:
        config = replace(server.ice(), turn_secret="another-secret")
        with pytest.raises(RelayRefused, match="401") as refused:
            await asked(config.turn_urls[0], config)
        assert "same secret" in refused.value.remedy


async def test_a_server_that_is_full_is_told_as_such(tmp_path: Path) -> None:
    async with coturn(tmp_path, "--total-quota=1") as server:
        config = server.ice()
        async with allocation(server, credentials()):
            with pytest.raises(RelayRefused, match="486"):
                await asked(config.turn_urls[0], config)


async def test_a_certificate_that_nobody_trusts_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = await asyncio.to_thread(certificate, tmp_path)
    async with coturn(tmp_path, f"--cert={files.cert}", f"--pkey={files.key}") as server:
        config = replace(server.ice(), turn_urls=(f"turns:127.0.0.1:{server.tls_port}",))
        with pytest.raises(RelayRefused, match="certificate"):
            await asked(config.turn_urls[0], config)
        monkeypatch.setenv("SSL_CERT_FILE", str(files.cert))
        assert (await asked(config.turn_urls[0], config)).startswith("127.0.0.1 port ")


@contextmanager
def silent() -> Iterator[int]:
    """A port where somebody listens and never answers."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


async def test_silence_and_a_closed_port(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relay_check, "TIMEOUT_S", 0.6)
    config = IceConfig(turn_secret="0123456789abcdef")
    with silent() as port:
        for ask in (
            asked(f"turn:127.0.0.1:{port}", config),
            asyncio.to_thread(mapped_address, f"stun:127.0.0.1:{port}"),
        ):
            with pytest.raises(RelayRefused, match="no answer") as refused:
                await ask
            assert f"UDP port {port}" in refused.value.remedy
    closed = free_port(socket.SOCK_STREAM)
    with pytest.raises(RelayRefused, match="no answer") as refused:
        await asked(f"turn:127.0.0.1:{closed}?transport=tcp", config)
    assert f"TCP port {closed}" in refused.value.remedy


class Chatter(asyncio.DatagramProtocol):
    """Somebody who answers, and not to the question."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, _data: bytes, address: tuple[str, int]) -> None:
        self._transport.sendto(b"pardon?", address)


@given(st.binary(max_size=120))
def test_whatever_comes_is_an_address_or_a_refusal(answer: bytes) -> None:
    with contextlib.suppress(RelayRefused):
        assert " port " in relay_check._mapped(answer)


async def test_what_is_no_stun_server_is_told_as_such() -> None:
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(Chatter, local_addr=("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]
    try:
        with pytest.raises(RelayRefused, match="no STUN server"):
            await asyncio.to_thread(mapped_address, f"stun:127.0.0.1:{port}")
    finally:
        transport.close()


async def test_the_doctor_tells_all_of_it(tmp_path: Path) -> None:
    async with coturn(tmp_path) as server:
        url = f"127.0.0.1:{server.port}"
        command = [
            *("doctor", "--engine=fake", "--json", "--set=server.port=0"),
            f"--set=ice.stun_urls=stun:{url}",
            f"--set=ice.turn_urls=turn:{url},turn:{url}?transport=tcp",
        ]
        right, wrong = [
            await asyncio.to_thread(voicepeer, *command, f"--set=ice.turn_secret={secret}")
            for secret in (server.secret, "another-secret-0123456789")
        ]
    told = [one["state"] for one in right.json["findings"] if one["topic"] == "turn"]
    assert (right.code, told) == (0, ["ok", "ok", "ok"]), json.dumps(right.json)
    told = [one["state"] for one in wrong.json["findings"] if one["topic"] == "turn"]
    assert (wrong.code, told) == (1, ["ok", "fault", "fault"])
