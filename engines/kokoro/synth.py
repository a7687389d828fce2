"""Tokens and a style in, waveform out: runs the graphs of one engine folder.

No text, no chunks, no controls; windows of one segment may be asked for in any order.
"""

from __future__ import annotations

import functools
import time
import zipfile
import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines.api import EngineError, ModelFilesCorrupt, ModelFilesMissing, Pcm
from engines.kokoro import source, tone
from engines.kokoro.decoder import NORM_CHANNELS, NORM_EPSILON, STYLE_CHANNELS
from engines.kokoro.files import EngineFiles
from engines.runtime import Session, SessionOptions, Tensor, open_session

STYLE_SIZE = 2 * STYLE_CHANNELS
FRAME_SAMPLES = 2 * source.HALF_FRAME_SAMPLES
FRAME_MS = 1000.0 * FRAME_SAMPLES / source.SAMPLE_RATE_HZ
"""Durations are counted in frames of 25 ms."""

WINDOW_HALF_FRAMES = (30, 48, 96)
"""The lengths that the generator is compiled for: 375, 600 and 1200 ms.

The first one yields two chunks, of which one is played while the next window is decoded.
"""

CONTEXT_HALF_FRAMES = 7
"""What a window needs on both sides: with 87.5 ms its edges differ by under -55 dB from a decode
in one piece, with 100 ms not at all (docs/performance.md)."""

PAYLOADS = tuple(size - 2 * CONTEXT_HALF_FRAMES for size in WINDOW_HALF_FRAMES)
"""How many half frames each window yields."""

CALIBRATION_HALF_FRAMES = 224
"""The only length of a calibration (2.8 s), so that its program is compiled once."""

_CONSTANTS = ("gain_matrix", "gain_bias", "harmonic_mix", "harmonic_bias")

LENGTH_STEP = 16
"""Segments are padded to a multiple of so many frames, so that few programs are compiled."""


@dataclass(frozen=True, slots=True)
class Acoustics:
    """What is to be heard, before a voice's timbre is put on it.

    ``text [1,512,T]`` at 40 frames/s, ``f0_hz [2T]`` and ``energy [2T]`` at 80 frames/s,
    ``durations [n]`` in frames of 25 ms, one for each token. Frames beyond their sum are filling.
    """

    text: NDArray[np.float32]
    f0_hz: NDArray[np.float32]
    energy: NDArray[np.float32]
    durations: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NormStatistics:
    """Mean and variance ``[N]`` of what each norm of the generator sees when a voice speaks."""

    mean: NDArray[np.float32]
    variance: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FrozenNorms:
    """The norms of the generator for one voice: a scale and a shift ``[1,N,1]`` a channel.

    ``filter`` is the voice's tone, as ``tone.fir`` makes it.
    """

    scale: NDArray[np.float32]
    shift: NDArray[np.float32]
    filter: NDArray[np.float64] | None = None

    @classmethod
    def neutral(cls) -> FrozenNorms:
        """Norms of nobody, for work whose sound does not matter."""
        ones = np.ones((1, NORM_CHANNELS, 1), np.float32)
        return cls(ones, ones)


@dataclass(frozen=True, slots=True)
class Rendering:
    """One segment, ready to be decoded window by window."""

    features: NDArray[np.float32]
    source: source.HarmonicSource
    norms: FrozenNorms

    @property
    def half_frames(self) -> int:
        """Length of the segment in units of 12.5 ms."""
        return self.source.half_frames


