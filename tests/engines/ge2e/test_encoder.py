"""The shipped encoder against Resemblyzer's own embeddings, on real speakers."""

from __future__ import annotations

import concurrent.futures
from pathlib import Path

import numpy as np
import pytest

from engines import ge2e
from engines.api import (
    Embedding,
    Pcm,
    ReferenceRejected,
    SpeakerEncoder,
)
from engines.cleaning import EMBEDDING_SIZE
from engines.ge2e.encoder import (
    MIN_SPEECH_S,
    MODEL_FILE,
    MODEL_SHA256,
    window_starts,
)
from engines.model_files import read_model
from tests.clips import clip

pytestmark = pytest.mark.engine

SPEAKERS = ("en_susan", "de_Sonja")
SECOND = 16_000
GOLDEN_SAMPLES = 4 * SECOND
"""Four windows of 1.6 s, 0.8 s apart, as in the golden embeddings."""


@pytest.fixture(scope="module")
def encoder() -> SpeakerEncoder:
    return ge2e.create({})


@pytest.fixture(scope="module")
def golden() -> dict[str, Embedding]:
    """Float32 embeddings by Resemblyzer 0.1.4 with torch, at 1.25 windows a second."""
    with np.load(Path(__file__).parent / "golden.npz") as stored:
        return {name: stored[name] for name in stored.files}


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_embeds_as_resemblyzer_does(
    encoder: SpeakerEncoder, golden: dict[str, Embedding], speaker: str
) -> None:
    assert encoder.embed(clip(speaker)[:GOLDEN_SAMPLES]) @ golden[speaker] > 0.999


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_one_window_embeds_as_resemblyzer_does(
    encoder: SpeakerEncoder, golden: dict[str, Embedding], speaker: str
) -> None:
    window = clip(speaker)[: encoder.window_samples]
    assert encoder.embed_window(window) @ golden[f"{speaker}_first"] > 0.999


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_raises_quiet_speech_as_resemblyzer_does(
    encoder: SpeakerEncoder, golden: dict[str, Embedding], speaker: str
) -> None:
    quiet = clip(speaker)[:GOLDEN_SAMPLES] * np.float32(0.01)
    assert encoder.embed(quiet) @ golden[f"{speaker}_quiet"] > 0.999


def test_embedding_is_a_unit_vector(encoder: SpeakerEncoder) -> None:
    embedding = encoder.embed(clip("en_susan"))
    assert embedding.shape == (EMBEDDING_SIZE,)
    assert embedding.dtype == np.float32
    assert np.linalg.norm(embedding) == pytest.approx(1.0, abs=1e-5)


def test_tells_speakers_apart(encoder: SpeakerEncoder) -> None:
    halves = [np.array_split(clip(name), 2) for name in (*SPEAKERS, "en_david", "de_thorsten")]
    first = np.stack([encoder.embed(half[0]) for half in halves])
    second = np.stack([encoder.embed(half[1]) for half in halves])
    similarity = first @ second.T
    assert (similarity.argmax(axis=1) == np.arange(len(halves))).all()


def test_mean_of_windows_is_the_embedding(encoder: SpeakerEncoder) -> None:
    pcm = clip("de_Sonja")[:GOLDEN_SAMPLES]
    hop = encoder.window_samples // 2
    windows = [
        encoder.embed_window(pcm[at : at + encoder.window_samples])
        for at in range(0, 3 * hop + 1, hop)
    ]
    mean = np.mean(windows, axis=0)
    assert encoder.embed(pcm) @ mean / np.linalg.norm(mean) > 0.999


def test_speech_shorter_than_a_window_already_sounds_like_the_speaker(
    encoder: SpeakerEncoder,
) -> None:
    whole = encoder.embed(clip("de_Sonja"))
    assert encoder.embed(clip("de_Sonja")[:SECOND]) @ whole > 0.7


def test_threads_do_not_disturb_each_other(encoder: SpeakerEncoder) -> None:
    clips = [clip(name)[: 3 * SECOND] for name in SPEAKERS] * 8
    alone = [encoder.embed(pcm) for pcm in clips]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        together = list(pool.map(encoder.embed, clips))
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize(
    ("pcm", "reason"),
    [
        (np.zeros(0, dtype=np.float32), "too short"),
        (np.zeros(int(MIN_SPEECH_S * SECOND) - 1, dtype=np.float32), "too short"),
        (np.zeros(SECOND, dtype=np.float32), "silence"),
        (np.full(SECOND, np.nan, dtype=np.float32), "not numbers"),
        (np.full(SECOND, np.inf, dtype=np.float32), "not numbers"),
    ],
)
def test_says_why_it_cannot_embed(encoder: SpeakerEncoder, pcm: Pcm, reason: str) -> None:
    with pytest.raises(ReferenceRejected, match=reason):
        encoder.embed(pcm)


def test_a_window_of_the_wrong_length_is_a_mistake_of_the_caller(encoder: SpeakerEncoder) -> None:
    with pytest.raises(ValueError, match="25600"):
        encoder.embed_window(np.ones(25_599, dtype=np.float32))


@pytest.mark.parametrize(
    ("samples", "starts"),
    [
        (6_400, [0]),
        (25_600, [0]),
        (25_600 + 3_200, [0, 20]),
        (2 * SECOND, [0, 40]),
        (48_000, [0, 80, 140]),
        (64_000, [0, 80, 160, 240]),
        (64_000 + 6_000, [0, 80, 160, 240]),
        (64_000 + 6_400, [0, 80, 160, 240, 280]),
    ],
)
def test_windows_cover_the_speech(samples: int, starts: list[int]) -> None:
    assert window_starts(samples) == starts


def test_shipped_file_is_the_exported_one() -> None:
    assert len(read_model(MODEL_FILE, MODEL_SHA256)) < 6_000_000
