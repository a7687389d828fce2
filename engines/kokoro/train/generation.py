"""Speaks drawn voices and embeds what is heard: the samples that cloning is fitted on.

Each shard has its own seed, so a run that was stopped goes on where it was, and several processes
can share the work.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np

from engines.api import SpeakerEncoder
from engines.kokoro import tone
from engines.kokoro.cloning import SPOKEN_DBFS, TONE_DB
from engines.kokoro.network import Matrix
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.synth import Acoustics, Synthesizer
from engines.kokoro.train.drawing import Draw, VoiceDrawer, f0_ratio
from engines.kokoro.train.samples import Samples, write_shard
from engines.kokoro.train.sentences import SENTENCES
from engines.kokoro.vocabulary import to_tokens
from engines.pitch import RATIO_RANGE, track_pitch
from engines.progress import Progress
from engines.resampling import resample

SHARD_SAMPLES = 50
SAMPLE_FRAMES = 96
"""2.4 s: two windows of the speaker encoder, and always the same shape for the compilers."""

_VOICED_ABOVE_HZ = 30.0
_F0_HZ = (55.0, 480.0)
"""Outside of this the voice has lost its melody, and the sample would teach nothing."""

Row: TypeAlias = tuple[Matrix, Matrix, float, float, float]


class Speaker:
    """Turns a draw into a row: style, embedding, F0 heard, ratio, level."""

    def __init__(self, synth: Synthesizer, encoder: SpeakerEncoder) -> None:
        self._synth, self._encoder = synth, encoder
        self._tokens = [to_tokens(sentence) for sentence in SENTENCES]
        self._tone = tone.fir(TONE_DB)

    def row(self, draw: Draw) -> Row | None:
        """Speak and listen; nothing for a voice that broke."""
        acoustics = self._synth.front(self._tokens[draw.sentence], draw.style, draw.speed)
        voiced = acoustics.f0_hz[acoustics.f0_hz > _VOICED_ABOVE_HZ]
        own_hz = float(np.median(voiced)) if voiced.size else 0.0
        ratio = f0_ratio(draw.f0_hz, own_hz, RATIO_RANGE)
        moved = replace(acoustics, f0_hz=acoustics.f0_hz * np.float32(ratio))
        pcm = self._synth.decode(cut(moved, SAMPLE_FRAMES, draw.crop), draw.style)
        # As clones are heard: they all have this tone.
        pcm = tone.filtered(pcm, self._tone)
        rate_hz = self._encoder.sample_rate_hz
        heard = resample(pcm, SAMPLE_RATE_HZ, rate_hz)
        # Not what was planned but what is heard, by the same ears that hear a reference.
        f0_hz = track_pitch(heard).median_hz
        if f0_hz is None or not _F0_HZ[0] < f0_hz < _F0_HZ[1]:
            return None
        level_db = 10.0 * float(np.log10(np.mean(np.square(heard, dtype=np.float64))))
        heard *= np.float32(10.0 ** ((SPOKEN_DBFS - level_db) / 20.0))
        return draw.style, self._encoder.embed(heard), f0_hz, ratio, level_db


def cut(acoustics: Acoustics, frames: int, share: float) -> Acoustics:
    """A stretch of exactly ``frames`` out of the spoken part; what is missing is repeated.

    ``share`` 0 to 1 says where in the spoken part it lies.
    """
    total = acoustics.text.shape[2]
    begin, end = int(acoustics.durations[0]), total - int(acoustics.durations[-1])
    start = begin + round(share * max(0, end - begin - frames))
    start = max(0, min(start, total - frames))

    def stretch(values: Matrix, rate: int) -> Matrix:
        part = values[..., start * rate : (start + frames) * rate]
        missing = frames * rate - part.shape[-1]
        return np.pad(part, [(0, 0)] * (part.ndim - 1) + [(0, missing)], mode="edge")

    ends = np.clip(np.cumsum(acoustics.durations), start, start + frames) - start
    return Acoustics(
        stretch(acoustics.text, 1),
        stretch(acoustics.f0_hz, 2),
        stretch(acoustics.energy, 2),
        np.diff(ends, prepend=0),
    )


def shard_path(folder: Path, seed: int, index: int) -> Path:
    """File of one shard."""
    return folder / f"{seed}_{index:05d}.npz"


def generate(
    speaker: Speaker,
    folder: Path,
    seed: int,
    shards: range,
    progress: Progress,
) -> int:
    """Speak the shards that are not there yet; returns how many were made."""
    drawer, made = VoiceDrawer(), 0
    for place, index in enumerate(shards):
        progress("speaking samples", place / len(shards))
        path = shard_path(folder, seed, index)
        if not path.is_file():
            write_shard(_shard(speaker, drawer, np.random.default_rng([seed, index])), path)
            made += 1
    progress("speaking samples", 1.0)
    return made


def _shard(speaker: Speaker, drawer: VoiceDrawer, random: np.random.Generator) -> Samples:
    drawn = (drawer.draw(random, len(SENTENCES)) for _ in range(SHARD_SAMPLES))
    rows = [row for row in (speaker.row(draw) for draw in drawn) if row is not None]
    styles, embeddings, f0_hz, ratios, levels_db = zip(*rows, strict=True)
    return Samples(
        np.stack(styles),
        np.stack(embeddings),
        np.array(f0_hz, dtype=np.float32),
        np.array(ratios, dtype=np.float32),
        np.array(levels_db, dtype=np.float32),
    )
