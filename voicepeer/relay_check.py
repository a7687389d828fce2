"""Asks STUN and TURN servers as a client would: for its own address, and for a relay."""

from __future__ import annotations

import asyncio
import re
import secrets
import socket
import ssl
import struct
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass

from aioice import stun, turn

from signaling.ice_servers import (
    STUN_PORT,
    TURNS_PORT,
    IceConfig,
    TurnCredentials,
    new_user,
    turn_credentials,
)
from signaling.turn_users import TurnUsers
from voicepeer.finding import reason

TIMEOUT_S = 5.0
"""For a server to answer, repeated requests included."""

TRIES = 3
TTL_S = 60
"""Of the credentials that this asks with."""

OWNER = "doctor"

UNAUTHORIZED, QUOTA_REACHED = 401, 486
"""Codes of RFC 8489 section 14.8 and RFC 8656 section 18."""

_ADDRESS = re.compile(
    r"(?P<scheme>stun|turn)(?P<secure>s?):(?:\[(?P<v6>[^\]]+)\]|(?P<host>[^:?]+))"
    r"(?::(?P<port>\d+))?(?:\?transport=(?P<transport>udp|tcp))?"
)


class RelayRefused(Exception):
    """A server gave nothing; ``remedy`` is what to do about it."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where a STUN (RFC 7064) or TURN (RFC 7065) URI leads."""

    host: str
    port: int
    transport: str
    secure: bool

    @classmethod
    def of(cls, url: str) -> ServerAddress:
        """Read a URI that ``IceConfig`` has taken."""
        found = _ADDRESS.fullmatch(url)
        assert found is not None, "IceConfig checks them"
        secure = bool(found["secure"])
        port = int(found["port"] or (TURNS_PORT if secure else STUN_PORT))
        transport = found["transport"] or ("tcp" if secure else "udp")
        return cls(found["v6"] or found["host"], port, transport, secure)

    @property
    def door(self) -> str:
        """What a firewall has to let through, in words."""
        return f"{self.transport.upper()} port {self.port}"


def mapped_address(url: str) -> str:
    """This machine's address as a STUN server sees it, with the port (RFC 8489 section 2); blocks.

    Raises:
        RelayRefused: there is none to be had.
    """
    server = ServerAddress.of(url)
    with _explained(server):
        family, _, _, _, address = socket.getaddrinfo(
            server.host, server.port, type=socket.SOCK_DGRAM
        )[0]
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.settimeout(TIMEOUT_S / TRIES)
            asking.connect(address)
            return _binding(asking)


def _binding(asking: socket.socket) -> str:
    request = stun.Message(stun.Method.BINDING, stun.Class.REQUEST)
    for _ in range(TRIES):
        asking.send(bytes(request))
        with suppress(TimeoutError):
            return _mapped(asking.recv(1500))
    raise TimeoutError


def _mapped(answer: bytes) -> str:
    try:
        host, port = stun.parse_message(answer).attributes["XOR-MAPPED-ADDRESS"]
    except (ValueError, KeyError, IndexError, struct.error) as error:
        raise RelayRefused(
            "what answers there is no STUN server", "correct the address or the port"
        ) from error
    return f"{host} port {port}"


def relayed_address(url: str, config: IceConfig) -> str:
    """Where a relay of a TURN server is, which is opened and given back; blocks.

    Raises:
        RelayRefused: it opened none.
        IceConfigInvalid: the database of its users cannot be used.
    """
    server = ServerAddress.of(url)
    with _explained(server), _user(config) as credentials:
        host, port = asyncio.run(_allocate(server, credentials))
        return f"{host} port {port}"


@contextmanager
def _user(config: IceConfig) -> Iterator[TurnCredentials]:
    """Somebody whom the server knows for as long as this lasts."""
    secret = config.turn_secret or secrets.token_hex(16)
    user = turn_credentials(secret, new_user(OWNER), time.time(), TTL_S)
    if config.turn_database is None:
        yield user
        return
    with closing(TurnUsers(config.turn_database, config.turn_realm)) as users:
        users.add(user)
        try:
            yield user
        finally:
            users.remove([user.username])


async def _allocate(server: ServerAddress, user: TurnCredentials) -> tuple[str, int]:
    async with asyncio.timeout(TIMEOUT_S):
        relay, _ = await turn.create_turn_endpoint(
            asyncio.DatagramProtocol,
            server_addr=(server.host, server.port),
            username=user.username,
            password=user.credential,
            transport=server.transport,
            ssl=server.secure,
        )
    try:
        host, port = relay.get_extra_info("sockname")[:2]
    finally:
        relay.close()
        # For the request that ends it to leave.
        await asyncio.sleep(0.05)
    return host, port


@contextmanager
def _explained(server: ServerAddress) -> Iterator[None]:
    """Say what stands between us and a server."""
    try:
        yield
    except stun.TransactionFailed as error:
        raise _refused(error.response.error_code) from error
    except (TimeoutError, stun.TransactionTimeout, ConnectionError) as error:
        raise RelayRefused(
            "there is no answer",
            f"see that the server runs and that firewalls let {server.door} through",
        ) from error
    except socket.gaierror as error:
        raise RelayRefused(
            f"the name {server.host} is not known", "correct the name, or its DNS record"
        ) from error
    except ssl.SSLError as error:
        why = getattr(error, "verify_message", "") or error.reason or "TLS fails"
        raise RelayRefused(
            f"its certificate is not good: {why.lower()}",
            "give coturn a certificate for this name that browsers trust (cert and pkey)",
        ) from error
    except OSError as error:
        raise RelayRefused(reason(error), "see whether this machine has a way there") from error


def _refused(code: int | None) -> RelayRefused:
    if code == UNAUTHORIZED:
        return RelayRefused(
            "it does not take the service's credentials (401)",
            "give both the same secret, or the same database and realm, and see that their clocks "
            "agree (docs/turn.md)",
        )
    if code == QUOTA_REACHED:
        return RelayRefused(
            "it opens no more relays (486)", "raise total-quota and the range of ports of coturn"
        )
    return RelayRefused(f"it refuses with code {code}", "see what coturn's log says of it")
