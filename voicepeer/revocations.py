"""Tells whoever holds a voice in memory that it was deleted."""

from __future__ import annotations

from collections.abc import Callable


class Revocations:
    """One a process: sessions listen, whoever deletes tells."""

    def __init__(self) -> None:
        self._listeners: set[Callable[[str], None]] = set()

    def listen(self, forget: Callable[[str], None]) -> Callable[[], None]:
        """Call ``forget`` with the id of every voice that is deleted; gives how to stop that."""
        self._listeners.add(forget)
        return lambda: self._listeners.discard(forget)

    def revoke(self, voice_id: str) -> None:
        """A voice is no more: whoever has it forgets it before this returns."""
        for forget in list(self._listeners):
            forget(voice_id)
