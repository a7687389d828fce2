"""What was said by text: what was heard of it, and captions with the names of who said it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.messages import Caption as Piece
from voicepeer.core.messages import Word
from voicepeer.core.recording.transcript import MAX_PIECES, Said, Transcript, captions_of
from voicepeer.core.speaking.caption import webvtt

pytestmark = pytest.mark.unit


def piece(text: str, start: int = 0, utterance_id: str = "a") -> Piece:
    return Piece(
        utterance_id=utterance_id,
        text=text,
        start_ms=0.0,
        char_start=start,
        char_end=start + len(text),
    )


def words(text: str, start: int = 0, utterance_id: str = "a") -> list[Word]:
    """Each word of a text, 300 ms long."""
    found, at = [], 0
    for number, word in enumerate(text.split()):
        at = text.index(word, at)
        bare = word.rstrip(".,!?")
        found.append(
            Word(
                utterance_id=utterance_id,
                text=bare,
                start_ms=number * 300.0,
                end_ms=number * 300.0 + 300.0,
                char_start=start + at,
                char_end=start + at + len(bare),
            )
        )
        at += len(word)
    return found


def said(transcript: Transcript, told: list[Word], at_ms: float = 1_000.0) -> list[Said]:
    return [transcript.word(word, at_ms + word.start_ms) for word in told]


def test_what_was_written_is_kept_with_its_marks_as_it_is_heard() -> None:
    transcript = Transcript()
    transcript.piece(piece("Well, hello there."))
    heard = said(transcript, words("Well, hello there."))
    assert [one.written for one in heard] == ["Well, ", "hello ", "there."]
    assert [one.start_ms for one in heard] == [1_000.0, 1_300.0, 1_600.0]
    assert heard[-1].end_ms == 1_900.0


@pytest.mark.parametrize(
    ("start", "shown"), [(10, "five six seven"), (8, "five sixseven")], ids=["space", "none"]
)
def test_pieces_of_a_text_meet_as_they_were_written(start: int, shown: str) -> None:
    transcript = Transcript()
    transcript.piece(piece("five six"))
    transcript.piece(piece("seven", start))
    heard = said(transcript, words("five six")) + said(transcript, words("seven", start), 2_000.0)
    assert "".join(one.written for one in heard) == shown


def test_of_what_was_not_heard_nothing_is_kept() -> None:
    transcript = Transcript()
    transcript.piece(piece("Say this, but not this secret."))
    heard = said(transcript, words("Say this, but not this secret.")[:2])
    assert "".join(one.written for one in heard) == "Say this, "


def test_what_was_said_while_muted_is_left_out() -> None:
    transcript = Transcript()
    transcript.piece(piece("Hear this, not that, but this."))
    told = words("Hear this, not that, but this.")
    heard = said(transcript, [*told[:2], *told[4:]])
    assert "".join(one.written for one in heard) == "Hear this, but this."


def test_several_words_for_one_number_are_written_once() -> None:
    transcript = Transcript()
    transcript.piece(piece("It is 42 now."))
    spans = [(0, 2, "It"), (3, 5, "is"), (6, 8, "forty"), (6, 8, "two"), (9, 12, "now")]
    told = [
        Word(utterance_id="a", text=text, start_ms=0, end_ms=100, char_start=a, char_end=b)
        for a, b, text in spans
    ]
    heard = [transcript.word(word, n * 100.0) for n, word in enumerate(told)]
    assert [one.written for one in heard] == ["It ", "is ", "42 ", "", "now."]
    [caption] = captions_of(heard, "Ada")
    assert caption.text == "It is 42 now."
    assert [word.text for word in caption.words] == ["It", "is", "42", "now."]


def test_pieces_of_an_utterance_and_of_others_keep_their_places() -> None:
    transcript = Transcript()
    transcript.piece(piece("One two. "))
    transcript.piece(piece("Three.", start=9))
    transcript.piece(piece("Other.", utterance_id="b"))
    heard = said(transcript, words("One two."))
    heard += said(transcript, words("Three.", start=9), 2_000.0)
    heard += said(transcript, words("Other.", utterance_id="b"), 9_000.0)
    assert [one.utterance for one in heard] == [1, 1, 1, 2]
    texts = [caption.text for caption in captions_of(heard, "")]
    assert texts == ["One two.", "Three.", "Other."]


def test_a_word_of_an_unknown_text_is_kept_as_it_is_said() -> None:
    assert Transcript().word(words("Hello.")[0], 0.0).written == "Hello "


def test_a_file_of_words_that_is_damaged_is_read_as_far_as_it_goes() -> None:
    heard = [
        Said(utterance=1, written=written, start_ms=at, end_ms=at + 1.0)
        for at, written in enumerate(("", " ", "one ", "", "two"))
    ]
    assert [caption.text for caption in captions_of(heard, "")] == ["one two"]
    assert captions_of(heard[:2], "") == []


def test_memory_is_bounded() -> None:
    transcript = Transcript()
    for number in range(10 * MAX_PIECES):
        transcript.piece(piece("x", utterance_id=str(number)))
    assert len(transcript._pieces) == MAX_PIECES


def test_captions_name_who_says_them_and_nothing_breaks_out_of_that() -> None:
    transcript = Transcript()
    transcript.piece(piece("a < b & c."))
    cues = captions_of(said(transcript, words("a < b & c.")), "<v Eve>&\n-->")
    [cue] = webvtt(cues).split("\n\n")[1:]
    assert "<v &lt;v Eve&gt;&amp; --&gt;>a <00:00:01.300>&lt;" in cue
    assert cue.count("-->") == 1


@given(st.text(max_size=200), st.integers(1, 30))
def test_what_is_kept_is_what_was_written_so_far(text: str, heard: int) -> None:
    transcript = Transcript()
    transcript.piece(piece(text))
    heard_words = said(transcript, words(text)[:heard])
    if text.split():
        assert text.startswith("".join(one.written for one in heard_words))
    for caption in captions_of(heard_words, "Ada"):
        assert caption.start_ms <= caption.end_ms
        assert caption.speaker == "Ada"
