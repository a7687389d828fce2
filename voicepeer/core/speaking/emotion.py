"""Emotions as recipes of prosody: what of tempo, melody, loudness, breath and pauses they move.

The directions are those that studies of acted speech agree on (K. R. Scherer, "Vocal communication
of emotion: A review of research paradigms", Speech Communication 40, 2003, table 2); the amounts
were chosen so that words and predicted quality stay (``voicepeer eval emotions`` measures both).
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from engines.api import Controls


@dataclass(frozen=True, slots=True)
class Recipe:
    """Factors and offsets on the controls; the defaults change nothing."""

    speed: float = 1.0
    pitch_semitones: float = 0.0
    pitch_range: float = 1.0
    pitch_slope_semitones: float = 0.0
    energy: float = 1.0
    whisper: float = 0.0
    pauses: float = 1.0

    def at(self, strength: float) -> Recipe:
        """A weaker form: 0 changes nothing, 1 is the whole recipe."""
        return Recipe(
            speed=self.speed**strength,
            pitch_semitones=self.pitch_semitones * strength,
            pitch_range=self.pitch_range**strength,
            pitch_slope_semitones=self.pitch_slope_semitones * strength,
            energy=self.energy**strength,
            whisper=self.whisper * strength,
            pauses=self.pauses**strength,
        )

    def on(self, controls: Controls) -> Controls:
        """The controls with this recipe on top; may go beyond what an engine can."""
        return Controls(
            speed=controls.speed * self.speed,
            pitch_semitones=controls.pitch_semitones + self.pitch_semitones,
            energy=controls.energy * self.energy,
            pitch_range=controls.pitch_range * self.pitch_range,
            pitch_slope_semitones=controls.pitch_slope_semitones + self.pitch_slope_semitones,
            whisper=max(controls.whisper, self.whisper),
            pauses=controls.pauses * self.pauses,
        )


NEUTRAL = "neutral"
RECIPES = MappingProxyType(
    {
        NEUTRAL: Recipe(),
        "happy": Recipe(1.06, 1.5, 1.3, 0.0, 1.1, 0.0, 0.85),
        "sad": Recipe(0.86, -1.5, 0.65, -1.0, 0.85, 0.0, 1.4),
        "angry": Recipe(1.1, 0.7, 1.25, -2.0, 1.2, 0.0, 0.7),
        "surprised": Recipe(1.04, 2.5, 1.4, 3.0, 1.1, 0.0, 1.0),
        "fearful": Recipe(1.12, 2.0, 0.75, 1.0, 0.9, 0.0, 1.1),
        "whispering": Recipe(0.9, -1.0, 0.55, -1.0, 0.7, 0.55, 1.2),
        "cheerful": Recipe(1.08, 2.0, 1.4, 1.0, 1.15, 0.0, 0.8),
    }
)
"""By name: speed, F0 level, F0 range, contour, energy, breath, pauses."""
