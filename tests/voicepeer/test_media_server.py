"""What a media process does for the entry, with sessions that have no media."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from signaling.limits import LimitReached
from signaling.sessions import SessionRefused, SessionRequest
from tests.peers.room import until
from tests.signaling.sessions import EchoPeer
from voicepeer.config import Config
from voicepeer.economy import Economy
from voicepeer.media_frames import (
    AddCandidate,
    Answer,
    Asked,
    Begin,
    Changed,
    Close,
    Done,
    Drain,
    Economize,
    Ended,
    Figures,
    GiveUp,
    Open,
    Paid,
    Ping,
    Refused,
    Renew,
    Revoked,
    Spending,
    TakeOver,
    ToEntry,
    ToMedia,
)
from voicepeer.media_server import MediaServer
from voicepeer.revocations import Revocations

pytestmark = pytest.mark.unit

ToldT = TypeVar("ToldT", bound=ToEntry)


async def used(spending: Awaitable[None]) -> None:
    """Wait for what a session spends."""
    await spending


class Entry:
    """The other end."""

    def __init__(self, peer: EchoPeer | None = None) -> None:
        self.peer = peer or EchoPeer()
        self.told: list[ToEntry] = []
        self.revocations = Revocations()
        self.economy = Economy()
        self.server = MediaServer(
            self.peer.open,
            lambda: b"figures 1\n",
            self.revocations,
            self.economy.change,
            self.told.append,
        )
        self._id = 0

    async def ask(self, make: Callable[[int], ToMedia]) -> Done | Refused:
        """Ask for something; the answer."""
        self._id += 1
        asked = self._id
        self.server.receive(make(asked))
        await until(lambda: self.answer_to(asked) is not None)
        answer = self.answer_to(asked)
        assert answer is not None
        return answer

    def answer_to(self, asked: int) -> Done | Refused | None:
        answers = [one for one in self.told if isinstance(one, Done | Refused) and one.id == asked]
        assert len(answers) <= 1
        return answers[0] if answers else None

    async def open(self, request: SessionRequest | None = None) -> str:
        """Open a session; its id."""
        asked = Asked.of(request or SessionRequest("hall", "Ada"))
        done = await self.ask(lambda id: Open(id, asked))
        assert isinstance(done, Done)
        assert isinstance(done.value, list)
        session, token = done.value
        assert token == self.peer.opened[-1].resume_token
        return session

    def told_of(self, kind: type[ToldT]) -> list[ToldT]:
        return [one for one in self.told if isinstance(one, kind)]


async def test_a_session_is_opened_used_and_ended() -> None:
    entry = Entry()
    session = await entry.open(SessionRequest("hall", "Ada", resume_token="earlier"))
    echo = entry.peer.opened[0]
    assert (echo.request.room, echo.request.name) == ("hall", "Ada")
    assert await entry.ask(lambda id: TakeOver(id, session)) == Done(2, value=True)
    assert await entry.ask(lambda id: Answer(id, session, "v=0 x", "call")) == Done(
        3, "v=0 answer to v=0 x"
    )
    candidate = AddCandidate(0, session, "candidate:1", "0", 0, "room")
    await entry.ask(
        lambda id: AddCandidate(
            id, *(getattr(candidate, n) for n in candidate.__struct_fields__[1:])
        )
    )
    assert echo.room_candidates == ["candidate:1"]
    entry.server.receive(Renew(session, 12.5))
    assert echo.expires_at_s == 12.5
    await entry.ask(lambda id: Drain(id, session, 1.5))
    assert echo.drained_for_s == 1.5
    await entry.ask(lambda id: Close(id, session, "client_left"))
    assert echo.closed_with == "client_left"
    assert entry.told_of(Ended) == [Ended(session, "client_left")]


async def test_a_session_that_ends_by_itself_is_told_and_unknown_afterwards() -> None:
    entry = Entry()
    session = await entry.open()
    await entry.peer.opened[0].close("client_vanished")
    assert entry.told_of(Ended) == [Ended(session, "client_vanished")]
    refused = await entry.ask(lambda id: Answer(id, session, "v=0", "call"))
    assert isinstance(refused, Refused)
    assert refused.code == "closed"
    entry.server.receive(Renew(session, 1.0))
    entry.server.receive(Paid(session, 1, 1))


async def test_what_a_session_refuses_is_refused_and_its_defects_stay_here() -> None:
    entry = Entry()
    session = await entry.open()
    refused = await entry.ask(lambda id: Answer(id, session, "nonsense", "call"))
    assert (type(refused), getattr(refused, "code", "")) == (Refused, "bad_sdp")
    failed = await entry.ask(lambda id: Answer(id, session, "v=0 crash", "call"))
    assert (type(failed), getattr(failed, "code", "")) == (Refused, "internal")
    assert "planted" not in getattr(failed, "message", "")
    entry.peer.refuse_with = SessionRefused("at_capacity", "no")
    full = await entry.ask(lambda id: Open(id, Asked.of(SessionRequest("hall", ""))))
    assert full == Refused(4, "at_capacity", "no")


async def test_changes_are_told_before_the_answer_and_once() -> None:
    entry = Entry()
    session = await entry.open()
    echo = entry.peer.opened[0]
    echo.connected, echo.voice_id = True, "low"
    answer = await entry.ask(lambda id: Answer(id, session, "v=0", "call"))
    changed = Changed(session, True, "low")
    assert entry.told.index(changed) < entry.told.index(answer)
    entry.server.tell_changes()
    assert entry.told_of(Changed) == [changed]
    running = asyncio.create_task(entry.server.run())
    echo.voice_id = "high"
    await until(lambda: Changed(session, True, "high") in entry.told)
    running.cancel()


async def test_what_nobody_waits_for_is_given_up() -> None:
    entry = Entry(EchoPeer(answer_delay_s=60.0))
    session = await entry.open()
    entry.server.receive(Answer(50, session, "v=0", "call"))
    await asyncio.sleep(0)
    entry.server.receive(GiveUp(50))
    entry.server.receive(GiveUp(51))
    await entry.ask(Ping)
    assert entry.answer_to(50) is None
    await entry.server.close()
    assert entry.peer.opened[0].closed_with == "shutting_down"


async def test_figures_deleted_voices_and_steps_pass_through() -> None:
    entry = Entry()
    assert await entry.ask(Figures) == Done(1, "figures 1\n")
    gone: list[str] = []
    entry.revocations.listen(gone.append)
    entry.server.receive(Revoked("voice_1"))
    assert gone == ["voice_1"]
    entry.server.receive(Economize(("light_listening", "short_first_piece")))
    assert "light_listening" in entry.economy
    entry.server.receive(Economize(("short_first_piece",)))
    assert entry.economy.steps == ("short_first_piece",)
    again = await entry.ask(lambda id: Begin(id, Config()))
    assert isinstance(again, Refused)


async def test_the_entry_is_asked_before_anything_is_used() -> None:
    entry = Entry()
    session = await entry.open()
    spend = entry.peer.opened[0].request.spend
    first = asyncio.create_task(used(spend("characters", 40)))
    second = asyncio.create_task(used(spend("clones", 1)))
    await until(lambda: len(entry.told_of(Spending)) == 2)
    assert entry.told_of(Spending) == [
        Spending(session, 1, "characters", 40),
        Spending(session, 2, "clones", 1),
    ]
    assert not first.done()
    entry.server.receive(Paid(session, 2, 17))
    with pytest.raises(LimitReached, match="too many clones: try again in 17 s"):
        await second
    assert not first.done()
    entry.server.receive(Paid(session, 1))
    await first
    # Nobody waits for these any more.
    entry.server.receive(Paid(session, 1))
    entry.server.receive(Paid("another", 1))


async def test_who_does_not_wait_for_the_entry_is_forgotten() -> None:
    entry = Entry()
    session = await entry.open()
    asking = asyncio.create_task(used(entry.peer.opened[0].request.spend("characters", 40)))
    await until(lambda: bool(entry.told_of(Spending)))
    asking.cancel()
    entry.server.receive(Paid(session, 1, 5))
    with pytest.raises(asyncio.CancelledError):
        await asking
    await entry.ask(Ping)
