"""Two real people cloned and heard: each clone is nearer to its own speaker, and says the words."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest
import soxr

from engines import registry
from engines.api import Controls, Pcm, Reference, Segment
from engines.pitch import semitones, track_pitch
from tests.clips import clip
from tests.engines.kokoro.opened import engine
from voicepeer.words import common_in_order, recognise, words_of

pytestmark = pytest.mark.engine

SPEAKERS = ("de_Elli", "de_danio")
TEXT = "the weather was fine and we walked along the river until the evening"
RATE_HZ = 16_000


@pytest.fixture(scope="module")
def said() -> dict[str, Pcm]:
    """What the clone of each speaker's first five seconds says, at 16 kHz."""
    encoder, spoken = registry.create_encoder("ge2e", {}), {}
    for name in SPEAKERS:
        heard = clip(name)[: 5 * RATE_HZ]
        voice = engine().enrol(Reference(heard, RATE_HZ, encoder.embed(heard)))
        chunks = engine().speak(Segment(TEXT), voice, Controls(), Event())
        pcm = np.concatenate([chunk.pcm for chunk in chunks])
        spoken[name] = np.asarray(soxr.resample(pcm, 24_000, RATE_HZ), dtype=np.float32)
    return spoken


def test_each_clone_is_nearer_to_its_own_speaker(said: dict[str, Pcm]) -> None:
    encoder = registry.create_encoder("ge2e", {})
    clones = {name: encoder.embed(pcm) for name, pcm in said.items()}
    people = {name: encoder.embed(clip(name)) for name in SPEAKERS}
    for name, other in (SPEAKERS, SPEAKERS[::-1]):
        assert clones[name] @ people[name] > 0.65
        assert clones[name] @ people[name] > clones[name] @ people[other] + 0.1


@pytest.mark.parametrize("name", SPEAKERS)
def test_clones_speak_near_their_speakers_pitch(said: dict[str, Pcm], name: str) -> None:
    own, wanted = track_pitch(said[name]).median_hz, track_pitch(clip(name)).median_hz
    assert own is not None
    assert wanted is not None
    assert abs(semitones(own, wanted)) < 3.0


def test_clone_says_the_words_and_no_others(said: dict[str, Pcm]) -> None:
    heard = words_of(recognise(said["de_Elli"]))
    wanted, others = words_of(TEXT), words_of("seven yellow parrots sang loudly under mountains")
    assert common_in_order(wanted, heard) > 0.7 * len(wanted)
    assert common_in_order(others, heard) < 0.3 * len(others)
