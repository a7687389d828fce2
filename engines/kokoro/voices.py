"""The space of voices: 54 stock styles, the basis they span, and how style follows text length.

A Kokoro style is 256 numbers: the first half steers the decoder (timbre), the second the
prosody predictor. The published packs hold one style for each of 510 text lengths. Kept here is
each pack's style for ``TYPICAL_TOKENS`` and one shared curve of how prosody moves with length,
because that is nearly all there is (``docs/cloning.md`` has the errors).
"""

from __future__ import annotations

import functools
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.api import Voice, VoiceIncompatible
from engines.kokoro import channel, tone
from engines.kokoro.channel import LIMITS_DB, Levels
from engines.kokoro.tone import LIMIT_DB, TONE_HZ, Gains
from engines.model_files import read_model
from engines.spectrum import BANDS_HZ

Style = NDArray[np.float32]
"""Timbre then prosody, shape ``[256]``."""

ENGINE_NAME = "kokoro"
DEFAULT_VOICES: Mapping[str, str] = {
    "en-us": "af_heart",
    "en-gb": "bf_emma",
    "es": "ef_dora",
    "fr": "ff_siwis",
    "hi": "hf_alpha",
    "it": "if_sara",
    "ja": "jf_alpha",
    "pt-br": "pf_dora",
    "zh": "zf_xiaobei",
}
"""A published voice whose speaker spoke the language in the training."""

ALIASES: Mapping[str, str] = {
    "alloy": "af_alloy",
    "ash": "am_michael",
    "ballad": "bm_george",
    "cedar": "am_fenrir",
    "coral": "af_bella",
    "echo": "am_echo",
    "fable": "bm_fable",
    "marin": "af_heart",
    "nova": "af_nova",
    "onyx": "am_onyx",
    "sage": "af_sarah",
    "shimmer": "af_sky",
    "verse": "am_puck",
}
"""The namesake where one was published, or else one of the same sex."""

VOICE_VERSION = "1"
"""Version of what ``Voice.arrays`` means; raise it when old voices would sound different."""

TIMBRE = slice(0, 128)
PROSODY = slice(128, 256)
STYLE_SIZE = 256
TYPICAL_TOKENS = 100
MAX_TOKENS = 509
_LEAST_DEVIATION = 1e-4

F0_RATIO = "f0_ratio"
"""Name of a voice's array ``[1]``: what F0 is multiplied by."""

F0_RANGE = "f0_range"
"""Name of a voice's array ``[1]``: a factor on how far F0 moves; voices from before it have 1."""

F0_RANGE_LIMITS = (0.25, 4.0)
"""No voice is made with as much; what is beyond it in a file is damage."""

TONE = "tone"
"""Name of a voice's array ``[10]``: gains of ``engines.kokoro.tone``; voices may lack it."""

CHANNEL = "channel"
"""Name of a voice's array ``[19]``: gains of ``engines.kokoro.channel``, only where asked for."""

NORMS = "norms"
"""Name of a voice's array ``[2,N]``: what the norms of the generator saw of it."""

STYLES_FILE = Path(__file__).parent / "data" / "styles.npz"
STYLES_SHA256 = "53b8e9101b8a09326ad4a1a22691a54a6650252b020ff58f52a229549d811b70"
"""Of the file that ``python -m engines.kokoro.train basis`` made from npm kokoro-js 1.2.1."""

NORMS_FILE = STYLES_FILE.with_name("norms.npz")
NORMS_SHA256 = "8d66664ca745b91f353697033dfc4ee160e7c316a96a472e9babec44bbbd147a"
"""Of the file that ``python -m engines.kokoro.train norms`` measured."""


@dataclass(frozen=True, slots=True)
class StyleBasis:
    """Directions in which voices differ, scaled so that the stock voices have unit variance.

    Men and women weigh the same in the mean and in the variance, although the packs have more
    women. ``mean`` is ``[256]``; ``timbre`` and ``prosody`` are ``[components, 128]``.
    """

    mean: Style
    timbre: NDArray[np.float32]
    prosody: NDArray[np.float32]

    @property
    def size(self) -> int:
        """Number of coordinates of a point: timbre components, then prosody components."""
        return len(self.timbre) + len(self.prosody)

    def style(self, point: NDArray[np.float32]) -> Style:
        """The style at a point: ``[size]`` -> ``[256]``, or ``[n, size]`` -> ``[n, 256]``."""
        split = self.timbre.shape[0]
        halves = [point[..., :split] @ self.timbre, point[..., split:] @ self.prosody]
        return np.asarray(self.mean + np.concatenate(halves, axis=-1), dtype=np.float32)

    def point(self, style: Style) -> NDArray[np.float32]:
        """The point nearest to a style; inverse of ``style`` within the basis."""
        away = style - self.mean
        halves = []
        for part, rows in ((away[..., TIMBRE], self.timbre), (away[..., PROSODY], self.prosody)):
            halves.append(part @ rows.T / np.sum(np.square(rows), axis=1))
        return np.concatenate(halves, axis=-1).astype(np.float32)


