"""What holds in every simulated service, whatever its users do: the books balance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.api import CHUNK_MS
from loadtests.model.crowd import Choir
from loadtests.model.outcome import Outcome
from loadtests.model.parts import Said
from loadtests.model.replica import Plant, Replica

pytestmark = pytest.mark.unit

pieces = st.builds(
    lambda made, last: Said(0.0, tuple(map(float, made)), float(last)),
    st.lists(st.integers(0, 300), min_size=1, max_size=30),
    st.integers(1, CHUNK_MS),
)
texts = st.lists(st.lists(pieces, min_size=1, max_size=3), min_size=1, max_size=4)
plants = st.builds(
    Plant,
    cores=st.sampled_from([1.0, 2.0, 8.0]),
    step_cores=st.sampled_from([0.5, 1.0, 1.8]),
    session_cores=st.sampled_from([0.0, 0.01]),
    speaking_cores=st.sampled_from([0.0, 0.02]),
    other_cores=st.sampled_from([0.0, 0.9]),
    engines=st.integers(1, 3),
    lead_chunks=st.integers(1, 16),
    max_streams=st.just(1_000),
    degrades=st.just(False),
)


@dataclass
class Script:
    """These texts by turns; ``drawn`` are those that were."""

    texts: Sequence[Sequence[Said]]
    drawn: int = 0

    def draw(self, early: bool) -> Sequence[Said]:
        """The next of them."""
        self.drawn += 1
        return self.texts[self.drawn % len(self.texts)]


def until_all_is_over(plant: Plant, script: Script, users: int) -> Outcome:
    """Everybody sends once, and there is time to hear it all."""
    return Replica(plant, Choir(users, every_s=1e9), script, seed=1).run(1e5)


@settings(max_examples=50, deadline=None)
@given(plant=plants, said=texts, users=st.integers(1, 6))
def test_every_text_is_heard_once_and_all_of_it(
    plant: Plant, said: list[list[Said]], users: int
) -> None:
    script = Script(said)
    outcome = until_all_is_over(plant, script, users)
    assert outcome.texts == users == script.drawn
    assert outcome.refused == 0
    assert len(outcome.heard_after_s) == users
    spoken_ms = sum(
        piece.audio_ms for nth in range(1, users + 1) for piece in said[nth % len(said)]
    )
    assert outcome.spoken_s == pytest.approx(spoken_ms / 1000.0)


@settings(max_examples=50, deadline=None)
@given(plant=plants, said=texts, users=st.integers(1, 6))
def test_an_engine_works_as_long_as_what_is_said_takes(
    plant: Plant, said: list[list[Said]], users: int
) -> None:
    outcome = until_all_is_over(plant, Script(said), users)
    work_s = sum(piece.work_ms for nth in range(1, users + 1) for piece in said[nth % len(said)])
    work_s /= 1000.0
    used_s = outcome.engine_cores * outcome.seconds
    assert used_s == pytest.approx(work_s * plant.step_cores, abs=1e-6)
    # Sharing the cores makes it longer, never shorter.
    busy_s = outcome.engine_busy * outcome.seconds * plant.engines
    assert busy_s >= work_s - 1e-6


@settings(max_examples=40, deadline=None)
@given(plant=plants, said=texts, users=st.integers(1, 6))
def test_nobody_is_heard_before_the_first_chunk_could_be_made(
    plant: Plant, said: list[list[Said]], users: int
) -> None:
    outcome = until_all_is_over(plant, Script(said), users)
    earliest_ms = min(text[0].made_ms[0] for text in said)
    assert all(after_s * 1000.0 >= earliest_ms - 1e-6 for after_s in outcome.heard_after_s)
    assert all(waited_s >= 0.0 for waited_s in outcome.waited_s)


@settings(max_examples=40, deadline=None)
@given(said=texts, seed=st.integers(0, 1_000))
def test_an_engine_that_has_nothing_else_to_do_lets_nobody_wait(
    said: list[list[Said]], seed: int
) -> None:
    crowd = Choir(1, every_s=3_600.0)
    plant = Plant(cores=8.0, degrades=False)
    outcome = Replica(plant, crowd, Script(said), seed).run(20 * 3_600.0 - 1.0)
    assert outcome.waited_s == [0.0] * sum(len(said[nth % len(said)]) for nth in range(1, 21))
    assert len(outcome.heard_after_s) == outcome.texts == 20


@settings(max_examples=30, deadline=None)
@given(users=st.integers(1, 5))
def test_speech_that_is_made_faster_than_it_sounds_never_runs_dry(users: int) -> None:
    # A chunk of 80 ms in 10: five streams take 50 ms for 80 of each.
    quick = Said(0.0, (10.0,) * 40, 80.0)
    outcome = until_all_is_over(Plant(cores=8.0, degrades=False), Script([[quick, quick]]), users)
    assert outcome.underruns == 0


def test_speech_that_is_made_slower_than_it_sounds_runs_dry_for_each() -> None:
    slow = Said(0.0, (200.0,) * 20, 80.0)
    outcome = until_all_is_over(Plant(cores=8.0, degrades=False), Script([[slow]]), 3)
    assert outcome.underruns >= 3
