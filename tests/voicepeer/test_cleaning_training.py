"""Learning what channels do: rows of every kind, and a report that tells them apart."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engines import cleaning, registry
from engines.fakes import FakeSpeechEngine
from engines.ge2e import create
from tests.clips import clip, clip_path
from voicepeer import cleaning_training
from voicepeer.cleaning_training import KINDS, Rows, by_kind, levelled, main, real_speakers
from voicepeer.core.pcm import level_dbfs

pytestmark = pytest.mark.engine


def test_every_way_of_spoiling_changes_speech_and_keeps_its_length() -> None:
    speech = clip("en_susan")[:48_000]
    for kind, spoil in KINDS.items():
        spoiled = spoil(speech, np.random.default_rng(1))
        assert spoiled.shape == speech.shape
        away = level_dbfs(spoiled - speech) - level_dbfs(speech)
        assert (away < -30.0) == (kind == "as it is"), kind


def test_speech_is_levelled_as_it_is_for_embedding() -> None:
    quiet = clip("en_susan") * np.float32(0.01)
    assert level_dbfs(levelled(quiet)) == pytest.approx(-22.0, abs=0.5)


def test_what_was_learned_of_a_voice_brings_its_spoiled_speech_back() -> None:
    encoder, rows, others = create({}), Rows(create({})), Rows(create({}))
    for name in ("en_susan", "de_Elli"):
        rows.add(clip(name)[:64_000], np.random.default_rng(1))
        others.add(clip(name)[:64_000], np.random.default_rng(2))
    assert len(rows.features) == 2 * len(KINDS)
    weights = cleaning.fit(np.stack(rows.features), np.stack(rows.changes), 0.1)
    told = by_kind(others, weights)
    assert told["noisy line"]["after"] < 0.7 * told["noisy line"]["before"]
    people = real_speakers([clip("en_susan")], encoder, weights, seed=3)
    assert people["noisy line"]["after"] > people["noisy line"]["before"]


def test_the_command_writes_weights_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "create_speech", lambda _name, _options: FakeSpeechEngine())
    monkeypatch.setattr(cleaning_training, "TEXTS", ("Good morning to all of you.",) * 3)
    listed, out = tmp_path / "list", tmp_path / "cleaning.npz"
    listed.write_text(f"{clip_path('en_susan')}\n")
    assert main(["--speakers", str(listed), "--out", str(out)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["voices"] == 2
    assert set(report["real speakers"]) == set(report["held out"]) == set(KINDS)
    with np.load(out) as file:
        assert file["weights"].shape == (cleaning.FEATURES, cleaning.EMBEDDING_SIZE)
