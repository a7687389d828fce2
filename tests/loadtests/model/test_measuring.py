"""Parts are measured of real processes: a fake engine's, and a service with two users."""

from __future__ import annotations

import msgspec
import pytest

from engines.bench import TEXTS
from engines.host import HostSpec
from loadtests.model.measuring import measure
from loadtests.model.parts import Parts
from loadtests.model.service_meter import Effort
from loadtests.model.trial import rest_ms

pytestmark = pytest.mark.e2e

FAKE = HostSpec("fake", "fake", "fake")
SERVING = ["--set=engine.speech=fake", "--set=engine.encoder=fake", "--set=engine.vad=fake"]
SAID = ["Hello there.", "Well then."]


@pytest.mark.timeout(300)
async def test_parts_of_an_engine_and_a_service_are_measured() -> None:
    shown: list[tuple[str, float]] = []
    parts = await measure(
        FAKE,
        SERVING,
        SAID,
        2,
        Effort(users=2, phase_s=1.0, settle_s=0.2),
        lambda what, share: shown.append((what, share)),
    )
    assert parts.engine.engine == "fake"
    assert [text.words for text in parts.engine.texts] == [2, 2]
    assert all(len(piece) == 2 for text in parts.engine.texts for piece in text.pieces)
    assert parts.engine.rss_mb > 10.0
    # The bench's sentence, at 60 ms a character of the fake, twice a round.
    sounds_ms = [said.audio_ms for said in parts.engine.sentence]
    assert sounds_ms == pytest.approx([60.0 * len(TEXTS[10])] * 4, rel=0.05)
    # A service with two sessions has something to do, and holds at least a Python.
    # Which of the two a busy machine makes it is not said: a second has a hundred of Linux's ticks.
    assert min(parts.media.idle_ms, parts.media.silent_ms) >= 0.0
    assert parts.media.idle_ms + parts.media.silent_ms > 0.0
    assert parts.media.service_mb > 50.0
    assert 1 <= len(parts.single_first_audible_ms) <= len(SAID)
    assert min(parts.single_first_audible_ms) > 20.0
    assert parts.enrolment.clone_ms >= 0.0
    assert msgspec.convert(msgspec.to_builtins(parts), Parts) == parts
    assert rest_ms(parts) > 0.0
    assert shown[-1] == ("a service with users", 1.0)
