"""Fitting: finds what is there to be found, the same way twice, and tells how well."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines.kokoro import cloning
from engines.kokoro.kernel import read_kernel
from engines.kokoro.network import read_network
from engines.kokoro.train import fitting
from engines.kokoro.train.drawing import VoiceDrawer
from engines.kokoro.train.fitting import Recipe, fit_network, ridge, squared_error
from engines.kokoro.train.samples import SHIPPED, Samples, read_shards
from engines.kokoro.voices import style_basis

pytestmark = pytest.mark.unit

SMALL = Recipe(hidden=(16,), epochs=30, rate=5e-3, weight_decay=0.0, input_noise=0.0)


def _told(_what: str, _share: float) -> None:
    pass


def test_network_learns_a_curved_function() -> None:
    inputs = np.random.default_rng(1).uniform(-1, 1, (512, 2)).astype(np.float32)
    targets = (inputs[:, :1] * inputs[:, 1:]).astype(np.float32)
    network = fit_network(SMALL, inputs, targets, squared_error, seed=1)
    assert squared_error(network(inputs), targets)[0] < 0.1 * float(np.var(targets))


def test_fit_is_the_same_for_the_same_seed() -> None:
    inputs = np.random.default_rng(2).standard_normal((128, 3)).astype(np.float32)
    one, same = (fit_network(SMALL, inputs, inputs, squared_error, seed=4) for _ in range(2))
    np.testing.assert_array_equal(one(inputs), same(inputs))


def test_ridge_finds_a_line_and_leaves_its_constant_alone() -> None:
    random = np.random.default_rng(3)
    inputs = np.concatenate([np.ones((200, 1)), random.standard_normal((200, 2))], axis=1)
    targets = inputs @ np.array([30.0, 2.0, -1.0])
    found = ridge(inputs.astype(np.float32), targets.astype(np.float32), penalty=1.0)
    np.testing.assert_allclose(found, [30.0, 2.0, -1.0], atol=0.05)


def _samples(count: int) -> Samples:
    """Voices whose embedding is a fixed linear picture of their leading coordinates and F0."""
    random = np.random.default_rng(5)
    drawer, basis = VoiceDrawer(), style_basis()
    styles = np.stack([drawer.style(random) for _ in range(count)])
    f0_hz = np.exp(random.uniform(np.log(80.0), np.log(250.0), count)).astype(np.float32)
    seen = np.concatenate([basis.point(styles)[:, :6], np.log(f0_hz / 150.0)[:, None]], axis=1)
    picture = 3.0 + seen @ random.standard_normal((7, 256)) * 0.5
    unit = picture / np.linalg.norm(picture, axis=1, keepdims=True)
    level_db = (-20.0 + 2.0 * seen[:, 0]).astype(np.float32)
    return Samples(styles, unit.astype(np.float32), f0_hz, np.ones(count, np.float32), level_db)


def test_fit_writes_networks_that_see_what_the_embeddings_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = Recipe(hidden=(32,), epochs=40, rate=5e-3, input_noise=0.0)
    monkeypatch.setattr(fitting, "INVERSE", quick)
    monkeypatch.setattr(fitting, "FORWARD", quick)
    report = fitting.fit(_samples(500), tmp_path / "cloning.npz", 1, _told)
    assert report.samples == 500
    assert 20 < report.held_out < 90
    assert report.figures["foretold_cosine"] > 0.98
    assert report.figures["foretold_cosine_kernel"] > 0.97
    assert report.figures["level_of_style_error_db"] < 0.3
    assert report.figures["timbre_leading_ten_explained"] > 0.3
    with np.load(tmp_path / "cloning.npz") as stored:
        kept = {name: stored[name] for name in stored.files}
    assert {"f0.weight", "pitch.weight"} <= set(kept)
    outputs = read_network(kept, "forward.0")(np.zeros((1, style_basis().size + 1), np.float32))
    assert outputs.shape == (1, 256)
    assert read_kernel(kept, "kernel").mean.shape == (256,)


def test_report_tells_what_was_fitted_and_each_figure() -> None:
    report = fitting.Report(samples=500, held_out=50, figures={"foretold_cosine": 0.9})
    text = fitting.report_text(report, "abc123", seed=4)
    for part in ("500 samples, 50 of them", "seed 4", "abc123", "| foretold cosine | 0.9 |"):
        assert part in text


def test_what_ships_was_fitted_on_the_samples_that_ship() -> None:
    """The kernel keeps its samples' places, so it cannot be another fit's."""
    samples = read_shards(SHIPPED)
    held_out = np.random.default_rng(1).random(len(samples)) < fitting.HELD_OUT_SHARE
    training, test = samples.where(~held_out), samples.where(held_out)
    kernel = cloning.forward_kernel()
    spoken = cloning.voice_features(style_basis().point(training.styles), training.f0_hz)
    np.testing.assert_allclose(kernel.centres, spoken * kernel.scale, atol=0.02)
    np.testing.assert_allclose(kernel.mean, training.embeddings.mean(axis=0), atol=1e-3)
    unseen = cloning.voice_features(style_basis().point(test.styles), test.f0_hz)
    missing, _ = cloning.missing_cosine(kernel(unseen), test.embeddings)
    assert f"| foretold cosine kernel | {1.0 - missing:.3f}" in fitting.REPORT_FILE.read_text()
