"""WHIP and WHEP by RFC 9725: status codes, preconditions and headers, without media."""

from __future__ import annotations

import pytest
from aiohttp import ClientResponse

from signaling.config import AuthConfig
from signaling.ice_servers import IceConfig
from signaling.principal import Right
from signaling.sessions import SessionRefused
from tests.signaling.conftest import Running, Service
from tests.signaling.test_call_routes import (
    ADA,
    BOB,
    CANDIDATE,
    FRAGMENT,
    OFFER,
    SDP,
    TURN,
    code_of,
    key,
)

pytestmark = pytest.mark.peer

ROOTS = pytest.mark.parametrize("root", ["/whip/hall", "/whep/hall"])
PURPOSE = {"/whip/hall": "publish", "/whep/hall": "listen"}
TRICKLED = (
    f"a=ice-ufrag:mine\r\nm=audio 9 X 0\r\na=mid:0\r\na={CANDIDATE}\r\na=end-of-candidates\r\n"
)


async def opened(client: Running, root: str, **headers: str) -> ClientResponse:
    """An opened session."""
    answer = await client.http.post(root, data=OFFER, headers=SDP | headers)
    assert answer.status == 201, await answer.text()
    return answer


@ROOTS
async def test_a_session_is_created_with_its_url_tag_and_ice_servers(
    service: Service, root: str
) -> None:
    client = await service.start(ice=TURN)
    answer = await opened(client, root)
    session = service.peer.opened[0]
    assert answer.content_type == "application/sdp"
    assert answer.headers["Location"] == f"{root}/{session.session_id}"
    assert answer.headers["ETag"].strip('"') not in ("", answer.headers["ETag"])
    assert answer.headers["Accept-Patch"] == "application/trickle-ice-sdpfrag"
    stun, turn = answer.headers.getall("Link")
    assert stun == '<stun:s.example>; rel="ice-server"'
    assert 'credential-type="password"' in turn
    assert (session.request.room, session.request.purpose) == ("hall", PURPOSE[root])


async def test_a_publisher_may_consent_to_being_learned(service: Service) -> None:
    client = await service.start()
    await opened(client, "/whip/hall?consent=I+am+Ada+and+agree.&name=Ada")
    await opened(client, "/whip/hall?consent_id=consent_1")
    spoken, recorded = (session.request for session in service.peer.opened)
    assert (spoken.consent, spoken.name) == ("I am Ada and agree.", "Ada")
    assert (recorded.consent, recorded.consent_id) == (None, "consent_1")


@ROOTS
async def test_candidates_need_the_tag_of_the_ice_session(service: Service, root: str) -> None:
    client = await service.start()
    answer = await opened(client, root)
    tag = answer.headers["ETag"]
    added = await client.http.patch(
        answer.headers["Location"], data=TRICKLED, headers=FRAGMENT | {"If-Match": f'"a", {tag}'}
    )
    assert (added.status, await added.read()) == (204, b"")
    assert "ETag" not in added.headers
    assert service.peer.opened[0].candidates == [CANDIDATE]


@ROOTS
@pytest.mark.parametrize(
    ("body", "headers", "status", "code"),
    [
        (TRICKLED, SDP | {"If-Match": '"x"'}, 415, "unsupported_media_type"),
        ("nonsense", FRAGMENT | {"If-Match": '"x"'}, 400, "bad_candidate"),
        (TRICKLED, FRAGMENT, 428, "precondition_required"),
        (TRICKLED, FRAGMENT | {"If-Match": '"x"'}, 412, "precondition_failed"),
        (TRICKLED, FRAGMENT | {"If-Match": "*"}, 422, "ice_restart_unsupported"),
        (TRICKLED, FRAGMENT | {"If-Match": '"*"'}, 422, "ice_restart_unsupported"),
        ("a=ice-ufrag:new\r\na=ice-pwd:p\r\n", FRAGMENT | {"If-Match": "*"}, 422, None),
    ],
)
async def test_what_cannot_be_patched_is_refused_and_the_session_goes_on(
    service: Service, root: str, body: str, headers: dict[str, str], status: int, code: str | None
) -> None:
    client = await service.start()
    location = (await opened(client, root)).headers["Location"]
    answer = await client.http.patch(location, data=body, headers=headers)
    assert answer.status == status
    assert await code_of(answer) == (code or "ice_restart_unsupported")
    assert len(client.registry) == 1
    assert service.peer.opened[0].candidates == []


@ROOTS
async def test_another_generation_is_a_restart_even_with_the_right_tag(
    service: Service, root: str
) -> None:
    client = await service.start()
    answer = await opened(client, root)
    headers = FRAGMENT | {"If-Match": answer.headers["ETag"]}
    body = TRICKLED.replace("mine", "new")
    refused = await client.http.patch(answer.headers["Location"], data=body, headers=headers)
    assert refused.status == 422


@ROOTS
async def test_delete_ends_the_session_whatever_the_tag(service: Service, root: str) -> None:
    client = await service.start()
    location = (await opened(client, root)).headers["Location"]
    gone = await client.http.delete(location, headers={"If-Match": '"other"'})
    assert (gone.status, await gone.read()) == (200, b"")
    assert service.peer.opened[0].closed_with == "client_left"
    for method in ("DELETE", "PATCH", "GET"):
        assert (await client.http.request(method, location, headers=FRAGMENT)).status == 404


