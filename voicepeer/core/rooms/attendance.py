"""What one session has of its room, in it or out of it, for the next one of its client."""

from __future__ import annotations

from dataclasses import dataclass

from voicepeer.core.rooms.room import Participant


@dataclass(frozen=True, slots=True)
class Attendance:
    """One session's part in its room.

    ``mark`` stands for the session in rooms, and so for whoever is not known otherwise. Whoever was
    ``muted`` when they left is so when they come in again.
    """

    mark: str = ""
    muted: bool = False
    participant: Participant | None = None
    """As whom the client is in the room, if it is in it."""
