"""RTVI's events about speech, told from our own: what is said, and how much of it was heard.

Pure: the session reports each piece that the engine begins with, and every event for the client.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from voicepeer.core.messages import (
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
    SpokenProgress,
    SpokenStatus,
)


@dataclass(slots=True)
class _Segment:
    number: int
    text: str
    start: int
    """Where in the utterance's text it begins."""

    def output(self, heard: int) -> BotOutput:
        """How things are when the first ``heard`` characters of it were heard."""
        rest = self.text[heard:]
        # A closing mark is not heard by itself: it belongs to the word before it.
        if heard and not any(char.isalnum() for char in rest):
            heard, rest = len(self.text), ""
        status: SpokenStatus = "in-progress" if rest else "completed"
        return BotOutput(
            text=self.text,
            segment_id=self.number,
            spoken_status=status if heard else "new",
            spoken_progress=SpokenProgress(accumulated_text=self.text[:heard], remaining_text=rest),
        )


@dataclass(slots=True)
class _Telling:
    """One utterance; segments are in it until all of them was heard."""

    segments: deque[_Segment] = field(default_factory=deque)
    next_start: int = 0
    characters: int = 0
    heard: bool = False

    def finish_before(self, at: int) -> list[ServerMessage]:
        """Complete the segments that end before the character ``at``: some end without a word."""
        told: list[ServerMessage] = []
        while self.segments and self.segments[0].start + len(self.segments[0].text) <= at:
            segment = self.segments.popleft()
            told.append(segment.output(len(segment.text)))
        return told


class Narration:
    """Events of one session.

    Args:
        processor: what ``metrics`` call the engine.
        outputs: whether the client knows ``bot-output`` as it is since RTVI 2.
    """

    def __init__(self, processor: str, outputs: bool = True) -> None:
        self._processor = processor
        self._outputs = outputs
        self._tellings: dict[str, _Telling] = {}
        self._segments = 0

    def piece(self, piece: Caption) -> list[ServerMessage]:
        """The engine begins with a piece of an utterance; its times do not count."""
        known = piece.utterance_id in self._tellings
        telling = self._tellings.setdefault(piece.utterance_id, _Telling())
        told: list[ServerMessage] = [] if known else [BotTtsStarted()]
        if piece.char_start < telling.next_start:
            return told  # it was put off, and is made anew
        self._segments += 1
        segment = _Segment(self._segments, piece.text, piece.char_start)
        telling.segments.append(segment)
        telling.next_start = piece.char_start + len(piece.text)
        telling.characters += len(piece.text)
        if telling.heard:
            told.append(segment.output(0))
        return self._known(told)

    def tell(self, message: ServerMessage) -> list[ServerMessage]:
        """What follows from an event, to be sent after it."""
        match message:
            case Started(utterance_id=utterance_id, latency_ms=latency_ms):
                return self._known(self._started(utterance_id, latency_ms))
            case Word():
                return self._known(self._word(message))
            case Done(utterance_id=utterance_id):
                return self._known(self._done(utterance_id, message))
            case Cancelled(utterance_id=utterance_id):
                return self._over(self._tellings.pop(utterance_id, None))
            case Failed(utterance_id=utterance_id, message=why, code=code):
                failed = Error(error=why, code=code, utterance_id=utterance_id)
                return [*self._over(self._tellings.pop(utterance_id, None)), failed]
            case _:
                return []

    def _known(self, told: list[ServerMessage]) -> list[ServerMessage]:
        return [one for one in told if self._outputs or not isinstance(one, BotOutput)]

    def _metric(self, value: float) -> list[Metric]:
        return [Metric(processor=self._processor, value=value)]

    def _started(self, utterance_id: str, latency_ms: float) -> list[ServerMessage]:
        telling = self._tellings.setdefault(utterance_id, _Telling())
        telling.heard = True
        return [
            BotStartedSpeaking(),
            Metrics(ttfb=self._metric(latency_ms / 1000.0)),
            *(segment.output(0) for segment in telling.segments),
        ]

    def _word(self, word: Word) -> list[ServerMessage]:
        telling = self._tellings.get(word.utterance_id)
        if telling is None:
            return []
        told = telling.finish_before(word.char_start)
        told.append(BotTtsText(text=word.text))
        if telling.segments:
            segment = telling.segments[0]
            output = segment.output(min(max(word.char_end - segment.start, 0), len(segment.text)))
            told.append(output)
            if output.spoken_status == "completed":
                telling.segments.popleft()
        return told

    def _done(self, utterance_id: str, done: Done) -> list[ServerMessage]:
        telling = self._tellings.pop(utterance_id, None)
        if telling is None:
            return []
        told = telling.finish_before(telling.next_start)
        if done.rtf is not None:
            busy_s = done.rtf * done.audio_ms / 1000.0
            told.append(
                Metrics(
                    processing=self._metric(busy_s), characters=self._metric(telling.characters)
                )
            )
        return [*told, *self._over(telling)]

    def _over(self, telling: _Telling | None) -> list[ServerMessage]:
        if telling is None:
            return []
        stopped: list[ServerMessage] = [BotTtsStopped()]
        return [*stopped, BotStoppedSpeaking()] if telling.heard else stopped
