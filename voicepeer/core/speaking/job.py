"""One piece of an utterance on its way through the engine, and the client's events about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.api import Controls, PhoneMark, Segment, WordMark
from voicepeer.core.messages import Caption, Viseme, Word
from voicepeer.core.speaking.caption import blocks
from voicepeer.core.speaking.order import DEFAULT_LANGUAGE
from voicepeer.core.speaking.reading import Reading
from voicepeer.core.speaking.segment import Piece
from voicepeer.core.speaking.spoken import Spoken
from voicepeer.core.speaking.viseme import viseme_of

if TYPE_CHECKING:
    from voicepeer.core.speaking.utterance import Utterance


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of an utterance, ready for the engine."""

    utterance: Utterance
    index: int
    piece: Piece
    reading: Reading
    first: bool
    last: bool
    """Known only if the text had ended when the job was taken."""
    language: str = DEFAULT_LANGUAGE
    controls: Controls = Controls()
    gain: float = 1.0
    """Factor on the samples that markup asks for."""
    pause_ms: float = 0.0
    """Silence in place of speech: then there is nothing for the engine to do."""

    @property
    def spoken(self) -> Spoken:
        """What is said."""
        return self.reading.spoken

    @property
    def segment(self) -> Segment:
        """What the engine is given."""
        reading = self.reading
        return Segment(
            reading.spoken.text,
            self.language,
            self.first,
            self.last,
            reading.languages,
            reading.pronunciations,
        )

    def word(self, mark: WordMark, segment_start_ms: float) -> Word:
        """The client's event for a word that the engine marked.

        Args:
            mark: times from the first sample of this job's speech, offsets into its spoken text.
            segment_start_ms: where in the utterance's speech this job's begins.
        """
        start, end = self.spoken.source_span(mark.char_start, mark.char_end)
        return Word(
            utterance_id=self.utterance.utterance_id,
            text=mark.text,
            start_ms=segment_start_ms + mark.start_ms,
            end_ms=segment_start_ms + mark.end_ms,
            char_start=self.piece.start + start,
            char_end=self.piece.start + end,
        )

    def viseme(self, phone: PhoneMark, segment_start_ms: float) -> Viseme:
        """The client's event for a sound that the engine marked."""
        return Viseme(
            utterance_id=self.utterance.utterance_id,
            viseme=viseme_of(phone.ipa),
            ipa=phone.ipa,
            start_ms=segment_start_ms + phone.start_ms,
            end_ms=segment_start_ms + phone.end_ms,
        )

    def whole(self) -> Caption:
        """All of this piece as one caption; when it is heard is not known yet."""
        text, start = self.piece.text, self.piece.start
        return Caption(
            utterance_id=self.utterance.utterance_id,
            text=text,
            start_ms=0.0,
            char_start=start,
            char_end=start + len(text),
        )

    def captions(self) -> list[Caption]:
        """The captions of this piece; when each begins is known with its first word."""
        text, offset = self.piece.text, self.piece.start
        return [
            Caption(
                utterance_id=self.utterance.utterance_id,
                text=" ".join(text[start:end].split()),
                start_ms=0.0,
                char_start=offset + start,
                char_end=offset + start + len(text[start:end].rstrip()),
            )
            for start, end in blocks(text)
        ]
