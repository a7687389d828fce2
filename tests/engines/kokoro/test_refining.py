"""Voices that get better by being listened to: what leads, what judges, and when it may stop."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines import registry
from engines.api import (
    Embedding,
    Pcm,
    Reference,
    RefinesVoices,
    SpeakerEncoder,
    Voice,
    VoiceIncompatible,
)
from engines.fakes import FakeSpeakerEncoder
from engines.kokoro import cloning, refining, voices
from engines.kokoro.refining import Refiner, divided
from tests.clips import clip
from tests.engines.kokoro.opened import engine as opened

pytestmark = pytest.mark.engine

RATE_HZ = 16_000


@pytest.fixture(scope="module")
def encoder() -> SpeakerEncoder:
    return registry.create_encoder("ge2e", {})


@pytest.fixture(scope="module")
def reference(encoder: SpeakerEncoder) -> Reference:
    pcm = clip("de_Elli")[: 6 * RATE_HZ]
    return Reference(pcm, RATE_HZ, encoder.embed(pcm))


def _unit(seed: int) -> Embedding:
    values = np.maximum(0.0, np.random.default_rng(seed).standard_normal(256))
    return np.asarray(values / np.linalg.norm(values), dtype=np.float32)


@given(st.integers(0, 2**32 - 1), st.floats(80.0, 300.0))
@settings(max_examples=5, deadline=None)
def test_a_search_makes_up_for_what_the_networks_miss(seed: int, f0_hz: float) -> None:
    target, elsewhere = _unit(seed), _unit(seed + 1)
    began = voices.style_basis().point(cloning.style_from_embedding(target, f0_hz))
    missed = 0.4 * (elsewhere - cloning.foretold(began, f0_hz))

    def likeness(point: Pcm) -> float:
        heard = cloning.foretold(point, f0_hz) + missed
        return float(heard @ target / np.linalg.norm(heard))

    corrected = cloning.nearer(began, target, f0_hz, missed)
    assert likeness(corrected) >= likeness(began) - 1e-3
    assert np.abs(corrected).max() <= cloning.TRUST_DEVIATIONS + 1e-3


def test_what_judges_is_no_part_of_what_leads() -> None:
    heard: list[Pcm] = []

    class Recording(FakeSpeakerEncoder):
        def embed(self, pcm: Pcm) -> Embedding:
            heard.append(pcm)
            return super().embed(pcm)

    pcm = np.random.default_rng(0).normal(0.0, 0.1, 12 * RATE_HZ).astype(np.float32)
    divided(Reference(pcm, RATE_HZ), Recording())
    leads, judges = heard
    assert np.array_equal(np.concatenate([leads, judges]), pcm)
    assert judges.size == 3 * RATE_HZ


@pytest.mark.parametrize("seconds", [1.6, 3.9, 4.1, 5.0, 20.0])
def test_both_parts_hold_a_window_of_speech(seconds: float, encoder: SpeakerEncoder) -> None:
    pcm = np.resize(clip("de_Elli"), round(seconds * RATE_HZ))
    leads, judges = divided(Reference(pcm, RATE_HZ), encoder)
    for part in (leads, judges):
        assert np.linalg.norm(part) == pytest.approx(1.0, abs=1e-4)
    assert np.array_equal(leads, judges) == (seconds < 4.0)


def test_every_voice_is_more_like_the_speaker_than_the_last_one(
    encoder: SpeakerEncoder, reference: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the middle of all voices there is much to gain."""
    monkeypatch.setattr(refining, "MAX_STEPS", 1)
    monkeypatch.setattr(refining, "JUDGE_EVERY", 1)
    monkeypatch.setattr(refining, "JUDGING", refining.JUDGING[:2])
    engine = opened()
    assert isinstance(engine, RefinesVoices)
    anybody = voices.make_voice(voices.style_basis().mean, 1.3, cloning.TONE_DB)
    began = engine.prepared(anybody)
    found = [one for one in engine.refine(began, reference, encoder) if one is not None]
    judge = Refiner(engine.synth, encoder, began, reference)
    likeness = [_result(judge, one) for one in (began, *found)]
    assert len(found) >= 1
    assert all(later > earlier for earlier, later in itertools.pairwise(likeness))
    assert likeness[-1] > likeness[0] + 0.02
    for one in found:
        assert np.ptp(one.arrays[voices.TONE] - cloning.TONE_DB) < 1e-4, "only its level is new"
        assert one.arrays.keys() == began.arrays.keys(), "it is ready to speak"


def _result(judge: Refiner, voice: Voice) -> float:
    work = judge._likeness(voice)
    while True:
        try:
            next(work)
        except StopIteration as done:
            return float(done.value)


def test_it_can_be_left_after_any_part(encoder: SpeakerEncoder, reference: Reference) -> None:
    engine = opened()
    stock = voices.stock_voices()["af_heart"]
    parts = engine.refine(stock, reference, encoder)
    assert list(itertools.islice(parts, 2)) == [None, None]


def test_a_voice_without_a_tone_gets_none(
    encoder: SpeakerEncoder, reference: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refining, "MAX_STEPS", 1)
    monkeypatch.setattr(refining, "JUDGE_EVERY", 1)
    monkeypatch.setattr(refining, "JUDGING", refining.JUDGING[:1])
    plain = voices.make_voice(voices.style_basis().mean, 1.3)
    engine = opened()
    found = [one for one in engine.refine(plain, reference, encoder) if one is not None]
    assert all(voices.TONE not in one.arrays for one in found)


def test_a_foreign_voice_is_refused_at_once(encoder: SpeakerEncoder, reference: Reference) -> None:
    foreign = Voice("other", "1", {})
    with pytest.raises(VoiceIncompatible):
        opened().refine(foreign, reference, encoder)
