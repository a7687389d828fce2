"""Who speaks is compared without what the recording did, and only where that is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines import ge2e
from engines.api import Pcm, Reference, SpeakerEncoder
from engines.cleaning import cleaned
from tests.clips import clip
from voicepeer import degrading
from voicepeer.core.listening.identity import same_speaker
from voicepeer.speaker_identity import identity_of

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def encoder() -> SpeakerEncoder:
    return ge2e.create({})


def noisy(pcm: Pcm) -> Pcm:
    return degrading.noisy(pcm, 20.0, np.random.default_rng(1))


def heard(pcm: Pcm, encoder: SpeakerEncoder) -> Reference:
    return Reference(pcm, 16_000, encoder.embed(pcm))


def test_noise_no_longer_makes_another_of_somebody(encoder: SpeakerEncoder) -> None:
    pcm = clip("de_Sonja")
    consent, recording = heard(noisy(pcm[:56_000]), encoder), heard(pcm[56_000:], encoder)
    assert consent.embedding is not None
    assert recording.embedding is not None
    assert not same_speaker(consent.embedding, recording.embedding)
    spoke, recorded = identity_of(consent, "ge2e"), identity_of(recording, "ge2e")
    assert spoke is not None
    assert recorded is not None
    assert same_speaker(spoke, recorded)


def test_noise_makes_nobody_somebody_else(encoder: SpeakerEncoder) -> None:
    names = ("de_Sonja", "en_james", "de_Elli", "en_robert")
    consents = [identity_of(heard(noisy(clip(name)[:56_000]), encoder), "ge2e") for name in names]
    people = [identity_of(heard(clip(name)[56_000:], encoder), "ge2e") for name in names]
    for index, consent in enumerate(consents):
        for other in people[:index] + people[index + 1 :]:
            assert consent is not None
            assert other is not None
            assert not same_speaker(consent, other)


def test_embeddings_of_other_encoders_and_none_stay(encoder: SpeakerEncoder) -> None:
    reference = heard(noisy(clip("de_Elli")[:56_000]), encoder)
    assert reference.embedding is not None
    np.testing.assert_array_equal(
        identity_of(reference, "ge2e"), cleaned(reference.embedding, reference.pcm)
    )
    for other in ("fake", "", None):
        assert identity_of(reference, other) is reference.embedding
    assert identity_of(replace(reference, embedding=None), "ge2e") is None


def test_speech_at_another_rate_is_a_mistake(encoder: SpeakerEncoder) -> None:
    reference = heard(clip("de_Elli")[:56_000], encoder)
    with pytest.raises(ValueError, match="16000"):
        identity_of(replace(reference, sample_rate_hz=24_000), "ge2e")


def test_samples_that_are_no_numbers_are_not_looked_at(encoder: SpeakerEncoder) -> None:
    reference = heard(clip("de_Elli")[:56_000], encoder)
    broken = reference.pcm.copy()
    broken[7] = np.nan
    assert identity_of(replace(reference, pcm=broken), "ge2e") is reference.embedding
