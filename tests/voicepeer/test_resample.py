"""Chunks at the engine's rate to the wire's, without a seam."""

from __future__ import annotations

import numpy as np
import pytest

from tests.peers.glitches import count, tone
from voicepeer.core.pcm import Pcm
from voicepeer.resample import SegmentResampler

pytestmark = pytest.mark.unit


def convert(pcm: Pcm, rate_hz: int, sizes: list[int]) -> Pcm:
    resampler, at = SegmentResampler(rate_hz), 0
    parts: list[Pcm] = []
    while at < pcm.size:
        size = sizes[len(parts) % len(sizes)]
        parts.append(resampler.push(pcm[at : at + size]))
        at += size
    return np.concatenate([*parts, resampler.finish()])


@pytest.mark.parametrize("rate_hz", [16_000, 22_050, 24_000, 44_100, 48_000])
@pytest.mark.parametrize("sizes", [[1920], [1, 500, 3000, 7]])
def test_no_seam_is_heard_and_no_sample_lost(rate_hz: int, sizes: list[int]) -> None:
    pcm = tone(1.0, rate_hz=rate_hz)
    converted = convert(pcm, rate_hz, sizes)
    assert converted.size == pytest.approx(48_000, abs=2)
    found = count(converted)
    assert (found.phase_jumps, found.longest_hole_ms) == (0, 0.0)
    assert found.tone_ms == pytest.approx(1000, abs=20)


def test_chunked_and_whole_conversion_agree() -> None:
    pcm = tone(0.5, rate_hz=24_000)
    whole, cut = convert(pcm, 24_000, [12_000]), convert(pcm, 24_000, [1920])
    np.testing.assert_allclose(whole, cut, atol=1e-5)


def test_little_is_held_back() -> None:
    first = SegmentResampler(24_000).push(tone(0.08, rate_hz=24_000))
    assert first.size >= 0.07 * 48_000


def test_one_broken_sample_does_not_silence_the_rest() -> None:
    pcm = tone(0.5, rate_hz=24_000)
    pcm[3000] = np.nan
    assert np.isfinite(convert(pcm, 24_000, [1920])).all()


def test_an_empty_segment_is_empty() -> None:
    assert convert(np.zeros(0, np.float32), 24_000, [1]).size == 0


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
@pytest.mark.parametrize("rate_hz", [24_000, 48_000])
def test_broken_samples_are_repaired_before_the_filter_and_counted(
    value: float, rate_hz: int
) -> None:
    repairs: list[None] = []
    resampler = SegmentResampler(rate_hz, lambda: repairs.append(None))
    pcm = tone(0.5, rate_hz=rate_hz)
    pcm[pcm.size // 2] = value
    chunk = rate_hz * 80 // 1000
    parts = [resampler.push(pcm[at : at + chunk]) for at in range(0, pcm.size, chunk)]
    converted = np.concatenate([*parts, resampler.finish()])
    assert len(repairs) == 1
    assert np.isfinite(converted).all()
    loud = np.flatnonzero(np.abs(converted) > 0.35)
    assert loud.size < 48, "a millisecond at most"


@pytest.mark.parametrize("rate_hz", [0, -24_000])
def test_a_rate_that_no_signal_has_is_refused(rate_hz: int) -> None:
    with pytest.raises(ValueError, match="positive"):
        SegmentResampler(rate_hz)


@pytest.mark.parametrize("pcm", [np.zeros((2, 80), np.float32), np.zeros(80, np.int16)])
@pytest.mark.parametrize("rate_hz", [24_000, 48_000])
def test_what_is_not_mono_speech_is_refused(pcm: Pcm, rate_hz: int) -> None:
    with pytest.raises(ValueError, match="mono float"):
        SegmentResampler(rate_hz).push(pcm)
