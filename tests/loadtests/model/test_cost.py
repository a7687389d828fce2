"""What a user costs, summed up by hand."""

from __future__ import annotations

import msgspec
import pytest

from loadtests.model.cost import Gpu, Habits, bill
from loadtests.model.parts import EnrolParts, MediaParts
from loadtests.model.queueing import talkers_beyond
from tests.loadtests.model.made import parts
from voicepeer.core.errors import ConfigInvalid

pytestmark = pytest.mark.unit

HABITS = Habits(talk=0.25, mic=0.5, call_minutes=5.0)


def test_a_user_costs_the_sum_of_the_parts() -> None:
    made = parts()
    speech = made.engine.real_time_factor * made.engine.cores
    by_hand = 0.010 + 0.5 * (0.004 + 0.020) + 0.25 * (0.006 + speech) + 3.0 / 300.0
    assert bill(made, HABITS).cores == pytest.approx(by_hand)


def test_who_learns_no_voice_pays_for_none() -> None:
    without = bill(parts(), Habits(0.25, 0.5, 5.0, learns=False))
    assert bill(parts(), HABITS).cores - without.cores == pytest.approx(0.01)


def test_a_longer_call_pays_for_its_voice_over_longer() -> None:
    longer = bill(parts(), Habits(0.25, 0.5, 50.0))
    assert longer.cores < bill(parts(), HABITS).cores


def test_users_a_core_and_memory() -> None:
    found = bill(parts(), HABITS)
    assert found.users_per_core(0.7) == pytest.approx(0.7 / found.cores)
    assert found.memory_mb(10) == 1_430.0


def test_who_talks_more_costs_more() -> None:
    costs = [bill(parts(), Habits(talk, 0.25)).cores for talk in (0.0, 0.25, 0.5, 1.0)]
    assert costs == sorted(costs)


def test_who_costs_nothing_was_measured_for_too_short() -> None:
    engine = msgspec.structs.replace(parts().engine, cores=0.0)
    free = msgspec.structs.replace(
        parts(),
        engine=engine,
        media=MediaParts(0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 400.0),
        enrolment=EnrolParts(0.0, 900.0),
    )
    with pytest.raises(ConfigInvalid, match="for longer"):
        bill(free, HABITS)


def test_a_gpu_is_known_by_what_was_measured_of_it() -> None:
    gpu = Gpu(streams=32)
    users = gpu.users(0.25)
    assert talkers_beyond(users, 0.25, 32) <= 0.01 < talkers_beyond(users + 1, 0.25, 32)
    found = bill(parts(), HABITS)
    made = next(item.cores for item in found.items if item.what == "to make it")
    assert gpu.cores_beside(found, 0.25) == pytest.approx(users * (found.cores - made))
