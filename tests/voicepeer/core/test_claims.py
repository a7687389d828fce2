"""What one service knows of who has which rooms, and that two never both have one."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from voicepeer.core.claims import MAX_ELSEWHERE, Claims, Elsewhere, Here, Whereabouts
from voicepeer.core.placement import RoomKey

pytestmark = pytest.mark.unit

TTL_S = 15.0
HALL: RoomKey = ("acme", "hall")
YARD: RoomKey = ("acme", "yard")
OTHER = "https://b.example"


def test_the_directory_is_asked_for_what_is_not_known() -> None:
    claims = Claims(TTL_S)
    assert claims.known(HALL, 0.0) is None
    assert claims.told(HALL, None, 0.0) == Here()
    assert claims.known(HALL, TTL_S - 0.1) == Here()
    # By then it may be somebody else's.
    assert claims.known(HALL, TTL_S) is None
    assert claims.told(YARD, OTHER, 0.0) == Elsewhere(OTHER)
    # Others end without telling us.
    assert claims.known(YARD, 0.1) is None


def test_claims_go_on_for_rooms_in_use_and_end_for_empty_ones() -> None:
    claims = Claims(TTL_S)
    claims.told(HALL, None, 0.0)
    claims.told(YARD, None, 0.0)
    assert claims.beat([], 1.0).release == ()  # who asked is about to enter
    beat = claims.beat([HALL], TTL_S / 2 + 1.0)
    assert (beat.claim, beat.release) == ((HALL,), (YARD,))
    assert set(claims.ours) == {HALL}
    assert claims.close() == (HALL,)
    assert len(claims) == 0


def test_without_the_directory_all_stays_as_it_is_and_new_rooms_are_opened() -> None:
    claims = Claims(TTL_S)
    claims.told(HALL, OTHER, 0.0)
    assert claims.without_directory(HALL, TTL_S - 1.0) == Elsewhere(OTHER)
    assert claims.without_directory(YARD, 1.0) == Here()
    assert claims.known(YARD, 2.0) == Here()
    # Whoever had it may be gone, and nobody can be asked.
    assert claims.without_directory(HALL, TTL_S) == Here()
    assert claims.without_directory(YARD, 100.0) == Here()


def test_a_room_that_was_opened_twice_is_theirs_whose_claim_was_first() -> None:
    claims = Claims(TTL_S)
    claims.without_directory(HALL, 0.0)
    assert claims.told(HALL, OTHER, 1.0) == Elsewhere(OTHER)
    assert claims.known(HALL, 1.0) is None
    # Somebody is in it here still: when the others are gone, it is ours again.
    assert claims.beat([HALL], 2.0).claim == (HALL,)
    assert claims.told(HALL, None, 2.0) == Here()


def test_rooms_of_others_fill_no_memory() -> None:
    claims = Claims(TTL_S)
    for number in range(MAX_ELSEWHERE + 10):
        claims.told(("acme", f"room-{number}"), OTHER, 0.0)
    assert len(claims._elsewhere) == MAX_ELSEWHERE


class TwoServices(RuleBasedStateMachine):
    """Two services and a directory that both can ask, in any order and at any time."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.held: dict[RoomKey, tuple[int, float]] = {}
        self.services = [Claims(TTL_S), Claims(TTL_S)]
        self.inside: list[set[RoomKey]] = [set(), set()]

    def ask(self, service: int, room: RoomKey) -> str | None:
        """What the script in the directory does."""
        owner, until_s = self.held.get(room, (service, 0.0))
        if owner != service and until_s > self.now:
            return f"https://{owner}.example"
        self.held[room] = service, self.now + TTL_S
        return None

    rooms = st.sampled_from([HALL, YARD])

    @rule(service=st.integers(0, 1), room=rooms, wait_s=st.floats(0, 8))
    def enter(self, service: int, room: RoomKey, wait_s: float) -> None:
        self.now += wait_s
        claims = self.services[service]
        where: Whereabouts | None = claims.known(room, self.now)
        if where is None:
            where = claims.told(room, self.ask(service, room), self.now)
        if isinstance(where, Here):
            self.inside[service].add(room)
        else:
            assert where.url == f"https://{1 - service}.example"

    @rule(service=st.integers(0, 1), room=rooms)
    def leave(self, service: int, room: RoomKey) -> None:
        self.inside[service].discard(room)

    @rule(wait_s=st.floats(0, TTL_S / 3))
    def beat(self, wait_s: float) -> None:
        self.now += wait_s
        for service, claims in enumerate(self.services):
            beat = claims.beat(self.inside[service], self.now)
            for room in beat.release:
                if self.held.get(room, (None,))[0] == service:
                    del self.held[room]
            for room in beat.claim:
                claims.told(room, self.ask(service, room), self.now)

    @invariant()
    def nobody_is_let_into_a_room_at_both(self) -> None:
        for room in (HALL, YARD):
            here = [claims.known(room, self.now) == Here() for claims in self.services]
            assert here != [True, True]


TestTwoServices = TwoServices.TestCase
TestTwoServices.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
