from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import ControlRanges, Controls, WordMark
from voicepeer.core.errors import AtCapacity, EngineFailed, TextRejected
from voicepeer.core.messages import Accepted, Cancelled, Done, Failed, Started
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.language import AUTO
from voicepeer.core.speaking.order import Abilities, Order
from voicepeer.core.speaking.phase import Phase
from voicepeer.core.speaking.queue import REMEMBERED_IDS, UtteranceQueue
from voicepeer.core.speaking.ssml import text_of
from voicepeer.core.speaking.utterance import Event, Utterance

pytestmark = pytest.mark.unit


def jobs(queue: UtteranceQueue) -> list[Job]:
    taken: list[Job] = []
    while (job := queue.take()) is not None:
        taken.append(job)
    return taken


def spoken(queue: UtteranceQueue) -> list[str]:
    return [job.spoken.text for job in jobs(queue)]


def opened(queue: UtteranceQueue, utterance_id: str = "u") -> Utterance:
    utterance = queue.get(utterance_id)
    assert utterance is not None
    return utterance


def test_a_whole_text_is_accepted_spoken_and_done() -> None:
    queue = UtteranceQueue()
    accepted = queue.speak("u", "Hello there. How are you?", now=10.0)
    assert accepted == [Accepted(utterance_id="u", queued=0)]
    first, second = jobs(queue)
    assert (first.segment.text, first.first, first.last) == ("Hello there.", True, False)
    assert (second.segment.text, second.first, second.last) == ("How are you?", False, True)
    utterance = first.utterance
    utterance.synthesized(audio_ms=800.0, busy_ms=200.0)
    assert not utterance.all_synthesized
    utterance.synthesized(audio_ms=1200.0, busy_ms=300.0)
    assert utterance.all_synthesized
    started = utterance.heard(now=10.125)
    assert started == [Started(utterance_id="u", latency_ms=125.0)]
    assert utterance.played_out(audio_ms=2000.0, underruns=1) == [
        Done(
            utterance_id="u",
            audio_ms=2000.0,
            first_audible_ms=125.0,
            rtf=0.25,
            underruns=1,
        )
    ]
    assert utterance.phase is Phase.DONE


def test_it_starts_only_once() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "Hi.", now=0.0)
    utterance = opened(queue)
    assert len(utterance.heard(now=1.0)) == 1
    assert utterance.heard(now=2.0) == []


def test_streamed_text_is_spoken_by_the_clause() -> None:
    queue = UtteranceQueue()
    assert queue.append("u", "Hello th", now=0.0) == [Accepted(utterance_id="u", queued=0)]
    assert jobs(queue) == []
    assert queue.append("u", "ere. And", now=1.0) == []
    assert spoken(queue) == ["Hello there."]
    queue.flush("u", now=2.0)
    assert spoken(queue) == ["And"]
    queue.append("u", " more", now=3.0)
    queue.end("u", now=4.0)
    (last,) = jobs(queue)
    assert (last.spoken.text, last.last, last.piece.start) == ("more", True, 17)


def test_latency_counts_from_the_text_that_made_it_speakable() -> None:
    queue = UtteranceQueue()
    queue.append("u", "Hello the", now=0.0)
    queue.append("u", "re. ", now=5.0)
    assert opened(queue).heard(now=5.25) == [Started(utterance_id="u", latency_ms=250.0)]


@pytest.mark.parametrize("text", ["", " ", "...", "—", "😊👍", "\u200b", "\ud800", "**", "<b></b>"])
def test_nothing_to_say_is_done_without_audio(text: str) -> None:
    queue = UtteranceQueue()
    queue.speak("u", text, now=0.0)
    assert jobs(queue) == []
    utterance = opened(queue)
    assert utterance.all_synthesized
    assert utterance.played_out(audio_ms=0.0, underruns=0) == [
        Done(utterance_id="u", audio_ms=0.0, first_audible_ms=None, rtf=None, underruns=0)
    ]


def test_silent_pieces_at_the_end_leave_the_last_job_marked_as_last() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "... Hello there. 😊 \n\n — ", now=0.0)
    (job,) = jobs(queue)
    assert (job.spoken.text, job.first, job.last) == ("Hello there.", True, True)


def test_cancel_reports_what_was_played_and_gives_no_more_work() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "Hello there. How are you?", now=0.0)
    first = queue.take()
    assert first is not None
    assert first.utterance.cancel(played_ms=420.0) == [Cancelled(utterance_id="u", played_ms=420.0)]
    assert queue.take() is None


