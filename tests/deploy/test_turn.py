"""Our credentials and configuration with a real coturn, where one is installed."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aioice import stun, turn

from signaling.ice_servers import TurnCredentials, turn_credentials

pytestmark = [
    pytest.mark.peer,
    pytest.mark.needs("turnserver"),
]

CONF = Path(__file__).parents[2] / "coturn" / "turnserver.conf"
SECRET = "a-secret-of-this-test"
START_TIMEOUT_S = 10.0


@pytest.fixture
async def turn_port(tmp_path: Path) -> AsyncIterator[int]:
    """A coturn with our configuration on loopback; fails if it complains about an option."""
    port = _free_port()
    process = await asyncio.create_subprocess_exec(
        "turnserver", "-c", str(CONF), f"--static-auth-secret={SECRET}", "--listening-ip=127.0.0.1",
        "--relay-ip=127.0.0.1", f"--listening-port={port}", f"--pidfile={tmp_path / 'pid'}",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    try:
        async with asyncio.timeout(START_TIMEOUT_S):
            said = await _until_started(process)
        assert "Bad configuration" not in said
        assert "nrecognized option" not in said
        yield port
    finally:
        process.kill()
        await process.communicate()


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _until_started(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    said = ""
    while "admin thread" not in said:
        line = await process.stdout.readline()
        assert line, f"coturn ended: {said}"
        said += line.decode()
    return said


async def allocate(port: int, credentials: TurnCredentials) -> None:
    """Ask for a relay; raises what the server refuses with."""
    transport, _ = await turn.create_turn_endpoint(
        asyncio.DatagramProtocol,
        server_addr=("127.0.0.1", port),
        username=credentials.username,
        password=credentials.credential,
        transport="udp",
    )
    transport.close()
    await asyncio.sleep(0.05)


async def test_coturn_accepts_our_credentials(turn_port: int) -> None:
    await allocate(turn_port, turn_credentials(SECRET, "alice", time.time(), 600))


@pytest.mark.parametrize(
    ("secret", "age_s"), [("another-secret", 0), (SECRET, 3600)], ids=["wrong", "expired"]
)
async def test_coturn_refuses_others(turn_port: int, secret: str, age_s: int) -> None:
    with pytest.raises(stun.TransactionFailed):
        await allocate(turn_port, turn_credentials(secret, "alice", time.time() - age_s, 600))
