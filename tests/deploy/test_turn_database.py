"""A real coturn that shares a database with the service: what stolen credentials are worth."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from aioice import stun

from signaling import relays
from signaling.config import SignalingConfig
from signaling.ice_servers import TurnCredentials, session_user, turn_credentials
from signaling.messages import Join
from signaling.turn_users import TurnUsers
from tests.deploy.coturn import Coturn, sharing
from tests.deploy.test_turn import (
    FORBIDDEN,
    QUOTA_REACHED,
    UNAUTHORIZED,
    Relay,
    allocation,
    refusal,
    says,
)
from tests.peers.service import LocalService, running
from tests.peers.sounds import vowel
from voicepeer.call import Call
from voicepeer.client import VoicePeerClient
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.signaling_client import SignalingClient

pytestmark = [
    pytest.mark.peer,
    pytest.mark.needs("turnserver"),
]


@asynccontextmanager
async def service(server: Coturn) -> AsyncIterator[LocalService]:
    """A service that adds its clients to the server's users."""
    async with running(LocalService(config=SignalingConfig(ice=server.ice()))) as local:
        yield local


@dataclass
class Visit:
    """A client that has joined, and what a thief could have seen of it."""

    signaling: SignalingClient
    url: str
    credentials: TurnCredentials

    async def call(self) -> Call:
        """Connect through the relay and in no other way."""
        server: dict[str, str | list[str]] = {
            "urls": self.url,
            "username": self.credentials.username,
            "credential": self.credentials.credential,
        }
        call = Call([server], relay_only=True)
        await call.accept(await self.signaling.exchange(await call.offer()))
        return call


@asynccontextmanager
async def visit(local: LocalService) -> AsyncIterator[Visit]:
    """Join, and leave at the end."""
    signaling = SignalingClient(local.url, lambda _reason: None)
    try:
        joined = await signaling.join(Join())
        turn = joined.ice_servers[-1]
        shown = TurnCredentials(str(turn["username"]), str(turn["credential"]))
        yield Visit(signaling, turn["urls"][0], shown)
    finally:
        await signaling.close()


async def until_refused(server: Coturn, stolen: TurnCredentials, within_s: float = 10.0) -> None:
    """Wait until no relay can be opened with them."""
    async with asyncio.timeout(within_s):
        while await refusal(server, stolen) is None:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.05)
    assert await refusal(server, stolen) == UNAUTHORIZED


async def code_of(relay: Relay, address: str) -> int | None:
    """The code that an address is refused with as a peer; None where it can be reached."""
    try:
        await relay.reach(address)
    except stun.TransactionFailed as error:
        return error.response.error_code
    return None


async def test_what_is_stolen_from_a_session_that_has_ended_is_worth_nothing(
    tmp_path: Path,
) -> None:
    async with sharing(tmp_path) as server, service(server) as local:
        async with visit(local) as owner, visit(local) as other:
            stolen = owner.credentials
            assert await refusal(server, stolen) is None
            assert await refusal(server, replace(stolen, credential="guessed")) == UNAUTHORIZED
            await owner.signaling.close()
            await until_refused(server, stolen, 2.0)
            assert await refusal(server, other.credentials) is None
        await until_refused(server, other.credentials, 2.0)


async def test_what_is_stolen_from_a_call_is_worth_nothing_and_the_call_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "LOOK_EVERY_S", 0.1)
    monkeypatch.setattr(relays, "SETTLED_S", 0.5)
    async with sharing(tmp_path) as server, service(server) as local, visit(local) as owner:
        call = await owner.call()
        try:
            heard = len(call.recorder.pcm())
            await until_refused(server, owner.credentials)
            async with asyncio.timeout(30):
                while len(call.recorder.pcm()) < heard + WIRE_RATE_HZ:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
        finally:
            await call.close()


async def test_a_client_comes_back_through_the_relay_with_credentials_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays, "LOOK_EVERY_S", 0.1)
    monkeypatch.setattr(relays, "SETTLED_S", 0.0)
    async with sharing(tmp_path) as server, service(server) as local:
        async with VoicePeerClient(local.url, vowel(1.0), relay_only=True) as client:
            await says(client, "Before.")
            await asyncio.sleep(0.5)
            assert await asyncio.to_thread(names, server) == []
            await client.reconnect()
            said = await client.say("And after.")
            assert np.abs(said.pcm).max() > 0.05
            user = session_user(local.sessions[-1].session_id, "default")
        await server.until(rf"user <\d+:{user}>: incoming packet ALLOCATE processed, success")


def users_of(server: Coturn) -> TurnUsers:
    """The database that it shares; blocks."""
    assert server.shared is not None
    assert server.shared.turn_database is not None
    return TurnUsers(server.shared.turn_database)


