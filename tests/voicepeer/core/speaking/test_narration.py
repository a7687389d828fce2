"""What RTVI is told of an utterance, from its first piece to its end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.messages import (
    Accepted,
    Cancelled,
    Caption,
    Done,
    Failed,
    ServerMessage,
    Started,
    Word,
)
from voicepeer.core.rtvi import (
    BotOutput,
    BotStartedSpeaking,
    BotStoppedSpeaking,
    BotTtsStarted,
    BotTtsStopped,
    BotTtsText,
    Error,
    Metric,
    Metrics,
)
from voicepeer.core.speaking.narration import Narration

pytestmark = pytest.mark.unit

TEXT = "Hello there. It is me!"


def piece(text: str, start: int, utterance_id: str = "u") -> Caption:
    return Caption(
        utterance_id=utterance_id,
        text=text,
        start_ms=0.0,
        char_start=start,
        char_end=start + len(text),
    )


def word(text: str, start: int, utterance_id: str = "u") -> Word:
    return Word(
        utterance_id=utterance_id,
        text=text,
        start_ms=0.0,
        end_ms=1.0,
        char_start=start,
        char_end=start + len(text),
    )


def started(utterance_id: str = "u") -> Started:
    return Started(utterance_id=utterance_id, latency_ms=120.0)


def done(rtf: float | None = 0.5, utterance_id: str = "u") -> Done:
    return Done(
        utterance_id=utterance_id, audio_ms=2_000.0, first_audible_ms=120.0, rtf=rtf, underruns=0
    )


def progress(messages: list[ServerMessage]) -> list[tuple[int | None, str | None, str, str]]:
    """Segment, status, heard and not heard of each output."""
    return [
        (
            one.segment_id,
            one.spoken_status,
            one.spoken_progress.accumulated_text,
            one.spoken_progress.remaining_text,
        )
        for one in messages
        if isinstance(one, BotOutput) and one.spoken_progress is not None
    ]


def test_an_utterance_is_told_in_the_order_in_which_clients_expect_it() -> None:
    narration = Narration("kokoro")
    assert narration.tell(Accepted(utterance_id="u", queued=0)) == []
    assert narration.piece(piece("Hello there.", 0)) == [BotTtsStarted()]
    first = narration.tell(started())
    assert first[:2] == [
        BotStartedSpeaking(),
        Metrics(ttfb=[Metric(processor="kokoro", value=0.12)]),
    ]
    assert progress(first) == [(1, "new", "", "Hello there.")]
    heard = narration.tell(word("Hello", 0))
    assert heard[0] == BotTtsText(text="Hello")
    assert progress(heard) == [(1, "in-progress", "Hello", " there.")]
    assert progress(narration.piece(piece("It is me!", 13))) == [(2, "new", "", "It is me!")]
    assert progress(narration.tell(word("there", 6))) == [(1, "completed", "Hello there.", "")]
    for text, start in (("It", 13), ("is", 16)):
        assert progress(narration.tell(word(text, start)))[0][:2] == (2, "in-progress")
    assert progress(narration.tell(word("me", 19))) == [(2, "completed", "It is me!", "")]
    assert narration.tell(done()) == [
        Metrics(
            processing=[Metric(processor="kokoro", value=1.0)],
            characters=[Metric(processor="kokoro", value=21.0)],
        ),
        BotTtsStopped(),
        BotStoppedSpeaking(),
    ]


def test_a_segment_whose_last_word_was_not_marked_is_completed_by_the_next_word() -> None:
    narration = Narration("e")
    narration.piece(piece("One 2.", 0))
    narration.piece(piece("Three.", 7))
    narration.tell(started())
    narration.tell(word("One", 0))
    assert progress(narration.tell(word("Three", 7))) == [
        (1, "completed", "One 2.", ""),
        (2, "completed", "Three.", ""),
    ]


def test_the_end_completes_what_had_no_marks() -> None:
    narration = Narration("e")
    narration.piece(piece("Hm 7", 0))
    narration.tell(started())
    narration.tell(word("Hm", 0))
    assert progress(narration.tell(done())) == [(1, "completed", "Hm 7", "")]


def test_what_is_cut_short_stays_where_it_was() -> None:
    failure = Failed(
        utterance_id="u", code="engine_failed", message="m", played_ms=1.0, retryable=True
    )
    for end, also in (
        (Cancelled(utterance_id="u", played_ms=100.0), []),
        (failure, [Error(error="m", code="engine_failed", utterance_id="u")]),
    ):
        narration = Narration("e")
        narration.piece(piece("Hello there.", 0))
        narration.tell(started())
        narration.tell(word("Hello", 0))
        assert narration.tell(end) == [BotTtsStopped(), BotStoppedSpeaking(), *also]
        assert narration.tell(word("there", 6)) == []


def test_what_was_never_heard_never_spoke() -> None:
    narration = Narration("e")
    narration.piece(piece("Hello.", 0))
    assert narration.tell(Cancelled(utterance_id="u", played_ms=0.0)) == [BotTtsStopped()]
    assert narration.tell(Cancelled(utterance_id="unknown", played_ms=0.0)) == []


def test_a_piece_that_is_made_anew_is_told_once() -> None:
    narration = Narration("e")
    assert narration.piece(piece("Hello.", 0)) == [BotTtsStarted()]
    assert narration.piece(piece("Hello.", 0)) == []
    assert len(progress(narration.tell(started()))) == 1


def test_two_utterances_do_not_mix() -> None:
    narration = Narration("e")
    narration.piece(piece("One.", 0, "a"))
    narration.piece(piece("Two.", 0, "b"))
    narration.tell(started("a"))
    assert progress(narration.tell(word("One", 0, "a"))) == [(1, "completed", "One.", "")]
    narration.tell(done(utterance_id="a"))
    assert progress(narration.tell(started("b"))) == [(2, "new", "", "Two.")]


def test_clients_of_rtvi_1_get_no_output_that_they_could_not_read() -> None:
    narration = Narration("e", outputs=False)
    told = narration.piece(piece("Hello there.", 0)) + narration.tell(started())
    told += narration.tell(word("Hello", 0)) + narration.piece(piece("Again.", 13))
    told += narration.tell(done(None))
    assert [type(one) for one in told] == [
        BotTtsStarted, BotStartedSpeaking, Metrics, BotTtsText, BotTtsStopped, BotStoppedSpeaking,
    ]  # fmt: skip


@given(st.lists(st.text("ab. ", min_size=1, max_size=6), min_size=1, max_size=6), st.data())
def test_progress_never_goes_back_and_always_adds_up(texts: list[str], data: st.DataObject) -> None:
    narration = Narration("e")
    told: list[ServerMessage] = []
    at = 0
    for text in texts:
        told += narration.piece(piece(text, at))
        at += len(text)
    told += narration.tell(started())
    starts = data.draw(st.lists(st.integers(0, at), max_size=8).map(sorted))
    for start in starts:
        told += narration.tell(word("x" * data.draw(st.integers(1, 4)), start))
    told += narration.tell(done())
    outputs = [one for one in told if isinstance(one, BotOutput)]
    for one in outputs:
        assert one.spoken_progress is not None
        whole = one.spoken_progress.accumulated_text + one.spoken_progress.remaining_text
        assert whole == one.text
    for number in range(1, len(texts) + 1):
        mine = [one.spoken_status for one in outputs if one.segment_id == number]
        assert mine[0] == "new"
        assert mine.count("completed") == 1
        assert mine[-1] == "completed"
