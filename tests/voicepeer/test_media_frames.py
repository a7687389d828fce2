"""What entry and media processes say to each other, there and back."""

from __future__ import annotations

from dataclasses import fields, replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.process.frames import FrameBuffer
from signaling.limits import LimitKind
from signaling.principal import Principal
from signaling.sessions import SessionRequest
from voicepeer import media_frames as frames
from voicepeer.config import Config, ServerConfig
from voicepeer.media_frames import Asked, Begin, Changed, Done, Open, ToEntry, ToMedia

pytestmark = pytest.mark.unit

STAYS = {"spend"}
"""What a request has of the entry's, which cannot go anywhere."""

REQUEST = SessionRequest(
    room="hall",
    name="Ada",
    ice_servers=[{"urls": ["stun:stun.example.org"]}, {"urls": "turn:t", "credential": "c"}],
    resume_token="token",
    principal=Principal("acme.1", frozenset({"speak"}), "hall", "ada", 1e9, "low", "mark"),
    purpose="publish",
    voice="low",
    first_voice="mid",
    speed=1.5,
    stands_in=True,
    consent="I agree.",
    consent_id="cons_1",
    meets_others=False,
)


def carried(message: ToMedia | ToEntry) -> bytes:
    """The body of the frame of a message."""
    [body] = FrameBuffer().push(frames.pack(message))
    return body


async def test_all_of_a_request_crosses_but_what_stays() -> None:
    assert set(Asked.__struct_fields__) == {one.name for one in fields(SessionRequest)} - STAYS
    unlike = SessionRequest("", "")
    same = [
        name for name in Asked.__struct_fields__ if getattr(REQUEST, name) == getattr(unlike, name)
    ]
    assert not same, "the request below has to differ everywhere"
    message = frames.unpack_to_media(carried(Open(7, Asked.of(REQUEST))))
    assert isinstance(message, Open)
    spent: list[str] = []

    async def spend(kind: LimitKind, cost: float) -> None:
        spent.append(kind)

    request = message.asked.request(spend)
    assert replace(request, spend=REQUEST.spend) == REQUEST
    assert request.principal.mark == "mark"
    await request.spend("characters", 1)
    assert spent == ["characters"]


def test_settings_cross_as_they_are() -> None:
    config = Config(server=ServerConfig(port=1234, media_processes=3))
    assert frames.unpack_to_media(carried(Begin(1, config))) == Begin(1, config)


@settings(deadline=None)
@given(st.one_of(st.text(), st.booleans(), st.lists(st.text()), st.none()))
def test_answers_cross_as_what_they_are(value: frames.Value) -> None:
    assert frames.unpack_to_entry(carried(Done(3, value))) == Done(3, value)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_nothing_but_what_is_documented_comes_of_bytes(data: bytes) -> None:
    for unpack in (frames.unpack_to_entry, frames.unpack_to_media):
        try:
            message = unpack(data)
        except msgspec.DecodeError:
            continue
        assert isinstance(message, msgspec.Struct)


def test_each_side_reads_its_own_messages_only() -> None:
    with pytest.raises(msgspec.DecodeError):
        frames.unpack_to_media(carried(Changed("s", True, None)))
    with pytest.raises(msgspec.DecodeError):
        frames.unpack_to_entry(carried(Begin(1, Config())))
