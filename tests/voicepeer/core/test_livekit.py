"""Tokens of LiveKit, made and looked at."""

from __future__ import annotations

import base64
import json
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.livekit import TOKEN_TTL_S, Pass, TokenUnusable, claims_of, look_at

pytestmark = pytest.mark.unit

NOW_S = 1_800_000_000.0
SECRET = "a-secret-of-these-tests-only-32-bytes"


def token(**video: Any) -> str:  # noqa: ANN401 - JSON
    """One that is good at ``NOW_S``, but for what is said of its grants."""
    grants = {"room": "hall", "roomJoin": True} | video
    claims = {"iss": "key", "sub": "ada", "exp": NOW_S + 1, "video": grants}
    return jwt.encode(claims, SECRET, "HS256")


def of_payload(payload: bytes) -> str:
    return f"e30.{base64.urlsafe_b64encode(payload).decode().rstrip('=')}.x"


def test_what_is_made_can_be_used_and_lets_nobody_listen() -> None:
    claims = claims_of("key", "hall", "ada-1", "Ada", NOW_S)
    made = jwt.encode(dict(claims), SECRET, "HS256")
    assert look_at(made, NOW_S) == look_at(made, NOW_S, "hall") == Pass("hall", "ada-1")
    assert claims["video"]["canSubscribe"] is False
    assert claims["name"] == "Ada"
    with pytest.raises(TokenUnusable, match="expired"):
        look_at(made, NOW_S + TOKEN_TTL_S + 1)


@pytest.mark.parametrize(
    "video",
    [
        {},
        {"canPublish": True},
        {"canPublish": None, "canPublishSources": None},
        {"canPublishSources": []},
        {"canPublishSources": ["camera", "microphone"]},
    ],
)
def test_whoever_is_not_kept_from_speaking_may_speak(video: dict[str, Any]) -> None:
    assert look_at(token(**video), NOW_S).room == "hall"


@pytest.mark.parametrize(
    ("video", "part"),
    [
        ({"roomJoin": False}, "roomJoin"),
        ({"room": ""}, "roomJoin and room"),
        ({"canPublish": False}, "canPublish"),
        ({"canPublishSources": ["camera"]}, "canPublish"),
        ({"room": "foyer"}, "another room"),
    ],
)
def test_a_token_without_what_it_takes_is_said_so(video: dict[str, Any], part: str) -> None:
    with pytest.raises(TokenUnusable, match=part):
        look_at(token(**video), NOW_S, "hall")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("", "no JWT"),
        ("abc", "no JWT"),
        ("a.b.c.d", "no JWT"),
        ("a" * 20_000 + ".b.c", "no JWT"),
        ("e30.!.x", "cannot be read"),
        (of_payload(b"\xff"), "cannot be read"),
        (of_payload(b'{"video": 7}'), "cannot be read"),
        (of_payload(b"[" * 3_000), "cannot be read"),
        (of_payload(b"{}"), "roomJoin"),
    ],
)
def test_what_is_no_token_is_not_sent_anywhere(text: str, part: str) -> None:
    with pytest.raises(TokenUnusable, match=part) as refused:
        look_at(text, NOW_S)
    assert len(str(refused.value)) < 200


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["video", "room", "roomJoin", "exp", "sub"]), inner)
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_claims_are_read_or_refused(claims: Any) -> None:  # noqa: ANN401 - JSON
    try:
        found = look_at(of_payload(json.dumps(claims).encode()), NOW_S)
    except TokenUnusable:
        return
    assert found.room == claims["video"]["room"] != ""
