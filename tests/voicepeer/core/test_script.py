"""Who says which line of a script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.script import Cue, Script

pytestmark = pytest.mark.unit


def read(names: list[str], *lines: str) -> list[Cue]:
    script = Script(names)
    return [cue for line in lines if (cue := script.read(line)) is not None]


def test_one_speaker_says_lines_as_they_are() -> None:
    assert read(["bot"], "Hello.", "bot: this is read out", "Note: that too") == [
        Cue(1, 0, "Hello."),
        Cue(2, 0, "bot: this is read out"),
        Cue(3, 0, "Note: that too"),
    ]


def test_several_take_turns_by_name_until_another_is_named() -> None:
    assert read(["Ada", "Bob"], "First.", "bob: Second.", "Third.", "ADA:Fourth.", "Cat: Who?") == [
        Cue(1, 0, "First."),
        Cue(2, 1, "Second."),
        Cue(3, 1, "Third."),
        Cue(4, 0, "Fourth."),
        Cue(5, 0, "Cat: Who?"),
    ]


def test_a_name_alone_gives_the_turn() -> None:
    assert read(["Ada", "Bob"], "Bob:", "It is mine.") == [Cue(2, 1, "It is mine.")]


def test_empty_lines_and_comments_count_but_are_not_said() -> None:
    assert read(["bot"], "", "  # Bob: no", " \t", " Yes. \n") == [Cue(4, 0, "Yes.")]


def test_of_names_that_begin_alike_the_longer_is_meant() -> None:
    assert read(["Ada", "Ada: 2"], "Ada: 2: Hi.", "Ada: 2.") == [Cue(1, 1, "Hi."), Cue(2, 0, "2.")]


@pytest.mark.parametrize("names", [[], ["Ada", "ADA"], ["a", "b", "a"]])
def test_names_tell_speakers_apart(names: list[str]) -> None:
    with pytest.raises(ValueError, match="each of them once"):
        Script(names)


@given(st.lists(st.text(), max_size=20), st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_whatever_the_lines_are_each_gives_one_cue_at_most(
    lines: list[str], names: list[str]
) -> None:
    names = list({name.casefold(): name for name in names}.values())
    cues = read(names, *lines)
    numbers = [cue.line for cue in cues]
    assert numbers == sorted(set(numbers))
    assert all(1 <= cue.line <= len(lines) and cue.speaker < len(names) for cue in cues)
    assert all(cue.text and cue.text in lines[cue.line - 1] for cue in cues)
