"""Lines between the command and its testers, and what users say."""

from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadtests import texts, wire
from loadtests.stage import Setting, plans
from loadtests.wire import KINDS, Connect, Loaded, Order, Ready, Second, Talk, Timed, Trouble
from tests.loadtests.samples import said

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "order",
    [Connect(plans(3, Setting(), KINDS), apart_s=0.1, after_s=0.2), Talk(0.5)],
    ids=lambda one: type(one),
)
def test_orders_arrive_as_they_were_given(order: Order) -> None:
    line = wire.encode(order)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert wire.decode_order(line) == order


@pytest.mark.parametrize(
    "event",
    [
        Loaded(7),
        Ready("user-1", 2.0),
        said(3.0),
        Timed("user-1", "room", 2.0, "room_joined", 80.0),
        Trouble("user-1", "talk", 2.0, "timeout"),
        Second(1.0, 0.5, [0.1], {"user-1": [20.0]}, 0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_events_arrive_as_they_were_told(event: wire.Event) -> None:
    assert wire.decode_event(wire.encode(event)) == event


@given(st.binary(max_size=60))
def test_rubbish_is_no_event(line: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        wire.decode_event(b"\x00" + line)


def test_the_same_seed_plans_the_same_users() -> None:
    assert plans(4, Setting(seed=3)) == plans(4, Setting(seed=3))
    assert plans(4, Setting(seed=3)) != plans(4, Setting(seed=4))
    assert plans(2, Setting(seed=3)) + plans(2, Setting(seed=3), first=2) == plans(
        4, Setting(seed=3)
    )


def test_no_two_users_do_the_same() -> None:
    assert len({one.seed for seed in range(5) for one in plans(200, Setting(seed=seed))}) == 1000


def test_those_of_rooms_meet_and_no_others() -> None:
    by_kind = {one.kind: one.room for one in plans(len(KINDS), Setting(), KINDS)}
    assert {kind for kind, room in by_kind.items() if room != "default"} == {"room", "mix"}


def test_texts_are_those_of_their_seed() -> None:
    def said_by(seed: int) -> list[str]:
        chance = random.Random(seed)
        return [texts.turn(chance) for _ in range(20)]

    assert said_by(1) == said_by(1) != said_by(2)
    assert len(set(said_by(1))) > 10


def test_turns_are_as_long_as_those_of_conversations() -> None:
    chance = random.Random(1)
    words = [len(texts.turn(chance).split()) for _ in range(500)]
    assert min(words) >= 3
    assert max(words) <= 50
    assert 8 <= sum(words) / 500 <= 18
    assert len(texts.long_text(chance).split()) > 60
    sentences = [len(texts.sentence(chance).split()) for _ in range(500)]
    assert min(sentences) >= 13
    assert max(sentences) <= 27
