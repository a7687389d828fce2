"""Tokens: what is let in, and the ways to get in that are known from elsewhere."""

from __future__ import annotations

import base64
import json
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.principal import AccessRefused, Principal
from signaling.tokens import (
    DEFAULT_RIGHTS,
    MAX_TOKEN_CHARS,
    KeyInvalid,
    TokenConfig,
    Tokens,
    read_key,
)
from tests.signaling.tokens import KEYS, PRIVATE, PUBLIC, SECRET, TOKENS, signed, token

pytestmark = pytest.mark.unit

NOW = 1_800_000_000.0


def read(text: str, config: TokenConfig = TOKENS, now_s: float = NOW) -> Principal:
    return Tokens(config).principal(text, now_s)


def refused(text: str, config: TokenConfig = TOKENS, now_s: float = NOW) -> AccessRefused:
    with pytest.raises(AccessRefused) as caught:
        read(text, config, now_s)
    assert caught.value.status == 401
    assert SECRET not in str(caught.value)
    return caught.value


def made(kid: str = "acme", **changes: Any) -> str:  # noqa: ANN401
    return token(kid, NOW, **changes)


def parts(*segments: bytes | dict[str, Any]) -> str:
    """A token put together by hand."""
    raw = (json.dumps(one).encode() if isinstance(one, dict) else one for one in segments)
    return ".".join(base64.urlsafe_b64encode(one).decode().rstrip("=") for one in raw)


@pytest.mark.parametrize("kid", sorted(KEYS))
def test_each_key_signs_for_its_own_name(kid: str) -> None:
    who = read(made(kid, room="blue", rights=["speak", "manage"]))
    assert who == Principal(kid, frozenset({"speak", "manage"}), "blue", "ada", NOW + 60)


def test_versions_of_a_key_are_one_tenant() -> None:
    assert read(made("bolt.2")).owner == "bolt/ada"


def test_without_a_word_about_rights_it_is_a_participant() -> None:
    who = read(made(sub=None))
    assert (who.rights, who.subject, who.room) == (DEFAULT_RIGHTS, "", None)
    assert read(made(rights=[])).rights == frozenset()


def test_an_audience_may_be_one_of_several() -> None:
    assert read(made(aud=["other", "voicepeer"])).subject == "ada"


@pytest.mark.parametrize(
    "changes",
    [
        {"aud": None}, {"aud": "other"}, {"aud": []}, {"aud": 3}, {"exp": None}, {"exp": "soon"},
        {"exp": True}, {"exp": NOW + 10 * 365 * 86_400}, {"nbf": NOW + 300}, {"nbf": "x"},
        {"rights": ["fly"]}, {"rights": "speak"}, {"rights": [1]}, {"room": 5}, {"room": ""},
        {"sub": 5},
        {"sub": "a" * 200}, {"sub": "a\nb"}, {"sub": "\u202e"},
    ],
    ids=str,
)  # fmt: skip
def test_claims_that_are_not_as_documented(changes: dict[str, Any]) -> None:
    text = signed(json.dumps({"aud": "voicepeer", "exp": NOW + 60, "sub": "ada"} | {}).encode())
    assert read(text).subject == "ada"
    claims = {"aud": "voicepeer", "exp": NOW + 60, "sub": "ada"} | changes
    claims = {name: value for name, value in claims.items() if value is not None}
    assert refused(signed(json.dumps(claims).encode())).code == "invalid_token"


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        ({"exp": NOW + 60}, "the claim 'aud' is missing: 'aud' and 'exp' are needed"),
        ({"aud": "voicepeer"}, "the claim 'exp' is missing: 'aud' and 'exp' are needed"),
        ({}, "is missing: 'aud' and 'exp' are needed"),
        ({"aud": "other", "exp": NOW + 60}, "'aud' has to be 'voicepeer'"),
        ({"aud": 3, "exp": NOW + 60}, "the claim 'aud' has to be a text or a list of texts"),
        ({"aud": ["voicepeer", 3], "exp": NOW + 60}, "the claim 'aud' has to be a text or a list"),
        ({"aud": "voicepeer", "exp": "soon"}, "the claim 'exp' has to be a number, Unix time"),
        ({"aud": "voicepeer", "exp": NOW + 60, "nbf": []}, "the claim 'nbf' has to be a number"),
        ({"aud": "voicepeer", "exp": NOW + 60, "iss": 1}, "the claim 'iss' has to be a text"),
        ({"aud": "voicepeer", "exp": NOW + 60, "sub": 5}, "the claim 'sub' has to be a text"),
        ({"aud": "voicepeer", "exp": NOW + 60, "room": {}}, "the claim 'room' has to be a text"),
        ({"aud": "voicepeer", "exp": NOW + 60, "rights": ["fly"]},
         "the claim 'rights' has to be a list of clone, enrol, listen, manage, speak"),
        ([], "its claims are no JSON object"),
    ],
    ids=str,
)  # fmt: skip
def test_the_claim_that_is_wrong_is_named(payload: object, says: str) -> None:
    assert says in str(refused(signed(json.dumps(payload).encode())))


