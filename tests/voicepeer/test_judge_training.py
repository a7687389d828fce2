"""Fitting the judge: it finds what differs between voices, and its report does not flatter."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engines.progress import no_progress
from tests.clips import clip, clip_path
from voicepeer import judge_training
from voicepeer.second_judge import PRINT_SIZE, Judge

pytestmark = pytest.mark.unit

SIZE = 40


def _table(voices: int, seed: int, size: int = SIZE) -> NDArray[np.float64]:
    """Voices differ in the first five numbers; what is said moves the others far more."""
    random = np.random.default_rng(seed)
    own = np.zeros((voices, 1, 1, size))
    own[..., :5] = 6.0 * random.standard_normal((voices, 1, 1, 5))
    said = random.standard_normal((voices, 2, 3, size))
    said[..., 5:] *= 20.0
    return np.asarray(own + said)


def test_discriminants_look_where_voices_differ() -> None:
    judge = judge_training.fit(_table(80, 1))
    weights = np.linalg.norm(judge.discriminants[:, :5], axis=1)
    assert weights[:5].min() > 2.0 * weights[5:].max()


def test_new_voices_are_known_by_what_was_learned_and_not_without() -> None:
    judge, fresh = judge_training.fit(_table(80, 1)), _table(30, 2)
    first, second = list(fresh[:, 0, 0]), list(fresh[:, 1, 0])
    trained = judge_training.recognition(first, second, judge.direction)
    plain = judge_training.recognition(first, second, judge_training.untrained(first))
    assert trained["equal_error_rate"] < plain["equal_error_rate"] - 0.1
    assert trained["top1"] > plain["top1"] + 0.3


def test_equal_error_rate_of_perfect_blind_and_perverse_scores() -> None:
    random = np.random.default_rng(3)
    assert judge_training.equal_error_rate(np.eye(6)) == 0.0
    assert judge_training.equal_error_rate(random.random((60, 60))) == pytest.approx(0.5, abs=0.15)
    assert judge_training.equal_error_rate(-np.eye(6)) == 1.0


def test_a_written_judge_judges_alike(tmp_path: Path) -> None:
    judge, one = judge_training.fit(_table(40, 4)), _table(1, 5)[0, :, 0]
    digest = judge_training.write(judge, tmp_path / "judge.npz")
    assert len(digest) == 64
    with np.load(tmp_path / "judge.npz") as stored:
        again = Judge(*(stored[name] for name in Judge.__dataclass_fields__))
    assert again.likeness(*one) == pytest.approx(judge.likeness(*one), abs=1e-4)


def _shards(folder: Path, voices: int) -> Path:
    """Real speech at other speeds stands in for voices."""
    pcm = np.round(clip("de_Elli")[:24_000] * 32_000.0).astype(np.int16)
    said = [np.stack([np.roll(pcm, 999 * n)[:: 1 + v % 2][:9_000] for n in range(4)])
            for v in range(voices)]  # fmt: skip
    np.savez(folder / "1_00000.npz", pcm=np.stack(said[: voices // 2]))
    np.savez(folder / "1_00001.npz", pcm=np.stack(said[voices // 2 :]))
    return folder


def test_prints_are_two_recordings_a_voice_through_some_channels(tmp_path: Path) -> None:
    voices = judge_training.read_voices(_shards(tmp_path, 4))
    assert len(voices) == 4
    table = judge_training.prints(voices, 1, no_progress)
    assert table.shape == (4, 2, judge_training.CHANNELS, PRINT_SIZE)
    np.testing.assert_array_equal(table, judge_training.prints(voices, 1, no_progress))
    assert np.abs(table[0, 0, 0] - table[0, 0, 1]).max() > 0.1


def test_no_shards_say_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"engines\.kokoro\.train identities"):
        judge_training.read_voices(tmp_path)


def test_command_writes_a_judge_and_reports_on_real_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "speakers.txt"
    names = ("de_Elli", "en_james", "de_Gaby")
    listed.write_text("\n".join(str(clip_path(name)) for name in names))
    out = tmp_path / "judge.npz"
    shards = _shards(tmp_path, 10)
    arguments = ["--shards", str(shards), "--speakers", str(listed), "--out", str(out)]
    assert judge_training.main(arguments) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["voices"] == 10
    assert out.is_file()
    assert set(report["real speakers"]) == {
        "same channel", "same channel, untrained", "another channel", "another channel, untrained",
    }  # fmt: skip
