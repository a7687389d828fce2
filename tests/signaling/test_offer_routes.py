"""``/api/offer`` as Pipecat's SmallWebRTC clients use it, without media."""

from __future__ import annotations

from typing import Any

import pytest

from signaling.sessions import SessionRefused
from tests.signaling.conftest import Running, Service
from tests.signaling.sessions import EchoSession
from tests.signaling.test_call_routes import ADA, BOB, CANDIDATE, TURN, code_of, key

pytestmark = pytest.mark.peer

SDP = "v=0 offer"
PATHS = pytest.mark.parametrize("path", ["/api/offer", "/sessions/0123abcd/api/offer"])


async def offered(client: Running, path: str = "/api/offer", **fields: object) -> dict[str, Any]:
    """The answer to an offer."""
    body = {"sdp": SDP, "type": "offer", "pc_id": None, "restart_pc": False} | fields
    answer = await client.http.post(path, json=body)
    assert answer.status == 200, await answer.text()
    found: dict[str, Any] = await answer.json()
    return found


@PATHS
async def test_an_offer_is_answered_with_the_id_of_its_connection(
    service: Service, path: str
) -> None:
    client = await service.start()
    answer = await offered(client, path)
    session = service.peer.opened[0]
    assert answer == {
        "sdp": f"v=0 answer to {SDP}",
        "type": "answer",
        "pc_id": session.session_id,
    }


@pytest.mark.parametrize("name", ["requestData", "request_data"])
async def test_an_application_may_name_room_and_voice(service: Service, name: str) -> None:
    client = await service.start()
    data: object = {"room": "hall", "name": "Ada", "voice": "mid", "anything": [1, 2]}
    fields: dict[str, Any] = {name: data}
    await offered(client, **fields)
    request = service.peer.opened[0].request
    assert (request.room, request.name, request.voice) == ("hall", "Ada", "mid")


@pytest.mark.parametrize("data", [None, "text", [1], 7, {}])
async def test_other_data_of_an_application_is_ignored(service: Service, data: object) -> None:
    client = await service.start()
    await offered(client, requestData=data)
    assert service.peer.opened[0].request.room == "default"


async def test_a_later_offer_of_the_connection_is_answered_by_its_session(
    service: Service,
) -> None:
    client = await service.start()
    first = await offered(client)
    again = await offered(client, pc_id=first["pc_id"], sdp="v=0 again")
    assert (again["pc_id"], again["sdp"]) == (first["pc_id"], "v=0 answer to v=0 again")
    assert len(service.peer.opened) == 1


async def test_a_restarted_connection_goes_on_in_a_new_session(service: Service) -> None:
    client = await service.start()
    first = await offered(client, requestData={"room": "hall"})
    again = await offered(client, pc_id=first["pc_id"], restart_pc=True)
    assert again["pc_id"] != first["pc_id"]
    old, new = service.peer.opened
    assert old.closed_with == "replaced"
    assert new.request.resume_token == old.resume_token
    assert new.request.room == "hall"
    assert len(client.registry) == 1


@pytest.mark.parametrize("restart", [True, False])
async def test_a_connection_whose_session_was_lost_goes_on_as_well(
    service: Service, restart: bool
) -> None:
    client = await service.start()
    first = await offered(client, requestData={"room": "hall", "name": "Ada", "voice": "mid"})
    lost = service.peer.opened[0]
    await lost.close("connection_lost")
    await offered(client, pc_id=first["pc_id"], restart_pc=restart, requestData={"voice": "mid"})
    request = service.peer.opened[1].request
    assert (request.resume_token, request.room, request.name) == (lost.resume_token, "hall", "Ada")
    assert request.voice is None


