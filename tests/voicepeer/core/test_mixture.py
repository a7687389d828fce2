"""Ids of mixes: read as they are written, and every other text is no mix."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.errors import PeerSentBadMessage
from voicepeer.core.mixture import MAX_PARTS, PREFIX, holds, mix_id, weights_of

pytestmark = pytest.mark.unit

names = st.text("abcdef0123456789_-é", min_size=1, max_size=32)
mixes = st.dictionaries(names, st.floats(0.1, 10.0), min_size=2, max_size=MAX_PARTS)


@given(mixes)
def test_an_id_says_who_is_in_it_and_how_much(weights: dict[str, float]) -> None:
    found = weights_of(mix_id(weights))
    total = sum(weights.values())
    assert found == pytest.approx({name: weight / total for name, weight in weights.items()}, 1e-3)


@given(mixes, st.floats(1e-6, 1e6))
def test_the_same_shares_have_the_same_id(weights: dict[str, float], factor: float) -> None:
    doubled = {name: 2.0 * weight for name, weight in reversed(weights.items())}
    assert mix_id(doubled) == mix_id(weights)
    scaled = weights_of(mix_id({name: factor * weight for name, weight in weights.items()}))
    assert scaled == pytest.approx(weights_of(mix_id(weights)), rel=2e-3)


@given(mixes)
def test_a_mix_holds_its_voices_and_no_others(weights: dict[str, float]) -> None:
    known = mix_id(weights)
    assert all(holds(known, name) for name in weights)
    assert not holds(known, "nobody")
    assert holds(known, known)


def test_a_voice_holds_itself_only() -> None:
    assert holds("af_sky", "af_sky")
    assert not holds("af_sky", "af")
    assert not holds("a=0.5,b=0.5", "a")
    assert not holds(None, "a")


@pytest.mark.parametrize(
    "weights",
    [
        {},
        {"a": 1.0},
        {str(number): 1.0 for number in range(MAX_PARTS + 1)},
        {"a": 0.0, "b": 1.0},
        {"a": -1.0, "b": 2.0},
        {"a": float("nan"), "b": 1.0},
        {"a": float("inf"), "b": 1.0},
        {"a": 1e-5, "b": 1.0},
        {"": 1.0, "b": 1.0},
        {"mix:a=1": 1.0, "b": 1.0},
        {"a,b": 1.0, "b": 1.0},
    ],
)
def test_what_cannot_be_mixed_is_refused(weights: dict[str, float]) -> None:
    with pytest.raises(PeerSentBadMessage, match="mix"):
        mix_id(weights)


@given(st.text().filter(lambda text: not text.startswith(PREFIX)))
def test_any_other_id_is_no_mix(text: str) -> None:
    assert weights_of(text) is None


@given(st.text("ab=,:.0123456789e-n ", max_size=40))
def test_a_damaged_id_is_refused_or_read(text: str) -> None:
    try:
        found = weights_of(PREFIX + text)
    except PeerSentBadMessage:
        return
    assert found is not None
    assert len(found) >= 2
    assert min(found.values()) > 0.0


@pytest.mark.parametrize("text", ["", "a=1", "a=1,a=2", "a=1,b", "a=1,b=x", "a=1,b=2=3"])
def test_an_id_that_begins_like_a_mix_must_be_one(text: str) -> None:
    with pytest.raises(PeerSentBadMessage):
        weights_of(PREFIX + text)
