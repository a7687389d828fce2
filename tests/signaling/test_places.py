"""Work that takes a place: bounded for all, and for each of several keys."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from signaling.gate import ApiError
from signaling.places import Places
from signaling.principal import Principal

pytestmark = pytest.mark.unit

ACME, BOLT = Principal("acme.1"), Principal("bolt")
ADA = Principal("acme.2", subject="ada")


def refused(places: Places, who: Principal) -> tuple[int, str]:
    with pytest.raises(ApiError) as caught, places.place(who):
        pass
    assert int(caught.value.headers["Retry-After"]) > 0
    return caught.value.status, caught.value.code


def test_all_places_are_for_a_single_key_and_then_there_is_none() -> None:
    places = Places("uploads", 4)
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(places.place(ACME))
        assert refused(places, ACME) == (503, "at_capacity")
    with places.place(ACME):
        pass


def test_a_key_with_all_its_subjects_leaves_a_place_to_others() -> None:
    places = Places("uploads", 4, 2)
    with ExitStack() as held:
        for who in (ACME, ADA, ACME):
            held.enter_context(places.place(who))
        assert refused(places, ADA) == (429, "rate_limit_exceeded")
        with places.place(BOLT):
            assert refused(places, BOLT) == (503, "at_capacity")


def test_a_place_comes_back_however_the_work_ends() -> None:
    places = Places("uploads", 1)

    def fail() -> None:
        with places.place(ACME):
            raise ValueError("planted")

    with pytest.raises(ValueError, match="planted"):
        fail()
    with places.place(ACME):
        pass
