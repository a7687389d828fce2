"""``python -m voicepeer.cleaning_training``: learns what channels do to speaker embeddings.

    python -m engines.kokoro.train identities --shards shards --voices 100
    python -m voicepeer.cleaning_training --shards shards --speakers LIST

The first step speaks voices that nobody has and can be stopped and started; the second spoils each
of them in five ways, as it is and through another microphone, and takes a few minutes of one core.
The same shards and seed give the same file. The report tells how much of a change is foretold for
voices that were held out and, with a list, how near real people come to the other half of their
clip: no real voice takes part in the fit.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines import cleaning, registry
from engines.api import Embedding, SpeakerEncoder
from engines.progress import Progress
from voicepeer import console, degrading
from voicepeer.audio import read_reference
from voicepeer.core.listening.partials import learning_gain
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.evaluation import read_list
from voicepeer.judge_training import read_voices, training_options

RIDGE = 20.0
HELD_OUT = 5
"""Every so many-th voice is left out of the fit that the report tries on it."""

STRETCHES = 2
"""Of each voice, with half of its utterances each: about as long as a reference."""

MICROPHONE_DB = 4.0
"""Greatest deviation of the random microphones."""

Random: TypeAlias = np.random.Generator
Spoiling: TypeAlias = Callable[[Pcm, Random], Pcm]


def _as_it_is(pcm: Pcm, random: Random) -> Pcm:
    return degrading.noisy(pcm, random.uniform(35.0, 60.0), random)


def _line(pcm: Pcm, random: Random) -> Pcm:
    low_hz, high_hz = random.choice([50.0, 100.0, 200.0, 300.0]), random.uniform(3_300.0, 4_000.0)
    return degrading.band_limited(pcm, float(low_hz), float(high_hz))


def _clear_line(pcm: Pcm, random: Random) -> Pcm:
    return degrading.noisy(_line(pcm, random), random.uniform(25.0, 50.0), random)


def _noisy_line(pcm: Pcm, random: Random) -> Pcm:
    return degrading.noisy(_line(pcm, random), random.uniform(12.0, 25.0), random)


def _noise(pcm: Pcm, random: Random) -> Pcm:
    return degrading.noisy(pcm, random.uniform(15.0, 30.0), random)


def _room(pcm: Pcm, random: Random) -> Pcm:
    wet = degrading.reverberate(pcm, random.uniform(0.2, 0.8), random.uniform(0.0, 12.0), random)
    return degrading.noisy(wet, random.uniform(25.0, 50.0), random)


KINDS: Mapping[str, Spoiling] = {
    "as it is": _as_it_is,
    "line": _clear_line,
    "noisy line": _noisy_line,
    "noise": _noise,
    "room": _room,
}


CASES: Mapping[str, Spoiling] = {
    "good recording": lambda pcm, _random: pcm,
    "telephone, noise 40 dB under": lambda pcm, random: _telephone(pcm, 40.0, random),
    "telephone, noise 15 dB under": lambda pcm, random: _telephone(pcm, 15.0, random),
    "noise 20 dB under": lambda pcm, random: degrading.noisy(pcm, 20.0, random),
    "noise 10 dB under": lambda pcm, random: degrading.noisy(pcm, 10.0, random),
    "room, 0.6 s, direct 6 dB over": lambda pcm, random: degrading.reverberate(
        pcm, 0.6, 6.0, random
    ),
    "room, 0.8 s, direct as loud": lambda pcm, random: degrading.reverberate(pcm, 0.8, 0.0, random),
}
"""What the report spoils recordings of real people with."""


def _telephone(pcm: Pcm, snr_db: float, random: Random) -> Pcm:
    return degrading.noisy(degrading.band_limited(pcm, 300.0, 3_400.0), snr_db, random)


class Rows:
    """Features and wanted changes as they are gathered."""

    def __init__(self, encoder: SpeakerEncoder) -> None:
        self._encoder = encoder
        self.features: list[NDArray[np.float64]] = []
        self.changes: list[NDArray[np.float64]] = []

    def add(self, speech: Pcm, random: Random) -> None:
        """One stretch of speech, spoiled in each way."""
        clean = self._encoder.embed(levelled(speech))
        for spoil in KINDS.values():
            spoiled = levelled(spoil(speech, random))
            embedding = self._encoder.embed(spoiled)
            self.features.append(cleaning.features(embedding, spoiled))
            self.changes.append((clean - embedding).astype(np.float64))

    def fitted(self, chosen: NDArray[np.bool_] | None = None) -> cleaning.Weights:
        """Weights for all rows, or for those that are chosen."""
        rows, changes = np.stack(self.features), np.stack(self.changes)
        if chosen is not None:
            rows, changes = rows[chosen], changes[chosen]
        return cleaning.fit(rows, changes, RIDGE)


def levelled(speech: Pcm) -> Pcm:
    """At the level that speech has when it is embedded."""
    return np.asarray(speech * learning_gain(speech), dtype=np.float32)


def rows_of(
    voices: Sequence[NDArray[np.int16]], encoder: SpeakerEncoder, seed: int, progress: Progress
) -> Rows:
    """Stretches of each voice ``[utterances, samples]``, through two microphones, spoiled."""
    random, rows = np.random.default_rng(seed), Rows(encoder)
    for index, utterances in enumerate(voices):
        progress("listening to voices", index / len(voices))
        for part in np.array_split(utterances.astype(np.float32) / 32_768.0, STRETCHES):
            speech = part.ravel()
            other = degrading.coloured(speech, random.uniform(0.0, MICROPHONE_DB), random)
            rows.add(speech, random)
            rows.add(other, random)
    progress("listening to voices", 1.0)
    return rows


def by_kind(
    rows: Rows, weights: cleaning.Weights, chosen: NDArray[np.bool_] | None = None
) -> dict[str, dict[str, float]]:
    """Missing length of the change before and after, for each way of spoiling."""
    features, changes = np.stack(rows.features), np.stack(rows.changes)
    kinds = np.arange(len(features)) % len(KINDS)
    among = np.ones(len(features), dtype=bool) if chosen is None else chosen
    left = changes - features @ weights
    found = {}
    for number, kind in enumerate(KINDS):
        every = among & (kinds == number)
        before, after = (np.linalg.norm(one[every], axis=1).mean() for one in (changes, left))
        found[kind] = {"before": round(float(before), 3), "after": round(float(after), 3)}
    return found


def held_out(rows: Rows, voices: int) -> dict[str, dict[str, float]]:
    """``by_kind`` of the voices that a fit to all others has not heard."""
    held = np.repeat(np.arange(voices) % HELD_OUT == 0, len(rows.features) // voices)
    return by_kind(rows, rows.fitted(~held), held)


def real_speakers(
    clips: Sequence[Pcm], encoder: SpeakerEncoder, weights: cleaning.Weights, seed: int
) -> dict[str, dict[str, object]]:
    """From a half of each clip, spoiled, to all other halves as they are, before and after.

    The cosine to the same speaker, the share of speakers who are the nearest to themselves, and
    the lengths of the foretold changes: least, lowest and highest twentieth, greatest.
    """
    random = np.random.default_rng(seed)
    halves = [np.array_split(pcm, 2) for pcm in clips]
    others = np.stack([encoder.embed(levelled(other)) for _, other in halves])
    found: dict[str, dict[str, object]] = {}
    for case, spoil in CASES.items():
        before, after, lengths = [], [], []
        for half, _ in halves:
            spoiled = levelled(spoil(half, random))
            embedding = encoder.embed(spoiled)
            change = cleaning.features(embedding, spoiled) @ weights
            before.append(embedding)
            after.append(cleaning.corrected(embedding, change))
            lengths.append(_length(change))
        quantiles = np.percentile(lengths, [0.0, 5.0, 95.0, 100.0])
        found[case] = {
            "before": _likeness(np.stack(before), others),
            "after": _likeness(np.stack(after), others),
            "lengths": [round(float(one), 2) for one in quantiles],
        }
    return found


def _likeness(heard: Embedding, others: Embedding) -> dict[str, float]:
    cosines = heard @ others.T
    nearest = cosines.argmax(axis=1) == np.arange(len(heard))
    return {
        "cosine": round(float(np.diag(cosines).mean()), 3),
        "nearest": round(float(nearest.mean()), 2),
    }


def _length(change: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(change))


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, write and report."""
    options = training_options(
        "voicepeer.cleaning_training", __doc__, cleaning.MODEL_FILE, arguments
    )
    encoder, voices = registry.create_encoder("ge2e", {}), read_voices(options.shards)
    with console.Progress() as progress:
        rows = rows_of(voices, encoder, options.seed, progress)
    weights = rows.fitted()
    options.out.write_bytes(cleaning.pack(weights))
    report: dict[str, object] = {
        "voices": len(voices),
        "sha256": hashlib.sha256(options.out.read_bytes()).hexdigest(),
        "held out": held_out(rows, len(voices)),
    }
    if options.speakers is not None:
        clips = [read_reference(path).at(LISTEN_RATE_HZ) for path in read_list(options.speakers)]
        report["real speakers"] = real_speakers(clips, encoder, weights, options.seed)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