class Synthesizer:
    """The opened graphs of one engine folder; calls from several threads are safe."""

    def __init__(self, files: EngineFiles, options: SessionOptions) -> None:
        """Open every graph.

        Raises:
            ModelFilesMissing: a file is not there.
            ModelFilesCorrupt: a file cannot be read.
        """
        constants = _read_constants(files.constants)
        self._gain_matrix, self._gain_bias = constants["gain_matrix"], constants["gain_bias"]
        self._mix, self._mix_bias = constants["harmonic_mix"], float(constants["harmonic_bias"][0])
        self._open_exact = functools.partial(open_session, files.calibrator, options)
        # The published int8 front runs as fast in onnxruntime as bf16 does in OpenVINO.
        front = SessionOptions("cpu", "int8", options.threads)
        wanted = [
            *((files.generator, _fixed(options, size)) for size in WINDOW_HALF_FRAMES),
            (files.calibrator, _calibration(options)),
            (files.front, front),
            (files.features, options),
        ]
        # Side by side, as listeners wait for it when an engine process has to be replaced.
        with ThreadPoolExecutor(options.threads) as pool:
            opened = list(pool.map(lambda one: open_session(*one), wanted))
        *generators, self._calibrator, self._front, self._features = opened
        self._generators = dict(zip(WINDOW_HALF_FRAMES, generators, strict=True))

    @property
    def session(self) -> Session:
        """The session that does most of the work: tells provider and precision."""
        return self._generators[WINDOW_HALF_FRAMES[-1]]

    @functools.cached_property
    def _exact(self) -> Session:
        """Decodes in one piece whatever the length; slow, so opened only if it is used."""
        return self._open_exact()

    def front(
        self, tokens: Sequence[int], style: NDArray[np.float32], speed: float = 1.0
    ) -> Acoustics:
        """Durations, melody and loudness of at most 510 tokens between two pads.

        ``style`` is ``[256]``: 128 values of timbre, then 128 of prosody.
        """
        feeds: dict[str, Tensor] = {
            "tokens": np.asarray([tokens], dtype=np.int64),
            "style": style.reshape(1, STYLE_SIZE),
            "speed": np.asarray([speed], dtype=np.float32),
        }
        text, f0_hz, energy, durations = self._front.run(feeds)
        return Acoustics(text, f0_hz[0], energy[0], durations[0].astype(np.int64))

    def features(self, acoustics: Acoustics, style: NDArray[np.float32]) -> NDArray[np.float32]:
        """Features ``[1,512,2T]`` of a whole segment."""
        frames = acoustics.text.shape[2]
        spoken = int(acoustics.durations.sum())
        added = -frames % LENGTH_STEP
        half_added = ((0, 0), (0, 2 * added))
        (features,) = self._features.run(
            {
                "text": np.pad(acoustics.text, ((0, 0), (0, 0), (0, added))),
                "f0": np.pad(acoustics.f0_hz[None], half_added),
                "energy": np.pad(acoustics.energy[None], half_added),
                "style": np.ascontiguousarray(style[None, :STYLE_CHANNELS]),
                "mask": (np.arange(frames + added) < spoken).astype(np.float32)[None, None],
            }
        )
        return np.asarray(features[:, :, : 2 * frames])

    def measure(
        self, acoustics: Acoustics, style: NDArray[np.float32]
    ) -> tuple[Pcm, NormStatistics]:
        """Decode a whole segment with exact norms; also tell the statistics they saw."""
        gamma, beta = self.gains(style)
        excitation = self._source(acoustics)
        total = excitation.half_frames
        counts = np.arange(total) < 2 * int(acoustics.durations.sum())
        session = self._calibrator if total == CALIBRATION_HALF_FRAMES else self._exact
        spectrum, mean, variance = session.run(
            {
                "features": self.features(acoustics, style),
                "source": excitation.spectrum(0, total)[None],
                "gamma": gamma.reshape(1, -1, 1),
                "beta": beta.reshape(1, -1, 1),
                "weights_low": _weights(counts, 10, 0),
                "weights_high": _weights(counts, source.HOPS_PER_HALF_FRAME, 1),
            }
        )
        pcm = source.synthesise(spectrum[0])
        return pcm, NormStatistics(mean.reshape(-1), variance.reshape(-1))

    def decode(
        self,
        acoustics: Acoustics,
        style: NDArray[np.float32],
        norms: FrozenNorms | None = None,
    ) -> Pcm:
        """The waveform of a whole segment, 600 samples a frame.

        With ``norms`` it is decoded in windows, as in a live stream; without, in one piece with
        exact norms.
        """
        if norms is None:
            return self.measure(acoustics, style)[0]
        rendering = self.render(acoustics, style, norms)
        step = PAYLOADS[-1]
        starts = range(0, rendering.half_frames, step)
        return np.concatenate(
            [self.window(rendering, at, min(at + step, rendering.half_frames)) for at in starts]
        )

    def freeze(self, style: NDArray[np.float32], statistics: NormStatistics) -> FrozenNorms:
        """The norms of a voice, from its style ``[256]`` and what they saw of it."""
        gamma, beta = self.gains(style)
        scale = gamma / np.sqrt(statistics.variance + np.float32(NORM_EPSILON))
        shift = beta - statistics.mean * scale
        return FrozenNorms(scale.reshape(1, -1, 1), shift.reshape(1, -1, 1))

    def render(
        self, acoustics: Acoustics, style: NDArray[np.float32], norms: FrozenNorms
    ) -> Rendering:
        """Do what is done once a segment, so that its windows can be decoded."""
        return Rendering(self.features(acoustics, style), self._source(acoustics), norms)

    def window(self, rendering: Rendering, start: int, end: int) -> Pcm:
        """The waveform between two half frames; at most the longest window less its context.

        Raises:
            EngineError: what came out are no numbers, which silence detection would swallow.
        """
        size = _size_for(end - start)
        first, last = _place(start, end, size, rendering.half_frames)
        (spectrum,) = self._generators[size].run(
            {
                "features": _padded(rendering.features[:, :, first:last], size),
                "source": _padded(
                    rendering.source.spectrum(first, last)[None],
                    size * source.HOPS_PER_HALF_FRAME + 1,
                ),
                "scale": rendering.norms.scale,
                "shift": rendering.norms.shift,
            }
        )
        pcm = source.synthesise(spectrum[0])
        if not np.isfinite(pcm).all():
            raise EngineError(
                "the engine made samples that are not numbers: the voice or the engine files are "
                "damaged (see voicepeer engines verify)"
            )
        if rendering.norms.filter is not None:
            # The context before is longer than the filter.
            pcm = tone.filtered(pcm, rendering.norms.filter)
        begin = (start - first) * source.HALF_FRAME_SAMPLES
        return pcm[begin : begin + (end - start) * source.HALF_FRAME_SAMPLES]

    def warm_up_features(self, style: NDArray[np.float32]) -> None:
        """Compute features once in each of the lengths that are met most."""
        acoustics = self.front([0, *[43] * 20, 0], style)
        frames = acoustics.text.shape[2]
        for wanted in range(LENGTH_STEP * 2, LENGTH_STEP * 11, LENGTH_STEP):
            at = np.arange(wanted) * frames // wanted
            half_at = np.repeat(at, 2) * 2
            self.features(
                Acoustics(
                    np.ascontiguousarray(acoustics.text[:, :, at]),
                    acoustics.f0_hz[half_at],
                    acoustics.energy[half_at],
                    np.array([wanted]),
                ),
                style,
            )

    def stage_times_ms(self, style: NDArray[np.float32], rounds: int = 7) -> dict[str, float]:
        """Medians of the stages of a sentence of about three seconds."""
        norms = FrozenNorms.neutral()
        times: list[tuple[float, float, float]] = []
        for _ in range(rounds):
            began = time.perf_counter()
            acoustics = self.front([0, *[43] * 50, 0], style)
            planned = time.perf_counter()
            rendering = self.render(acoustics, style, norms)
            rendered = time.perf_counter()
            self.window(rendering, 0, PAYLOADS[0])
            times.append((planned - began, rendered - planned, time.perf_counter() - rendered))
        front, features, window = (
            1000.0 * float(np.median(column)) for column in zip(*times, strict=True)
        )
        return {
            "front_ms": round(front, 1),
            "features_ms": round(features, 1),
            "first_chunk_ms": round(window, 1),
        }

    def _source(self, acoustics: Acoustics) -> source.HarmonicSource:
        return source.HarmonicSource(acoustics.f0_hz, self._mix, self._mix_bias)

    def gains(self, style: NDArray[np.float32]) -> tuple[NDArray[np.float32], ...]:
        """The factor and the offset ``[N]`` that a style gives each norm of the generator."""
        gains = style[:STYLE_CHANNELS] @ self._gain_matrix + self._gain_bias
        return gains[:NORM_CHANNELS], gains[NORM_CHANNELS:]


