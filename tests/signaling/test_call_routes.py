"""Calls over HTTP: opened, trickled, told of, ended, and seen by their owner only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from aiohttp import ClientResponse, FormData, hdrs

from signaling import http_calls
from signaling.config import AuthConfig, Readiness
from signaling.ice_servers import IceConfig
from signaling.messages import MAX_SDP_CHARS
from signaling.sessions import SessionRefused
from tests.signaling.conftest import Running, Service, eventually
from tests.signaling.tokens import TOKENS, token

pytestmark = pytest.mark.peer

CALLS = "/v1/realtime/calls"
SDP = {"Content-Type": "application/sdp"}
FRAGMENT = {"Content-Type": "application/trickle-ice-sdpfrag"}
OFFER = "v=0 offer\r\na=ice-ufrag:mine\r\n"
CANDIDATE = "candidate:1 1 udp 1 192.0.2.7 50000 typ host"
ADA, BOB = "a" * 24, "b" * 24
TURN = IceConfig(("stun:s.example",), ("turn:t.example",), "s" * 16)


def key(value: str) -> dict[str, str]:
    """The header of a key."""
    return {"Authorization": f"Bearer {value}"}


async def opened(client: Running, **headers: str) -> ClientResponse:
    """An opened call."""
    answer = await client.http.post(CALLS, data=OFFER, headers=SDP | headers)
    assert answer.status == 201, await answer.text()
    return answer


async def code_of(answer: ClientResponse) -> str:
    """The code of an error in OpenAI's form."""
    body = await answer.json()
    assert body["error"]["message"]
    return str(body["error"]["code"])


async def test_an_offer_is_answered_with_the_address_of_the_call(service: Service) -> None:
    client = await service.start(ice=TURN)
    answer = await opened(client)
    assert await answer.text() == f"v=0 answer to {OFFER}"
    assert answer.content_type == "application/sdp"
    session = service.peer.opened[0]
    assert answer.headers["Location"] == f"{CALLS}/{session.session_id}"
    assert answer.headers["ETag"].startswith('"')
    links = answer.headers.getall("Link")
    assert links[0] == '<stun:s.example>; rel="ice-server"'
    assert f":{session.session_id}" in links[1].replace("_", ":")
    assert (session.request.room, session.request.purpose) == ("default", "call")


async def test_a_form_brings_the_session_along(service: Service) -> None:
    client = await service.start()
    form = FormData()
    form.add_field("sdp", OFFER, content_type="application/sdp")
    wanted = {
        "type": "realtime",
        "model": "gpt-realtime",
        "instructions": "Be kind.",
        "audio": {"output": {"voice": "ada", "speed": 1.25}, "input": {"format": None}},
    }
    form.add_field("session", json.dumps(wanted), content_type="application/json")
    answer = await client.http.post(f"{CALLS}?room=hall&name=Ada", data=form)
    assert answer.status == 201
    request = service.peer.opened[0].request
    assert (request.voice, request.speed) == ("ada", 1.25)
    assert (request.room, request.name) == ("hall", "Ada")


@pytest.mark.parametrize(
    ("voice", "found"), [({"id": "voice_1"}, "voice_1"), ("ada", "ada"), (None, None)]
)
async def test_a_voice_is_named_in_either_way(
    service: Service, voice: object, found: str | None
) -> None:
    client = await service.start()
    form = FormData({"sdp": OFFER, "session": json.dumps({"audio": {"output": {"voice": voice}}})})
    form.add_field("unknown", b"file", filename="x.bin")
    assert (await client.http.post(CALLS, data=form)).status == 201
    assert service.peer.opened[0].request.voice == found


