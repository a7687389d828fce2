"""The conversation over a real socket: its order, its faults, and how it ends."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

import pytest

from signaling.app import Readiness
from signaling.config import AuthConfig
from signaling.ice_servers import IceConfig, turn_credentials
from signaling.limits import LimitReached, Rate
from signaling.messages import (
    MAX_SIGNAL_BYTES,
    Answer,
    Bye,
    Candidate,
    Fault,
    Join,
    Joined,
    Leave,
    Offer,
    Ping,
    Pong,
)
from signaling.sessions import SessionRefused
from tests.signaling.conftest import Service, Socket, eventually
from tests.signaling.tokens import TOKENS, token

pytestmark = pytest.mark.peer

KEY = "k" * 24
OTHER_KEY = "o" * 24
ALICE = "alice-alice-alice"
OFFER = Offer(sdp="v=0 one")


async def joined(service: Service, join: Join | None = None) -> Socket:
    """A socket that has joined and has had its offer answered."""
    socket = await service.connect()
    assert isinstance(await socket.ask(join or Join()), Joined)
    assert isinstance(await socket.ask(OFFER), Answer)
    return socket


async def fault(socket: Socket, text: str | bytes) -> Fault:
    """Send something raw that must be refused."""
    if isinstance(text, bytes):
        await socket.raw.send_bytes(text)
    else:
        await socket.raw.send_str(text)
    answer = await socket.receive()
    assert isinstance(answer, Fault)
    return answer


async def test_join_offer_candidate_leave(service: Service) -> None:
    socket = await service.connect()
    welcome = await socket.ask(Join(room="lab", name="Alice"))
    session = service.peer.opened[0]
    assert welcome == Joined(
        session_id=session.session_id, ice_servers=[], resume_token=session.resume_token
    )
    assert (session.request.room, session.request.name) == ("lab", "Alice")
    assert await socket.ask(OFFER) == Answer(sdp="v=0 answer to v=0 one")
    await socket.send(Candidate(candidate="candidate:1 1 UDP", sdp_mid="0", sdp_mline_index=0))
    await socket.send(Candidate(candidate=""))
    assert await socket.ask(Ping()) == Pong()
    assert session.candidates == ["candidate:1 1 UDP", None]
    assert await socket.ask(Leave()) == Bye(reason="client_left")
    assert await socket.closed() == 1000
    assert session.closed_with == "client_left"


async def test_a_second_offer_renegotiates(service: Service) -> None:
    socket = await joined(service)
    assert await socket.ask(Offer(sdp="v=0 two")) == Answer(sdp="v=0 answer to v=0 two")


async def test_a_second_connection_hears_the_room(service: Service) -> None:
    socket = await joined(service)
    offer = Offer(sdp="v=0 two", connection="room")
    answer = await socket.ask(offer)
    assert answer == Answer(sdp="v=0 answer to v=0 two", connection="room")
    await socket.send(Candidate(candidate="candidate:1", sdp_mid="0", connection="room"))
    assert await socket.ask(Ping()) == Pong()
    [session] = service.peer.opened
    assert session.offered == ["call", "room"]
    assert (session.candidates, session.room_candidates) == ([], ["candidate:1"])


async def test_a_room_is_heard_after_the_call_was_answered(service: Service) -> None:
    socket = await service.connect()
    await socket.ask(Join())
    answer = await socket.ask(Offer(sdp="v=0 two", connection="room"))
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("out_of_order", False)
    assert isinstance(await socket.ask(OFFER), Answer)


async def test_both_sides_get_turn_credentials(service: Service) -> None:
    ice = IceConfig(
        stun_urls=("stun:stun.example:3478",),
        turn_urls=("turn:turn.example:3478?transport=udp",),
        turn_secret="shared",
        turn_ttl_s=600,
    )
    await service.start(ice=ice)
    socket = await service.connect()
    welcome = await socket.ask(Join())
    assert isinstance(welcome, Joined)
    for servers in (welcome.ice_servers, service.peer.opened[0].request.ice_servers):
        stun, turn = servers
        assert stun == {"urls": ["stun:stun.example:3478"]}
        expiry, _, user = str(turn["username"]).partition(":")
        again = turn_credentials("shared", user, int(expiry) - 600, 600)
        assert turn["credential"] == again.credential


@pytest.mark.parametrize("signal", [OFFER, Candidate(candidate="candidate:1"), Leave()])
async def test_everything_but_ping_needs_join_first(
    service: Service, signal: Offer | Candidate | Leave
) -> None:
    socket = await service.connect()
    answer = await socket.ask(signal)
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("out_of_order", False)
    assert await socket.ask(Ping()) == Pong()


async def test_a_second_join_is_refused_and_harmless(service: Service) -> None:
    socket = await joined(service)
    answer = await socket.ask(Join(room="other"))
    assert isinstance(answer, Fault)
    assert answer.code == "out_of_order"
    assert len(service.peer.opened) == 1
    assert isinstance(await socket.ask(OFFER), Answer)


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", '{"type":"nope"}', '{"type":"offer"}', '{"type":"offer","sdp":7}',
     "\ud800", "[" * 5000, b"\x00\xff"],
)  # fmt: skip
async def test_malformed_messages_get_a_fault_and_the_session_lives(
    service: Service, text: str | bytes
) -> None:
    socket = await joined(service)
    if isinstance(text, str):
        text = text.encode("utf-8", "replace").decode()
    assert (await fault(socket, text)).code == "bad_message"
    assert isinstance(await socket.ask(OFFER), Answer)


async def test_a_message_somewhat_too_large_is_explained(service: Service) -> None:
    socket = await joined(service)
    assert (await fault(socket, "x" * (MAX_SIGNAL_BYTES + 1))).code == "too_large"
    assert await socket.ask(Ping()) == Pong()


async def test_a_message_far_too_large_closes_the_socket(service: Service) -> None:
    socket = await service.connect()
    await socket.raw.send_str("x" * (2 * MAX_SIGNAL_BYTES + 100))
    assert await socket.closed() == 1009  # RFC 6455 7.4.1: too big to process


async def test_a_bad_description_or_candidate_is_the_sessions_verdict(service: Service) -> None:
    socket = await joined(service)
    for signal, code in (
        (Offer(sdp="garbage"), "bad_sdp"),
        (Candidate(candidate="garbage"), "bad_candidate"),
    ):
        answer = await socket.ask(signal)
        assert isinstance(answer, Fault)
        assert (answer.code, answer.fatal) == (code, False)
    assert service.peer.opened[0].closed_with is None


async def test_a_flood_of_bad_messages_closes_the_socket(service: Service) -> None:
    await service.start(bad_message_burst=3, bad_messages_per_s=0.01)
    socket = await joined(service)
    for _ in range(3):
        assert not (await fault(socket, "{")).fatal
    assert not (await fault(socket, "{")).fatal
    last = await socket.receive()
    assert isinstance(last, Fault)
    assert (last.code, last.fatal) == ("flood", True)
    assert await socket.closed() == 1008
    await eventually(lambda: service.peer.opened[0].closed_with is not None)


async def test_a_flood_of_good_messages_closes_the_socket_too(service: Service) -> None:
    await service.start(message_burst=20, messages_per_s=0.01)
    socket = await service.connect()
    for _ in range(20):
        assert await socket.ask(Ping()) == Pong()
    answer = await socket.ask(Ping())
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("flood", True)


async def test_who_never_joins_is_shown_out(service: Service) -> None:
    await service.start(join_timeout_s=0.1)
    socket = await service.connect()
    answer = await socket.receive()
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("timeout", True)
    assert await socket.closed() == 1008


async def test_a_session_without_an_offer_does_not_hold_its_place(service: Service) -> None:
    await service.start(offer_timeout_s=0.1)
    socket = await service.connect()
    await socket.ask(Join())
    assert isinstance(await socket.receive(), Fault)
    await eventually(lambda: service.peer.opened[0].closed_with is not None)


async def test_an_answered_session_may_be_silent_for_longer(service: Service) -> None:
    await service.start(join_timeout_s=0.1, offer_timeout_s=0.1)
    socket = await joined(service)
    await asyncio.sleep(0.3)
    assert await socket.ask(Ping()) == Pong()


async def test_an_answer_that_takes_too_long_is_a_fault(service: Service) -> None:
    await service.start(answer_timeout_s=0.05)
    service.peer.answer_delay_s = 10
    socket = await service.connect()
    await socket.ask(Join())
    answer = await socket.ask(OFFER)
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("timeout", False)


async def test_not_ready_is_said_instead_of_waiting(service: Service) -> None:
    service.state = Readiness(ready=False, reason="loading the speech model")
    socket = await service.connect()
    answer = await socket.ask(Join())
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("not_ready", True)
    assert "loading the speech model" in answer.message
    assert await socket.closed() == 1013


async def test_a_full_service_says_so_and_takes_the_next_when_one_leaves(
    service: Service,
) -> None:
    await service.start(max_sessions=1)
    first = await joined(service)
    second = await service.connect()
    answer = await second.ask(Join())
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("at_capacity", True)
    assert await second.closed() == 1013
    await first.ask(Leave())
    assert isinstance(await (await service.connect()).ask(Join()), Joined)


async def test_a_bad_name_may_be_corrected(service: Service) -> None:
    socket = await service.connect()
    answer = await socket.ask(Join(room="../etc"))
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("bad_name", False)
    assert isinstance(await socket.ask(Join(room="lab")), Joined)


async def test_a_refused_session_leaves_no_trace(service: Service) -> None:
    await service.start(max_sessions=1)
    service.peer.refuse_with = SessionRefused("engine_failed", "the engine is restarting")
    socket = await service.connect()
    answer = await socket.ask(Join())
    assert isinstance(answer, Fault)
    assert (answer.code, answer.message) == ("engine_failed", "the engine is restarting")
    service.peer.refuse_with = None
    assert isinstance(await (await service.connect()).ask(Join()), Joined)


async def test_a_defect_behind_an_offer_ends_one_session_and_says_nothing_of_it(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    bystander = await joined(service)
    socket = await joined(service)
    with caplog.at_level(logging.ERROR, logger="signaling.conversation"):
        answer = await socket.ask(Offer(sdp="v=0 crash"))
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("internal", True)
    assert "planted" not in answer.message
    assert await socket.closed() == 1011
    assert any(record.exc_info for record in caplog.records)
    await eventually(lambda: service.peer.opened[1].closed_with is not None)
    assert isinstance(await bystander.ask(OFFER), Answer)


async def test_the_key_may_come_in_join_or_in_the_header(service: Service) -> None:
    await service.start(api_keys=(KEY,))
    for join, headers in (
        (Join(token=KEY), {}),
        (Join(), {"Authorization": f"Bearer {KEY}"}),
    ):
        socket = await service.connect(**headers)
        assert isinstance(await socket.ask(join), Joined)


@pytest.mark.parametrize("token", [None, "", "wrong", KEY + "k", KEY[:-1]])
async def test_a_wrong_key_is_turned_away(service: Service, token: str | None) -> None:
    await service.start(api_keys=(KEY,))
    socket = await service.connect()
    answer = await socket.ask(Join(token=token))
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("unauthorized", True)
    assert await socket.closed() == 1008
    assert not service.peer.opened


async def test_the_client_hears_why_its_session_ended(service: Service) -> None:
    socket = await joined(service)
    await service.peer.opened[0].close("the peer connection failed")
    assert await socket.receive() == Bye(reason="the peer connection failed")
    assert await socket.closed() == 1000
    assert service.running is not None
    assert len(service.running.registry) == 0


async def test_a_clean_close_ends_the_session_at_once(service: Service) -> None:
    await service.start(grace_s=60)
    socket = await joined(service)
    await socket.raw.close()
    await eventually(lambda: service.peer.opened[0].closed_with == "client_left")


async def test_a_broken_socket_leaves_the_session_its_grace(service: Service) -> None:
    await service.start(grace_s=0.3)
    socket = await joined(service)
    socket.cut()
    await asyncio.sleep(0.1)
    assert service.peer.opened[0].closed_with is None
    await eventually(lambda: service.peer.opened[0].closed_with is not None)
    assert service.peer.opened[0].closed_with == "signaling_lost"


async def test_a_broken_socket_that_never_offered_has_nothing_to_keep(service: Service) -> None:
    await service.start(grace_s=60)
    socket = await service.connect()
    await socket.ask(Join())
    socket.cut()
    await eventually(lambda: service.peer.opened[0].closed_with is not None)


async def test_a_client_takes_its_session_over_from_a_broken_socket(service: Service) -> None:
    await service.start(grace_s=60)
    socket = await joined(service, Join(client_id=ALICE))
    socket.cut()
    again = await service.connect()
    welcome = await again.ask(Join(client_id=ALICE, resume=True))
    session = service.peer.opened[0]
    assert welcome == Joined(
        session_id=session.session_id,
        ice_servers=[],
        resumed=True,
        resume_token=session.resume_token,
    )
    assert isinstance(await again.ask(Offer(sdp="v=0 restart")), Answer)
    assert len(service.peer.opened) == 1


async def test_taking_over_from_a_socket_that_is_still_open(service: Service) -> None:
    old = await joined(service, Join(client_id=ALICE))
    new = await service.connect()
    await new.ask(Join(client_id=ALICE, resume=True))
    assert isinstance(await old.receive(), Bye)
    assert await old.closed() == 1000
    await asyncio.sleep(0.05)
    assert service.peer.opened[0].closed_with is None
    assert await new.ask(Leave()) == Bye(reason="client_left")


async def test_joining_again_without_resume_replaces(service: Service) -> None:
    await service.start(max_sessions=1)
    old = await joined(service, Join(client_id=ALICE))
    new = await service.connect()
    welcome = await new.ask(Join(client_id=ALICE))
    assert isinstance(welcome, Joined)
    assert not welcome.resumed
    assert await old.receive() == Bye(reason="replaced")
    assert [session.closed_with for session in service.peer.opened] == [
        "replaced",
        None,
    ]


async def test_a_resume_token_replaces_its_session_even_where_all_places_are_taken(
    service: Service,
) -> None:
    await service.start(max_sessions=1)
    old = await joined(service, Join())
    first = service.peer.opened[0]
    new = await service.connect()
    welcome = await new.ask(Join(resume_token=first.resume_token))
    assert isinstance(welcome, Joined)
    second = service.peer.opened[1]
    assert second.request.resume_token == first.resume_token
    assert (welcome.restored, welcome.resume_token) == (True, second.resume_token)
    assert second.resume_token != first.resume_token
    assert await old.receive() == Bye(reason="replaced")
    assert first.closed_with == "replaced"


@pytest.mark.parametrize(
    ("token", "room"),
    [("", "default"), ("f" * 32, "default"), (None, "other"), ("\ud800", "other")],
)
async def test_a_wrong_token_or_room_takes_nobodys_session(
    service: Service, token: str | None, room: str
) -> None:
    await joined(service, Join())
    first = service.peer.opened[0]
    new = await service.connect()
    given = first.resume_token if token is None else token
    welcome = await new.ask(Join(room=room, resume_token=given.encode("utf-8", "replace").decode()))
    assert isinstance(welcome, Joined)
    assert first.closed_with is None
    assert len(service.peer.opened) == 2


async def test_while_draining_sessions_go_on_and_new_ones_are_refused_clearly(
    service: Service,
) -> None:
    running = await service.start()
    socket = await joined(service, Join())
    await running.registry.drain(3.0)
    assert service.peer.opened[0].drained_for_s == 3.0
    assert isinstance(await socket.ask(Offer(sdp="v=0 again")), Answer)
    late = await service.connect()
    fault = await late.ask(Join())
    assert isinstance(fault, Fault)
    assert (fault.code, fault.fatal) == ("shutting_down", True)
    assert "shutting down" in fault.message
    assert await late.closed() == 1013


async def test_a_session_that_fails_to_drain_holds_up_nobody(service: Service) -> None:
    running = await service.start()
    await joined(service, Join())
    await joined(service, Join())
    service.peer.opened[0].drain_fails = True
    await running.registry.drain(1.0)
    assert service.peer.opened[1].drained_for_s == 1.0


async def test_nobody_resumes_without_the_clients_secret(service: Service) -> None:
    await service.start(grace_s=60)
    socket = await joined(service, Join(client_id=ALICE))
    socket.cut()
    for join in (Join(resume=True), Join(client_id="mallory-mallory-m", resume=True)):
        welcome = await (await service.connect()).ask(join)
        assert isinstance(welcome, Joined)
        assert not welcome.resumed


async def test_of_two_joins_at_once_the_later_one_stays(service: Service) -> None:
    service.peer.open_delay_s = 0.1
    first, second = await service.connect(), await service.connect()
    await first.send(Join(client_id=ALICE))
    await asyncio.sleep(0.03)
    await second.send(Join(client_id=ALICE))
    refused, welcome = await first.receive(), await second.receive()
    assert isinstance(refused, Fault)
    assert refused.code == "replaced"
    assert isinstance(welcome, Joined)
    assert service.peer.opened[0].closed_with == "replaced"


async def test_joining_while_the_service_stops_opens_nothing_that_stays(service: Service) -> None:
    client = await service.start()
    service.peer.open_delay_s = 0.2
    socket = await service.connect()
    await socket.send(Join())
    await asyncio.sleep(0.05)
    await client.registry.close_all("stopping")
    answer = await socket.receive()
    assert isinstance(answer, Fault)
    assert answer.fatal
    assert [session.closed_with for session in service.peer.opened] == ["replaced"]


async def test_a_client_that_reads_nothing_is_given_up(service: Service) -> None:
    await service.start(send_timeout_s=0.2, message_burst=100_000, bad_message_burst=100_000)
    socket = await joined(service)
    connection = socket.raw._response.connection
    assert connection is not None
    assert connection.transport is not None
    connection.transport.pause_reading()
    sending = asyncio.create_task(_offer_forever(socket))
    try:
        await eventually(lambda: service.peer.opened[0].closed_with is not None, 10.0)
    finally:
        sending.cancel()
        socket.cut()


async def _offer_forever(socket: Socket) -> None:
    big = Offer(sdp="v=0 " + "x" * 150_000)
    try:
        while not socket.raw.closed:
            await socket.send(big)
    except ConnectionError:
        return


async def test_a_session_that_cannot_close_still_gives_its_place_up(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    await service.start(max_sessions=1)
    socket = await joined(service)
    service.peer.opened[0].close_fails = True
    with caplog.at_level(logging.ERROR, logger="signaling.registry"):
        assert await socket.ask(Leave()) == Bye(reason="client_left")
    assert any(record.exc_info for record in caplog.records)
    service.peer.opened[0].close_fails = False
    assert isinstance(await (await service.connect()).ask(Join()), Joined)
    await service.peer.opened[0].close("test_over")


async def test_a_session_that_ends_in_its_grace_cannot_be_resumed(service: Service) -> None:
    await service.start(grace_s=60)
    socket = await joined(service, Join(client_id=ALICE))
    socket.cut()
    await asyncio.sleep(0.05)
    await service.peer.opened[0].close("connection_lost")
    welcome = await (await service.connect()).ask(Join(client_id=ALICE, resume=True))
    assert isinstance(welcome, Joined)
    assert not welcome.resumed
    assert len(service.peer.opened) == 2


async def test_a_hundred_clients_come_and_go_without_a_trace(service: Service) -> None:
    client = await service.start(max_sessions=100, max_per_room=100)
    await asyncio.gather(*(_visit(service, leave=index % 2 == 0) for index in range(100)))
    await eventually(lambda: len(client.registry) == 0)
    assert len(service.peer.opened) == 100


async def _visit(service: Service, leave: bool) -> None:
    socket = await joined(service)
    if leave:
        await socket.ask(Leave())
    else:
        socket.cut()


async def test_binary_pings_of_the_protocol_are_answered(service: Service) -> None:
    await service.start(heartbeat_s=0.1)
    socket = await joined(service)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.4):
            await socket.raw.receive()  # answers the service's pings meanwhile
    await socket.raw.ping(b"x")
    assert await socket.ask(Ping()) == Pong()
    assert not socket.raw.closed


async def test_a_client_that_answers_no_ping_is_dead(service: Service) -> None:
    await service.start(heartbeat_s=0.1, grace_s=0.05)
    await joined(service)  # aiohttp's client answers pings only while it receives
    await eventually(lambda: service.peer.opened[0].closed_with is not None)


async def test_a_token_says_which_room_and_who(service: Service) -> None:
    await service.start(auth=AuthConfig(tokens=TOKENS))
    socket = await service.connect()
    assert isinstance(await socket.ask(Join(token=token(room="blue"))), Joined)
    request = service.peer.opened[0].request
    assert (request.room, request.principal.owner) == ("blue", "acme/ada")
    elsewhere = await service.connect(Authorization=f"Bearer {token(room='blue')}")
    answer = await elsewhere.ask(Join(room="red"))
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("forbidden", True)


async def test_an_expired_token_is_turned_away_and_told_so(service: Service) -> None:
    await service.start(auth=AuthConfig(tokens=TOKENS))
    answer = await (await service.connect()).ask(Join(token=token(exp=1)))
    assert isinstance(answer, Fault)
    assert (answer.code, "expired" in answer.message) == ("unauthorized", True)


@pytest.mark.parametrize("claims", [{"kid": "bolt.2"}, {"sub": "bob"}, {"sub": None}, None])
async def test_nobody_goes_on_with_the_session_of_another_owner(
    service: Service, claims: dict[str, Any] | None
) -> None:
    other = OTHER_KEY if claims is None else token(**claims)
    await service.start(api_keys=(OTHER_KEY,), auth=AuthConfig(tokens=TOKENS))
    socket = await service.connect()
    mine = await socket.ask(Join(token=token(), client_id=ALICE))
    assert isinstance(mine, Joined)
    for join in (
        Join(token=other, client_id=ALICE, resume=True),
        Join(token=other, client_id=ALICE),
        Join(token=other, resume_token=mine.resume_token),
    ):
        thief = await service.connect()
        theirs = await thief.ask(join)
        assert isinstance(theirs, Joined)
        assert theirs.session_id != mine.session_id
        assert not theirs.resumed
    assert await socket.ask(Ping()) == Pong()
    assert service.peer.opened[0].closed_with is None


async def test_the_same_owner_does(service: Service) -> None:
    await service.start(auth=AuthConfig(tokens=TOKENS))
    socket = await service.connect()
    mine = await socket.ask(Join(token=token(), client_id=ALICE))
    assert isinstance(mine, Joined)
    again = await (await service.connect()).ask(Join(token=token(), client_id=ALICE, resume=True))
    assert isinstance(again, Joined)
    assert (again.session_id, again.resumed) == (mine.session_id, True)


async def test_who_comes_back_with_fewer_rights_gets_a_session_with_those(
    service: Service,
) -> None:
    await service.start(auth=AuthConfig(tokens=TOKENS))
    socket = await service.connect()
    await socket.ask(Join(token=token(), client_id=ALICE))
    less = Join(token=token(rights=["enrol"]), client_id=ALICE, resume=True)
    again = await (await service.connect()).ask(less)
    assert isinstance(again, Joined)
    assert not again.resumed
    first, second = service.peer.opened
    assert (again.session_id, again.resume_token) == (second.session_id, second.resume_token)
    assert second.request.principal.rights == {"enrol"}
    await eventually(lambda: first.closed_with == "replaced")


@pytest.mark.parametrize("rights", [[], ["clone"], ["manage"]])
async def test_who_may_open_no_session_goes_on_with_none(
    service: Service, rights: list[str]
) -> None:
    await service.start(auth=AuthConfig(tokens=TOKENS))
    socket = await service.connect()
    await socket.ask(Join(token=token(), client_id=ALICE))
    other = await service.connect()
    answer = await other.ask(Join(token=token(rights=rights), client_id=ALICE, resume=True))
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("forbidden", True)
    assert await socket.ask(Ping()) == Pong()
    [first] = service.peer.opened
    assert first.closed_with is None


@pytest.mark.parametrize("rights", [["speak", "listen", "enrol"], ["speak", "listen", "manage"]])
async def test_who_comes_back_keeps_the_rights_of_the_session_for_as_long_as_the_new_token(
    service: Service, rights: list[str]
) -> None:
    client = await service.start(auth=AuthConfig(tokens=TOKENS))
    socket = await service.connect()
    rest: dict[str, Any] = {"rights": ["speak", "listen"], "exp": int(time.time()) + 20}
    mine = await socket.ask(Join(token=token(**rest), client_id=ALICE))
    assert isinstance(mine, Joined)
    later = int(time.time()) + 900
    join = Join(token=token(rights=rights, exp=later), client_id=ALICE, resume=True)
    again = await (await service.connect()).ask(join)
    assert isinstance(again, Joined)
    assert (again.session_id, again.resumed) == (mine.session_id, True)
    [session] = service.peer.opened
    assert session.expires_at_s == later
    [live] = client.registry.sessions
    assert live.request.principal.rights == {"speak", "listen"}
    assert live.request.principal.expires_at_s == later


async def test_sessions_are_limited_by_key_and_address(service: Service) -> None:
    await service.start(api_keys=(KEY,), rates={"sessions": (Rate(2),)})
    for _ in range(2):
        assert isinstance(await (await service.connect()).ask(Join(token=KEY)), Joined)
    socket = await service.connect()
    answer = await socket.ask(Join(token=KEY))
    assert isinstance(answer, Fault)
    assert (answer.code, answer.fatal) == ("rate_limited", True)
    assert "try again in" in answer.message
    assert await socket.closed() == 1013


async def test_what_a_session_spends_is_its_keys(service: Service) -> None:
    await service.start(api_keys=(KEY,), rates={"characters": (Rate(10),)})
    await (await service.connect()).ask(Join(token=KEY))
    spend = service.peer.opened[0].request.spend
    await spend("characters", 10)
    with pytest.raises(LimitReached):
        await spend("characters", 1)


async def test_an_open_service_has_no_limits(service: Service) -> None:
    await service.start(rates={"characters": (Rate(10),)})
    await (await service.connect()).ask(Join())
    for _ in range(3):
        await service.peer.opened[0].request.spend("characters", 10)
