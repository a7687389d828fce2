"""Whether an utterance can be spoken the way it is asked for."""

from __future__ import annotations

from dataclasses import fields

from engines.api import ControlRanges, Controls
from voicepeer.core.errors import TextRejected


def checked(controls: Controls, ranges: ControlRanges) -> Controls:
    """The controls themselves; a control that the engine lacks may only have its default.

    Raises:
        TextRejected: names the control that is out of range.
    """
    for field in fields(controls):
        value, default = getattr(controls, field.name), field.default
        low, high = getattr(ranges, field.name) or (default, default)
        if not low <= value <= high:
            raise TextRejected(f"{field.name} can be {low:g} to {high:g}, not {value:g}")
    return controls
