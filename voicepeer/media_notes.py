"""How a service keeps up: noted in media processes, judged at the entry for all of them at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from voicepeer.core.degradation.vitals import Notes
from voicepeer.media_frames import Noted


class NotesForEntry:
    """Implements ``Notes`` in a media process: ``tell`` takes each to the entry."""

    def __init__(self, tell: Callable[[Noted], None]) -> None:
        self._tell = tell

    def first_audible(self, latency_ms: float, now: float) -> None:
        """An utterance was heard, so long after its text came."""
        self._tell(Noted("first_audible", latency_ms))

    def ended(self, now: float, *, failed: bool) -> None:
        """An utterance is over."""
        self._tell(Noted("failed" if failed else "done"))

    def embedded(self, took_ms: float, now: float) -> None:
        """A speaker embedding was made."""
        self._tell(Noted("embedded", took_ms))


def take_note(noted: Noted, notes: Notes, now: float) -> None:
    """Note at the entry, at ``now``, what a media process has told."""
    match noted.what:
        case "first_audible":
            notes.first_audible(noted.ms, now)
        case "done" | "failed":
            notes.ended(now, failed=noted.what == "failed")
        case "embedded":
            notes.embedded(noted.ms, now)
        case _:
            assert_never(noted.what)
