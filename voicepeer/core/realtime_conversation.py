"""The conversation on an ``oai-events`` channel: what a client asks for, and what it is told.

Pure: events of the client become messages of ours, which the session handles as if they had come
over its own channel, and what the session tells becomes events. A response is an utterance whose
id is that of the response.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import assert_never

import msgspec

from voicepeer.core import realtime as events
from voicepeer.core.errors import ClientError, VoicePeerError
from voicepeer.core.messages import (
    Accepted,
    Cancel,
    Cancelled,
    ClientMessage,
    Done,
    Failed,
    ServerMessage,
    SessionConfigure,
    SessionConfigured,
    SessionEnding,
    SetControls,
    Speak,
    Started,
    VoiceReady,
    VoiceSelected,
    VoiceUsable,
    VoiceUse,
    Word,
)
from voicepeer.core.realtime import BadEvent, RealtimeClientEvent, RealtimeServerEvent
from voicepeer.core.realtime_errors import error_details
from voicepeer.core.realtime_items import (
    Audio,
    AudioInput,
    AudioOutput,
    Item,
    Session,
    SessionPatch,
    TurnDetection,
)
from voicepeer.core.realtime_response import SpokenResponse
from voicepeer.core.realtime_texts import MAX_ITEMS, Items
from voicepeer.core.rtvi import UserStartedSpeaking, UserStoppedSpeaking


@dataclass(frozen=True, slots=True)
class Request:
    """A message to be handled, and the field of the client's event that it is for."""

    message: ClientMessage
    param: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """What to do about an event: handle the requests in order, then send what ``then`` gives.

    If one of them is refused, call ``undo``; nothing of ``then`` is sent.
    """

    requests: tuple[Request, ...] = ()
    then: Callable[[], list[RealtimeServerEvent]] = list
    undo: Callable[[], None] = lambda: None


@dataclass(frozen=True, slots=True)
class InEffect:
    """Settings of a session: the voice by its id, and whether the user's speech interrupts ours."""

    voice: str | None = None
    speed: float = 1.0
    interrupts: bool = False


