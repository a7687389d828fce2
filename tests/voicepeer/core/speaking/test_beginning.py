"""Where the time goes before an utterance is heard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.api import Chunk
from voicepeer.core.speaking.beginning import BeginningClock

pytestmark = pytest.mark.unit


def chunk(front_ms: float = 60.0, made_ms: float = 95.0) -> Chunk:
    """A first chunk that took so long."""
    return Chunk(np.zeros(1, np.float32), front_ms=front_ms, made_ms=made_ms)


def test_the_parts_are_told_apart() -> None:
    clock = BeginningClock()
    clock.ask(10.005)
    clock.take(chunk(), 10.105)
    parts = clock.read(10.0, 10.165)
    assert parts is not None
    assert parts.text_ms == pytest.approx(5.0)
    assert parts.wait_ms == pytest.approx(5.0)
    assert (parts.front_ms, parts.first_chunk_ms) == (60.0, 35.0)
    assert parts.send_ms == pytest.approx(60.0)


def test_only_the_first_piece_and_the_first_chunk_count() -> None:
    clock = BeginningClock()
    for at in (0.0, 5.0):
        clock.ask(at)
        clock.take(chunk(), at + 0.1)
    parts = clock.read(0.0, 0.2)
    assert parts is not None
    assert parts.total_ms == pytest.approx(200.0)


def test_what_did_not_come_from_the_engine_has_no_parts() -> None:
    clock = BeginningClock()
    assert clock.read(0.0, 1.0) is None
    clock.ask(0.0)
    assert clock.read(0.0, 1.0) is None
    clock.take(chunk(), 0.1)
    assert clock.read(None, 1.0) is None
    assert clock.read(0.0, 1.0) is not None


times = st.floats(0.0, 10.0)


@given(times, times, times, st.floats(0.0, 1e5), st.floats(0.0, 1e5))
def test_they_always_add_up_and_none_is_negative(
    text_s: float, made_s: float, send_s: float, front_ms: float, made_ms: float
) -> None:
    clock = BeginningClock()
    clock.ask(text_s)
    clock.take(chunk(front_ms, made_ms), text_s + made_s)
    parts = clock.read(0.0, text_s + made_s + send_s)
    assert parts is not None
    assert parts.total_ms == pytest.approx((text_s + made_s + send_s) * 1000.0)
    each = (parts.text_ms, parts.wait_ms, parts.front_ms, parts.first_chunk_ms, parts.send_ms)
    assert all(value >= -1e-9 for value in each)
