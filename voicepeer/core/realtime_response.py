"""One response on an ``oai-events`` channel: a text that is said, and how much of it was heard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from voicepeer.core import realtime as events
from voicepeer.core.messages import Failed, Word
from voicepeer.core.realtime import RealtimeServerEvent
from voicepeer.core.realtime_items import (
    Audio,
    AudioOutput,
    ContentPart,
    Item,
    ItemStatus,
    Response,
    ResponseError,
    ResponseStatus,
    StatusDetails,
)

NewId: TypeAlias = Callable[[], str]
"""Makes the id of the next event."""


class SpokenResponse:
    """A response from its acceptance to its end; its events are in OpenAI's order.

    ``conversation_id`` is None for one outside of the conversation. Of one that an earlier session
    began with, only the rest is said here: ``begins`` says where that is in the text and in the
    speech that the session tells of, in characters and milliseconds.
    """

    def __init__(
        self,
        response_id: str,
        item_id: str,
        text: str,
        conversation_id: str | None,
        metadata: dict[str, str] | None,
        begins: tuple[int, float] = (0, 0.0),
    ) -> None:
        self.response_id = response_id
        self.item_id = item_id
        self.conversation_id = conversation_id
        self._text = text
        self._metadata = metadata
        self._begins_char, self._begins_ms = begins
        self._voice: str | None = None
        self._item_status: ItemStatus = "in_progress"
        self._began = False
        self._told_chars = 0
        self._heard_ms = 0.0
        self._marks: list[tuple[float, int]] = []
        """End of each word that was heard: in milliseconds, and in characters."""

    @property
    def transcript(self) -> str:
        """What was heard, as far as it is known."""
        return self._text[: self._told_chars]

    def item(self) -> Item:
        """The response's one item, as it is now."""
        part = ContentPart(type="output_audio", transcript=self.transcript)
        return Item(
            id=self.item_id,
            object="realtime.item",
            role="assistant",
            status=self._item_status,
            content=[] if self._item_status == "in_progress" else [part],
        )

    def truncate(self, end_ms: int) -> int:
        """Forget what was heard after ``end_ms``; the time up to which something is left."""
        self._heard_ms = min(self._heard_ms, float(end_ms))
        self._marks = [mark for mark in self._marks if mark[0] <= self._heard_ms]
        if self._item_status != "in_progress":
            self._item_status = "incomplete"
            self._told_chars = self._marks[-1][1] if self._marks else 0
        return int(self._heard_ms)

    # --- what the client is told ----------------------------------------------------------------

    def created(self, new_id: NewId, voice: str | None) -> list[RealtimeServerEvent]:
        """It was accepted."""
        self._voice = voice
        return [
            events.ResponseCreated(event_id=new_id(), response=self._response("in_progress", [])),
            events.OutputItemAdded(
                event_id=new_id(), response_id=self.response_id, item=self.item()
            ),
            *self._of_conversation(events.ItemAdded, new_id),
            events.ContentPartAdded(
                event_id=new_id(),
                response_id=self.response_id,
                item_id=self.item_id,
                part=ContentPart(type="audio", transcript=""),
            ),
        ]

    def started(self, new_id: NewId) -> list[RealtimeServerEvent]:
        """The first audible frame was sent."""
        self._began = True
        return [events.OutputAudioBufferStarted(event_id=new_id(), response_id=self.response_id)]

    def word(self, new_id: NewId, word: Word) -> list[RealtimeServerEvent]:
        """A word has begun to be heard."""
        end_ms, end = word.end_ms - self._begins_ms, word.char_end - self._begins_char
        self._heard_ms = max(self._heard_ms, end_ms)
        self._marks.append((end_ms, end))
        return self._delta(new_id, end)

    def _delta(self, new_id: NewId, end: int) -> list[RealtimeServerEvent]:
        delta = self._text[self._told_chars : end]
        if not delta:
            return []
        self._told_chars += len(delta)
        return [
            events.TranscriptDelta(
                event_id=new_id(), response_id=self.response_id, item_id=self.item_id, delta=delta
            )
        ]

    def completed(self, new_id: NewId, audio_ms: float) -> list[RealtimeServerEvent]:
        """All of it was sent."""
        self._heard_ms = audio_ms - self._begins_ms
        tail = self._delta(new_id, len(self._text))
        return [*tail, *self._over(new_id, "completed", StatusDetails(type="completed"))]

    def cancelled(self, new_id: NewId, played_ms: float, reason: str) -> list[RealtimeServerEvent]:
        """It was silenced."""
        self._heard_ms = played_ms - self._begins_ms
        details = StatusDetails(type="cancelled", reason=reason)
        return self._over(new_id, "cancelled", details)

    def failed(self, new_id: NewId, failure: Failed) -> list[RealtimeServerEvent]:
        """It could not be said to its end."""
        self._heard_ms = failure.played_ms - self._begins_ms
        error = ResponseError(type="server_error", code=failure.code, message=failure.message)
        return self._over(new_id, "failed", StatusDetails(type="failed", error=error))

    def _over(
        self, new_id: NewId, status: ResponseStatus, details: StatusDetails
    ) -> list[RealtimeServerEvent]:
        complete = status == "completed"
        self._item_status = "completed" if complete else "incomplete"
        ids: dict[str, Any] = {"response_id": self.response_id, "item_id": self.item_id}
        part = ContentPart(type="audio", transcript=self.transcript)
        told: list[RealtimeServerEvent] = [
            events.OutputAudioDone(event_id=new_id(), **ids),
            events.TranscriptDone(event_id=new_id(), transcript=self.transcript, **ids),
            events.ContentPartDone(event_id=new_id(), part=part, **ids),
            events.OutputItemDone(
                event_id=new_id(), response_id=self.response_id, item=self.item()
            ),
            *self._of_conversation(events.ItemDone, new_id),
            events.ResponseDone(
                event_id=new_id(), response=self._response(status, [self.item()], details)
            ),
        ]
        if self._began:
            kind = events.OutputAudioBufferStopped if complete else events.OutputAudioBufferCleared
            told.append(kind(event_id=new_id(), response_id=self.response_id))
        return told

    def _of_conversation(
        self, kind: type[events.ItemAdded] | type[events.ItemDone], new_id: NewId
    ) -> list[RealtimeServerEvent]:
        """What only those are told of that belong to the conversation."""
        if self.conversation_id is None:
            return []
        return [kind(event_id=new_id(), item=self.item())]

    def _response(
        self, status: ResponseStatus, output: list[Item], details: StatusDetails | None = None
    ) -> Response:
        return Response(
            id=self.response_id,
            status=status,
            status_details=details,
            output=output,
            conversation_id=self.conversation_id,
            metadata=self._metadata,
            audio=Audio(output=AudioOutput(voice=self._voice)),
        )
