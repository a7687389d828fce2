"""What a client has asked to be said, and how far it was heard: enough to go on elsewhere.

Pure: the session notes what is asked and heard, and takes the rest when its client is lost.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final, TypeVar

import msgspec

from engines.api import Voice
from voicepeer.core.messages import (
    Append,
    Cancelled,
    Caption,
    Done,
    Failed,
    ServerMessage,
    Speak,
    Viseme,
    Word,
)
from voicepeer.core.speaking.ssml import going_on

REMEMBER_S: Final = 10.0
"""A lost client is noticed within seconds; what was heard longer ago than this was received."""

MessageT = TypeVar("MessageT", bound=ServerMessage)


@dataclass(frozen=True, slots=True)
class Remainder:
    """The part of an utterance that was not heard; ``opening`` has its text and options."""

    opening: Speak | Append
    ended: bool
    voice: Voice
    chars_before: int
    """Of its text were heard."""
    ms_before: float
    """Of its speech were heard."""


@dataclass(frozen=True, slots=True)
class _Heard:
    at: float
    word: Word

    def place(self, now: float) -> tuple[int, float]:
        """Characters and milliseconds to go on from at ``now``: an unfinished word is said anew."""
        if now >= self.at + (self.word.end_ms - self.word.start_ms) / 1000.0:
            return self.word.char_end, self.word.end_ms
        return self.word.char_start, self.word.start_ms


@dataclass(slots=True)
class _Line:
    """One utterance; its text begins ``chars_before`` characters into what the client sent."""

    opening: Speak | Append
    voice: Voice
    ended: bool
    chars_before: int = 0
    ms_before: float = 0.0
    pieces: list[str] = field(default_factory=list)
    heard: deque[_Heard] = field(default_factory=deque)
    done_at: float | None = None
    resumed: bool = False
    """Whether the text it begins with is still to be accepted again."""

    def rest(self, as_of: float) -> Remainder:
        known = [heard for heard in self.heard if heard.at <= as_of]
        chars, ms = known[-1].place(as_of) if known else (self.chars_before, self.ms_before)
        whole, skipped = "".join([self.opening.text, *self.pieces]), chars - self.chars_before
        text = going_on(whole, skipped) if self.opening.ssml else whole[skipped:]
        opening = msgspec.structs.replace(self.opening, text=text, interrupt=False)
        return Remainder(opening, self.ended, self.voice, chars, ms)


class Manuscript:
    """All utterances of a session that are not over, and those that have just been."""

    def __init__(self) -> None:
        self._lines: dict[str, _Line] = {}

    def note(self, message: Speak | Append, voice: Voice) -> None:
        """A text was accepted, as an utterance of its own or as more of one that is known."""
        line = self._lines.get(message.utterance_id)
        if line is None:
            ended = isinstance(message, Speak)
            self._lines[message.utterance_id] = _Line(message, voice, ended)
        elif line.resumed:
            line.resumed = False
        else:
            line.pieces.append(message.text)

    def resume(self, rest: Remainder) -> None:
        """An utterance goes on that was begun in another session; its text is noted next."""
        self._lines[rest.opening.utterance_id] = _Line(
            rest.opening, rest.voice, rest.ended, rest.chars_before, rest.ms_before, resumed=True
        )

    def end(self, utterance_id: str) -> None:
        """Its text has ended."""
        if utterance_id in self._lines:
            self._lines[utterance_id].ended = True

    def word(self, word: Word, now: float) -> None:
        """A word, as the client is told of it, has begun to be heard."""
        line = self._lines.get(word.utterance_id)
        if line is None:
            return
        line.heard.append(_Heard(now, word))
        while len(line.heard) > 1 and line.heard[1].at < now - REMEMBER_S:
            line.heard.popleft()

    def done(self, utterance_id: str, now: float) -> None:
        """All of it was sent, which is not to say that it was received."""
        if utterance_id in self._lines:
            self._lines[utterance_id].done_at = now
        self._forget(now - REMEMBER_S)

    def drop(self, utterance_id: str) -> None:
        """It was cancelled or failed: nothing of it is to be said any more."""
        self._lines.pop(utterance_id, None)

    def rest(self, as_of: float) -> list[Remainder]:
        """What was not heard by ``as_of``, when the client was last known to be there, in order."""
        return [
            line.rest(as_of)
            for line in self._lines.values()
            if line.done_at is None or line.done_at > as_of
        ]

    def told(self, message: MessageT) -> MessageT:
        """The same message with its places and times counted from where the client counts."""
        line = self._lines.get(getattr(message, "utterance_id", None) or "")
        if line is None or not (line.chars_before or line.ms_before):
            return message
        return msgspec.structs.replace(message, **_shifted(message, line))

    def _forget(self, before: float) -> None:
        over = [
            name
            for name, line in self._lines.items()
            if line.done_at is not None and line.done_at < before
        ]
        for name in over:
            del self._lines[name]


def _shifted(message: ServerMessage, line: _Line) -> dict[str, float]:
    match message:
        case Word() | Viseme():
            times = {
                "start_ms": message.start_ms + line.ms_before,
                "end_ms": message.end_ms + line.ms_before,
            }
            return times if isinstance(message, Viseme) else {**times, **_places(message, line)}
        case Caption():
            start_ms = message.start_ms + line.ms_before
            return {"start_ms": start_ms, **_places(message, line)}
        case Done():
            return {"audio_ms": message.audio_ms + line.ms_before}
        case Cancelled() | Failed():
            return {"played_ms": message.played_ms + line.ms_before}
        case _:
            return {}


def _places(message: Word | Caption, line: _Line) -> dict[str, float]:
    return {
        "char_start": message.char_start + line.chars_before,
        "char_end": message.char_end + line.chars_before,
    }
