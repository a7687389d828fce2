"""Embeddings of spoiled recordings come nearer to the speaker, those of good ones stay."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines import cleaning, ge2e
from engines.api import Embedding, Pcm, SpeakerEncoder
from engines.cleaning import DOUBT, EMBEDDING_SIZE, FEATURES, CleaningEncoder, cleaned, corrected
from tests.clips import clip
from voicepeer import degrading

pytestmark = pytest.mark.engine

SPEAKERS = ("de_Elli", "de_Friedrich", "en_susan", "en_robert")


@pytest.fixture(scope="module")
def encoder() -> SpeakerEncoder:
    return ge2e.create({})


def telephone(pcm: Pcm) -> Pcm:
    line = degrading.band_limited(pcm, 300.0, 3_400.0)
    return degrading.noisy(line, 25.0, np.random.default_rng(1))


def halves(name: str) -> tuple[Pcm, Pcm]:
    pcm = clip(name)
    return pcm[: pcm.size // 2], pcm[pcm.size // 2 :]


@pytest.mark.parametrize("name", SPEAKERS)
def test_a_telephone_recording_comes_nearer_to_its_speaker(
    name: str, encoder: SpeakerEncoder
) -> None:
    first, second = halves(name)
    heard, other = telephone(first), encoder.embed(second)
    spoiled = encoder.embed(heard)
    assert cleaned(spoiled, heard) @ other > spoiled @ other + 0.05


def test_over_a_telephone_as_many_are_known_as_before_or_more(encoder: SpeakerEncoder) -> None:
    pairs = {name: halves(name) for name in SPEAKERS}
    clean = {name: encoder.embed(second) for name, (_, second) in pairs.items()}
    known = [0, 0]
    for name, (first, _) in pairs.items():
        heard = telephone(first)
        spoiled = encoder.embed(heard)
        for way, found in enumerate((spoiled, cleaned(spoiled, heard))):
            nearest = max(SPEAKERS, key=lambda other: float(found @ clean[other]))
            known[way] += nearest == name
    assert known[1] >= max(2, known[0])


@pytest.mark.parametrize("name", SPEAKERS)
def test_a_good_recording_is_left_alone(name: str, encoder: SpeakerEncoder) -> None:
    embedding = encoder.embed(clip(name))
    assert cleaned(embedding, clip(name)) @ embedding > 0.999


def test_an_encoder_that_cleans_is_like_the_one_inside(encoder: SpeakerEncoder) -> None:
    hears = CleaningEncoder(encoder)
    assert (hears.name, hears.sample_rate_hz) == (encoder.name, encoder.sample_rate_hz)
    heard = telephone(clip("de_Elli"))
    np.testing.assert_array_equal(hears.embed(heard), cleaned(encoder.embed(heard), heard))
    window = heard[: hears.window_samples]
    assert np.linalg.norm(hears.embed_window(window)) == pytest.approx(1.0, abs=1e-3)


def unit(values: list[float]) -> Embedding:
    array = np.resize(np.asarray(values, dtype=np.float32), EMBEDDING_SIZE) + np.float32(0.01)
    return np.asarray(array / np.linalg.norm(array), dtype=np.float32)


@given(st.lists(st.floats(0.0, 1.0, width=32), min_size=3, max_size=40), st.floats(0.0, 2.0))
def test_small_changes_are_doubted_and_the_length_is_kept(
    values: list[float], length: float
) -> None:
    embedding = unit(values)
    change = np.zeros(EMBEDDING_SIZE)
    change[7] = length
    found = corrected(embedding, change)
    assert np.linalg.norm(found) == pytest.approx(1.0, abs=1e-3)
    if length <= DOUBT[0]:
        np.testing.assert_array_equal(found, embedding)
    if length >= DOUBT[1]:
        wanted = embedding + change
        np.testing.assert_allclose(found, wanted / np.linalg.norm(wanted), atol=1e-5)


def test_what_is_linear_is_found_again() -> None:
    random = np.random.default_rng(2)
    rows = random.standard_normal((2_000, FEATURES))
    weights = random.standard_normal((FEATURES, EMBEDDING_SIZE))
    found = cleaning.fit(rows, rows @ weights, 1e-6)
    np.testing.assert_allclose(found, weights, atol=1e-4)


def test_more_of_a_ridge_makes_smaller_changes() -> None:
    random = np.random.default_rng(3)
    rows = random.standard_normal((100, FEATURES))
    changes = random.standard_normal((100, EMBEDDING_SIZE))
    little, much = (np.abs(cleaning.fit(rows, changes, ridge)).sum() for ridge in (1.0, 1_000.0))
    assert much < 0.5 * little


def test_weights_survive_packing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.random.default_rng(4).standard_normal((FEATURES, EMBEDDING_SIZE))
    packed = cleaning.pack(weights)
    (tmp_path / "cleaning.npz").write_bytes(packed)
    monkeypatch.setattr(cleaning, "MODEL_FILE", tmp_path / "cleaning.npz")
    monkeypatch.setattr(cleaning, "MODEL_SHA256", hashlib.sha256(packed).hexdigest())
    cleaning._weights.cache_clear()
    try:
        np.testing.assert_allclose(cleaning._weights(), weights, rtol=1e-3, atol=1e-6)
    finally:
        cleaning._weights.cache_clear()


def test_the_model_is_small() -> None:
    assert cleaning.MODEL_FILE.stat().st_size < 200_000
