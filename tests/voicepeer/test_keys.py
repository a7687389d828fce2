"""Keys, rights and limits of the configuration reach signaling as they were meant."""

from __future__ import annotations

import pytest

from signaling.limits import DAY_S, DEFAULT_RATES, Rate
from tests.signaling.tokens import PUBLIC
from voicepeer import keys, wiring
from voicepeer.config import Config, load

pytestmark = pytest.mark.unit

KEY = "0123456789abcdef"


def test_every_setting_of_auth_reaches_signaling() -> None:
    settings = {
        "auth.keys": f"site={KEY} {KEY}2,kiosk={KEY}3",
        "auth.rights": "kiosk=speak listen,acme.1=speak",
        "auth.token_keys": f"acme.1=HS256:{KEY * 2},acme.2=EdDSA:{PUBLIC}",
        "auth.audience": "us",
        "auth.issuer": "https://id.example",
        "auth.leeway_s": "1",
        "auth.max_token_life_s": "60",
        "auth.client_secret_key": KEY * 2,
    }
    made = keys.auth_config(load(settings, {}).auth)
    assert made.keys == {"site": (KEY, f"{KEY}2"), "kiosk": (f"{KEY}3",)}
    assert made.rights == {"kiosk": {"speak", "listen"}, "acme.1": {"speak"}}
    assert {kid: key.algorithm for kid, key in made.tokens.keys.items()} == {
        "acme.1": "HS256",
        "acme.2": "EdDSA",
    }
    assert (made.tokens.audience, made.tokens.issuer) == ("us", "https://id.example")
    assert (made.tokens.leeway_s, made.tokens.max_life_s) == (1, 60)
    assert made.client_secret_key == (KEY * 2).encode()


def test_limits_reach_signaling_and_nothing_is_no_limit() -> None:
    settings = {
        "limits.requests_per_minute": "0",
        "limits.sessions_per_minute": "7",
        "limits.sessions_per_key": "2",
        "limits.clones_per_day": "3",
    }
    made = keys.rates(load(settings, {}).limits)
    assert made["requests"] == ()
    assert made["sessions"] == (Rate(7),)
    assert made["clones"] == (Rate(20), Rate(3, DAY_S))
    assert wiring.signaling_config(load(settings, {})).max_sessions_per_key == 2


def test_without_a_word_the_limits_are_those_of_signaling() -> None:
    assert keys.rates(Config().limits) == DEFAULT_RATES


def test_rights_may_name_a_key_without_its_version() -> None:
    settings = {"auth.token_keys": f"acme.2=HS256:{KEY * 2}", "auth.rights": "acme=speak"}
    assert keys.auth_config(load(settings, {}).auth).rights == {"acme": {"speak"}}
