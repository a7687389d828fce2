"""Who owns what, and which rooms and rights a principal has."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.principal import ALL_RIGHTS, ANONYMOUS, AccessRefused, Principal, Right

pytestmark = pytest.mark.unit

ACME = Principal("acme")
ADA = Principal("acme", subject="ada")
BOB = Principal("acme", subject="bob")
NAMES = st.text(alphabet="abcde-_", min_size=1, max_size=8)


def test_a_key_has_what_its_subjects_have_but_not_the_other_way_round() -> None:
    assert ACME.owns(ADA.owner)
    assert ADA.owns(ADA.owner)
    assert not ADA.owns(ACME.owner)
    assert not ADA.owns(BOB.owner)


def test_subjects_may_use_voices_of_their_key_and_not_each_others() -> None:
    assert ADA.may_use(ACME.owner)
    assert ADA.may_use(ADA.owner)
    assert not ADA.may_use(BOB.owner)


@given(key=NAMES, other=NAMES, subject=st.just("") | NAMES, other_subject=st.just("") | NAMES)
def test_nothing_is_shared_between_keys(
    key: str, other: str, subject: str, other_subject: str
) -> None:
    one = Principal(key, subject=subject)
    two = Principal(other, subject=other_subject)
    if key != other:
        assert not one.owns(two.owner)
        assert not one.may_use(two.owner)


@pytest.mark.parametrize("right", sorted(ALL_RIGHTS))
def test_only_the_rights_given_are_had(right: Right) -> None:
    Principal("k", frozenset({right})).need(right)
    with pytest.raises(AccessRefused, match=right) as refused:
        Principal("k", ALL_RIGHTS - {right}).need(right)
    assert (refused.value.status, refused.value.code) == (403, "forbidden")


def test_a_bound_principal_enters_its_own_room_unasked_and_no_other() -> None:
    bound = Principal("k", room="blue")
    assert bound.room_for(None) == bound.room_for("default") == bound.room_for("blue") == "blue"
    with pytest.raises(AccessRefused, match="another room"):
        bound.room_for("red")


def test_an_unbound_principal_enters_any_room() -> None:
    assert ANONYMOUS.room_for("red") == "red"
    assert ANONYMOUS.room_for(None) == "default"


@pytest.mark.parametrize(
    ("who", "owner", "room", "seen"),
    [
        (Principal("acme"), "acme/ada", "red", True),
        (Principal("acme", room="blue"), "acme/ada", "red", False),
        (Principal("acme", room="blue"), "acme/ada", "blue", True),
        (Principal("acme", frozenset({"speak", "listen"})), "acme/ada", "red", False),
        (Principal("acme", frozenset({"listen"})), "acme", "red", True),
        (Principal("acme", frozenset({"listen"}), "blue"), "acme", "red", False),
        (Principal("acme", subject="ada"), "acme/ada", "red", True),
        (Principal("acme", subject="ada", room="blue"), "acme/ada", "red", False),
        (Principal("acme", subject="ada"), "acme/bob", "red", False),
        (Principal("acme"), "bolt", "red", False),
    ],
)
def test_sessions_are_seen_by_their_own_and_by_managers_within_their_room(
    who: Principal, owner: str, room: str, seen: bool
) -> None:
    assert who.sees(owner, room) is seen
