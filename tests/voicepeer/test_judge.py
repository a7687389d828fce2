"""Judging a returned voice: likeness, the nearest stock voice, and reasons for what is missing."""

from __future__ import annotations

import numpy as np
import pytest

from engines.api import EngineError
from engines.fakes import FakeSpeakerEncoder, FakeSpeechEngine
from voicepeer import judge as judging
from voicepeer.audio import resample
from voicepeer.core.pcm import LISTEN_RATE_HZ, Pcm
from voicepeer.judge import PROBE_TEXT, cosine, judge
from voicepeer.offline import speak

pytestmark = pytest.mark.unit

ENGINE, ENCODER = FakeSpeechEngine(), FakeSpeakerEncoder()


def said_by(name: str, text: str) -> Pcm:
    spoken = speak(text, ENGINE.stock_voices()[name], ENGINE)
    return resample(spoken.pcm, spoken.rate_hz, LISTEN_RATE_HZ)


def test_the_nearest_stock_voice_is_found_and_says_the_same_text() -> None:
    mic = said_by("high", PROBE_TEXT)
    returned = said_by("low", "Another text entirely.")
    found = judge(mic, returned, "Another text entirely.", ENCODER, ENGINE)
    assert found.stock_name == "high"
    again = ENCODER.embed(said_by("high", "Another text entirely."))
    assert found.stock_similarity == pytest.approx(cosine(ENCODER.embed(mic), again))
    assert found.similarity == pytest.approx(cosine(ENCODER.embed(mic), ENCODER.embed(returned)))


def test_a_voice_is_like_itself() -> None:
    mic = said_by("mid", PROBE_TEXT)
    assert judge(mic, mic, PROBE_TEXT, ENCODER, ENGINE).similarity == pytest.approx(1.0)


@pytest.mark.parametrize("samples", [0, 100])
def test_what_is_too_short_to_judge_has_a_reason(samples: int) -> None:
    found = judge(said_by("mid", PROBE_TEXT), np.zeros(samples, np.float32), "x", ENCODER, ENGINE)
    assert (found.similarity, found.stock_similarity) == (None, None)
    assert {"similarity", "stock_similarity"} <= found.notes.keys()


def test_without_the_quality_model_the_reason_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(pcm: Pcm, rate_hz: int) -> float:
        raise EngineError("install it")

    monkeypatch.setattr(judging, "dnsmos", missing)
    mic = said_by("mid", PROBE_TEXT)
    found = judge(mic, mic, PROBE_TEXT, ENCODER, ENGINE)
    assert (found.dnsmos, found.notes) == (None, {"dnsmos": "install it"})
