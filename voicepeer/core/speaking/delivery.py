"""How an utterance shall be delivered: what was asked for, held to what is possible."""

from __future__ import annotations

from dataclasses import dataclass, fields

from engines.api import ControlRanges, Controls
from voicepeer.core.errors import TextRejected
from voicepeer.core.speaking.controls import checked
from voicepeer.core.speaking.emotion import NEUTRAL, RECIPES, Recipe

VOLUME_RANGE = (0.0, 2.0)
STRENGTH_RANGE = (0.0, 1.0)
UNIT_PITCH_SEMITONES = 24.0
"""The scale of -0.5 to 0.5 that OpenVoice's users know spans the octave down and up."""

UNIT_PITCH_RANGE = (-0.5, 0.5)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What was asked for; ``None`` was not."""

    speed: float | None = None
    pitch_semitones: float | None = None
    energy: float | None = None
    volume: float | None = None
    """Factor on the level of what is sent, at once; ``energy`` is the speaker's."""
    pauses: float | None = None
    pitch_range: float | None = None
    whisper: float | None = None
    emotion: str | None = None
    emotion_strength: float | None = None
    recipe: Recipe | None = None
    """In place of a named emotion: one that was taken from a recording."""

    def over(self, base: Delivery) -> Delivery:
        """What this asks for, and what ``base`` asks for where this does not."""
        own = {field.name: getattr(self, field.name) for field in fields(self)}
        merged = {
            name: getattr(base, name) if value is None else value for name, value in own.items()
        }
        if self.emotion is not None and self.recipe is None:
            merged["recipe"] = None
        return Delivery(**merged)

    @property
    def gain(self) -> float:
        """Factor on the samples that are sent."""
        return 1.0 if self.volume is None else self.volume

    @property
    def plain(self) -> Controls:
        """The controls that were asked for, without the emotion."""
        names = ("speed", "pitch_semitones", "energy", "pauses", "pitch_range", "whisper")
        asked = {name: getattr(self, name) for name in names}
        return Controls(**{name: value for name, value in asked.items() if value is not None})

    def controls(self, ranges: ControlRanges | None = None, *more: Recipe) -> Controls:
        """The controls with the emotion in them, held to what the engine can do."""
        strength = 1.0 if self.emotion_strength is None else self.emotion_strength
        recipe = self.recipe or RECIPES[self.emotion or NEUTRAL]
        controls = recipe.at(strength).on(self.plain)
        for one in more:
            controls = one.on(controls)
        return controls if ranges is None else limited(controls, ranges)

    def checked(self, ranges: ControlRanges) -> Delivery:
        """Itself.

        Raises:
            TextRejected: names the value that is out of range, or the emotions there are.
        """
        checked(self.plain, ranges)
        _check("volume", self.volume, VOLUME_RANGE)
        _check("emotion_strength", self.emotion_strength, STRENGTH_RANGE)
        if self.emotion is not None and self.emotion not in RECIPES:
            raise TextRejected(
                f"there is no emotion {self.emotion[:32]!r}: "
                f"the voice can be {', '.join(sorted(RECIPES))}"
            )
        return self


def limited(controls: Controls, ranges: ControlRanges) -> Controls:
    """The nearest controls that the engine can do."""
    near = {}
    for field in fields(controls):
        low, high = getattr(ranges, field.name) or (field.default, field.default)
        near[field.name] = min(max(getattr(controls, field.name), low), high)
    return Controls(**near)


def semitones_of(unit_pitch: float) -> float:
    """Semitones of a pitch on the scale of -0.5 to 0.5.

    Raises:
        TextRejected: it is not on that scale.
    """
    _check("pitch", unit_pitch, UNIT_PITCH_RANGE)
    return unit_pitch * UNIT_PITCH_SEMITONES


def _check(name: str, value: float | None, limits: tuple[float, float]) -> None:
    if value is not None and not limits[0] <= value <= limits[1]:
        raise TextRejected(f"{name} can be {limits[0]:g} to {limits[1]:g}, not {value:g}")
