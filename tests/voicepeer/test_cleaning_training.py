"""Learning what channels do: rows of every kind, and a report that tells them apart."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engines import cleaning
from engines.ge2e import create
from engines.progress import no_progress
from tests.clips import clip, clip_path
from voicepeer import cleaning_training
from voicepeer.cleaning_training import (
    CASES,
    HELD_OUT,
    KINDS,
    STRETCHES,
    Rows,
    by_kind,
    held_out,
    levelled,
    main,
    real_speakers,
    rows_of,
)
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
    rows, others = Rows(create({})), Rows(create({}))
    for name in ("en_susan", "de_Elli"):
        rows.add(clip(name)[:64_000], np.random.default_rng(1))
        others.add(clip(name)[:64_000], np.random.default_rng(2))
    assert len(rows.features) == 2 * len(KINDS)
    weights = cleaning.fit(np.stack(rows.features), np.stack(rows.changes), 0.1)
    told = by_kind(others, weights)
    assert told["noisy line"]["after"] < 0.7 * told["noisy line"]["before"]


def test_real_people_are_told_of_by_case() -> None:
    encoder, rows = create({}), Rows(create({}))
    names = ("en_susan", "de_Elli")
    for name in names:
        rows.add(clip(name)[:64_000], np.random.default_rng(1))
    weights = cleaning.fit(np.stack(rows.features), np.stack(rows.changes), 0.1)
    people = real_speakers([clip(name) for name in names], encoder, weights, seed=3)
    assert set(people) == set(CASES)
    for case, found in people.items():
        if case.startswith("telephone"):
            assert cosine(found["after"]) > cosine(found["before"]) + 0.05
        assert isinstance(found["lengths"], list)
        assert sorted(found["lengths"]) == found["lengths"]
    nothing = np.zeros_like(weights)
    untouched = real_speakers([clip("en_susan")], encoder, nothing, seed=3)
    assert all(one["before"] == one["after"] for one in untouched.values())


def cosine(found: object) -> float:
    assert isinstance(found, dict)
    return float(found["cosine"])


def voices(count: int) -> list[NDArray[np.int16]]:
    """Made of real speech cut to pieces, ``[4, 14000]`` each."""
    names = ("en_susan", "de_Elli", "en_robert", "de_Friedrich")
    speech = [np.roll(clip(names[n % 4]), -4_000 * n)[:56_000] for n in range(count)]
    return [np.round(one.reshape(4, -1) * 32_767.0).astype(np.int16) for one in speech]


def test_each_voice_gives_as_many_rows_and_a_seed_always_the_same() -> None:
    encoder, heard = create({}), voices(1)
    one, again, other = (rows_of(heard, encoder, seed, no_progress) for seed in (1, 1, 2))
    assert len(one.features) == STRETCHES * 2 * len(KINDS)
    np.testing.assert_array_equal(np.stack(one.features), np.stack(again.features))
    assert not np.array_equal(np.stack(one.features), np.stack(other.features))


def test_voices_that_are_held_out_take_no_part_in_what_is_told_of_them() -> None:
    random, rows = np.random.default_rng(5), Rows(create({}))
    per_voice = len(KINDS)
    for voice in range(HELD_OUT + 1):
        held = voice % HELD_OUT == 0
        for _ in range(per_voice):
            row = np.append(random.standard_normal(cleaning.FEATURES - 1), 1.0)
            rows.features.append(row)
            # All others change alike, those that are held out the other way.
            rows.changes.append(np.full(cleaning.EMBEDDING_SIZE, -1.0 if held else 1.0))
    for told in held_out(rows, HELD_OUT + 1).values():
        assert told["after"] > 1.5 * told["before"]


def shards(folder: Path, count: int) -> Path:
    np.savez_compressed(folder / "1_00000.npz", pcm=np.stack(voices(count)))
    return folder


def test_the_command_writes_the_same_weights_twice_and_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cleaning_training, "STRETCHES", 1)
    listed, out = tmp_path / "list", tmp_path / "cleaning.bin"
    listed.write_text(f"{clip_path('en_susan')}\n")
    arguments = ["--shards", str(shards(tmp_path, HELD_OUT + 1)), "--out", str(out)]
    assert main(arguments) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*arguments, "--speakers", str(listed)]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["sha256"] == first["sha256"]
    assert report["voices"] == HELD_OUT + 1
    assert set(report["held out"]) == set(KINDS)
    assert set(report["real speakers"]) == set(CASES)
    with np.load(out) as file:
        assert file["weights"].shape == (cleaning.FEATURES, cleaning.EMBEDDING_SIZE)


def test_without_shards_the_command_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="identities"):
        main(["--shards", str(tmp_path), "--out", str(tmp_path / "out")])
