"""A real coturn with our configuration: whom it lets in, where to, and calls through it."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from aioice import stun, turn

from signaling.config import SignalingConfig
from signaling.ice_servers import TurnCredentials, session_user, turn_credentials
from tests.deploy.coturn import LOOPBACK_PEERS, SECRET, Coturn, coturn
from tests.peers.service import LocalService, running
from tests.peers.sounds import vowel
from voicepeer import call
from voicepeer.client import CallEnded, VoicePeerClient

pytestmark = [
    pytest.mark.peer,
    pytest.mark.needs("turnserver"),
]

ALICE = session_user("5e55101", "lobby")
FORBIDDEN = 403
UNAUTHORIZED = 401
QUOTA_REACHED = 486


def credentials(secret: str = SECRET, user: str = ALICE, ttl_s: int = 600) -> TurnCredentials:
    return turn_credentials(secret, user, time.time(), ttl_s)


class Relay:
    """An allocation, used as a stranger with tools of their own would."""

    def __init__(self, client: turn.TurnClientMixin) -> None:
        self._client = client

    async def reach(self, address: str) -> None:
        """Ask for the permission to send somewhere; raises what the server refuses with."""
        await self._client.channel_bind(0x4001, (address, 9))

    async def refresh(self, lifetime_s: int = 600) -> None:
        """Ask for more time, or by 0 for the end."""
        request = stun.Message(message_method=stun.Method.REFRESH, message_class=stun.Class.REQUEST)
        request.attributes["LIFETIME"] = lifetime_s
        await self._client.request_with_retry(request)


@asynccontextmanager
async def allocation(
    server: Coturn,
    given: TurnCredentials,
    transport: str = "udp",
    tls: ssl.SSLContext | None = None,
    linger_s: float = 0.05,
) -> AsyncIterator[Relay]:
    """A relay; raises what the server refuses with. It may linger until the server has ended it."""
    port = server.port if tls is None else server.tls_port
    endpoint, _ = await turn.create_turn_endpoint(
        asyncio.DatagramProtocol,
        server_addr=("127.0.0.1", port),
        username=given.username,
        password=given.credential,
        transport=transport,
        ssl=tls if tls is not None else False,
    )
    inner = endpoint._TurnTransport__inner_protocol  # type: ignore[attr-defined]
    try:
        yield Relay(inner)
    finally:
        endpoint.close()
        await asyncio.sleep(linger_s)


async def refusal(server: Coturn, given: TurnCredentials) -> int | None:
    """The code that credentials are refused with; None where they are good."""
    try:
        async with allocation(server, given):
            return None
    except stun.TransactionFailed as error:
        return error.response.error_code


async def unreachable(server: Coturn, address: str) -> int | None:
    """The code that an address is refused with; None where it can be reached."""
    async with allocation(server, credentials(user=f"tries-{address}")) as relay:
        try:
            await relay.reach(address)
        except stun.TransactionFailed as error:
            return error.response.error_code
    return None


# --- who is let in ------------------------------------------------------------------------------


async def test_the_configuration_has_no_option_that_coturn_does_not_know(tmp_path: Path) -> None:
    async with coturn(tmp_path) as server:
        assert "Bad configuration" not in server.said
        assert "nrecognized option" not in server.said
        assert SECRET not in server.said


async def test_only_credentials_as_the_service_made_them_are_good(tmp_path: Path) -> None:
    good = credentials()
    expiry, _, user = good.username.partition(":")
    async with coturn(tmp_path) as server:
        assert await refusal(server, good) is None
        for bad in (
            credentials("another-secret"),
            credentials(ttl_s=-1),
            TurnCredentials(f"{expiry}:{session_user('5e55102', 'lobby')}", good.credential),
            TurnCredentials(f"{expiry}:{session_user('5e55101', 'other')}", good.credential),
            TurnCredentials(f"{int(expiry) + 9999}:{user}", good.credential),
            TurnCredentials(user, good.credential),
            TurnCredentials("", ""),
        ):
            assert await refusal(server, bad) == UNAUTHORIZED


async def test_a_session_has_a_quota_that_others_and_later_credentials_do_not_change(
    tmp_path: Path,
) -> None:
    async with (
        coturn(tmp_path, "--user-quota=2") as server,
        allocation(server, credentials()),
        allocation(server, credentials(ttl_s=900)),
    ):
        assert await refusal(server, credentials(ttl_s=1200)) == QUOTA_REACHED
        assert await refusal(server, credentials(user=session_user("b0b", "lobby"))) is None


async def test_what_is_stolen_is_good_until_it_expires_and_no_longer(tmp_path: Path) -> None:
    """What ``docs/turn.md`` says about the limits of such credentials."""
    stolen = credentials(ttl_s=2)
    async with coturn(tmp_path) as server, allocation(server, stolen) as relay:
        assert await refusal(server, stolen) is None, "the service cannot take them back"
        await asyncio.sleep(3.2)
        assert await refusal(server, stolen) == UNAUTHORIZED
        await relay.refresh()  # coturn goes on for whoever was let in


async def test_without_a_secret_and_a_database_nobody_is_let_in(tmp_path: Path) -> None:
    userdb = f"--userdb={tmp_path / 'turn.sqlite'}"
    async with coturn(tmp_path, userdb, secret="") as server:
        assert await refusal(server, credentials()) == UNAUTHORIZED
        assert await refusal(server, TurnCredentials("", "")) == UNAUTHORIZED


# --- where it sends -----------------------------------------------------------------------------


V4 = {
    "127.0.0.1": FORBIDDEN, "10.0.0.1": FORBIDDEN, "169.254.169.254": FORBIDDEN,
    "192.168.1.1": FORBIDDEN, "224.0.0.1": FORBIDDEN,
    "1.1.1.1": None, "172.32.0.1": None, "193.0.0.1": None,
}  # fmt: skip
V6 = {
    "::": FORBIDDEN, "::1": FORBIDDEN, "::7f00:1": FORBIDDEN, "::ffff:10.0.0.1": FORBIDDEN,
    "fd00::1": FORBIDDEN, "fe80::1": FORBIDDEN, "64:ff9b::a00:1": FORBIDDEN,
    "2606:4700::1111": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("codes", "flags"),
    [(V4, []), (V6, ["--relay-ip=::1", "--allocation-default-address-family=ipv6"])],
    ids=["IPv4", "IPv6"],
)
async def test_public_addresses_can_be_reached_and_no_others(
    tmp_path: Path, codes: dict[str, int | None], flags: list[str]
) -> None:
    async with coturn(tmp_path, *flags) as server:
        assert {address: await unreachable(server, address) for address in codes} == codes


async def test_tls_with_a_certificate_of_ones_own(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
        "-keyout", str(key), "-out", str(cert),
    ]  # fmt: skip
    await asyncio.to_thread(subprocess.run, command, check=True, capture_output=True)
    trust = ssl.create_default_context(cafile=str(cert))
    async with (
        coturn(tmp_path, f"--cert={cert}", f"--pkey={key}") as server,
        allocation(server, credentials(), "tcp", trust) as relay,
    ):
        await relay.refresh()


# --- calls --------------------------------------------------------------------------------------


@asynccontextmanager
async def service(server: Coturn, transport: str = "udp") -> AsyncIterator[LocalService]:
    """A service whose clients may use the relay."""
    async with running(LocalService(config=SignalingConfig(ice=server.ice(transport)))) as local:
        yield local


def relayed(local: LocalService) -> VoicePeerClient:
    """A client that connects through the relay only."""
    return VoicePeerClient(local.url, vowel(1.0), relay_only=True)


async def says(client: VoicePeerClient, text: str) -> None:
    """Say something and make sure that it was heard."""
    await client.use_voice("mid")
    said = await client.say(text)
    assert np.abs(said.pcm).max() > 0.1


@pytest.mark.parametrize("transport", ["udp", "tcp"])
async def test_a_call_through_nothing_but_the_relay(tmp_path: Path, transport: str) -> None:
    async with coturn(tmp_path, *LOOPBACK_PEERS) as server, service(server, transport) as local:
        async with relayed(local) as client:
            await says(client, "Through the relay.")
            user = session_user(local.sessions[0].session_id, "default")
        log = rf"user <\d+:{user}>: incoming packet ALLOCATE processed, success"
        await server.until(log)


async def test_without_credentials_that_are_good_there_is_no_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call, "CONNECT_TIMEOUT_S", 1.0)
    async with coturn(tmp_path, *LOOPBACK_PEERS) as server:
        forged = replace(server.ice(), turn_secret="not-the-secret")
        async with running(LocalService(config=SignalingConfig(ice=forged))) as local:
            with pytest.raises(CallEnded, match="TURN"):
                await relayed(local).__aenter__()


async def test_a_relay_that_dies_in_mid_call_frees_the_session_and_is_used_again(
    tmp_path: Path,
) -> None:
    async with coturn(tmp_path, *LOOPBACK_PEERS) as server, service(server) as local:
        async with relayed(local) as client, VoicePeerClient(local.url) as direct:
            await says(client, "Before.")
            reasons: list[str] = []
            local.sessions[0].on_closed(reasons.append)
            died_s = time.monotonic()
            await server.kill()
            async with asyncio.timeout(30):
                while not reasons:  # noqa: ASYNC110 - a list of the test's own
                    await asyncio.sleep(0.05)
            assert reasons[0] in {"client_vanished", "connection_lost"}
            assert time.monotonic() - died_s > 2, "a moment of silence is no reason"
            await says(direct, "Without it.")
        await server.start()
        async with relayed(local) as again:
            await says(again, "And after.")
