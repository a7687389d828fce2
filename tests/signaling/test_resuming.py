"""Who goes on with an earlier session: one at a time, and only if nothing of it can be refused."""

from __future__ import annotations

import asyncio
import json

import pytest
from aiohttp import ClientResponse, FormData

from signaling.config import AuthConfig
from signaling.messages import Fault, Join, Joined
from signaling.rooms import Participant, Rooms
from signaling.sessions import SessionRefused
from tests.signaling.conftest import Running, Service, eventually
from tests.signaling.test_call_routes import ADA, BOB, CALLS, OFFER, SDP, code_of, key, opened
from tests.signaling.test_offer_routes import offered
from tests.signaling.tokens import TOKENS, token

pytestmark = pytest.mark.peer

CLIENT = "client-client-client"


async def resumed(client: Running, call_id: str, offer: str = OFFER, **form: str) -> ClientResponse:
    """The answer to whoever wants to go on with a call."""
    body = FormData({"sdp": offer, **form}, default_to_multipart=True)
    return await client.http.post(f"{CALLS}?resume={call_id}", data=body)


async def test_what_is_refused_leaves_the_call_as_it_was(service: Service) -> None:
    client = await service.start(max_sessions=1, max_per_room=1)
    service.peer.unknown_voices = frozenset({"nobody"})
    await opened(client)
    first = service.peer.opened[0]
    session = json.dumps({"audio": {"output": {"voice": "nobody"}}})
    for answer, status, code in (
        (await resumed(client, first.session_id, session=session), 400, "voice_not_found"),
        (await resumed(client, first.session_id, "nonsense"), 400, "bad_sdp"),
        (await resumed(client, first.session_id, "v=0 crash"), 500, "internal"),
        (await resumed(client, first.session_id, session="{"), 400, "bad_json"),
    ):
        assert (answer.status, await code_of(answer)) == (status, code)
        await eventually(lambda: len(client.registry) == 1)
    assert first.closed_with is None
    assert (await resumed(client, first.session_id)).status == 201
    assert first.closed_with == "replaced"
    assert service.peer.opened[-1].resumed
    assert len(client.registry) == 1


async def test_a_connection_that_is_made_anew_with_an_unknown_voice_leaves_the_old_one(
    service: Service,
) -> None:
    client = await service.start()
    pc_id = (await offered(client, requestData={"voice": "mid"}))["pc_id"]
    service.peer.unknown_voices = frozenset({"nobody"})
    body = {"sdp": OFFER, "type": "offer", "pc_id": pc_id, "restart_pc": True}
    refused = await client.http.post("/api/offer", json=body | {"requestData": {"voice": "nobody"}})
    assert (refused.status, await code_of(refused)) == (400, "voice_not_found")
    assert service.peer.opened[0].closed_with is None
    again = await offered(client, pc_id=pc_id, restart_pc=True, requestData={"voice": "mid"})
    assert again["pc_id"] != pc_id
    assert service.peer.opened[0].closed_with == "replaced"
    request = service.peer.opened[-1].request
    assert (request.voice, request.first_voice) == (None, "mid")


@pytest.mark.parametrize("lost", [False, True])
async def test_of_many_who_come_at_once_one_goes_on(service: Service, lost: bool) -> None:
    client = await service.start()
    await opened(client)
    first = service.peer.opened[0]
    if lost:
        await first.close("connection_lost")
    service.peer.answer_delay_s = 0.1
    answers = await asyncio.gather(*(resumed(client, first.session_id) for _ in range(8)))
    assert sorted(answer.status for answer in answers) == [201] + [409] * 7
    assert {await code_of(one) for one in answers if one.status == 409} == {"resumed_elsewhere"}
    assert len(client.registry) == 1
    late = await resumed(client, first.session_id)
    assert (late.status, await code_of(late)) == (409, "resumed_elsewhere")
    assert [one.closed_with for one in service.peer.opened[1:]] == [None]


async def test_whoever_did_not_hear_of_the_last_session_goes_on_with_it_once_it_is_lost(
    service: Service,
) -> None:
    client = await service.start()
    await opened(client)
    first = service.peer.opened[0]
    await resumed(client, first.session_id)
    second = service.peer.opened[1]
    await second.close("connect_timeout")
    assert (await resumed(client, first.session_id)).status == 201
    assert service.peer.opened[2].request.resume_token == second.resume_token


async def test_the_same_over_sockets(service: Service) -> None:
    client = await service.start()
    first = await (await service.connect()).ask(Join())
    assert isinstance(first, Joined)
    service.peer.open_delay_s = 0.1
    join = Join(resume_token=first.resume_token)
    sockets = [await service.connect() for _ in range(8)]
    answers = await asyncio.gather(*(socket.ask(join) for socket in sockets))
    assert sum(isinstance(one, Joined) and one.restored for one in answers) == 1
    faults = [one for one in answers if isinstance(one, Fault)]
    assert {(one.code, one.fatal) for one in faults} == {("resumed_elsewhere", True)}
    assert len(faults) == 7
    await eventually(lambda: len(client.registry) == 1)
    assert service.peer.opened[0].closed_with == "replaced"