async def test_an_offer_of_another_connection_restarts_by_itself(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = await service.start()
    first = await offered(client)

    async def refuse(self: EchoSession, offer_sdp: str) -> str:
        if self is service.peer.opened[0]:
            raise SessionRefused("new_connection", "planted")
        return "v=0 fresh"

    monkeypatch.setattr(EchoSession, "answer", refuse)
    again = await offered(client, pc_id=first["pc_id"])
    assert (again["sdp"], len(service.peer.opened)) == ("v=0 fresh", 2)


async def test_an_id_that_is_gone_is_that_of_a_new_connection(service: Service) -> None:
    client = await service.start()
    answer = await offered(client, pc_id="0" * 32, restart_pc=True)
    assert service.peer.opened[0].request.resume_token is None
    assert answer["pc_id"] == service.peer.opened[0].session_id


@PATHS
async def test_candidates_come_in_batches_and_in_both_spellings(
    service: Service, path: str
) -> None:
    client = await service.start()
    pc_id = (await offered(client))["pc_id"]
    body = {
        "pc_id": pc_id,
        "candidates": [
            {"candidate": CANDIDATE, "sdp_mid": "0", "sdp_mline_index": 0},
            {"candidate": CANDIDATE, "sdpMid": "0", "sdpMLineIndex": 0, "usernameFragment": "x"},
            {"candidate": CANDIDATE, "sdp_mid": None, "sdp_mline_index": None},
        ],
    }
    answer = await client.http.patch(path, json=body)
    assert (answer.status, await answer.json()) == (200, {"status": "success"})
    assert service.peer.opened[0].candidates == [CANDIDATE] * 3


@pytest.mark.parametrize("end", [{"candidate": ""}, {"candidate": None}, {}])
async def test_the_end_of_candidates_has_many_forms(
    service: Service, end: dict[str, object]
) -> None:
    client = await service.start()
    pc_id = (await offered(client))["pc_id"]
    answer = await client.http.patch("/api/offer", json={"pc_id": pc_id, "candidates": [end]})
    assert answer.status == 200


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"pc_id": "gone", "candidates": []}, 404, "not_found"),
        ({"candidates": []}, 400, "invalid_value"),
        ({"pc_id": "x", "candidates": [1]}, 400, "invalid_value"),
        ({"pc_id": "x", "candidates": [{"sdp_mid": 0}]}, 400, "invalid_value"),
    ],
)
async def test_bad_candidates_are_refused(
    service: Service, body: dict[str, object], status: int, code: str
) -> None:
    client = await service.start()
    answer = await client.http.patch("/api/offer", json=body)
    assert (answer.status, await code_of(answer)) == (status, code)


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"type": "offer"}, 400, "invalid_value"),
        ({"sdp": SDP, "type": "answer"}, 400, "bad_sdp"),
        ({"sdp": "nonsense", "type": "offer"}, 400, "bad_sdp"),
        ({"sdp": SDP, "type": "offer", "requestData": {"room": 7}}, 400, "invalid_value"),
        ({"sdp": SDP, "type": "offer", "requestData": {"room": "a b"}}, 400, "bad_name"),
    ],
)
async def test_bad_offers_are_refused(
    service: Service, body: dict[str, object], status: int, code: str
) -> None:
    client = await service.start()
    answer = await client.http.post("/api/offer", json=body)
    assert (answer.status, await code_of(answer)) == (status, code)
    plain = await client.http.post("/api/offer", data="{}")
    assert plain.status == 415


@pytest.mark.parametrize("body", [None, {}, {"enableDefaultIceServers": True, "body": {"a": 1}}])
async def test_start_says_what_to_connect_through(
    service: Service, body: dict[str, object] | None
) -> None:
    client = await service.start(ice=TURN)
    answer = await (await client.http.post("/start", json=body)).json()
    assert len(answer["sessionId"]) == 32
    assert [set(one) for one in answer["iceConfig"]["iceServers"]] == [
        {"urls"},
        {"urls", "username", "credential"},
    ]


async def test_connections_are_not_there_for_others(service: Service) -> None:
    client = await service.start(api_keys=(ADA, BOB))
    body = {"sdp": SDP, "type": "offer"}
    answer = await client.http.post("/api/offer", json=body, headers=key(ADA))
    pc_id = (await answer.json())["pc_id"]
    for headers, status in ((key(BOB), 404), ({}, 401)):
        stolen = await client.http.patch(
            "/api/offer", json={"pc_id": pc_id, "candidates": []}, headers=headers
        )
        assert stolen.status == status
    taken = await client.http.post(
        "/api/offer", json=body | {"pc_id": pc_id, "restart_pc": True}, headers=key(BOB)
    )
    assert (await taken.json())["pc_id"] != pc_id
    assert service.peer.opened[0].closed_with is None
    assert service.peer.opened[1].request.resume_token is None
    assert (await client.http.post("/start")).status == 401
