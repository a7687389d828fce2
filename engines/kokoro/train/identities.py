"""Speaks each of many drawn voices several times: what a judge of voices learns to tell apart.

Kept as sound, not as features, so that a judge can be changed without speaking again. Seeds and
shards are as in ``generation``; the voices are others, because the seeds are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.api import Pcm
from engines.kokoro.network import Matrix
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.synth import Acoustics, Synthesizer
from engines.kokoro.train.drawing import SPEED, Random, VoiceDrawer, f0_ratio
from engines.kokoro.train.generation import SAMPLE_FRAMES, cut
from engines.kokoro.train.sentences import SENTENCES
from engines.kokoro.vocabulary import to_tokens
from engines.kokoro.weights import writing
from engines.pitch import RATIO_RANGE
from engines.pitch import SAMPLE_RATE_HZ as HEARD_RATE_HZ
from engines.progress import Progress
from engines.resampling import resample

SHARD_VOICES = 5
UTTERANCES = 4
SAMPLES = SAMPLE_FRAMES * HEARD_RATE_HZ // 40
"""Length of an utterance, 2.4 s: frames last 25 ms."""

_VOICED_ABOVE_HZ = 30.0
_SPEED_WANDERS = 0.05
_SEED = 7_000
"""Added to the seed, so that nobody speaks here whom cloning was fitted on."""


@dataclass(frozen=True, slots=True)
class Identity:
    """One voice that nobody has, and what is said in it."""

    style: Matrix
    f0_hz: float | None
    sentences: tuple[int, ...]
    speeds: tuple[float, ...]
    crops: tuple[float, ...]


def draw_identity(drawer: VoiceDrawer, random: Random) -> Identity:
    """The next voice; it says ``UTTERANCES`` different sentences at nearly one speed."""
    one = drawer.draw(random, len(SENTENCES))
    chosen = random.choice(len(SENTENCES), UTTERANCES, replace=False)
    wander = random.uniform(-_SPEED_WANDERS, _SPEED_WANDERS, UTTERANCES)
    return Identity(
        one.style,
        one.f0_hz,
        tuple(int(index) for index in chosen),
        tuple(float(np.clip(one.speed + by, *SPEED)) for by in wander),
        tuple(float(share) for share in random.random(UTTERANCES)),
    )


def say(synth: Synthesizer, identity: Identity) -> NDArray[np.int16]:
    """What the voice says, 16 kHz, shape ``[UTTERANCES, SAMPLES]``."""
    fronts = [
        synth.front(to_tokens(SENTENCES[sentence]), identity.style, speed)
        for sentence, speed in zip(identity.sentences, identity.speeds, strict=True)
    ]
    ratio = f0_ratio(identity.f0_hz, _median_f0_hz(fronts), RATIO_RANGE)
    said = []
    for front, crop in zip(fronts, identity.crops, strict=True):
        moved = replace(front, f0_hz=front.f0_hz * np.float32(ratio))
        pcm = synth.decode(cut(moved, SAMPLE_FRAMES, crop), identity.style)
        said.append(_as_heard(pcm))
    return np.stack(said)


def _median_f0_hz(fronts: list[Acoustics]) -> float:
    f0_hz = np.concatenate([front.f0_hz for front in fronts])
    voiced = f0_hz[f0_hz > _VOICED_ABOVE_HZ]
    return float(np.median(voiced)) if voiced.size else 0.0


def _as_heard(pcm: Pcm) -> NDArray[np.int16]:
    heard = resample(pcm, SAMPLE_RATE_HZ, HEARD_RATE_HZ)
    exact = np.pad(heard, (0, max(0, SAMPLES - heard.size)))[:SAMPLES]
    return np.asarray(np.round(np.clip(exact, -1.0, 1.0) * 32767.0), dtype=np.int16)


def generate(synth: Synthesizer, folder: Path, seed: int, shards: range, progress: Progress) -> int:
    """Speak the shards that are not there yet; returns how many were made."""
    drawer, made = VoiceDrawer(), 0
    for place, index in enumerate(shards):
        progress("speaking identities", place / len(shards))
        path = folder / f"{seed}_{index:05d}.npz"
        if not path.is_file():
            random = np.random.default_rng([_SEED + seed, index])
            drawn = [draw_identity(drawer, random) for _ in range(SHARD_VOICES)]
            with writing(path) as file:
                np.savez_compressed(file, pcm=np.stack([say(synth, one) for one in drawn]))
            made += 1
    progress("speaking identities", 1.0)
    return made
