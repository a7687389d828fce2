"""Whoever asks for a room that is at another service is sent there, by socket and by HTTP."""

from __future__ import annotations

import pytest
from aiohttp import FormData

from signaling.messages import Fault, Join, Redirect
from signaling.registry import SessionRegistry
from signaling.rooms import Rooms
from signaling.sessions import RoomElsewhere, SessionRequest
from tests.signaling.conftest import Service
from tests.signaling.sessions import EchoPeer

pytestmark = pytest.mark.peer

OTHER = "https://b.example/vp/"
SDP = {"Content-Type": "application/sdp"}
ADA = "a" * 24


async def test_a_socket_is_told_where_the_room_is_and_closed(service: Service) -> None:
    service.peer.refuse_with = RoomElsewhere(OTHER)
    client = await service.connect()
    assert await client.ask(Join(room="hall")) == Redirect(url=OTHER)
    assert await client.closed() == 1000


async def test_nobody_is_told_who_has_no_good_key(service: Service) -> None:
    service.peer.refuse_with = RoomElsewhere(OTHER)
    running = await service.start(api_keys=(ADA,))
    client = await service.connect()
    refused = await client.ask(Join(room="hall", token="b" * 24))
    assert isinstance(refused, Fault)
    assert refused.code == "unauthorized"
    answer = await running.http.post("/whip/hall", data="v=0", headers=SDP)
    assert answer.status == 401
    assert "Location" not in answer.headers


@pytest.mark.parametrize(
    "path", ["/whip/hall?name=Ada%20L", "/whep/hall", "/v1/realtime/calls?room=hall"]
)
async def test_a_request_goes_to_the_same_path_there(service: Service, path: str) -> None:
    service.peer.refuse_with = RoomElsewhere(OTHER)
    running = await service.start()
    answer = await running.http.post(path, data="v=0", headers=SDP, allow_redirects=False)
    assert answer.status == 307
    assert answer.headers["Location"] == f"https://b.example/vp{path}"
    assert (await answer.json())["error"]["code"] == "room_elsewhere"


async def test_so_does_an_offer_whose_room_is_in_its_body(service: Service) -> None:
    service.peer.refuse_with = RoomElsewhere(OTHER)
    running = await service.start()
    offer = {"sdp": "v=0", "type": "offer", "request_data": {"room": "hall"}}
    answer = await running.http.post("/api/offer", json=offer, allow_redirects=False)
    assert (answer.status, answer.headers["Location"]) == (307, "https://b.example/vp/api/offer")
    form = FormData({"sdp": "v=0"}, default_to_multipart=True)
    calls = await running.http.post("/v1/realtime/calls", data=form, allow_redirects=False)
    assert calls.status == 307


async def test_a_client_of_http_that_follows_opens_its_call_there(service: Service) -> None:
    there = Service()
    other = await there.start()
    try:
        service.peer.refuse_with = RoomElsewhere(f"http://127.0.0.1:{other.port}")
        running = await service.start()
        answer = await running.http.post("/whip/hall", data="v=0", headers=SDP)
        assert answer.status == 201
        assert answer.url.port == other.port
        assert there.peer.opened[0].request.room == "hall"
    finally:
        await other.stop()


async def test_a_room_elsewhere_takes_no_place_and_puts_nobody_out() -> None:
    async def admit(request: SessionRequest) -> None:
        if request.room == "theirs":
            raise RoomElsewhere(OTHER)

    peer = EchoPeer()
    registry = SessionRegistry(peer.open, Rooms(1, 1), 1.0, admit=admit)
    client_id = "c" * 16
    ours = await registry.open(SessionRequest("ours", "Ada"), client_id)
    # Although all places here are taken.
    with pytest.raises(RoomElsewhere) as elsewhere:
        await registry.open(SessionRequest("theirs", "Ada"), client_id)
    assert elsewhere.value.url == OTHER
    assert registry.places == {("anonymous", "ours")}
    assert len(peer.opened) == 1
    await registry.close(ours, "client_left")
    assert registry.places == frozenset()
