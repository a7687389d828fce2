"""The trial of spoken consents: errors that follow from who speaks, and figures that are so."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from engines import registry
from tests.clips import clip, clip_path
from voicepeer import consent_trial
from voicepeer.audio import Recording
from voicepeer.consent_check import hear_consent
from voicepeer.consent_trial import trial
from voicepeer.core.errors import AudioRejected
from voicepeer.core.listening.identity import SAME_SPEAKER_COSINE, same_speaker
from voicepeer.offline import Ears

pytestmark = pytest.mark.engine

NAMES = ("de_Elli", "de_Rainer", "de_Sonja", "de_thorsten")


@pytest.fixture(scope="module")
def ears() -> Ears:
    return Ears(registry.create_encoder("ge2e", {}), registry.create_vad("silero", {}))


def test_speakers_are_told_apart_but_for_the_errors_that_are_told(
    ears: Ears, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = "the same recording"
    monkeypatch.setattr(consent_trial, "CASES", {case: consent_trial.CASES[case]})
    found = trial([clip(name) for name in NAMES], ears, (-1.0, SAME_SPEAKER_COSINE, 1.01))
    assert found["speakers"] == len(NAMES)
    assert isinstance(found["cases"], dict)
    errors = found["cases"][case]
    assert list(errors["turned away"].values()) == [0.0, 0.0, 1.0]
    assert errors["let in"]["-1"] == 1.0
    assert errors["let in"]["1.01"] == 0.0


def test_clips_that_are_too_short_are_left_out(ears: Ears) -> None:
    short = clip(NAMES[0])[:40_000]
    found = trial([short, clip(NAMES[1]), clip(NAMES[2])], ears, (0.5,))
    assert found["speakers"] == 2


def test_command_tries_the_clips_of_a_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = "telephone band"
    monkeypatch.setattr(consent_trial, "CASES", {case: consent_trial.CASES[case]})
    listed = tmp_path / "speakers.txt"
    listed.write_text("\n".join(str(clip_path(name)) for name in NAMES[:2]))
    assert consent_trial.main([str(listed)]) == 0
    assert list(json.loads(capsys.readouterr().out)["cases"]) == [case]


def recording(name: str, seconds: float = 5.0) -> Recording:
    return Recording(clip(name)[: round(seconds * 16_000)], 16_000)


def test_a_consent_is_of_its_speaker_and_of_nobody_else(ears: Ears) -> None:
    heard = hear_consent(recording("de_Elli"), "de-DE", ears)
    assert heard.words_checked is None
    assert same_speaker(heard.embedding, ears.encoder.embed(clip("de_Elli")[80_000:]))
    assert not same_speaker(heard.embedding, ears.encoder.embed(clip("en_james")))


def test_other_words_than_the_phrase_are_noticed_in_english(ears: Ears) -> None:
    pytest.importorskip("pocketsphinx")
    assert hear_consent(recording("en_susan"), "en-GB", ears).words_checked is False


def test_a_consent_without_speech_is_none(ears: Ears) -> None:
    quiet = Recording(np.zeros(80_000, dtype=np.float32), 16_000)
    with pytest.raises(AudioRejected):
        hear_consent(quiet, "en", ears)