class RealtimeConversation:
    """One channel's conversation.

    Args:
        session_id: of the session, 128 random bits.
        token: random letters and digits that make all ids of this conversation its own.
        settings: those of the session when the channel opens.
        now: time of the opening, seconds.
    """

    def __init__(self, session_id: str, token: str, settings: InEffect, now: float) -> None:
        self._session_id = f"sess_{session_id}"
        self._token = token
        self._opened_s = now
        self._settings = settings
        self._items = Items()
        self._planned: dict[str, SpokenResponse] = {}
        self._responses: dict[str, SpokenResponse] = {}
        self._said: OrderedDict[str, SpokenResponse] = OrderedDict()
        self._asked_for_silence: set[str] = set()
        self._serial = 0
        self._user_item = ""

    def open(self) -> list[RealtimeServerEvent]:
        """What to send first."""
        return [events.SessionCreated(event_id=self._id("event"), session=self._session())]

    def go_on(self, response_id: str, text: str, begins: tuple[int, float]) -> None:
        """The rest of what an earlier session began to say is about to be accepted here.

        ``begins`` is as for ``SpokenResponse``.
        """
        conversation = f"conv_{self._token}"
        self._planned[response_id] = SpokenResponse(
            response_id, self._id("item"), text, conversation, None, begins
        )

    # --- what the client asks for ---------------------------------------------------------------

    def take(self, event: RealtimeClientEvent) -> Step:
        """What to do about an event.

        Raises:
            BadEvent: it asks for something that is not there, or that nobody here can do.
        """
        match event:
            case events.SessionUpdate(session=patch):
                return self._update(patch)
            case events.ItemCreate(item=item):
                return self._create_item(item)
            case events.ItemRetrieve(item_id=item_id):
                found = self._items.get(item_id)
                return _telling(events.ItemRetrieved(event_id=self._id("event"), item=found))
            case events.ItemDelete(item_id=item_id):
                self._items.forget(item_id)
                return _telling(events.ItemDeleted(event_id=self._id("event"), item_id=item_id))
            case events.ItemTruncate():
                return self._truncate(event)
            case events.ResponseCreate(response=params):
                return self._respond(params or events.ResponseParams())
            case events.ResponseCancel(response_id=response_id):
                return self._cancel(response_id)
            case events.OutputAudioBufferClear():
                return self._silence(self._responses)
            case _:
                assert_never(event)

    def refuse(
        self, error: VoicePeerError, event_id: str | None = None, param: str | None = None
    ) -> RealtimeServerEvent:
        """The event for something that was refused; ``event_id`` is the client's."""
        details = error_details(error, event_id, param)
        return events.ErrorEvent(event_id=self._id("event"), error=details)

    def _update(self, patch: SessionPatch) -> Step:
        if patch.type != "realtime":
            raise BadEvent("only sessions of the type realtime exist here", param="session.type")
        _check_modalities(patch.output_modalities, "session.output_modalities")
        requests, output = [], patch.audio.output
        if output.voice_id is not None:
            use = VoiceUse(voice_id=output.voice_id)
            requests.append(Request(use, "session.audio.output.voice"))
        if output.speed is not None:
            faster = SetControls(speed=output.speed)
            requests.append(Request(faster, "session.audio.output.speed"))
        detection = patch.audio.input.turn_detection
        if detection is not msgspec.UNSET:
            interrupts = detection is not None and detection.interrupt_response
            configure = SessionConfigure(barge_in=interrupts)
            requests.append(Request(configure, "session.audio.input.turn_detection"))

        def updated() -> list[RealtimeServerEvent]:
            if output.speed is not None:
                self._settings = replace(self._settings, speed=output.speed)
            return [self._updated()]

        return Step(tuple(requests), updated)

    def _create_item(self, given: Item) -> Step:
        item = self._items.create(given, lambda: self._id("item"))
        return _telling(
            events.ItemAdded(event_id=self._id("event"), item=item),
            events.ItemDone(event_id=self._id("event"), item=item),
        )

    def _truncate(self, event: events.ItemTruncate) -> Step:
        self._items.get(event.item_id)
        said = self._said.get(event.item_id)
        if said is None or event.content_index != 0:
            raise BadEvent("only what was said can be truncated", param="item_id")
        if event.audio_end_ms < 0:
            raise BadEvent("audio_end_ms is a length", param="audio_end_ms")
        end_ms = said.truncate(event.audio_end_ms)
        self._items.known[event.item_id] = said.item()
        return _telling(
            events.ItemTruncated(
                event_id=self._id("event"),
                item_id=event.item_id,
                content_index=0,
                audio_end_ms=end_ms,
            )
        )

    def _respond(self, params: events.ResponseParams) -> Step:
        _check_modalities(params.output_modalities, "response.output_modalities")
        unsaid = list(self._items.unsaid)
        text = self._items.text_for(params)
        response = SpokenResponse(
            self._id("resp"),
            self._id("item"),
            text,
            None if params.conversation == "none" else f"conv_{self._token}",
            params.metadata,
        )
        self._planned[response.response_id] = response
        if params.input is None and params.instructions is None:
            self._items.unsaid.clear()

        def undo() -> None:
            self._planned.pop(response.response_id, None)
            self._items.unsaid[:] = unsaid

        audio = params.audio.output if params.audio else None
        speak = Speak(
            utterance_id=response.response_id,
            text=text,
            voice_id=audio.voice_id if audio else None,
            speed=audio.speed if audio else None,
        )
        return Step((Request(speak, "response"),), list, undo)

    def _cancel(self, response_id: str | None) -> Step:
        found = self._responses.get(response_id or next(iter(self._responses), ""))
        if found is None:
            raise BadEvent(
                "there is no such response in progress", "response_cancel_not_active", "response_id"
            )
        return self._silence([found.response_id])

    def _silence(self, response_ids: Iterable[str]) -> Step:
        wanted = list(response_ids)
        self._asked_for_silence |= set(wanted)
        return Step(tuple(Request(Cancel(utterance_id=one)) for one in wanted))

    # --- what the client is told ----------------------------------------------------------------

    def tell(self, message: ServerMessage, now: float) -> list[RealtimeServerEvent]:
        """What follows for this client from what the session tells."""
        match message:
            case Accepted(utterance_id=name) if name in self._planned:
                response = self._planned.pop(name)
                self._responses[name] = response
                return response.created(self._event_id, self._settings.voice)
            case (
                Started(utterance_id=name)
                | Word(utterance_id=name)
                | Done(utterance_id=name)
                | Cancelled(utterance_id=name)
                | Failed(utterance_id=name)
            ) if name in self._responses:
                return self._progress(self._responses[name], message)
            case VoiceSelected(voice_id=voice_id):
                self._settings = replace(self._settings, voice=voice_id)
            case VoiceUsable(voice_id=voice_id) | VoiceReady(voice_id=voice_id):
                if self._settings.voice is None:
                    self._settings = replace(self._settings, voice=voice_id)
                    return [self._updated()]
            case SessionConfigured(barge_in=barge_in):
                self._settings = replace(self._settings, interrupts=barge_in)
            case UserStartedSpeaking():
                self._user_item = self._id("item")
                return [
                    events.SpeechStarted(
                        event_id=self._id("event"),
                        audio_start_ms=self._ms(now),
                        item_id=self._user_item,
                    )
                ]
            case UserStoppedSpeaking():
                return [
                    events.SpeechStopped(
                        event_id=self._id("event"),
                        audio_end_ms=self._ms(now),
                        item_id=self._user_item,
                    )
                ]
            case SessionEnding():
                return [self.refuse(_Ending("the service is about to stop"))]
            case _:
                pass
        return []

    def _progress(
        self, response: SpokenResponse, message: ServerMessage
    ) -> list[RealtimeServerEvent]:
        match message:
            case Started():
                return response.started(self._event_id)
            case Word():
                return response.word(self._event_id, message)
            case Done(audio_ms=audio_ms):
                told = response.completed(self._event_id, audio_ms)
            case Cancelled(utterance_id=name, played_ms=played_ms):
                asked = name in self._asked_for_silence
                reason = "client_cancelled" if asked else "turn_detected"
                told = response.cancelled(self._event_id, played_ms, reason)
            case Failed():
                told = response.failed(self._event_id, message)
            case _:
                return []
        self._end(response)
        return told

    def _end(self, response: SpokenResponse) -> None:
        del self._responses[response.response_id]
        self._asked_for_silence.discard(response.response_id)
        if response.conversation_id is not None:
            self._items.keep(response.item_id, response.item())
            self._said[response.item_id] = response
        while len(self._said) > MAX_ITEMS:
            self._said.popitem(last=False)

    def _session(self) -> Session:
        detection = TurnDetection() if self._settings.interrupts else None
        output = AudioOutput(voice=self._settings.voice, speed=self._settings.speed)
        audio = Audio(input=AudioInput(turn_detection=detection), output=output)
        return Session(id=self._session_id, audio=audio)

    def _updated(self) -> RealtimeServerEvent:
        return events.SessionUpdated(event_id=self._id("event"), session=self._session())

    def _event_id(self) -> str:
        return self._id("event")

    def _id(self, kind: str) -> str:
        self._serial += 1
        return f"{kind}_{self._token}{self._serial:06d}"

    def _ms(self, now: float) -> int:
        return round((now - self._opened_s) * 1000)


class _Ending(ClientError):
    code = "shutting_down"


def _telling(*told: RealtimeServerEvent) -> Step:
    return Step(then=lambda: list(told))


def _check_modalities(wanted: list[str] | None, param: str) -> None:
    if wanted is not None and "audio" not in wanted:
        raise BadEvent("this service answers with audio: texts are what it is given", param=param)
