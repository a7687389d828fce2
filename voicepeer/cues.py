"""When the client is told what: words, sounds and captions at the samples where they are heard."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from engines.api import Chunk
from voicepeer.core.messages import Caption, ServerMessage, Viseme, Word
from voicepeer.core.pcm import WIRE_RATE_HZ
from voicepeer.core.speaking.job import Job
from voicepeer.core.speaking.pacer import Cue


class CueSheet:
    """The cues of one job, in the order in which they are heard.

    Args:
        first_sample: where in the utterance the speech of this job begins (48 kHz).
        told: makes of each message the one that the client gets.
    """

    def __init__(
        self, job: Job, first_sample: int, told: Callable[[ServerMessage], ServerMessage]
    ) -> None:
        self._job = job
        self._told = told
        self._start_ms = first_sample * 1000.0 / WIRE_RATE_HZ
        order = job.utterance.order
        self._visemes = order.visemes
        self._captions = job.captions() if order.captions else []

    def cues(self, chunk: Chunk) -> list[Cue]:
        """What is to be told of a chunk."""
        found = [*self._of_words(chunk)]
        if self._visemes:
            found += [self._job.viseme(phone, self._start_ms) for phone in chunk.phones]
            # Sorting keeps the order of what begins at the same time.
            found.sort(key=lambda message: message.start_ms)
        return [self._cue(message) for message in found]

    def _of_words(self, chunk: Chunk) -> Iterator[Word | Caption | Viseme]:
        for mark in chunk.marks:
            word = self._job.word(mark, self._start_ms)
            while self._captions and self._captions[0].char_start <= word.char_start:
                caption = self._captions.pop(0)
                # Of several that begin before this word only the last has words to be heard.
                if not self._captions or self._captions[0].char_start > word.char_start:
                    yield msgspec.structs.replace(caption, start_ms=word.start_ms)
            yield word

    def _cue(self, message: Word | Caption | Viseme) -> Cue:
        at_sample = round(message.start_ms * WIRE_RATE_HZ / 1000.0)
        return Cue(at_sample, self._told(message))
