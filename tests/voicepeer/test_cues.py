"""What a client is told while it hears speech, in the order in which it is heard."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import Chunk, PhoneMark, WordMark
from voicepeer.core.messages import Caption, ServerMessage, Viseme, Word
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.order import Order
from voicepeer.core.speaking.queue import UtteranceQueue
from voicepeer.cues import CueSheet

pytestmark = pytest.mark.unit

TEXT = "Hello there, you."


def job(order: Order, text: str = TEXT) -> Job:
    queue = UtteranceQueue()
    queue.speak("u", text, 0.0, order)
    taken = queue.take()
    assert taken is not None
    return taken


def chunk(*starts: int) -> Chunk:
    """Words of ``TEXT`` at 100 ms for each character, each with a sound at its middle."""
    words = [WordMark("w", at * 100.0, at * 100.0 + 90.0, at, at + 3) for at in starts]
    phones = [PhoneMark("m", word.start_ms + 50.0, word.end_ms) for word in words]
    return Chunk(np.zeros(1, np.float32), tuple(words), tuple(phones))


def same(message: ServerMessage) -> ServerMessage:
    return message


def test_words_only_unless_more_is_wanted() -> None:
    cues = CueSheet(job(Order()), 0, same).cues(chunk(0, 6, 13))
    assert [type(cue.label) for cue in cues] == [Word, Word, Word]
    assert [cue.at_sample for cue in cues] == [0, 28_800, 62_400]


def test_places_count_from_where_the_speech_of_a_job_begins() -> None:
    (cue,) = CueSheet(job(Order()), 48_000, same).cues(chunk(6))
    assert isinstance(cue.label, Word)
    assert (cue.at_sample, cue.label.start_ms) == (76_800, 1_600.0)


def test_sounds_come_between_the_words() -> None:
    cues = CueSheet(job(Order(visemes=True)), 0, same).cues(chunk(0, 6))
    assert [type(cue.label) for cue in cues] == [Word, Viseme, Word, Viseme]
    assert [cue.at_sample for cue in cues] == sorted(cue.at_sample for cue in cues)
    viseme = cues[1].label
    assert isinstance(viseme, Viseme)
    assert (viseme.viseme, viseme.ipa) == ("PP", "m")


def test_a_caption_comes_with_its_first_word_and_once() -> None:
    sheet = CueSheet(job(Order(captions=True)), 0, same)
    first, later = sheet.cues(chunk(0, 6)), sheet.cues(chunk(13))
    assert [type(cue.label) for cue in first] == [Caption, Word, Word]
    assert [type(cue.label) for cue in later] == [Word]
    caption = first[0].label
    assert isinstance(caption, Caption)
    assert (caption.text, caption.start_ms) == (TEXT, 0.0)
    assert (caption.char_start, caption.char_end) == (0, len(TEXT))


def test_a_caption_without_words_is_left_out() -> None:
    text = "a " + "b " * 60 + "c"
    sheet = CueSheet(job(Order(captions=True), text), 0, same)
    late = WordMark("c", 500.0, 600.0, len(sheet._job.piece.text) - 1, len(sheet._job.piece.text))
    cues = sheet.cues(Chunk(np.zeros(1, np.float32), (late,)))
    assert [type(cue.label) for cue in cues] == [Caption, Word]


def test_every_message_is_told_as_the_client_counts() -> None:
    seen: list[ServerMessage] = []

    def told(message: ServerMessage) -> ServerMessage:
        seen.append(message)
        return message

    CueSheet(job(Order(visemes=True, captions=True)), 0, told).cues(chunk(0))
    assert {type(message) for message in seen} == {Word, Viseme, Caption}
