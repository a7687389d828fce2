"""What is said in each room, for those who only listen there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from voicepeer.core.pcm import Pcm16
from voicepeer.core.placement import RoomKey
from voicepeer.core.speaking.mix import Mix
from voicepeer.tracks import SpeechTrack

__all__ = ["RoomKey", "RoomVoices"]


@dataclass(slots=True)
class _Room:
    speakers: dict[SpeechTrack, Callable[[], bool]] = field(default_factory=dict)
    """With what tells whether they are withheld."""
    listeners: set[SpeechTrack] = field(default_factory=set)
    mix: Mix | None = None
    """While somebody listens: then every speaker's frames are pushed into it."""


class RoomVoices:
    """Rooms of one process with their speakers and listeners; one event loop only.

    A listener hears all speakers of the room at once, also those who come later, about 30 ms after
    each is sent. All listeners of a room share the mixing and, where they want the same, the
    encoding.
    """

    def __init__(self) -> None:
        self._rooms: dict[RoomKey, _Room] = {}

    def __len__(self) -> int:
        return len(self._rooms)

    def enter(
        self, key: RoomKey, speaker: SpeechTrack, withheld: Callable[[], bool] = lambda: False
    ) -> None:
        """Let a room hear a track, with silence in its place while it is ``withheld``."""
        room = self._rooms.setdefault(key, _Room())
        room.speakers[speaker] = withheld
        if room.mix is not None:
            _tap(room.mix, speaker, withheld)

    def leave(self, key: RoomKey, speaker: SpeechTrack) -> None:
        """Let the room hear it no more; harmless when it does not."""
        room = self._rooms.get(key)
        if room is None or speaker not in room.speakers:
            return
        del room.speakers[speaker]
        speaker.on_sent = None
        if room.mix is not None:
            room.mix.drop(speaker)
        self._tidy(key, room)

    def listen(self, key: RoomKey) -> SpeechTrack:
        """A track with what is said in a room; ``stop_listening`` frees it."""
        room = self._rooms.setdefault(key, _Room())
        if room.mix is None:
            room.mix = Mix()
            for speaker, withheld in room.speakers.items():
                _tap(room.mix, speaker, withheld)
            track = SpeechTrack(room.mix)
        else:
            track = next(iter(room.listeners)).beside()
        room.listeners.add(track)
        return track

    def stop_listening(self, key: RoomKey, track: SpeechTrack) -> None:
        """Stop a track that ``listen`` gave."""
        track.stop()
        room = self._rooms.get(key)
        if room is None or track not in room.listeners:
            return
        room.listeners.discard(track)
        if not room.listeners:
            room.mix = None
            for speaker in room.speakers:
                speaker.on_sent = None
        self._tidy(key, room)

    def _tidy(self, key: RoomKey, room: _Room) -> None:
        if not (room.speakers or room.listeners):
            del self._rooms[key]


def _tap(mix: Mix, speaker: SpeechTrack, withheld: Callable[[], bool]) -> None:
    def push(pcm: Pcm16) -> None:
        mix.push(speaker, np.zeros_like(pcm) if withheld() else pcm)

    speaker.on_sent = push
