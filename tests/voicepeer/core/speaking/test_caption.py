from __future__ import annotations

import re
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.messages import Word
from voicepeer.core.speaking.caption import (
    LINE_CHARS,
    MAX_LINES,
    MAX_MS,
    MIN_MS,
    Caption,
    TimedWord,
    blocks,
    captions,
    webvtt,
)

pytestmark = pytest.mark.unit


def words_of(source: str, word_ms: float = 300.0, pause_ms: float = 0.0) -> list[Word]:
    """Words as they would be heard one after the other."""
    words, at = [], 0.0
    for match in re.finditer(r"[\w'%$.]*\w", source):
        words.append(word(match.group(), at, at + word_ms, *match.span()))
        at += word_ms + pause_ms
    return words


def word(text: str, start_ms: float, end_ms: float, start: int, end: int) -> Word:
    return Word(
        utterance_id="u",
        text=text,
        start_ms=start_ms,
        end_ms=end_ms,
        char_start=start,
        char_end=end,
    )


def shown(source: str, **how: float) -> list[str]:
    return [cue.text for cue in captions(source, words_of(source, **how))]


def test_sentences_are_captions_with_their_marks() -> None:
    assert shown("“Hello there!” How are you?") == ["“Hello there!”", "How are you?"]


def test_long_sentences_are_cut_at_words_to_two_lines() -> None:
    source = "This sentence is long enough to need more than two lines on a screen, " * 3
    cut = shown(source.strip(), word_ms=150.0)
    assert len(cut) > 2
    assert " ".join(cut) == source.strip()
    assert all(len(textwrap.wrap(one, LINE_CHARS)) <= MAX_LINES for one in cut)


def test_no_caption_stands_longer_than_it_should() -> None:
    source = " ".join(["word"] * 12)
    cues = captions(source, words_of(source, word_ms=1_500.0))
    assert all(cue.end_ms - cue.start_ms <= MAX_MS for cue in cues)


def test_an_abbreviation_ends_no_caption() -> None:
    assert shown("Meet Dr. Jones at 6. Then go.") == ["Meet Dr. Jones at 6.", "Then go."]
    assert [*blocks("Meet Dr. Jones at 6. Then go.")] == [(0, 21), (21, 29)]


def test_a_long_pause_ends_a_caption() -> None:
    assert shown("one two", pause_ms=900.0) == ["one", "two"]


def test_what_is_written_is_shown_and_not_what_is_said_for_it() -> None:
    source = "It was 98.6% true."
    said = "It was ninety eight point six percent true".split()
    spans = [(0, 2), (3, 6), *[(7, 12)] * 5, (13, 17)]
    words = [
        word(text, 100.0 * i, 100.0 * i + 90.0, *span)
        for i, (text, span) in enumerate(zip(said, spans, strict=True))
    ]
    (cue,) = captions(source, words)
    assert cue.text == source
    assert cue.words[2] == TimedWord("98.6%", 200.0, 690.0)


def test_a_short_caption_stands_long_enough_unless_another_follows() -> None:
    (alone,) = captions("Hi.", [word("Hi", 0.0, 200.0, 0, 2)])
    assert alone.end_ms == MIN_MS
    first, _ = captions("Hi. Ho.", [word("Hi", 0, 200, 0, 2), word("Ho", 300, 500, 4, 6)])
    assert first.end_ms == 300.0


def test_no_words_no_captions() -> None:
    assert captions("...", []) == []
    assert webvtt([]) == "WEBVTT\n"


def test_webvtt_has_a_time_for_each_word_and_nothing_that_is_markup() -> None:
    source = "Tom & <b>Jerry</b> --> went."
    cues = [Caption(source, 61_000.0, 3_661_500.0, 0, len(source))]
    assert webvtt(cues) == (
        "WEBVTT\n\n00:01:01.000 --> 01:01:01.500\nTom &amp; &lt;b&gt;Jerry&lt;/b&gt; --&gt; went.\n"
    )
    timed = webvtt(captions("One two.", words_of("One two.")))
    assert timed.endswith("00:00:00.000 --> 00:00:00.700\nOne <00:00:00.300>two.\n")


text_like = st.text(alphabet=st.sampled_from(list("ab .,!?\n-“”。你<&9")), max_size=200)


@given(text_like)
def test_captions_show_every_word_once_in_order_and_never_overlap(source: str) -> None:
    words = words_of(source)
    cues = captions(source, words)
    for cue in cues:
        assert " ".join(source[cue.char_start : cue.char_end].split()) == cue.text
        assert cue.start_ms < cue.end_ms
    for one, other in zip(cues, cues[1:], strict=False):
        assert one.end_ms <= other.start_ms
        assert one.char_end <= other.char_start
    assert sum(len(cue.words) for cue in cues) == len(words)
    file = webvtt(cues)
    assert file.count(" --> ") == len(cues)
    payload = "".join(
        re.sub(r"<[^>]*>", "", line) for line in file.split("\n") if "-->" not in line
    )
    assert "<" not in payload


@given(text_like)
def test_blocks_cover_a_text_and_fit_on_a_screen(text: str) -> None:
    cut = blocks(text)
    assert "".join(text[start:end] for start, end in cut).strip() == text.strip()
    for start, end in cut[:-1]:
        assert text[start:end].strip()


def test_blocks_end_with_sentences() -> None:
    text = "One two. Three four! Five"
    assert [text[start:end] for start, end in blocks(text)] == ["One two. ", "Three four! ", "Five"]
