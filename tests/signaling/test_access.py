"""Who is who: plain keys, named keys, tokens and client secrets together."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.access import ANONYMOUS, Access, AccessRefused, key_id_of
from signaling.config import AuthConfig, SignalingConfig
from signaling.principal import ALL_RIGHTS, Right
from signaling.tokens import TokenConfig
from tests.signaling.tokens import SECRET, TOKENS, token

pytestmark = pytest.mark.unit

PLAIN = "planted-plain-key-0123456789"
OLD, NEW = "planted-old-key-0123456789", "planted-new-key-0123456789"
NOW = time.time()
CONFIG = SignalingConfig(
    api_keys=(PLAIN,),
    auth=AuthConfig(
        keys={"site": (OLD, NEW), "kiosk": ("planted-kiosk-key-0123456789",)},
        rights={"kiosk": frozenset({"speak"}), "acme": frozenset({"speak", "listen"})},
        tokens=TOKENS,
    ),
)


def test_without_keys_everybody_is_anonymous_and_may_do_everything() -> None:
    assert Access(SignalingConfig()).principal(None, NOW) is ANONYMOUS
    assert Access(SignalingConfig()).principal("anything", NOW).rights == ALL_RIGHTS


def test_a_plain_key_has_a_name_made_from_it() -> None:
    who = Access(CONFIG).principal(PLAIN, NOW)
    assert (who.key_id, who.rights) == (key_id_of(PLAIN), ALL_RIGHTS)
    assert who.owner == Access(CONFIG).principal(PLAIN, NOW + 1e6).owner


def test_a_named_key_is_the_same_before_and_after_it_was_changed() -> None:
    access = Access(CONFIG)
    assert access.principal(OLD, NOW) == access.principal(NEW, NOW)
    assert access.principal(NEW, NOW).owner == "site"


def test_rights_of_a_key_bound_whatever_it_signs() -> None:
    access = Access(CONFIG)
    assert access.principal("planted-kiosk-key-0123456789", NOW).rights == {"speak"}
    assert access.principal(token(rights=["speak", "manage"]), NOW).rights == {"speak"}


def test_a_client_secret_passes_like_any_other() -> None:
    access = Access(CONFIG)
    value, who = access.client_secrets.mint(access.principal(NEW, NOW), NOW)
    assert access.principal(value, NOW) == who


def test_a_client_secret_goes_with_the_key_that_it_was_minted_with() -> None:
    shared = AuthConfig(keys={"site": (NEW,)}, client_secret_key=b"s" * 32)
    before = Access(SignalingConfig(auth=shared))
    value, _ = before.client_secrets.mint(before.principal(NEW, NOW), NOW)
    after = Access(SignalingConfig(api_keys=(PLAIN,), auth=AuthConfig(client_secret_key=b"s" * 32)))
    with pytest.raises(AccessRefused):
        after.principal(value, NOW)


def test_an_open_service_lets_client_secrets_be_tried() -> None:
    access = Access(SignalingConfig())
    value, who = access.client_secrets.mint(ANONYMOUS, NOW, rights={"listen"})
    assert access.principal(value, NOW) == who
    with pytest.raises(AccessRefused):
        access.principal(value + "x.", NOW)


def test_only_tokens_may_be_configured() -> None:
    only = SignalingConfig(auth=AuthConfig(tokens=TOKENS))
    assert not only.is_open
    assert Access(only).principal(token(), NOW).owner == "acme/ada"
    with pytest.raises(AccessRefused):
        Access(only).principal(None, NOW)


@pytest.mark.parametrize(
    "bearer",
    [None, "", PLAIN[:-1], PLAIN + "0", PLAIN.upper(), SECRET, "é", "\ud800", "a" * 10_000],
)
def test_nothing_else_opens(bearer: str | None) -> None:
    with pytest.raises(AccessRefused) as refused:
        Access(CONFIG).principal(bearer, NOW)
    assert refused.value.status == 401
    assert (bearer or "nothing") not in str(refused.value)


@given(st.text(), st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_a_key_opens_exactly_if_it_is_listed(given_key: str, keys: list[str]) -> None:
    keys = [key for key in keys if key.isascii() and not key.startswith("ek_")] or ["k"]
    access = Access(SignalingConfig(api_keys=tuple(keys)))
    try:
        opened = bool(access.principal(given_key, NOW))
    except AccessRefused:
        opened = False
    assert opened == (given_key in keys)


def test_keys_do_not_show_themselves() -> None:
    assert "planted" not in repr(CONFIG.auth)


@pytest.mark.parametrize("named", ["acme", "acme.1", "acme.2"])
def test_rights_of_one_version_bound_all_versions_and_every_kind_of_key(named: str) -> None:
    key = "planted-acme-key-0123456789"
    auth = AuthConfig(
        keys={"acme": (key,)},
        rights={named: frozenset({"speak", "listen", "manage"})},
        tokens=TokenConfig({"acme.2": TOKENS.keys["acme"]}),
    )
    access = Access(SignalingConfig(auth=auth))
    ours = jwt.encode(
        {"aud": "voicepeer", "exp": NOW + 60, "rights": ["clone", "listen"]},
        SECRET,
        "HS256",
        {"kid": "acme.2"},
    )
    assert access.principal(ours, NOW).rights == {"listen"}
    assert "clone" not in access.principal(key, NOW).rights
    value, _ = access.client_secrets.mint(access.principal(key, NOW), NOW)
    assert access.principal(value, NOW).rights == {"speak", "listen"}


def test_of_several_bounds_all_hold() -> None:
    bounds: dict[str, frozenset[Right]] = {
        "bolt.1": frozenset({"speak"}),
        "bolt": frozenset({"speak", "listen"}),
    }
    access = Access(SignalingConfig(auth=AuthConfig(rights=bounds, tokens=TOKENS)))
    assert access.principal(token("bolt.2"), NOW).rights == {"speak"}


def _sharing(keys: Mapping[str, Any]) -> Access:
    auth = AuthConfig(
        keys.get("keys", {}), tokens=keys.get("tokens", TokenConfig()), client_secret_key=b"s" * 32
    )
    return Access(SignalingConfig(api_keys=keys.get("api_keys", ()), auth=auth))


@pytest.mark.parametrize(
    ("before", "bearer", "after"),
    [
        ({"keys": {"site": (OLD, NEW)}}, OLD, {"keys": {"site": (NEW,)}}),
        ({"api_keys": (PLAIN, OLD)}, OLD, {"api_keys": (PLAIN,)}),
        ({"keys": {"site": (OLD,)}}, OLD, {"keys": {"other": (OLD,)}}),
        ({"keys": {"acme": (OLD,)}}, OLD, {"tokens": TOKENS}),
        ({}, None, {"api_keys": (PLAIN,)}),
        ({"api_keys": (PLAIN,)}, PLAIN, {}),
        (
            {"tokens": TOKENS},
            token(rights=["manage", "speak"]),
            {"tokens": TokenConfig({"acme": TOKENS.keys["bolt.2"]})},
        ),
    ],
    ids=["named", "plain", "renamed", "other kind", "none", "only key", "signing"],
)
def test_a_client_secret_ends_with_the_very_key_that_it_was_minted_with(
    before: dict[str, Any], bearer: str | None, after: dict[str, Any]
) -> None:
    access = _sharing(before)
    value, who = access.client_secrets.mint(access.principal(bearer, NOW), NOW)
    again, _ = access.client_secrets.mint(replace(who, rights=ALL_RIGHTS), NOW)
    for one in (value, again):
        assert _sharing(before).principal(one, NOW).owner == who.owner
        with pytest.raises(AccessRefused):
            _sharing(after).principal(one, NOW)


def test_a_client_secret_outlives_the_change_of_another_key_of_the_same_name() -> None:
    access = _sharing({"keys": {"site": (OLD, NEW)}})
    value, who = access.client_secrets.mint(access.principal(NEW, NOW), NOW)
    assert _sharing({"keys": {"site": (NEW,)}}).principal(value, NOW) == who


def test_nobody_can_tell_a_key_from_what_is_minted_with_it() -> None:
    access = _sharing({"keys": {"site": (OLD,)}})
    value, _ = access.client_secrets.mint(access.principal(OLD, NOW), NOW)
    payload = base64.urlsafe_b64decode(value.split(".")[1] + "==").decode()
    plain = hashlib.sha256(OLD.encode()).hexdigest()
    assert '"mark":"' in payload
    assert OLD not in payload
    assert plain[:16] not in payload
