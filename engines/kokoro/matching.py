"""Gives a voice what of its speaker is not in its style: how high they speak, and how lively.

Also, where that is asked for, the channel of its recording; its style is made without that.

A voice is heard once in the sentences of its calibration, and what it does there is compared with
the reference by the same measure, so that what the measure gets wrong cancels out. Figures are in
docs/cloning.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engines.api import Pcm, Reference, Voice
from engines.cleaning import EMBEDDING_SIZE, cleaned
from engines.kokoro import calibration, tone, voices
from engines.kokoro.channel import Levels, channel_of
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.synth import Synthesizer
from engines.kokoro.transposition import transposed
from engines.pitch import RATIO_RANGE, PitchTrack, semitones, track_pitch
from engines.pitch import SAMPLE_RATE_HZ as _RATE_HZ
from engines.resampling import resample
from engines.spectrum import RATE_HZ

FALL_SEMITONES = 0.5
"""People begin higher than they go on: what is heard first is that much over what they keep to.

From the first half of a clip to the second, 47 speakers fall by 1.1 semitones in the mean.
"""

CALIBRATION_SEMITONES = 0.2
"""Sentences of a calibration are short ones, and those are said that much higher than others."""

CALIBRATION_RANGE = 1.1
"""How much wider the melody of a calibration is than that of longer sentences."""

USUAL_RANGE_SEMITONES = 2.6
"""``PitchTrack.spread_semitones`` of people who read aloud, median of 47."""

_TRUST = 0.35
"""How much of its distance from the usual a range keeps in the speaker's other sentences."""

RANGE_LIMITS = (0.65, 1.4)
"""Narrower melodies drone and wider ones sing."""


@dataclass(frozen=True, slots=True)
class Melody:
    """How high somebody speaks, and how far their voice moves around that."""

    f0_hz: float
    spread_semitones: float


def melody_of(track: PitchTrack) -> Melody | None:
    """What a track says of a person, ``None`` where too little of it is voiced."""
    f0_hz, spread = track.median_hz, track.spread_semitones
    return None if f0_hz is None or spread <= 0.0 else Melody(f0_hz, spread)


def matched(synth: Synthesizer, voice: Voice, reference: Reference, recorded: PitchTrack) -> Voice:
    """The voice at the F0 and with the range of its speaker, ready to speak.

    ``recorded`` is the pitch of the reference. Takes about a second, which is that of its
    calibration.
    """
    style, ratio = voices.voice_style(voice)
    said, statistics = calibration.heard(synth, style, ratio)
    own = melody_of(track_pitch(resample(said, SAMPLE_RATE_HZ, _RATE_HZ)))
    wanted = melody_of(recorded)
    factor = 1.0
    if own is not None and wanted is not None:
        moved = float(np.clip(ratio * f0_correction(own, wanted), *RATIO_RANGE))
        statistics = transposed(statistics, semitones(moved, ratio))
        ratio, factor = moved, range_factor(own, wanted)
    arrays = {
        **voice.arrays,
        voices.F0_RATIO: np.array([ratio], np.float32),
        voices.F0_RANGE: np.array([factor], np.float32),
        voices.NORMS: calibration.to_array(statistics),
    }
    levels = _channel(reference, _toned(said, voice)) if reference.match_channel else None
    return replace(voice, arrays=arrays if levels is None else {**arrays, voices.CHANNEL: levels})


def _channel(reference: Reference, spoken: Pcm) -> Levels | None:
    """Gains from what a voice said, at 24 kHz, to its recording."""
    recorded = resample(reference.pcm, reference.sample_rate_hz, RATE_HZ)
    return channel_of(recorded, resample(spoken, SAMPLE_RATE_HZ, RATE_HZ))


def _toned(said: Pcm, voice: Voice) -> Pcm:
    """What a voice said, with its tone."""
    gains = voices.voice_tone(voice)
    return said if gains is None else tone.filtered(said, tone.fir(gains))


def without_channel(reference: Reference) -> Reference:
    """The reference with its embedding as it would be from a good recording.

    One that cannot be an embedding is left as it is, for ``cloning`` to refuse.
    """
    embedding = reference.embedding
    if embedding is None or embedding.shape != (EMBEDDING_SIZE,):
        return reference
    length = float(np.linalg.norm(embedding))
    if not (0.0 < length < np.inf and np.isfinite(reference.pcm).all() and reference.pcm.size):
        return reference
    recorded = resample(reference.pcm, reference.sample_rate_hz, RATE_HZ)
    unit = np.asarray(embedding / length, dtype=np.float32)
    return replace(reference, embedding=cleaned(unit, recorded))


def f0_correction(own: Melody, wanted: Melody) -> float:
    """Factor on F0 that brings a voice heard in its calibration to a person heard at first."""
    away = CALIBRATION_SEMITONES - FALL_SEMITONES
    return float(wanted.f0_hz / own.f0_hz * 2.0 ** (away / 12.0))


def range_factor(own: Melody, wanted: Melody) -> float:
    """Factor on the range of a voice, within ``RANGE_LIMITS``.

    Few seconds tell little of a person's range, so most of what they tell is left out.
    """
    usual = USUAL_RANGE_SEMITONES
    target = usual * (wanted.spread_semitones / usual) ** _TRUST
    return float(np.clip(target * CALIBRATION_RANGE / own.spread_semitones, *RANGE_LIMITS))
