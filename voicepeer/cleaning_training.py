"""``python -m voicepeer.cleaning_training``: learns what channels do to speaker embeddings.

    python -m voicepeer.cleaning_training --speakers LIST

The stock voices say a few sentences at three pitches, which are spoiled in five ways. The report
tells how near spoiled recordings come to clean ones, for voices that were held out and, with a
list, for real people: from the spoiled half of a clip to the other one as it is. Takes five minutes
of one core.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engines import cleaning, registry
from engines.api import Embedding, SpeakerEncoder, SpeechEngine, Voice
from engines.progress import Progress
from voicepeer import console, degrading
from voicepeer.audio import read_reference, resample
from voicepeer.core.listening.partials import learning_gain
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.order import Order
from voicepeer.evaluation import read_list
from voicepeer.offline import speak

TEXTS = (
    "The old fisherman mended his nets while the children watched from the wall.",
    "Could you tell me when the museum opens on Sunday, and what a ticket costs?",
    "We packed two blankets, a lamp, and enough bread for the whole journey.",
)
SHIFTS_SEMITONES = (0.0, -3.0, 3.0)
"""Of the pitch that a text is said at, so that there are more voices than those of the engine."""

RIDGE = 10.0
HELD_OUT = 6
"""Every so many-th voice is only for the report."""

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


class Rows:
    """Features and wanted changes as they are gathered."""

    def __init__(self, encoder: SpeakerEncoder) -> None:
        self._encoder = encoder
        self.features: list[NDArray[np.float64]] = []
        self.changes: list[NDArray[np.float64]] = []

    def add(self, speech: Pcm, random: Random) -> None:
        """One stretch of speech, spoiled in each way."""
        clean = self._embedding(levelled(speech))
        for spoil in KINDS.values():
            spoiled = levelled(spoil(speech, random))
            embedding = self._embedding(spoiled)
            self.features.append(cleaning.features(embedding, spoiled))
            self.changes.append((clean - embedding).astype(np.float64))

    def _embedding(self, speech: Pcm) -> Embedding:
        return self._encoder.embed(speech)


def levelled(speech: Pcm) -> Pcm:
    """At the level that speech has when it is embedded."""
    return np.asarray(speech * learning_gain(speech), dtype=np.float32)


def rows_of(
    engine: SpeechEngine,
    voices: Sequence[Voice],
    encoder: SpeakerEncoder,
    seed: int,
    progress: Progress,
) -> Rows:
    """Each text in each voice, spoiled in each way."""
    random, rows = np.random.default_rng(seed), Rows(encoder)
    for index, voice in enumerate(voices):
        progress("listening to voices", index / len(voices))
        for text, shift in zip(TEXTS, SHIFTS_SEMITONES, strict=True):
            order = Order(delivery=Delivery(pitch_semitones=shift))
            said = speak(text, voice, engine, order)
            rows.add(resample(said.pcm, said.rate_hz, LISTEN_RATE_HZ), random)
    progress("listening to voices", 1.0)
    return rows


def by_kind(rows: Rows, weights: cleaning.Weights) -> dict[str, dict[str, float]]:
    """Missing length of the change before and after, for each way of spoiling."""
    features, changes = np.stack(rows.features), np.stack(rows.changes)
    left = changes - features @ weights
    found = {}
    for number, kind in enumerate(KINDS):
        every = slice(number, None, len(KINDS))
        before, after = (np.linalg.norm(one[every], axis=1).mean() for one in (changes, left))
        found[kind] = {"before": round(float(before), 3), "after": round(float(after), 3)}
    return found


def real_speakers(
    clips: Sequence[Pcm], encoder: SpeakerEncoder, weights: cleaning.Weights, seed: int
) -> dict[str, dict[str, float]]:
    """Cosine of a spoiled half to the other one as it is, before and after, and the change."""
    random = np.random.default_rng(seed)
    halves = [np.array_split(pcm, 2) for pcm in clips]
    others = [encoder.embed(levelled(other)) for _, other in halves]
    found = {}
    for kind, spoil in KINDS.items():
        table = []
        for (half, _), other in zip(halves, others, strict=True):
            spoiled = levelled(spoil(half, random))
            embedding = encoder.embed(spoiled)
            change = cleaning.features(embedding, spoiled) @ weights
            clean = cleaning.corrected(embedding, change)
            table.append([float(embedding @ other), float(clean @ other), _length(change)])
        before, after, _ = np.mean(table, axis=0)
        least, most = np.percentile([row[2] for row in table], [5.0, 95.0])
        found[kind] = {
            "before": round(float(before), 3),
            "after": round(float(after), 3),
            "change, lowest twentieth": round(float(least), 2),
            "change, highest twentieth": round(float(most), 2),
        }
    return found


def _length(change: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(change))


def main(arguments: Sequence[str] | None = None) -> int:
    """Fit, write and report."""
    options = _options(arguments)
    encoder, engine = registry.create_encoder("ge2e", {}), registry.create_speech("kokoro", {})
    voices = list(engine.stock_voices().values())
    learned = [voice for index, voice in enumerate(voices) if index % HELD_OUT]
    with console.Progress() as progress:
        rows = rows_of(engine, learned, encoder, options.seed, progress)
        tried = rows_of(engine, voices[::HELD_OUT], encoder, options.seed + 1, progress)
    weights = cleaning.fit(np.stack(rows.features), np.stack(rows.changes), RIDGE)
    options.out.write_bytes(cleaning.pack(weights))
    report: dict[str, object] = {
        "voices": len(learned),
        "sha256": hashlib.sha256(options.out.read_bytes()).hexdigest(),
        "held out": by_kind(tried, weights),
    }
    if options.speakers is not None:
        clips = [read_reference(path).at(LISTEN_RATE_HZ) for path in read_list(options.speakers)]
        report["real speakers"] = real_speakers(clips, encoder, weights, options.seed)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m voicepeer.cleaning_training",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--speakers", type=Path, help="list of real clips for the report")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=cleaning.MODEL_FILE)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
