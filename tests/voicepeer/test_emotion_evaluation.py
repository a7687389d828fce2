from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.voicepeer.commandline import voicepeer
from voicepeer import emotion_evaluation
from voicepeer.core.pcm import LISTEN_RATE_HZ
from voicepeer.core.speaking.emotion import RECIPES
from voicepeer.emotion_evaluation import Spoken, effect, measure

EXTREMES = ("sad", "cheerful")

FIGURES: dict[str, Any] = {
    "voices": ["a"],
    "strength": 0.5,
    "emotions": [
        {"emotion": "sad", "duration": 1.1, "f0_semitones": -1.5, "spread": 0.7, "voiced": 1.0,
         "level_db": -1.2, "words": 0.0, "dnsmos": None}
    ],
    "notes": {"dnsmos": "not installed"},
}  # fmt: skip


@pytest.mark.unit
def test_effects_are_means_of_changes() -> None:
    base = Spoken(2.0, 100.0, 2.0, 0.5, -20.0, 0.9, 3.5)
    own = Spoken(3.0, 200.0, 1.0, 0.25, -26.0, 0.8, 3.3)
    changed = effect("sad", [(own, base), (base, base)])
    assert changed.duration == pytest.approx(1.25)
    assert changed.f0_semitones == pytest.approx(6.0)
    assert changed.spread == pytest.approx(0.75)
    assert changed.voiced == pytest.approx(0.75)
    assert changed.level_db == pytest.approx(-3.0)
    assert changed.words == pytest.approx(-0.05)
    assert changed.dnsmos == pytest.approx(-0.1)


@pytest.mark.unit
def test_what_could_not_be_measured_is_none() -> None:
    one = Spoken(2.0, 100.0, 2.0, 0.5, -20.0, None, None)
    changed = effect("sad", [(one, one)])
    assert changed.words is changed.dnsmos is None


@pytest.mark.unit
def test_a_tone_is_measured_as_what_it_is() -> None:
    at = np.arange(2 * LISTEN_RATE_HZ) / LISTEN_RATE_HZ
    tone = (0.2 * np.sin(2.0 * np.pi * 150.0 * at)).astype(np.float32)
    spoken = measure(tone, "nothing of this is said", {})
    assert spoken.duration_s == 2.0
    assert spoken.f0_hz == pytest.approx(150.0, rel=0.01)
    assert spoken.level_dbfs == pytest.approx(-17.0, abs=0.1)
    assert spoken.words == 0.0


@pytest.mark.unit
def test_the_command_hands_its_options_on_and_prints_a_row_an_emotion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[Any, ...]] = []

    def run(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the command passes
        asked.append(arguments[:3])
        return FIGURES

    monkeypatch.setattr(emotion_evaluation, "run", run)
    ran = voicepeer("eval", "emotions", "--voices", "a", "--strength", "0.5")
    assert asked == [(["a"], 0.5, None)]
    assert ran.out.splitlines() == [
        "EMOTION  DURATION  F0_SEMITONES  SPREAD  VOICED  LEVEL_DB  WORDS  DNSMOS",
        "sad      1.1       -1.5          0.7     1       -1.2      0      -",
        "note: dnsmos: not installed",
    ]
    assert voicepeer("eval", "emotions", "--json").json == FIGURES


@pytest.mark.engine
def test_emotions_of_the_engine_move_what_they_should() -> None:
    figures = emotion_evaluation.run(["af_heart"], 1.0, None, lambda *_: None, EXTREMES)
    rows = {row["emotion"]: row for row in figures["emotions"]}
    assert set(rows) == set(EXTREMES)
    for name, row in rows.items():
        recipe = RECIPES[name]
        assert row["duration"] == pytest.approx(1.0 / recipe.speed, rel=0.08), name
        assert (row["f0_semitones"] > 0) == (recipe.pitch_semitones > 0), name
        assert (row["spread"] > 1.0) == (recipe.pitch_range > 1.0), name
        wanted_db = 20.0 * np.log10(recipe.energy)
        assert row["level_db"] == pytest.approx(wanted_db, abs=2.0), name
        assert row["dnsmos"] is None or row["dnsmos"] > -0.4, name
        assert row["words"] is None or row["words"] > -0.25, name
