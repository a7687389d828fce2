"""How far an utterance was heard, and what of it is still to be said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.fakes import FakeSpeechEngine
from voicepeer.core.messages import Append, Cancelled, Done, Failed, Pong, Speak, Word
from voicepeer.core.speaking.manuscript import REMEMBER_S, Manuscript

pytestmark = pytest.mark.unit

VOICE = FakeSpeechEngine().stock_voices()["mid"]
TEXT = "One two three four."


def word(start: int, end: int, start_ms: float, utterance_id: str = "a") -> Word:
    return Word(
        utterance_id=utterance_id,
        text=TEXT[start:end],
        start_ms=start_ms,
        end_ms=start_ms + 200.0,
        char_start=start,
        char_end=end,
    )


def begun() -> Manuscript:
    """``TEXT`` of which two words were told of, at 1.0 and 1.3 s."""
    manuscript = Manuscript()
    manuscript.note(Speak(utterance_id="a", text=TEXT, interrupt=True, speed=1.2), VOICE)
    manuscript.word(word(0, 3, 0.0), 1.0)
    manuscript.word(word(4, 7, 300.0), 1.3)
    return manuscript


@pytest.mark.parametrize(
    ("as_of", "rest", "ms_before"),
    [
        (0.5, TEXT, 0.0),
        (1.1, TEXT, 0.0),
        (1.25, " two three four.", 200.0),
        (1.4, "two three four.", 300.0),
        (1.6, " three four.", 500.0),
        (9.0, " three four.", 500.0),
    ],
)
def test_the_rest_begins_with_the_word_that_was_not_heard_to_its_end(
    as_of: float, rest: str, ms_before: float
) -> None:
    (one,) = begun().rest(as_of)
    assert isinstance(one.opening, Speak)
    assert (one.opening.text, one.ms_before) == (rest, ms_before)
    assert (one.opening.speed, one.opening.interrupt, one.ended) == (1.2, False, True)
    assert one.chars_before == len(TEXT) - len(rest)


def test_streamed_text_goes_on_open_until_it_was_ended() -> None:
    manuscript = Manuscript()
    for piece in ("One ", "two ", "three"):
        manuscript.note(Append(utterance_id="a", text=piece), VOICE)
    manuscript.word(word(0, 3, 0.0), 1.0)
    (one,) = manuscript.rest(2.0)
    assert isinstance(one.opening, Append)
    assert (one.opening.text, one.ended) == (" two three", False)
    manuscript.end("a")
    assert manuscript.rest(2.0)[0].ended


def test_what_is_over_is_said_anew_only_if_nobody_can_have_heard_its_end() -> None:
    manuscript = begun()
    manuscript.done("a", 5.0)
    assert manuscript.rest(5.0) == []
    (one,) = manuscript.rest(4.0)
    assert one.opening.text == " three four."


def test_what_was_cancelled_is_not_said_any_more() -> None:
    manuscript = begun()
    manuscript.drop("a")
    assert manuscript.rest(0.0) == []
    manuscript.word(word(8, 13, 600.0), 1.6)
    manuscript.end("a")
    manuscript.done("a", 2.0)
    assert manuscript.rest(0.0) == []


def test_what_was_over_long_ago_is_forgotten() -> None:
    manuscript = begun()
    manuscript.done("a", 5.0)
    manuscript.note(Speak(utterance_id="b", text="Next."), VOICE)
    manuscript.done("b", 5.0 + REMEMBER_S + 0.1)
    assert [one.opening.utterance_id for one in manuscript.rest(0.0)] == ["b"]


def test_utterances_go_on_in_their_order() -> None:
    manuscript = Manuscript()
    for name in "abc":
        manuscript.note(Speak(utterance_id=name, text="Text."), VOICE)
    manuscript.drop("b")
    assert [one.opening.utterance_id for one in manuscript.rest(0.0)] == ["a", "c"]


def resumed() -> Manuscript:
    (one,) = begun().rest(1.6)
    manuscript = Manuscript()
    manuscript.resume(one)
    manuscript.note(one.opening, one.voice)
    return manuscript


def test_the_client_counts_on_where_the_other_session_has_ended() -> None:
    manuscript = resumed()
    told = manuscript.told(word(1, 6, 10.0))
    assert (told.char_start, told.char_end) == (8, 13)
    assert (told.start_ms, told.end_ms) == (510.0, 710.0)
    done = Done(utterance_id="a", audio_ms=600, first_audible_ms=80, rtf=0.1, underruns=0)
    assert manuscript.told(done).audio_ms == 1_100
    assert manuscript.told(Cancelled(utterance_id="a", played_ms=100)).played_ms == 600
    failed = Failed(utterance_id="a", code="c", message="m", played_ms=1, retryable=False)
    assert manuscript.told(failed).played_ms == 501
    assert manuscript.told(Pong(sent_ms=3)) == Pong(sent_ms=3)
    other = Cancelled(utterance_id="z", played_ms=100)
    assert manuscript.told(other) is other


def test_a_session_may_be_lost_again_and_again() -> None:
    manuscript = resumed()
    (again,) = manuscript.rest(3.0)
    assert (again.opening.text, again.chars_before, again.ms_before) == (" three four.", 7, 500.0)
    manuscript.word(manuscript.told(word(1, 6, 10.0)), 4.0)
    (later,) = manuscript.rest(5.0)
    assert (later.opening.text, later.chars_before, later.ms_before) == (" four.", 13, 710.0)


def test_more_text_after_coming_back_belongs_to_the_same_utterance() -> None:
    manuscript = Manuscript()
    manuscript.note(Append(utterance_id="a", text="One two"), VOICE)
    (one,) = manuscript.rest(0.0)
    other = Manuscript()
    other.resume(one)
    other.note(one.opening, one.voice)
    other.note(Append(utterance_id="a", text=" three"), VOICE)
    assert other.rest(0.0)[0].opening.text == "One two three"


@given(st.text(min_size=1, max_size=60), st.data())
def test_nothing_is_lost_or_said_twice_but_the_word_that_was_cut(
    text: str, data: st.DataObject
) -> None:
    manuscript = Manuscript()
    manuscript.note(Speak(utterance_id="a", text=text), VOICE)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), min_size=2, max_size=8)))
    spans = list(zip(cuts, cuts[1:], strict=False))
    for number, (start, end) in enumerate(spans):
        at_ms = 300.0 * number
        manuscript.word(
            Word(
                utterance_id="a",
                text=text[start:end],
                start_ms=at_ms,
                end_ms=at_ms + 200,
                char_start=start,
                char_end=end,
            ),
            at_ms / 1000,
        )
    as_of = data.draw(st.floats(0, 3))
    (one,) = manuscript.rest(as_of)
    assert text.endswith(one.opening.text)
    assert one.chars_before in {place for span in spans for place in span}
