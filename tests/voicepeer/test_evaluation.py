"""Evaluation: lists of speakers, halves that do not mix, and figures that mean what they say."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from engines import registry
from engines.fakes import FakeSpeechEngine, Script
from tests.clips import FOLDER, clip, clip_path
from voicepeer import evaluation, stock
from voicepeer.audio import write_wav
from voicepeer.core.errors import AudioRejected, ConfigInvalid
from voicepeer.offline import Ears

pytestmark = pytest.mark.engine

NAMES = ("en_susan", "en_james", "de_Elli")


@dataclass(slots=True)
class _Told:
    steps: list[tuple[str, float]] = field(default_factory=list)

    def __call__(self, what: str, share: float) -> None:
        self.steps.append((what, share))


def _list(folder: Path, *lines: str) -> Path:
    path = folder / "speakers.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def ears() -> Ears:
    return Ears(registry.create_encoder("ge2e", {}), registry.create_vad("silero", {}))


def test_list_takes_paths_and_names_beside_it_and_skips_comments(tmp_path: Path) -> None:
    write_wav(tmp_path / "me.wav", clip("en_susan"), 16_000)
    listed = _list(tmp_path, "# people", "me", "", f"{clip_path('en_james')}  # by path")
    assert evaluation.read_list(listed) == [tmp_path / "me.wav", clip_path("en_james")]
    assert evaluation.read_list(listed, limit=1) == [tmp_path / "me.wav"]


@pytest.mark.parametrize("lines", [("# nobody",), ("no_such_clip",)])
def test_list_that_names_nobody_is_refused(tmp_path: Path, lines: tuple[str, ...]) -> None:
    with pytest.raises(ConfigInvalid, match="names no speakers|no clip"):
        evaluation.read_list(_list(tmp_path, *lines))


def test_list_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalid, match="cannot be read"):
        evaluation.read_list(tmp_path / "nothing.txt")


def test_halves_come_from_their_own_side_of_the_clip(tmp_path: Path, ears: Ears) -> None:
    """A woman, then a man: each half must sound like its own speaker."""
    both = np.concatenate([clip("de_Elli")[:64_000], clip("de_Matze")[:64_000]])
    write_wav(tmp_path / "both.wav", both, 16_000)
    speaker = evaluation.hear_speaker(tmp_path / "both.wav", ears)
    woman, man = (ears.encoder.embed(clip(name)) for name in ("de_Elli", "de_Matze"))
    assert speaker.seen_embedding @ woman > speaker.seen_embedding @ man + 0.1
    assert speaker.unseen_embedding @ man > speaker.unseen_embedding @ woman + 0.1


def test_clip_too_short_to_split_is_refused(tmp_path: Path, ears: Ears) -> None:
    write_wav(tmp_path / "short.wav", clip("en_susan")[:24_000], 16_000)
    with pytest.raises(AudioRejected, match="s of usable speech"):
        evaluation.hear_speaker(tmp_path / "short.wav", ears)


def test_nearest_is_the_voice_with_the_highest_cosine() -> None:
    axes = np.eye(3, dtype=np.float32)
    voices = {"x": axes[0], "y": axes[1]}
    assert stock.nearest(np.array([0.1, 0.9, 0.0], np.float32), voices) == "y"


def test_whole_evaluation_gives_every_figure_and_writes_its_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fake engine speaks in tones: no likeness to expect, but every step is taken."""

    def refining() -> FakeSpeechEngine:
        return FakeSpeechEngine(Script(refinements=2))

    monkeypatch.setattr(registry, "create_speech", lambda _name, _options: refining())
    monkeypatch.setattr(evaluation, "TEXTS", ("Good morning.", "How are you?"))
    monkeypatch.setattr(evaluation, "CURVE_SPEAKERS", 2)
    listed = _list(tmp_path, *(str(FOLDER / f"{name}.wav") for name in NAMES))
    told = _Told()
    report = tmp_path / "report"
    figures = evaluation.run(listed, None, 10.0, report, told)

    assert [one["name"] for one in figures["speakers"]] == list(NAMES)
    wanted = {
        "cosine", "ceiling", "stock", "second_judge", "stock_second_judge", "dnsmos",
        "stock_dnsmos", "f0_heard_semitones", "f0_semitones", "own_f0_semitones",
        "f0_range_semitones", "rate_percent", "spectrum_db", "vocal_tract_percent",
        "dynamics_db", "top1", "stock_top1", "usable_ms", "ready_ms", "clone_ms",
    }  # fmt: skip
    assert wanted <= set(figures["mean"])
    assert figures["mean"]["ceiling"] > 0.7
    assert -1.0 <= figures["mean"]["cosine"] <= 1.0
    assert figures["mean"]["words"] < 0.3
    assert figures["mean"]["own_spectrum_db"] < figures["mean"]["spectrum_db"]
    assert figures["mean"]["second_judge_ceiling"] > figures["mean"]["second_judge"]
    assert all(1 <= one["rank"] <= len(NAMES) for one in figures["speakers"])
    ready = [one for one in figures["speakers"] if one["ready_ms"] is not None]
    assert ready
    assert all(2_800 < one["usable_ms"] < one["ready_ms"] - 1_500 for one in ready)
    assert ("ready_ms" in figures["notes"]) == (len(ready) < len(NAMES))
    assert figures["refine_s"] == 10.0
    assert told.steps[-1][1] == 1.0
    assert json.loads((report / "figures.json").read_text()) == figures
    written = {path.name for path in report.iterdir()}
    assert {f"{name}.clone.wav" for name in NAMES} <= written
    assert {"index.html", "speakers.png", "seconds.png", "confusion.png"} <= written


def test_more_speech_is_tried_on_those_who_have_it(
    monkeypatch: pytest.MonkeyPatch, ears: Ears
) -> None:
    """One speaker with 4 s in all and one with 16 s: only the second has a half of 5 s."""
    monkeypatch.setattr(evaluation, "CURVE_SPEAKERS", 1)
    people = [evaluation.hear_speaker(clip_path(name), ears) for name in ("en_susan", "de_Elli")]
    bench = evaluation._Bench(FakeSpeechEngine(), ears)
    found = evaluation._curve(bench, people, _Told())
    assert {seconds: len(values) for seconds, values in found.items()} == {
        1.6: 1, 3.0: 1, 5.0: 1, 8.0: 1,
    }  # fmt: skip


def test_unusable_clip_is_noted_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "create_speech", lambda _name, _options: FakeSpeechEngine())
    write_wav(tmp_path / "silent.wav", np.zeros(80_000, np.float32), 16_000)
    listed = _list(tmp_path, "silent", str(FOLDER / "en_james.wav"))
    figures = evaluation.run(listed, None, 0.0, None, _Told())
    assert [one["name"] for one in figures["speakers"]] == ["en_james"]
    assert "silent" in figures["notes"]
    assert -1.0 <= figures["mean"]["second_judge"] <= 1.0