@ROOTS
@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (OFFER, "text/plain", 415),
        (OFFER, "application/json", 415),
        ("nonsense", "application/sdp", 400),
        ("", "application/sdp", 400),
    ],
)
async def test_what_is_no_offer_is_refused(
    service: Service, root: str, body: str, content_type: str, status: int
) -> None:
    client = await service.start()
    answer = await client.http.post(root, data=body, headers={"Content-Type": content_type})
    assert answer.status == status
    assert await code_of(answer)


@ROOTS
@pytest.mark.parametrize(
    ("code", "status"), [("not_acceptable", 406), ("at_capacity", 503), ("replaced", 409)]
)
async def test_refusals_have_the_status_of_the_rfc(
    service: Service, root: str, code: str, status: int
) -> None:
    service.peer.refuse_with = SessionRefused(code, "planted")
    client = await service.start()
    answer = await client.http.post(root, data=OFFER, headers=SDP)
    assert answer.status == status
    assert ("Retry-After" in answer.headers) == (status == 503)


@ROOTS
async def test_endpoints_and_sessions_have_nothing_to_show(service: Service, root: str) -> None:
    client = await service.start()
    location = (await opened(client, root)).headers["Location"]
    for path in (root, location):
        for method in ("GET", "HEAD"):
            seen = await client.http.request(method, path)
            assert (seen.status, await seen.read()) == (204, b"")
    assert (await client.http.put(root, data=OFFER, headers=SDP)).status == 405
    assert (await client.http.post(location, data=OFFER, headers=SDP)).status == 405


@ROOTS
async def test_options_tell_what_can_be_done(service: Service, root: str) -> None:
    client = await service.start(ice=TURN)
    endpoint = await client.http.options(root)
    assert (endpoint.status, endpoint.headers["Accept-Post"]) == (200, "application/sdp")
    assert "POST" in endpoint.headers["Allow"]
    assert "PATCH" in endpoint.headers["Access-Control-Allow-Methods"]
    assert "Link" not in endpoint.headers
    session = await client.http.options(f"{root}/anything")
    assert session.headers["Accept-Patch"] == "application/trickle-ice-sdpfrag"
    assert {"PATCH", "DELETE"} <= set(session.headers["Allow"].split(", "))


@ROOTS
async def test_options_give_ice_servers_to_those_with_a_key(service: Service, root: str) -> None:
    client = await service.start(ice=TURN, api_keys=(ADA,))
    assert len((await client.http.options(root, headers=key(ADA))).headers.getall("Link")) == 2
    assert "Link" not in (await client.http.options(root)).headers
    assert (await client.http.options(root, headers=key(BOB))).status == 401


async def test_a_session_is_found_under_its_own_url_only(service: Service) -> None:
    client = await service.start(api_keys=(ADA, BOB))
    location = (await opened(client, "/whip/hall", **key(ADA))).headers["Location"]
    session_id = location.rpartition("/")[2]
    for path, who in (
        (f"/whep/hall/{session_id}", ADA),
        (f"/whip/other/{session_id}", ADA),
        (location, BOB),
    ):
        assert (await client.http.delete(path, headers=key(who))).status == 404
    assert (await client.http.delete(location)).status == 401
    assert len(client.registry) == 1
    told = await client.get(f"/v1/realtime/calls/{session_id}", headers=key(ADA))
    assert (await told.json())["purpose"] == "publish"
    assert (await client.http.delete(location, headers=key(ADA))).status == 200


@pytest.mark.parametrize(
    ("root", "right", "other"),
    [("/whip/hall", "enrol", "listen"), ("/whep/hall", "listen", "enrol")],
)
async def test_publishing_and_listening_each_need_their_right(
    service: Service, root: str, right: Right, other: Right
) -> None:
    auth = AuthConfig(
        keys={"may": (ADA,), "not": (BOB,)},
        rights={"may": frozenset({right}), "not": frozenset({other})},
    )
    client = await service.start(auth=auth)
    await opened(client, root, **key(ADA))
    refused = await client.http.post(root, data=OFFER, headers=SDP | key(BOB))
    assert (refused.status, await code_of(refused)) == (403, "forbidden")


async def test_a_token_for_another_room_is_refused(service: Service) -> None:
    auth = AuthConfig(keys={"site": (ADA,)}, client_secret_key=b"s" * 32)
    client = await service.start(auth=auth)
    minted = await client.http.post(
        "/v1/realtime/client_secrets", json={"room": "hall"}, headers=key(ADA)
    )
    secret = (await minted.json())["value"]
    await opened(client, "/whep/hall", **key(secret))
    refused = await client.http.post("/whep/other", data=OFFER, headers=SDP | key(secret))
    assert (refused.status, await code_of(refused)) == (403, "forbidden")


async def test_a_room_has_a_name_that_can_be_one(service: Service) -> None:
    client = await service.start(ice=IceConfig())
    answer = await client.http.post("/whip/a%20b", data=OFFER, headers=SDP)
    assert (answer.status, await code_of(answer)) == (400, "bad_name")
