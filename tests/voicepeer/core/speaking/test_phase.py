from __future__ import annotations

from itertools import product

import pytest

from voicepeer.core.speaking.phase import Input, Phase, following, is_over

pytestmark = pytest.mark.unit

OVER = [phase for phase in Phase if is_over(phase)]


@pytest.mark.parametrize(("phase", "happened"), list(product(OVER, Input)))
def test_nothing_happens_after_the_end(phase: Phase, happened: Input) -> None:
    assert following(phase, happened) is None


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase not in OVER])
def test_every_live_phase_can_be_cancelled_and_can_fail(phase: Phase) -> None:
    assert following(phase, Input.CANCEL) is Phase.CANCELLED
    assert following(phase, Input.FAIL) is Phase.FAILED


def test_it_is_done_only_when_its_text_has_ended() -> None:
    assert following(Phase.OPEN, Input.PLAYED_OUT) is None
    assert following(Phase.ENDED, Input.PLAYED_OUT) is Phase.DONE


def test_text_comes_only_while_it_is_open() -> None:
    assert [phase for phase in Phase if following(phase, Input.TEXT)] == [Phase.OPEN]


def test_every_phase_is_reached_from_the_first() -> None:
    reached = {Phase.OPEN}
    for _ in Phase:
        steps = (following(phase, happened) for phase, happened in product(reached, Input))
        reached |= {phase for phase in steps if phase is not None}
    assert reached == set(Phase)