def test_failure_says_whose_fault_and_whether_to_retry() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "Hello.", now=0.0)
    events = opened(queue).fail(EngineFailed("the engine stopped"), played_ms=80.0, retryable=True)
    assert events == [
        Failed(
            utterance_id="u",
            code="engine_failed",
            message="the engine stopped",
            played_ms=80.0,
            retryable=True,
        )
    ]


@pytest.mark.parametrize("last", ["done", "cancelled", "failed"])
def test_after_its_end_nothing_more_happens(last: str) -> None:
    queue = UtteranceQueue()
    queue.speak("u", "Hello.", now=0.0)
    utterance = opened(queue)
    ends: dict[str, Callable[[], list[Event]]] = {
        "done": lambda: utterance.played_out(100.0, 0),
        "cancelled": lambda: utterance.cancel(50.0),
        "failed": lambda: utterance.fail(EngineFailed("no"), 0.0, retryable=False),
    }
    assert len(ends[last]()) == 1
    assert [end() for end in ends.values()] == [[], [], []]
    assert utterance.heard(now=1.0) == []
    assert utterance.take() is None


def test_an_open_utterance_is_not_done_when_it_runs_dry() -> None:
    queue = UtteranceQueue()
    queue.append("u", "Hello there. ", now=0.0)
    jobs(queue)
    utterance = opened(queue)
    utterance.synthesized(500.0, 100.0)
    assert not utterance.all_synthesized
    assert utterance.played_out(500.0, 0) == []


def test_text_after_the_end_is_refused() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "Hello.", now=0.0)
    with pytest.raises(TextRejected, match="has ended"):
        queue.append("u", "more", now=1.0)


def test_late_text_for_a_cancelled_utterance_is_not_spoken_anew() -> None:
    queue = UtteranceQueue()
    queue.append("u", "Hello there. ", now=0.0)
    utterance = opened(queue)
    utterance.cancel(0.0)
    queue.remove(utterance)
    with pytest.raises(TextRejected, match="used before"):
        queue.append("u", "and on it goes", now=1.0)
    with pytest.raises(TextRejected, match="no utterance 'u'"):
        queue.flush("u", now=1.0)
    with pytest.raises(TextRejected, match="no utterance 'u'"):
        queue.end("u", now=1.0)


def test_an_id_is_used_once() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "Hello.", now=0.0)
    with pytest.raises(TextRejected, match="used before"):
        queue.speak("u", "Hello again.", now=1.0)


def test_finished_ids_are_forgotten_in_the_end() -> None:
    queue = UtteranceQueue()
    for number in range(REMEMBERED_IDS + 1):
        queue.open(str(number), now=0.0)
        queue.remove(opened(queue, str(number)))
    queue.open("0", now=0.0)
    with pytest.raises(TextRejected):
        queue.open("1", now=0.0)


def test_utterances_are_spoken_in_order_and_ahead_of_time() -> None:
    queue = UtteranceQueue()
    queue.append("a", "First one. ", now=0.0)
    assert queue.speak("b", "Second one.", now=0.0) == [Accepted(utterance_id="b", queued=1)]
    assert spoken(queue) == ["First one."], "a may still go on"
    queue.end("a", now=1.0)
    assert spoken(queue) == ["Second one."]
    assert queue.current is opened(queue, "a")
    queue.remove(opened(queue, "a"))
    assert queue.current is opened(queue, "b")


def test_an_interruption_silences_all_and_makes_room() -> None:
    queue = UtteranceQueue(max_utterances=2)
    queue.speak("a", "One.", now=0.0)
    queue.speak("b", "Two.", now=0.0)
    assert queue.interrupt({"a": 120.0}) == [
        Cancelled(utterance_id="a", played_ms=120.0),
        Cancelled(utterance_id="b", played_ms=0.0),
    ]
    assert len(queue) == 0
    queue.speak("c", "Three.", now=1.0)
    assert spoken(queue) == ["Three."]


def test_too_many_utterances_are_refused() -> None:
    queue = UtteranceQueue(max_utterances=2)
    queue.speak("a", "One.", now=0.0)
    queue.speak("b", "Two.", now=0.0)
    with pytest.raises(AtCapacity, match="2 utterances"):
        queue.speak("c", "Three.", now=0.0)
    assert [utterance.utterance_id for utterance in queue] == ["a", "b"]
    queue.remove(opened(queue, "a"))
    queue.speak("c", "Three.", now=0.0)


