"""From what was heard of a person to a voice: speaker embedding and F0 in, style out.

Small networks, fitted on voices that Kokoro itself spoke (``engines.kokoro.train``), map a GE2E
embedding and the median F0 to a point of the style basis. Others, and a kernel regression of
another kind of error, map such a point to the embedding that it would be heard as; climbing
their common slope brings the point nearer to the speaker. It is kept within the region that those
voices came from, because speech falls apart outside of it. Needs numpy only.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engines.api import Embedding, Pcm, Reference, ReferenceRejected, Voice
from engines.cleaning import EMBEDDING_SIZE
from engines.kokoro.kernel import Kernel, read_kernel
from engines.kokoro.network import Matrix, Network, read_network
from engines.kokoro.tone import LIMIT_DB, Gains
from engines.kokoro.voices import PROSODY, Style, make_voice, style_basis
from engines.model_files import read_model
from engines.pitch import SAMPLE_RATE_HZ, PitchTrack, matching_ratio, track_pitch
from engines.resampling import resample

MODEL_FILE = Path(__file__).parent / "data" / "cloning.npz"
MODEL_SHA256 = "03995f3fba0d89a15059d0a4931007a7264f26551c67c07f32a6f764769991f5"
"""Of the file that ``python -m engines.kokoro.train fit`` made."""

ADVISED_SPEECH_S = 3.0
MIN_SPEECH_S = 1.6
"""One window of the speaker encoder; less says too little of a voice."""

TRUST_DEVIATIONS = 2.5
"""How many standard deviations of the stock voices a coordinate may lie from their mean."""

SEARCH_STEPS = 50
SEARCH_STEP = 0.12
TETHER = 0.05
"""Twice the cosine that a mean square of one away from the beginning must be worth."""

PITCH_TETHER = 1.0
"""Cosine lost for an F0 of its own that is a factor of e off the speaker's (3 semitones: 0.03).

F0 can be moved afterwards, but a style that was chosen near it keeps its voice better.
"""

OVERSHOOT = 0.3
"""How far beyond the speaker the search aims, away from the mean of all that Kokoro can say.

What a style cannot reach draws all clones to the middle, where they are taken for each other.
"""

SPOKEN_DBFS = -19.0
"""Level of the speech of every clone, and of every sample that it was fitted on.

The encoder is not level-invariant: it knows people best at -22 to -16 dBFS.
"""

_STREAMED_DB = 2.8
"""How much louder a stream is than a sample, which has no pauses for its norms to see.

Mean of 47 clones, scatter 0.5 dB.
"""

TONE_DB: Gains = np.array([-1.7, 1.1, -0.1, -4.0, 1.5, -5.5, -1.5, 1.8, 0.6, 3.8], dtype=np.float32)
"""What brings clones nearer to real people by their microphones, the same for all of them.