@functools.cache
def stock_styles() -> Mapping[str, Style]:
    """Style of each published voice for texts of ``TYPICAL_TOKENS``, by name such as ``af_sky``.

    The first letter tells the language, the second the sex (``f``, ``m``).

    Raises:
        ModelFilesMissing, ModelFilesCorrupt: the installation is incomplete.
    """
    stored = _stored()
    names = [str(name) for name in stored["names"]]
    return dict(zip(names, stored["styles"].astype(np.float32), strict=True))


@functools.cache
def stock_voices() -> Mapping[str, Voice]:
    """The published voices, ready to speak; see ``stock_styles``."""
    norms = _stock_norms()
    made = {name: make_voice(style) for name, style in stock_styles().items()}
    return {
        name: replace(voice, arrays={**voice.arrays, NORMS: norms[name]})
        for name, voice in made.items()
    }


def pack_norms(norms: Mapping[str, NDArray[np.float32]]) -> bytes:
    """The content of ``NORMS_FILE`` for voices' arrays ``[2,N]``: means, then variances.

    Deviations are kept as logarithms, so that half precision is 0.5 % of the smallest, too.
    """
    means = np.stack([array[0] for array in norms.values()])
    deviations = np.sqrt(np.stack([array[1] for array in norms.values()]))
    buffer = io.BytesIO()
    np.savez_compressed(
        buffer,
        names=np.array(list(norms)),
        mean=means.astype(np.float16),
        log_deviation=np.log(np.maximum(deviations, _LEAST_DEVIATION)).astype(np.float16),
    )
    return buffer.getvalue()


def _stock_norms() -> Mapping[str, NDArray[np.float32]]:
    with np.load(io.BytesIO(read_model(NORMS_FILE, NORMS_SHA256)), allow_pickle=False) as file:
        variances = np.exp(2.0 * file["log_deviation"].astype(np.float32))
        arrays = np.stack([file["mean"].astype(np.float32), variances], axis=1)
        return dict(zip(map(str, file["names"]), arrays, strict=True))


def make_voice(style: Style, f0_ratio: float = 1.0, gains: Gains | None = None) -> Voice:
    """A voice of this engine, from arrays of ``[256]``, ``[1]`` and ``[10]``.

    Predicted F0 is to be multiplied by the ratio.
    """
    if style.shape != (STYLE_SIZE,):
        raise ValueError(f"a style has {STYLE_SIZE} numbers, not {style.shape}")
    arrays = {
        "style": np.asarray(style, dtype=np.float32),
        F0_RATIO: np.array([f0_ratio], dtype=np.float32),
    }
    if gains is not None:
        arrays[TONE] = np.asarray(gains, dtype=np.float32)
    return Voice(ENGINE_NAME, VOICE_VERSION, arrays)


def voice_style(voice: Voice) -> tuple[Style, float]:
    """Style and F0 ratio of a voice.

    Raises:
        VoiceIncompatible: another engine's, another version's, or damaged.
    """
    if (voice.engine, voice.engine_version) != (ENGINE_NAME, VOICE_VERSION):
        raise VoiceIncompatible(
            f"this voice was made for {voice.engine} {voice.engine_version}, "
            f"not for {ENGINE_NAME} {VOICE_VERSION}: clone it again"
        )
    style, ratio = voice.arrays.get("style"), voice.arrays.get(F0_RATIO)
    if style is None or ratio is None or style.shape != (STYLE_SIZE,) or ratio.shape != (1,):
        raise VoiceIncompatible("this voice is damaged: clone it again")
    return style, float(ratio[0])


