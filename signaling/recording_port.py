"""What the HTTP endpoints of ``/v1/recordings`` need of the service, and what they tell."""

from __future__ import annotations

from typing import Literal, Protocol

import msgspec

from signaling.principal import Principal


class RecordingObject(msgspec.Struct, frozen=True, kw_only=True):
    """A recording of a room; times are Unix time."""

    id: str
    created_at: int
    ended_at: int | None
    """``null`` while it goes on."""
    room: str
    participants: list[str]
    """Whom you can delete: yourself, by each id that you had in the room; or all with the right to
    manage and without a subject."""
    object: Literal["recording"] = "recording"


class RecordingList(msgspec.Struct, frozen=True, kw_only=True):
    """A page of recordings, the newest first."""

    data: list[RecordingObject]
    has_more: bool
    first_id: str | None = None
    last_id: str | None = None
    object: Literal["list"] = "list"


class RecordingWithdrawn(msgspec.Struct, frozen=True, kw_only=True):
    """What there was of a person in a recording is gone, and all that was mixed of it."""

    id: str
    participants: list[str]
    """Who they were in the room."""
    tracks_deleted: int
    deleted: bool = True
    object: Literal["recording.participant.deleted"] = "recording.participant.deleted"


class RecordingService(Protocol):
    """Recordings, for those who are in them."""

    async def recordings(self, principal: Principal) -> list[RecordingObject]:
        """Those that they can delete somebody from, the newest first; raises ``Refused``."""
        ...

    async def withdraw(
        self, principal: Principal, recording_id: str, participant_id: str
    ) -> RecordingWithdrawn:
        """Delete what there is of a participant, and mixes.

        Raises:
            Refused: 404 where there is nothing that is theirs, 409 while it goes on, 503.
        """
        ...
