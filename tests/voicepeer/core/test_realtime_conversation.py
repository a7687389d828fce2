"""The conversation on an ``oai-events`` channel, with the session played by the test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import pytest

from voicepeer.core import realtime as events
from voicepeer.core.envelope import MAX_MESSAGE_BYTES
from voicepeer.core.errors import AtCapacity, TextRejected
from voicepeer.core.messages import (
    Accepted,
    Cancel,
    Cancelled,
    ClientMessage,
    Done,
    Failed,
    SessionConfigure,
    SessionConfigured,
    SessionEnding,
    SetControls,
    Speak,
    Started,
    VoiceSelected,
    VoiceUsable,
    VoiceUse,
    Word,
)
from voicepeer.core.realtime import BadEvent, RealtimeClientEvent, RealtimeServerEvent, encode_event
from voicepeer.core.realtime_conversation import InEffect, RealtimeConversation, Step
from voicepeer.core.realtime_items import (
    NO_MODEL,
    AudioInputPatch,
    AudioOutputPatch,
    AudioPatch,
    ContentPart,
    Item,
    SessionPatch,
    TurnDetection,
)
from voicepeer.core.realtime_texts import MAX_ITEMS, MAX_TEXT_BYTES
from voicepeer.core.rtvi import UserStartedSpeaking, UserStoppedSpeaking

pytestmark = pytest.mark.unit

EventT = TypeVar("EventT", bound=RealtimeServerEvent)
HELLO = "Hello there, friend!"


@dataclass
class Talk:
    """A conversation whose requests are all granted at once, as a session that is idle does."""

    conversation: RealtimeConversation = field(
        default_factory=lambda: RealtimeConversation("5e55", "tok", InEffect("mid"), 100.0)
    )
    told: list[RealtimeServerEvent] = field(default_factory=list)
    requests: list[ClientMessage] = field(default_factory=list)

    def ask(self, event: RealtimeClientEvent) -> list[RealtimeServerEvent]:
        step = self.conversation.take(event)
        before = len(self.told)
        for request in step.requests:
            self.requests.append(request.message)
            match request.message:
                case Speak(utterance_id=name):
                    self.hear(Accepted(utterance_id=name, queued=0))
                case Cancel(utterance_id=name):
                    self.hear(Cancelled(utterance_id=name, played_ms=700.0))
                case VoiceUse(voice_id=voice_id):
                    self.hear(VoiceSelected(voice_id=voice_id, name=voice_id))
                case SessionConfigure(barge_in=bool(on)):
                    self.hear(SessionConfigured(barge_in=on, barge_in_min_ms=300))
                case _:
                    pass
        self.told += step.then()
        return self.told[before:]

    def hear(self, *messages: object, now: float = 101.0) -> list[RealtimeServerEvent]:
        before = len(self.told)
        for message in messages:
            self.told += self.conversation.tell(message, now)  # type: ignore[arg-type]
        return self.told[before:]

    def say(self, text: str) -> str:
        """Ask for a text; the id of its response."""
        self.ask(events.ResponseCreate(response=events.ResponseParams(instructions=text)))
        speak = self.requests[-1]
        assert isinstance(speak, Speak)
        return speak.utterance_id


def kinds(told: Iterable[RealtimeServerEvent]) -> list[str]:
    return [str(one.__struct_config__.tag) for one in told]


def one(told: Iterable[RealtimeServerEvent], kind: type[EventT]) -> EventT:
    (found,) = [event for event in told if isinstance(event, kind)]
    return found


def text_item(text: str, role: str = "user", item_id: str | None = None) -> Item:
    return Item(id=item_id, role=role, content=[ContentPart(type="input_text", text=text)])


def words(response_id: str, text: str) -> list[Word]:
    """A word event each 300 ms."""
    found, at = [], 0
    for index, word in enumerate(text.split()):
        at = text.index(word, at)
        mark = Word(
            utterance_id=response_id,
            text=word,
            start_ms=300.0 * index,
            end_ms=300.0 * index + 250.0,
            char_start=at,
            char_end=at + len(word.rstrip("!.,")),
        )
        found.append(mark)
    return found


def started(response_id: str) -> Started:
    return Started(utterance_id=response_id, latency_ms=100.0)


def done(response_id: str, audio_ms: float = 900.0) -> Done:
    return Done(
        utterance_id=response_id, audio_ms=audio_ms, first_audible_ms=1.0, rtf=0.1, underruns=0
    )


def transcript(told: Iterable[RealtimeServerEvent]) -> str:
    return "".join(event.delta for event in told if isinstance(event, events.TranscriptDelta))


# --- the session --------------------------------------------------------------------------------


def test_the_first_event_shows_what_is_in_effect_and_that_there_is_no_model() -> None:
    (created,) = Talk().conversation.open()
    assert isinstance(created, events.SessionCreated)
    assert created.session.instructions == NO_MODEL
    assert created.session.audio.output.voice == "mid"
    assert created.session.audio.input
    assert created.session.audio.input.turn_detection is None


def test_settings_become_requests_and_are_shown_once_they_are_granted() -> None:
    talk = Talk()
    told = talk.ask(
        events.SessionUpdate(
            session=SessionPatch(
                audio=AudioPatch(
                    input=AudioInputPatch(turn_detection=TurnDetection()),
                    output=AudioOutputPatch(voice="high", speed=1.3),
                ),
                instructions="You are a pirate.",
            )
        )
    )
    assert talk.requests == [
        VoiceUse(voice_id="high"), SetControls(speed=1.3), SessionConfigure(barge_in=True),
    ]  # fmt: skip
    session = one(told, events.SessionUpdated).session
    assert (session.audio.output.voice, session.audio.output.speed) == ("high", 1.3)
    assert session.audio.input
    assert session.audio.input.turn_detection == TurnDetection()
    assert session.instructions == NO_MODEL


def test_what_is_absent_changes_nothing_and_null_turns_the_detection_off() -> None:
    talk = Talk()
    talk.ask(events.SessionUpdate(session=SessionPatch()))
    assert talk.requests == []
    off = AudioPatch(input=AudioInputPatch(turn_detection=None))
    talk.ask(events.SessionUpdate(session=SessionPatch(audio=off)))
    assert talk.requests == [SessionConfigure(barge_in=False)]


def test_a_learned_voice_is_shown_where_none_was_chosen() -> None:
    learned = VoiceUsable(voice_id="v", heard_s=3, score=1, quality=1, elapsed_ms=1)
    assert Talk().hear(learned) == []
    talk = Talk(RealtimeConversation("5e55", "tok", InEffect(), 100.0))
    session = one(talk.hear(learned), events.SessionUpdated).session
    assert session.audio.output.voice == "v"


# --- responses ----------------------------------------------------------------------------------


def test_a_response_is_told_in_openais_order() -> None:
    talk = Talk()
    told = talk.ask(events.ResponseCreate(response=events.ResponseParams(instructions=HELLO)))
    assert kinds(told) == [
        "response.created", "response.output_item.added", "conversation.item.added",
        "response.content_part.added",
    ]  # fmt: skip
    name = one(told, events.ResponseCreated).response.id
    assert talk.requests == [Speak(utterance_id=name, text=HELLO)]
    told = talk.hear(started(name), *words(name, HELLO), done(name))
    assert kinds(told) == [
        "output_audio_buffer.started",
        *["response.output_audio_transcript.delta"] * 4,
        "response.output_audio.done", "response.output_audio_transcript.done",
        "response.content_part.done", "response.output_item.done", "conversation.item.done",
        "response.done", "output_audio_buffer.stopped",
    ]  # fmt: skip
    assert transcript(told) == HELLO
    over = one(told, events.ResponseDone).response
    assert (over.status, over.output[0].status) == ("completed", "completed")
    assert over.output[0].content[0].transcript == HELLO


def test_words_come_as_they_are_heard() -> None:
    talk = Talk()
    name = talk.say(HELLO)
    first, second, third = words(name, HELLO)
    talk.hear(started(name))
    assert transcript(talk.hear(first)) == "Hello"
    assert transcript(talk.hear(second)) == " there"
    assert talk.hear(second) == [], "nothing is told twice"
    assert transcript(talk.hear(third)) == ", friend"


def test_items_are_said_in_order_and_only_once() -> None:
    talk = Talk()
    for text, role in (("One.", "user"), ("Be nice.", "system"), ("Two.", "assistant")):
        told = talk.ask(events.ItemCreate(item=text_item(text, role)))
        assert kinds(told) == ["conversation.item.added", "conversation.item.done"]
        assert one(told, events.ItemDone).item.status == "completed"
    talk.ask(events.ResponseCreate())
    assert isinstance(talk.requests[-1], Speak)
    assert talk.requests[-1].text == "One. Two."
    with pytest.raises(BadEvent) as refused:
        talk.ask(events.ResponseCreate())
    assert refused.value.code == "nothing_to_say"


def test_input_goes_before_instructions_and_may_refer_to_items() -> None:
    talk = Talk()
    talk.ask(events.ItemCreate(item=text_item("Kept.", item_id="mine")))
    given = [Item(type="item_reference", id="mine"), text_item("New.")]
    params = events.ResponseParams(input=given, instructions="Not this.", conversation="none")
    told = talk.ask(events.ResponseCreate(response=params))
    assert isinstance(talk.requests[-1], Speak)
    assert talk.requests[-1].text == "Kept. New."
    assert "conversation.item.added" not in kinds(told)
    assert one(told, events.ResponseCreated).response.conversation_id is None
    talk.ask(events.ResponseCreate())
    assert isinstance(talk.requests[-1], Speak)
    assert talk.requests[-1].text == "Kept."


def test_voice_speed_and_metadata_of_one_response() -> None:
    talk = Talk()
    output = AudioPatch(output=AudioOutputPatch(voice="high", speed=1.2))
    params = events.ResponseParams(instructions="Hi.", audio=output, metadata={"turn": "7"})
    told = talk.ask(events.ResponseCreate(response=params))
    assert isinstance(talk.requests[-1], Speak)
    assert (talk.requests[-1].voice_id, talk.requests[-1].speed) == ("high", 1.2)
    assert one(told, events.ResponseCreated).response.metadata == {"turn": "7"}


def test_a_refused_response_leaves_everything_as_it_was() -> None:
    talk = Talk()
    talk.ask(events.ItemCreate(item=text_item("Wait.")))
    step = talk.conversation.take(events.ResponseCreate())
    step.undo()
    refused = talk.conversation.refuse(AtCapacity("too much"), "e1", "response")
    assert isinstance(refused, events.ErrorEvent)
    assert refused.error == events.ErrorDetails(
        message="too much", type="server_error", code="at_capacity", param="response", event_id="e1"
    )
    speak = step.requests[0].message
    assert isinstance(speak, Speak)
    assert talk.hear(Accepted(utterance_id=speak.utterance_id, queued=0)) == []
    talk.ask(events.ResponseCreate())
    assert isinstance(talk.requests[-1], Speak)
    assert talk.requests[-1].text == "Wait."


def test_a_cancelled_response_has_what_was_heard() -> None:
    talk = Talk()
    name = talk.say(HELLO)
    talk.hear(started(name), words(name, HELLO)[0])
    told = talk.ask(events.ResponseCancel())
    assert talk.requests[-1] == Cancel(utterance_id=name)
    response = one(told, events.ResponseDone).response
    assert response.status == "cancelled"
    assert response.status_details
    assert response.status_details.reason == "client_cancelled"
    assert response.output[0].content[0].transcript == "Hello"
    assert kinds(told)[-1] == "output_audio_buffer.cleared"


def test_what_somebody_else_has_silenced_says_so() -> None:
    talk = Talk()
    name = talk.say(HELLO)
    told = talk.hear(Cancelled(utterance_id=name, played_ms=0.0))
    details = one(told, events.ResponseDone).response.status_details
    assert details
    assert details.reason == "turn_detected"
    assert "output_audio_buffer.cleared" not in kinds(told), "nothing of it was heard"


def test_a_failed_response_says_why() -> None:
    talk = Talk()
    name = talk.say(HELLO)
    failure = Failed(
        utterance_id=name, code="engine_failed", message="oh", played_ms=1.0, retryable=True
    )
    details = one(talk.hear(failure), events.ResponseDone).response.status_details
    assert details
    assert details.error
    assert (details.error.code, details.error.message) == ("engine_failed", "oh")


def test_clear_silences_all_and_cancel_only_what_it_names() -> None:
    talk = Talk()
    names = [talk.say(text) for text in ("One.", "Two.", "Three.")]
    talk.ask(events.ResponseCancel(response_id=names[1]))
    assert talk.requests[-1:] == [Cancel(utterance_id=names[1])]
    talk.ask(events.OutputAudioBufferClear())
    assert talk.requests[-2:] == [Cancel(utterance_id=names[0]), Cancel(utterance_id=names[2])]
    assert talk.ask(events.OutputAudioBufferClear()) == []


@pytest.mark.parametrize("response_id", [None, "resp_gone"])
def test_there_must_be_something_to_cancel(response_id: str | None) -> None:
    with pytest.raises(BadEvent) as refused:
        Talk().ask(events.ResponseCancel(response_id=response_id))
    assert refused.value.code == "response_cancel_not_active"


def test_utterances_of_other_channels_are_none_of_this_ones_business() -> None:
    talk = Talk()
    assert talk.hear(Accepted(utterance_id="u", queued=0), started("u"), done("u")) == []


# --- items --------------------------------------------------------------------------------------


def said_item(talk: Talk) -> str:
    """The id of an item that was said to its end."""
    name = talk.say(HELLO)
    told = talk.hear(started(name), *words(name, HELLO), done(name))
    return one(told, events.OutputItemDone).item.id or ""


@pytest.mark.parametrize(
    ("asked_ms", "end_ms", "left"),
    [(600, 600, "Hello there"), (10_000, 900, "Hello there, friend"), (100, 100, "")],
)
def test_truncating_leaves_what_was_heard(asked_ms: int, end_ms: int, left: str) -> None:
    talk = Talk()
    item_id = said_item(talk)
    event = events.ItemTruncate(item_id=item_id, content_index=0, audio_end_ms=asked_ms)
    truncated = one(talk.ask(event), events.ItemTruncated)
    assert (truncated.item_id, truncated.audio_end_ms) == (item_id, end_ms)
    kept = one(talk.ask(events.ItemRetrieve(item_id=item_id)), events.ItemRetrieved).item
    assert (kept.content[0].transcript, kept.status) == (left, "incomplete")


def test_only_what_was_said_can_be_truncated() -> None:
    talk = Talk()
    talk.ask(events.ItemCreate(item=text_item("x", item_id="mine")))
    item_id = said_item(talk)
    for event in (
        events.ItemTruncate(item_id="mine", content_index=0, audio_end_ms=1),
        events.ItemTruncate(item_id="gone", content_index=0, audio_end_ms=1),
        events.ItemTruncate(item_id=item_id, content_index=1, audio_end_ms=1),
        events.ItemTruncate(item_id=item_id, content_index=0, audio_end_ms=-1),
    ):
        with pytest.raises(BadEvent):
            talk.ask(event)


def test_a_deleted_item_is_neither_known_nor_said() -> None:
    talk = Talk()
    talk.ask(events.ItemCreate(item=text_item("Secret.", item_id="mine")))
    assert kinds(talk.ask(events.ItemDelete(item_id="mine"))) == ["conversation.item.deleted"]
    for event in (
        events.ItemRetrieve(item_id="mine"),
        events.ItemDelete(item_id="mine"),
        events.ResponseCreate(),
    ):
        with pytest.raises(BadEvent):
            talk.ask(event)


@pytest.mark.parametrize(
    "item",
    [
        Item(type="function_call"),
        text_item("x", "tool"),
        Item(role="user", content=[ContentPart(type="input_audio")]),
        text_item("x", item_id=""),
        text_item("x", item_id="i" * 65),
        text_item("é" * MAX_TEXT_BYTES),
    ],
    ids=["type", "role", "audio", "no id", "long id", "long text"],
)
def test_items_that_are_refused(item: Item) -> None:
    with pytest.raises(BadEvent):
        Talk().ask(events.ItemCreate(item=item))


def test_an_empty_text_is_an_item_with_nothing_to_say() -> None:
    talk = Talk()
    talk.ask(events.ItemCreate(item=text_item("")))
    with pytest.raises(BadEvent) as refused:
        talk.ask(events.ResponseCreate())
    assert refused.value.code == "nothing_to_say"


def test_items_are_bounded_and_every_id_is_good_once() -> None:
    talk = Talk()
    for number in range(MAX_ITEMS + 1):
        talk.ask(events.ItemCreate(item=text_item("x", item_id=f"i{number}")))
    with pytest.raises(BadEvent, match="no item"):
        talk.ask(events.ItemRetrieve(item_id="i0"))
    with pytest.raises(BadEvent, match="new"):
        talk.ask(events.ItemCreate(item=text_item("x", item_id="i5")))


def test_every_event_about_the_longest_text_fits_into_a_message() -> None:
    talk = Talk()
    text = "\u0007" * (MAX_TEXT_BYTES // 6 - 8)
    name = talk.say(text)
    mark = words(name, text)[0]
    talk.hear(started(name), mark, done(name))
    assert max(len(encode_event(event).encode()) for event in talk.told) <= MAX_MESSAGE_BYTES
    with pytest.raises(BadEvent) as refused:
        talk.say(text + "\u0007" * 16)
    assert refused.value.code == "text_too_long"


def test_several_items_that_are_too_long_together_are_refused_and_kept() -> None:
    talk = Talk()
    for _ in range(2):
        talk.ask(events.ItemCreate(item=text_item("word " * 1_500)))
    with pytest.raises(BadEvent, match="several"):
        talk.ask(events.ResponseCreate())
    with pytest.raises(BadEvent, match="several"):
        talk.ask(events.ResponseCreate())


@pytest.mark.parametrize(
    "event",
    [
        events.SessionUpdate(session=SessionPatch(type="transcription")),
        events.SessionUpdate(session=SessionPatch(output_modalities=["text"])),
        events.ResponseCreate(
            response=events.ResponseParams(instructions="x", output_modalities=["text"])
        ),
        events.ResponseCreate(response=events.ResponseParams(input=[])),
        events.ResponseCreate(response=events.ResponseParams(instructions="  ")),
        events.ResponseCreate(
            response=events.ResponseParams(input=[Item(type="item_reference", id="gone")])
        ),
    ],
)
def test_what_nobody_here_can_do_is_refused_before_anything_changes(
    event: RealtimeClientEvent,
) -> None:
    talk = Talk()
    with pytest.raises(BadEvent):
        talk.ask(event)
    assert (talk.requests, talk.told) == ([], [])


# --- around -------------------------------------------------------------------------------------


def test_the_users_speech_is_told_with_times_since_the_opening() -> None:
    talk = Talk()
    (began,) = talk.hear(UserStartedSpeaking(), now=102.5)
    (ended,) = talk.hear(UserStoppedSpeaking(), now=104.0)
    assert isinstance(began, events.SpeechStarted)
    assert isinstance(ended, events.SpeechStopped)
    assert (began.audio_start_ms, ended.audio_end_ms) == (2_500, 4_000)
    assert began.item_id == ended.item_id


def test_the_end_of_the_service_is_a_server_error() -> None:
    (ending,) = Talk().hear(SessionEnding(reason="shutting_down", within_s=8.0))
    assert isinstance(ending, events.ErrorEvent)
    assert (ending.error.type, ending.error.code) == ("server_error", "shutting_down")


def test_errors_name_the_event_and_the_field() -> None:
    talk = Talk()
    error = BadEvent("no", "item_not_found", "item_id", "e9")
    event = talk.conversation.refuse(error)
    assert isinstance(event, events.ErrorEvent)
    assert (event.error.event_id, event.error.param) == ("e9", "item_id")
    event = talk.conversation.refuse(TextRejected("too long"), "e1")
    assert isinstance(event, events.ErrorEvent)
    assert event.error.type == "invalid_request_error"


def test_ids_are_never_used_twice() -> None:
    talk = Talk()
    said_item(talk)
    said_item(talk)
    ids = [event.event_id for event in talk.told]
    assert len(ids) == len(set(ids))


def test_a_step_without_requests_needs_no_undoing() -> None:
    assert Step().then() == []
    Step().undo()


def test_the_rest_of_an_earlier_response_counts_from_where_it_begins() -> None:
    talk = Talk()
    talk.conversation.go_on("resp_old", "is the rest.", (5, 1_000.0))
    told = talk.hear(Accepted(utterance_id="resp_old", queued=0))
    assert kinds(told)[0] == "response.created"
    word = Word(
        utterance_id="resp_old",
        text="is",
        start_ms=1_000.0,
        end_ms=1_200.0,
        char_start=5,
        char_end=7,
    )
    assert one(talk.hear(word), events.TranscriptDelta).delta == "is"
    told = talk.hear(Cancelled(utterance_id="resp_old", played_ms=1_250.0))
    assert one(told, events.ResponseDone).response.output[0].content[0].transcript == "is"
    item_id = one(told, events.ResponseDone).response.output[0].id
    assert item_id is not None
    cut = talk.ask(events.ItemTruncate(item_id=item_id, content_index=0, audio_end_ms=9_000))
    assert one(cut, events.ItemTruncated).audio_end_ms == 250
