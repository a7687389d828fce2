"""What norms see of a voice."""

from __future__ import annotations

import numpy as np
import pytest

from engines.build.quality import log_mel_error
from engines.kokoro.calibration import (
    FRAMES,
    NormsCache,
    calibrate,
    fit,
    from_array,
    pool,
    to_array,
)
from engines.kokoro.decoder import NORM_CHANNELS
from engines.kokoro.source import SAMPLE_RATE_HZ
from engines.kokoro.synth import Acoustics, NormStatistics
from engines.kokoro.vocabulary import to_tokens
from tests.engines.kokoro.opened import SENTENCE, engine, style

pytestmark = pytest.mark.unit


def statistics(seed: int = 0, size: int = NORM_CHANNELS) -> NormStatistics:
    rng = np.random.default_rng(seed)
    mean, variance = rng.normal(size=size), rng.uniform(0.1, 2.0, size=size)
    return NormStatistics(mean.astype(np.float32), variance.astype(np.float32))


def acoustics(frames: int) -> Acoustics:
    return Acoustics(
        np.ones((1, 512, frames), np.float32),
        np.full(2 * frames, 100.0, np.float32),
        np.ones(2 * frames, np.float32),
        np.array([1, frames - 1]),
    )


def test_pooled_statistics_are_those_of_all_samples() -> None:
    rng = np.random.default_rng(3)
    halves = [rng.normal(loc, 1.0, size=(5000, 4)) for loc in (0.0, 3.0)]
    parts = [
        NormStatistics(h.mean(0).astype(np.float32), h.var(0).astype(np.float32)) for h in halves
    ]
    pooled, both = pool(parts), np.concatenate(halves)
    np.testing.assert_allclose(pooled.mean, both.mean(0), atol=1e-4)
    np.testing.assert_allclose(pooled.variance, both.var(0), atol=1e-3)


@pytest.mark.parametrize("frames", [40, FRAMES, 300])
def test_fits_any_length_into_one(frames: int) -> None:
    fitted = fit(acoustics(frames), FRAMES)
    assert fitted.text.shape == (1, 512, FRAMES)
    assert fitted.f0_hz.size == fitted.energy.size == 2 * FRAMES
    assert fitted.durations.sum() == min(frames, FRAMES)


def test_survives_a_voice_file() -> None:
    ours = statistics()
    back = from_array(to_array(ours))
    assert back is not None
    np.testing.assert_array_equal(back.mean, ours.mean)
    np.testing.assert_array_equal(back.variance, ours.variance)


@pytest.mark.parametrize(
    "stored",
    [
        np.zeros((2, 5), np.float32),
        np.zeros(7, np.float32),
        np.full((2, NORM_CHANNELS), np.nan, np.float32),
    ],
)
def test_what_cannot_be_statistics_is_left_aside(stored: np.ndarray) -> None:
    assert from_array(stored) is None


def test_a_negative_variance_does_no_harm() -> None:
    back = from_array(np.full((2, NORM_CHANNELS), -1.0, np.float32))
    assert back is not None
    assert back.variance.min() == 0.0


@pytest.mark.engine
def test_frozen_norms_sound_like_exact_ones() -> None:
    """The sentence is none of those that the voice was calibrated with."""
    synth = engine().synth
    planned = synth.front(to_tokens(SENTENCE), style())
    whole, _ = synth.measure(planned, style())
    frozen = synth.freeze(style(), calibrate(synth, style()))
    assert log_mel_error(synth.decode(planned, style(), frozen), whole, SAMPLE_RATE_HZ) < 0.04
    other = synth.freeze(style(), calibrate(synth, style("am_michael")))
    assert log_mel_error(synth.decode(planned, style(), other), whole, SAMPLE_RATE_HZ) > 0.04


@pytest.mark.engine
def test_a_voice_is_measured_once() -> None:
    cache = NormsCache(engine().synth)
    first = cache.get(style("bf_emma"))
    assert cache.get(style("bf_emma")) is first
    assert cache.get(style("am_adam"), statistics()) is not first


@pytest.mark.engine
def test_a_forged_voice_does_not_spoil_the_true_one() -> None:
    cache = NormsCache(engine().synth)
    forged = cache.get(style(), statistics(1))
    true = cache.get(style(), statistics(2))
    assert np.abs(forged.scale - true.scale).max() > 0.1


@pytest.mark.engine
def test_forgets_the_voices_that_spoke_longest_ago() -> None:
    cache = NormsCache(engine().synth)
    first = cache.get(style(), statistics(0))
    for seed in range(1, 70):
        cache.get(style(), statistics(seed))
    assert cache.get(style(), statistics(0)) is not first


@pytest.mark.engine
def test_a_deleted_voice_is_forgotten_at_every_pitch_and_no_other() -> None:
    cache = NormsCache(engine().synth)
    gone = [cache.get(style("bf_emma"), statistics(seed)) for seed in (1, 2)]
    stays = cache.get(style("am_adam"), statistics(1))
    cache.forget(style("bf_emma"))
    assert [
        cache.get(style("bf_emma"), statistics(seed)) is old for seed, old in enumerate(gone, 1)
    ] == [
        False,
        False,
    ]
    assert cache.get(style("am_adam"), statistics(1)) is stays
