"""In the worker: voice activity and speaker embeddings."""

from __future__ import annotations

from typing import NoReturn

from engines.api import SpeakerEncoder, VoiceActivityModel
from engines.process.frames import Embed, Embedded, Score, Scored, ToWorker
from engines.process.lane import Lane, Outbox


class HearingWorker:
    """Runs voice activity in the main thread and the slower speaker encoder beside it."""

    def __init__(self, encoder: SpeakerEncoder, vad: VoiceActivityModel, outbox: Outbox) -> None:
        self._encoder = encoder
        self._vad = vad
        self._embeddings = Lane(outbox)
        self._scores = Lane(outbox)

    def receive(self, message: ToWorker) -> None:
        """Take a message, in the reading thread."""
        match message:
            case Score(id):
                self._scores.submit(id, lambda: score(self._vad, message))
            case Embed(id, pcm, window):
                embed = self._encoder.embed_window if window else self._encoder.embed
                self._embeddings.submit(id, lambda: Embedded(id, embed(pcm)))
            case _:
                raise TypeError(f"a listening worker was sent {type(message).__name__}")

    def run(self) -> NoReturn:
        """Score and embed for ever."""
        self._embeddings.run_in_thread()
        self._scores.run()


def score(vad: VoiceActivityModel, request: Score) -> Scored:
    """Score windows one by one, each with the state that the one before left."""
    memory = vad.memory() if request.memory is None else request.memory
    probabilities = []
    for window in request.windows.reshape(-1, vad.window_samples):
        probability, memory = vad.score(window, memory)
        probabilities.append(probability)
    return Scored(request.id, probabilities, memory)
