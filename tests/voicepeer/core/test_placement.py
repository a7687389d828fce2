"""Where sessions go, and what moves when a process ends."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from voicepeer.core.placement import NoProcess, Placement, RoomKey, Seat

pytestmark = pytest.mark.unit

KEEP_S = 60.0

rooms = st.tuples(st.text(max_size=8), st.text(max_size=8))


def placement(processes: int = 3) -> Placement:
    made = Placement(KEEP_S)
    for process in range(processes):
        made.up(process)
    return made


@settings(deadline=None)
@given(rooms, st.integers(1, 8))
def test_a_room_has_the_same_process_everywhere_and_always(room: RoomKey, processes: int) -> None:
    first, second = placement(processes), placement(processes)
    seats = [first.take(room, None, now) for now in (0.0, 1.0, 500.0)]
    assert {seat.process for seat in seats} == {second.take(room, None, 9.0).process}


@settings(deadline=None)
@given(rooms, st.integers(2, 8), st.data())
def test_where_a_process_ends_no_room_moves_but_its_own(
    room: RoomKey, processes: int, data: st.DataObject
) -> None:
    before = placement(processes)
    home = before.home(room, range(processes))
    gone = data.draw(st.integers(0, processes - 1))
    before.down(gone)
    now_at = before.take(room, None, 0.0).process
    assert now_at == home if gone != home else now_at != home


def test_rooms_are_spread() -> None:
    made = placement(4)
    homes = Counter(made.home(("acme", f"room-{number}"), range(4)) for number in range(4_000))
    assert min(homes.values()) > 850
    assert max(homes.values()) < 1_150


def test_a_room_stays_where_it_is_while_anybody_is_in_it() -> None:
    made, room = placement(2), ("acme", "hall")
    home = made.home(room, (0, 1))
    made.down(home)
    seat = made.take(room, None, 0.0)
    assert seat.process != home
    made.up(home)
    other = made.take(room, None, 1.0)
    assert other.process == seat.process
    made.leave(seat, None, 2.0)
    made.leave(other, None, 3.0)
    # Somebody who was lost may be back yet.
    assert made.take(room, None, 3.0 + KEEP_S - 0.1).process == seat.process


def test_an_empty_room_is_opened_at_home_again_after_a_while() -> None:
    made, room = placement(2), ("acme", "hall")
    home = made.home(room, (0, 1))
    made.down(home)
    made.leave(made.take(room, None, 0.0), None, 1.0)
    made.up(home)
    assert made.take(room, None, 1.0 + KEEP_S).process == home


def test_who_is_new_goes_past_a_process_that_does_not_answer() -> None:
    made, room, other = placement(2), ("acme", "hall"), ("acme", "yard")
    home = made.home(room, (0, 1))
    [able] = {0, 1} - {home}
    seat = made.take(room, None, 0.0)
    assert made.take(None, None, 0.0, [home]).process == able
    assert made.take(None, None, 0.0, [home]).process == able
    assert made.take(other, None, 0.0, [home]).process == able
    # Those who are in the room would not be met elsewhere.
    with pytest.raises(NoProcess):
        made.take(room, None, 0.0, [home])
    made.leave(seat, None, 1.0)
    assert made.take(room, None, 1.5, [home]).process == able
    # There it stays.
    assert made.take(room, None, 2.0).process == able
    with pytest.raises(NoProcess):
        made.take(None, None, 2.0, [0, 1])


def test_what_is_left_in_a_process_that_does_not_answer_is_waited_for() -> None:
    made = placement(2)
    seat = made.take(None, None, 0.0)
    made.remember(seat, "token")
    with pytest.raises(NoProcess):
        made.take(None, "token", 1.0, [seat.process])
    assert made.take(None, "token", 2.0).process == seat.process
    made.take(None, "another", 2.0, [seat.process])


def test_sessions_without_a_room_go_to_the_emptiest_process() -> None:
    made = placement(3)
    seats = [made.take(None, None, 0.0) for _ in range(6)]
    assert [made.sessions(process) for process in range(3)] == [2, 2, 2]
    for seat in seats[:2]:
        made.leave(seat, None, 0.0)
    assert {made.take(None, None, 0.0).process for _ in range(2)} == {
        seat.process for seat in seats[:2]
    }


def test_whoever_comes_back_finds_what_is_left_of_their_session() -> None:
    made = placement(3)
    seat = made.take(None, None, 0.0)
    made.remember(seat, "token")
    made.take(None, None, 0.0)
    # The service may not know yet that the connection is lost.
    assert made.take(None, "token", 10.0).process == seat.process
    made.leave(seat, "token", 20.0)
    assert made.take(None, "token", 20.0 + KEEP_S - 0.1).process == seat.process
    assert made.sessions(seat.process) == 2
    assert made.take(None, "token", 20.0 + KEEP_S).process == 2


def test_of_a_process_that_is_gone_nothing_is_left() -> None:
    made, room = placement(2), ("acme", "hall")
    seat = made.take(None, None, 0.0)
    made.remember(seat, "token")
    in_room = made.take(room, None, 0.0)
    made.down(0)
    made.down(1)
    with pytest.raises(NoProcess):
        made.take(room, "token", 1.0)
    made.up(seat.process)
    assert made.sessions(seat.process) == 0
    # Their sessions end a little later.
    made.leave(seat, "token", 1.0)
    made.leave(in_room, None, 1.0)
    made.remember(seat, "token")
    assert made.sessions(seat.process) == 0


class Sessions(RuleBasedStateMachine):
    """Sessions and processes come and go in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.placement = placement(3)
        self.seats: list[tuple[Seat, str]] = []
        self.now = 0.0

    @rule(room=st.sampled_from([None, ("a", "x"), ("a", "y"), ("b", "x")]), wait_s=st.floats(0, 90))
    def come(self, room: RoomKey | None, wait_s: float) -> None:
        self.now += wait_s
        token = f"token {len(self.seats)} {self.now}"
        if not self.placement.processes:
            with pytest.raises(NoProcess):
                self.placement.take(room, None, self.now)
            return
        seat = self.placement.take(room, None, self.now)
        assert seat.process in self.placement.processes
        self.placement.remember(seat, token)
        self.seats.append((seat, token))

    @rule(data=st.data())
    def go(self, data: st.DataObject) -> None:
        if self.seats:
            seat, token = self.seats.pop(data.draw(st.integers(0, len(self.seats) - 1)))
            self.placement.leave(seat, token, self.now)

    @rule(process=st.integers(0, 2))
    def end(self, process: int) -> None:
        self.placement.down(process)
        self.seats = [one for one in self.seats if one[0].process != process]

    @rule(process=st.integers(0, 2))
    def start(self, process: int) -> None:
        self.placement.up(process)

    @invariant()
    def no_room_is_split(self) -> None:
        homes: dict[RoomKey, set[int]] = {}
        for seat, _ in self.seats:
            if seat.room is not None:
                homes.setdefault(seat.room, set()).add(seat.process)
        assert all(len(processes) == 1 for processes in homes.values())

    @invariant()
    def all_are_counted(self) -> None:
        counted = sum(self.placement.sessions(process) for process in range(3))
        assert counted == len(self.seats)


TestSessions = Sessions.TestCase
TestSessions.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
