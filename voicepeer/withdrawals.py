"""Recordings for those who are in them, once they have ended: which there are, and to be taken out
of one.

The same for a session, which knows who its client was in the room, and for an HTTP client, which
has a key or token only.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence

from signaling.principal import Principal
from signaling.recording_port import RecordingObject, RecordingWithdrawn
from voicepeer.audit import Audit
from voicepeer.core.errors import (
    NotRecorded,
    RecordedStill,
    RecordingGoesOn,
    RecordingNotFound,
    RecordingUnavailable,
    VoicePeerError,
)
from voicepeer.core.placement import RoomKey
from voicepeer.core.recording.manifest import Manifest, Track
from voicepeer.core.rooms.room import person_of
from voicepeer.recording_store import Recorded, RecordingStore
from voicepeer.refusals import refusal

logger = logging.getLogger(__name__)


class Withdrawals:
    """Implements ``signaling.recording_port.RecordingService``.

    Args:
        store: where recordings are kept.
        audit: where it is noted who was taken out of one.
    """

    def __init__(self, store: RecordingStore, audit: Audit) -> None:
        self._store = store
        self._audit = audit

    # --- for sessions ---------------------------------------------------------------------------

    async def withdraw_person(self, key: RoomKey, person: str, recording_id: str) -> None:
        """Delete all that a recording of a room has of somebody (``Participant.person``).

        Raises:
            NotRecorded: there is nothing of them in a recording of this room with this id.
            RecordedStill: it goes on.
            RecordingUnavailable: it cannot be changed.
        """

        def theirs(manifest: Manifest) -> list[Track]:
            if (manifest.tenant, manifest.room) != key:
                return []
            return [track for track in manifest.tracks if track.person == person]

        gone = await self._delete(recording_id, theirs)
        tenant, _ = key
        subject = person.removeprefix(person_of(f"{tenant}/"))
        self._audit.record(
            "recording.withdraw",
            key_id=tenant,
            subject="" if subject == person else subject,
            recording_id=recording_id,
            participant_id=gone[0].participant,
            reason="deleted",
        )

    # --- for HTTP clients -----------------------------------------------------------------------

    async def recordings(self, principal: Principal) -> list[RecordingObject]:
        """Those that somebody can be taken out of by this key or token, the newest first.

        Raises:
            Refused: they cannot be read.
        """
        try:
            found = await asyncio.to_thread(self._store.records)
        except OSError as error:
            raise refusal(_unavailable(error)) from error
        described = (_described(one, principal) for one in reversed(found))
        return [one for one in described if one is not None]

    async def withdraw(
        self, principal: Principal, recording_id: str, participant_id: str
    ) -> RecordingWithdrawn:
        """Delete all that there is of a participant, whoever else the same person was in the room.

        Raises:
            Refused: 404 where it is not theirs to delete, 409 while the recording goes on, 503
                where it cannot be changed.
        """
        try:
            gone = await self._delete(
                recording_id, lambda manifest: _of_one(manifest, principal, participant_id)
            )
        except VoicePeerError as error:
            raise refusal(error) from error
        self._audit.record(
            "recording.withdraw" if principal.subject else "recording.delete",
            key_id=principal.key_id,
            subject=principal.subject,
            recording_id=recording_id,
            participant_id=participant_id,
            reason="deleted" if principal.subject else "",
        )
        return RecordingWithdrawn(
            id=recording_id,
            participants=list(dict.fromkeys(track.participant for track in gone)),
            tracks_deleted=len(gone),
        )

    # --- inside ---------------------------------------------------------------------------------

    async def _delete(
        self, recording_id: str, choose: Callable[[Manifest], Sequence[Track]]
    ) -> Sequence[Track]:
        delete = self._store.delete_tracks
        try:
            gone = await asyncio.to_thread(delete, recording_id, choose, time.time())
        except RecordingGoesOn as error:
            raise RecordedStill(
                "this recording goes on: withdraw in the room (room.consent_recording), or here "
                "when it has ended"
            ) from error
        except RecordingNotFound as error:
            raise _not_recorded() from error
        except OSError as error:
            raise _unavailable(error) from error
        if not gone:
            raise _not_recorded()
        logger.info("%d tracks of the recording %s were withdrawn", len(gone), recording_id)
        return gone


def _not_recorded() -> NotRecorded:
    return NotRecorded(
        "there is nothing of you in a recording with this id: it may be deleted already"
    )


def _unavailable(error: OSError) -> RecordingUnavailable:
    logger.error("recordings cannot be reached: %s", error)
    return RecordingUnavailable(
        "recordings cannot be reached at present, so that there may still be something of you: try "
        "again, or tell whoever runs the service"
    )


def _theirs(manifest: Manifest, principal: Principal) -> list[Track]:
    """What somebody may delete: their own, or with the right to manage what is of their key.

    Of whoever has no subject it cannot be known over HTTP who they were in a room.
    """
    if principal.tenant != manifest.tenant or principal.room not in (None, manifest.room):
        return []
    if principal.subject:
        person = person_of(principal.owner)
        return [track for track in manifest.tracks if track.person == person]
    return manifest.tracks if "manage" in principal.rights else []


def _of_one(manifest: Manifest, principal: Principal, participant_id: str) -> list[Track]:
    theirs = _theirs(manifest, principal)
    people = {track.person for track in theirs if track.participant == participant_id} - {""}
    return [
        track for track in theirs if track.participant == participant_id or track.person in people
    ]


def _described(found: Recorded, principal: Principal) -> RecordingObject | None:
    """A recording as somebody may know it, if there is anything of theirs in it."""
    manifest = found.manifest
    theirs = [] if manifest is None else _theirs(manifest, principal)
    if manifest is None or not theirs:
        return None
    return RecordingObject(
        id=found.recording_id,
        created_at=int(manifest.begun_s),
        ended_at=None if found.goes_on(time.time()) else int(found.ended_s),
        room=manifest.room,
        participants=list(dict.fromkeys(track.participant for track in theirs)),
    )
