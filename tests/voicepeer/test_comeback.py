"""What one session leaves to the next: once, to the same owner, and without deleted voices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engines.api import Voice
from signaling.principal import Principal
from signaling.sessions import SessionRequest
from voicepeer.barge_in import BargeIn
from voicepeer.comeback import Comeback
from voicepeer.core.messages import Speak
from voicepeer.core.resumption import Resumptions
from voicepeer.core.speaking.delivery import Delivery
from voicepeer.core.speaking.manuscript import Remainder
from voicepeer.session_state import SessionState
from voicepeer.speech import Rest
from voicepeer.voices import KeptVoices

pytestmark = pytest.mark.unit

VOICE = Voice("fake", "1", {"tone_hz": np.array([300.0], np.float32)})
FIRST = SessionRequest("room", "name", principal=Principal("acme", subject="ada"))


def line(utterance_id: str) -> Remainder:
    return Remainder(Speak(utterance_id=utterance_id, text="Hello."), True, VOICE, 0, 0.0)


def state(rest: Rest | None = None) -> SessionState:
    kept = rest or Rest((line("a"),), voice_id="v")
    return SessionState(VOICE, KeptVoices(None, None), False, BargeIn(), kept)


def left_by(kept: Resumptions[SessionState], request: SessionRequest = FIRST) -> Comeback:
    """The next session of a client whose first one has left something."""
    first = Comeback(kept, request)
    first.keep(state())
    return Comeback(kept, replace(request, resume_token=first.token))


def test_it_is_taken_once_and_said_once() -> None:
    kept = Resumptions[SessionState]()
    second = left_by(kept)
    assert not second.resumed
    taken = second.take()
    assert taken is not None
    assert (second.resumed, second.left, len(kept)) == (True, ["a"], 0)
    assert second.go_on() == taken.rest
    assert second.go_on() is None
    assert second.left == []


@pytest.mark.parametrize(
    "request_",
    [
        replace(FIRST, room="other"),
        replace(FIRST, principal=Principal("acme", subject="bob")),
        replace(FIRST, principal=Principal("acme")),
    ],
)
def test_others_and_other_rooms_get_nothing(request_: SessionRequest) -> None:
    kept = Resumptions[SessionState]()
    token = left_by(kept)._earlier
    stranger = Comeback(kept, replace(request_, resume_token=token))
    assert stranger.take() is None
    assert not stranger.resumed


def test_what_came_to_nothing_is_given_back_until_something_came_of_it() -> None:
    kept = Resumptions[SessionState]()
    second = left_by(kept)
    second.give_back(state())
    assert len(kept) == 1, "not taken yet, so that there is nothing to give back"
    second.take()
    second.give_back(state())
    third = Comeback(kept, replace(FIRST, resume_token=second._earlier))
    assert third.take() is not None
    third.give_back(state())
    third.done()
    assert len(kept) == 0


def test_the_rest_of_two_sessions_is_said_in_order() -> None:
    second = left_by(Resumptions())
    second.take()
    rest = second.unsaid(Rest((line("b"),), {"b": Delivery(speed=0.5)}, voice_id="w"))
    assert [one.opening.utterance_id for one in rest.lines] == ["a", "b"]
    assert (rest.voice_id, rest.deliveries["b"].speed) == ("w", 0.5)
    second.go_on()
    assert len(second.unsaid(Rest((line("b"),))).lines) == 1


def test_what_waits_is_not_said_in_a_deleted_voice() -> None:
    second = left_by(Resumptions())
    second.take()
    second.forget("other")
    assert second.left == ["a"]
    second.forget("v")
    assert second.left == []
    assert second.go_on() is None
