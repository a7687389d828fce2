"""``python -m voicepeer.consent_trial LIST``: how often a spoken consent is taken for another's.

The first seconds of a clip stand for the consent, the rest for the recording that is cloned; the
consent also as another microphone, room or line would give it. Prints the share of speakers who
are turned away from their own voice and of those who are let into another's, as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engines import registry
from engines.api import Embedding, Reference, SpeakerEncoder
from voicepeer import degrading
from voicepeer.audio import read_reference
from voicepeer.core.listening.identity import SAME_SPEAKER_COSINE
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.evaluation import read_list
from voicepeer.offline import Ears
from voicepeer.references import clone_reference
from voicepeer.speaker_identity import identity_of

CONSENT_S = 3.5
"""About as long as the phrase takes."""

MIN_REFERENCE_S = 3.0
THRESHOLDS = (0.70, 0.73, 0.76, SAME_SPEAKER_COSINE, 0.80)
_SEED = 3

Spoil = Callable[[Pcm, degrading.Random], Pcm]

CASES: Mapping[str, Spoil] = {
    "the same recording": lambda pcm, _random: pcm,
    "another microphone and room": degrading.another_channel,
    "noise 20 dB under": lambda pcm, random: degrading.noisy(pcm, 20.0, random),
    "room, 0.4 s, direct 6 dB over": lambda pcm, random: degrading.reverberate(
        pcm, 0.4, 6.0, random
    ),
    "telephone band": lambda pcm, _random: degrading.band_limited(pcm, 300.0, 3_400.0),
}
"""How the consent was recorded; the recording that is cloned is as it is."""


def trial(
    clips: Sequence[Pcm], ears: Ears, thresholds: Sequence[float] = THRESHOLDS
) -> dict[str, object]:
    """Shares of both errors for each case and threshold.

    ``clips`` are mono at 16 kHz, each of another speaker; those with too little speech for both
    parts are left out.
    """
    encoder, cut = ears.encoder, round(CONSENT_S * LISTEN_RATE_HZ)
    speech = [
        clone_reference(pcm, ears.vad, encoder, min_speech_s=1.0).reference.pcm for pcm in clips
    ]
    long = [pcm for pcm in speech if pcm.size >= cut + MIN_REFERENCE_S * LISTEN_RATE_HZ]
    references = np.stack([_identity(pcm[cut:], encoder) for pcm in long])
    random = np.random.default_rng(_SEED)
    cases = {}
    for name, spoil in CASES.items():
        consents = np.stack([_identity(spoil(pcm[:cut], random), encoder) for pcm in long])
        cases[name] = _errors(consents @ references.T, thresholds)
    return {"speakers": len(long), "threshold": SAME_SPEAKER_COSINE, "cases": cases}


def _identity(speech: Pcm, encoder: SpeakerEncoder) -> Embedding:
    reference = Reference(speech, LISTEN_RATE_HZ, encoder.embed(speech))
    embedding = identity_of(reference, encoder.name)
    assert embedding is not None
    return embedding


def _errors(
    cosines: np.ndarray[tuple[int, int], np.dtype[np.float32]], thresholds: Sequence[float]
) -> dict[str, object]:
    own = np.diag(cosines)
    others = cosines[~np.eye(len(cosines), dtype=bool)]
    return {
        "own cosine, least and median": [_rounded(np.min(own)), _rounded(np.median(own))],
        "others' cosine, median and greatest": [
            _rounded(np.median(others)),
            _rounded(np.max(others)),
        ],
        "turned away": {f"{one:g}": _rounded(np.mean(own < one)) for one in thresholds},
        "let in": {f"{one:g}": _rounded(np.mean(others >= one)) for one in thresholds},
    }


def _rounded(value: np.floating[Any]) -> float:
    return round(float(value), 4)


def main(arguments: Sequence[str]) -> int:
    """Try the clips of a list."""
    paths = read_list(Path(arguments[0]))
    clips = [read_reference(path).at(LISTEN_RATE_HZ) for path in paths]
    ears = Ears(registry.create_encoder("ge2e", {}), registry.create_vad("silero", {}))
    found = trial(clips, ears)
    sys.stdout.write(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
