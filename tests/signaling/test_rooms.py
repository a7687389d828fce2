"""Rooms: bounds, names, and one place a client."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.rooms import MAX_NAME_CHARS, Participant, Rooms
from signaling.sessions import SessionRefused

pytestmark = pytest.mark.unit

ALICE = "alice-alice-alice"


def test_each_key_has_rooms_of_its_own() -> None:
    rooms = Rooms(10, 1)
    ada = Participant("1", "a", client_id="c" * 16, owner="acme/ada")
    other = Participant("2", "a", client_id="c" * 16, owner="bolt")
    assert rooms.enter(ada) is None
    assert rooms.enter(other) is None
    assert rooms.members("a", "acme") == rooms.members("a", "acme/bob") == (ada,)
    assert rooms.find("a", "c" * 16, "acme/ada") is ada
    assert rooms.find("a", "c" * 16, "acme/bob") is None
    with pytest.raises(SessionRefused, match="full"):
        rooms.enter(Participant("3", "a", owner="acme"))
    rooms.leave("1")
    assert rooms.enter(Participant("3", "a", owner="acme")) is None


def test_members_are_in_order_of_arrival_and_rooms_are_apart() -> None:
    rooms = Rooms(10, 10)
    first, second, other = Participant("1", "a"), Participant("2", "a"), Participant("3", "b")
    for one in (first, second, other):
        assert rooms.enter(one) is None
    assert rooms.members("a") == (first, second)
    assert rooms.members("b") == (other,)
    assert rooms.members("nowhere") == ()
    assert rooms.leave("1") == first
    assert rooms.members("a") == (second,)
    assert len(rooms) == 2


def test_leaving_twice_is_harmless() -> None:
    rooms = Rooms(10, 10)
    rooms.enter(Participant("1", "a"))
    rooms.leave("1")
    assert rooms.leave("1") is None
    assert "1" not in rooms


@pytest.mark.parametrize(
    ("places", "per_room", "second_room", "code"),
    [(1, 9, "b", "at_capacity"), (9, 1, "a", "room_full"), (1, 1, "a", "at_capacity")],
)
def test_bounds_are_kept_and_a_refusal_changes_nothing(
    places: int, per_room: int, second_room: str, code: str
) -> None:
    rooms = Rooms(places, per_room)
    rooms.enter(Participant("1", "a"))
    with pytest.raises(SessionRefused) as refused:
        rooms.enter(Participant("2", second_room))
    assert refused.value.code == code
    assert len(rooms) == 1
    rooms.leave("1")
    assert rooms.enter(Participant("2", second_room)) is None


def test_the_same_client_replaces_itself_even_in_a_full_room() -> None:
    rooms = Rooms(1, 1)
    old, new = Participant("1", "a", "Al", ALICE), Participant("2", "a", "Alice", ALICE)
    rooms.enter(old)
    assert rooms.enter(new) == old
    assert rooms.members("a") == (new,)
    assert "1" not in rooms


def test_a_client_may_be_in_two_rooms_and_names_may_repeat() -> None:
    rooms = Rooms(9, 9)
    assert rooms.enter(Participant("1", "a", "Al", ALICE)) is None
    assert rooms.enter(Participant("2", "b", "Al", ALICE)) is None
    assert rooms.enter(Participant("3", "a", "Al")) is None
    assert rooms.enter(Participant("4", "a", "Al")) is None
    assert rooms.find("a", None) is None
    assert len(rooms) == 4


@pytest.mark.parametrize("room", ["", "a b", "../x", "ü", "x" * (MAX_NAME_CHARS + 1), "a\n"])
def test_bad_room_names(room: str) -> None:
    with pytest.raises(SessionRefused) as refused:
        Participant("1", room)
    assert refused.value.code == "bad_name"


@pytest.mark.parametrize("name", ["\x00", "a\nb", "\u202e", "x" * (MAX_NAME_CHARS + 1)])
def test_bad_display_names(name: str) -> None:
    with pytest.raises(SessionRefused):
        Participant("1", "a", name)


@pytest.mark.parametrize("client_id", ["", "short", "x" * (MAX_NAME_CHARS + 1), "a b" * 8])
def test_bad_client_ids(client_id: str) -> None:
    with pytest.raises(SessionRefused):
        Participant("1", "a", "", client_id)


def test_a_name_in_any_script_is_fine() -> None:
    assert Participant("1", "a", "Zoë 日本 😀").name == "Zoë 日本 😀"


Step = st.tuples(
    st.sampled_from(["enter", "leave"]),
    st.integers(0, 12),
    st.sampled_from(["a", "b"]),
    st.sampled_from([None, ALICE, "bobby-bobby-bobby"]),
)


@given(st.lists(Step, max_size=60))
def test_no_order_of_coming_and_going_breaks_the_bounds(
    steps: list[tuple[str, int, str, str | None]],
) -> None:
    rooms, places, per_room, serial = Rooms(5, 3), 5, 3, 0
    for action, index, room, client_id in steps:
        if action == "leave":
            rooms.leave(str(index))
            continue
        serial += 1
        try:
            rooms.enter(Participant(str(serial), room, "", client_id))
        except SessionRefused:
            assert len(rooms) == places or len(rooms.members(room)) == per_room
        members = [*rooms.members("a"), *rooms.members("b")]
        assert len(members) == len(rooms) <= places
        assert all(one.key in rooms for one in members)
        for name in ("a", "b"):
            ids = [one.client_id for one in rooms.members(name) if one.client_id]
            assert len(ids) == len(set(ids))
            assert len(rooms.members(name)) <= per_room
