"""TURN credentials that end with what they were given for, in the database shared with coturn."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from signaling import relays as relays_module
from signaling.ice_servers import IceConfig, IceConfigInvalid, TurnCredentials, turn_credentials
from signaling.leases import Leases
from signaling.messages import Join, Joined, Leave, Offer
from signaling.relays import Relays
from signaling.sessions import IceServer, SessionRequest
from signaling.turn_users import long_term_key
from tests.signaling.conftest import Service
from tests.signaling.sessions import EchoSession

pytestmark = pytest.mark.peer

URL = "turn:turn.example:3478"
OFFER = {"Content-Type": "application/sdp"}


@pytest.fixture
def ice(tmp_path: Path) -> IceConfig:
    """Settings with a database of their own."""
    return IceConfig(
        ("stun:stun.example",), (URL,), turn_database=tmp_path / "turn.sqlite", turn_ttl_s=60
    )


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look often, and end the credentials of a connected session soon."""
    monkeypatch.setattr(relays_module, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(relays_module, "SETTLED_S", 0.2)


def session() -> EchoSession:
    return EchoSession(SessionRequest("lobby", ""))


def turn_of(servers: list[IceServer]) -> TurnCredentials:
    """What is to be shown to the TURN server, which must be there."""
    turn = servers[-1]
    assert turn["urls"] == [URL]
    return TurnCredentials(str(turn["username"]), str(turn["credential"]))


def keys(ice: IceConfig) -> dict[str, str]:
    """Key of each user whom coturn would let in."""
    assert ice.turn_database is not None
    with closing(sqlite3.connect(ice.turn_database)) as database:
        return dict(database.execute("SELECT name, hmackey FROM turnusers_lt"))


def good(ice: IceConfig, turn: TurnCredentials) -> bool:
    """Whether coturn would let them in."""
    return keys(ice).get(turn.username) == long_term_key(turn, ice.turn_realm)


async def until_gone(ice: IceConfig, turn: TurnCredentials) -> None:
    """Wait until they are not good any more; less than a second even on a slow machine."""
    async with asyncio.timeout(5):
        while good(ice, turn):  # noqa: ASYNC110 - another process's file, as it were
            await asyncio.sleep(0.01)


@asynccontextmanager
async def running(ice: IceConfig) -> AsyncIterator[Relays]:
    made = Relays(ice)
    async with made.running():
        yield made


async def test_everybody_has_credentials_of_their_own(ice: IceConfig) -> None:
    one, other = session(), session()
    async with running(ice) as made:
        given = [
            turn_of(await made.for_session(one, "lobby")),
            turn_of(await made.for_session(other, "lobby")),
            turn_of(await made.for_owner("ada")),
            turn_of(await made.for_owner("ada")),
            turn_of(await made.for_service()),
        ]
        assert all(good(ice, turn) for turn in given)
        assert len({turn.username for turn in given}) == len(given)
        assert len({turn.credential for turn in given}) == len(given)
        assert given[0].username.endswith(f":{one.session_id}@lobby")
    assert keys(ice) == {}, "nothing stays when the service ends"


async def test_they_end_with_their_session(ice: IceConfig) -> None:
    mine, yours = session(), session()
    async with running(ice) as made:
        turn = turn_of(await made.for_session(mine, "lobby"))
        other = turn_of(await made.for_session(yours, "lobby"))
        await mine.close("client_left")
        await until_gone(ice, turn)
        assert good(ice, other)


@pytest.mark.usefixtures("hasty")
async def test_they_end_soon_after_the_session_has_connected(ice: IceConfig) -> None:
    mine, yours = session(), session()
    async with running(ice) as made:
        turn = turn_of(await made.for_session(mine, "lobby"))
        other = turn_of(await made.for_session(yours, "lobby"))
        await asyncio.sleep(0.4)
        assert good(ice, turn), "it has not connected"
        mine.connected = True
        await until_gone(ice, turn)
        assert good(ice, other)
        again = turn_of(await made.for_session(mine, "lobby"))
        assert good(ice, again), "whoever asks again gets new ones"
        await until_gone(ice, again)


async def test_whoever_asks_often_has_other_ones_each_time(ice: IceConfig) -> None:
    """Else those of before, being taken back, would take the new ones with them."""
    mine = session()
    async with running(ice) as made:
        names = [turn_of(await made.for_session(mine, "lobby")).username for _ in range(5)]
        assert len(set(names)) == 5
        assert set(names) == set(keys(ice))
        await mine.close("client_left")
        async with asyncio.timeout(5):
            while keys(ice):  # noqa: ASYNC110 - another process's file, as it were
                await asyncio.sleep(0.01)


async def test_they_expire(ice: IceConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays_module, "LOOK_EVERY_S", 0.02)
    short = IceConfig((), (URL,), turn_ttl_s=1, turn_database=ice.turn_database)
    async with running(short) as made:
        turn = turn_of(await made.for_owner("ada"))
        assert good(ice, turn)
        await until_gone(ice, turn)


async def test_a_session_that_ended_while_they_were_made_leaves_none(ice: IceConfig) -> None:
    ended = session()
    await ended.close("client_left")

    def at_once(callback: object) -> None:
        assert callable(callback)
        callback("client_left")

    ended.on_closed = at_once  # type: ignore[method-assign]
    async with running(ice) as made:
        await until_gone(ice, turn_of(await made.for_session(ended, "lobby")))


async def test_a_secret_needs_no_database() -> None:
    async with running(IceConfig((), (URL,), "shared")) as made:
        turn = turn_of(await made.for_owner("ada"))
    expiry, _, user = turn.username.partition(":")
    assert user.startswith("ada.")
    assert turn == turn_credentials("shared", user, int(expiry), 0)


async def test_a_service_whose_relays_lead_to_itself_only_takes_none(ice: IceConfig) -> None:
    closed = IceConfig(
        ice.stun_urls, (URL,), turn_database=ice.turn_database, media_addresses=("192.0.2.7",)
    )
    async with running(closed) as made:
        assert await made.for_service() == [{"urls": ["stun:stun.example"]}]
        assert good(ice, turn_of(await made.for_session(session(), "lobby")))


async def test_a_database_that_cannot_be_used_is_told_of_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ice = IceConfig((), (URL,), turn_database=tmp_path / "file" / "turn.sqlite")
    with pytest.raises(IceConfigInvalid, match="cannot be used"):
        async with Relays(ice).running():
            pass


async def test_when_the_database_fails_there_is_no_turn_but_all_the_rest(
    ice: IceConfig, caplog: pytest.LogCaptureFixture
) -> None:
    assert ice.turn_database is not None
    async with running(ice) as made:
        turn = turn_of(await made.for_owner("ada"))
        with closing(sqlite3.connect(ice.turn_database)) as other:
            other.execute("DROP TABLE turnusers_lt")
        with caplog.at_level(logging.WARNING):
            assert await made.for_owner("ada") == [{"urls": ["stun:stun.example"]}]
    assert "a client gets no TURN server" in caplog.text
    assert "stay until the service starts again" in caplog.text
    assert turn.credential not in caplog.text


async def test_too_many_at_once(ice: IceConfig, caplog: pytest.LogCaptureFixture) -> None:
    async with running(ice) as made:
        made._leases = Leases(total=1)
        turn = turn_of(await made.for_owner("ada"))
        with caplog.at_level(logging.WARNING):
            assert len(await made.for_owner("bob")) == 1
        assert list(keys(ice)) == [turn.username]
    assert "1 TURN credentials" in caplog.text


# --- by the ways that clients come ----------------------------------------------------------------


async def test_over_a_socket(service: Service, ice: IceConfig) -> None:
    await service.start(ice=ice)
    socket = await service.connect()
    joined = await socket.ask(Join(room="blue"))
    assert isinstance(joined, Joined)
    turn = turn_of(joined.ice_servers)
    own = turn_of([*service.peer.opened[0].request.ice_servers])
    assert good(ice, turn)
    assert good(ice, own), "the service's own end"
    assert turn.username.endswith(f":{joined.session_id}@blue")
    await socket.ask(Offer(sdp="v=0 one"))
    await socket.send(Leave())
    await until_gone(ice, turn)


@pytest.mark.parametrize("path", ["/v1/realtime/calls", "/whip/blue"])
async def test_over_http(service: Service, ice: IceConfig, path: str) -> None:
    client = await service.start(ice=ice)
    async with client.http.post(path, data="v=0 one", headers=OFFER) as answer:
        assert answer.status == 201
        links = " ".join(answer.headers.getall("Link"))
        location = answer.headers["Location"]
    session_id = service.peer.opened[0].session_id
    (name,) = [name for name in keys(ice) if f":{session_id}@" in name]
    assert f'username="{name}"' in links
    async with client.http.delete(location):
        pass
    async with asyncio.timeout(5):
        while name in keys(ice):  # noqa: ASYNC110 - another process's file, as it were
            await asyncio.sleep(0.01)


async def test_whoever_has_no_session_yet(service: Service, ice: IceConfig) -> None:
    client = await service.start(ice=ice)
    async with client.http.get("/v1/realtime/ice-servers") as answer:
        turn = turn_of((await answer.json())["ice_servers"])
    assert good(ice, turn)