def test_too_much_text_is_refused_whole() -> None:
    queue = UtteranceQueue(max_chars=20)
    queue.speak("a", "0123456789", now=0.0)
    with pytest.raises(AtCapacity, match="20 characters"):
        queue.append("b", "01234567890", now=0.0)
    assert len(queue) == 1
    assert queue.chars == 10


@pytest.mark.parametrize("how", ["speak", "append"])
def test_an_utterance_that_is_too_long_leaves_nothing_behind(how: str) -> None:
    queue = UtteranceQueue(max_utterance_chars=10)
    with pytest.raises(TextRejected, match="10 characters"):
        getattr(queue, how)("u", "01234567890", now=0.0)
    assert len(queue) == 0
    queue.speak("u", "0123456789", now=0.0)


def test_too_long_a_stream_keeps_what_it_had() -> None:
    queue = UtteranceQueue(max_utterance_chars=20)
    queue.append("u", "Hello there. ", now=0.0)
    with pytest.raises(TextRejected):
        queue.append("u", "0123456789", now=0.0)
    queue.end("u", now=0.0)
    assert spoken(queue) == ["Hello there."]


def test_controls_and_language_go_with_the_job() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "Bonjour.", now=0.0, order=Order("FR", Delivery(speed=1.5)))
    job = queue.take()
    assert job is not None
    assert job.segment.language == "fr"
    assert job.controls.speed == 1.5


def test_controls_that_change_count_from_the_next_piece_on() -> None:
    queue = UtteranceQueue(abilities=Abilities(ControlRanges(speed=(0.5, 2.0))))
    queue.speak("u", "Hello there. How are you?", now=0.0)
    first = queue.take()
    opened(queue).delivery = Delivery(speed=1.9, emotion="fearful")
    second = queue.take()
    assert first is not None
    assert second is not None
    assert first.controls == Controls()
    assert second.controls == Controls(speed=2.0), "held to what the engine can do"


def ids(queue: UtteranceQueue) -> list[str]:
    return [utterance.utterance_id for utterance in queue]


def test_the_more_urgent_goes_before_what_nobody_has_heard() -> None:
    queue = UtteranceQueue()
    for name, priority in (("a", 0), ("b", 0), ("c", 5), ("d", 9), ("e", 5), ("f", 0)):
        (accepted,) = queue.speak(name, f"{name}.", now=0.0, order=Order(priority=priority))
        assert isinstance(accepted, Accepted)
        assert ids(queue)[accepted.queued] == name
    assert ids(queue) == ["d", "c", "e", "a", "b", "f"]
    assert spoken(queue) == ["d.", "c.", "e.", "a.", "b.", "f."]


def test_what_is_being_spoken_is_not_put_off() -> None:
    queue = UtteranceQueue()
    queue.speak("a", "One. Two.", now=0.0)
    queue.take()
    queue.speak("b", "Three.", now=0.0, order=Order(priority=9))
    assert ids(queue) == ["a", "b"]


@pytest.mark.parametrize("priority", [-1, 10])
def test_a_priority_out_of_range_is_refused(priority: int) -> None:
    queue = UtteranceQueue()
    with pytest.raises(TextRejected, match="priority can be 0 to 9"):
        queue.speak("a", "One.", now=0.0, order=Order(priority=priority))
    assert len(queue) == 0


def test_what_nobody_heard_can_start_over() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "Hello there. How are you? Fine.", now=0.0)
    first, second = queue.take(), queue.take()
    assert first is not None
    assert second is not None
    opened(queue).rewind()
    again = jobs(queue)
    assert [job.spoken.text for job in again] == ["Hello there.", "How are you?", "Fine."]
    assert [job.index for job in again] == [0, 1, 2]
    assert again[0].first
    assert again[-1].last


def test_what_was_heard_does_not_start_over() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "Hello there. How are you?", now=0.0)
    queue.take()
    opened(queue).heard(now=1.0)
    opened(queue).rewind()
    assert spoken(queue) == ["How are you?"]


def test_a_word_points_at_the_written_text() -> None:
    text = "Hi. We paid $5 today."
    queue = UtteranceQueue()
    queue.speak("u", text, now=0.0)
    job = jobs(queue)[1]
    at = job.spoken.text.index("dollars")
    mark = WordMark("dollars", start_ms=300.0, end_ms=600.0, char_start=at, char_end=at + 7)
    word = job.word(mark, segment_start_ms=1000.0)
    assert (word.start_ms, word.end_ms) == (1300.0, 1600.0)
    assert text[word.char_start : word.char_end] == "$5"
    assert word.text == "dollars"


