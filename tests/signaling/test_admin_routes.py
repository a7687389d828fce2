"""The operator's view: what is there, ended on demand, and nobody else's."""

from __future__ import annotations

import asyncio
import time

import pytest

from signaling.admin_routes import ENDED, LOAD_PATH, PATH
from signaling.config import AuthConfig, Load, Readiness
from signaling.messages import Bye, Fault, Join, Joined
from tests.signaling.conftest import Running, Service
from tests.signaling.tokens import TOKENS, token

pytestmark = pytest.mark.peer

KEY, OTHER = "k" * 24, "o" * 24


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


async def ids(client: Running, key: str, query: str = "") -> list[str]:
    answer = await client.get(PATH + query, bearer(key))
    assert answer.status == 200
    return [one["id"] for one in (await answer.json())["data"]]


async def test_it_shows_who_is_there_and_nothing_that_is_said(service: Service) -> None:
    client = await service.start(auth=AuthConfig(keys={"site": (KEY,)}))
    await (await service.connect()).ask(Join(token=KEY, room="lab", name="Ada"))
    session = service.peer.opened[0]
    answer = await client.get(PATH, bearer(KEY))
    (shown,) = (await answer.json())["data"]
    assert abs(shown.pop("created_at") - time.time()) < 30
    assert shown == {
        "id": session.session_id,
        "room": "lab",
        "name": "Ada",
        "key_id": "site",
        "subject": "",
        "purpose": "call",
        "connected": False,
        "voice_id": None,
        "object": "admin.session",
    }
    assert session.resume_token not in await answer.text()
    assert await ids(client, KEY, "?room=lab") == [session.session_id]
    assert await ids(client, KEY, "?room=other") == []


async def test_a_session_is_ended_and_its_client_told(service: Service) -> None:
    client = await service.start(api_keys=(KEY,))
    socket = await service.connect()
    joined = await socket.ask(Join(token=KEY))
    assert isinstance(joined, Joined)
    path = f"{PATH}/{joined.session_id}"
    async with client.http.delete(path, headers=bearer(KEY)) as answer:
        assert answer.status == 204
    assert await socket.receive() == Bye(reason=ENDED)
    assert service.peer.opened[0].closed_with == ENDED
    async with client.http.delete(path, headers=bearer(KEY)) as answer:
        assert answer.status == 404


async def test_other_keys_see_and_end_nothing(service: Service) -> None:
    client = await service.start(api_keys=(KEY, OTHER))
    joined = await (await service.connect()).ask(Join(token=KEY))
    assert isinstance(joined, Joined)
    assert await ids(client, OTHER) == []
    path = f"{PATH}/{joined.session_id}"
    async with client.http.delete(path, headers=bearer(OTHER)) as answer:
        assert answer.status == 404
    assert service.peer.opened[0].closed_with is None
    assert await ids(client, KEY) == [joined.session_id]


async def test_a_key_sees_its_subjects_and_they_not_each_other(service: Service) -> None:
    client = await service.start(auth=AuthConfig(tokens=TOKENS))
    for subject in ("ada", "bob"):
        await (await service.connect()).ask(Join(token=token(sub=subject)))
    boss = token(sub=None, rights=["manage"])
    ada = token(sub="ada", rights=["manage"])
    assert len(await ids(client, boss)) == 2
    assert await ids(client, ada) == [service.peer.opened[0].session_id]


async def test_without_the_right_there_is_no_view(service: Service) -> None:
    client = await service.start(auth=AuthConfig(tokens=TOKENS))
    assert (await client.get(PATH, bearer(token()))).status == 403
    assert (await client.get(PATH)).status == 401


async def test_a_key_may_have_so_many_sessions_at_once(service: Service) -> None:
    await service.start(api_keys=(KEY, OTHER), max_sessions_per_key=1)
    assert isinstance(await (await service.connect()).ask(Join(token=KEY)), Joined)
    refused = await (await service.connect()).ask(Join(token=KEY))
    assert isinstance(refused, Fault)
    assert (refused.code, refused.fatal) == ("too_many_sessions", True)
    assert isinstance(await (await service.connect()).ask(Join(token=OTHER)), Joined)