def names(server: Coturn) -> list[str]:
    """All whom it would let in now."""
    with closing(users_of(server)) as users:
        return users.names()


async def test_a_thief_of_a_live_session_reaches_nothing_but_the_service(tmp_path: Path) -> None:
    elsewhere = [
        "1.1.1.1", "8.8.8.8", "127.0.0.2", "10.0.0.1", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "224.0.0.1", "255.255.255.255", "0.0.0.0",
    ]  # fmt: skip
    async with sharing(tmp_path) as server, service(server) as local, visit(local) as owner:
        async with allocation(server, owner.credentials) as relay:
            codes = {address: await code_of(relay, address) for address in elsewhere}
            assert codes == dict.fromkeys(elsewhere, FORBIDDEN)
        async with allocation(server, owner.credentials) as relay:
            assert await code_of(relay, "127.0.0.1") is None


async def test_over_ipv6_it_is_the_same(tmp_path: Path) -> None:
    flags = ["--relay-ip=::1", "--allocation-default-address-family=ipv6"]
    elsewhere = ["::", "::2", "2606:4700::1111", "fd00::1", "fe80::1", "::ffff:10.0.0.1"]
    async with (
        sharing(tmp_path, *flags) as server,
        service(server) as local,
        visit(local) as owner,
        allocation(server, owner.credentials) as relay,
    ):
        codes = {address: await code_of(relay, address) for address in elsewhere}
        assert codes == dict.fromkeys(elsewhere, FORBIDDEN)
        assert await code_of(relay, "::1") is None


async def test_a_thief_cannot_end_the_relay_of_its_owner(tmp_path: Path) -> None:
    async with (
        sharing(tmp_path) as server,
        service(server) as local,
        visit(local) as owner,
        allocation(server, owner.credentials) as mine,
    ):
        async with allocation(server, owner.credentials) as stolen:
            await stolen.refresh(lifetime_s=0)
        await mine.refresh()


async def test_a_thief_who_takes_all_relays_before_the_owner_costs_them_one_attempt(
    tmp_path: Path,
) -> None:
    async with (
        sharing(tmp_path, "--user-quota=2") as server,
        service(server) as local,
        visit(local) as owner,
        allocation(server, owner.credentials),
        allocation(server, owner.credentials),
    ):
        assert await refusal(server, owner.credentials) == QUOTA_REACHED
        async with visit(local) as again:
            assert await refusal(server, again.credentials) is None


async def test_users_are_found_while_others_come_and_go(tmp_path: Path) -> None:
    """With a rollback journal coturn refused 4 % of them: it waits for no lock."""
    known = [turn_credentials("s", f"user-{n}", time.time(), 60) for n in range(200)]
    over = threading.Event()
    async with sharing(tmp_path, "--min-port=20000", "--max-port=29999") as server:
        users = await asyncio.to_thread(users_of, server)
        for user in known:
            await asyncio.to_thread(users.add, user)
        busy = asyncio.create_task(asyncio.to_thread(_come_and_go, users, over))
        try:
            # All stay open: coturn takes who comes from the port of another for that one.
            async with AsyncExitStack() as open_relays:
                for user in known:
                    relay = allocation(server, user, linger_s=0)
                    await open_relays.enter_async_context(relay)
        finally:
            over.set()
            written = await busy
        assert written > 50


def _come_and_go(users: TurnUsers, over: threading.Event) -> int:
    """Write all the time; how often it was."""
    written = 0
    while not over.wait(0.001):
        users.add(TurnCredentials("99:busy", "x"))
        users.remove(["99:busy"])
        written += 2
    users.close()
    return written


async def test_coturn_may_start_again_and_knows_the_same_users(tmp_path: Path) -> None:
    async with sharing(tmp_path) as server, service(server) as local, visit(local) as owner:
        assert await refusal(server, owner.credentials) is None
        await server.kill()
        await server.start()
        assert await refusal(server, owner.credentials) is None
        assert "Bad configuration" not in server.said
        assert "nrecognized option" not in server.said


async def test_what_a_killed_service_left_behind_expires_all_the_same(tmp_path: Path) -> None:
    async with sharing(tmp_path) as server:
        left = turn_credentials("s", "ada", time.time(), 3)
        users = await asyncio.to_thread(users_of, server)
        await asyncio.to_thread(users.add, left)
        await asyncio.to_thread(users.close)
        assert await refusal(server, left) is None
        await asyncio.sleep(3.1)
        assert await refusal(server, left) == UNAUTHORIZED


async def test_the_secret_of_the_other_way_is_not_taken(tmp_path: Path) -> None:
    async with sharing(tmp_path) as server:
        made = turn_credentials("a-secret-of-this-test", "ada", time.time(), 60)
        assert await refusal(server, made) == UNAUTHORIZED
