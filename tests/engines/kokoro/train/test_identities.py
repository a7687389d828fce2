"""Voices that nobody has: each says different sentences in one voice, and runs go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engines.kokoro.synth import Synthesizer
from engines.kokoro.train import identities
from engines.kokoro.train.drawing import SPEED, VoiceDrawer
from engines.kokoro.train.identities import SAMPLES, SHARD_VOICES, UTTERANCES, Identity
from engines.progress import no_progress

pytestmark = pytest.mark.unit


def test_a_voice_says_different_sentences_at_nearly_one_speed() -> None:
    random, drawer = np.random.default_rng(1), VoiceDrawer()
    for _ in range(50):
        one = identities.draw_identity(drawer, random)
        assert len(set(one.sentences)) == UTTERANCES
        assert all(SPEED[0] <= speed <= SPEED[1] for speed in one.speeds)
        assert max(one.speeds) - min(one.speeds) <= 0.1
        assert one.style.shape == (256,)


def test_stopped_run_goes_on_with_the_same_voices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Identity] = []

    def say(_synth: Synthesizer, identity: Identity) -> NDArray[np.int16]:
        asked.append(identity)
        return np.full((UTTERANCES, SAMPLES), len(asked), dtype=np.int16)

    monkeypatch.setattr(identities, "say", say)
    synth = Synthesizer.__new__(Synthesizer)
    assert identities.generate(synth, tmp_path, 1, range(1), no_progress) == 1
    assert identities.generate(synth, tmp_path, 1, range(2), no_progress) == 1
    assert len(asked) == 2 * SHARD_VOICES
    first = asked[:SHARD_VOICES]
    (tmp_path / "1_00000.npz").unlink()
    assert identities.generate(synth, tmp_path, 1, range(2), no_progress) == 1
    for one, again in zip(first, asked[-SHARD_VOICES:], strict=True):
        np.testing.assert_array_equal(one.style, again.style)
        assert (one.sentences, one.crops) == (again.sentences, again.crops)
    with np.load(tmp_path / "1_00001.npz") as shard:
        assert shard["pcm"].shape == (SHARD_VOICES, UTTERANCES, SAMPLES)