async def test_a_client_that_is_known_by_its_id_takes_over_from_itself(service: Service) -> None:
    client = await service.start()
    first = await (await service.connect()).ask(Join(client_id=CLIENT))
    assert isinstance(first, Joined)
    join = Join(resume_token=first.resume_token, client_id=CLIENT)
    assert isinstance(await (await service.connect()).ask(join), Joined)
    again = await (await service.connect()).ask(join)
    assert isinstance(again, Joined)
    assert again.restored
    assert len(client.registry) == 1
    assert service.peer.opened[2].request.resume_token == service.peer.opened[1].resume_token


async def test_a_token_of_others_is_that_of_nobody(service: Service) -> None:
    await service.start(auth=AuthConfig(tokens=TOKENS))
    first = await (await service.connect()).ask(Join(token=token(sub="ada")))
    assert isinstance(first, Joined)
    second = await (await service.connect()).ask(
        Join(token=token(sub="ada"), resume_token=first.resume_token)
    )
    assert isinstance(second, Joined)
    stolen = await (await service.connect()).ask(
        Join(token=token(sub="bob"), resume_token=first.resume_token)
    )
    assert isinstance(stolen, Joined), "no sign of whether it was taken"
    assert service.peer.opened[1].closed_with is None


async def test_a_client_that_gives_up_meanwhile_has_taken_nothing(service: Service) -> None:
    client = await service.start(answer_timeout_s=0.1)
    await opened(client)
    first = service.peer.opened[0]
    service.peer.answer_delay_s = 1.0
    late = await resumed(client, first.session_id)
    assert (late.status, await code_of(late)) == (503, "timeout")
    service.peer.answer_delay_s = 0.0
    assert first.closed_with is None
    assert (await resumed(client, first.session_id)).status == 201


async def test_of_a_token_without_rights_nobody_goes_on(service: Service) -> None:
    client = await service.start(auth=AuthConfig(tokens=TOKENS))
    call_id = (await opened(client, **key(token()))).headers["Location"].rpartition("/")[2]
    headers = SDP | key(token(rights=[]))
    refused = await client.http.post(f"{CALLS}?resume={call_id}", data=OFFER, headers=headers)
    assert (refused.status, await code_of(refused)) == (403, "forbidden")
    assert service.peer.opened[0].closed_with is None


async def test_who_has_many_sessions_already_may_go_on_with_each(service: Service) -> None:
    client = await service.start(api_keys=(ADA, BOB), max_sessions=4)
    for _ in range(3):
        await opened(client, **key(ADA))
    await opened(client, **key(BOB))
    first = service.peer.opened[0]
    again = await client.http.post(
        f"{CALLS}?resume={first.session_id}", data=OFFER, headers=SDP | key(ADA)
    )
    assert again.status == 201, await again.text()
    assert len(client.registry) == 4
    third = await client.http.post(CALLS, data=OFFER, headers=SDP | key(ADA))
    assert third.status == 503


async def test_a_successor_that_is_ended_while_it_begins_takes_nothing_over(
    service: Service,
) -> None:
    client = await service.start()
    await opened(client)
    first = service.peer.opened[0]
    service.peer.answer_delay_s = 0.3
    resuming = asyncio.create_task(resumed(client, first.session_id))
    await eventually(lambda: len(service.peer.opened) == 2)
    second = service.peer.opened[1].session_id
    await client.http.delete(f"/v1/admin/sessions/{second}")
    refused = await resuming
    assert (refused.status, await code_of(refused)) == (409, "replaced")
    assert first.closed_with is None


@pytest.mark.parametrize("bounds", [(1, 9), (9, 1)])
def test_who_takes_a_place_over_needs_none_more(bounds: tuple[int, int]) -> None:
    rooms = Rooms(*bounds)
    rooms.enter(Participant("1", "a"))
    with pytest.raises(SessionRefused):
        rooms.enter(Participant("2", "a"), beside="gone")
    rooms.enter(Participant("2", "a"), beside="1")
    with pytest.raises(SessionRefused):
        rooms.enter(Participant("3", "a"))
    rooms.leave("1")
    assert [one.key for one in rooms.members("a")] == ["2"]
    rooms.leave("2")
    rooms.enter(Participant("3", "a"))


async def test_the_tokens_of_sessions_that_are_over_are_forgotten(service: Service) -> None:
    client = await service.start()
    await opened(client)
    for _ in range(3):
        assert (await resumed(client, service.peer.opened[-1].session_id)).status == 201
    await eventually(lambda: len(client.registry) == 1)
    assert len(client.registry._holders) == 1
    await client.registry.close_all("shutting_down")
    assert client.registry._holders == client.registry._successors == {}
