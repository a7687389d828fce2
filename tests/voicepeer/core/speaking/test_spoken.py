from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.speaking.spoken import Draft

pytestmark = pytest.mark.unit


def test_untouched_text_comes_from_itself() -> None:
    spoken = Draft("abc").spoken()
    assert (spoken.text, spoken.origin, spoken.until) == ("abc", (0, 1, 2), (1, 2, 3))


def test_a_replacement_comes_from_the_whole_of_what_it_replaces() -> None:
    draft = Draft("pay $5 now")
    draft.rewrite(re.compile(r"\$5"), "five dollars")
    spoken = draft.spoken()
    assert spoken.text == "pay five dollars now"
    assert spoken.source_span(4, 8) == (4, 6)
    assert spoken.source_span(9, 16) == (4, 6)
    assert spoken.source_span(17, 20) == (7, 10)


def test_a_replacement_of_a_replacement_keeps_the_first_origin() -> None:
    draft = Draft("x 12 y")
    draft.rewrite(re.compile("12"), "1 2")
    draft.rewrite(re.compile("1 2 y"), "why")
    assert draft.spoken().source_span(2, 5) == (2, 6)


def test_unwrapping_keeps_the_origin_of_each_character() -> None:
    draft = Draft("a **bc** d")
    draft.unwrap(re.compile(r"\*\*(.+?)\*\*"), 1)
    spoken = draft.spoken()
    assert spoken.text == "a bc d"
    assert spoken.origin == (0, 1, 4, 5, 8, 9)


def test_a_reader_may_leave_a_match_as_it_is() -> None:
    draft = Draft("1 2 3")
    draft.rewrite(re.compile(r"\d"), lambda match: "two" if match.group() == "2" else None)
    assert draft.spoken().text == "1 two 3"


def test_blanks_at_the_ends_are_left_out() -> None:
    spoken = Draft("  a b ").spoken()
    assert (spoken.text, spoken.origin) == ("a b", (2, 3, 4))


@pytest.mark.parametrize("text", ["", " ", "...", "😊", "—!"])
def test_text_without_letters_and_digits_is_silent(text: str) -> None:
    assert Draft(text).spoken().is_silent


@pytest.mark.parametrize(("start", "end"), [(0, 0), (2, 1), (-1, 1), (0, 4)])
def test_a_span_must_have_characters(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="no characters"):
        Draft("abc").spoken().source_span(start, end)


@given(
    st.text(alphabet="ab1 ", max_size=30),
    st.lists(st.tuples(st.sampled_from(["a", "b+", "1", r"a.b", " "]), st.text(max_size=4))),
)
def test_origins_grow_and_stay_inside_the_source(
    source: str, changes: list[tuple[str, str]]
) -> None:
    draft = Draft(source)
    for pattern, said in changes:
        draft.rewrite(re.compile(pattern), said)
    spoken = draft.spoken()
    assert len(spoken.text) == len(spoken.origin) == len(spoken.until)
    assert list(spoken.origin) == sorted(spoken.origin)
    assert all(
        0 <= start < end <= len(source)
        for start, end in zip(spoken.origin, spoken.until, strict=True)
    )
