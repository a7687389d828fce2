"""``python -m voicepeer.reference_trial LIST``: how often spoilt recordings are noticed.

Real clips, each spoilt in known measure, through the analysis that comes before cloning. Prints
the shares that are warned of and refused, and the spread of what was measured, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from engines import registry
from engines.api import SpeakerEncoder
from voicepeer import degrading
from voicepeer.audio import read_reference
from voicepeer.core.listening.quality import HINT_BELOW, assess
from voicepeer.core.listening.suitability import REFUSED_BELOW, Suitability, suitability
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.evaluation import read_list
from voicepeer.references import embedded_windows

SECONDS = 8.0
_SEED = 3

Spoil = Callable[[Pcm, Pcm, degrading.Random], Pcm]
"""A clip and another person's clip to what is heard."""


def _room(t60_s: float, direct_db: float) -> Spoil:
    return lambda pcm, _other, random: degrading.reverberate(pcm, t60_s, direct_db, random)


def _music(ratio_db: float) -> Spoil:
    return lambda pcm, _other, random: degrading.under(
        pcm, degrading.music(SECONDS, random), ratio_db
    )


def _two(pcm: Pcm, other: Pcm, _random: degrading.Random) -> Pcm:
    half = min(pcm.size, other.size) // 2
    return np.concatenate([pcm[:half], other[:half] * (degrading.rms(pcm) / degrading.rms(other))])


CASES: Mapping[str, tuple[str, Spoil]] = {
    "as it is: room": ("decay_s", lambda pcm, _other, _random: pcm),
    "as it is: music": ("tones_db", lambda pcm, _other, _random: pcm),
    "as it is: company": ("separation", lambda pcm, _other, _random: pcm),
    "room, 0.3 s, direct 6 dB over": ("decay_s", _room(0.3, 6.0)),
    "room, 0.6 s, direct 6 dB over": ("decay_s", _room(0.6, 6.0)),
    "room, 0.6 s, direct as loud": ("decay_s", _room(0.6, 0.0)),
    "room, 1.2 s, direct as loud": ("decay_s", _room(1.2, 0.0)),
    "music 25 dB under": ("tones_db", _music(25.0)),
    "music 20 dB under": ("tones_db", _music(20.0)),
    "music 10 dB under": ("tones_db", _music(10.0)),
    "another person in the second half": ("separation", _two),
    "telephone band": (
        "bandwidth_hz",
        lambda pcm, _other, _random: degrading.band_limited(pcm, 300.0, 3_400.0),
    ),
    "telephone band: music": (
        "tones_db",
        lambda pcm, _other, _random: degrading.band_limited(pcm, 300.0, 3_400.0),
    ),
    "room, 0.6 s: music": ("tones_db", _room(0.6, 0.0)),
    "noise 20 dB under: room": (
        "decay_s",
        lambda pcm, _other, random: degrading.noisy(pcm, 20.0, random),
    ),
}
"""Name of a case to the aspect that is watched and how the clip is spoilt."""


def trial(clips: Sequence[Pcm], encoder: SpeakerEncoder) -> dict[str, dict[str, float]]:
    """Shares warned of and refused, and the least, middle and greatest value, for each case."""
    found = {}
    for name, (aspect, spoil) in CASES.items():
        random = np.random.default_rng(_SEED)
        scores, values = [], []
        for index, pcm in enumerate(clips):
            other = clips[(index + len(clips) // 2) % len(clips)]
            one = next(
                one
                for one in analysis(spoil(pcm, other, random), encoder, aspect).aspects
                if one.name == aspect
            )
            scores.append(one.score)
            values.append(np.nan if one.value is None else one.value)
        found[name] = {
            "clips": len(clips),
            "warned": round(float(np.mean(np.array(scores) < HINT_BELOW)), 3),
            "refused": round(float(np.mean(np.array(scores) < REFUSED_BELOW)), 3),
            "least": round(float(np.nanmin(values)), 3),
            "median": round(float(np.nanmedian(values)), 3),
            "greatest": round(float(np.nanmax(values)), 3),
        }
    return found


def analysis(pcm: Pcm, encoder: SpeakerEncoder, aspect: str) -> Suitability:
    """The analysis of speech without pauses to speak of; embeds only where that is watched."""
    windows = embedded_windows(pcm, encoder) if aspect == "separation" else ()
    return suitability(pcm, assess(pcm), pcm.size / LISTEN_RATE_HZ, windows)


def main(arguments: Sequence[str]) -> int:
    """Try the clips of a list."""
    paths = read_list(Path(arguments[0]))
    clips = [read_reference(path, SECONDS).at(LISTEN_RATE_HZ) for path in paths]
    found = trial(clips, registry.create_encoder("ge2e", {}))
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
