"""Which names may be kept, and how any text is shown to a terminal."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signaling.audio_messages import ConsentUpdate
from signaling.bodies import checked
from signaling.gate import ApiError
from voicepeer.core.naming import MAX_NAME_CHARS, free_name, is_name, is_plain, plain

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    "name", ["", "Ada", "Zoë 2", "क्\u200dष", "👩\u200d🚀", "a" * MAX_NAME_CHARS]
)
def test_what_people_are_called_may_be_a_name(name: str) -> None:
    assert is_name(name)


@pytest.mark.parametrize("name", ["a" * 101, "\x1b[2J", "a\nb", "a\x00", "\u202eadA", "\x9b1m"])
def test_what_steers_a_terminal_may_not(name: str) -> None:
    assert not is_name(name)


@given(name=st.text(min_size=1, max_size=MAX_NAME_CHARS), twins=st.integers(0, 12))
def test_twins_get_names_of_their_own(name: str, twins: int) -> None:
    taken: list[str] = []
    for _ in range(twins):
        taken.append(free_name(name, taken))
    assert len(set(taken)) == twins
    assert all(len(one) <= MAX_NAME_CHARS for one in taken)
    assert taken[:1] == [name][:twins]


def test_the_end_of_a_long_name_makes_room_for_its_number() -> None:
    assert free_name("Ada", {"Ada", "Ada (2)", "Ada (4)"}) == "Ada (3)"
    assert free_name("a" * 100, {"a" * 100}) == "a" * 96 + " (2)"


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
