"""How long work tells how far it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done, 0 to 1."""


def no_progress(_what: str, _share: float) -> None:
    """A progress callback that tells nobody."""
