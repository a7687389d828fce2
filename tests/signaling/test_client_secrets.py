"""Client secrets: never more than their minter, not for long, and of one service only."""

from __future__ import annotations

import jwt
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.client_secrets import MAX_LIFE_S, MIN_LIFE_S, PREFIX, ClientSecrets
from signaling.principal import ALL_RIGHTS, AccessRefused, Principal, Right
from signaling.tokens import DEFAULT_RIGHTS
from tests.signaling.tokens import token

pytestmark = pytest.mark.unit

NOW = 1_800_000_000.0
ACME = Principal("acme.1")


def test_a_secret_is_a_participant_of_its_own() -> None:
    made = ClientSecrets()
    (value, who), (_, other) = made.mint(ACME, NOW), made.mint(ACME, NOW)
    assert value.startswith(PREFIX)
    assert made.principal(value, NOW) == who
    assert (who.rights, who.room, who.expires_at_s) == (DEFAULT_RIGHTS, None, NOW + 600)
    assert who.tenant == "acme"
    assert not who.owns(other.owner)
    assert not who.owns(ACME.owner)
    assert ACME.owns(who.owner)


def test_it_is_good_until_it_expires() -> None:
    made = ClientSecrets()
    value, _ = made.mint(ACME, NOW, life_s=60)
    assert made.principal(value, NOW + 59.9).key_id == "acme.1"
    with pytest.raises(AccessRefused) as refused:
        made.principal(value, NOW + 60)
    assert refused.value.code == "token_expired"


def test_it_ends_with_the_token_of_its_minter() -> None:
    minter = Principal("acme", expires_at_s=NOW + 30)
    _, who = ClientSecrets().mint(minter, NOW, life_s=600)
    assert who.expires_at_s == NOW + 30


@given(
    st.frozensets(st.sampled_from(sorted(ALL_RIGHTS))),
    st.frozensets(st.sampled_from(sorted(ALL_RIGHTS))),
)
def test_nobody_gives_what_they_do_not_have(has: frozenset[Right], wants: frozenset[Right]) -> None:
    made, minter = ClientSecrets(), Principal("acme", has)
    if "manage" in has and wants <= has:
        value, who = made.mint(minter, NOW, rights=wants)
        assert made.principal(value, NOW).rights == who.rights == wants
    else:
        with pytest.raises(AccessRefused) as refused:
            made.mint(minter, NOW, rights=wants)
        assert refused.value.status == 403


def test_rights_that_are_not_named_are_those_the_minter_has_of_a_participants() -> None:
    minter = Principal("acme", frozenset({"manage", "listen"}))
    assert ClientSecrets().mint(minter, NOW)[1].rights == {"listen"}


def test_a_bound_minter_stays_in_its_room_and_with_its_subject() -> None:
    made = ClientSecrets()
    minter = Principal("acme", room="blue", subject="ada")
    assert made.mint(minter, NOW)[1].room == "blue"
    assert made.mint(minter, NOW)[1].subject == "ada"
    for changes in ({"room": "red"}, {"subject": "bob"}):
        with pytest.raises(AccessRefused):
            made.mint(minter, NOW, **changes)  # type: ignore[arg-type]


def test_a_room_and_a_subject_may_be_given() -> None:
    _, who = ClientSecrets().mint(ACME, NOW, room="blue", subject="ada")
    assert (who.room, who.owner) == ("blue", "acme/ada")


def test_a_voice_is_for_those_who_may_speak() -> None:
    made = ClientSecrets()
    value, _ = made.mint(ACME, NOW, voice="af_heart")
    assert made.principal(value, NOW).voice == "af_heart"
    assert made.mint(ACME, NOW, rights={"listen"}, voice="af_heart")[1].voice is None
    with pytest.raises(AccessRefused, match="voice"):
        made.mint(ACME, NOW, voice="v" * 500)


@pytest.mark.parametrize("life_s", [MIN_LIFE_S - 1, MAX_LIFE_S + 1, -1, 0])
def test_a_life_has_bounds(life_s: int) -> None:
    with pytest.raises(AccessRefused, match="seconds") as refused:
        ClientSecrets().mint(ACME, NOW, life_s=life_s)
    assert refused.value.status == 400


def test_services_know_only_their_own_unless_they_share_the_key() -> None:
    one, other = ClientSecrets(b"k" * 32), ClientSecrets(b"k" * 32)
    value, who = one.mint(ACME, NOW)
    assert other.principal(value, NOW) == who
    with pytest.raises(AccessRefused):
        ClientSecrets().principal(value, NOW)


@given(st.integers(len(PREFIX), 200), st.characters(codec="ascii"))
def test_a_changed_secret_is_refused(at: int, by: str) -> None:
    made = ClientSecrets()
    value, _ = made.mint(ACME, NOW)
    changed = value[:at] + by + value[at + 1 :]
    if changed != value:
        with pytest.raises(AccessRefused) as refused:
            made.principal(changed, NOW)
        assert refused.value.status == 401


def test_a_token_is_no_client_secret() -> None:
    with pytest.raises(AccessRefused):
        ClientSecrets().principal(PREFIX + token(), NOW)


def test_marks_tell_keys_and_services_apart() -> None:
    one, same, other = ClientSecrets(b"k" * 32), ClientSecrets(b"k" * 32), ClientSecrets(b"o" * 32)
    assert one.mark("acme", b"1") == same.mark("acme", b"1")
    marks = {one.mark("acme", b"1"), one.mark("acme", b"2"), one.mark("bolt", b"1")}
    assert len(marks | {other.mark("acme", b"1")}) == 4


def test_a_secret_of_an_earlier_version_has_no_mark() -> None:
    secret = b"k" * 32
    grant = msgspec.json.encode(
        {"key_id": "acme", "subject": "ada", "rights": ["speak"], "room": None, "voice": None,
         "expires_at_s": int(NOW) + 60}
    )  # fmt: skip
    value = PREFIX + jwt.PyJWS().encode(grant, secret, "HS256", {"kid": "client-secret"})
    assert ClientSecrets(secret).principal(value, NOW).mark == ""
