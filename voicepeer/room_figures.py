"""What is counted of the rooms of one process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from voicepeer.core.rooms.room import Publishing


@dataclass(slots=True)
class RoomTraffic:
    """Packets of all rooms so far, those that have ended among them."""

    forwarded: int = 0
    """Sent to listeners: one packet for three of them counts three times."""
    lost: int = 0
    """Of these, lost on the way to the listeners, by their reports."""


@dataclass(frozen=True, slots=True)
class RoomFigures:
    """The rooms at one moment."""

    rooms: int = 0
    participants: Mapping[Publishing, int] = field(default_factory=dict)
    """Those in rooms, by what they publish."""
    traffic: RoomTraffic = field(default_factory=RoomTraffic)