async def test_the_form_may_carry_the_offer_as_a_file(service: Service) -> None:
    client = await service.start()
    form = FormData()
    form.add_field("sdp", OFFER.encode(), filename="offer.sdp")
    assert (await client.http.post(CALLS, data=form)).status == 201


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "missing_field"),
        ({"sdp": ""}, "missing_field"),
        ({"sdp": OFFER, "session": "{"}, "bad_json"),
        ({"sdp": OFFER, "session": '{"audio": 1}'}, "invalid_value"),
        ({"sdp": OFFER, "session": '{"audio": {"output": {"speed": 9}}}'}, "invalid_value"),
        ({"sdp": "nonsense"}, "bad_sdp"),
    ],
)
async def test_a_bad_form_is_refused(service: Service, fields: dict[str, str], code: str) -> None:
    client = await service.start()
    form = FormData({"other": "", **fields})
    form.add_field("file", b"", filename="f")
    answer = await client.http.post(CALLS, data=form)
    assert (answer.status, await code_of(answer)) == (400, code)
    assert len(client.registry) == 0


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (OFFER, {"Content-Type": "text/plain"}, 415, "unsupported_media_type"),
        (b"\xff\xfe", SDP, 400, "bad_sdp"),
        (b"", SDP, 400, "bad_sdp"),
        (b"v=0" + b"x" * MAX_SDP_CHARS, SDP, 413, "too_large"),
        (b"v=0" + b"x" * 5 * MAX_SDP_CHARS, SDP, 413, "too_large"),
    ],
)
async def test_what_is_no_offer_is_refused_and_leaves_no_session(
    service: Service, body: str | bytes, headers: dict[str, str], status: int, code: str
) -> None:
    client = await service.start()
    answer = await client.http.post(CALLS, data=body, headers=headers)
    assert (answer.status, await code_of(answer)) == (status, code)
    await eventually(lambda: len(client.registry) == 0)


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("not_acceptable", 406),
        ("voice_not_found", 400),
        ("forbidden", 403),
        ("room_full", 503),
        ("not_ready", 503),
    ],
)
async def test_refusals_have_the_status_that_fits(service: Service, code: str, status: int) -> None:
    service.peer.refuse_with = SessionRefused(code, "planted")
    client = await service.start()
    answer = await client.http.post(CALLS, data=OFFER, headers=SDP)
    assert (answer.status, await code_of(answer)) == (status, code)
    assert ("Retry-After" in answer.headers) == (status == 503)


async def test_a_service_that_is_not_ready_says_when_to_come_back(service: Service) -> None:
    service.state = Readiness(ready=False, reason="loading", retry_after_s=7)
    client = await service.start()
    answer = await client.http.post(CALLS, data=OFFER, headers=SDP)
    assert (answer.status, answer.headers["Retry-After"]) == (503, "7")
    assert service.peer.opened == []


async def test_a_full_service_refuses_until_a_call_has_ended(service: Service) -> None:
    client = await service.start(max_sessions=1)
    location = (await opened(client)).headers["Location"]
    full = await client.http.post(CALLS, data=OFFER, headers=SDP)
    assert (full.status, await code_of(full)) == (503, "at_capacity")
    assert (await client.http.delete(location)).status == 200
    assert service.peer.opened[0].closed_with == "client_left"
    await opened(client)


async def test_an_offer_that_takes_too_long_leaves_no_session(service: Service) -> None:
    service.peer.answer_delay_s = 5.0
    client = await service.start(answer_timeout_s=0.05)
    answer = await client.http.post(CALLS, data=OFFER, headers=SDP)
    assert (answer.status, await code_of(answer)) == (503, "timeout")
    await eventually(lambda: len(client.registry) == 0)


async def test_a_defect_leaves_no_session(service: Service) -> None:
    client = await service.start()
    answer = await client.http.post(CALLS, data="v=0 crash", headers=SDP)
    assert answer.status == 500
    await eventually(lambda: len(client.registry) == 0)


async def test_candidates_are_trickled(service: Service) -> None:
    client = await service.start()
    answer = await opened(client)
    body = f"a=ice-ufrag:mine\r\nm=audio 9 X 0\r\na=mid:0\r\na={CANDIDATE}\r\na={CANDIDATE}\r\n"
    tagged = FRAGMENT | {"If-Match": answer.headers["ETag"]}
    for headers in (FRAGMENT, tagged):
        added = await client.http.patch(answer.headers["Location"], data=body, headers=headers)
        assert (added.status, await added.read()) == (204, b"")
        assert "ETag" not in added.headers
    assert service.peer.opened[0].candidates == [CANDIDATE] * 4


@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (f"a={CANDIDATE}", SDP, 415, "unsupported_media_type"),
        ("nonsense", FRAGMENT, 400, "bad_candidate"),
        ("a=candidate-pair:1", FRAGMENT, 204, ""),
        (f"a={CANDIDATE}", FRAGMENT | {"If-Match": '"other"'}, 412, "precondition_failed"),
        (f"a={CANDIDATE}", FRAGMENT | {"If-Match": 'W/"x", "y"'}, 412, "precondition_failed"),
        ("a=ice-ufrag:new", FRAGMENT | {"If-Match": "*"}, 422, "ice_restart_unsupported"),
        ("a=ice-ufrag:new", FRAGMENT, 422, "ice_restart_unsupported"),
        ("a=x\n" * 20_000, FRAGMENT, 413, "too_large"),
    ],
)
async def test_what_cannot_be_trickled_is_refused_and_the_call_goes_on(
    service: Service, body: str, headers: dict[str, str], status: int, code: str
) -> None:
    client = await service.start()
    location = (await opened(client)).headers["Location"]
    answer = await client.http.patch(location, data=body, headers=headers)
    assert answer.status == status
    if code:
        assert await code_of(answer) == code
    assert len(client.registry) == 1


