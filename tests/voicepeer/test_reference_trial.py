"""The trial of the reference analysis: shares that follow from what was spoilt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engines.fakes import FakeSpeakerEncoder
from tests.clips import clip, clip_path
from voicepeer import reference_trial

pytestmark = pytest.mark.engine

NAMES = ("de_Elli", "de_Friedrich")


def test_spoilt_clips_are_noticed_and_good_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = ("as it is: room", "room, 0.6 s, direct as loud", "music 10 dB under")
    cases = {name: reference_trial.CASES[name] for name in watched}
    monkeypatch.setattr(reference_trial, "CASES", cases)
    clips = [clip(name)[: 8 * 16_000] for name in NAMES]
    found = reference_trial.trial(clips, FakeSpeakerEncoder())
    assert [found[name]["warned"] for name in watched] == [0.0, 1.0, 1.0]
    assert found["as it is: room"]["refused"] == 0.0
    for figures in found.values():
        assert figures["clips"] == len(NAMES)
        assert figures["least"] <= figures["median"] <= figures["greatest"]
        assert figures["refused"] <= figures["warned"]


def test_command_tries_the_clips_of_a_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    company = "another person in the second half"
    monkeypatch.setattr(reference_trial, "CASES", {company: reference_trial.CASES[company]})
    listed = tmp_path / "speakers.txt"
    listed.write_text("\n".join(str(clip_path(name)) for name in ("de_Elli", "en_james")))
    assert reference_trial.main([str(listed)]) == 0
    assert json.loads(capsys.readouterr().out)[company]["warned"] == 1.0
