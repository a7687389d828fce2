"""The life of an utterance as a table of its phases and of what moves it on."""

from __future__ import annotations

import enum


class Phase(enum.Enum):
    """Where an utterance is in its life."""

    OPEN = "open"
    """More text may come."""
    ENDED = "ended"
    """All its text is there."""
    DONE = "done"
    CANCELLED = "cancelled"
    FAILED = "failed"


class Input(enum.Enum):
    """What can happen to an utterance."""

    TEXT = "text"
    END = "end"
    PLAYED_OUT = "played_out"
    CANCEL = "cancel"
    FAIL = "fail"


_NEXT: dict[tuple[Phase, Input], Phase] = {
    (Phase.OPEN, Input.TEXT): Phase.OPEN,
    (Phase.OPEN, Input.END): Phase.ENDED,
    (Phase.OPEN, Input.CANCEL): Phase.CANCELLED,
    (Phase.OPEN, Input.FAIL): Phase.FAILED,
    (Phase.ENDED, Input.END): Phase.ENDED,
    (Phase.ENDED, Input.PLAYED_OUT): Phase.DONE,
    (Phase.ENDED, Input.CANCEL): Phase.CANCELLED,
    (Phase.ENDED, Input.FAIL): Phase.FAILED,
}
"""All legal steps; text for an ended utterance is refused, anything after the end is ignored."""


def following(phase: Phase, happened: Input) -> Phase | None:
    """The phase after something has happened; None where it makes no difference."""
    return _NEXT.get((phase, happened))


def is_over(phase: Phase) -> bool:
    """Whether nothing can happen any more."""
    return phase in (Phase.DONE, Phase.CANCELLED, Phase.FAILED)