async def test_a_call_is_told_of_until_it_has_ended(service: Service) -> None:
    client = await service.start()
    location = (await opened(client)).headers["Location"]
    session = service.peer.opened[0]
    session.connected, session.voice_id = True, "voice_1"
    told = await client.get(location)
    assert await told.json() == {
        "id": session.session_id,
        "object": "realtime.call",
        "room": "default",
        "purpose": "call",
        "connected": True,
        "voice_id": "voice_1",
    }
    await session.close("connection_lost")
    for method in ("GET", "DELETE", "PATCH"):
        gone = await client.http.request(method, location, headers=FRAGMENT)
        assert (gone.status, await code_of(gone)) == (404, "not_found")


@pytest.mark.parametrize("lost", [True, False])
async def test_a_call_may_go_on_where_another_one_was(service: Service, lost: bool) -> None:
    client = await service.start()
    first = await client.http.post(f"{CALLS}?room=hall&name=Ada", data=OFFER, headers=SDP)
    old = service.peer.opened[0]
    if lost:
        await old.close("connection_lost")
    call_id = first.headers["Location"].rpartition("/")[2]
    again = await client.http.post(f"{CALLS}?resume={call_id}", data=OFFER, headers=SDP)
    assert again.status == 201
    request = service.peer.opened[1].request
    assert (request.resume_token, request.room, request.name) == (old.resume_token, "hall", "Ada")
    assert old.closed_with == ("connection_lost" if lost else "replaced")


async def test_of_calls_that_have_ended_the_latest_are_remembered(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_calls, "MAX_PAST", 1)
    client = await service.start()
    ids = []
    for at in range(2):
        ids.append((await opened(client)).headers["Location"].rpartition("/")[2])
        await service.peer.opened[at].close("connection_lost")
    for call_id in ids:
        await client.http.post(f"{CALLS}?resume={call_id}", data=OFFER, headers=SDP)
    tokens = [session.request.resume_token for session in service.peer.opened[2:]]
    assert tokens == [None, service.peer.opened[1].resume_token]


async def test_hanging_up_is_ending(service: Service) -> None:
    client = await service.start()
    location = (await opened(client)).headers["Location"]
    assert (await client.http.post(f"{location}/hangup")).status == 200
    assert service.peer.opened[0].closed_with == "client_left"
    assert (await client.http.post(f"{location}/hangup")).status == 404


async def test_calls_end_with_the_service(service: Service) -> None:
    client = await service.start()
    await opened(client)
    await client.runner.cleanup()
    assert service.peer.opened[0].closed_with == "shutting_down"


async def test_a_key_is_needed_where_there_are_keys(service: Service) -> None:
    client = await service.start(api_keys=(ADA,))
    for headers in ({}, key(BOB)):
        answer = await client.http.post(CALLS, data=OFFER, headers=SDP | headers)
        assert (answer.status, await code_of(answer)) == (401, "invalid_api_key")
        assert hdrs.WWW_AUTHENTICATE in answer.headers
    assert service.peer.opened == []
    await opened(client, **key(ADA))
    assert service.peer.opened[0].request.principal.key_id != "anonymous"


async def test_a_call_is_not_there_for_others(service: Service) -> None:
    client = await service.start(api_keys=(ADA, BOB))
    location = (await opened(client, **key(ADA))).headers["Location"]
    stolen = await client.http.post(
        f"{CALLS}?resume={location.rpartition('/')[2]}", data=OFFER, headers=SDP | key(BOB)
    )
    assert stolen.status == 201
    assert service.peer.opened[1].request.resume_token is None
    assert service.peer.opened[0].closed_with is None
    await client.http.delete(stolen.headers["Location"], headers=key(BOB))
    for method, path in (
        ("GET", location),
        ("PATCH", location),
        ("DELETE", location),
        ("POST", f"{location}/hangup"),
    ):
        answer = await client.http.request(method, path, headers=FRAGMENT | key(BOB))
        assert (answer.status, await code_of(answer)) == (404, "not_found")
    assert len(client.registry) == 1


