"""TURN credentials that end with what they were given for, in the database shared with coturn."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

import pytest

from signaling import relays as relays_module
from signaling import turn_writer
from signaling.config import AuthConfig
from signaling.ice_servers import IceConfig, IceConfigInvalid, TurnCredentials, turn_credentials
from signaling.leases import MAX_PER_SESSION, Leases
from signaling.messages import Join, Joined, Leave, Offer
from signaling.principal import ALL_RIGHTS, Principal, Right
from signaling.relays import Relays
from signaling.sessions import IceServer, SessionRequest
from signaling.turn_users import TurnUsers, long_term_key
from tests.signaling.conftest import Service, eventually
from tests.signaling.sessions import EchoSession
from tests.signaling.tokens import TOKENS, token

pytestmark = pytest.mark.peer

URL = "turn:turn.example:3478"
OFFER = {"Content-Type": "application/sdp"}
ADA = Principal("ada")
BOB = Principal("bob")


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
    """Wait until they are not good any more."""
    async with asyncio.timeout(30):
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
            turn_of(await made.for_principal(ADA)),
            turn_of(await made.for_principal(ADA)),
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
        async with asyncio.timeout(30):
            while keys(ice):  # noqa: ASYNC110 - another process's file, as it were
                await asyncio.sleep(0.01)


async def test_they_expire(ice: IceConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relays_module, "LOOK_EVERY_S", 0.02)
    short = IceConfig((), (URL,), turn_ttl_s=1, turn_database=ice.turn_database)
    async with running(short) as made:
        turn = turn_of(await made.for_principal(ADA))
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
        turn = turn_of(await made.for_principal(ADA))
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


@asynccontextmanager
async def locked(ice: IceConfig) -> AsyncIterator[None]:
    """Somebody writes the database and does not come to an end."""
    assert ice.turn_database is not None
    with closing(sqlite3.connect(ice.turn_database)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()


async def until_back(made: Relays) -> TurnCredentials:
    """Wait until there are TURN servers again."""
    async with asyncio.timeout(30):
        while len(servers := await made.for_principal(BOB)) < 2:  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.05)
    return turn_of(servers)


async def test_when_the_database_fails_there_is_no_turn_until_it_is_well_again(
    ice: IceConfig, caplog: pytest.LogCaptureFixture
) -> None:
    assert ice.turn_database is not None
    async with running(ice) as made:
        turn = turn_of(await made.for_principal(ADA))
        with closing(sqlite3.connect(ice.turn_database)) as other:
            other.execute("DROP TABLE turn_users")
        with caplog.at_level(logging.WARNING):
            assert await made.for_principal(ADA) == [{"urls": ["stun:stun.example"]}]
            assert good(ice, await until_back(made))
        assert good(ice, turn), "whoever had some has them again"
    assert "clients get no TURN servers until" in caplog.text
    assert turn.credential not in caplog.text


async def test_a_locked_database_costs_a_moment_once_and_not_for_each_client(
    ice: IceConfig, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relays_module, "LOOK_EVERY_S", 0.1)
    monkeypatch.setattr(turn_writer, "BUSY_S", 0.5)
    clock = asyncio.get_running_loop().time
    async with running(ice) as made:
        with caplog.at_level(logging.WARNING):
            async with locked(ice):
                began_s = clock()
                asked = [made.for_session(session(), "lobby") for _ in range(20)]
                assert all(len(servers) == 1 for servers in await asyncio.gather(*asked))
                assert clock() - began_s < 3.0, "20 that wait one after the other would take 10"
                began_s = clock()
                for _ in range(20):
                    assert len(await made.for_principal(ADA)) == 1
                assert clock() - began_s < 0.4, "who comes later does not wait at all"
            turn = await until_back(made)
        assert [*keys(ice)] == [turn.username], "nothing of those who got none"
    told = [record.message for record in caplog.records]
    assert len([text for text in told if "no TURN servers until" in text]) == 1
    assert len([text for text in told if "in use again" in text]) == 1


async def test_a_disk_that_does_not_answer_is_not_waited_for(
    ice: IceConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_writer, "WAIT_S", 0.2)
    monkeypatch.setattr(relays_module, "LOOK_EVERY_S", 0.05)
    async with running(ice) as made:
        assert made._writer is not None
        stuck = threading.Event()
        made._writer._thread.submit(stuck.wait, 20)
        try:
            assert len(await made.for_principal(ADA)) == 1
        finally:
            stuck.set()
        turn = await until_back(made)
        assert [*keys(ice)] == [turn.username]


async def test_whoever_is_given_up_while_asking_leaves_nothing(ice: IceConfig) -> None:
    """As a join is whose time is over; what it had asked for was written after that."""
    mine = session()
    async with running(ice) as made:
        assert made._writer is not None
        busy = threading.Event()
        made._writer._thread.submit(busy.wait, 1.0)
        asking = [
            asyncio.create_task(made.for_session(mine, "lobby")),
            asyncio.create_task(made.for_principal(ADA)),
        ]
        await asyncio.sleep(0.05)
        for task in asking:
            task.cancel()
        await asyncio.wait(asking)
        assert all(task.cancelled() for task in asking)
        busy.set()
        turn = turn_of(await made.for_session(mine, "lobby"))
        await eventually(lambda: set(keys(ice)) == {turn.username})
        assert len(mine.callbacks) == 1
        await mine.close("client_left")
        await until_gone(ice, turn)


@pytest.mark.usefixtures("hasty")
async def test_given_up_while_it_is_being_written_it_is_taken_back(
    ice: IceConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = threading.Event()
    add = TurnUsers.add

    def slowly(users: TurnUsers, user: TurnCredentials, instead_of: Iterable[str] = ()) -> None:
        written.wait(5)
        add(users, user, instead_of)

    monkeypatch.setattr(TurnUsers, "add", slowly)
    async with running(ice) as made:
        asking = asyncio.create_task(made.for_session(session(), "lobby"))
        await asyncio.sleep(0.1)
        asking.cancel()
        await asyncio.wait([asking])
        (name,) = made._leases.due(0.0)
        written.set()
        await eventually(lambda: name not in made._leases)
        assert keys(ice) == {}


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("replaced", [False, True])
async def test_a_database_that_was_deleted_or_replaced_is_opened_anew(
    ice: IceConfig, caplog: pytest.LogCaptureFixture, replaced: bool
) -> None:
    """SQLite goes on to write a file without a name, which a coturn started later never sees."""
    path = ice.turn_database
    assert path is not None
    async with running(ice) as made:
        turn = turn_of(await made.for_principal(ADA))
        with caplog.at_level(logging.WARNING):
            await asyncio.to_thread(path.unlink)
            if replaced:
                await asyncio.to_thread(TurnUsers.create, path)
            await eventually(lambda: "in use again" in caplog.text)
            assert good(ice, turn), "whoever had some has them in the new one"
            assert good(ice, turn_of(await made.for_principal(BOB)))
    assert "restart it" in caplog.text
    assert keys(ice) == {}


async def test_one_who_asks_under_many_names_takes_no_place_of_another_key(ice: IceConfig) -> None:
    async with running(ice) as made:
        made._leases = Leases(total=8, tenants=2)
        for number in range(30):
            turn_of(await made.for_principal(Principal("eve", subject=f"{number}")))
        assert len(keys(ice)) == 6, "three quarters, and at no moment more"
        assert good(ice, turn_of(await made.for_principal(ADA)))
        assert good(ice, turn_of(await made.for_session(session(), "lobby")))


async def test_a_name_that_is_given_again_while_it_is_removed_stays(ice: IceConfig) -> None:
    """Names have a second and a holder in them, and the same may come again within that second."""
    mine = session()
    async with running(ice) as made:
        for _ in range(40):
            turn = turn_of(await made.for_session(mine, "lobby"))
            assert good(ice, turn)
            made._wanted.set()
        held = set(made._leases.good(0.0))
        assert len(held) == MAX_PER_SESSION
        await eventually(lambda: set(keys(ice)) == held)
        await mine.close("client_left")
        await eventually(lambda: keys(ice) == {})


async def test_a_database_that_fails_at_the_end_leaves_them_to_expire(
    ice: IceConfig, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_writer, "BUSY_S", 0.2)
    async with AsyncExitStack() as after, running(ice) as made:
        turn_of(await made.for_principal(ADA))
        await after.enter_async_context(locked(ice))
    assert "stay until they expire" in caplog.text


async def test_too_many_at_once(ice: IceConfig, caplog: pytest.LogCaptureFixture) -> None:
    async with running(ice) as made:
        made._leases = Leases(total=1)
        turn = turn_of(await made.for_principal(ADA))
        with caplog.at_level(logging.WARNING):
            for _ in range(3):
                assert len(await made.for_principal(BOB)) == 1
        assert list(keys(ice)) == [turn.username]
    assert caplog.text.count("1 TURN credentials") == 1


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


async def test_joins_go_on_while_the_database_is_locked(service: Service, ice: IceConfig) -> None:
    await service.start(ice=ice)
    sockets = [await service.connect() for _ in range(6)]
    async with locked(ice), asyncio.timeout(4):
        asked = [socket.ask(Join(room="blue")) for socket in sockets]
        for joined in await asyncio.gather(*asked):
            assert isinstance(joined, Joined)
            assert joined.ice_servers == [{"urls": ["stun:stun.example"]}]


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
    async with asyncio.timeout(30):
        while name in keys(ice):  # noqa: ASYNC110 - another process's file, as it were
            await asyncio.sleep(0.01)


async def test_whoever_has_no_session_yet(service: Service, ice: IceConfig) -> None:
    client = await service.start(ice=ice)
    async with client.http.get("/v1/realtime/ice-servers") as answer:
        turn = turn_of((await answer.json())["ice_servers"])
    assert good(ice, turn)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/realtime/ice-servers", ["speak", "listen", "enrol"]),
        ("POST", "/start", ["speak", "listen", "enrol"]),
        ("OPTIONS", "/whip/blue", ["enrol"]),
        ("OPTIONS", "/whep/blue", ["listen"]),
    ],
)
async def test_who_could_open_no_session_gets_none(
    service: Service, ice: IceConfig, method: str, path: str, allowed: list[Right]
) -> None:
    client = await service.start(ice=ice, auth=AuthConfig(tokens=TOKENS))
    for right in (None, *ALL_RIGHTS):
        shown = {"Authorization": f"Bearer {token(rights=[right] if right else [])}"}
        before = len(keys(ice))
        async with client.http.request(method, path, headers=shown) as answer:
            assert (answer.status == 403) == (right not in allowed), right
        assert len(keys(ice)) == before + (right in allowed)