def test_a_wrong_issuer_is_told_which_is_right() -> None:
    error = refused(
        made(iss="https://evil.example"), TokenConfig(KEYS, issuer="https://id.example")
    )
    assert "'iss' has to be 'https://id.example'" in str(error)


def test_the_issuer_counts_where_one_is_configured() -> None:
    config = TokenConfig(KEYS, issuer="https://id.example")
    assert read(made(iss="https://id.example"), config).subject == "ada"
    refused(made(), config)
    refused(made(iss="https://evil.example"), config)


@pytest.mark.parametrize(
    ("at_s", "code"),
    [(-31, "invalid_token"), (-29, None), (0, None), (89, None), (91, "token_expired")],
)
def test_clocks_may_differ_by_the_leeway_and_no_more(at_s: float, code: str | None) -> None:
    text = made(nbf=NOW)
    if code is None:
        assert read(text, now_s=NOW + at_s).subject == "ada"
    else:
        assert refused(text, now_s=NOW + at_s).code == code


def test_nothing_unsigned_passes() -> None:
    claims = {"aud": "voicepeer", "exp": NOW + 60}
    for algorithm in ("none", "None", "NONE", "", None):
        for signature in (b"", b"x"):
            refused(parts({"alg": algorithm, "kid": "acme"}, claims, signature))
    refused(jwt.encode(claims, "", algorithm="none", headers={"kid": "acme"}))


def test_a_public_key_is_no_shared_secret() -> None:
    claims = {"aud": "voicepeer", "exp": NOW + 60}
    raw = PRIVATE.public_key().public_bytes_raw()
    for secret in (raw, PUBLIC.encode()):
        for kid in KEYS:
            refused(jwt.encode(claims, secret, "HS256", {"kid": kid}))


def test_the_key_decides_the_algorithm() -> None:
    claims = {"aud": "voicepeer", "exp": NOW + 60}
    refused(jwt.encode(claims, PRIVATE, "EdDSA", {"kid": "acme"}))
    refused(jwt.encode(claims, SECRET * 2, "HS512", {"kid": "acme"}))
    refused(jwt.encode(claims, SECRET, "HS256", {"kid": "bolt.2"}))


@pytest.mark.parametrize("kid", [None, "", "unknown", 1, [], "../acme", "ACME"])
def test_keys_are_found_by_name_only(kid: object) -> None:
    claims = {"aud": "voicepeer", "exp": NOW + 60}
    good = jwt.encode(claims, SECRET, "HS256", {"kid": "acme"})
    header = {"alg": "HS256", "kid": kid}
    refused(parts(header, claims) + "." + good.rpartition(".")[2])


def test_a_header_that_must_be_understood_is_not() -> None:
    refused(parts({"alg": "HS256", "kid": "acme", "crit": ["x"], "x": 1}, {}, b"x"))
    refused(parts({"alg": "HS256", "kid": "acme", "crit": ["b64"], "b64": False}, b"", b"x"))


def test_a_changed_token_is_refused() -> None:
    text = made()
    head, claims, signature = text.split(".")
    for changed in (
        f"{head}.{claims}.{signature[:-4]}AAAA",
        f"{head}.{claims[:-2]}AA.{signature}",
        f"{head}.{claims}.",
        f"{head}.{claims}",
        f"{text}.x",
    ):
        refused(changed)


def test_a_huge_token_is_not_even_read() -> None:
    assert "characters" in str(refused("a" * (MAX_TOKEN_CHARS + 1)))
    refused(signed(b"[" * 3_000))


def test_keys_take_each_others_place() -> None:
    both = {"acme.1": read_key(f"HS256:{SECRET}"), "acme.2": read_key(f"EdDSA:{PUBLIC}")}
    claims = {"aud": "voicepeer", "exp": NOW + 60}
    old = jwt.encode(claims, SECRET, "HS256", {"kid": "acme.1"})
    new = jwt.encode(claims, PRIVATE, "EdDSA", {"kid": "acme.2"})
    assert read(old, TokenConfig(both)).owner == read(new, TokenConfig(both)).owner == "acme"
    refused(old, TokenConfig({"acme.2": both["acme.2"]}))


@pytest.mark.parametrize(
    ("text", "says"),
    [("HS256:short", "32 bytes"), ("none:", "algorithm"), ("", "algorithm"), ("RS256:x", "HS256"),
     ("EdDSA:!!", "base64url"), ("EdDSA:AAAA", "32 bytes"), (SECRET, "algorithm")],
)  # fmt: skip
def test_keys_that_cannot_be_used(text: str, says: str) -> None:
    with pytest.raises(KeyInvalid, match=says) as caught:
        read_key(text)
    assert "short" not in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_key_does_not_show_itself() -> None:
    assert SECRET not in repr(TOKENS)


@given(st.binary(max_size=200))
def test_no_signed_payload_breaks_the_reader(payload: bytes) -> None:
    refused(signed(payload))


@given(st.text(max_size=300) | st.from_regex(r"[\w-]{0,40}\.[\w-]{0,40}\.[\w-]{0,40}"))
def test_no_text_breaks_the_reader(text: str) -> None:
    refused(text)