Found on 16 speakers, confirmed on 31 others: 0.013 of cosine for both (docs/cloning.md). Speech
stays as loud as it is.
"""

_SILENT_RMS = 1e-4
_EMBEDDING_GAIN = np.float32(4.0)
_PITCH_GAIN = np.float32(2.0)
_VOICE_PITCH_GAIN = np.float32(3.0)
_PITCH_CENTRE_HZ = 150.0


def pitch_of(reference: Reference) -> PitchTrack:
    """How high a reference is spoken.

    Raises:
        ReferenceRejected: too short, silent, or not numbers.
    """
    return track_pitch(resample(_checked(reference), reference.sample_rate_hz, SAMPLE_RATE_HZ))


def clone(reference: Reference, track: PitchTrack) -> Voice:
    """The voice of a reference, which must bring its GE2E embedding; ``track`` is its pitch.

    Raises:
        ReferenceRejected: without an embedding.
    """
    embedding, f0_hz = _checked_embedding(reference.embedding), track.median_hz
    style = style_from_embedding(embedding, f0_hz)
    ratio = matching_ratio(f0_hz, predicted_f0_hz(style))
    return make_voice(style, ratio, levelled_tone(style, ratio))


def style_from_embedding(embedding: Embedding, f0_hz: float | None = None) -> Style:
    """The style whose speech would have this embedding, shape ``[256]`` -> ``[256]``.

    ``f0_hz`` is the median F0 that the voice will be given; guessed from the embedding if
    unknown.
    """
    f0_hz = f0_hz or _guessed_f0_hz(embedding)
    heard = speaker_features(embedding[None], [f0_hz])
    networks = _networks("inverse")
    began = np.mean([network(heard)[0] for network in networks], axis=0)
    return style_basis().style(nearer(within_trust(began), beyond(embedding), f0_hz))


def beyond(embedding: Embedding) -> Embedding:
    """Where a search for this embedding has to aim, ``[256]``; see ``OVERSHOOT``."""
    aim = embedding + np.float32(OVERSHOOT) * (embedding - forward_kernel().mean)
    return np.asarray(aim / np.linalg.norm(aim), dtype=np.float32)


def levelled_tone(style: Style, f0_ratio: float) -> Gains:
    """``TONE_DB``, with as much gain as brings a style at this pitch to ``SPOKEN_DBFS``."""
    terms = level_terms(style[None], [predicted_f0_hz(style) * f0_ratio])[0]
    gain_db = SPOKEN_DBFS - _STREAMED_DB - float((terms @ _stored()["level.weight"]).item())
    return np.asarray(TONE_DB + np.clip(gain_db, -LIMIT_DB, LIMIT_DB), dtype=np.float32)


def level_terms(styles: Matrix, f0_hz: ArrayLike) -> Matrix:
    """Terms that the level of speech is linear in: 1, ``voice_features``, their squares."""
    features = voice_features(style_basis().point(styles), f0_hz)
    ones = np.ones((len(features), 1), np.float32)
    return np.concatenate([ones, features, np.square(features)], axis=1)


def nearer(
    point: NDArray[np.float32],
    embedding: Embedding,
    f0_hz: float,
    missed: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """A point near ``point`` that should be heard as ``embedding``, within the trust region.

    ``missed`` is what was heard hereabouts less what ``foretold`` says. Adam (Kingma and Ba 2015,
    arXiv:1412.6980) on the mean cosine that the forward models foretell.
    """
    began, target = point[None], embedding[None]
    missed = np.zeros(EMBEDDING_SIZE, np.float32) if missed is None else missed
    found = began.copy()
    first, second = np.zeros_like(found), np.zeros_like(found)
    for step in range(SEARCH_STEPS):
        slope = _foretold_slope(found, target, f0_hz, missed)
        slope += _tether_slope(found, began, f0_hz)
        first += 0.1 * (slope - first)
        second += 0.01 * (np.square(slope) - second)
        grown = 1.0 - 0.9 ** (step + 1), 1.0 - 0.99 ** (step + 1)
        rate = SEARCH_STEP * 0.5 * (1.0 + np.cos(np.pi * step / SEARCH_STEPS))
        change = (first / grown[0]) / (np.sqrt(second / grown[1]) + 1e-8)
        found = within_trust(found - rate * change)
    return np.asarray(found[0], dtype=np.float32)


def foretold(point: NDArray[np.float32], f0_hz: float) -> NDArray[np.float32]:
    """Mean direction in which the forward models expect a point to be heard, ``[256]``."""
    features = voice_features(point[None], [f0_hz])
    outputs = [model(features)[0] for model in _forward_models()]
    units = np.stack([output / np.linalg.norm(output) for output in outputs])
    return np.asarray(_common(units), dtype=np.float32)


def forward_networks() -> tuple[Network, ...]:
    """The networks from ``voice_features`` to the direction of an embedding."""
    return _networks("forward")


def _forward_models() -> list[Network | Kernel]:
    """The networks, and then the kernel."""
    return [*forward_networks(), forward_kernel()]


def _common(by_model: Matrix) -> Matrix:
    """Mean ``[...]`` of what the networks and then the kernel say; that counts like all of them."""
    return np.asarray((by_model[:-1].mean(axis=0) + by_model[-1]) / 2.0)


def _foretold_slope(point: Matrix, target: Matrix, f0_hz: float, missed: Matrix) -> Matrix:
    """Mean gradient, by the point, of the cosine that is missing to the target."""
    slopes, features = [], voice_features(point, [f0_hz])
    for model in _forward_models():
        values = model.activations(features)
        slope = _corrected_slope(values[-1], target, missed)
        slopes.append(model.input_slope(values, slope)[:, : point.shape[1]])
    return np.asarray(_common(np.stack(slopes)), dtype=np.float32)


def _corrected_slope(outputs: Matrix, target: Matrix, missed: Matrix) -> Matrix:
    """Gradient, by the outputs, of the cosine missing to ``target`` with ``missed`` added."""
    length = np.linalg.norm(outputs, axis=1, keepdims=True) + np.float32(1e-6)
    unit = outputs / length
    _, slope = missing_cosine(unit + missed, target)
    along = np.sum(slope * unit, axis=1, keepdims=True)
    return np.asarray((slope - along * unit) / length, dtype=np.float32)


def _tether_slope(point: Matrix, began: Matrix, f0_hz: float) -> Matrix:
    """Gradient of what it costs to be far from the beginning and to have another F0."""
    basis, weight = style_basis(), _stored()["f0.weight"]
    style = basis.style(point)
    away = prosody_terms(style) @ weight - np.float32(np.log(f0_hz))
    linear, square = np.split(weight[1:], 2)
    by_prosody = (linear + 2.0 * square * style[:, PROSODY]) @ basis.prosody.T
    by_timbre = np.zeros((len(point), len(basis.timbre)), np.float32)
    by_pitch = 2.0 * PITCH_TETHER * away[:, None] * np.concatenate([by_timbre, by_prosody], axis=1)
    return np.asarray(TETHER / point.shape[1] * (point - began) + by_pitch, dtype=np.float32)


def missing_cosine(outputs: Matrix, targets: Matrix) -> tuple[float, Matrix]:
    """1 less the mean cosine of outputs ``[n, d]`` to unit targets, and its gradient."""
    length = np.linalg.norm(outputs, axis=1, keepdims=True) + np.float32(1e-6)
    unit = outputs / length
    cosine = np.sum(unit * targets, axis=1, keepdims=True)
    slope = (unit * cosine - targets) / length / np.float32(len(outputs))
    return float(1.0 - cosine.mean()), np.asarray(slope, dtype=np.float32)


def voice_features(points: Matrix, f0_hz: ArrayLike) -> Matrix:
    """What the forward networks are given: ``[n, size]``, ``[n]`` -> ``[n, size + 1]``."""
    pitch = np.log(np.asarray(f0_hz) / _PITCH_CENTRE_HZ)[:, None]
    return np.concatenate([points, pitch * _VOICE_PITCH_GAIN], axis=1).astype(np.float32)


def speaker_features(embeddings: Matrix, f0_hz: ArrayLike) -> Matrix:
    """What the networks are given of speakers: ``[n, 256]`` and ``[n]`` -> ``[n, 257]``."""
    pitch = np.log(np.asarray(f0_hz) / _PITCH_CENTRE_HZ)[:, None]
    return np.concatenate([embeddings * _EMBEDDING_GAIN, pitch * _PITCH_GAIN], axis=1).astype(
        np.float32
    )


def within_trust(point: NDArray[np.float32]) -> NDArray[np.float32]:
    """The point itself, or the nearest one whose every coordinate can be trusted."""
    return np.asarray(np.clip(point, -TRUST_DEVIATIONS, TRUST_DEVIATIONS), dtype=np.float32)


def predicted_f0_hz(style: Style) -> float:
    """Median F0 that a style is heard to speak with, before it is moved.

    Off by a semitone or so, which is what the choice of words changes as well.
    """
    return float(np.exp((prosody_terms(style[None])[0] @ _stored()["f0.weight"]).item()))


def prosody_terms(styles: Matrix) -> Matrix:
    """Terms that F0 is linear in: 1, the prosody half and its squares, ``[n, 257]``."""
    prosody = styles[:, PROSODY]
    ones = np.ones((len(styles), 1), np.float32)
    return np.concatenate([ones, prosody, np.square(prosody)], axis=1)


def _guessed_f0_hz(embedding: Embedding) -> float:
    terms = np.append(np.float32(1.0), embedding)
    return float(np.exp((terms @ _stored()["pitch.weight"]).item()))


def _checked(reference: Reference) -> Pcm:
    pcm, seconds = reference.pcm, reference.pcm.size / reference.sample_rate_hz
    if seconds < MIN_SPEECH_S:
        raise ReferenceRejected(
            f"{seconds:.1f} s of speech is too short to clone a voice from: "
            f"speak for at least {ADVISED_SPEECH_S:.0f} s"
        )
    if not np.isfinite(pcm).all():
        raise ReferenceRejected("the speech holds samples that are not numbers: record it again")
    if float(np.sqrt(np.mean(np.square(pcm, dtype=np.float64)))) < _SILENT_RMS:
        raise ReferenceRejected("the speech is silent: check the microphone")
    return pcm


def _checked_embedding(embedding: Embedding | None) -> Embedding:
    if embedding is None:
        raise ReferenceRejected("the reference brings no speaker embedding: embed it with ge2e")
    norm = float(np.linalg.norm(embedding))
    if embedding.shape != (EMBEDDING_SIZE,) or not np.isfinite(norm) or norm == 0.0:
        raise ReferenceRejected("the speaker embedding is not one of ge2e: embed it again")
    return np.asarray(embedding / norm, dtype=np.float32)


@functools.cache
def forward_kernel() -> Kernel:
    """The kernel regression from ``voice_features`` to an embedding; its mean is that of all."""
    return read_kernel(_stored(), "kernel")


@functools.cache
def _networks(prefix: str) -> tuple[Network, ...]:
    stored = _stored()
    names = sorted({name.rsplit(".", 1)[0] for name in stored if name.startswith(f"{prefix}.")})
    return tuple(read_network(stored, name) for name in names)


@functools.cache
def _stored() -> Mapping[str, NDArray[Any]]:
    with np.load(io.BytesIO(read_model(MODEL_FILE, MODEL_SHA256)), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
