"""Client secrets over HTTP, as a server mints them and a browser uses them."""

from __future__ import annotations

import time
from typing import Any

import pytest
from openai import AsyncOpenAI
from openai.types.realtime import RealtimeSessionCreateResponse

from signaling.config import AuthConfig
from signaling.limits import Rate
from signaling.messages import Fault, Join, Joined
from signaling.secret_routes import PATH
from tests.signaling.conftest import Running, Service
from tests.signaling.tokens import TOKENS, token

pytestmark = pytest.mark.peer

KEY = "k" * 24
READER = "r" * 24
AUTH = AuthConfig(
    keys={"reader": (READER,)}, rights={"reader": frozenset({"listen", "speak"})}, tokens=TOKENS
)


async def mint(client: Running, key: str, **body: Any) -> tuple[int, dict[str, Any]]:  # noqa: ANN401
    """Status and body of the answer."""
    headers = {"Authorization": f"Bearer {key}"}
    async with client.http.post(PATH, json=body, headers=headers) as answer:
        return answer.status, await answer.json()


async def test_a_browser_calls_with_what_its_server_has_minted(service: Service) -> None:
    client = await service.start(api_keys=(KEY,))
    status, made = await mint(
        client, KEY, room="blue", subject="ada", expires_after={"seconds": 60}
    )
    assert status == 200
    assert made["value"].startswith("ek_")
    assert 50 <= made["expires_at"] - time.time() <= 60
    socket = await service.connect()
    assert isinstance(await socket.ask(Join(token=made["value"])), Joined)
    request = service.peer.opened[0].request
    assert request.room == "blue"
    assert request.principal.subject == "ada"
    assert request.principal.rights == {"speak", "listen", "enrol"}
    answer = await (await service.connect()).ask(Join(token=made["value"], room="red"))
    assert isinstance(answer, Fault)
    assert answer.code == "forbidden"


async def test_the_openai_client_mints_and_its_voice_is_what_calls_begin_with(
    service: Service,
) -> None:
    client = await service.start(api_keys=(KEY,))
    base = f"http://127.0.0.1:{client.port}/v1"
    async with AsyncOpenAI(base_url=base, api_key=KEY, max_retries=0) as openai:
        made = await openai.realtime.client_secrets.create(
            expires_after={"anchor": "created_at", "seconds": 20},
            session={"type": "realtime", "audio": {"output": {"voice": "af_heart"}}},
        )
    assert isinstance(made.session, RealtimeSessionCreateResponse)
    assert made.session.id.startswith("sess_")
    assert 10 <= made.expires_at - time.time() <= 20
    await (await service.connect()).ask(Join(token=made.value))
    assert service.peer.opened[0].request.first_voice == "af_heart"


async def test_an_empty_body_is_enough(service: Service) -> None:
    client = await service.start(api_keys=(KEY,))
    headers = {"Authorization": f"Bearer {KEY}"}
    async with client.http.post(PATH, headers=headers) as answer:
        assert answer.status == 200


async def test_a_secret_mints_no_others_and_sees_no_sessions(service: Service) -> None:
    client = await service.start(api_keys=(KEY,))
    _, made = await mint(client, KEY)
    assert (await mint(client, made["value"]))[0] == 403
    headers = {"Authorization": f"Bearer {made['value']}"}
    assert (await client.get("/v1/admin/sessions", headers)).status == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"expires_after": {"seconds": 9}}, 400),
        ({"expires_after": {"seconds": 7_201}}, 400),
        ({"expires_after": {"anchor": "now", "seconds": 60}}, 400),
        ({"rights": ["fly"]}, 400),
        ({"rights": "speak"}, 400),
        ({"subject": "a" * 129}, 400),
        ({"subject": "a\n"}, 400),
        ({"session": 5}, 400),
        ({"session": {"audio": {"output": {"voice": "v" * 200}}}}, 400),
    ],
    ids=str,
)
async def test_wishes_out_of_bounds(service: Service, body: dict[str, Any], status: int) -> None:
    client = await service.start(api_keys=(KEY,))
    got, answer = await mint(client, KEY, **body)
    assert got == status
    assert answer["error"]["message"]


async def test_nobody_mints_more_than_they_have(service: Service) -> None:
    client = await service.start(api_keys=(KEY,), auth=AUTH)
    assert (await mint(client, READER))[0] == 403
    bound = token(rights=["manage", "speak"], room="blue")
    assert (await mint(client, bound, rights=["clone"]))[0] == 403
    assert (await mint(client, bound, room="red"))[0] == 403
    assert (await mint(client, bound))[0] == 200


async def test_minting_is_limited(service: Service) -> None:
    client = await service.start(api_keys=(KEY,), rates={"sessions": (Rate(2),)})
    assert [(await mint(client, KEY))[0] for _ in range(3)] == [200, 200, 429]