async def test_ice_servers_are_given_with_credentials(service: Service) -> None:
    client = await service.start(ice=TURN)
    answer = await client.get("/v1/realtime/ice-servers")
    stun, turn = (await answer.json())["ice_servers"]
    assert stun == {"urls": ["stun:s.example"]}
    assert set(turn) == {"urls", "username", "credential"}
    assert len(answer.headers.getall("Link")) == 2
    assert answer.headers["Cache-Control"] == "no-store"


async def test_ice_servers_are_for_those_with_a_key(service: Service) -> None:
    client = await service.start(ice=TURN, api_keys=(ADA,))
    assert (await client.get("/v1/realtime/ice-servers")).status == 401


@pytest.mark.parametrize(
    "stranger",
    [
        {"sub": None, "room": "blue", "rights": ["listen"]},
        {"sub": None, "room": "blue", "rights": ["listen", "manage"]},
        {"sub": None, "rights": ["listen", "enrol"]},
        {"sub": "ada", "room": "blue"},
        {"sub": "bob"},
    ],
    ids=str,
)
async def test_a_call_is_found_by_its_own_and_by_managers_within_their_room(
    service: Service, stranger: dict[str, Any]
) -> None:
    client = await service.start(auth=AuthConfig(tokens=TOKENS))
    ada = await client.http.post(
        f"{CALLS}?room=red", data=OFFER, headers=SDP | key(token(sub="ada"))
    )
    path = ada.headers["Location"]
    them = key(token(**stranger))
    piece = f"a=mid:0\r\na={CANDIDATE}\r\n"
    answers = [
        await client.get(path, them),
        await client.http.patch(path, data=piece, headers=FRAGMENT | them),
        await client.http.post(f"{path}/hangup", headers=them),
        await client.http.delete(path, headers=them),
    ]
    assert [answer.status for answer in answers] == [404] * 4
    await client.http.post(
        f"{CALLS}?resume={path.rpartition('/')[2]}", data=OFFER, headers=SDP | them
    )
    assert [one.request.resume_token for one in service.peer.opened] == [None] * len(
        service.peer.opened
    )
    assert service.peer.opened[0].closed_with is None
    boss = key(token(sub=None, rights=["manage"]))
    assert (await client.get(path, boss)).status == 200
    assert (await client.http.delete(path, headers=boss)).status == 200


async def test_a_weak_tag_is_told_why_it_does_not_match(service: Service) -> None:
    client = await service.start()
    answer = await opened(client)
    tag = answer.headers["ETag"]
    told = []
    for given in (f"W/{tag}", '"other"'):
        refused = await client.http.patch(
            answer.headers["Location"],
            data=f"a=mid:0\r\na={CANDIDATE}\r\n",
            headers=FRAGMENT | {"If-Match": given},
        )
        assert refused.status == 412
        told.append((await refused.json())["error"]["message"])
    assert "weak" in told[0]
    assert "weak" not in told[1]


@pytest.mark.parametrize(
    ("rights", "changes", "ends"),
    [
        ([], 403, 403),
        (["clone"], 403, 403),
        (["manage"], 403, 200),
        (["speak"], 204, 200),
        (["listen"], 204, 200),
        (["enrol", "manage"], 204, 200),
    ],
)
async def test_whoever_could_not_have_opened_a_call_does_not_change_or_end_it(
    service: Service, rights: list[str], changes: int, ends: int
) -> None:
    client = await service.start(auth=AuthConfig(tokens=TOKENS))
    path = (await opened(client, **key(token()))).headers["Location"]
    same_subject = key(token(rights=rights))
    assert (await client.get(path, same_subject)).status == 200, "it is theirs all the same"
    piece = f"a=mid:0\r\na={CANDIDATE}\r\n"
    patched = await client.http.patch(path, data=piece, headers=FRAGMENT | same_subject)
    small = {"pc_id": path.rpartition("/")[2], "candidates": [{"candidate": CANDIDATE}]}
    trickled = await client.http.patch("/api/offer", json=small, headers=same_subject)
    assert (patched.status, trickled.status) == (changes, 200 if changes == 204 else changes)
    resumed = await client.http.post(f"{CALLS}?resume=none", data=OFFER, headers=SDP | same_subject)
    assert resumed.status == (201 if changes == 204 else 403)
    assert service.peer.opened[0].closed_with is None
    for answer in (
        await client.http.post(f"{path}/hangup", headers=same_subject),
        await client.http.delete(path, headers=same_subject),
    ):
        assert answer.status in (ends, 404)
    assert (service.peer.opened[0].closed_with is None) == (ends == 403)