def _read_constants(path: Path) -> dict[str, NDArray[np.float32]]:
    if not path.is_file():
        raise ModelFilesMissing(f"there is no file {path.name}: run `voicepeer engines build`")
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in _CONSTANTS}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ModelFilesCorrupt(f"{path.name} is damaged: run `voicepeer engines build`") from error


def _weights(counts: NDArray[np.bool_], times: int, more: int) -> NDArray[np.float32]:
    """Equal weights ``[1,1,m]`` of what counts, at a higher rate and a few moments longer."""
    spread = np.pad(np.repeat(counts, times), (0, more), mode="edge").astype(np.float32)
    return np.asarray(spread / spread.sum(), dtype=np.float32)[None, None]


def _calibration(options: SessionOptions) -> SessionOptions:
    half_frames = CALIBRATION_HALF_FRAMES
    hops = half_frames * source.HOPS_PER_HALF_FRAME + 1
    shapes = {
        "features": (1, 512, half_frames),
        "source": (1, 22, hops),
        "weights_low": (1, 1, 10 * half_frames),
        "weights_high": (1, 1, hops),
    }
    return replace(options, fixed_shapes=shapes)


def _fixed(options: SessionOptions, size: int) -> SessionOptions:
    """Options for one window length; a fixed shape is worth half of OpenVINO's time."""
    hops = size * source.HOPS_PER_HALF_FRAME + 1
    shapes = {"features": (1, 512, size), "source": (1, 22, hops)}
    return replace(options, fixed_shapes=shapes)


def _size_for(half_frames: int) -> int:
    for size in WINDOW_HALF_FRAMES:
        if half_frames + 2 * CONTEXT_HALF_FRAMES <= size:
            return size
    raise ValueError(f"a window of {half_frames} half frames is longer than any compiled one")


def _place(start: int, end: int, size: int, total: int) -> tuple[int, int]:
    """Where the compiled window lies around ``[start, end)``: shifted inwards at both edges."""
    first = max(0, min(start - CONTEXT_HALF_FRAMES, total - size))
    return first, min(total, first + size)


def _padded(values: NDArray[np.float32], length: int) -> NDArray[np.float32]:
    """Repeat the last frame of ``[1,c,m]``, for a segment shorter than its window."""
    missing = length - values.shape[2]
    if missing <= 0:
        return np.ascontiguousarray(values)
    return np.pad(values, ((0, 0), (0, 0), (0, missing)), mode="edge")