@given(
    st.lists(
        st.sampled_from(["append", "flush", "end", "take", "made", "heard", "out", "cancel"]),
        max_size=25,
    )
)
def test_whatever_happens_it_ends_at_most_once_and_starts_at_most_once(steps: list[str]) -> None:
    queue = UtteranceQueue()
    queue.open("u", now=0.0)
    utterance = opened(queue)
    events: list[Event] = []
    for now, step in enumerate(steps):
        match step:
            case "append" if utterance.phase is Phase.OPEN:
                utterance.append("Well, so it goes. ", now)
            case "flush":
                utterance.flush(now)
            case "end":
                utterance.end(now)
            case "take":
                utterance.take()
            case "made":
                utterance.synthesized(80.0, 10.0)
            case "heard":
                events += utterance.heard(now)
            case "out":
                events += utterance.played_out(80.0, 0)
            case "cancel":
                events += utterance.cancel(0.0)
            case _:
                pass
    assert sum(isinstance(event, Done | Cancelled) for event in events) == utterance.is_over
    assert sum(isinstance(event, Started) for event in events) <= 1
    if utterance.is_over and events:
        assert isinstance(events[-1], Done | Cancelled)


def test_held_text_is_spoken_when_no_more_comes_for_a_while() -> None:
    queue = UtteranceQueue(idle_s=0.4)
    assert queue.next_deadline_s() is None
    queue.append("u", "well then", now=1.0)
    assert queue.next_deadline_s() == pytest.approx(1.4)
    queue.release(now=1.39)
    assert jobs(queue) == []
    queue.release(now=1.4)
    assert spoken(queue) == ["well then"]
    assert queue.next_deadline_s() is None


def test_more_text_puts_the_release_off() -> None:
    queue = UtteranceQueue(idle_s=0.4)
    queue.append("u", "well", now=1.0)
    queue.append("u", " then", now=1.3)
    queue.release(now=1.5)
    assert jobs(queue) == []
    assert queue.next_deadline_s() == pytest.approx(1.7)


def test_what_may_be_half_a_number_waits_longer() -> None:
    queue = UtteranceQueue(idle_s=0.4)
    queue.append("u", "It costs 3.", now=1.0)
    queue.release(now=1.4)
    assert jobs(queue) == []
    assert queue.next_deadline_s() == pytest.approx(2.2)
    queue.append("u", "50", now=2.0)
    queue.release(now=3.1)
    assert jobs(queue) == []
    queue.release(now=3.2)
    assert spoken(queue) == ["It costs three point five zero"]


def test_nothing_is_due_once_the_text_has_ended() -> None:
    queue = UtteranceQueue()
    queue.append("u", "well", now=1.0)
    queue.end("u", now=1.1)
    assert queue.next_deadline_s() is None


MARKUP = (
    'One two. <break time="300ms"/> <prosody rate="50%">Three</prosody> '
    '<sub alias="fore">4</sub> <emphasis>five.</emphasis>'
)


def spoken_or_pause(queue: UtteranceQueue) -> list[str | float]:
    return [job.pause_ms or job.spoken.text for job in jobs(queue)]


@pytest.mark.parametrize("step", [1, 5, 1_000])
def test_markup_is_cut_where_its_manner_changes(step: int) -> None:
    queue = UtteranceQueue()
    for at in range(0, len(MARKUP), step):
        queue.append("u", MARKUP[at : at + step], now=0.0, order=Order(ssml=True))
    queue.end("u", now=0.0)
    taken = jobs(queue)
    assert [job.pause_ms or job.spoken.text for job in taken] == [
        "One two.",
        300.0,
        "Three",
        "fore",
        "five.",
    ]
    assert [job.controls.speed for job in taken] == [1.0, 1.0, 0.5, 1.0, pytest.approx(0.92)]
    assert taken[-1].last


def test_offsets_of_markup_count_in_its_text() -> None:
    queue = UtteranceQueue()
    queue.speak("u", MARKUP, now=0.0, order=Order(ssml=True))
    text = text_of(MARKUP)
    (job,) = (job for job in jobs(queue) if job.spoken.text == "fore")
    word = job.word(WordMark("fore", 0.0, 1.0, 0, 4), 0.0)
    assert text[word.char_start : word.char_end] == "4"


