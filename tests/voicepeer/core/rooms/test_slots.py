"""Whom a listener hears who can hear only so many."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from voicepeer.core.rooms.slots import Slots, Source, Sources

pytestmark = pytest.mark.unit


def assign(slots: Slots, room: list[Source]) -> list[int]:
    """Let somebody else than those in the room listen to it."""
    return slots.assign(Sources(room), "listener")


def silent(*ids: str) -> list[Source]:
    return [Source(one) for one in ids]


def test_whoever_comes_gets_a_free_place_in_order() -> None:
    slots = Slots(3)
    assert assign(slots, silent("a", "b")) == [0, 1]
    assert list(slots.held) == ["a", "b", None]
    assert assign(slots, silent("a", "b", "c", "d")) == [2]
    assert list(slots.held) == ["a", "b", "c"]


def test_nothing_changes_for_the_same_room() -> None:
    slots = Slots(2)
    assign(slots, silent("a", "b", "c"))
    assert assign(slots, silent("c", "b", "a")) == []
    assert list(slots.held) == ["a", "b"]


def test_a_place_is_free_again_when_somebody_is_gone() -> None:
    slots = Slots(2)
    assign(slots, silent("a", "b", "c"))
    assert assign(slots, silent("b", "c")) == [0]
    assert list(slots.held) == ["c", "b"]
    assert assign(slots, []) == [0, 1]
    assert list(slots.held) == [None, None]


def test_a_speaker_takes_the_place_of_whoever_was_silent_longest() -> None:
    slots = Slots(3)
    assign(slots, [Source("a", spoke_at=5.0), Source("b", spoke_at=1.0), Source("c", spoke_at=3.0)])
    assert list(slots.held) == ["a", "c", "b"]
    room = [
        Source("a", spoke_at=5.0),
        Source("b", spoke_at=1.0),
        Source("c", spoke_at=3.0),
        Source("d", speaking=True, spoke_at=6.0),
    ]
    assert assign(slots, room) == [2]
    assert list(slots.held) == ["a", "c", "d"]


def test_whoever_never_spoke_goes_first() -> None:
    slots = Slots(2)
    assign(slots, [Source("a", spoke_at=0.0), Source("b")])
    assign(slots, [Source("a", spoke_at=0.0), Source("b"), Source("c", True, 9.0)])
    assert list(slots.held) == ["a", "c"]


def test_one_who_speaks_is_not_replaced() -> None:
    slots = Slots(1)
    assign(slots, [Source("a", True, 1.0)])
    assert assign(slots, [Source("a", True, 1.0), Source("b", True, 2.0)]) == []
    assert assign(slots, [Source("a", False, 1.0), Source("b", True, 2.0)]) == [0]


def test_those_who_speak_come_first_when_a_listener_comes_late() -> None:
    slots = Slots(2)
    assign(slots, [Source("a"), Source("b", spoke_at=2.0), Source("c", True, 9.0)])
    assert list(slots.held) == ["c", "b"]


def test_places_can_be_added_and_taken() -> None:
    slots = Slots(1)
    assign(slots, silent("a", "b"))
    slots.resize(3)
    assign(slots, silent("a", "b"))
    assert list(slots.held) == ["a", "b", None]
    slots.resize(1)
    assert list(slots.held) == ["a"]


def test_no_places_are_no_fault() -> None:
    assert assign(Slots(0), [Source("a", True, 1.0)]) == []


sources = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.tuples(st.booleans(), st.none() | st.floats(0, 100)),
).map(lambda room: [Source(name, *state) for name, state in room.items()])


class AnyRoom(RuleBasedStateMachine):
    """Whatever happens in a room, these things hold for a listener of it."""

    def __init__(self) -> None:
        super().__init__()
        self.slots = Slots(3)
        self.room: list[Source] = []

    @rule(room=sources)
    def change(self, room: list[Source]) -> None:
        before = self.slots.held
        changed = assign(self.slots, room)
        self.room = room
        after = self.slots.held
        assert changed == [at for at in range(len(after)) if before[at] != after[at]]
        known = {source.participant_id: source for source in room}
        for at in changed:
            was = known.get(before[at] or "")
            assert was is None or not was.speaking
        for one in set(before) & set(after) - {None}:
            assert before.index(one) == after.index(one)

    @invariant()
    def everybody_has_one_place_at_most(self) -> None:
        held = [one for one in self.slots.held if one is not None]
        assert len(held) == len(set(held))
        assert set(held) <= {source.participant_id for source in self.room}

    @invariant()
    def a_place_is_free_only_where_nobody_waits(self) -> None:
        held = set(self.slots.held) - {None}
        assert len(held) == min(3, len(self.room))

    @invariant()
    def who_speaks_waits_only_for_those_who_speak(self) -> None:
        speaking = {source.participant_id for source in self.room if source.speaking}
        held = set(self.slots.held) - {None}
        assert speaking <= held or held <= speaking


TestAnyRoom = AnyRoom.TestCase
TestAnyRoom.settings = settings(max_examples=50, stateful_step_count=15)


@given(sources)
def test_a_new_listener_hears_those_who_spoke_last(room: list[Source]) -> None:
    slots = Slots(1)
    assign(slots, room)
    if not room:
        return
    recency = {
        one.participant_id: (one.speaking, -1.0 if one.spoke_at is None else one.spoke_at)
        for one in room
    }
    assert recency[slots.held[0] or ""] == max(recency.values())


def test_nobody_hears_themselves() -> None:
    slots = Slots(3)
    room = [Source("a", True, 2.0), Source("b", spoke_at=1.0)]
    assert slots.assign(Sources(room), "a") == [0]
    assert list(slots.held) == ["b", None, None]
