"""What is kept for lost clients: once, not for long, and for nobody else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voicepeer.core.resumption import Resumptions

pytestmark = pytest.mark.unit

TOKEN = "0123456789abcdef" * 2


def kept(now: float = 0.0) -> Resumptions[str]:
    resumptions: Resumptions[str] = Resumptions(ttl_s=60)
    resumptions.keep(TOKEN, "lab", "state", now)
    return resumptions


def test_a_token_is_good_once() -> None:
    resumptions = kept()
    assert resumptions.take(TOKEN, "lab", 1.0) == "state"
    assert resumptions.take(TOKEN, "lab", 1.0) is None
    assert len(resumptions) == 0


def test_what_was_given_back_can_be_dropped() -> None:
    resumptions = kept()
    for token in (None, "x" * 32, TOKEN):
        resumptions.drop(token)
    assert resumptions.take(TOKEN, "lab", 1.0) is None


def test_a_token_is_good_until_it_expires() -> None:
    assert kept().take(TOKEN, "lab", 59.9) == "state"
    assert kept().take(TOKEN, "lab", 60.0) is None


def test_a_token_shown_in_another_room_is_used_up() -> None:
    resumptions = kept()
    assert resumptions.take(TOKEN, "attic", 1.0) is None
    assert resumptions.take(TOKEN, "lab", 1.0) is None


@pytest.mark.parametrize("token", [None, "", TOKEN[:-1], TOKEN.upper(), "\ud800", "x" * 100_000])
def test_what_is_no_token_gets_nothing_and_spoils_nothing(token: str | None) -> None:
    resumptions = kept()
    assert resumptions.take(token, "lab", 1.0) is None
    assert resumptions.take(TOKEN, "lab", 1.0) == "state"


@given(st.text(max_size=64))
def test_no_guess_is_right(guess: str) -> None:
    resumptions = kept()
    assert guess == TOKEN or resumptions.take(guess, "lab", 1.0) is None


def test_states_are_bounded_and_the_oldest_makes_room() -> None:
    resumptions: Resumptions[int] = Resumptions(ttl_s=60, max_kept=3)
    for number in range(5):
        resumptions.keep(f"token {number}", "lab", number, float(number))
    assert len(resumptions) == 3
    assert resumptions.take("token 1", "lab", 5.0) is None
    assert resumptions.take("token 2", "lab", 5.0) == 2


def test_what_has_expired_is_forgotten_without_being_asked_for() -> None:
    resumptions = kept()
    assert resumptions.purge(59.0) == 0
    assert resumptions.purge(61.0) == 1
    assert len(resumptions) == 0


def test_tokens_themselves_are_not_kept() -> None:
    assert TOKEN not in repr(vars(kept()))