@pytest.mark.parametrize("whole", [True, False])
def test_bad_markup_leaves_no_utterance_behind(whole: bool) -> None:
    queue = UtteranceQueue()
    with pytest.raises(TextRejected, match="bad SSML at line 1, column 3"):
        (queue.speak if whole else queue.append)("u", "a <b>", now=0.0, order=Order(ssml=True))
    assert len(queue) == 0
    assert queue.speak("u", "Fine.", now=0.0)


def test_markup_that_is_never_closed_is_refused_at_its_end_and_its_text_spoken() -> None:
    queue = UtteranceQueue()
    queue.append("u", "One <emphasis>two", now=0.0, order=Order(ssml=True))
    with pytest.raises(TextRejected, match="mismatched tag"):
        queue.end("u", now=0.0)
    assert spoken(queue) == ["One", "two"]
    assert opened(queue).all_taken


def test_markup_counts_to_the_length_of_an_utterance() -> None:
    queue = UtteranceQueue(max_utterance_chars=30)
    with pytest.raises(TextRejected, match="may have 30 characters"):
        queue.speak("u", "<break/>" * 4, now=0.0, order=Order(ssml=True))
    queue.append("v", "<break/>" * 3, now=0.0, order=Order(ssml=True))
    with pytest.raises(TextRejected, match="with its markup"):
        queue.append("v", "<break/>", now=0.0)


def test_phonemes_are_refused_where_the_engine_takes_none() -> None:
    queue = UtteranceQueue(abilities=Abilities(ipa=False))
    with pytest.raises(TextRejected, match="takes no phonemes"):
        queue.speak("u", "<phoneme ph='a'>x</phoneme>", now=0.0, order=Order(ssml=True))


def test_a_pause_that_was_taken_comes_again_after_a_rewind() -> None:
    queue = UtteranceQueue()
    queue.speak("u", "One.<break/>Two.", now=0.0, order=Order(ssml=True))
    first = spoken_or_pause(queue)
    opened(queue).rewind()
    assert spoken_or_pause(queue) == first == ["One.", 400.0, "Two."]


def test_the_language_is_found_out_piece_by_piece() -> None:
    supported = frozenset({"en-us", "fr", "es", "zh"})
    queue = UtteranceQueue(abilities=Abilities(languages=supported))
    text = "Le train part à midi. 12:30. Je ne sais pas où il est. 你好。"
    queue.speak("u", text, now=0.0, order=Order(AUTO))
    assert [job.segment.language for job in jobs(queue)] == ["fr", "fr", "fr", "zh"]


@pytest.mark.parametrize(
    ("text", "languages"),
    [
        ("Das ist nicht gut für uns. Wir gehen jetzt.", ["de", "de"]),
        ("Please listen to them. Das ist nicht gut für uns.", ["en-us", "en-us"]),
        ("Guten Morgen! How are you?", ["en-us", "en-us"]),
        ("Привет, как дела?", ["ru"]),
    ],
)
def test_a_language_that_is_lacking_is_passed_on_only_where_nothing_else_was_said(
    text: str, languages: list[str]
) -> None:
    queue = UtteranceQueue(abilities=Abilities(languages=frozenset({"en-us", "fr", "pt-br"})))
    queue.speak("u", text, now=0.0, order=Order(AUTO))
    assert [job.segment.language for job in jobs(queue)] == languages


def test_a_mixed_sentence_goes_to_the_engine_with_its_languages() -> None:
    queue = UtteranceQueue(abilities=Abilities(languages=frozenset({"en-us", "zh"})))
    queue.speak("u", "I said 你好 to her.", now=0.0)
    (job,) = jobs(queue)
    assert [span.language for span in job.segment.languages] == ["zh"]


LANGUAGES_OF_MIXED = "Well, Dr. Jones paid $3.5 million, or about €3.2M, on August 17, 2026! "


def test_five_thousand_words_are_heard_once_and_in_order() -> None:
    text = "".join(
        f"{LANGUAGES_OF_MIXED}Number {i}, see https://example.com/{i}?a=1.2, 今天是{i}号。 "
        for i in range(300)
    )
    assert len(text.split()) > 4_500
    queue = UtteranceQueue(abilities=Abilities(languages=frozenset({"en-us", "zh"})))
    queue.speak("u", text, now=0.0)
    taken = jobs(queue)
    ends = [0]
    for job in taken:
        assert job.piece.start >= ends[-1]
        assert text[job.piece.start : job.piece.start + len(job.piece.text)] == job.piece.text
        assert not text[ends[-1] : job.piece.start].strip()
        ends.append(job.piece.start + len(job.piece.text))
    assert not text[ends[-1] :].strip()
    assert taken[-1].last
