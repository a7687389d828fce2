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
