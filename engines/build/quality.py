"""Figures that tell whether an engine build sounds like the model it was made from.

All compare mono speech; nothing here knows an engine.
"""

from __future__ import annotations

import functools
import importlib.resources

import numpy as np
from numpy.typing import NDArray

from engines.api import EngineError, Pcm
from engines.resampling import resample
from engines.runtime import Session, SessionOptions, open_session

DNSMOS_RATE_HZ = 16_000
_DNSMOS_SAMPLES = int(9.01 * DNSMOS_RATE_HZ)
_DNSMOS_HOP_SAMPLES = DNSMOS_RATE_HZ
_DNSMOS_OVERALL = (-0.06766283, 1.11546468, 0.04602535)
"""Fit from the network's overall score to listeners' scores, highest power first."""

_MEL_BANDS = 80
_MEL_FFT = 1024
_MEL_HOP = 256
_MEL_FLOOR_DB = -60.0


class QualityModelMissing(EngineError):
    """The package with the quality model is not installed."""


def dnsmos(pcm: Pcm, rate_hz: int) -> float:
    """Predicted overall listening quality, 1 to 5 (DNSMOS, Reddy et al. 2021, arXiv:2010.15258).

    Speech shorter than the network's 9.01 s is repeated, as its authors do.

    Raises:
        QualityModelMissing: the ``eval`` extra is not installed.
        ValueError: there are no samples.
    """
    if pcm.size == 0:
        raise ValueError("no samples to judge")
    audio = resample(np.asarray(pcm, np.float32), rate_hz, DNSMOS_RATE_HZ)
    audio = np.clip(audio, -1.0, 1.0).astype(np.float32)
    audio = np.tile(audio, -(-_DNSMOS_SAMPLES // audio.size))
    starts = range(0, audio.size - _DNSMOS_SAMPLES + 1, _DNSMOS_HOP_SAMPLES)
    session = _dnsmos_session()
    scores = [
        session.run({"input_1": audio[None, start : start + _DNSMOS_SAMPLES]})[0][0, 2]
        for start in starts
    ]
    return float(np.mean(np.polyval(_DNSMOS_OVERALL, np.asarray(scores, np.float64))))


@functools.cache
def _dnsmos_session() -> Session:
    try:
        folder = importlib.resources.files("speechmos") / "dnsmos_models"
    except ModuleNotFoundError as error:
        raise QualityModelMissing("judging speech needs: pip install voicepeer[eval]") from error
    return open_session((folder / "sig_bak_ovr.onnx").read_bytes(), SessionOptions("cpu"))


def log_mel(pcm: Pcm, rate_hz: int) -> NDArray[np.float64]:
    """Mel spectrum in dB, ``[frames, 80]``, floored 60 dB under full scale."""
    padded = np.pad(pcm.astype(np.float64), (0, max(0, _MEL_FFT - pcm.size)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, _MEL_FFT)[::_MEL_HOP]
    window = np.hanning(_MEL_FFT)
    power = np.abs(np.fft.rfft(frames * window, axis=1)) ** 2 / np.sum(window) ** 2
    bands = power @ _mel_filters(rate_hz).T
    return np.asarray(np.maximum(10.0 * np.log10(bands + 1e-12), _MEL_FLOOR_DB))


def log_mel_error(pcm: Pcm, reference: Pcm, rate_hz: int) -> float:
    """Mean difference of two mel spectra, as a share of the reference's 60 dB range.

    The signals must be of the same length and aligned.

    Raises:
        ValueError: the lengths differ.
    """
    if pcm.size != reference.size:
        raise ValueError(f"cannot compare {pcm.size} samples with {reference.size}")
    difference = np.abs(log_mel(pcm, rate_hz) - log_mel(reference, rate_hz))
    return float(np.mean(difference) / -_MEL_FLOOR_DB)


def spectral_cosine(pcm: Pcm, reference: Pcm, rate_hz: int) -> float:
    """Cosine between two mel spectra over the floor, 1.0 for equal ones."""
    ours = log_mel(pcm, rate_hz).ravel() - _MEL_FLOOR_DB
    theirs = log_mel(reference, rate_hz).ravel() - _MEL_FLOOR_DB
    scale = float(np.linalg.norm(ours) * np.linalg.norm(theirs))
    return float(ours @ theirs / scale) if scale > 0.0 else float(ours.sum() == theirs.sum())


@functools.cache
def _mel_filters(rate_hz: int) -> NDArray[np.float64]:
    """Triangles ``[80, bins]`` that are evenly spaced in mel (O'Shaughnessy's formula)."""
    top = 2595.0 * np.log10(1.0 + rate_hz / 2.0 / 700.0)
    edges = 700.0 * (10.0 ** (np.linspace(0.0, top, _MEL_BANDS + 2) / 2595.0) - 1.0)
    at = np.fft.rfftfreq(_MEL_FFT, 1.0 / rate_hz)
    rise = (at - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    fall = (edges[2:, None] - at) / (edges[2:] - edges[1:-1])[:, None]
    return np.asarray(np.clip(np.minimum(rise, fall), 0.0, None))


def largest_step(pcm: Pcm, borders: NDArray[np.int64], reach: int = 120) -> float:
    """How much a signal jumps at its borders compared with what it does around them.

    The fourth difference, which a jump makes large and speech keeps small, at a border divided by
    the largest within ``reach`` samples beside it; well above 1 is a click.
    """
    bend = np.abs(np.diff(pcm.astype(np.float64), n=4))
    worst = 0.0
    for border in borders:
        at = slice(max(0, int(border) - 5), int(border) + 2)
        beside = np.concatenate(
            [bend[max(0, int(border) - reach) : at.start], bend[at.stop : int(border) + reach]]
        )
        if bend[at].size and beside.size:
            worst = max(worst, float(bend[at].max() / (beside.max() + 1e-3)))
    return worst
