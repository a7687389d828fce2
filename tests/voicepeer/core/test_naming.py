"""Which names may be kept, and how any text is shown to a terminal."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.audio_messages import ConsentUpdate
from signaling.bodies import checked
from signaling.gate import ApiError
from voicepeer.core.naming import MAX_NAME_CHARS, is_name, is_plain, plain

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "name", ["", "Ada", "Zoë 2", "क्\u200dष", "👩\u200d🚀", "a" * MAX_NAME_CHARS]
)
def test_what_people_are_called_may_be_a_name(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["a" * 101, "\x1b[2J", "a\nb", "a\x00", "\u202eadA", "\x9b1m"])
def test_what_steers_a_terminal_may_not(name: str) -> None:
    assert not is_name(name)


@given(st.text())
def test_a_terminal_gets_nothing_that_it_would_obey(text: str) -> None:
    shown = plain(text)
    assert is_plain(shown.replace("\n", ""))
    if is_plain(text):
        assert shown == text


@given(st.text(max_size=8))
def test_what_the_api_takes_may_be_a_name_but_for_odd_blanks(text: str) -> None:
    """Its schema has to be a regular expression, which knows no classes of characters."""
    raw = msgspec.json.encode({"name": text})
    try:
        name = checked(raw, ConsentUpdate).name
    except ApiError:
        assert not text or not is_name(text)
        return
    assert not set(name) & {chr(code) for code in (*range(32), *range(127, 160))}
