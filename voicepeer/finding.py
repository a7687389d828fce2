"""One thing that a doctor has looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; a ``fault`` has to be mended before the service works."""

    topic: str
    state: State
    what: str
    remedy: str = ""


def reason(error: OSError) -> str:
    """What the system says of an error, to stand in a sentence."""
    return (error.strerror or str(error) or type(error).__name__).lower()
