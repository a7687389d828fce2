"""Whether a room is recorded, and who of those in it has agreed to that."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

RecordingState: TypeAlias = Literal["asked", "on", "off"]
"""Somebody wants it and nobody has agreed yet; at least one is recorded; nothing of both."""

RecordingEnd: TypeAlias = Literal[
    "stopped", "room_ended", "too_long", "too_large", "disk_full", "failed", "deleted"
]
"""Why a recording has ended: on request, with the room, at a limit of the service, as the disk of
the service is nearly full, as its files cannot be written, or as whoever runs the service has
deleted it."""


@dataclass(slots=True)
class Recording:
    """A recording that was asked for, and what each has answered.

    Answers outlast the connection of whoever gave them: a client that is lost and comes back as the
    same participant is not asked again. Everybody else who comes is. To agree is an answer of one
    participant; to agree no more is one of the person, for all that they have been here.
    """

    recording_id: str
    by: str
    """Who has asked for it."""
    _answers: dict[str, bool] = field(default_factory=dict)
    _people: dict[str, str] = field(default_factory=dict)
    """Whose those answers are, by the id of the participant."""

    def answer(self, participant_id: str, person: str, agrees: bool) -> bool:
        """Note whether somebody agrees; whether that is a change.

        ``person`` is the same for all that one person has been in the room.
        """
        changed = self._answers.get(participant_id) is not agrees
        self._answers[participant_id] = agrees
        self._people[participant_id] = person
        if not agrees:
            changed |= self.withdraw(person)
        return changed

    def withdraw(self, person: str) -> bool:
        """A person agrees no more, as whomever they did; whether that is a change."""
        theirs = [one for one, whose in self._people.items() if whose == person]
        changed = any(self._answers[one] for one in theirs)
        self._answers |= dict.fromkeys(theirs, False)
        return changed

    def answer_of(self, participant_id: str) -> bool | None:
        """What somebody has answered, ``None`` for nothing yet."""
        return self._answers.get(participant_id)

    def recorded(self, present: Iterable[str]) -> tuple[str, ...]:
        """Those who are recorded, of those who are there."""
        return tuple(one for one in present if self._answers.get(one))
