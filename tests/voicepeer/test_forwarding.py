"""Packets from sources to listeners, seen where they leave."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.forwarding import Forwarder, MediaPacket, Publication

pytestmark = pytest.mark.unit


@dataclass
class Left:
    """An outlet that keeps what leaves; ``open`` says whether anything does."""

    packets: list[tuple[int, int, bool, bytes, int | None]] = field(default_factory=list)
    open: bool = True

    def send(
        self, sequence: int, timestamp: int, marker: bool, payload: bytes, level: int | None
    ) -> bool:
        if self.open:
            self.packets.append((sequence, timestamp, marker, payload, level))
        return self.open

    @property
    def numbers(self) -> list[int]:
        """Sequence numbers from the first one on."""
        return [(packet[0] - self.packets[0][0]) % (1 << 16) for packet in self.packets]

    @property
    def payloads(self) -> bytes:
        return b"".join(packet[3] for packet in self.packets)


def packet(
    sequence: int, text: bytes = b"x", ssrc: int = 7, level: int | None = None
) -> MediaPacket:
    return MediaPacket(ssrc, sequence, sequence * 960, text, level=level)


def test_a_packet_goes_to_all_who_listen_as_it_is() -> None:
    source, outlets = Publication(), [Left(), Left()]
    for outlet in outlets:
        Forwarder(outlet).hear(source)
    source.push(packet(5, b"opus", level=0x80 | 30), 0.0)
    assert len(source) == 2
    for outlet in outlets:
        [(_, _, marker, payload, level)] = outlet.packets
        assert (marker, payload, level) == (True, b"opus", 0x80 | 30)


def test_only_the_first_packet_of_a_source_is_marked() -> None:
    source, outlet = Publication(), Left()
    Forwarder(outlet).hear(source)
    for sequence in range(3):
        source.push(packet(sequence), sequence / 50)
    assert [one[2] for one in outlet.packets] == [True, False, False]


def test_a_listener_who_changes_hears_one_source_at_a_time_in_one_stream() -> None:
    first, second, outlet = Publication(), Publication(), Left()
    listener = Forwarder(outlet)
    listener.hear(first)
    first.push(packet(100, b"a", 1), 0.0)
    second.push(packet(9, b"-", 2), 0.01)
    listener.hear(second)
    assert (listener.source, len(first), len(second)) == (second, 0, 1)
    second.push(packet(10, b"b", 2), 0.02)
    first.push(packet(101, b"-", 1), 0.03)
    assert outlet.payloads == b"ab"
    assert outlet.numbers == [0, 1]


def test_hearing_the_same_source_again_changes_nothing() -> None:
    source, outlet = Publication(), Left()
    listener = Forwarder(outlet)
    for sequence in range(2):
        listener.hear(source)
        source.push(packet(sequence), sequence / 50)
    assert [one[2] for one in outlet.packets] == [True, False]


def test_a_pause_leaves_no_hole_in_the_numbers() -> None:
    source, outlet = Publication(), Left()
    Forwarder(outlet).hear(source)
    source.push(packet(1), 0.0)
    source.cut()
    source.push(packet(51), 1.0)
    assert outlet.numbers == [0, 1]
    assert outlet.packets[1][1] - outlet.packets[0][1] in (48_000, 48_000 - (1 << 32))


def test_nobody_hears_a_source_that_was_closed() -> None:
    source, outlets = Publication(), [Left(), Left()]
    listeners = [Forwarder(outlet) for outlet in outlets]
    for listener in listeners:
        listener.hear(source)
    source.close()
    source.push(packet(1), 0.0)
    assert [listener.source for listener in listeners] == [None, None]
    assert [outlet.packets for outlet in outlets] == [[], []]


def test_what_leaves_is_counted() -> None:
    source, outlet = Publication(), Left()
    listener = Forwarder(outlet)
    listener.hear(source)
    for sequence in range(4):
        outlet.open = sequence != 2
        source.push(packet(sequence), sequence / 50)
    assert listener.forwarded == 3
    assert outlet.numbers == [0, 1, 3]


def test_the_worst_off_of_the_listeners_counts() -> None:
    source = Publication()
    assert source.loss == 0.0
    for loss in (0.02, 0.3, 0.1):
        listener = Forwarder(Left())
        listener.loss = loss
        listener.hear(source)
    assert source.loss == 0.3
    listener.hear(None)
    assert source.loss == 0.3


def test_streams_begin_where_srtp_wants_it_and_nobody_can_guess() -> None:
    begins = set()
    for _ in range(20):
        source, outlet = Publication(), Left()
        Forwarder(outlet).hear(source)
        source.push(packet(1), 0.0)
        assert outlet.packets[0][0] < 1 << 15
        begins.add(outlet.packets[0][:2])
    assert len(begins) == 20


@pytest.mark.parametrize(
    ("level", "dbov"), [(None, -127), (0, 0), (127, -127), (0x80 | 30, -30), (0x80, 0)]
)
def test_levels_are_below_the_loudest(level: int | None, dbov: float) -> None:
    assert packet(1, level=level).level_dbov == dbov


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), max_size=80), st.integers())
def test_every_listener_gets_each_packet_of_their_source_once(
    steps: list[tuple[int, int]], seed: int
) -> None:
    """Step by step somebody else is heard, and each source sends one packet."""
    sources, outlet = [Publication() for _ in range(3)], Left()
    listener = Forwarder(outlet, seed)
    sent = [0, 0, 0]
    expected: list[bytes] = []
    for step, (heard, lost) in enumerate(steps):
        listener.hear(sources[heard])
        for index, source in enumerate(sources):
            sent[index] += lost
            text = bytes((index, sent[index] % 256))
            source.push(packet(sent[index], text, index), step / 50)
            if index == heard:
                expected.append(text)
    assert [one[3] for one in outlet.packets] == expected
    assert outlet.numbers == sorted(outlet.numbers)
