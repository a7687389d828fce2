"""Who talks when."""

from __future__ import annotations

import statistics
from random import Random

import pytest

from loadtests.model.crowd import AWAY_S, SILENT_S, Choir, Passers, Recited, Talkers
from tests.loadtests.model.made import parts

pytestmark = pytest.mark.unit


def talkers(talk: float) -> Talkers:
    """Forty of them, whose texts sound for five seconds."""
    return Talkers(40, talk, 5.0, Random(1))


def test_everybody_begins_within_the_first_turn() -> None:
    begun = talkers(0.25).begin_s()
    assert len(begun) == 40
    assert 0.0 <= min(begun) < 2.0
    assert 18.0 < max(begun) <= 20.0


def test_pauses_leave_the_share_of_talk() -> None:
    crowd = talkers(0.25)
    pauses = [crowd.after_over_s(100.0, 4.0) for _ in range(2_000)]
    waited = [pause - 100.0 for pause in pauses if pause is not None]
    # 4 s heard, 12 s not: the share is a quarter.
    assert statistics.fmean(waited) == pytest.approx(12.0, rel=0.03)
    assert min(waited) >= SILENT_S + 0.5 * (12.0 - SILENT_S)


def test_who_talks_all_the_time_only_hears_the_end() -> None:
    assert talkers(1.0).after_over_s(10.0, 4.0) == 10.0 + SILENT_S


def test_nobody_sends_before_the_last_text_is_over() -> None:
    assert talkers(0.5).after_sent_s(1.0) is None


def test_who_is_refused_is_away_for_a_while() -> None:
    back = talkers(0.5).after_refused_s(1.0)
    assert back is not None
    assert 0.8 * AWAY_S <= back - 1.0 <= 1.2 * AWAY_S


def test_passers_come_as_often_as_they_shall_whatever_happens() -> None:
    crowd = Passers(5.0, Random(2))
    at_s: float | None = crowd.begin_s()[0]
    for _ in range(5_000):
        assert at_s is not None
        at_s = crowd.after_sent_s(at_s)
    assert at_s is not None
    assert 5_000 / at_s == pytest.approx(5.0, rel=0.05)
    assert crowd.after_over_s(1.0, 1.0) is None
    assert crowd.after_refused_s(1.0) is None


def test_a_text_is_one_that_was_measured_with_each_of_its_pieces() -> None:
    texts = parts().engine.texts
    script = Recited(texts, Random(3))
    drawn = [tuple(script.draw(early=False)) for _ in range(300)]
    possible = [one.pieces for one in texts]
    assert all(any(_is_of(said, pieces) for pieces in possible) for said in drawn)
    assert len(set(drawn)) > 50
    assert all(len(script.draw(early=True)) == 3 for _ in range(10))


def _is_of(said: tuple[object, ...], pieces: tuple[tuple[object, ...], ...]) -> bool:
    return len(said) == len(pieces) and all(
        one in times for one, times in zip(said, pieces, strict=True)
    )


def test_texts_sound_as_long_as_they_do_in_the_mean() -> None:
    script = Recited(parts().engine.texts, Random(3))
    sums_ms = [sum(said.audio_ms for said in script.draw(early=False)) for _ in range(3_000)]
    assert statistics.fmean(sums_ms) / 1000.0 == pytest.approx(script.audio_s, rel=0.03)


def test_a_choir_begins_together_again_and_again() -> None:
    choir = Choir(3, 20.0)
    assert choir.begin_s() == [0.0, 0.0, 0.0]
    assert choir.after_sent_s(20.0) == 40.0
    assert (choir.after_over_s(5.0, 1.0), choir.after_refused_s(5.0)) == (None, None)