async def test_whoever_is_bound_to_a_room_sees_and_ends_nothing_in_another(
    service: Service,
) -> None:
    client = await service.start(auth=AuthConfig(tokens=TOKENS))
    await (await service.connect()).ask(Join(token=token(sub="ada"), room="red"))
    await (await service.connect()).ask(Join(token=token(sub="ada"), room="blue"))
    red, blue = (one.session_id for one in service.peer.opened)
    for bound in (
        token(sub=None, room="blue", rights=["manage"]),
        token(sub="ada", room="blue", rights=["manage"]),
    ):
        assert await ids(client, bound) == [blue]
        assert await ids(client, bound, "?room=red") == []
        async with client.http.delete(f"{PATH}/{red}", headers=bearer(bound)) as answer:
            assert answer.status == 404
    assert service.peer.opened[0].closed_with is None


async def test_no_key_takes_the_last_places_while_there_are_others(service: Service) -> None:
    client = await service.start(api_keys=(KEY, OTHER), max_sessions=4)
    headers = {"Content-Type": "application/sdp"} | bearer(KEY)
    opened = [
        await client.http.post("/v1/realtime/calls", data="v=0 offer", headers=headers)
        for _ in range(6)
    ]
    assert [answer.status for answer in opened] == [201] * 3 + [429] * 3
    assert "Retry-After" in opened[-1].headers
    refused = await (await service.connect()).ask(Join(token=KEY))
    assert isinstance(refused, Fault)
    assert (refused.code, refused.fatal) == ("too_many_sessions", True)
    assert isinstance(await (await service.connect()).ask(Join(token=OTHER)), Joined)


async def test_sessions_that_are_being_opened_count(service: Service) -> None:
    await service.start(api_keys=(KEY, OTHER), max_sessions=4)
    service.peer.open_delay_s = 0.5
    asking = [await service.connect() for _ in range(6)]
    answers = await asyncio.gather(*(one.ask(Join(token=KEY)) for one in asking))
    assert sum(isinstance(one, Joined) for one in answers) == 3


async def test_a_client_that_comes_again_needs_no_second_place(service: Service) -> None:
    await service.start(api_keys=(KEY, OTHER), max_sessions=4)
    for name in ("a", "b", "c", "c", "b"):
        join = Join(token=KEY, client_id=name * 16)
        assert isinstance(await (await service.connect()).ask(join), Joined)


async def test_a_single_key_may_have_all_places(service: Service) -> None:
    await service.start(api_keys=(KEY,), max_sessions=4)
    for _ in range(4):
        assert isinstance(await (await service.connect()).ask(Join(token=KEY)), Joined)


BUSY = Load(("short_first_piece", "no_new_sessions"), {"memory": 4.5}, 130.0, refuses=True)


async def test_whoever_manages_sees_what_is_done_with_less(service: Service) -> None:
    keys = AuthConfig(
        keys={"site": (KEY,), "ears": (OTHER,)}, rights={"ears": frozenset({"listen"})}
    )
    client = await service.start(auth=keys)
    calm = await client.get(LOAD_PATH, bearer(KEY))
    assert (await calm.json())["step"] == 0
    service.state = Readiness(ready=True, load=BUSY)
    busy = await client.get(LOAD_PATH, bearer(KEY))
    assert await busy.json() == {
        "step": 2,
        "steps": ["short_first_piece", "no_new_sessions"],
        "severities": {"memory": 4.5},
        "baseline_ms": 130.0,
        "refuses_sessions": True,
        "object": "admin.degradation",
    }
    assert (await client.get(LOAD_PATH, bearer(OTHER))).status == 403
    assert (await client.get(LOAD_PATH)).status == 401


async def test_load_balancers_send_nobody_where_there_is_too_much_to_do(service: Service) -> None:
    client = await service.start()
    service.state = Readiness(ready=True, load=Load(("short_first_piece",)))
    less = await client.get("/readyz")
    assert (less.status, (await less.json())["degraded"]) == (200, ["short_first_piece"])
    service.state = Readiness(ready=True, retry_after_s=15, load=BUSY)
    full = await client.get("/readyz")
    assert (full.status, full.headers["Retry-After"]) == (503, "15")
    assert (await full.json())["status"] == "at_capacity"