def voice_range(voice: Voice) -> float:
    """Factor on how far the melody of a voice moves around its middle.

    Raises:
        VoiceIncompatible: damaged.
    """
    factor = voice.arrays.get(F0_RANGE)
    if factor is None:
        return 1.0
    low, high = F0_RANGE_LIMITS
    if factor.shape != (1,) or not low <= float(factor[0]) <= high:
        raise VoiceIncompatible("this voice is damaged: clone it again")
    return float(factor[0])


def voice_tone(voice: Voice) -> Gains | None:
    """The gains of a voice's tone, if it has one.

    Raises:
        VoiceIncompatible: damaged.
    """
    return _gains(voice, TONE, TONE_HZ.size, 2.0 * LIMIT_DB)


def voice_channel(voice: Voice) -> Levels | None:
    """The gains of the channel that a voice has taken over, if it has.

    Raises:
        VoiceIncompatible: damaged.
    """
    return _gains(voice, CHANNEL, BANDS_HZ.size, 2.0 * max(map(abs, LIMITS_DB)))


def _gains(voice: Voice, name: str, count: int, most_db: float) -> NDArray[np.float32] | None:
    gains = voice.arrays.get(name)
    if gains is not None and (gains.shape != (count,) or np.abs(gains).max() > most_db):
        raise VoiceIncompatible("this voice is damaged: clone it again")
    return gains


def voice_filter(voice: Voice) -> NDArray[np.float64] | None:
    """What the speech of a voice goes through, taps at 24 kHz, if there is anything.

    Raises:
        VoiceIncompatible: damaged.
    """
    gains, levels = voice_tone(voice), voice_channel(voice)
    toned = None if gains is None else tone.fir(gains)
    if levels is None:
        return toned
    filtered = channel.fir(levels)
    return filtered if toned is None else np.convolve(filtered, toned)


def restyled(voice: Voice, style: Style, f0_ratio: float) -> Voice:
    """Another style for the same speaker, whose norms are not known yet."""
    made = make_voice(style, f0_ratio)
    kept = {name: array for name, array in voice.arrays.items() if name != NORMS}
    return replace(made, arrays={**kept, **made.arrays})


def style_for_length(style: Style, tokens: int) -> Style:
    """``style`` as it is for a text of so many tokens, the padding not counted.

    Only the prosody half moves. Without this, one-word texts come out a third too low.
    """
    stored = _stored()
    offset = [
        np.interp(tokens, stored["lengths"], column)
        for column in stored["prosody_by_length"].astype(np.float64).T
    ]
    moved = style.copy()
    moved[PROSODY] += np.asarray(offset, dtype=np.float32)
    return moved


def mix_styles(weights: Mapping[str, float]) -> Style:
    """Weighted mean of stock voices; weights are relative and need not add up to 1.

    Raises:
        KeyError: a name that is no stock voice.
        ValueError: no weights, a negative one, or all zero.
    """
    total = sum(weights.values())
    if not total > 0.0 or min(weights.values()) < 0.0:
        raise ValueError("weights of a mix must not be negative and not all zero")
    styles = stock_styles()
    parts = [styles[name] * (weight / total) for name, weight in weights.items()]
    return np.asarray(np.sum(parts, axis=0), dtype=np.float32)


@functools.cache
def style_basis(timbre_components: int = 40, prosody_components: int = 24) -> StyleBasis:
    """Principal components of the stock voices, largest first."""
    names, styles = zip(*stock_styles().items(), strict=True)
    male = np.array([name[1] == "m" for name in names])
    weights = np.where(male, 0.5 / male.sum(), 0.5 / (~male).sum())
    table = np.stack(styles).astype(np.float64)
    mean = weights @ table
    spread = (table - mean) * np.sqrt(weights)[:, None]
    return StyleBasis(
        mean.astype(np.float32),
        _components(spread[:, TIMBRE], timbre_components),
        _components(spread[:, PROSODY], prosody_components),
    )


def _components(spread: NDArray[np.float64], count: int) -> NDArray[np.float32]:
    _, scales, rows = np.linalg.svd(spread, full_matrices=False)
    # The sign of a component is arbitrary, and must not depend on the linear algebra library.
    signs = np.sign(rows[np.arange(rows.shape[0]), np.abs(rows).argmax(axis=1)])
    return np.asarray((rows * (scales * signs)[:, None])[:count], dtype=np.float32)


@functools.cache
def _stored() -> Mapping[str, NDArray[Any]]:
    with np.load(io.BytesIO(read_model(STYLES_FILE, STYLES_SHA256)), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
